#include "Vertices.hpp"

#include <doctest/doctest.h>

using namespace poplar;
using namespace poplar::program;
using namespace engineTest;

TEST_SUITE("poplar/engine/programs") {
  TEST_CASE("a vertex of the program itself computes on a CPU and on an IPU Model") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, FLOAT, {5}, "a"), b = variable(graph, FLOAT, {5}, "b", 1);
      ComputeSet const cs = graph.addComputeSet("scale");
      VertexRef const v =
          graph.addVertex(cs, "engineTest::Scale", {{"in", a}, {"out", b}, {"factor", 2.5F}});
      graph.setTileMapping(v, 0);
      Engine engine(graph, Execute(cs));
      engine.load(device);
      write<float>(engine, "a", {1, 2, 3, 4, 5});
      engine.run();
      CHECK(read<float>(engine, "b", 5) == std::vector<float>{2.5, 5, 7.5, 10, 12.5});
    });
  }

  TEST_CASE("programs and calls nested as deep as they may be are compiled and run") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, INT, {2}, "a"), b = variable(graph, INT, {2}, "b", 1);
      Tensor const flag = variable(graph, BOOL, {}, "flag");
      graph.setInitialValue(flag, true);
      Program deep = Copy(a, b);
      for (unsigned i = 0; i != 4995; i += 5) {
        deep = Sequence({deep, WriteUndef(a)});
        deep = Repeat(1, If(flag, deep, Copy(b, a)));
        deep = Call(graph.addFunction(Switch(flag, {{1, deep}})));
      }
      Engine engine(graph, deep);
      engine.load(device);
      write<int>(engine, "a", {3, 4});
      engine.run();
      CHECK(read<int>(engine, "b", 2) == std::vector<int>{3, 4});
      CHECK_NOTHROW(Repeat(1, deep));
    });
  }

  TEST_CASE("edges that are not one run are gathered before and scattered after the vertex") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, FLOAT, {2, 3}, "a"),
                   b = variable(graph, FLOAT, {3, 2}, "b", 1);
      ComputeSet const cs = graph.addComputeSet();
      VertexRef const v = graph.addVertex(
          cs, "engineTest::Scale",
          {{"in", a.transpose().flatten()}, {"out", b.reverse(0).flatten()}, {"factor", 2.0F}});
      graph.setTileMapping(v, 0);
      Engine engine(graph, Execute(cs));
      engine.load(device);
      write<float>(engine, "a", {1, 2, 3, 4, 5, 6});
      engine.run();
      CHECK(read<float>(engine, "b", 6) == std::vector<float>{6, 12, 4, 10, 2, 8});
    });
  }

  TEST_CASE("elements of a gathered output that the codelet skips keep their value") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {4, 2}, "x");
    ComputeSet const cs = graph.addComputeSet();
    graph.setTileMapping(
        graph.addVertex(cs, "engineTest::DoubleEven", {{"x", x.slice(0, 1, 1).flatten()}}), 0);
    Engine engine(graph, Execute(cs));
    engine.load(device);
    write<int>(engine, "x", {9, 8, 7, 6, 5, 4, 3, 2});
    engine.run();
    CHECK(read<int>(engine, "x", 8) == std::vector<int>{0, 8, 7, 6, 4, 4, 3, 2});
  }

  TEST_CASE("all six contexts of a MultiVertex work on one state, in place and gathered") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, INT, {4, 5}, "a"), b = variable(graph, INT, {20}, "b");
      ComputeSet const cs = graph.addComputeSet();
      graph.setTileMapping(graph.addVertex(cs, "engineTest::AddOneMulti",
                                           {{"in", a.transpose().flatten()}, {"out", b}}),
                           0);
      Engine engine(graph, Execute(cs));
      engine.load(device);
      std::vector<int> values(20), expected(20);
      for (int i = 0; i < 20; ++i)
        values[static_cast<std::size_t>(i)] = i;
      for (std::size_t i = 0; i < 20; ++i)
        expected[i] = values[i % 4 * 5 + i / 4] + 1;
      write(engine, "a", values);
      engine.run();
      CHECK(read<int>(engine, "b", 20) == expected);
    });
  }

  TEST_CASE("vectors of vectors and state vectors") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, INT, {2, 3}, "a"), b = variable(graph, INT, {3}, "b");
      ComputeSet const cs = graph.addComputeSet();
      VertexRef const v = graph.addVertex(cs, "engineTest::SumRows", {{"out", b}});
      graph.connect(v["rows"],
                    std::vector<Tensor>{a[0], a.slice(1, 2, 1).flatten(), a.flatten().slice(2, 6)});
      graph.setInitialValue(v["weights"], std::vector<int>{1, 10, 100});
      graph.setTileMapping(v, 0);
      Engine engine(graph, Execute(cs));
      engine.load(device);
      write<int>(engine, "a", {1, 2, 3, 4, 5, 6});
      engine.run();
      CHECK(read<int>(engine, "b", 3) == std::vector<int>{6, 70, 1800});
    });
  }

  TEST_CASE("Repeat runs its body that many times, also nested and zero times") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {1}, "x");
      Execute const one = countUp(graph, x, 1), ten = countUp(graph, x, 100);
      Engine engine(graph, {Repeat(5, one), Repeat(3, Sequence({one, Repeat(2, ten)})),
                            Repeat(0, one), Repeat(7, Repeat(0, one)), Repeat(4, Sequence())});
      engine.load(device);
      int const expected[] = {5, 5 + 3 + 600, 608, 608, 608};
      for (unsigned program = 0; program < 5; ++program) {
        engine.run(program);
        CHECK(read<int>(engine, "x", 1)[0] == expected[program]);
      }
    });
  }

  TEST_CASE("RepeatWhile tests before each turn") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {1}, "x"), turns = variable(graph, INT, {1}, "turns");
      Tensor const flag = temporary(graph, BOOL, {}, "flag");
      Execute const count = countUp(graph, x, 1), turn = countUp(graph, turns, 1);
      Engine engine(
          graph, {RepeatWhileTrue(testBelow(graph, x, flag, 5), flag, Sequence({count, turn})),
                  RepeatWhileFalse(Sequence({count, testBelow(graph, x, flag, 0)}), flag, turn)});
      engine.load(device);
      engine.run(0);
      CHECK(read<int>(engine, "x", 1)[0] == 5);
      CHECK(read<int>(engine, "turns", 1)[0] == 5);
      engine.run(0);
      CHECK(read<int>(engine, "turns", 1)[0] == 5);
      write<int>(engine, "x", {-1});
      engine.run(0);
      CHECK(read<int>(engine, "turns", 1)[0] == 11);
      write<int>(engine, "x", {-2});
      engine.run(1); // -2 + 1 is below 0: no turn
      CHECK(read<int>(engine, "turns", 1)[0] == 11);
      CHECK(read<int>(engine, "x", 1)[0] == -1);
    });
  }

  TEST_CASE("If and Switch run the chosen body alone") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {1}, "x"), p = variable(graph, BOOL, {1}, "p");
      Tensor const c = variable(graph, INT, {}, "c"), u = variable(graph, UNSIGNED_INT, {}, "u");
      Switch sw(c, countUp(graph, x, 1000));
      sw.add(3, countUp(graph, x, 3)).add(-1, countUp(graph, x, 7)).add(0, Sequence());
      Engine engine(graph, {If(p, countUp(graph, x, 1), countUp(graph, x, 10)), sw,
                            Sequence({If(u, Sequence(), countUp(graph, x, 5))}),
                            Switch(u, {{-1, countUp(graph, x, 2)}})});
      engine.load(device);
      auto const add = [&](unsigned program) {
        int const before = read<int>(engine, "x", 1)[0];
        engine.run(program);
        return read<int>(engine, "x", 1)[0] - before;
      };
      bool flag = true;
      engine.writeTensor("p", &flag, &flag + 1);
      CHECK(add(0) == 1);
      flag = false;
      engine.writeTensor("p", &flag, &flag + 1);
      CHECK(add(0) == 10);
      int const controls[] = {3, -1, 0, 4}, steps[] = {3, 7, 0, 1000};
      for (unsigned i = 0; i < 4; ++i) {
        engine.writeTensor("c", &controls[i], &controls[i] + 1);
        CHECK(add(1) == steps[i]);
      }
      CHECK(add(2) == 5);
      CHECK(add(3) == 0);
      unsigned const big = ~0u;
      engine.writeTensor("u", &big, &big + 1);
      CHECK(add(2) == 0);
      CHECK(add(3) == 2);
    });
  }

  TEST_CASE("a function runs its body from every place that calls it") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {1}, "x");
      Function const inner = graph.addFunction(countUp(graph, x, 1));
      Function const outer = graph.addFunction(Sequence({Call(inner), Repeat(2, Call(inner))}));
      Engine engine(graph, Sequence({Call(outer), Call(inner), Repeat(3, Call(outer))}));
      engine.load(device);
      engine.run();
      CHECK(read<int>(engine, "x", 1)[0] == 3 + 1 + 9);
    });
  }

  TEST_CASE("the exit form of Execute stores the AND of what compute() returned") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {3}, "x"), all = variable(graph, BOOL, {}, "all");
      ComputeSet const cs = graph.addComputeSet(), none = graph.addComputeSet();
      for (unsigned i = 0; i < 3; ++i)
        graph.setTileMapping(graph.addVertex(cs, "engineTest::IsPositive", {{"x", x[i]}}), 0);
      Engine engine(graph, {Execute(cs, all), Execute(none, all)});
      engine.load(device);
      write<int>(engine, "x", {1, 2, 3});
      engine.run(0);
      CHECK(read<std::uint8_t>(engine, "all", 1)[0] == 1);
      write<int>(engine, "x", {1, 0, 3});
      engine.run(0);
      CHECK(read<std::uint8_t>(engine, "all", 1)[0] == 0);
      engine.run(1);
      CHECK(read<std::uint8_t>(engine, "all", 1)[0] == 1);
    });
  }

  TEST_CASE("a copy reads all of its source before it writes, whatever overlaps") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {6}, "x"), m = variable(graph, INT, {3, 3}, "m");
      Engine engine(graph,
                    {Copy(x.slice(0, 5), x.slice(1, 6)), Copy(x.reverse(0), x),
                     Copy(m.transpose(), m), Copy(x.slice(2, 3).broadcast(6, 0), x), Copy(x, x)});
      engine.load(device);
      write<int>(engine, "x", {1, 2, 3, 4, 5, 6});
      write<int>(engine, "m", {1, 2, 3, 4, 5, 6, 7, 8, 9});
      engine.run(0);
      CHECK(read<int>(engine, "x", 6) == std::vector<int>{1, 1, 2, 3, 4, 5});
      engine.run(1);
      CHECK(read<int>(engine, "x", 6) == std::vector<int>{5, 4, 3, 2, 1, 1});
      engine.run(2);
      CHECK(read<int>(engine, "m", 9) == std::vector<int>{1, 4, 7, 2, 5, 8, 3, 6, 9});
      engine.run(4);
      CHECK(read<int>(engine, "x", 6) == std::vector<int>{5, 4, 3, 2, 1, 1});
      engine.run(3);
      CHECK(read<int>(engine, "x", 6) == std::vector<int>{3, 3, 3, 3, 3, 3});
    });
  }

  TEST_CASE("constants, initial values and fresh variables after each load") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const x = variable(graph, INT, {3}, "x"), y = variable(graph, INT, {4}, "y");
      Tensor const z = variable(graph, FLOAT, {2}, "z");
      Tensor const c = graph.addConstant<int>(INT, {3}, 7),
                   d = graph.addConstant<int>(INT, {2}, {4, 5});
      graph.setTileMapping(c, 0);
      graph.setTileMapping(d, 0);
      graph.setInitialValue<int>(y, ArrayRef<int>({1, 2, 3, 4}));
      graph.setInitialValue(y.slice(1, 3), 0);
      Engine engine(graph, Sequence({Copy(c, x), Copy(d, y.slice(0, 2))}));
      engine.load(device);
      CHECK(read<int>(engine, "y", 4) == std::vector<int>{1, 0, 0, 4});
      CHECK(read<float>(engine, "z", 2) == std::vector<float>{0, 0});
      engine.run();
      CHECK(read<int>(engine, "x", 3) == std::vector<int>{7, 7, 7});
      CHECK(read<int>(engine, "y", 4) == std::vector<int>{4, 5, 0, 4});
      engine.load(device);
      CHECK(read<int>(engine, "x", 3) == std::vector<int>{0, 0, 0});
      CHECK(read<int>(engine, "y", 4) == std::vector<int>{1, 0, 0, 4});
    });
  }

  TEST_CASE("empty programs and tensors without elements do nothing") {
    onAllDevices([](Device const &device) {
      Graph graph(device.getTarget());
      Tensor const e = variable(graph, FLOAT, {0, 3}, "e"), f = variable(graph, FLOAT, {3, 0}, "f");
      ComputeSet const cs = graph.addComputeSet();
      graph.setTileMapping(
          graph.addVertex(cs, "engineTest::Scale",
                          {{"in", e.flatten()}, {"out", f.flatten()}, {"factor", 1.0F}}),
          0);
      Engine engine(graph,
                    {Program(), Sequence(),
                     Sequence({Copy(e.flatten(), f.flatten()), Execute(cs), WriteUndef(e)})});
      engine.load(device);
      for (unsigned program = 0; program < 3; ++program)
        engine.run(program);
      char none = 0;
      engine.readTensor("e", &none, &none);
    });
  }

  TEST_CASE("an executable serves several engines, and engines move") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    Tensor const x = variable(graph, INT, {1}, "x");
    Executable const executable = compileGraph(graph, {countUp(graph, x, 2)});
    graph = Graph(device.getTarget()); // the executable needs no graph
    Engine a(executable), b(executable);
    a.load(device);
    b.load(device);
    a.run();
    a.run();
    b.run();
    Engine moved(std::move(a));
    CHECK(read<int>(moved, "x", 1)[0] == 4);
    CHECK(read<int>(b, "x", 1)[0] == 2);
  }

  TEST_CASE("progress is told from 0 to the total") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    std::vector<std::pair<int, int>> calls;
    compileGraph(graph, {Sequence()}, {},
                 [&](int progress, int total) { calls.emplace_back(progress, total); });
    REQUIRE(!calls.empty());
    CHECK(calls.back().first == calls.back().second);
    for (std::size_t i = 1; i < calls.size(); ++i) {
      CHECK(calls[i].first >= calls[i - 1].first);
      CHECK(calls[i].second == calls[0].second);
    }
  }
}
