// Compute sets that run strand by strand compute what they would one after the other.
#include "StrandSets.hpp"

#include <poplar/impl/engine/ExecutableCheck.hpp>
#include <poplar/impl/engine/VertexFailure.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <sstream>
#include <stdexcept>
#include <utility>

using namespace strandTest;
using cottonwood::lower::ExecutableData;

namespace engineTest {

/// out[i] = in[i] and the vertex's key of random numbers, mixed
class MixKey : public Vertex {
public:
  Input<Vector<unsigned>> in;
  Output<Vector<unsigned>> out;
  void compute() {
    std::uint64_t const key = cottonwood::engine::runningVertex()->randomKey;
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = 3 * in[i] + static_cast<unsigned>(key >> 7) + static_cast<unsigned>(key >> 39);
  }
};

/// out[i] = in[i] + 1, the elements in one run for each worker context
class AddOneRows : public MultiVertex {
public:
  Input<Vector<int>> in;
  Output<Vector<int>> out;
  void compute(unsigned worker) {
    for (std::size_t i = in.size() * worker / 6; i < in.size() * (worker + 1) / 6; ++i)
      out[i] = in[i] + 1;
  }
};

/// Throws where the first element is negative.
class ThrowsBelowZero : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  void compute() {
    if (in[0] < 0)
      throw std::runtime_error("vertex threw");
    std::copy(in.begin(), in.end(), out.begin());
  }
};

/// out[i] = in[i] + 1; runs the vertex behind it, too, where there is one, and counts these.
class AddsAndGoesOn : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  void compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = in[i] + 1;
    auto *const context = cottonwood::engine::runningVertex();
    if (auto const next = std::exchange(context->nextEntry, nullptr)) {
      next(context->nextState, 0, context);
      ++wentOn;
    }
  }
  static inline std::atomic<unsigned> wentOn = 0;
};

} // namespace engineTest

POPLAR_VERTEX(engineTest::AddsAndGoesOn, in, out)
POPLAR_VERTEX(engineTest::MixKey, in, out)
POPLAR_VERTEX(engineTest::AddOneRows, in, out)
POPLAR_VERTEX(engineTest::ThrowsBelowZero, in, out)

namespace {

ExecutableData smallPlan() {
  Device const device = Device::createCPUDevice();
  RowProgram const program(device, {byRows(0, 1, 2), byRows(1, 2, 3)}, 3, 3);
  return *compileGraph(program.graph, {program.prog}).data();
}

/// Changes a plan of two compute sets of 32 calls and 32 strands, and tells what is found.
template <class F> std::string faultAfter(F const &change) {
  ExecutableData data = smallPlan();
  REQUIRE(cottonwood::engine::faultOf(data) == "");
  REQUIRE(data.strands.size() == 1);
  change(data);
  return cottonwood::engine::faultOf(data);
}

} // namespace

