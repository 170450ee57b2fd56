#include "Slices.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Scatter.hpp>

#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popops/scatter");

using namespace slices;
using harness::DeviceMaker;
using harness::onDevices;

namespace {

struct Xla {
  Shape operand, indices, updates;
  std::size_t indexVectorDim;
  std::vector<unsigned> updateWindowDims;
  Shape insertWindowDims;
  std::vector<unsigned> toOperand;
};

/// The size of windows in a dimension of the operand.
std::size_t windowSize(Xla const &x, std::size_t dim) {
  std::size_t next = 0;
  for (std::size_t d : x.insertWindowDims) {
    if (d == dim)
      return 1;
    next += d < dim ? 1 : 0;
  }
  return x.updates[x.updateWindowDims[dim - next]];
}

/// The definition; a window that is not whole changes nothing. Elements of one window do not
/// overlap, and batch positions come in row-major order, which the caller's updates keep by having
/// their batch dimensions first.
Values scattered(Xla const &x, Values operand, Values const &indices, Values const &updates,
                 std::function<double(double, double)> const &f) {
  std::vector<std::pair<std::size_t, std::size_t>> steps; // (batch position, update)
  for (std::size_t i = 0; i != updates.size(); ++i) {
    Shape const at = digits(i, x.updates);
    std::size_t batch = 0;
    for (unsigned d = 0; d != at.size(); ++d)
      if (std::find(x.updateWindowDims.begin(), x.updateWindowDims.end(), d) ==
          x.updateWindowDims.end())
        batch = batch * x.updates[d] + at[d];
    steps.emplace_back(batch, i);
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](auto const &a, auto const &b) { return a.first < b.first; });
  for (auto const &[unused, i] : steps) {
    Shape const at = digits(i, x.updates);
    Shape batch, index(x.operand.size(), 0);
    std::size_t next = 0;
    for (unsigned d = 0; d != at.size(); ++d)
      if (std::find(x.updateWindowDims.begin(), x.updateWindowDims.end(), d) ==
          x.updateWindowDims.end())
        batch.push_back(at[d]);
    for (std::size_t d = 0; d != index.size(); ++d)
      if (std::find(x.insertWindowDims.begin(), x.insertWindowDims.end(), d) ==
          x.insertWindowDims.end())
        index[d] = at[x.updateWindowDims[next++]];
    bool inRange = true;
    for (std::size_t k = 0; k != x.toOperand.size(); ++k) {
      Shape vector = batch;
      if (x.indexVectorDim < x.indices.size())
        vector.insert(vector.begin() + static_cast<std::ptrdiff_t>(x.indexVectorDim), k);
      auto const start = static_cast<std::size_t>(indices[position(vector, x.indices)]);
      std::size_t const dim = x.toOperand[k];
      inRange = inRange && start + windowSize(x, dim) <= x.operand[dim];
      index[x.toOperand[k]] += start;
    }
    if (inRange)
      operand[position(index, x.operand)] = f(operand[position(index, x.operand)], updates[i]);
  }
  return operand;
}

std::vector<Xla> const cases{
    {{5, 4}, {3}, {3, 4}, 1, {1}, {0}, {0}},                     // rows
    {{5, 4}, {3}, {4, 3}, 1, {0}, {0}, {0}},                     // rows, window first
    {{5, 4}, {30}, {30, 5}, 1, {1}, {1}, {1}},                   // columns, many
    {{5, 4}, {2, 40}, {40}, 0, {}, {0, 1}, {0, 1}},              // elements, with repeats
    {{5, 4, 3}, {6, 2}, {6, 4}, 1, {1}, {0, 2}, {2, 0}},         // apart in memory
    {{7, 6}, {5, 2}, {5, 3, 2}, 1, {1, 2}, {}, {0, 1}},          // windows
    {{5, 4, 3}, {2, 2}, {2, 2, 1, 2, 3}, 2, {2, 3, 4}, {}, {0}}, // partial windows
};

} // namespace

