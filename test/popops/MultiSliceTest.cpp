#include "Slices.hpp"

#include <popops/DynamicSlice.hpp>

#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <sstream>

TEST_SUITE_BEGIN("popops/multislice");

using namespace slices;
using harness::DeviceMaker;
using harness::onDevices;
using poplar::OptionFlags;
using popops::SlicePlan;

namespace {

/// A table of that problem with a plan, or without: mapped linearly or as sliceable.
struct Setting {
  char const *name;
  bool sliceable;
  char const *constraints; ///< null: no plan
};
Setting const settings[] = {
    {"linear", false, nullptr},
    {"sliceable", true, nullptr},
    {"planned", true, "{}"},
    {"rows split", true, R"({"slicedDimSplit": 4, "unslicedDimSplit": 1})"},
    {"rows, columns and lookups split", true,
     R"({"slicedDimSplit": 2, "unslicedDimSplit": 3, "lookupSerialSplit": 3})"},
    {"lookups shared", true, R"({"lookupParallelSplit": 3, "slicedDimSplit": 2})"},
    {"plan, but mapped linearly", false, R"({"slicedDimSplit": 2, "unslicedDimSplit": 2})"}};

struct Table {
  SlicePlan plan;
  poplar::Tensor t;
};

Table makeTable(Run &run, Setting const &setting, poplar::Type const &type, Shape const &shape,
                std::size_t lookups, Values const &values, char const *operation = "add") {
  Table table;
  if (setting.constraints != nullptr)
    table.plan = popops::embedding::plan(
        run.graph, type, shape[0], shape[1], {lookups},
        {{"planConstraints", setting.constraints}, {"operationForUpdate", operation}});
  if (setting.sliceable && setting.constraints != nullptr)
    table.t = popops::createSliceableTensor(run.graph, type, shape, {0}, {1}, table.plan, {});
  else if (setting.sliceable)
    table.t = popops::createSliceableTensor(run.graph, type, shape, {0}, {1});
  else
    return {table.plan, run.input(type, shape, values)};
  run.write(table.t, values);
  return table;
}

Problem tableProblem(Numbers &numbers, std::size_t rows, std::size_t columns, std::size_t lookups,
                     std::size_t beyond = 0) {
  Problem p{{rows, columns}, {0}, {1}, lookups, {}};
  for (std::size_t n = 0; n != lookups; ++n)
    p.offsets.push_back(numbers.below(rows + beyond));
  return p;
}

} // namespace

TEST_CASE("lookups in a table are the rows at the offsets, however the table is laid out") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(11);
    for (Setting const &setting : settings)
      for (auto const &type : {poplar::FLOAT, poplar::HALF, poplar::UNSIGNED_CHAR})
        for (std::size_t lookups : {1, 5, 40}) {
          CAPTURE(setting.name);
          Run run(device);
          Problem const p = tableProblem(numbers, 30, 7, lookups, 2);
          Values const values = small(numbers, 210);
          auto const table = makeTable(run, setting, type, p.shape, lookups, values);
          auto const at = popops::createIndicesTensor(run.graph, {0}, lookups, table.plan, {});
          CHECK(at.shape() == Shape{lookups, 1});
          run.write(at, p.offsetValues());
          auto const s = popops::multiSlice(run.graph, table.t, at, {0}, {1}, run.prog, table.plan,
                                            {{"paddingIndexUsed", "true"}});
          CHECK(s.shape() == Shape{lookups, 1, 7});
          auto const output = run.output(s);
          run.run();
          CHECK(run.values(output) == lookUp(p, values));
        }
  });
}

