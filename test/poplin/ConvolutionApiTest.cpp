#include "Convolutions.hpp"

#include <poplin/ConvPreplan.hpp>
#include <popops/ElementWise.hpp>

#include <sstream>

TEST_SUITE_BEGIN("poplin/convolution api");

using namespace convolutions;
using poplin::PlanningCache;

namespace {

ConvParams layer(Type const &type = FLOAT) {
  ConvParams p(type, 2, {6, 5}, {3, 3}, 4, 6, 2);
  p.inputTransform.paddingLower = {1, 1};
  p.outputTransform.stride = {2, 1};
  return p;
}

} // namespace

TEST_CASE("weights are updated in place by scale times their gradient") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      auto &run = all.run;
      ConvParams const p = layer(type);
      Values const in = all.numbers.real(type, product(inShape(p))),
                   deltas = all.numbers.real(type, product(outShape(p))),
                   weights = all.numbers.real(type, product(weightsShape(p)));
      Expectation e = weightGradient(p, deltas, in);
      for (std::size_t i = 0; i != e.values.size(); ++i) {
        double const scaled = 0.25 * e.values[i];
        e.values[i] = weights[i] + scaled;
        e.bounds[i] =
            0.25 * e.bounds[i] + 2 * epsilonOf(type) * (std::fabs(scaled) + std::fabs(e.values[i]));
      }
      Tensor const tIn = run.input(type, inShape(p), in),
                   tDeltas = run.input(type, outShape(p), deltas);
      Tensor const first = filled(all, poplin::createWeights(run.graph, p), weights),
                   second = run.input(type, weightsShape(p), weights);
      poplin::convolutionWeightUpdate(run.graph, tDeltas, first, tIn, p, 0.25F, run.prog);
      poplin::convolutionWeightUpdate(run.graph, tDeltas, second, tIn, p,
                                      run.input(type, {}, {0.25}), run.prog);
      all.expect("number", first, e);
      all.expect("tensor", second, e);
      all.runAndCheck();
    }
  });
}

TEST_CASE("biases are added to channels, and updated by sums of the output's gradient") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      auto &run = all.run;
      ConvParams const p = layer(type);
      Shape const shape = outShape(p);
      std::size_t const channels = shape[1], field = shape[2] * shape[3];
      Values const acts = all.numbers.real(type, product(shape)),
                   biases = all.numbers.real(type, channels);
      Expectation added, updated;
      Values sums(channels), magnitudes(channels);
      for (std::size_t i = 0; i != acts.size(); ++i) {
        std::size_t const c = i / field % channels;
        added.values.push_back(acts[i] + biases[c]);
        added.bounds.push_back(2 * epsilonOf(type) * std::fabs(added.values.back()));
        sums[c] += acts[i], magnitudes[c] += std::fabs(acts[i]);
      }
      for (std::size_t c = 0; c != channels; ++c) {
        updated.values.push_back(biases[c] - 0.5 * sums[c]);
        updated.bounds.push_back(epsilonOf(type) *
                                     (2 * std::fabs(updated.values[c]) + std::fabs(sums[c]) + 1) +
                                 100 * epsilonOf(FLOAT) * magnitudes[c]);
      }
      Tensor const out = filled(all, poplin::createConvOutput(run.graph, p), acts);
      Tensor const plain = run.input(type, shape, acts);
      Tensor const first = filled(all, poplin::createBiases(run.graph, out), biases);
      Tensor const second = filled(all, poplin::createBiases(run.graph, out, p, {"more"}), biases);
      CHECK(first.shape() == Shape{channels});
      CHECK(first.elementType() == type);
      poplin::addBias(run.graph, plain, first, run.prog);
      poplin::convolutionBiasUpdate(run.graph, out, first, -0.5F, {}, run.prog);
      poplin::convolutionBiasUpdate(run.graph, out, second, run.input(FLOAT, {1}, {-0.5}), {},
                                    run.prog);
      poplin::addBias(run.graph, out, run.input(type, {channels}, biases), run.prog);
      all.expect("added", out, added);
      all.expect("added to a plain variable", plain, added);
      all.expect("updated by a number", first, updated);
      all.expect("updated by a tensor", second, updated);
      all.runAndCheck();
    }
  });
}

