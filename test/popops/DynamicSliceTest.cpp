#include "Slices.hpp"

#include <popops/DynamicSlice.hpp>

#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

TEST_SUITE_BEGIN("popops/dynamicslice");

using namespace slices;
using harness::DeviceMaker;
using harness::onDevices;

TEST_CASE("a dynamic slice is the slice at the offset, which wraps around") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(1);
    Run run(device);
    std::vector<std::pair<std::size_t, Values>> checks;
    auto const types = {poplar::FLOAT, poplar::HALF, poplar::UNSIGNED_CHAR, poplar::INT,
                        poplar::UNSIGNED_LONGLONG};
    for (auto const &type : types)
      for (std::size_t rank = 1; rank != 5; ++rank)
        for (std::size_t sliced = 1; sliced <= std::min<std::size_t>(rank, 3); ++sliced) {
          Problem const p = randomProblem(numbers, rank, sliced, 1);
          Values const values = small(numbers, product(p.shape));
          auto const t = rank % 2 == 0 ? transposedInput(run, type, p.shape, values)
                                       : run.input(type, p.shape, values);
          auto const at = run.input(poplar::UNSIGNED_INT, {p.dims.size()}, p.offsetValues());
          auto const s = popops::dynamicSlice(run.graph, t, at, p.dims, p.sizes, run.prog);
          CHECK(s.shape() == p.slice());
          CHECK(s.elementType() == type);
          CHECK(run.graph.getTileMapping(s) ==
                popops::getSliceMapping(run.graph, t, p.dims, p.sizes));
          checks.emplace_back(run.output(s), lookUp(p, values));
        }
    run.run();
    for (auto const &[output, expected] : checks)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("a dynamic update writes the slice at the offset and nothing else") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(2);
    Run run(device);
    std::vector<std::pair<std::size_t, Values>> checks;
    for (auto const &type : {poplar::FLOAT, poplar::HALF, poplar::BOOL, poplar::SHORT})
      for (std::size_t rank = 1; rank != 5; ++rank)
        for (std::size_t sliced = 1; sliced <= std::min<std::size_t>(rank, 3); ++sliced) {
          Problem const p = randomProblem(numbers, rank, sliced, 1, 1);
          long const most = type == poplar::BOOL ? 1 : 60;
          Values const values = numbers.integer(product(p.shape), 0, most);
          Values const update = numbers.integer(product(p.slice()), 0, most);
          auto const t = rank % 2 == 0 ? transposedInput(run, type, p.shape, values)
                                       : run.input(type, p.shape, values);
          auto const s = run.input(type, p.slice(), update);
          auto const at = run.input(poplar::INT, {p.dims.size()}, p.offsetValues());
          popops::dynamicUpdate(run.graph, t, s, at, p.dims, p.sizes, run.prog);
          checks.emplace_back(run.output(t), slices::update(p, values, update));
        }
    run.run();
    for (auto const &[output, expected] : checks)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("tensors made for slices work together and keep the sliced dimension on a tile") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers(3);
    Shape const shape{6, 40, 5};
    auto const t = popops::createSliceableTensor(run.graph, poplar::FLOAT, shape, {0, 2}, {1, 2});
    CHECK(t.shape() == shape);
    CHECK(!poputil::dimIsSplitOverTiles(run.graph, t.slice(0, 1, 1), 0));
    CHECK(!poputil::dimIsSplitOverTiles(run.graph, t.slice(0, 1, 1), 2));
    Values const values = small(numbers, product(shape));
    run.write(t, values);
    auto const s = popops::createSliceTensor(run.graph, t, {0, 2}, {1, 2}, 3);
    CHECK(s.shape() == Shape{3, 1, 40, 2});
    Values const update = small(numbers, s.numElements());
    run.write(s, update);
    Problem p{shape, {0, 2}, {1, 2}, 3, {5, 4, 1, 0, 5, 3}};
    auto const at = run.input(poplar::UNSIGNED_INT, {3, 2}, p.offsetValues());
    for (std::size_t n = 0; n != 3; ++n)
      popops::dynamicUpdate(run.graph, t, s[n], at[n], {0, 2}, {1, 2}, run.prog);
    auto const output = run.output(t);
    auto const from = popops::createSliceableTensorFromSlice(run.graph, s[0], {0, 2}, {4, 3});
    CHECK(from.shape() == Shape{4, 40, 6});
    run.run();
    CHECK(run.values(output) == slices::update(p, values, update));
  });
}