TEST_CASE("updates with an operation accumulate in the order of the offsets") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(12);
    for (Setting const &setting : settings)
      for (auto const &type : {poplar::FLOAT, poplar::HALF, poplar::INT, poplar::UNSIGNED_INT})
        for (std::string const op : {"add", "max", "mul"}) {
          CAPTURE(setting.name);
          CAPTURE(op);
          Run run(device);
          std::size_t const columns = op == "max" ? 37 : 3, lookups = 25;
          Problem const p = tableProblem(numbers, 20, columns, lookups, 2);
          Values const values = numbers.integer(20 * columns, 0, 4);
          Values const update = numbers.integer(lookups * columns, 0, op == "mul" ? 2 : 4);
          auto const table = makeTable(run, setting, type, p.shape, lookups, values, op.c_str());
          auto const at = run.input(poplar::UNSIGNED_INT, {lookups, 1}, p.offsetValues());
          auto const s = popops::createSliceTensor(run.graph, type, p.shape, {0}, {1}, lookups,
                                                   table.plan, {});
          CHECK(s.shape() == Shape{lookups, 1, columns});
          run.write(s, update);
          Values expected;
          if (op == "add") {
            auto const scale = run.input(type, {}, {2});
            popops::multiUpdateAdd(run.graph, table.t, s, at, scale, {0}, {1}, run.prog, table.plan,
                                   {});
            expected =
                slices::update(p, values, update, [](double t, double x) { return t + 2 * x; });
          } else if (op == "max") {
            popops::multiUpdateMax(run.graph, table.t, s, at, {0}, {1}, run.prog, table.plan, {});
            expected = slices::update(p, values, update,
                                      [](double t, double x) { return std::max(t, x); });
          } else {
            popops::multiUpdateMul(run.graph, table.t, s, at, {0}, {1}, run.prog, table.plan, {});
            double const limit = std::ldexp(1.0, 32);
            expected = slices::update(p, values, update, [&](double t, double x) {
              return type == poplar::HALF ? std::min(t * x, 65536.0) : std::fmod(t * x, limit);
            });
          }
          auto const output = run.output(table.t);
          run.run();
          CHECK(run.values(output) == expected);
        }
  });
}

TEST_CASE("of rows overwritten twice the last one stays") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(13);
    for (Setting const &setting : settings) {
      if (std::string(setting.name).find("lookups split") != std::string::npos)
        continue; // refused for overwriting, below
      for (std::size_t lookups : {2, 50}) {
        CAPTURE(setting.name);
        Run run(device);
        Problem const p = tableProblem(numbers, 12, 9, lookups, 1);
        Values const values = small(numbers, 108), update = small(numbers, lookups * 9);
        auto const table = makeTable(run, setting, poplar::HALF, p.shape, lookups, values, "none");
        auto const at = run.input(poplar::UNSIGNED_INT, {lookups, 1}, p.offsetValues());
        auto const s = run.input(poplar::HALF, {lookups, 1, 9}, update);
        popops::multiUpdate(run.graph, table.t, s, at, {0}, {1}, run.prog, table.plan, {});
        auto const output = run.output(table.t);
        run.run();
        CHECK(run.values(output) == slices::update(p, values, update));
      }
    }
  });
}

TEST_CASE("several slices of any dimensions and sizes") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(14);
    for (std::size_t rank = 1; rank != 5; ++rank)
      for (std::size_t sliced = 1; sliced <= std::min<std::size_t>(rank, 2); ++sliced)
        for (std::size_t lookups : {2, 5, 20}) {
          Run run(device);
          Problem const p = randomProblem(numbers, rank, sliced, lookups, 1);
          CAPTURE(p.shape.size());
          Values const values = small(numbers, product(p.shape));
          Values const update = small(numbers, lookups * product(p.slice()));
          auto const make = rank % 2 == 0 ? transposedInput
                                          : [](Run &r, poplar::Type const &type, Shape const &shape,
                                               Values const &v) { return r.input(type, shape, v); };
          auto const t = make(run, poplar::FLOAT, p.shape, values);
          auto const at = run.input(poplar::UNSIGNED_INT, {lookups, sliced}, p.offsetValues());
          auto const read = run.output(
              popops::multiSlice(run.graph, t, at, p.dims, p.sizes, run.prog, SlicePlan(), {}));
          auto const s = run.input(poplar::FLOAT, with(lookups, p.slice()), update);
          popops::multiUpdate(run.graph, t, s, at, p.dims, p.sizes, run.prog, SlicePlan(), {});
          auto const written = run.output(t);
          run.run();
          CHECK(run.values(read) == lookUp(p, values));
          CHECK(run.values(written) == slices::update(p, values, update));
        }
  });
}