TEST_CASE("weights with channels exchanged and kernels reversed are those of the gradient") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    auto &run = all.run;
    ConvParams const p = layer(), backward = poplin::getGradientParams(p);
    Values const deltas = all.numbers.real(FLOAT, product(outShape(p))),
                 weights = all.numbers.real(FLOAT, product(weightsShape(p)));
    Tensor const forward = filled(all, poplin::createWeights(run.graph, p), weights);
    Tensor const turned = poplin::createWeights(run.graph, backward);
    poplin::weightsTransposeChansFlipXY(run.graph, forward, turned, run.prog);
    Tensor const x = filled(all, poplin::createInput(run.graph, backward), deltas);
    all.expect("turned", poplin::convolution(run.graph, x, turned, backward, false, run.prog),
               inputGradient(p, deltas, weights));
    all.expect("as they are", poplin::convolution(run.graph, x, forward, backward, true, run.prog),
               inputGradient(p, deltas, weights));
    all.runAndCheck();
  });
}

TEST_CASE("weights of a fully connected layer are transposed") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    ConvParams const backward(FLOAT, 3, {1}, {1}, 5, 4, 2); // forward: 4 in, 5 out
    Values const weights = all.numbers.real(FLOAT, 40);
    Tensor const t = poplin::fullyConnectedWeightTranspose(
        all.run.graph, all.run.input(FLOAT, {2, 5, 4, 1}, weights), backward, all.run.prog);
    CHECK(t.shape() == Shape{2, 4, 5, 1});
    Expectation e{{}, Values(40, 0.0)};
    for (std::size_t g = 0; g != 2; ++g)
      for (std::size_t i = 0; i != 4; ++i)
        for (std::size_t o = 0; o != 5; ++o)
          e.values.push_back(weights[(g * 5 + o) * 4 + i]);
    all.expect("transposed", t, e);
    all.runAndCheck();
  });
}

TEST_CASE("flops count products of elements that are not padding") {
  RandomParams random(21);
  for (int i = 0; i != 30; ++i) {
    ConvParams const p = random.make(2);
    std::uint64_t products = 0;
    forEachProduct(p, [&](auto, auto, auto) { ++products; });
    CHECK(poplin::getFwdFlops(p) == 2 * products);
    CHECK(poplin::getBwdFlops(p) == 2 * products);
    CHECK(poplin::getWuFlops(p) == 2 * products);
  }
}

TEST_CASE("perfect cycles are products over what all tiles can do") {
  Run run(products::tiles(4));
  poplar::Target const &target = run.graph.getTarget();
  ConvParams const p(FLOAT, 1, {8}, {1}, 4, 6, 1), h(HALF, 1, {8}, {1}, 4, 6, 1);
  CHECK(poplin::getFwdPerfectCycleCount(run.graph, p) ==
        doctest::Approx(192.0 / (target.getFloatVectorWidth() * 4.0)));
  double const units = std::max(target.getFp16InFp16OutConvUnitsPerTile(),
                                target.getFp16InFp32OutConvUnitsPerTile());
  CHECK(poplin::getBwdPerfectCycleCount(run.graph, h) ==
        doctest::Approx(192.0 / (target.getHalfVectorWidth() * units * 4)));
  CHECK(poplin::getWuPerfectCycleCount(run.graph, p) ==
        poplin::getFwdPerfectCycleCount(run.graph, p));
}

TEST_CASE("a cache counts different convolutions, and later uses find them") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    poplin::addCodelets(run.graph);
    PlanningCache cache;
    poplar::OptionFlags const none, other{{"availableMemoryProportion", "0.3"}};
    poplar::Target const *target = &run.graph.getTarget();
    ConvParams const p = layer(), h = layer(HALF);
    std::set<poplin::ConvPlanParams> const convs{
        {target, p, &none}, {target, h, &none}, {target, p, &other}};
    poplin::preplanConvolutions(convs, cache);
    CHECK(cache.size() == 3);
    poplin::preplanConvolutions(run.graph, convs, cache);
    CHECK(cache.size() == 3);
    Tensor const in = poplin::createInput(run.graph, p, "", none, &cache),
                 weights = poplin::createWeights(run.graph, p, "", none, &cache);
    poplin::convolution(run.graph, in, weights, p, false, run.prog, "", none, &cache);
    CHECK(cache.size() == 3);
    poplin::MatMulParams const product{FLOAT, FLOAT, {4, 5}, {5, 6}};
    poplin::preplan(convs, {{target, product, &none}}, cache);
    CHECK(cache.size() == 4);
  });
}

