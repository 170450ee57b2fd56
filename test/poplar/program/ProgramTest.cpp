#include <poplar/CycleCount.hpp>
#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/program/Access.hpp>

#include "../graph/GraphTestUtil.hpp"

#include <functional>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;
using cottonwood::program::Access;
using cottonwood::program::Node;
using cottonwood::program::NodeKind;

namespace {

struct Fixture {
  Graph graph = test::graphWithTiles(4);
  Tensor a = graph.addVariable(FLOAT, {2, 3}, "a");
  Tensor b = graph.addVariable(FLOAT, {2, 3}, "b");
  Tensor flag = graph.addVariable(BOOL, {}, "flag");
  Tensor index = graph.addVariable(INT, {1}, "index");
  ComputeSet cs = graph.addComputeSet("cs");
};

Node const &node(Program const &program) { return *Access::node(program); }

} // namespace

TEST_SUITE_BEGIN("poplar/program");

TEST_CASE("only a default-constructed or moved-from program is empty") {
  Program program;
  CHECK(program.isEmpty());
  CHECK_FALSE(Sequence().isEmpty());
  Program other = Sequence();
  Program moved = std::move(other);
  CHECK(other.isEmpty()); // NOLINT(bugprone-use-after-move)
  CHECK_FALSE(moved.isEmpty());
}

TEST_CASE_FIXTURE(Fixture, "adding and copying take snapshots") {
  Sequence inner(Copy(a, b));
  Sequence outer;
  outer.add(inner);
  Program copy = inner;
  inner.add(Copy(b, a));
  CHECK(node(inner).children.size() == 2);
  CHECK(node(copy).children.size() == 1);
  CHECK(node(outer).children[0]->children.size() == 1);
  outer.add(outer);
  REQUIRE(node(outer).children.size() == 2);
  CHECK(node(outer).children[1]->children.size() == 1);
  Function const f = graph.addFunction(inner);
  inner.add(Call(f));
  CHECK(node(inner).children[2]->kind == NodeKind::Call);
}

TEST_CASE_FIXTURE(Fixture, "a long sequence is built in linear time") {
  Copy const copy(a, b);
  Sequence sequence;
  for (unsigned i = 0; i < 300000; ++i)
    sequence.add(copy);
  CHECK(node(sequence).children.size() == 300000);
}

TEST_CASE_FIXTURE(Fixture, "equality is that of structure, names aside") {
  CHECK(Program() == Program());
  CHECK_FALSE(Program() == Sequence());
  CHECK(Copy(a, b) == Copy(a, b, false, "name"));
  CHECK_FALSE(Copy(a, b) == Copy(b, a));
  CHECK(Sequence(Copy(a, b), Execute(cs)) == Sequence({Copy(a, b), Execute(cs)}));
  CHECK_FALSE(Repeat(2, Copy(a, b)) == Repeat(3, Copy(a, b)));
  CHECK_FALSE(RepeatWhileTrue(Sequence(), flag, Sequence()) ==
              RepeatWhileFalse(Sequence(), flag, Sequence()));
  CHECK(Switch(index, {{1, Copy(a, b)}}) == Switch(index).add(1, Copy(a, b)));
  CHECK(PrintTensor("t", a, {10, 2}) == PrintTensor("t", a, PrintTensorFmt(10, 2)));
  CHECK_FALSE(PrintTensor("t", a) == PrintTensor("u", a));
}

TEST_CASE_FIXTURE(Fixture, "empty programs are legal everywhere") {
  Sequence sequence{Program(), Copy(a, b), Program()};
  CHECK(node(sequence).children.size() == 1);
  If const branch(flag, Program(), Sequence());
  CHECK(node(branch).children[0] == nullptr);
  CHECK(node(Repeat(3, Program())).children.size() == 1);
  CHECK(Access::node(Program()) == nullptr);
  graph.addFunction(Program());
}