TEST_CASE("grouped slices are slices of each group") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(15);
    constexpr std::size_t GROUPS = 3, LOOKUPS = 9, ROWS = 11, COLUMNS = 5;
    for (char const *constraints : {"{}", R"({"slicedDimSplit": 2, "groupSplit": 2})"}) {
      Run run(device);
      auto const plan = popops::embedding::plan(run.graph, poplar::FLOAT, GROUPS, ROWS, COLUMNS,
                                                {LOOKUPS}, {{"planConstraints", constraints}});
      Shape const shape{ROWS, COLUMNS};
      auto const t = popops::createGroupedSliceableTensor(run.graph, poplar::FLOAT, GROUPS, shape,
                                                          {0}, {1}, plan, {});
      auto const at = popops::createGroupedIndicesTensor(run.graph, GROUPS, {0}, LOOKUPS, plan, {});
      auto const s = popops::createGroupedSliceTensor(run.graph, poplar::FLOAT, GROUPS, shape, {0},
                                                      {1}, LOOKUPS, plan, {});
      CHECK(t.shape() == Shape{GROUPS, ROWS, COLUMNS});
      CHECK(at.shape() == Shape{GROUPS, LOOKUPS, 1});
      CHECK(s.shape() == Shape{GROUPS, LOOKUPS, 1, COLUMNS});
      Values values, offsets, updates, lookedUp, added, overwritten;
      for (std::size_t g = 0; g != GROUPS; ++g) {
        Problem const p = tableProblem(numbers, ROWS, COLUMNS, LOOKUPS);
        auto const append = [](Values &to, Values const &from) {
          to.insert(to.end(), from.begin(), from.end());
        };
        Values const v = small(numbers, ROWS * COLUMNS), u = small(numbers, LOOKUPS * COLUMNS);
        append(values, v);
        append(updates, u);
        append(offsets, p.offsetValues());
        append(lookedUp, lookUp(p, v));
        Values const sums =
            slices::update(p, v, u, [](double a, double b) { return std::max(a, a + 3 * b); });
        append(added, sums);
        append(overwritten, slices::update(p, sums, u));
      }
      run.write(t, values);
      run.write(at, offsets);
      run.write(s, updates);
      auto const scale = run.input(poplar::FLOAT, {}, {3});
      auto const read =
          run.output(popops::groupedMultiSlice(run.graph, t, at, {0}, {1}, run.prog, plan, {}));
      auto const old = run.graph.clone(t);
      popops::groupedMultiUpdateAdd(run.graph, t, s, at, scale, {0}, {1}, run.prog, plan, {});
      run.prog.add(poplar::program::Copy(t, old));
      auto const sums = run.output(old);
      popops::groupedMultiUpdate(run.graph, t, s, at, {0}, {1}, run.prog, plan, {});
      popops::groupedMultiUpdateMax(run.graph, t, s, at, {0}, {1}, run.prog, plan, {});
      auto const last = run.output(t);
      run.run();
      CHECK(run.values(read) == lookedUp);
      CHECK(run.values(sums) == added);
      for (std::size_t i = 0; i != overwritten.size(); ++i)
        CHECK(run.values(last)[i] >= overwritten[i]);
    }
  });
}

TEST_CASE("offsets known when the graph is built") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(16);
    for (std::size_t dim = 0; dim != 3; ++dim) {
      Run run(device);
      Problem p{{4, 5, 6}, {dim}, {1}, 4, {3, 0, 3, 1}};
      std::vector<unsigned> const offsets(p.offsets.begin(), p.offsets.end());
      Values const values = small(numbers, 120);
      auto const t = run.input(poplar::HALF, p.shape, values);
      auto const s = popops::multiSlice(run.graph, t, offsets, dim, run.prog);
      CHECK(s.shape() == with(4, p.slice()));
      auto const read = run.output(s);
      Values const update = small(numbers, s.numElements());
      auto const scale = run.input(poplar::FLOAT, {}, {0.5});
      popops::multiUpdateAdd(run.graph, t, run.input(poplar::HALF, s.shape(), update), offsets,
                             scale, dim, run.prog);
      popops::multiUpdateAdd(run.graph, t, run.graph.addVariable(poplar::HALF, with(0, p.slice())),
                             poplar::ArrayRef<unsigned>(), scale, dim, run.prog);
      auto const written = run.output(t);
      run.run();
      CHECK(run.values(read) == lookUp(p, values));
      CHECK(run.values(written) ==
            slices::update(p, values, update, [](double a, double b) { return a + b / 2; }));
    }
  });
}