TEST_CASE("functions that lay slices out name an invalid tensor") {
  Run run(harness::cpu);
  auto &g = run.graph;
  CHECK_THROWS_WITH_AS(popops::getSliceMapping(g, poplar::Tensor(), {0}, {1}),
                       "popops::getSliceMapping: 't' is an invalid tensor", poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::createSliceTensor(g, poplar::Tensor(), {0}, {1}, 2),
                       "popops::createSliceTensor: 't' is an invalid tensor",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::createSliceableTensorFromSlice(g, poplar::Tensor(), {0}, {1}),
                       "popops::createSliceableTensorFromSlice: 's' is an invalid tensor",
                       poputil::poplibs_error);
}

TEST_CASE("the columns of a sliceable tensor are spread evenly in grains") {
  Run run([] { return harness::modelOf(16); });
  auto const t = popops::createSliceableTensor(run.graph, poplar::HALF, {10, 100}, {0}, {1}, 4);
  std::size_t used = 0;
  for (auto const &intervals : run.graph.getTileMapping(t)) {
    std::size_t n = 0;
    for (auto const &interval : intervals)
      n += interval.size();
    CHECK(n <= 80);
    CHECK(n % 40 == 0);
    used += n != 0;
  }
  CHECK(used == 13);
  auto const s = popops::createDynamicSliceOutput(
      run.graph, t, run.graph.addConstant(poplar::UNSIGNED_INT, {1}, 0U), {0}, {1});
  CHECK(run.graph.getTileMapping(s) == run.graph.getTileMapping(t.slice(0, 1)));
}

TEST_CASE("offsets out of range give zeros, or those of offset 0 when remapped; updates skip") {
  onDevices([](DeviceMaker const &device) {
    for (std::string const remap : {"false", "true"})
      for (std::string const padding : {"false", "true"}) {
        Run run(device);
        poplar::OptionFlags const options{{"remapOutOfBoundIndices", remap},
                                          {"paddingIndexUsed", padding}};
        Values const values{1, 2, 3, 4, 5, 6};
        std::vector<std::size_t> read, written;
        for (double offset : {3.0, 4.0, 4294967295.0}) {
          auto const at = run.input(poplar::UNSIGNED_INT, {1}, {offset});
          auto const t = run.input(poplar::FLOAT, {3, 2}, values);
          read.push_back(
              run.output(popops::dynamicSlice(run.graph, t, at, {0}, {1}, run.prog, {}, options)));
          popops::dynamicUpdate(run.graph, t, run.input(poplar::FLOAT, {1, 2}, {8, 9}), at, {0},
                                {1}, run.prog, {}, options);
          written.push_back(run.output(t));
        }
        run.run();
        for (std::size_t i = 0; i != 3; ++i) {
          bool const first = remap == "true" && !(padding == "true" && i == 0);
          CHECK(run.values(read[i]) == (first ? Values{1, 2} : Values{0, 0}));
          CHECK(run.values(written[i]) == (first ? Values{8, 9, 3, 4, 5, 6} : values));
        }
      }
  });
}

TEST_CASE("slices without dimensions are the tensor itself, those of size 0 are empty") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
    auto const none = run.input(poplar::UNSIGNED_INT, {0}, {});
    auto const at = run.input(poplar::UNSIGNED_INT, {1}, {1});
    CHECK(popops::dynamicSlice(run.graph, t, none, {}, {}, run.prog) == t);
    CHECK(popops::dynamicSlice(run.graph, t, at, {0}, {0}, run.prog).shape() == Shape{0, 3});
    popops::dynamicUpdate(run.graph, t, run.graph.addVariable(poplar::FLOAT, {0, 3}), at, {0}, {0},
                          run.prog);
    auto const all = run.input(poplar::FLOAT, {2, 3}, {7, 8, 9, 1, 2, 3});
    auto const u = run.input(poplar::FLOAT, {2, 3}, {0, 0, 0, 0, 0, 0});
    popops::dynamicUpdate(run.graph, u, all, none, {}, {}, run.prog);
    auto const a = run.output(t), b = run.output(u);
    run.run();
    CHECK(run.values(a) == Values{1, 2, 3, 4, 5, 6});
    CHECK(run.values(b) == Values{7, 8, 9, 1, 2, 3});
  });
}

