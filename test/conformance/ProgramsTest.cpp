// Control programs, cycle counts, random seeds, floating point behaviour.
#include "Conformance.hpp"

#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/RandomSeed.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>
#include <poplar/exceptions.hpp>
#include <popsys/CSRFunctions.hpp>
#include <set>
#include <sstream>

namespace conformance {

/// x = x + 1; tells whether x stays below `limit`.
class Advance : public poplar::Vertex {
public:
  poplar::InOut<int> x;
  poplar::Output<bool> below;
  int limit;
  bool compute() {
    x += 1;
    *below = x < limit;
    return *below;
  }
};

} // namespace conformance

POPLAR_VERTEX(conformance::Advance, x, below, limit)

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

namespace {

/// A counter x from 0, a flag, and a compute set that advances them.
struct Counter {
  explicit Counter(Device const &where, int limit = 5) : device(where), graph(where) {
    x = variable(graph, INT, {}, "x");
    flag = variable(graph, BOOL, {}, "flag");
    cs = graph.addComputeSet("advance");
    VertexRef const v = graph.addVertex(cs, "conformance::Advance", {{"x", x}, {"below", flag}});
    graph.setInitialValue(v["limit"], limit);
    graph.setTileMapping(v, 0);
  }
  Execute advance() { return Execute(cs); }
  int run(Program const &program) {
    Engine engine(graph, program);
    engine.loadAndRun(device);
    return get<int>(engine, "x", 1)[0];
  }

  Device const &device;
  Graph graph;
  Tensor x, flag;
  ComputeSet cs;
};

} // namespace