TEST_CASE("a scale may be half or float for half data, and sums are rounded once an offset") {
  Run run(harness::cpu);
  std::size_t const n = 5;
  auto const t = run.input(poplar::HALF, {2, 1}, {1, 2048});
  auto const at = run.input(poplar::UNSIGNED_INT, {n, 1}, {0, 1, 1, 1, 0});
  auto const s = run.input(poplar::HALF, {n, 1, 1}, {0.0009765625, 1, 1, 3, 0.5});
  popops::multiUpdateAdd(run.graph, t, s, at, run.input(poplar::HALF, {}, {1}), {0}, {1}, run.prog,
                         SlicePlan(), {});
  auto const output = run.output(t);
  run.run();
  // 2048 + 1 is a tie, which goes to even, twice; 2048 + 3 to 2052. 1 + 2^-10 is exact.
  CHECK(run.values(output) == Values{1.5009765625, 2052});
}

TEST_CASE("sums of halves in float are rounded once a row") {
  onDevices([](DeviceMaker const &device) {
    poplar::OptionFlags const inFloat{{"partialType", "float"}};
    Run run(device);
    std::size_t const n = 5;
    Values const rows{0, 1, 1, 1, 0}, slices{0.0009765625, 1, 1, 1, 0.5};
    auto const t = run.input(poplar::HALF, {2, 1}, {1, 2048});
    auto const at = run.input(poplar::UNSIGNED_INT, {n, 1}, rows);
    auto const s = run.input(poplar::HALF, {n, 1, 1}, slices);
    popops::multiUpdateAdd(run.graph, t, s, at, run.input(poplar::HALF, {}, {1}), {0}, {1},
                           run.prog, SlicePlan(), inFloat);
    auto const fixed = run.input(poplar::HALF, {2, 1}, {1, 2048});
    popops::multiUpdateAdd(run.graph, fixed, s, {0U, 1U, 1U, 1U, 0U},
                           run.input(poplar::FLOAT, {}, {1}), 0, run.prog, {}, inFloat);
    auto const a = run.output(t), b = run.output(fixed);
    run.run();
    CHECK(run.values(a) == Values{1.5009765625, 2052}); // 2051 is a tie, which goes to even
    CHECK(run.values(b) == run.values(a));
  });
}

TEST_CASE("scale, offsets and slices may lie in the table that is updated") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto const t = run.input(poplar::UNSIGNED_INT, {3, 2}, {2, 1, 5, 7, 11, 13});
    auto const at = t[0].expand({1});
    popops::multiUpdateAdd(run.graph, t, t.slice(1, 3).expand({1}), at, t[0][0], {0}, {1}, run.prog,
                           SlicePlan(), {});
    auto const output = run.output(t);
    run.run();
    CHECK(run.values(output) == Values{2, 1, 27, 33, 21, 27});
  });
}

TEST_CASE("slices and offsets in several dimensions may lie in the table that is updated") {
  onDevices([](DeviceMaker const &device) {
    for (std::size_t lookups : {3, 5}) { // unrolled, and in a loop
      CAPTURE(lookups);
      // Each slice but the first is what the one before it overwrites, and so are offsets.
      Run run(device);
      Values values(24);
      std::iota(values.begin(), values.end(), 0.0);
      for (std::size_t n = 0; n != lookups; ++n) {
        values[2 * n] = static_cast<double>(n + 1);
        values[2 * n + 1] = 0;
      }
      auto const t = run.input(poplar::UNSIGNED_INT, {6, 4}, values);
      auto const at = t.flatten().slice(0, 2 * lookups).reshape({lookups, 2});
      popops::multiUpdate(run.graph, t, t.slice(0, lookups).slice(0, 2, 1).expand({1}), at, {0, 1},
                          {1, 2}, run.prog, SlicePlan(), {});
      auto const output = run.output(t);
      run.run();
      Values expected = values;
      for (std::size_t n = 0; n != lookups; ++n)
        std::copy_n(&values[4 * n], 2, &expected[4 * (n + 1)]);
      CHECK(run.values(output) == expected);
    }
  });
}

