#include "Harness.hpp"

#include <popops/Rearrange.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <string>
#include <vector>

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poputil::GroupingInfo;
using poputil::poplibs_error;
namespace rearrange = popops::rearrange;

TEST_SUITE_BEGIN("popops/rearrange");

namespace {

// [..., rows, columns] with the two last dimensions swapped.
Values transposed(Values const &in, std::size_t rows, std::size_t columns) {
  Values out(in.size());
  for (std::size_t i = 0; i != in.size(); ++i) {
    std::size_t const matrix = i / (rows * columns), r = i / columns % rows, c = i % columns;
    out[matrix * rows * columns + c * rows + r] = in[i];
  }
  return out;
}

} // namespace

TEST_CASE("partial transposes of all element sizes") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    Numbers numbers;
    auto const cs = run.graph.addComputeSet();
    std::vector<std::pair<std::size_t, Values>> results;
    for (poplar::Type const &type :
         {poplar::UNSIGNED_CHAR, HALF, FLOAT, poplar::INT, poplar::LONGLONG, poplar::BOOL})
      for (Shape const &shape : {Shape{1, 1}, {5, 7}, {40, 33}, {2, 3, 16, 8}, {9, 20, 1}}) {
        std::size_t const rank = shape.size();
        Values const in = numbers.integer(product(shape), 0, type == poplar::BOOL ? 1 : 100);
        Tensor const out = rearrange::partialTranspose(run.graph, run.input(type, shape, in), cs);
        auto expected = shape;
        std::swap(expected[rank - 1], expected[rank - 2]);
        CHECK(out.shape() == expected);
        CHECK(out.isContiguous());
        results.emplace_back(run.output(out), transposed(in, shape[rank - 2], shape[rank - 1]));
      }
    CHECK(rearrange::partialTranspose(run.graph, run.graph.addVariable(HALF, {3, 0, 2}), cs)
              .shape() == Shape{3, 2, 0});
    run.prog.add(poplar::program::Execute(cs));
    run.run();
    for (auto const &[output, expected] : results)
      CHECK(run.values(output) == expected);
  });
}

TEST_CASE("transposes by a mapping of matrices to tiles") {
  Run run(model);
  auto &g = run.graph;
  Values values(5 * 8 * 4);
  for (std::size_t i = 0; i != values.size(); ++i)
    values[i] = static_cast<double>(i);
  Tensor const in = run.input(HALF, {5, 8, 4}, values),
               out = run.input(HALF, {5, 4, 8}, Values(160));
  auto const cs = g.addComputeSet();
  rearrange::addTransposeVertices(
      g, cs, HALF, 8, 4, {{{0, 2}, {3, 4}}, {}, {{2, 3}, {4, 5}}},
      [&](std::size_t i) { return std::pair<Tensor const, Tensor const>(in[i], out[i]); });
  run.prog.add(poplar::program::Execute(cs));
  std::size_t const result = run.output(out);
  run.run();
  CHECK(run.values(result) == transposed(values, 8, 4));
  CHECK_THROWS_WITH_AS(
      rearrange::addTransposeVertices(
          g, cs, HALF, 8, 2, {{{1, 2}}},
          [&](std::size_t i) { return std::pair<Tensor const, Tensor const>(in[i], out[i]); }),
      "popops::rearrange::addTransposeVertices: matrix 1 has shape [8, 4] of type "
      "half; it must have 16 elements of type half",
      poplibs_error);
}

TEST_CASE("regrouped tensors hold the same elements, grouped as asked") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Values values(12 * 8);
    for (std::size_t i = 0; i != values.size(); ++i)
      values[i] = static_cast<double>(i);
    Tensor const t = g.addVariable(FLOAT, {12, 8}), ref = g.addVariable(FLOAT, {8, 12}).transpose();
    g.setTileMapping(t, 0);
    g.setTileMapping(ref, 0);
    run.write(t, values);
    std::vector<Tensor> results;
    auto const cs = g.addComputeSet();
    results.push_back(rearrange::regroupTensor(g, t, run.prog, cs, {1, 8}, {0, 4}));
    CHECK(poputil::detectDimGroupings(g, results.back()).front() == GroupingInfo(0, 4));
    results.push_back(rearrange::regroupIfPossible(g, t, run.prog, {0, 6}));
    CHECK(poputil::detectDimGroupings(g, results.back()).front() == GroupingInfo(0, 6));
    results.push_back(rearrange::regroupIfBeneficial(g, t, ref, run.prog));
    CHECK(poputil::detectDimGroupings(g, results.back()).front().first == 0);
    std::vector<poplar::program::Copy> copies;
    results.push_back(rearrange::regroupIfBeneficial(g, t, ref, copies, cs));
    CHECK(copies.size() == 1);
    results.push_back(rearrange::regroupTensor(g, t, copies, cs, {1, 8}, {1, 4}));
    for (auto const &copy : copies)
      run.prog.add(copy);
    run.prog.add(poplar::program::Execute(cs));
    results.push_back(rearrange::regroupIfBeneficial(g, t.transpose(), 6, run.prog).transpose());
    CHECK(poputil::detectInnermostGrouping(g, results.back().transpose()) % 2 == 0);
    // Nothing to do, or nothing that can be done.
    CHECK(rearrange::regroupIfPossible(g, t, run.prog, {0, 5}) == t);
    CHECK(rearrange::regroupIfPossible(g, t, run.prog, {1, 4}) == t);
    CHECK(rearrange::regroupIfPossible(g, t, run.prog, {7, 4}) == t);
    CHECK(rearrange::regroupIfBeneficial(g, t, t, run.prog) == t);
    CHECK(rearrange::regroupIfBeneficial(g, t, 4, run.prog) == t);
    CHECK(rearrange::regroupIfBeneficial(g, t[0][0], 4, run.prog) == t[0][0]);
    // A tile ends within a row.
    Tensor const cut = g.addVariable(FLOAT, {12, 8});
    g.setTileMapping(cut.flatten().slice(0, 51), 0);
    g.setTileMapping(cut.flatten().slice(51, 96), g.getTarget().getNumTiles() - 1);
    run.write(cut, values);
    CHECK(rearrange::regroupIfBeneficial(g, cut, cut, run.prog) == cut);
    results.push_back(rearrange::regroupIfPossible(g, cut, run.prog, {0, 4}));
    CHECK(poputil::detectDimGroupings(g, results.back()).front() == GroupingInfo(0, 4));
    std::vector<std::size_t> outs;
    for (Tensor const &result : results) {
      CHECK(result.shape() == t.shape());
      outs.push_back(run.output(result));
    }
    run.run();
    for (std::size_t out : outs)
      CHECK(run.values(out) == values);
  });
}

