#include "Compiled.hpp"

#include <doctest/doctest.h>

using namespace lowerTest;
using namespace poplar;
using poplar::program::Call;
using poplar::program::Copy;
using poplar::program::Repeat;
using poplar::program::Sequence;

TEST_SUITE("poplar/lower/mergeCopies") {
  TEST_CASE("copies of neighbouring parts become one move") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {12}, "in"), out = variable(graph, {12}, "out");
    Sequence sequence;
    for (std::size_t i = 0; i < 12; i += 3)
      sequence.add(Copy(in.slice(i, i + 3), out.slice(i, i + 3)));
    Executable const executable = compile(graph, {sequence});
    REQUIRE(count(*executable.data(), Op::Copy) == 1);
    std::uint32_t const plan = executable.data()->instructions[0].a;
    CHECK(executable.data()->plans[plan].count == 1);
    CHECK(executable.data()->plans[plan].totalBytes == 48);
    CHECK(run(executable, 12, 12) == counting(12));
  }

  TEST_CASE("independent copies of one exchange on a tiled target are one step") {
    Graph graph(modelTarget());
    Tensor const a = variable(graph, {4}, "a", 0), b = variable(graph, {4}, "b", 1),
                 c = variable(graph, {4}, "c", 2), d = variable(graph, {4}, "d", 3);
    Executable const merged = compile(graph, {Sequence({Copy(a, b), Copy(c, d)})});
    Executable const chained = compile(graph, {Sequence({Copy(a, b), Copy(b, c)})});
    auto const exchanges = [](Executable const &executable) {
      auto const &steps = executable.data()->bsp.steps;
      return std::count_if(steps.begin(), steps.end(), [](auto const &step) {
        return step.kind == cottonwood::lower::StepKind::Exchange;
      });
    };
    CHECK(exchanges(merged) == 1);
    CHECK(exchanges(chained) == 2);
  }

  TEST_CASE("a copy that reads what the one before wrote stays behind it") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {4}, "in"), out = variable(graph, {4}, "out"),
                 between = temporary(graph, {4}, "between");
    Executable const executable =
        compile(graph, {Sequence({Copy(in, between), Copy(between.reverse(0), out)})});
    CHECK(count(*executable.data(), Op::Copy) == 2);
    CHECK(run(executable, 4, 4) == std::vector<int>{4, 3, 2, 1});
  }

  TEST_CASE("of two copies to one place the last one counts") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {4}, "in"), out = variable(graph, {2}, "out");
    Executable const executable =
        compile(graph, {Sequence({Copy(in.slice(0, 2), out), Copy(in.slice(2, 4), out)})});
    CHECK(run(executable, 4, 2) == std::vector<int>{3, 4});
  }

  TEST_CASE("a copy may not overwrite what the one before has still to read") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {4}, "in"), out = variable(graph, {4}, "out");
    Executable const executable = compile(
        graph,
        {Sequence({Copy(in.slice(0, 2), out.slice(0, 2)), Copy(in.slice(2, 4), in.slice(0, 2)),
                   Copy(in.slice(0, 2), out.slice(2, 4))})});
    CHECK(run(executable, 4, 4) == std::vector<int>{1, 2, 3, 4});
  }

  TEST_CASE("copies inside loops and functions merge, those of different types do not") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {4}, "in"), out = variable(graph, {4}, "out");
    Tensor const h = graph.addVariable(HALF, {4}, "h"), g = graph.addVariable(HALF, {4}, "g");
    graph.setTileMapping(h, 0);
    graph.setTileMapping(g, 0);
    Sequence const body(
        {Copy(in.slice(0, 2), out.slice(2, 4)), Copy(in.slice(2, 4), out.slice(0, 2)), Copy(h, g)});
    Function const function = graph.addFunction(body);
    Executable const executable = compile(graph, {Sequence({Repeat(3, body), Call(function)})});
    CHECK(count(*executable.data(), Op::Copy) == 4);
    CHECK(run(executable, 4, 4) == std::vector<int>{3, 4, 1, 2});
  }

  TEST_CASE("copies without elements and overlapping ones are left alone") {
    Graph graph(cpuTarget());
    Tensor const in = variable(graph, {4}, "in"), out = variable(graph, {4}, "out");
    Executable const executable = compile(
        graph,
        {Sequence({Copy(in.slice(0, 0), out.slice(0, 0)), Copy(in, out),
                   Copy(out.slice(0, 3), out.slice(1, 4)), Copy(in.slice(0, 1), in.slice(1, 2))})});
    CHECK(run(executable, 4, 4) == std::vector<int>{1, 1, 2, 3});
  }

  TEST_CASE("a long row of copies merges in time linear in its length") {
    Graph graph(cpuTarget());
    std::size_t const n = 20000;
    Tensor const in = variable(graph, {n}, "in"), out = variable(graph, {n}, "out");
    Sequence sequence;
    for (std::size_t i = 0; i < n; ++i)
      sequence.add(Copy(in.slice(i, i + 1), out.slice(n - 1 - i, n - i)));
    Executable const executable = compile(graph, {sequence});
    CHECK(count(*executable.data(), Op::Copy) < n / 16);
    std::vector<int> expected = counting(n);
    std::reverse(expected.begin(), expected.end());
    CHECK(run(executable, n, n) == expected);
  }
}
