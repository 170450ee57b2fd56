#include "Slices.hpp"

#include <popops/Gather.hpp>

#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popops/gather");

using namespace slices;
using harness::DeviceMaker;
using harness::onDevices;

namespace {

bool contains(Shape const &list, std::size_t x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

struct Xla {
  Shape input, indices;
  std::size_t indexVectorDim;
  Shape offsetDims, sliceSizes, collapsed;
  std::vector<unsigned> startIndexMap;
};

/// The definition, element by element of the result.
Values gathered(Xla const &x, Shape const &result, Values const &input, Values const &indices) {
  Values values(product(result));
  for (std::size_t i = 0; i != values.size(); ++i) {
    Shape const at = digits(i, result);
    Shape batch, offset;
    for (std::size_t d = 0; d != at.size(); ++d)
      (contains(x.offsetDims, d) ? offset : batch).push_back(at[d]);
    Shape index(x.input.size(), 0);
    std::size_t next = 0;
    for (std::size_t d = 0; d != index.size(); ++d)
      if (!contains(x.collapsed, d))
        index[d] = offset[next++];
    for (std::size_t k = 0; k != x.startIndexMap.size(); ++k) {
      Shape vector = batch;
      if (x.indexVectorDim < x.indices.size())
        vector.insert(vector.begin() + static_cast<std::ptrdiff_t>(x.indexVectorDim), k);
      index[x.startIndexMap[k]] += static_cast<std::size_t>(indices[position(vector, x.indices)]);
    }
    values[i] = input[position(index, x.input)];
  }
  return values;
}

} // namespace

TEST_CASE("gathering along an axis takes the indices in order, with repeats") {
  onDevices([](DeviceMaker const &device) {
    Numbers numbers(21);
    for (std::size_t rank = 1; rank != 5; ++rank)
      for (unsigned axis = 0; axis != rank; ++axis)
        for (std::size_t n : {1, 4, 37}) {
          Run run(device);
          Shape shape;
          for (std::size_t d = 0; d != rank; ++d)
            shape.push_back(1 + numbers.below(d == 0 ? 20 : 6));
          Problem p{shape, {axis}, {1}, n, {}};
          for (std::size_t i = 0; i != n; ++i)
            p.offsets.push_back(numbers.below(shape[axis]));
          Values const values = small(numbers, product(shape));
          auto const t = n == 4 ? popops::createGatherInput(run.graph, poplar::HALF, shape, axis)
                                : transposedInput(run, poplar::HALF, shape, values);
          if (n == 4)
            run.write(t, values);
          auto const at = n == 4 ? run.input(poplar::UNSIGNED_INT, {2, 2}, p.offsetValues())
                                 : run.input(poplar::UNSIGNED_INT, {n}, p.offsetValues());
          auto const r = popops::gather(run.graph, t, at, axis, run.prog, {});
          Shape expected = shape;
          expected[axis] = n;
          CHECK(r.shape() == expected);
          auto const output = run.output(r.dimRoll(axis, 0));
          run.run();
          CHECK(run.values(output) == [&] {
            // lookUp gives [n, .., 1, ..], in the order of r.dimRoll(axis, 0).
            return lookUp(p, values);
          }());
        }
  });
}

TEST_CASE("gathered axes of a contiguous tensor are contiguous") {
  Run run(harness::cpu);
  auto const t =
      run.graph.addVariable(poplar::FLOAT, {30, 20, 10}, poplar::VariableMappingMethod::LINEAR);
  auto const at =
      run.graph.addVariable(poplar::UNSIGNED_INT, {5}, poplar::VariableMappingMethod::LINEAR);
  for (unsigned axis : {0U, 1U, 2U})
    CHECK(popops::gather(run.graph, t, at, axis, run.prog, {}).isContiguous());
}

TEST_CASE("indices out of range give zeros, or index 0 when remapped") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
    auto const at = run.input(poplar::UNSIGNED_INT, {3}, {3, 2, 4000000000.0});
    auto const a = run.output(popops::gather(run.graph, t, at, 1, run.prog, {}));
    auto const b = run.output(popops::gather(run.graph, t, at, 1, run.prog, {}, {},
                                             {{"remapOutOfBoundIndices", "true"}}));
    auto const c = run.output(
        popops::gather(run.graph, t, at, 1, run.prog, {}, {},
                       {{"remapOutOfBoundIndices", "true"}, {"paddingIndexUsed", "true"}}));
    run.run();
    CHECK(run.values(a) == Values{0, 3, 0, 0, 6, 0});
    CHECK(run.values(b) == Values{1, 3, 1, 4, 6, 4});
    CHECK(run.values(c) == Values{0, 3, 1, 0, 6, 4});
  });
}

