#include "PoolSize.hpp"
#include "Vertices.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

/// Many vertices, small and large, direct and gathered, with an exit flag; the bytes of all
/// results.
std::vector<float> manyVertices(Device const &device, OptionFlags const &options) {
  Graph graph(device.getTarget());
  std::size_t const rows = 40, columns = 300;
  Tensor const a = variable(graph, FLOAT, {rows, columns}, "a"),
               b = variable(graph, FLOAT, {columns, rows}, "b");
  Tensor const all = variable(graph, BOOL, {}, "all");
  ComputeSet const direct = graph.addComputeSet(), gathered = graph.addComputeSet();
  for (unsigned i = 0; i < rows; ++i) {
    VertexRef const v =
        graph.addVertex(direct, "engineTest::Scale",
                        {{"in", a[i].slice(0, columns - 7 * i)},
                         {"out", b.flatten().slice(i * columns, (i + 1) * columns - 7 * i)},
                         {"factor", 1.1F}});
    graph.setTileMapping(v, i % graph.getTarget().getNumTiles());
    VertexRef const w =
        graph.addVertex(gathered, "engineTest::Scale",
                        {{"in", b.slice(i, i + 1, 1).flatten()}, {"out", a[i]}, {"factor", 1.3F}});
    graph.setTileMapping(w, 0);
  }
  Engine engine(
      graph,
      Repeat(20, Sequence({Execute(direct), Execute(gathered, all), Copy(a.transpose(), b)})),
      options);
  engine.load(device);
  std::mt19937 random(1);
  std::vector<float> values(rows * columns);
  for (float &value : values)
    value = static_cast<float>(random() % 1000) / 1024; // exact in every rounding mode
  write(engine, "a", values);
  engine.run();
  CHECK(read<std::uint8_t>(engine, "all", 1)[0] == 1);
  std::vector<float> result = read<float>(engine, "a", values.size());
  std::vector<float> const other = read<float>(engine, "b", values.size());
  result.insert(result.end(), other.begin(), other.end());
  return result;
}

bool sameBits(std::vector<float> const &a, std::vector<float> const &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Copies a tensor to one with its dimensions reversed, on 1 to 5 threads.
void checkReversedCopy(std::vector<std::size_t> const &shape) {
  std::size_t const rank = shape.size();
  std::vector<unsigned> order;
  for (std::size_t d = rank; d-- > 0;)
    order.push_back(static_cast<unsigned>(d));
  Device const device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  Tensor const from = variable(graph, INT, shape, "from");
  Tensor const to =
      variable(graph, INT, std::vector<std::size_t>(shape.rbegin(), shape.rend()), "to");
  std::vector<int> values(from.numElements()), expected(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(i);
    std::size_t rest = i, place = 0;
    for (std::size_t d = rank; d-- > 0; rest /= shape[d]) {
      std::size_t stride = 1;
      for (std::size_t x = 0; x < d; ++x)
        stride *= shape[x];
      place += rest % shape[d] * stride;
    }
    expected[place] = values[i];
  }
  for (unsigned threads = 1; threads <= 5; ++threads) {
    Engine engine(graph, Copy(from.dimShuffle(order), to),
                  OptionFlags{{"engine.numThreads", std::to_string(threads)}});
    engine.load(device);
    write(engine, "from", values);
    engine.run();
    CHECK(read<int>(engine, "to", values.size()) == expected);
  }
}

} // namespace