TEST_SUITE("poplar/engine/strands") {
  TEST_CASE("rows that pass through three compute sets are a strand each") {
    auto const plans = checkSets({byRows(0, 1, 2), byRows(1, 2, 3), byRows(2, 1, 0.5F)}, 3);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].sets.size() == 3);
    CHECK(plans[0].numStrands() == ROWS);
  }

  TEST_CASE("a vertex that reads two rows of the set before joins their strands") {
    std::vector<Step> pairs;
    for (std::size_t row = 0; row < ROWS; row += 2)
      pairs.push_back({1, row * COLUMNS, 2, row * COLUMNS, 2 * COLUMNS, 3});
    auto const plans = checkSets({byRows(0, 1, 2), pairs}, 3);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].numStrands() == ROWS / 2);
  }

  TEST_CASE("intervals that overlap from row to row leave no strands") {
    std::vector<Step> shifted; // the second half of a row and the first of the next
    for (std::size_t row = 0; row + 1 < ROWS; ++row)
      shifted.push_back({1, row * COLUMNS + COLUMNS / 2, 2, row * COLUMNS, COLUMNS, 3});
    CHECK(checkSets({byRows(0, 1, 2), shifted}, 3).empty());
  }

  TEST_CASE("who overwrites what others have read waits for them") {
    std::vector<Step> shifted;
    for (std::size_t row = 0; row + 1 < ROWS; ++row)
      shifted.push_back({2, row * COLUMNS, 0, row * COLUMNS + 1, COLUMNS, 3});
    CHECK(checkSets({byRows(0, 1, 2), shifted}, 3).empty());
    auto const plans = checkSets({byRows(0, 1, 2), byRows(2, 0, 3), byRows(1, 2, 3)}, 3);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].numStrands() == ROWS);
  }

  TEST_CASE("updates in place are strands") {
    auto const plans = checkSets({byRows(0, 0, 2), byRows(0, 0, 3), byRows(0, 0, 0.5F)}, 1);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].numStrands() == ROWS);
  }

  TEST_CASE("a later reader of all rows runs behind all strands") {
    std::vector<Step> all;
    for (std::size_t row = 0; row < ROWS; ++row)
      all.push_back({2, 0, 3, row * COLUMNS, COLUMNS, 5});
    all.push_back({1, 0, 0, 0, ROWS * COLUMNS, 7});
    auto const plans = checkSets({byRows(0, 1, 2), byRows(1, 2, 3), all}, 4);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].sets.size() == 2);
  }

  TEST_CASE("rows in another order are no strands, as strands are ranges of vertices") {
    auto reversed = byRows(1, 2, 3);
    std::reverse(reversed.begin(), reversed.end());
    CHECK(checkSets({byRows(0, 1, 2), reversed}, 3).empty());
  }

  TEST_CASE("vertices on which nothing depends run, too") {
    auto more = byRows(1, 2, 3);
    more.insert(more.begin() + 3, {3, 0, 4, 0, 100, 3});
    more.push_back({3, 200, 4, 200, 100, 3});
    auto const plans = checkSets({byRows(0, 1, 2), more}, 5);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].ends.back() == ROWS + 2);
  }

  TEST_CASE("variables that share memory keep strands apart that would meet in it") {
    // 2 is dead when 4 is written, elsewhere in the same bytes.
    std::vector<Step> moved;
    for (std::size_t row = 0; row < ROWS; ++row)
      moved.push_back({3, row * COLUMNS, 4, (ROWS - 1 - row) * COLUMNS, COLUMNS, 3});
    checkSets({byRows(0, 2, 2), byRows(2, 3, 3), moved, byRows(4, 1, 2)}, 5, 2);
    checkSets({byRows(0, 2, 2), byRows(2, 3, 3), byRows(3, 4, 2), byRows(4, 1, 2)}, 5, 2);
  }

  TEST_CASE("compute sets without vertices, with few, and with little data are left alone") {
    CHECK(checkSets({byRows(0, 1, 2), {}, byRows(1, 2, 3)}, 3).size() == 1); // nothing to execute
    CHECK(checkSets({{{0, 0, 1, 0, ROWS * COLUMNS, 2}}, {{1, 0, 2, 0, ROWS * COLUMNS, 2}}}, 3)
              .empty());
    Sets little(2);
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t s = 0; s < 2; ++s)
        little[s].push_back({s, i * 10, s + 1, i * 10, 10, 2});
    CHECK(checkSets(little, 3).empty());
  }

  TEST_CASE("a small set that needs nothing of those in front of it runs before all strands") {
    auto const one = [](std::size_t from, std::size_t to) {
      return std::vector<Step>{{from, 0, to, 0, COLUMNS, 5}};
    };
    std::vector<Step> spread; // every row of 5 from row 0 of 4
    for (std::size_t row = 0; row < ROWS; ++row)
      spread.push_back({4, 0, 5, row * COLUMNS, COLUMNS, 7});
    auto const before = [&](std::vector<std::vector<Step>> const &between) {
      Sets sets{byRows(0, 1, 2)};
      sets.insert(sets.end(), between.begin(), between.end());
      sets.push_back(byRows(1, 2, 3));
      sets.push_back(spread);
      auto const plans = checkSets(sets, 6);
      REQUIRE(!plans.empty());
      return plans[0].before;
    };
    using Positions = std::vector<std::uint32_t>;
    CHECK(before({one(3, 4)}) == Positions{1});
    CHECK(before({one(5, 3), one(3, 4)}) == Positions{1, 2}); // in their order
    CHECK(before({one(1, 4)}).empty());                       // reads what the first set writes
    CHECK(before({one(3, 0)}).empty());                       // overwrites what it reads,
    CHECK(before({one(3, 1)}).empty());                       // and what it writes
    CHECK(before({spread}).empty());                          // not small
    // Nothing is cut behind it.
    auto const plans = checkSets({byRows(0, 1, 2), byRows(1, 2, 3), one(3, 4)}, 6);
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].sets.size() == 2);
  }

  TEST_CASE("compute sets at random give the same bits on any number of threads") {
    std::mt19937 random(11);
    for (unsigned turn = 0; turn < 24; ++turn) {
      CAPTURE(turn);
      std::size_t const numVariables = 5;
      Sets sets;
      for (std::size_t s = 0; s < 2 + random() % 4; ++s) {
        std::size_t const from = random() % numVariables, to = random() % numVariables;
        auto steps = byRows(from, to, 0.5F + static_cast<float>(random() % 3));
        std::size_t const shift = from == to ? 0 : random() % 3 * 100;
        for (Step &step : steps) { // within the row, or into the next one
          step.size -= random() % 2 * (step.toBegin + step.size == ROWS * COLUMNS ? 100 : 0);
          if (step.fromBegin + step.size + shift <= ROWS * COLUMNS)
            step.fromBegin += shift;
        }
        if (turn % 2 != 0 && random() % 3 == 0)
          steps.resize(1 + random() % 3); // a small set
        sets.push_back(steps);
      }
      checkSets(sets, numVariables, 1 + random() % numVariables);
    }
  }

  TEST_CASE("a jump into a row of compute sets begins a plan of its own") {
    Device const device = Device::createCPUDevice();
    RowProgram program(device, {byRows(0, 1, 2)}, 3, 3);
    Sequence const before = program.prog;
    program.prog = Sequence();
    program.add(byRows(1, 0, 0.5F));
    program.add(byRows(0, 1, 3));
    Executable const executable =
        compileGraph(program.graph, {Sequence({before, Repeat(3, program.prog)})});
    REQUIRE(executable.data()->strands.size() == 1);
    CHECK(executable.data()->strands[0].sets.size() == 2);
    Engine engine(executable);
    engine.load(device);
    Values expected = startValues(3, 3);
    write(engine, "v0", expected[0]);
    engine.run();
    follow({byRows(0, 1, 2)}, expected);
    for (unsigned i = 0; i < 3; ++i)
      follow({byRows(1, 0, 0.5F), byRows(0, 1, 3)}, expected);
    CHECK(read<float>(engine, "v1", ROWS * COLUMNS) == expected[1]);
  }

  TEST_CASE("contexts of MultiVertices, and keys of random numbers, are the same as without") {
    Device const device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    // Two times 8 strands: a plan on up to four threads, one set after the other on five.
    std::size_t const rows = 8, n = 1 << 15;
    Tensor const a = variable(graph, UNSIGNED_INT, {rows, n}, "a"),
                 b = variable(graph, UNSIGNED_INT, {rows, n}, "b"),
                 x = variable(graph, INT, {rows, n}, "x"), y = variable(graph, INT, {rows, n}, "y");
    Sequence prog;
    auto const pass = [&](char const *type, Tensor const &in, Tensor const &out) {
      ComputeSet const cs = graph.addComputeSet();
      for (std::size_t i = 0; i < rows; ++i)
        graph.setTileMapping(graph.addVertex(cs, type, {{"in", in[i]}, {"out", out[i]}}), 0);
      prog.add(Execute(cs));
    };
    pass("engineTest::AddOneRows", x, y);
    pass("engineTest::AddOneRows", y, x);
    pass("engineTest::MixKey", a, b);
    pass("engineTest::MixKey", b, a);
    Executable const executable = compileGraph(graph, {Repeat(3, prog)});
    REQUIRE(executable.data()->strands.size() == 1);
    CHECK(executable.data()->strands[0].numStrands() == 16);
    std::vector<unsigned> first;
    for (unsigned threads = 1; threads <= 5; ++threads) {
      CAPTURE(threads);
      PoolSize const size(threads);
      Engine engine(executable);
      engine.load(device);
      write(engine, "a", std::vector<unsigned>(rows * n, 1));
      write(engine, "x", std::vector<int>(rows * n, 4));
      engine.run();
      auto const keys = read<unsigned>(engine, "a", rows * n);
      if (first.empty())
        first = keys;
      CHECK(keys == first);
      CHECK(read<int>(engine, "x", rows * n) == std::vector<int>(rows * n, 10));
    }
  }

  TEST_CASE("a vertex may do the work of the only one behind it, which does not run again") {
    Device const device = Device::createCPUDevice();
    for (std::size_t const parts : {1U, 2U})
      for (bool const watched : {false, true}) {
        CAPTURE(parts);
        CAPTURE(watched);
        Graph graph(device.getTarget());
        Tensor const a = variable(graph, FLOAT, {ROWS, COLUMNS}, "a"),
                     b = variable(graph, FLOAT, {ROWS, COLUMNS}, "b"),
                     c = variable(graph, FLOAT, {ROWS, COLUMNS}, "c");
        Sequence prog;
        auto const add = [&](char const *type, Tensor const &in, Tensor const &out) {
          ComputeSet const cs = graph.addComputeSet();
          for (std::size_t row = 0; row < ROWS; ++row)
            graph.setTileMapping(graph.addVertex(cs, type, {{"in", in[row]}, {"out", out[row]}}),
                                 0);
          prog.add(Execute(cs));
        };
        // In place: run twice they would double twice.
        ComputeSet const doubles = graph.addComputeSet();
        for (std::size_t row = 0; row < ROWS; ++row)
          for (std::size_t part = 0; part < parts; ++part) {
            Tensor const t = b[row].slice(part * COLUMNS / parts, (part + 1) * COLUMNS / parts);
            graph.setTileMapping(graph.addVertex(doubles, "engineTest::Scale",
                                                 {{"in", t}, {"out", t}, {"factor", 2.F}}),
                                 0);
          }
        add("engineTest::AddsAndGoesOn", a, b); // goes on, unless it is several that follow
        prog.add(Execute(doubles));
        add("engineTest::AddsAndGoesOn", b, c);
        add("engineTest::AddsAndGoesOn", c, a); // runs from the one before
        add("engineTest::AddsAndGoesOn", a, c); // the last
        Executable const executable = compileGraph(
            graph, {prog}, {{"debug.floatPointOpException", watched ? "true" : "false"}});
        REQUIRE(executable.data()->strands.size() == 1);
        REQUIRE(executable.data()->strands[0].sets.size() == 5);
        REQUIRE(executable.data()->strands[0].numStrands() == ROWS);
        for (unsigned threads : {1U, 3U}) {
          PoolSize const size(threads);
          Engine engine(executable);
          engine.load(device);
          write(engine, "a", std::vector<float>(ROWS * COLUMNS, 4));
          AddsAndGoesOn::wentOn = 0;
          engine.run();
          CHECK(AddsAndGoesOn::wentOn == (watched ? 0 : (parts == 1 ? 2 : 1) * ROWS));
          CHECK(read<float>(engine, "b", ROWS * COLUMNS) == std::vector<float>(ROWS * COLUMNS, 10));
          CHECK(read<float>(engine, "a", ROWS * COLUMNS) == std::vector<float>(ROWS * COLUMNS, 12));
          CHECK(read<float>(engine, "c", ROWS * COLUMNS) == std::vector<float>(ROWS * COLUMNS, 13));
        }
      }
  }

  TEST_CASE("a vertex that fails in a strand is named, and an exception comes out") {
    Device const device = Device::createCPUDevice();
    for (bool const throws : {false, true}) {
      Graph graph(device.getTarget());
      Tensor const a = variable(graph, FLOAT, {ROWS, COLUMNS}, "a"),
                   b = variable(graph, FLOAT, {ROWS, COLUMNS}, "b"),
                   c = variable(graph, FLOAT, {ROWS, COLUMNS}, "c");
      ComputeSet const scale = graph.addComputeSet("scale"), second = graph.addComputeSet("second");
      for (std::size_t i = 0; i < ROWS; ++i) {
        graph.setTileMapping(graph.addVertex(scale, "engineTest::Scale",
                                             {{"in", a[i]}, {"out", b[i]}, {"factor", 1.F}}),
                             0);
        VertexRef const v = throws ? graph.addVertex(second, "engineTest::ThrowsBelowZero",
                                                     {{"in", b[i]}, {"out", c[i]}})
                                   : graph.addVertex(second, "engineTest::Divide",
                                                     {{"a", b[i]}, {"b", b[i]}, {"out", c[i]}});
        graph.setTileMapping(v, 0);
      }
      Executable const executable =
          compileGraph(graph, {Sequence({Execute(scale), Execute(second)})},
                       {{"debug.floatPointOpException", throws ? "false" : "true"}});
      REQUIRE(executable.data()->strands.size() == 1);
      std::vector<float> values(ROWS * COLUMNS, 1);
      values[5 * COLUMNS] = values[9 * COLUMNS] = throws ? -1.F : 0.F;
      for (unsigned threads : {1U, 3U}) {
        PoolSize const size(threads);
        Engine engine(executable);
        engine.load(device);
        write(engine, "a", values);
        if (throws)
          CHECK_THROWS_WITH_AS(engine.run(), "vertex threw", std::runtime_error);
        else
          CHECK_THROWS_WITH_AS(engine.run(),
                               doctest::Contains("engineTest::Divide, vertex 5 of compute set "
                                                 "'second', on tile 0"),
                               application_runtime_error);
        CHECK(read<float>(engine, "c", ROWS * COLUMNS)[0] == 1); // the first strand ran
      }
    }
  }

  TEST_CASE("a stored executable has its strands") {
    Device const device = Device::createCPUDevice();
    RowProgram const program(device, {byRows(0, 1, 2), byRows(1, 2, 3)}, 3, 3);
    std::stringstream file;
    compileGraph(program.graph, {program.prog}).serialize(file);
    Executable const executable = Executable::deserialize(file);
    REQUIRE(executable.data()->strands.size() == 1);
    CHECK(executable.data()->strands[0].numStrands() == ROWS);
    Engine engine(executable);
    engine.load(device);
    Values expected = startValues(3, 3);
    write(engine, "v0", expected[0]);
    engine.run();
    follow({byRows(0, 1, 2), byRows(1, 2, 3)}, expected);
    CHECK(read<float>(engine, "v2", ROWS * COLUMNS) == expected[2]);
  }

  TEST_CASE("strands of a stored executable are checked") {
    CHECK(faultAfter([](ExecutableData &data) { data.strands[0].sets[1] = 7; }) ==
          "strands[0].sets: 7 found; computeSets has 2");
    CHECK(faultAfter([](ExecutableData &data) { data.strands[0].sets[1] = 0; }) ==
          "strands[0].sets: 0 found twice; different compute sets are wanted");
    CHECK(faultAfter([](ExecutableData &data) { data.strands[0].ends.pop_back(); }) ==
          "strands[0]: 63 ends for 2 compute sets found; one of each strand for 2 or more are "
          "wanted");
    CHECK(faultAfter([](ExecutableData &data) { data.strands[0].ends.resize(62); }) ==
          "strands[0].ends: 31 calls of compute set 0 found; all 32 are wanted");
    CHECK(faultAfter([](ExecutableData &data) { data.strands[0].ends[2] = 9; }) ==
          "strands[0].ends: 3 found behind 9; at most 32 in ascending order are wanted");
    CHECK(faultAfter([](ExecutableData &data) { data.strands[0].ends[63] = 33; }) ==
          "strands[0].ends: 33 found behind 31; at most 32 in ascending order are wanted");
    CHECK(faultAfter([](ExecutableData &data) { data.strands[0].before = {7}; }) ==
          "strands[0].before: 7 found; compute sets has 2");
    CHECK(faultAfter([](ExecutableData &data) {
            data.strands[0].before = {1, 1};
          }) == "strands[0].before: 1 found behind 1; ascending positions are wanted");
    CHECK(faultAfter([](ExecutableData &data) { data.strands[0].before = {1}; }) ==
          "strands[0].ends: 32 calls of compute set 1 found; all 0 are wanted");
    CHECK(faultAfter([](ExecutableData &data) { data.computeSets[1].hasStaging = true; }) ==
          "strands[0].sets: 1 found; a compute set without staging is wanted");
    CHECK(faultAfter([](ExecutableData &data) { data.instructions[0].b = 2; }) ==
          "instructions[0].b: 1 found; strands has 1");
    CHECK(faultAfter([](ExecutableData &data) { data.instructions[1].b = 1; }) ==
          "instructions[1].b: strands of other compute sets than those of the next 2 instructions "
          "found");
  }

  TEST_CASE("there are no strands on tiles, nor where NaNs are looked for") {
    Device const model = modelDevice();
    RowProgram const tiled(model, {byRows(0, 1, 2), byRows(1, 2, 3)}, 3, 3);
    CHECK(compileGraph(tiled.graph, {tiled.prog}).data()->strands.empty());
    Device const device = Device::createCPUDevice();
    RowProgram const program(device, {byRows(0, 1, 2), byRows(1, 2, 3)}, 3, 3);
    CHECK(compileGraph(program.graph, {program.prog}, {{"debug.stopAtNan", "true"}})
              .data()
              ->strands.empty());
  }
}