TEST_CASE("updates are written one after another") {
  onDevices([&](DeviceMaker const &device) {
    Numbers numbers(31);
    for (std::size_t c = 0; c != cases.size(); ++c) {
      CAPTURE(c);
      Xla const &x = cases[c];
      Values indices(product(x.indices));
      Values const values = small(numbers, product(x.operand));
      Values const updates = small(numbers, product(x.updates));
      for (bool computed : {false, true}) {
        Run run(device);
        for (std::size_t i = 0; i != indices.size(); ++i) {
          std::size_t const k =
              x.indexVectorDim < x.indices.size() ? digits(i, x.indices)[x.indexVectorDim] : 0;
          // Some windows are partly or wholly out of range.
          indices[i] = static_cast<double>(numbers.below(x.operand[x.toOperand[k]] + 2));
        }
        auto const t = run.input(poplar::FLOAT, x.operand, values);
        auto const at = run.input(poplar::INT, x.indices, indices);
        auto const s = run.input(poplar::FLOAT, x.updates, updates);
        Values expected;
        if (computed) {
          // Neither commutative nor associative: the order shows.
          popops::UpdateComputationFunc f =
              [](poplar::Graph &graph, poplar::Tensor &now, poplar::Tensor &update,
                 poplar::program::Sequence &prog) { return popops::sub(graph, update, now, prog); };
          popops::scatter(run.graph, t, at, s, x.indexVectorDim, x.updateWindowDims,
                          x.insertWindowDims, x.toOperand, f, run.prog);
          expected = scattered(x, values, indices, updates,
                               [](double now, double update) { return update - now; });
        } else {
          popops::scatter(run.graph, t, at, s, x.indexVectorDim, x.updateWindowDims,
                          x.insertWindowDims, x.toOperand, run.prog);
          expected =
              scattered(x, values, indices, updates, [](double, double update) { return update; });
        }
        auto const output = run.output(t);
        run.run();
        CHECK(run.values(output) == expected);
      }
    }
  });
}

TEST_CASE("updates and indices may lie in the operand") {
  onDevices([](DeviceMaker const &device) {
    for (bool computed : {false, true}) {
      CAPTURE(computed);
      Run run(device);
      auto const t = run.input(poplar::INT, {4, 2}, {1, 2, 3, 9, 5, 6, 7, 8});
      auto const at = t.flatten().slice(0, 3), updates = t.slice(0, 3);
      popops::UpdateComputationFunc f =
          [](poplar::Graph &graph, poplar::Tensor &now, poplar::Tensor &update,
             poplar::program::Sequence &prog) { return popops::sub(graph, update, now, prog); };
      if (computed)
        popops::scatter(run.graph, t, at, updates, 1, {1}, {0}, {0}, f, run.prog);
      else
        popops::scatter(run.graph, t, at, updates, 1, {1}, {0}, {0}, run.prog);
      auto const output = run.output(t);
      run.run();
      CHECK(run.values(output) ==
            (computed ? Values{1, 2, -2, -7, -2, 3, -2, -2} : Values{1, 2, 1, 2, 3, 9, 5, 6}));
    }
  });
}

TEST_CASE("updates without elements change nothing") {
  Run run(harness::cpu);
  auto const t = run.input(poplar::FLOAT, {2}, {1, 2});
  auto const at = run.input(poplar::UNSIGNED_INT, {0}, {});
  popops::scatter(run.graph, t, at, run.graph.addVariable(poplar::FLOAT, {0}), 1, {}, {0}, {0},
                  run.prog);
  auto const output = run.output(t);
  run.run();
  CHECK(run.values(output) == Values{1, 2});
}

TEST_CASE("windows that are not whole are out of range") {
  onDevices([](DeviceMaker const &device) {
    for (bool computed : {false, true}) {
      auto const scatter = [&](Values const &at, poplar::OptionFlags const &options) {
        Run run(device);
        auto const t = run.input(poplar::FLOAT, {5}, {1, 2, 3, 4, 5});
        auto const s = run.input(poplar::FLOAT, {at.size(), 3}, Values(at.size() * 3, 9));
        auto const indices = run.input(poplar::UNSIGNED_INT, {at.size()}, at);
        popops::UpdateComputationFunc f = [](poplar::Graph &, poplar::Tensor &,
                                             poplar::Tensor &update,
                                             poplar::program::Sequence &) { return update; };
        if (computed)
          popops::scatter(run.graph, t, indices, s, 1, {1}, {}, {0}, f, run.prog, {}, options);
        else
          popops::scatter(run.graph, t, indices, s, 1, {1}, {}, {0}, run.prog, {}, options);
        auto const output = run.output(t);
        run.run();
        return run.values(output);
      };
      CHECK(scatter({3, 4, 5}, {}) == Values{1, 2, 3, 4, 5});
      CHECK(scatter({2}, {}) == Values{1, 2, 9, 9, 9});
      CHECK(scatter({4}, {{"remapOutOfBoundIndices", "true"}}) == Values{9, 9, 9, 4, 5});
      CHECK(scatter({5}, {{"remapOutOfBoundIndices", "true"}, {"paddingIndexUsed", "true"}}) ==
            Values{1, 2, 3, 4, 5});
      CHECK(scatter({2}, {{"validateIndices", "true"}}) == Values{1, 2, 9, 9, 9});
      CHECK_THROWS_WITH_AS(scatter({1, 3}, {{"validateIndices", "true"}}),
                           doctest::Contains("popops::scatter: an index is out of range: those of "
                                             "dimension 0 must be below 3; the largest is: [3]"),
                           poplar::application_runtime_error);
    }
  });
}