TEST_CASE_FIXTURE(Fixture, "switches keep their default last") {
  Switch sw(index, {{3, Copy(a, b)}}, Execute(cs));
  Sequence before(sw);
  sw.add(-1, Sequence());
  CHECK(node(sw).cases == std::vector<std::int32_t>{3, -1});
  CHECK(node(sw).children[2]->kind == NodeKind::Execute);
  CHECK(node(before).children[0]->cases.size() == 1);
  CHECK(node(Switch::switchWithBoundsChecking(index, {{0, sw}})).switchDefault ==
        cottonwood::program::SwitchDefault::BoundsError);
  test::checkThrows<control_program_error>([&] { sw.add(3, Sequence()); },
                                           "the case value 3 occurs twice");
}

TEST_CASE_FIXTURE(Fixture, "copies check types, counts and what they write") {
  Copy(a.reshape({6}), b);
  Copy(a.slice(0, 0), b.slice(0, 0));
  Copy(a[0].broadcast(2, 0), b.flatten());
  Tensor half = graph.addVariable(HALF, {2, 3});
  Tensor constant = graph.addConstant(FLOAT, {2, 3}, 0, "zero");
  test::checkThrows<type_error>([&] { Copy(a, half); },
                                "Copy: 'src' has elements of type float, 'dst' of type half");
  test::checkThrows<poplar_error>([&] { Copy(a, b[0]); },
                                  "'src' has shape [2, 3], 'dst' has shape [3]");
  test::checkThrows<poplar_error>([&] { Copy(a.flatten(), b[0].broadcast(2, 0)); },
                                  "the same element more than once");
  test::checkThrows<poplar_error>([&] { Copy(a, constant); }, "zero");
  test::checkThrows<poplar_error>([&] { Copy(a, Tensor()); }, "the tensor 'dst' is invalid");
  Graph other = test::graphWithTiles(1);
  test::checkThrows<poplar_error>(
      [&] {
        Copy(a, other.addVariable(FLOAT, {2, 3}));
      },
      "belongs to another graph");
  DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 6);
  DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 6);
  CHECK(node(Copy(in, a)).kind == NodeKind::StreamToDevice);
  CHECK(node(Copy(constant, out)).kind == NodeKind::StreamToHost);
  test::checkThrows<poplar_error>([&] { Copy(in, a[0]); },
                                  "the stream 'in' moves 6 elements, 'dst' has shape [3]");
  test::checkThrows<type_error>([&] { Copy(half, out); },
                                "the stream 'out' has elements of type float");
  test::checkThrows<poplar_error>([&] { Copy(out, a); }, "device to host");
  test::checkThrows<poplar_error>([&] { Copy(DataStream(), a); }, "default-constructed");
  test::checkThrows<poplar_error>([&] { Copy(in, constant); }, "constant");
  test::checkThrows<poplar_error>([&] { Copy(in, other.addVariable(FLOAT, {6})); },
                                  "another graph");
}

TEST_CASE_FIXTURE(Fixture, "predicates and control values are one element of bool or an integer") {
  If(index, Sequence(), Sequence());
  test::checkThrows<control_program_error>([&] { If(a, Sequence(), Sequence()); },
                                           "If: the predicate has shape [2, 3]");
  test::checkThrows<control_program_error>(
      [&] { RepeatWhileTrue(Sequence(), a[0][0], Sequence()); }, "type float");
  test::checkThrows<control_program_error>([&] { Switch(a, Sequence()); }, "the control tensor");
  test::checkThrows<control_program_error>([&] { Execute(cs, index); },
                                           "type int; it must be one element of type bool");
  test::checkThrows<poplar_error>([&] { Execute{ComputeSet()}; }, "default-constructed");
  test::checkThrows<poplar_error>([&] { Call{Function()}; }, "default-constructed");
  test::checkThrows<poplar_error>([&] { WriteUndef(graph.addConstant(FLOAT, {1}, 0)); },
                                  "constant");
  test::checkThrows<poplar_error>([&] { PrintTensor("x", Tensor()); }, "invalid");
}

