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

/// The definition. Elements of one window do not overlap, and batch positions come in row-major
/// order, which the caller's updates keep by having their batch dimensions first.
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
      inRange = inRange && start < x.operand[x.toOperand[k]];
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
          unsigned const d = x.toOperand[k];
          // Windows of size 1 may be out of range.
          std::size_t window = 1, beyond = 2, next = 0;
          for (std::size_t e = 0; e != x.operand.size(); ++e)
            if (std::find(x.insertWindowDims.begin(), x.insertWindowDims.end(), e) ==
                x.insertWindowDims.end()) {
              std::size_t const size = x.updates[x.updateWindowDims[next++]];
              if (e == d && size > 1) {
                window = size;
                beyond = 0;
              }
            }
          indices[i] = static_cast<double>(numbers.below(x.operand[d] - window + 1 + beyond));
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
  CHECK_THROWS_AS(scatter(s, {2}, {0}, {0}), poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(s, {1}, {0}, {0, 1}), poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(s, {1}, {0}, {3}), poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(t, {1}, {0}, {0}), poputil::poplibs_error);
  CHECK_THROWS_AS(scatter(poplar::concat(s, s, 1), {1}, {0}, {0}), poputil::poplibs_error);
  popops::UpdateComputationFunc wrong = [](poplar::Graph &, poplar::Tensor &now, poplar::Tensor &,
                                           poplar::program::Sequence &) { return now.flatten(); };
  CHECK_THROWS_AS(popops::scatter(run.graph, t, at, s, 1, {1}, {0}, {0}, wrong, run.prog),
                  poputil::poplibs_error);
}

TEST_SUITE_END();