TEST_CASE("operands may overlap") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto const t = run.input(poplar::UNSIGNED_INT, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    auto const at = t.flatten().slice(0, 1);
    popops::dynamicUpdate(run.graph, t, t.slice(0, 2), at, {0}, {2}, run.prog);
    auto const u = run.input(poplar::UNSIGNED_INT, {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    popops::dynamicSliceWithOutput(run.graph, u.slice(0, 2), u, u.flatten().slice(0, 1), {0}, {2},
                                   run.prog);
    auto const a = run.output(t), b = run.output(u);
    run.run();
    CHECK(run.values(a) == Values{1, 2, 1, 2, 3, 4, 7, 8});
    CHECK(run.values(b) == Values{3, 4, 5, 6, 5, 6, 7, 8});
  });
}

TEST_CASE("large slices are shared by workers") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers(5);
    Problem const p{{5, 3000}, {0}, {2}, 1, {4}};
    Values const values = numbers.integer(15000, 0, 1000), update = numbers.integer(6000, 0, 1000);
    auto const t = run.input(poplar::FLOAT, p.shape, values);
    auto const at = run.input(poplar::UNSIGNED_INT, {1}, {4});
    auto const before = run.output(popops::dynamicSlice(run.graph, t, at, {0}, {2}, run.prog));
    popops::dynamicUpdate(run.graph, t, run.input(poplar::FLOAT, {2, 3000}, update), at, {0}, {2},
                          run.prog);
    auto const after = run.output(t);
    run.run();
    CHECK(run.values(before) == lookUp(p, values));
    CHECK(run.values(after) == slices::update(p, values, update));
  });
}