TEST_CASE_FIXTURE(Fixture, "cycleCount wraps a sequence, cycleStamp appends to it") {
  Sequence sequence(Copy(a, b));
  Tensor const cycles = cycleCount(graph, sequence, 1, SyncType::INTERNAL, "cycles");
  CHECK(cycles.elementType() == UNSIGNED_INT);
  CHECK(graph.getTileMapping(cycles)[1] == std::vector<Interval>{{0, 2}});
  REQUIRE(node(sequence).children.size() == 1);
  CHECK(node(sequence).children[0]->kind == NodeKind::CycleCount);
  CHECK(node(sequence).children[0]->children[0]->children[0]->kind == NodeKind::Copy);
  CHECK(cycleStamp(graph, sequence, std::vector<unsigned>{0, 3}, SyncType::INTERNAL).size() == 2);
  CHECK(node(sequence).children[2]->kind == NodeKind::CycleStamp);
}

TEST_CASE("cross-replica copies know their map and say where data come from") {
  Graph graph(Device::createCPUDevice(3), replication_factor(3));
  Tensor const a = graph.addVariable(INT, {2}, "a"), b = graph.addVariable(INT, {2}, "b");
  CrossReplicaCopy const ring(a, b, {{0, 1}, {1, 2}, {2, 0}}), same(a, b, {{0, 0}, {1, 1}, {2, 2}});
  CHECK(ring == CrossReplicaCopy(a, b, {{2, 0}, {1, 2}, {0, 1}}, "other name"));
  CHECK_FALSE(ring == same);
  CHECK_FALSE(ring == CrossReplicaCopy(b, a, {{0, 1}, {1, 2}, {2, 0}}));
  std::ostringstream out;
  dumpProgram(graph, Sequence({ring, AssumeEqualAcrossReplicas(b, "promise")}), out);
  CHECK(out.str() == "Sequence\n"
                     "  CrossReplicaCopy: int{2} a -> int{2} b, from replicas [2, 0, 1]\n"
                     "  AssumeEqualAcrossReplicas 'promise': int{2} b\n");
}

TEST_CASE_FIXTURE(Fixture, "programs nest up to a depth, and what would be deeper is an error") {
  using cottonwood::program::MAX_DEPTH;
  auto const nested = [&](auto const &around) {
    Program deepest = Copy(a, b);
    for (unsigned i = 1; i != MAX_DEPTH; ++i)
      deepest = around(deepest);
    return deepest;
  };
  Program const deepest = nested([](Program const &p) { return Repeat(2, p); });
  CHECK(node(deepest).depth == MAX_DEPTH);
  CHECK(deepest == nested([](Program const &p) { return Repeat(2, p); }));
  struct Case {
    char const *name;
    std::function<void()> run;
  };
  Function const called = graph.addFunction(deepest);
  Sequence sequence{Copy(a, b)};
  Switch choice(index);
  for (Case const &c : std::vector<Case>{
           {"Sequence", [&] { sequence.add(deepest); }},
           {"Repeat", [&] { Repeat(1, deepest); }},
           {"If", [&] { If(flag, Sequence(), deepest); }},
           {"RepeatWhileTrue", [&] { RepeatWhileTrue(deepest, flag, Sequence()); }},
           {"Switch", [&] { choice.add(1, deepest); }},
           {"Switch", [&] { Switch(index, deepest); }},
           {"Call", [&] { Call{called}; }},
           {"CycleCount",
            [&] {
              Sequence counted{nested([](Program const &p) { return Sequence({p}); })};
              cycleCount(graph, counted, 0, SyncType::INTERNAL);
            }},
       })
    CHECK_THROWS_WITH_AS(c.run(),
                         doctest::Contains(": a program that is nested 5000 deep would be nested "
                                           "deeper; allowed: up to 5000"),
                         poplar_error);
  CHECK(sequence == Sequence({Copy(a, b)}));
  CHECK(choice == Switch(index));
}

TEST_CASE_FIXTURE(Fixture, "dumpProgram lists the tree") {
  Sequence sequence({Repeat(3, Copy(a, b)), Switch(index, {{4, Execute(cs)}}), Program()}, "main");
  std::ostringstream out;
  dumpProgram(graph, sequence, out);
  CHECK(out.str() == "Sequence 'main'\n"
                     "  Repeat: 3 times\n"
                     "    Copy: float{2,3} a -> float{2,3} b\n"
                     "  Switch: int{1} index\n"
                     "    case 4\n"
                     "      Execute: compute set 0 'cs', 0 vertices\n"
                     "    default\n"
                     "      (empty)\n");
}

TEST_SUITE_END();