TEST_CASE("products are convolutions over one place") {
  Run run(cpu);
  poplar::OptionFlags const options{
      {"fullyConnectedPass", "TRAINING_WU"}, {"gatherOutput", "true"}, {"partialsType", "half"}};
  poplar::Target const *target = &run.graph.getTarget();
  poplin::MatMulToConvOptions converted;
  auto const convs = poplin::matMulGetConvPlanParams(
      {{target, {HALF, FLOAT, {3, 4, 5}, {3, 5, 6}}, &options}}, converted);
  REQUIRE(convs.size() == 1);
  auto const &[convTarget, params, convOptions] = *convs.begin();
  CHECK(convTarget == target);
  CHECK(params == ConvParams(HALF, FLOAT, 4, {1}, {1}, 5, 6, 3));
  CHECK(convOptions == &converted.at(&options));
  CHECK(convOptions->at("pass") == "FC_TRAINING_WU");
  CHECK(convOptions->at("gatherConvOutput") == "true");
  CHECK_NOTHROW(poplin::convolutionValidateOptions(*convOptions));
}

TEST_CASE("reports name the problem, the plan and its cost") {
  onDevices([](DeviceMaker const &device) {
    Run run(device);
    std::ostringstream text, update;
    poplin::reportPlanInfo(text, run.graph, layer());
    CHECK(text.str().find("problem: conv-problem g=2 b=2 n=6 i=4") != std::string::npos);
    CHECK(text.str().find("plan: ") != std::string::npos);
    CHECK(text.str().find("cycles") != std::string::npos);
    poplin::reportWeightUpdatePlanInfo(update, run.graph, layer());
    CHECK(update.str().find("problem: conv-problem g=2 b=4 n=6 i=2") != std::string::npos);
    std::ostringstream pointwise;
    poplin::reportWeightUpdatePlanInfo(pointwise, run.graph,
                                       ConvParams(FLOAT, 2, {5, 5}, {1, 1}, 4, 6, 1));
    bool const onCpu = run.graph.getTarget().getTargetType() == poplar::TargetType::CPU;
    CHECK((pointwise.str().find("problem: matmul-problem g=1 m=4 k=50 n=6") != std::string::npos) ==
          onCpu);
    std::ostringstream product;
    poplin::reportPlanInfo(product, run.graph, ConvParams(HALF, 2, {5, 5}, {1, 1}, 4, 6, 1));
    CHECK((product.str().find("problem: matmul-problem g=1 m=50 k=4 n=6") != std::string::npos) ==
          onCpu);
    poplin::PlanCosts const costs = poplin::reportPlanEstimatedCosts(run.graph, layer());
    CHECK(costs.cycles > 0);
    auto const detailed = poplin::internal::reportDetailedPlanEstimatedCosts(run.graph, layer());
    CHECK(detailed.total.cycles == costs.cycles);
    CHECK(detailed.exchange.cycles + detailed.compute.cycles + detailed.reduction.cycles ==
          costs.cycles);
    std::stringstream stream;
    stream << detailed;
    poplin::internal::DetailedPlanCosts again;
    stream >> again;
    CHECK(again.compute.cycles == detailed.compute.cycles);
    CHECK(again.parallelSplit == detailed.parallelSplit);
    int steps = 0;
    again.apply([&](poplin::PlanCosts &cost) { cost = {++steps > 0 ? 1U : 0U, 0}; }, false);
    CHECK(steps == 12);
    CHECK(again.outputCast.cycles == 1);
  });
}

TEST_SUITE_END();