TEST_CASE("bad arguments of scatters are named") {
  Run run(harness::cpu);
  auto const t = run.input(poplar::FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  auto const at = run.input(poplar::UNSIGNED_INT, {1}, {0});
  auto const s = run.input(poplar::FLOAT, {1, 3}, {1, 2, 3});
  auto const scatter = [&](poplar::Tensor const &updates, std::vector<unsigned> window,
                           Shape inserted, std::vector<unsigned> map) {
    popops::scatter(run.graph, t, at, updates, 1, window, inserted, map, run.prog);
  };
  CHECK_NOTHROW(scatter(s, {1}, {0}, {0}));
  CHECK_THROWS_WITH_AS(scatter(at.reshape({1, 1}), {1}, {0}, {0}),
                       "popops::scatter: 'operand' is float and 'updates' unsigned int; they must "
                       "have the same type",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(scatter(s, {1}, {}, {0}),
                       "popops::scatter: 1 updateWindowDims and 0 insertWindowDims; together there "
                       "must be 2, the rank of 'operand'",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::scatter(run.graph, t.slice(0, 1).broadcast(2, 0), at, s, 1, {1}, {0}, {0}, run.prog),
      "popops::scatter: 'operand' of shape [2, 3] must be writeable in parallel, but it contains "
      "aliases",
      poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(s, {2}, {0}, {0}), poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(s, {1}, {0}, {0, 1}), poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(s, {1}, {0}, {3}), poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(t, {1}, {0}, {0}), poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(poplar::concat(s, s, 1), {1}, {0}, {0}), poputil::poplibs_error);
  popops::UpdateComputationFunc wrong = [](poplar::Graph &, poplar::Tensor &now, poplar::Tensor &,
                                           poplar::program::Sequence &) { return now.flatten(); };
  auto const compute = [&](popops::UpdateComputationFunc f, poplar::Tensor const &updates) {
    popops::scatter(run.graph, t, at, updates, 1, {1}, {0}, {0}, f, run.prog);
  };
  CHECK_THROWS_WITH_AS(compute(wrong, s),
                       "popops::scatter: 'updateComputation' returned a tensor of shape [3] of "
                       "type float; it must have shape [1, 3] and type float",
                       poputil::poplibs_error);
  wrong = [](poplar::Graph &, poplar::Tensor &now, poplar::Tensor &, poplar::program::Sequence &) {
    return now.reinterpret(poplar::INT);
  };
  CHECK_THROWS_WITH_AS(compute(wrong, s),
                       "popops::scatter: 'updateComputation' returned a tensor of shape [1, 3] of "
                       "type int; it must have shape [1, 3] and type float",
                       poputil::poplibs_error);
  wrong = [](poplar::Graph &, poplar::Tensor &, poplar::Tensor &, poplar::program::Sequence &) {
    return poplar::Tensor();
  };
  CHECK_THROWS_WITH_AS(compute(wrong, s),
                       "popops::scatter: 'updateComputation' returned an invalid tensor",
                       poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(compute({}, s), "popops::scatter: 'updateComputation' is empty",
                       poputil::poplibs_error);
  // Without updates, too.
  auto const none = s.slice(0, 0, 1);
  CHECK_NOTHROW(scatter(none, {1}, {0}, {0}));
  CHECK_THROWS_AS(scatter(none, {1}, {}, {0}), poputil::poplibs_error);
  CHECK_THROWS_AS(compute(wrong, none.reinterpret(poplar::INT)), poputil::poplibs_error);
  CHECK_THROWS_WITH_AS(
      popops::scatter(run.graph, t, at, none, 1, {1}, {0}, {0}, run.prog, {}, {{"unknown", "1"}}),
      doctest::Contains("popops::scatter: Unrecognised option 'unknown'"), poplar::invalid_option);
}

TEST_SUITE_END();