TEST_CASE("gathers of slices at index vectors") {
  std::vector<Xla> const cases{
      {{5, 4}, {3}, 1, {1}, {1, 4}, {0}, {0}},                      // rows
      {{5, 4}, {3}, 1, {0}, {1, 4}, {0}, {0}},                      // rows as columns
      {{5, 4}, {2, 3}, 2, {0}, {5, 1}, {1}, {1}},                   // columns
      {{5, 4}, {2, 6}, 0, {}, {1, 1}, {0, 1}, {0, 1}},              // elements, joined
      {{5, 4}, {7, 2}, 1, {}, {1, 1}, {0, 1}, {1, 0}},              // indices swapped
      {{5, 4, 3}, {6, 2}, 1, {1}, {1, 4, 1}, {0, 2}, {2, 0}},       // apart in memory
      {{5, 4, 3}, {2, 5}, 0, {0, 2}, {2, 1, 3}, {1}, {0, 1}},       // windows
      {{9, 8}, {4, 2}, 1, {1, 2}, {3, 2}, {}, {0, 1}},              // windows in both
      {{5, 4, 3}, {8}, 1, {1, 2, 3}, {1, 2, 3}, {}, {0}},           // partial window of another
      {{5, 4}, {2}, 0, {0, 1}, {1, 1}, {}, {0, 1}},                 // one vector
      {{6, 2, 2}, {11, 3}, 1, {}, {1, 1, 1}, {0, 1, 2}, {0, 1, 2}}, // elements of rank 3
  };
  onDevices([&](DeviceMaker const &device) {
    Numbers numbers(22);
    for (std::size_t c = 0; c != cases.size(); ++c) {
      CAPTURE(c);
      Xla const &x = cases[c];
      Run run(device);
      Values const values = small(numbers, product(x.input));
      Values indices(product(x.indices));
      for (std::size_t i = 0; i != indices.size(); ++i) {
        std::size_t const k =
            x.indexVectorDim < x.indices.size() ? digits(i, x.indices)[x.indexVectorDim] : 0;
        unsigned const d = x.startIndexMap[k];
        indices[i] = static_cast<double>(numbers.below(x.input[d] - x.sliceSizes[d] + 1));
      }
      auto const t = c % 2 == 0 ? popops::createGatherInput(run.graph, poplar::FLOAT, x.input,
                                                            x.sliceSizes, x.startIndexMap)
                                : run.graph.addVariable(poplar::FLOAT, x.input,
                                                        poplar::VariableMappingMethod::LINEAR);
      run.write(t, values);
      auto const at =
          run.input(c % 3 == 0 ? poplar::INT : poplar::UNSIGNED_INT, x.indices, indices);
      auto const r = popops::gather(run.graph, t, at, x.indexVectorDim, x.offsetDims, x.sliceSizes,
                                    x.collapsed, x.startIndexMap, run.prog);
      CHECK(r.rank() ==
            x.offsetDims.size() + x.indices.size() - (x.indexVectorDim < x.indices.size() ? 1 : 0));
      auto const output = run.output(r);
      run.run();
      CHECK(run.values(output) == gathered(x, r.shape(), values, indices));
    }
  });
}