TEST_CASE("validation stops the program on an offset out of range, and only then") {
  onDevices([](DeviceMaker const &device) {
    for (bool padding : {false, true})
      for (double offset : {2.0, 3.0, 4.0}) {
        Run run(device);
        auto const t = run.input(poplar::FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
        auto const at = run.input(poplar::UNSIGNED_INT, {1}, {offset});
        popops::dynamicSlice(
            run.graph, t, at, {0}, {1}, run.prog, {},
            {{"validateIndices", "true"}, {"paddingIndexUsed", padding ? "true" : "false"}});
        if (offset < (padding ? 4 : 3))
          CHECK_NOTHROW(run.run());
        else
          CHECK_THROWS_AS(run.run(), poplar::application_runtime_error);
      }
  });
}

TEST_CASE("validation says what is allowed, and shows the largest offset") {
  onDevices([](DeviceMaker const &device) {
    auto const lookUp = [&](Shape const &offsets, Values const &values, Shape const &dims) {
      Run run(device);
      auto const t = run.input(poplar::FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
      auto const at = run.input(poplar::UNSIGNED_INT, offsets, values);
      popops::multiSlice(run.graph, t, at, dims, Shape(dims.size(), 1), run.prog,
                         popops::SlicePlan(), {{"validateIndices", "true"}}, "lookup");
      run.run();
    };
    Values many(3000, 1);
    many[1400] = 4294967295.;
    CHECK_THROWS_WITH_AS(
        lookUp({3000, 1}, many, {0}),
        doctest::Contains("'lookup': popops::multiSlice: an index is out of range: those of "
                          "dimension 0 must be below 3; the largest is: [4294967295]"),
        poplar::application_runtime_error);
    CHECK_THROWS_WITH_AS(
        lookUp({2, 2}, {2, 0, 1, 6}, {0, 1}),
        doctest::Contains("those of dimension 0 must be below 3, those of dimension 1 must be "
                          "below 2; the largest are: [2 6]"),
        poplar::application_runtime_error);
    CHECK_NOTHROW(lookUp({2, 2}, {2, 0, 1, 1}, {0, 1}));
  });
}

TEST_CASE("bad arguments of dynamic slices are named") {
  Run run(harness::cpu);
  auto &graph = run.graph;
  auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto const at = run.input(poplar::UNSIGNED_INT, {1}, {0});
  CHECK_THROWS_WITH_AS(popops::dynamicSlice(graph, t, at, {0, 1}, {1}, run.prog),
                       "popops::dynamicSlice: 2 dims and 1 sizes; there must be one size a "
                       "dimension",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::dynamicSlice(graph, t, at, {2}, {1}, run.prog),
                       "popops::dynamicSlice: dims[0] = 2 is out of range for shape [2, 3]; dims "
                       "must be below 2",
                       poplar::graph_connection_error);
  CHECK_THROWS_WITH_AS(popops::dynamicSlice(graph, t, at, {0, 0}, {1, 1}, run.prog),
                       "popops::dynamicSlice: dims [0, 0] name dimension 0 twice",
                       poplar::graph_connection_error);
  CHECK_THROWS_WITH_AS(popops::dynamicUpdate(graph, t, t, at, {1}, {4}, run.prog),
                       "popops::dynamicUpdate: sizes[0] = 4 is above dimension 1 of shape [2, 3]",
                       poplar::graph_connection_error);
  CHECK_THROWS_WITH_AS(popops::dynamicSlice(graph, t, at, {0, 1}, {1, 1}, run.prog),
                       "popops::dynamicSlice: 'offset' has shape [1]; it must be [2], one offset "
                       "a dimension",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::dynamicSlice(graph, t, t, {0}, {1}, run.prog),
                       "popops::dynamicSlice: 'offset' is float; it must be unsigned int or int",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::dynamicUpdate(graph, t, t, at, {1}, {2}, run.prog),
                       "popops::dynamicUpdate: 's' has shape [2, 3]; a slice has [2, 2]",
                       poplar::graph_connection_error);
  CHECK_THROWS_WITH_AS(popops::dynamicSliceWithOutput(graph, at, t, at, {1}, {2}, run.prog),
                       "popops::dynamicSliceWithOutput: 'output' has shape [1]; a slice has [2, 2]",
                       poplar::graph_connection_error);
  CHECK_THROWS_WITH_AS(
      popops::dynamicUpdate(graph, t.slice(0, 1).broadcast(3, 0), t, at, {0}, {2}, run.prog),
      "popops::dynamicUpdate: 't' of shape [3, 3] must be writeable in parallel, but it contains "
      "aliases",
      poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::dynamicSliceWithOutput(graph, t.slice(0, 1, 1).broadcast(2, 1), t,
                                                      at, {1}, {2}, run.prog),
                       "popops::dynamicSliceWithOutput: 'output' of shape [2, 2] must be writeable "
                       "in parallel, but it contains aliases",
                       poputil::poplibs_error);
  CHECK_THROWS_AS(popops::dynamicSlice(graph, {}, at, {0}, {1}, run.prog), poputil::poplibs_error);
  CHECK_THROWS_AS(popops::createSliceableTensor(graph, poplar::FLOAT, {2, 3}, {5}, {1}),
                  poplar::graph_connection_error);
}

TEST_CASE("options of slices are checked") {
  Run run(harness::cpu);
  auto const slice = [&](char const *key, char const *value) {
    auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
    auto const at = run.input(poplar::UNSIGNED_INT, {1}, {0});
    popops::dynamicSlice(run.graph, t, at, {0}, {1}, run.prog, {}, {{key, value}});
  };
  CHECK_THROWS_WITH_AS(slice("unknown", "1"),
                       doctest::Contains("popops::dynamicSlice: Unrecognised option 'unknown'"),
                       poplar::invalid_option);
  CHECK_THROWS_AS(slice("usedForSlice", "yes"), poplar::invalid_option);
  CHECK_THROWS_AS(slice("availableMemoryProportion", "0"), poplar::invalid_option);
  CHECK_THROWS_AS(slice("availableMemoryProportion", "1.5"), poplar::invalid_option);
  CHECK_THROWS_AS(slice("operationForUpdate", "sub"), poplar::invalid_option);
  CHECK_THROWS_AS(slice("partialType", "int"), poplar::invalid_option);
  CHECK_THROWS_AS(slice("indicesDistribution", "normal"), poplar::invalid_option);
  CHECK_THROWS_AS(slice("planConstraints", "[1]"), poplar::invalid_option);
  CHECK_THROWS_WITH_AS(slice("planConstraints", R"({"rowSplit": 1})"),
                       doctest::Contains("popops::dynamicSlice: option 'planConstraints': unknown "
                                         "constraint 'rowSplit'; known: "),
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(slice("planConstraints", R"({"slicedDimSplit": 0})"),
                       doctest::Contains("'slicedDimSplit' is 0; allowed: an integer from 1"),
                       poplar::invalid_option);
  CHECK_THROWS_WITH_AS(slice("availableMemoryProportion", "0.5 MB"),
                       doctest::Contains("Not a valid number"), poplar::invalid_option);
  CHECK_NOTHROW(slice("planConstraints", R"({"slicedDimSplit": 2, "useOrderingInfo": false})"));
  CHECK_NOTHROW(slice("indicesDistribution", "onePoint"));
  CHECK_NOTHROW(slice("availableMemoryProportion", "1"));
  CHECK_NOTHROW(slice("internal.alwaysIncludeBaseRearrangementCost", "false"));
}

TEST_SUITE_END();