TEST_CASE("what can be rearranged") {
  Run run(cpu);
  auto &g = run.graph;
  auto const &target = g.getTarget();
  CHECK(rearrange::canUseFastTranspose(target, HALF, 4, 8, 1));
  CHECK(!rearrange::canUseFastTranspose(target, HALF, 4, 6, 1));
  CHECK(!rearrange::canUseFastTranspose(target, HALF, 4, 8, 0));
  CHECK(!rearrange::canUseFastTranspose(target, poplar::LONGLONG, 8, 8, 1));
  CHECK(rearrange::getMinimumRegroupGrainSize(poplar::QUARTER) == 8);
  CHECK(rearrange::getMinimumRegroupGrainSize(poplar::SHORT) == 4);
  CHECK(rearrange::getMinimumRegroupGrainSize(poplar::INT) == 2);
  CHECK(rearrange::getMinimumRegroupGrainSize(poplar::BOOL) == 1);
  Tensor const t = g.addVariable(FLOAT, {6, 4});
  CHECK_THROWS_WITH_AS(rearrange::partialTranspose(g, t[0], g.addComputeSet()),
                       "popops::rearrange::partialTranspose: 'in' has shape [4]; its rank must be "
                       "at least 2",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      rearrange::addTransposeVertices(g, g.addComputeSet(), FLOAT, 2, 2, {{{0, 1}}}, {}),
      "popops::rearrange::addTransposeVertices: 'getInOut' is empty; it must be a function of the "
      "number of a matrix",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      rearrange::regroupTensor(g, t, run.prog, g.addComputeSet(), {1, 4}, {0, 4}),
      "popops::rearrange::regroupTensor: 'to' is groups of 4 along dimension 0 of 't' of shape "
      "[6, 4]; they must divide a dimension of it",
      poplibs_error);
}

TEST_CASE("invalid tensors are named in the error") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    auto &g = run.graph;
    Tensor const none, t = g.addVariable(FLOAT, {8, 8}), mapped = g.addVariable(FLOAT, {8, 8});
    poputil::mapTensorLinearly(g, mapped);
    auto const cs = g.addComputeSet();
    std::vector<poplar::program::Copy> copies;
    std::string const of = "popops::rearrange::", bad = "' is an invalid tensor";
    std::string const beneficial = of + "regroupIfBeneficial: '";
    for (Tensor const &other : {t, mapped}) {
      CHECK_THROWS_WITH_AS(rearrange::regroupIfBeneficial(g, none, other, run.prog),
                           (beneficial + "in" + bad).c_str(), poplibs_error);
      CHECK_THROWS_WITH_AS(rearrange::regroupIfBeneficial(g, other, none, copies, cs),
                           (beneficial + "ref" + bad).c_str(), poplibs_error);
    }
    CHECK_THROWS_WITH_AS(rearrange::regroupIfBeneficial(g, none, 8, run.prog),
                         (beneficial + "in" + bad).c_str(), poplibs_error);
    CHECK_THROWS_WITH_AS(rearrange::regroupIfPossible(g, none, run.prog, {0, 4}),
                         (of + "regroupIfPossible: 't" + bad).c_str(), poplibs_error);
    CHECK_THROWS_WITH_AS(rearrange::regroupTensor(g, none, run.prog, cs, {0, 4}, {1, 4}),
                         (of + "regroupTensor: 't" + bad).c_str(), poplibs_error);
    CHECK_THROWS_WITH_AS(rearrange::partialTranspose(g, none, cs),
                         (of + "partialTranspose: 'in" + bad).c_str(), poplibs_error);
  });
}

TEST_SUITE_END();
