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

TEST_CASE("regions of any views are counted, however many there are") {
  Run run(cpu);
  // Columns cut and turned, rows that touch the next ones, two variables, elements between.
  std::vector<Tensor> views;
  auto const variable = [&](Shape const &shape) { return run.graph.addVariable(FLOAT, shape); };
  views.push_back(variable({6, 8}).transpose());
  views.push_back(variable({8, 9}).slice(1, 7, 1));
  views.push_back(variable({4, 2, 6}).dimShuffle({0, 2, 1}).reshape({8, 6}));
  views.push_back(poplar::concat(variable({8, 2}), variable({8, 4}), 1));
  views.push_back(variable({8, 12}).subSample(2, 1));
  views.push_back(variable({8, 6}).reverse(0));
  Tensor const halves = variable({2, 8, 3});
  views.push_back(poplar::concat(halves[0], halves[1], 1));
  views.push_back(poplar::concat(halves[0].flatten(), halves[1].flatten()).reshape({8, 6}));
  auto const regions = [](Tensor const &t) { return t.getContiguousRegions().size(); };
  for (Tensor const &a : views)
    for (Tensor const &b : views) {
      Tensor const best = run.graph.clone(regions(b) < regions(a) ? b : a);
      Tensor const out = popops::createOutputForElementWiseOp(run.graph, {a, b}, FLOAT);
      CHECK(regions(out) == regions(best));
      for (std::size_t i : {1, 6, 9})
        CHECK(out.flatten()[i].getVarRegions()[0].interval ==
              best.flatten()[i].getVarRegions()[0].interval);
    }
  // To list these takes tens of gigabytes.
  Tensor const plain = variable({1U << 15U, 1U << 15U}), turned = plain.transpose();
  CHECK(popops::createOutputForElementWiseOp(run.graph, {turned, plain}, HALF).isContiguous());
}

TEST_SUITE_END();
