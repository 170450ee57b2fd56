#include "Throws.hpp"
#include "Vertices.hpp"

#include <poplar/RemoteBuffer.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <random>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

namespace {

std::vector<int> numbers(std::size_t n, int first) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

} // namespace

TEST_SUITE("poplar/engine/remote-buffers") {
  TEST_CASE("the only row needs no offset, and any view of as many elements does") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {2, 3}, "x"), y = variable(graph, INT, {3, 2}, "y");
      RemoteBuffer const buffer = graph.addRemoteBuffer("b", INT, 6);
      Engine engine(graph, {Sequence(Copy(x, buffer)), Sequence(Copy(buffer, y.transpose()))});
      engine.load(device);
      std::vector<int> row(6, -1);
      engine.copyFromRemoteBuffer("b", row.data(), 0);
      CHECK(row == std::vector<int>(6, 0)); // zero at load
      write(engine, "x", numbers(6, 1));
      engine.run(0);
      engine.copyFromRemoteBuffer("b", gccs::ArrayRef<int>(row), 0);
      CHECK(row == numbers(6, 1));
      engine.run(1);
      CHECK(read<int>(engine, "y", 6) == std::vector<int>{1, 4, 2, 5, 3, 6});
      engine.load(device); // contents are lost
      engine.copyFromRemoteBuffer(buffer, row.data(), 0);
      CHECK(row == std::vector<int>(6, 0));
    });
  }

  TEST_CASE("a buffer that no program uses keeps what the host writes") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      RemoteBuffer const buffer = graph.addRemoteBuffer("unused", INT, 3, 2);
      Engine engine(graph, Sequence());
      engine.load(device);
      std::vector<int> row = numbers(3, 1);
      engine.copyToRemoteBuffer(row.data(), "unused", 1);
      engine.run(0);
      engine.copyFromRemoteBuffer("unused", row.data(), 0);
      CHECK(row == std::vector<int>(3, 0));
      engine.copyFromRemoteBuffer(buffer, row.data(), 1);
      CHECK(row == numbers(3, 1));
    });
  }

  TEST_CASE("rows at random offsets against a plain array, with offsets of both types") {
    onAllDevices([](Device const &device) {
      std::size_t const repeats = 7, elements = 5, rows = 3;
      for (Type const type : {INT, UNSIGNED_INT}) {
        for (bool const strided : {false, true}) {
          CAPTURE(type.toString().cloneAsString());
          CAPTURE(strided);
          Graph graph(device.getTarget());
          Tensor const offsets = variable(graph, type, {rows}, "offsets");
          Tensor const data = strided ? variable(graph, INT, {elements, rows}, "data").transpose()
                                      : variable(graph, INT, {rows, elements}, "data", 1);
          graph.createHostWrite("rows", data);
          graph.createHostRead("rows", data);
          RemoteBuffer const buffer =
              graph.addRemoteBuffer("b", INT, elements, repeats, true, strided);
          Engine engine(graph, {Sequence(Copy(buffer, data, offsets)),
                                Sequence(Copy(data, buffer, offsets))});
          engine.load(device);
          std::vector<int> expected = numbers(repeats * elements, 100);
          for (unsigned r = 0; r < repeats; ++r)
            engine.copyToRemoteBuffer(&expected[r * elements], "b", r);
          std::mt19937 random(7);
          for (int turn = 0; turn < 20; ++turn) {
            std::vector<unsigned> at(rows);
            for (unsigned &offset : at)
              offset = static_cast<unsigned>(random() % repeats);
            write(engine, "offsets", at);
            if (turn % 2 == 0) {
              engine.run(0);
              std::vector<int> const got = read<int>(engine, "rows", rows * elements);
              for (std::size_t i = 0; i < rows * elements; ++i)
                REQUIRE(got[i] == expected[at[i / elements] * elements + i % elements]);
            } else {
              std::vector<int> const values = numbers(rows * elements, 1000 * turn);
              write(engine, "rows", values);
              engine.run(1);
              for (std::size_t i = 0; i < values.size(); ++i) // the last of equal offsets holds
                expected[at[i / elements] * elements + i % elements] = values[i];
            }
          }
          std::vector<int> row(elements);
          for (unsigned r = 0; r < repeats; ++r) {
            engine.copyFromRemoteBuffer("b", row.data(), r);
            CHECK(row == std::vector<int>(expected.begin() + r * elements,
                                          expected.begin() + (r + 1) * elements));
          }
        }
      }
    });
  }

  TEST_CASE("a scalar offset that a loop counts up") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const i = variable(graph, INT, {}, "i"), x = variable(graph, INT, {2}, "x"),
                   sum = variable(graph, INT, {1}, "sum");
      RemoteBuffer const buffer = graph.addRemoteBuffer("b", INT, 2, 4);
      Engine engine(graph, Repeat(4, Sequence({Copy(buffer, x, i), countUp(graph, x[0], 10),
                                               Copy(x, buffer, i), countUp(graph, i, 1)})));
      engine.load(device);
      for (unsigned r = 0; r < 4; ++r) {
        std::vector<int> row = numbers(2, static_cast<int>(100 * r));
        engine.copyToRemoteBuffer(ArrayRef<int>(row), "b", r);
      }
      engine.run();
      for (unsigned r = 0; r < 4; ++r) {
        std::vector<int> row(2);
        engine.copyFromRemoteBuffer("b", row.data(), r);
        CHECK(row ==
              std::vector<int>{static_cast<int>(100 * r) + 10, static_cast<int>(100 * r) + 1});
      }
    });
  }

  TEST_CASE("an offset that is no row stops the run before anything moves") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const offsets = variable(graph, INT, {2}, "offsets"),
                   x = variable(graph, FLOAT, {2, 3}, "x");
      RemoteBuffer const buffer = graph.addRemoteBuffer("weights", FLOAT, 3, 4);
      Engine engine(graph, {Copy(buffer, x, offsets), Copy(x, buffer, offsets)});
      engine.load(device);
      std::vector<float> row{1, 2, 3};
      engine.copyToRemoteBuffer(row.data(), "weights", 0);
      write<int>(engine, "offsets", {0, 4});
      for (unsigned program : {0u, 1u})
        checkThrows<application_runtime_error>(
            [&] { engine.run(program); },
            {"offset[1] = 4", "out of range", "'weights'", "4 repeats"});
      CHECK(read<float>(engine, "x", 6) == std::vector<float>(6, 0));
      engine.copyFromRemoteBuffer("weights", row.data(), 0);
      CHECK(row == std::vector<float>{1, 2, 3});
      write<int>(engine, "offsets", {-1, 0});
      checkThrows<poplar::runtime_error>([&] { engine.run(0); }, {"offset[0] = -1"});
    });
  }

  TEST_CASE("nothing to move: no elements, no offsets") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const none = variable(graph, INT, {0, 4}, "none"),
                 offsets = variable(graph, INT, {0}, "o");
    RemoteBuffer const empty = graph.addRemoteBuffer("empty", INT, 0),
                       four = graph.addRemoteBuffer("four", INT, 4, 2);
    Engine engine(graph, Sequence({Copy(none, empty), Copy(empty, none), Copy(four, none, offsets),
                                   Copy(none, four, offsets)}));
    engine.loadAndRun(device);
    engine.copyToRemoteBuffer(nullptr, "empty", 0);
  }

  TEST_CASE("what the host gets wrong") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    RemoteBuffer const buffer = graph.addRemoteBuffer("b", FLOAT, 3, 2); // no program uses it
    Engine engine(graph, Sequence());
    std::vector<float> row{1, 2, 3};
    checkThrows<tensor_io_state_error>([&] { engine.copyToRemoteBuffer(row.data(), "b", 0); },
                                       {"'b'", "not loaded"});
    engine.load(device);
    engine.copyToRemoteBuffer(row.data(), buffer, 1);
    checkThrows<stream_connection_error>([&] { engine.copyToRemoteBuffer(row.data(), "c", 0); },
                                         {"'c'", "the graph has 1"});
    checkThrows<index_error>([&] { engine.copyFromRemoteBuffer("b", row.data(), 2); },
                             {"repeatIndex = 2", "'b'", "2 repeats"});
    checkThrows<index_error>([&] { engine.copyFromRemoteBuffer(buffer, row.data(), -1); },
                             {"out of range"});
    checkThrows<index_error>([&] { engine.copyFromRemoteBuffer("b", row.data(), 1, 1); },
                             {"replicationIndex = 1", "1 replica"});
    checkThrows<stream_connection_error>(
        [&] { engine.copyFromRemoteBuffer("b", gccs::ArrayRef<float>(row.data(), 2), 0); },
        {"8 bytes", "needs 12"});
  }

  TEST_CASE("a buffer larger than the machine's memory is refused at load, by name") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    graph.addRemoteBuffer("small", FLOAT, 1);
    graph.addRemoteBuffer("huge", FLOAT, std::size_t{1} << 40, 64);
    Engine engine(graph, Sequence());
    checkThrows<stream_memory_allocation_error>([&] { engine.load(device); },
                                                {"'huge'", "memory and swap"});
  }
}