TEST_SUITE("poplar/engine/threads") {
  TEST_CASE("results are the same bits on 1 to 8 threads") {
    onAllDevices([](Device const &device) {
      std::vector<float> const expected =
          manyVertices(device, {{"debug.cpuMultiThreadExecution", "false"}});
      for (unsigned threads : {1u, 2u, 3u, 5u, 8u}) {
        CAPTURE(threads);
        PoolSize const size(threads);
        CHECK(sameBits(manyVertices(device, {}), expected));
      }
      for (char const *threads : {"1", "2", "4"})
        CHECK(sameBits(manyVertices(device, {{"engine.numThreads", threads}}), expected));
      cottonwood::base::setPoolThreads(0);
    });
  }

  TEST_CASE("large copies between layouts, divided among threads") {
    PoolSize const pool(5);
    for (std::vector<std::size_t> shape : {std::vector<std::size_t>{70, 300},
                                           {12, 34, 50},
                                           {3, 20000},
                                           {40000, 1},
                                           {2, 17, 3, 200}}) {
      CAPTURE(shape.size());
      checkReversedCopy(shape);
    }
    std::vector<std::size_t> deep(13, 2); // nothing of it merges
    deep[6] = 5;
    checkReversedCopy(deep);
  }

  TEST_CASE("a lone MultiVertex spreads its contexts over threads") {
    PoolSize const size(4);
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    std::size_t const n = 300000;
    Tensor const a = variable(graph, INT, {n}, "a"), b = variable(graph, INT, {n / 2, 2}, "b");
    ComputeSet const cs = graph.addComputeSet(), back = graph.addComputeSet();
    graph.setTileMapping(graph.addVertex(cs, "engineTest::AddOneMulti",
                                         {{"in", a}, {"out", b.transpose().flatten()}}),
                         0);
    graph.setTileMapping(graph.addVertex(back, "engineTest::AddOneMulti",
                                         {{"in", b.transpose().flatten()}, {"out", a}}),
                         0);
    Engine engine(graph, Repeat(5, Sequence({Execute(cs), Execute(back)})));
    engine.loadAndRun(device);
    CHECK(read<int>(engine, "a", n) == std::vector<int>(n, 10));
    CHECK(read<int>(engine, "b", n) == std::vector<int>(n, 9));
  }

  TEST_CASE("engines on several threads at once") {
    PoolSize const size(3);
    Device const device = Device::createCPUDevice();
    std::vector<float> const expected = manyVertices(device, {});
    std::vector<std::thread> threads;
    std::vector<std::vector<float>> results(3);
    for (std::vector<float> &result : results)
      threads.emplace_back([&] { result = manyVertices(device, {}); });
    for (std::thread &thread : threads)
      thread.join();
    for (std::vector<float> const &result : results)
      CHECK(sameBits(result, expected));
  }

  TEST_CASE(
      "an exception of a vertex comes out of run(), the first one's whatever the threads did") {
    PoolSize const size(4);
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {64}, "x");
    ComputeSet const cs = graph.addComputeSet();
    for (unsigned i = 0; i < 64; ++i)
      graph.setTileMapping(graph.addVertex(cs, "engineTest::Throws", {{"x", x[i]}}), 0);
    Engine engine(graph, Execute(cs));
    engine.load(device);
    std::vector<int> values(64);
    for (int i = 0; i < 64; ++i)
      values[static_cast<std::size_t>(i)] = i;
    for (unsigned turn = 0; turn < 20; ++turn) {
      write(engine, "x", values);
      CHECK_THROWS_WITH_AS(engine.run(), "vertex 0 threw", std::runtime_error);
    }
  }

  TEST_CASE("stop() ends a program that loops for long") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {1}, "x");
    Engine engine(graph, Repeat(2000000000, Repeat(1000, countUp(graph, x, 1))));
    engine.load(device);
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      engine.stop();
    });
    engine.run();
    stopper.join();
    CHECK_THROWS_AS(engine.run(), poplar_error);
    engine.load(device);
    CHECK(read<int>(engine, "x", 1)[0] == 0);
  }

  TEST_CASE("vertices compute with the standard rounding, whatever the application has set, and it "
            "gets its own back") {
#if defined(__x86_64__)
    Device const device = Device::createCPUDevice();
    std::vector<float> const expected = manyVertices(device, {});
    unsigned const saved = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80 | 0x6000 | 0x8040); // towards zero, subnormals are zero
    std::vector<float> const result = manyVertices(device, {});
    unsigned const after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(saved);
    CHECK((after & 0xffc0) == (0x1f80 | 0x6000 | 0x8040));
    CHECK(sameBits(result, expected));
#endif
  }
}