TEST_CASE("tables without rows, without columns and without offsets") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto const at = run.input(poplar::UNSIGNED_INT, {0, 1}, {});
    auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(popops::multiSlice(run.graph, t, at, {0}, {1}, run.prog, SlicePlan(), {}).shape() ==
          Shape{0, 1, 3});
    popops::multiUpdate(run.graph, t, run.graph.addVariable(poplar::FLOAT, {0, 1, 3}), at, {0}, {1},
                        run.prog, SlicePlan(), {});
    auto const none = popops::createSliceableTensor(run.graph, poplar::FLOAT, {5, 0}, {0}, {1});
    CHECK(popops::createGroupedSliceableTensor(run.graph, poplar::FLOAT, 0, {5, 3}, {0}, {1},
                                               SlicePlan(), {})
              .shape() == Shape{0, 5, 3});
    CHECK(popops::createGroupedSliceTensor(run.graph, poplar::FLOAT, 0, {5, 3}, {0}, {1}, 2,
                                           SlicePlan(), {})
              .shape() == Shape{0, 2, 1, 3});
    auto const one = run.input(poplar::UNSIGNED_INT, {1, 1}, {1});
    CHECK(popops::multiSlice(run.graph, none, one, {0}, {1}, run.prog, SlicePlan(), {}).shape() ==
          Shape{1, 1, 0});
    auto const output = run.output(t);
    run.run();
    CHECK(run.values(output) == Values{1, 2, 3, 4, 5, 6});
  });
}

TEST_CASE("rows that are spread over many tiles are found with few vertices") {
  Numbers numbers(17);
  constexpr unsigned TILES = 40;
  for (std::size_t lookups : {1, 3, 60})
    for (std::size_t columns : {1, 7, 400}) {
      CAPTURE(lookups);
      CAPTURE(columns);
      Run run([] { return harness::modelOf(TILES); });
      Problem const p = tableProblem(numbers, 200, columns, lookups, 1);
      Values const values = small(numbers, 200 * columns);
      auto const t = run.input(poplar::HALF, p.shape, values);
      auto const at = run.input(poplar::UNSIGNED_INT, {lookups, 1}, p.offsetValues());
      auto const s = popops::multiSlice(run.graph, t, at, {0}, {1}, run.prog, SlicePlan(), {});
      CHECK(run.graph.getNumVertices() <= 4 * TILES);
      auto const read = run.output(s);
      Values const update = small(numbers, lookups * columns);
      popops::multiUpdate(run.graph, t, run.input(poplar::HALF, s.shape(), update), at, {0}, {1},
                          run.prog, SlicePlan(), {});
      CHECK(run.graph.getNumVertices() <= 5 * TILES);
      auto const written = run.output(t);
      run.run();
      CHECK(run.values(read) == lookUp(p, values));
      CHECK(run.values(written) == slices::update(p, values, update));
    }
}