TEST_SUITE("conformance/programs") {
  TEST_CASE("sequences run in order, and keep what was added as it was then") {
    onDevices([](Device const &device) {
      Counter counter(device);
      Sequence inner{counter.advance()};
      Sequence outer;
      outer.add(inner);
      inner.add(counter.advance());
      outer.add(inner);
      outer.add(outer);
      CHECK(counter.run(outer) == 6);
      CHECK(counter.run(
                Sequence(counter.advance(), Sequence{counter.advance(), counter.advance()})) == 3);
      CHECK(counter.run(Sequence()) == 0);
      CHECK(counter.run(Program()) == 0);
      CHECK(Program().isEmpty());
      CHECK_FALSE(Sequence().isEmpty());
      CHECK(Sequence(counter.advance()) == Sequence{counter.advance()});
    });
  }

  TEST_CASE("execute stores whether all vertices returned true") {
    onDevices([](Device const &device) {
      Counter counter(device, 2);
      Tensor const all = variable(counter.graph, BOOL, {}, "all");
      Engine engine(counter.graph, Execute(counter.cs, all));
      engine.load(device);
      engine.run();
      CHECK(get<char>(engine, "all", 1)[0] == 1);
      engine.run();
      CHECK(get<char>(engine, "all", 1)[0] == 0);
      CHECK_THROWS_AS(Execute(counter.cs, counter.x), control_program_error);
    });
  }

  TEST_CASE("repetition by number and by condition") {
    onDevices([](Device const &device) {
      Counter counter(device);
      Tensor const end = counter.graph.addConstant(BOOL, {}, true);
      counter.graph.setTileMapping(end, 0);
      CHECK(counter.run(Repeat(3, counter.advance())) == 3);
      CHECK(counter.run(Repeat(0, counter.advance())) == 0);
      CHECK(counter.run(Repeat(2, Repeat(4, counter.advance(), "inner"))) == 8);
      // The condition runs once more than the body.
      CHECK(counter.run(RepeatWhileTrue(counter.advance(), counter.flag, Sequence())) == 5);
      CHECK(counter.run(RepeatWhileFalse(counter.advance(), end, counter.advance())) == 1);
      CHECK(counter.run(
                Sequence{counter.advance(), RepeatWhileTrue(Sequence(), counter.flag.reshape({1}),
                                                            counter.advance())}) == 5);
      CHECK_THROWS_AS(RepeatWhileTrue(Sequence(), counter.x.broadcast(1, 0), Sequence()),
                      poplar_error);
    });
  }

  TEST_CASE("branches by truth and by value") {
    onDevices([](Device const &device) {
      Counter counter(device);
      Tensor const two = constant<int>(counter.graph, INT, {}, {2});
      Tensor const word = constant<unsigned>(counter.graph, UNSIGNED_INT, {}, {4294967295u});
      Sequence const once{counter.advance()}, twice{counter.advance(), counter.advance()};
      CHECK(counter.run(If(two, once, twice)) == 1);
      CHECK(counter.run(If(counter.flag, once, Sequence())) == 0);
      CHECK(counter.run(Switch(two, {{1, once}, {2, twice}})) == 2);
      CHECK(counter.run(Switch(two, {{1, twice}}, once)) == 1);
      CHECK(counter.run(Switch(two, {{1, twice}})) == 0);
      CHECK(counter.run(Switch(word, {{-1, once}})) == 1);
      Switch chosen(two, once);
      chosen.add(1, Sequence()).add(2, Repeat(9, once));
      CHECK(counter.run(chosen) == 9);
      CHECK_THROWS_AS(counter.run(Switch::switchWithBoundsChecking(two, {{1, once}})),
                      application_runtime_error);
      CHECK(counter.run(Switch::switchWithBoundsChecking(two, {{2, once}})) == 1);
      CHECK_THROWS_AS(Switch(two, {{1, once}, {1, twice}}), control_program_error);
      CHECK_THROWS_AS(If(counter.graph.addVariable(FLOAT, {}), once, once), control_program_error);
    });
  }

  TEST_CASE("a copy reads all before it writes, in flattened order") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const t = variable(graph, INT, {6}, "t"), u = variable(graph, INT, {2, 3}, "u");
      Sequence const prog{Copy(t.slice(0, 5), t.slice(1, 6)),
                          Copy(t.reshape({3, 2}), u.transpose()), Copy(t, t),
                          Copy(t.slice(0, 0), u.flatten().slice(0, 0))};
      Engine engine(graph, prog);
      engine.load(device);
      put(engine, "t", counting(6));
      engine.run();
      CHECK(get<int>(engine, "t", 6) == std::vector<int>{0, 0, 1, 2, 3, 4});
      CHECK(get<int>(engine, "u", 6) == std::vector<int>{0, 1, 3, 0, 2, 4});
      CHECK_THROWS_AS(Copy(t, u.slice(0, 1)), poplar_error);
      CHECK_THROWS_AS(Copy(t.reinterpret(FLOAT), t), poplar_error);
      CHECK_THROWS_AS(Copy(t.slice(0, 4), t.slice(0, 2).broadcast(2, 0)), poplar_error);
      CHECK_THROWS_AS(Copy(t, graph.addConstant(INT, {6}, 0)), poplar_error);
    });
  }

  TEST_CASE("programs that move nothing, and the text of a program") {
    onDevices([](Device const &device) {
      Counter counter(device);
      Sequence const prog({WriteUndef(counter.flag), Sync(SyncType::INTERNAL), counter.advance()},
                          "named");
      CHECK(counter.run(prog) == 1);
      std::ostringstream text;
      dumpProgram(counter.graph, prog, text);
      CHECK(text.str().find("advance") != std::string::npos);
      CHECK_THROWS_AS(WriteUndef(counter.graph.addConstant(INT, {}, 1)), poplar_error);
    });
  }

  TEST_CASE("functions that call themselves, and programs of another graph, are errors") {
    Counter counter(smallModel()), other(smallModel());
    CHECK_THROWS_AS(Engine(counter.graph, other.advance()), poplar_error);
    CHECK_THROWS_AS(Engine(counter.graph, Copy(other.x, other.x)), poplar_error);
    Function const forward(0); // the number that the next function will have
    Sequence body{counter.advance(), Call(forward)};
    Function const f = counter.graph.addFunction(body);
    CHECK(f == forward);
    CHECK_THROWS_AS(Engine(counter.graph, Call(f)), graph_recursion_error);
  }

  TEST_CASE("cycles of a program are counted, and clocks read") {
    onDevices([](Device const &device) {
      Counter counter(device, 1000);
      Sequence little{counter.advance()}, much{Repeat(500, counter.advance())}, stamps;
      Tensor const few = cycleCount(counter.graph, little, 0, SyncType::INTERNAL, "few");
      Tensor const many = cycleCount(counter.graph, much, 0, SyncType::EXTERNAL);
      Tensor const before = cycleStamp(counter.graph, stamps, 0, SyncType::INTERNAL);
      stamps.add(counter.advance());
      std::vector<Tensor> const after =
          cycleStamp(counter.graph, stamps, std::vector<unsigned>{0}, SyncType::GLOBAL);
      REQUIRE(after.size() == 1);
      CHECK(few.shape() == std::vector<std::size_t>{2});
      CHECK(few.elementType() == UNSIGNED_INT);
      counter.graph.createHostRead("all", concat({few, many, before, after[0]}));
      Engine engine(counter.graph, Sequence(little, much, stamps));
      engine.loadAndRun(device);
      auto const values = get<std::uint64_t>(engine, "all", 4);
      CHECK(values[0] > 0);
      CHECK(values[1] > 0);
      CHECK(values[3] >= values[2]);
      // Cycles of a model are exact; those of a CPU are its clock's, which others use too.
      if (device.getTarget().getTargetType() != TargetType::CPU)
        CHECK(values[1] > values[0]);
      CHECK(get<int>(engine, "x", 1)[0] == 502);
    });
  }

  TEST_CASE("seeds of the tiles are saved and restored") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Sequence prog;
      Tensor const seeds = getHwSeeds(graph, prog, "before");
      std::size_t const tiles = device.getTarget().getNumTiles();
      CHECK(seeds.shape() == std::vector<std::size_t>{tiles, 6, 4});
      CHECK(seeds.elementType() == UNSIGNED_INT);
      Tensor const ones = constant<unsigned>(graph, UNSIGNED_INT, {tiles, 6, 4},
                                             std::vector<unsigned>(tiles * 24, 1));
      setHwSeeds(graph, ones, prog);
      Tensor const changed = getHwSeeds(graph, prog);
      setHwSeeds(graph, seeds, prog);
      Tensor const restored = getHwSeeds(graph, prog);
      graph.createHostRead("seeds", seeds);
      graph.createHostRead("changed", changed);
      graph.createHostRead("restored", restored);
      CHECK_THROWS_AS(setHwSeeds(graph, seeds[0], prog), poplar_error);
      Engine engine(graph, prog);
      engine.loadAndRun(device);
      auto const first = get<unsigned>(engine, "seeds", tiles * 24);
      CHECK(get<unsigned>(engine, "changed", tiles * 24) == std::vector<unsigned>(tiles * 24, 1));
      CHECK(get<unsigned>(engine, "restored", tiles * 24) == first);
    });
  }

  TEST_CASE("floating point behaviour is set, saved, changed and restored") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Sequence prog;
      FloatingPointBehaviour const nothing(false, false, false, false, false);
      FloatingPointBehaviour const clear(true, false, false, false, false),
          set(false, false, false, true, false);
      FloatingPointBehaviour const all;
      CHECK(all.inv);
      CHECK(all.nanoo);
      CHECK_FALSE((!all).oflo);
      std::vector<Tensor> states;
      auto const look = [&] {
        states.push_back(getAndModifyFloatingPointBehaviour(graph, prog, nothing, nothing));
      };
      look();
      setFloatingPointBehaviour(graph, prog, {true, true, false, false, true}, "name");
      states.push_back(getAndModifyFloatingPointBehaviour(graph, prog, clear, set));
      look();
      setFloatingPointBehaviour(graph, prog, states[1]);
      look();
      setStochasticRounding(graph, prog, true);
      look();
      popsys::setStochasticRounding(graph, prog, false);
      look();
      for (std::size_t i = 0; i != states.size(); ++i)
        graph.createHostRead("state" + std::to_string(i), states[i]);
      CHECK_THROWS_AS(setFloatingPointBehaviour(graph, prog, states[0].slice(0, 1)), poplar_error);
      Engine engine(graph, prog);
      engine.loadAndRun(device);
      std::vector<std::vector<char>> values;
      for (std::size_t i = 0; i != states.size(); ++i)
        values.push_back(get<char>(engine, "state" + std::to_string(i), states[i].numElements()));
      CHECK(values[0] != values[1]); // all off at first
      CHECK(values[2] != values[1]);
      CHECK(values[3] == values[1]);
      CHECK(values[4] != values[3]);
      CHECK(values[5] == values[3]);
      engine.run();
      CHECK(get<char>(engine, "state0", states[0].numElements()) ==
            values[5]); // kept from run to run
      engine.loadAndRun(device);
      CHECK(get<char>(engine, "state0", states[0].numElements()) == values[0]); // off after a load
    });
  }
}