TEST_CASE("joined indices out of range, one by one") {
  onDevices([](DeviceMaker const &device) {
    for (bool remap : {false, true})
      for (bool padding : {false, true}) {
        Run run(device);
        auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
        auto const at = run.input(poplar::UNSIGNED_INT, {4, 2}, {1, 2, 0, 3, 2, 1, 3, 9});
        auto const output =
            run.output(popops::gather(run.graph, t, at, 1, {}, {1, 1}, {0, 1}, {0, 1}, run.prog, {},
                                      {{"remapOutOfBoundIndices", remap ? "true" : "false"},
                                       {"paddingIndexUsed", padding ? "true" : "false"}}));
        run.run();
        CHECK(run.values(output) == (!remap    ? Values{6, 0, 0, 0}
                                     : padding ? Values{6, 0, 0, 1}
                                               : Values{6, 1, 2, 1}));
      }
  });
}

TEST_CASE("gathers of nothing") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
    auto const none = run.input(poplar::UNSIGNED_INT, {0}, {});
    CHECK(popops::gather(run.graph, t, none, 1, run.prog, {}).shape() == Shape{2, 0});
    CHECK(popops::gather(run.graph, t, none, 1, {1}, {1, 3}, {0}, {0}, run.prog).shape() ==
          Shape{0, 3});
    auto const scalar = run.input(poplar::UNSIGNED_INT, {}, {1});
    auto const row = popops::gather(run.graph, t, scalar, 0, {0}, {1, 3}, {0}, {0}, run.prog);
    auto const axis = popops::gather(run.graph, t, scalar, 0, run.prog, {});
    CHECK(row.shape() == Shape{3});
    CHECK(axis.shape() == Shape{1, 3});
    auto const output = run.output(row);
    run.run();
    CHECK(run.values(output) == Values{4, 5, 6});
  });
}

TEST_CASE("bad arguments of gathers are named") {
  Run run(harness::cpu);
  auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto const at = run.input(poplar::UNSIGNED_INT, {1}, {0});
  CHECK_THROWS_WITH_AS(popops::gather(run.graph, t, t, 0, run.prog, {}),
                       "popops::gather: 'indices' is float; it must be unsigned int",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::gather(run.graph, t, at, 2, run.prog, {}),
      "popops::gather: axis 2 is out of range for 'input' of shape [2, 3]; it must be below 2",
      poputil::poplibs_error);
  auto const slices = [&](Shape offsetDims, Shape sizes, Shape collapsed, std::vector<unsigned> map,
                          std::size_t vectorDim = 1) {
    popops::gather(run.graph, t, at, vectorDim, offsetDims, sizes, collapsed, map, run.prog);
  };
  CHECK_THROWS_WITH_AS(
      slices({1}, {1, 4}, {0}, {0}),
      "popops::gather: sliceSizes[1] = 4 is above dimension 1 of 'input' of shape [2, 3]",
      poputil::poplibs_error);
  CHECK_THROWS_AS(slices({1}, {1}, {0}, {0}), poputil::poplibs_error);
  CHECK_THROWS_AS(slices({1}, {2, 3}, {0}, {0}), poputil::poplibs_error);
  CHECK_THROWS_AS(slices({}, {1, 3}, {0}, {0}), poputil::poplibs_error);
  CHECK_THROWS_AS(slices({1}, {1, 3}, {0}, {0, 1}), poputil::poplibs_error);
  CHECK_THROWS_AS(slices({1}, {1, 3}, {0}, {5}), poputil::poplibs_error);
  CHECK_THROWS_AS(slices({1}, {1, 3}, {0}, {0}, 2), poputil::poplibs_error);
  CHECK_THROWS_AS(slices({2}, {1, 3}, {0}, {0}), poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(popops::gather(run.graph, t, at, 0, run.prog, {}, {}, {{"unknown", "1"}}),
                       doctest::Contains("popops::gather: Unrecognised option 'unknown'"),
                       poplar::invalid_option);
}

TEST_SUITE_END();