TEST_CASE("bad arguments of several slices are named") {
  Run run(harness::cpu);
  auto &graph = run.graph;
  auto &prog = run.prog;
  SlicePlan const none;
  auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto const at = run.input(poplar::UNSIGNED_INT, {1, 1}, {0});
  auto const s = run.input(poplar::FLOAT, {1, 1, 3}, {1, 2, 3});
  auto const scale = run.input(poplar::FLOAT, {}, {1});
  CHECK_THROWS_WITH_AS(popops::multiSlice(graph, t, at.flatten(), {0}, {1}, prog, none, {}),
                       "popops::multiSlice: 'offsets' has shape [1]; it must be [N, 1], one "
                       "offset a dimension",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::multiUpdate(graph, t, s[0], at, {0}, {1}, prog, none, {}),
                       "popops::multiUpdate: 's' has shape [1, 3]; it must be [1, 1, 3]",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::multiUpdateAdd(graph, t, s, at, at, {0}, {1}, prog, none, {}),
      "popops::multiUpdateAdd: 'scale' has shape [1, 1] and type unsigned int; it must be one "
      "element of float",
      poputil::poplibs_error);
  auto const u = run.input(poplar::UNSIGNED_CHAR, {2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK_THROWS_WITH_AS(
      popops::multiUpdateMax(graph, u, run.input(poplar::UNSIGNED_CHAR, {1, 1, 3}, {1, 2, 3}), at,
                             {0}, {1}, prog, none, {}),
      "popops::multiUpdateMax: 't' is unsigned char; it must be float, half, int or unsigned int",
      poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::multiUpdateMul(graph, t, s, at.reinterpret(poplar::FLOAT), {0}, {1}, prog, none, {}),
      "popops::multiUpdateMul: 'offsets' is float; it must be unsigned int or int",
      poputil::poplibs_error);
  CHECK_THROWS_AS(popops::multiUpdateMul(graph, t, run.input(poplar::FLOAT, {1, 2, 1}, {1, 2}), at,
                                         {1}, {1}, prog, none, {}),
                  poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::groupedMultiSlice(graph, t.expand({0}), at.expand({0}), {0}, {1}, prog, none, {}),
      "popops::groupedMultiSlice: the plan is null; tables in groups need one "
      "from popops::embedding::plan",
      poputil::poplibs_error);
  auto const plan = popops::embedding::plan(graph, poplar::FLOAT, 2, 2, 3, {1}, {});
  CHECK_THROWS_WITH_AS(
      popops::groupedMultiSlice(graph, t.expand({0}), at.expand({0}), {0}, {1}, prog, plan, {}),
      "popops::groupedMultiSlice: the plan is for 2 groups, not 1", poputil::poplibs_error);
  auto const other = popops::embedding::plan(graph, poplar::FLOAT, 5, 3, {1}, {});
  CHECK_THROWS_WITH_AS(popops::multiSlice(graph, t, at, {0}, {1}, prog, other, {}),
                       "popops::multiSlice: the plan is for shape [5, 3], not [2, 3]",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::multiSlice(graph, t, {2U}, 0, prog),
                       "popops::multiSlice: offsets[0] = 2 is out of range for dimension 0 of 't' "
                       "of shape [2, 3]; it must be below 2",
                       poputil::poplibs_error);
  CHECK_NOTHROW(popops::multiSlice(graph, t, {2U}, 0, prog, {}, {{"paddingIndexUsed", "true"}}));
  CHECK_NOTHROW(
      popops::multiSlice(graph, t, {9U}, 0, prog, {}, {{"remapOutOfBoundIndices", "true"}}));
  CHECK_THROWS_AS(popops::multiSlice(graph, t, {0U}, 2, prog), poputil::poplibs_error);
  CHECK_THROWS_AS(popops::multiUpdateAdd(graph, t, s, {0U, 1U}, scale, 0, prog),
                  poputil::poplibs_error);
  auto const same = t.slice(0, 1).broadcast(2, 0);
  char const *const aliases = "'t' of shape [2, 3] must be writeable in parallel, but it contains "
                              "aliases";
  CHECK_THROWS_WITH_AS(popops::multiUpdate(graph, same, s, at, {0}, {1}, prog, none, {}),
                       doctest::Contains(aliases), poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::multiUpdateAdd(graph, same, s, at, scale, {0}, {1}, prog, none, {}),
                       doctest::Contains(aliases), poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::multiUpdateAdd(graph, same, s, {0U}, scale, 0, prog),
                       doctest::Contains(aliases), poputil::poplibs_error);
  auto const constant = graph.addConstant(poplar::FLOAT, {2, 3}, 1.0F);
  CHECK_THROWS_WITH_AS(popops::multiUpdateMax(graph, constant, s, at, {0}, {1}, prog, none, {}),
                       doctest::Contains("'t' of shape [2, 3] must be writeable in parallel, but "
                                         "it contains constants"),
                       poputil::poplibs_error);
}

TEST_CASE("plans copy, compare, print, and say what they refuse") {
  Run run([] { return harness::modelOf(8); });
  auto const plan = [&](OptionFlags const &options) {
    return popops::embedding::plan(run.graph, poplar::FLOAT, 100, 20, {30, 50, 10}, options);
  };
  SlicePlan const null, some = plan({});
  SlicePlan copy = some;
  CHECK(copy == some);
  CHECK(null == SlicePlan());
  CHECK(null != some);
  CHECK(null < some);
  CHECK(!(some < null));
  CHECK(!(some < copy));
  SlicePlan moved = std::move(copy);
  CHECK(moved == some);
  copy = moved;
  CHECK(copy == some);
  std::ostringstream text, nothing;
  auto const forced =
      plan({{"planConstraints", R"({"slicedDimSplit": 4, "lookupSerialSplit": 2})"}});
  text << forced;
  nothing << null;
  CHECK(text.str().find("slicedDimSplit=4") != std::string::npos);
  CHECK(text.str().find("lookupSerialSplit=2") != std::string::npos);
  CHECK(text.str().find('\n') == std::string::npos);
  CHECK(nothing.str() == "slice (null plan)");
  CHECK(poputil::toProfileValue(forced)["slicedDimSplit"].asUint() == 4);
  CHECK_THROWS_AS(plan({{"usedForSlice", "false"}, {"usedForUpdate", "false"}}),
                  poputil::poplibs_error);
  CHECK_THROWS_AS(plan({{"partialType", "half"}}), poputil::poplibs_error);
  CHECK(plan({{"indicesDistribution", "onePoint"}}) != some);
  OptionFlags overwriting{{"operationForUpdate", "none"},
                          {"planConstraints", R"({"lookupSerialSplit": 2})"}};
  CHECK_THROWS_AS(plan(overwriting), poputil::poplibs_error);
  for (char const *tooMany :
       {R"({"slicedDimSplit": 1000000})",
        R"({"slicedDimSplit": 65536, "unslicedDimSplit": 65536, "lookupParallelSplit": 65536,
            "groupSplit": 65536})"})
    CHECK_THROWS_WITH_AS(plan({{"planConstraints", tooMany}}), doctest::Contains("tiles of"),
                         poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::embedding::plan(run.graph, poplar::FLOAT, ~std::size_t{0}, 4, {2}, {}),
      "popops::embedding::plan: groupSize = 1, numEntries = 18446744073709551615, outputSize = 4 "
      "and numLookups = 2 make a table or slices of more than 2^40 elements",
      poputil::poplibs_error);
  CHECK_THROWS_AS(popops::embedding::plan(run.graph, poplar::FLOAT, 4, 4, {~std::size_t{0}}, {}),
                  poputil::poplibs_error);
  overwriting.set("usedForUpdate", "false");
  CHECK_NOTHROW(plan(overwriting));
  auto const all =
      popops::embedding::planMultiple({{run.graph, poplar::FLOAT, 100, 20, {30, 50, 10}, {}},
                                       {run.graph, poplar::HALF, 3, 100, 20, {7}, {}}});
  REQUIRE(all.size() == 2);
  CHECK(all[0] == some);
  CHECK(all[1] == popops::embedding::plan(run.graph, poplar::HALF, 3, 100, 20, {7}, {}));
  // A plan for adding that splits the lookups cannot serve overwriting.
  auto const t =
      popops::createSliceableTensor(run.graph, poplar::FLOAT, {100, 20}, {0}, {1}, forced, {});
  auto const at = run.input(poplar::UNSIGNED_INT, {1, 1}, {0});
  auto const s = run.graph.addVariable(poplar::FLOAT, {1, 1, 20});
  CHECK_THROWS_AS(popops::multiUpdate(run.graph, t, s, at, {0}, {1}, run.prog, forced, {}),
                  poputil::poplibs_error);
}

TEST_CASE("a lookup in a large table touches no more than the rows it names") {
  // 40 GiB of table would not fit if anything copied or scanned it.
  Run run(harness::cpu);
  std::size_t const rows = 1 << 20, columns = 64;
  auto const t = popops::createSliceableTensor(run.graph, poplar::FLOAT, {rows, columns}, {0}, {1});
  auto const at = run.input(poplar::UNSIGNED_INT, {3, 1}, {7, 1048575, 7});
  auto const s = run.input(poplar::FLOAT, {3, 1, columns}, Values(3 * columns, 2));
  popops::multiUpdate(run.graph, t, s, at, {0}, {1}, run.prog, SlicePlan(), {});
  popops::multiUpdateAdd(run.graph, t, s, at, run.input(poplar::FLOAT, {}, {1}), {0}, {1}, run.prog,
                         SlicePlan(), {});
  auto const output =
      run.output(popops::multiSlice(run.graph, t, at, {0}, {1}, run.prog, SlicePlan(), {}));
  CHECK(run.graph.getNumVertices() < 12);
  run.run();
  Values expected(3 * columns, 6);
  std::fill(expected.begin() + columns, expected.begin() + 2 * columns, 4);
  CHECK(run.values(output) == expected);
}

TEST_SUITE_END();
