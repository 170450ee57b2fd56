#include "Harness.hpp"

#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popops/elementWiseUtil");

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poputil::poplibs_error;

TEST_CASE("results are laid out as the first suitable input") {
  Run run([] { return modelOf(4); });
  Tensor const a = run.graph.addVariable(FLOAT, {8});
  run.graph.setTileMapping(a, {{{0, 2}}, {{2, 4}}, {{4, 6}}, {{6, 8}}});
  Tensor const b = run.graph.addVariable(FLOAT, {8});
  run.graph.setTileMapping(b, 3);
  CHECK(run.graph.getTileMapping(popops::add(run.graph, b, a, run.prog)) ==
        run.graph.getTileMapping(a));
  CHECK_THROWS_AS(popops::createOutputForElementWiseOp(run.graph, {}, FLOAT), poplibs_error);
}

TEST_CASE("of inputs spread alike the one of the fewest regions is the model of the result") {
  Run run([] { return modelOf(2); });
  auto const inPieces = [&](unsigned pieces) {
    std::vector<Tensor> parts;
    for (unsigned i = 0; i != pieces; ++i)
      parts.push_back(run.graph.addVariable(FLOAT, {40 / pieces}));
    Tensor const t = poplar::concat(parts);
    run.graph.setTileMapping(t, 1);
    return t;
  };
  Tensor const ten = inPieces(10), two = inPieces(2);
  auto const regions = [&](std::vector<Tensor> const &inputs) {
    return popops::createOutputForElementWiseOp(run.graph, inputs, HALF)
        .getContiguousRegions()
        .size();
  };
  CHECK(regions({ten, two}) == 2);
  CHECK(regions({two, ten}) == 2);
  CHECK_THROWS_WITH_AS(popops::createOutputForElementWiseOp(run.graph, {two, Tensor()}, FLOAT),
                       "popops::createOutputForElementWiseOp: inputs[1] is an invalid tensor",
                       poplibs_error);
}

TEST_SUITE_END();
