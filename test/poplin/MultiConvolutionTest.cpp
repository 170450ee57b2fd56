#include "Convolutions.hpp"

#include <poplin/MultiConvolution.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("poplin/multi-convolution");

using namespace convolutions;
using poputil::poplibs_error;
namespace multiconv = poplin::multiconv;

namespace {

std::vector<ConvParams> layers(Type const &type) {
  ConvParams strided(type, 2, {7, 6}, {3, 2}, 3, 5, 2);
  strided.outputTransform.stride = {2, 1};
  return {ConvParams(type, 1, {8}, {3}, 4, 6, 1), strided};
}

} // namespace

TEST_CASE("several convolutions give the results of each, in order") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      auto &run = all.run;
      std::vector<multiconv::CreateTensorArgs> create;
      for (ConvParams const &p : layers(type))
        create.push_back({p, {}, "layer"});
      std::vector<multiconv::ConvolutionArgs> forwardArgs, backwardArgs;
      std::vector<multiconv::CalculateWeightDeltasArgs> deltaArgs;
      std::vector<multiconv::ConvWeightUpdateArgsScalar> updateArgs;
      std::vector<Tensor> weights;
      std::vector<Expectation> forwards, backwards, gradients;
      for (unsigned i = 0; i != create.size(); ++i) {
        ConvParams const &p = create[i].params;
        Values const in = all.numbers.real(type, product(inShape(p))),
                     w = all.numbers.real(type, product(weightsShape(p))),
                     deltas = all.numbers.real(type, product(outShape(p)));
        Tensor const tIn = filled(all, multiconv::createInput(run.graph, create, i), in);
        weights.push_back(filled(all, multiconv::createWeights(run.graph, create, i), w));
        Tensor const tDeltas = run.input(type, outShape(p), deltas);
        forwardArgs.push_back({tIn, weights[i], p, {}});
        backwardArgs.push_back({tDeltas, Tensor(), poplin::getGradientParams(p), {}});
        deltaArgs.push_back({tDeltas, tIn, p, {}});
        updateArgs.push_back({tDeltas, run.input(type, weightsShape(p), w), tIn, -1, p, {}});
        forwards.push_back(forward(p, in, w));
        backwards.push_back(inputGradient(p, deltas, w));
        gradients.push_back(weightGradient(p, deltas, in));
        Expectation updated = gradients[i];
        for (std::size_t x = 0; x != w.size(); ++x) {
          updated.values[x] = w[x] - updated.values[x];
          updated.bounds[x] +=
              2 * epsilonOf(type) * (std::fabs(w[x]) + std::fabs(updated.values[x]));
        }
        all.expect("update", updateArgs[i].weights, updated);
      }
      multiconv::weightsTransposeChansFlipXY(run.graph, backwardArgs, weights, run.prog, {}, "turn",
                                             nullptr);
      multiconv::convolutionWeightUpdate(run.graph, updateArgs, run.prog);
      auto const outs = multiconv::convolution(run.graph, forwardArgs, false, run.prog, "forward",
                                               {{"planType", "serial"}});
      auto const inDeltas = multiconv::convolution(run.graph, backwardArgs, false, run.prog);
      auto const weightDeltas = multiconv::calculateWeightDeltas(run.graph, deltaArgs, run.prog);
      for (std::size_t i = 0; i != create.size(); ++i) {
        all.expect("forward", outs.at(i), forwards[i]);
        all.expect("input gradient", inDeltas.at(i), backwards[i]);
        all.expect("weight gradient", weightDeltas.at(i), gradients[i]);
      }
      all.runAndCheck();
    }
  });
}

TEST_CASE("options and arguments are checked") {
  Run run(cpu);
  poplin::addCodelets(run.graph);
  ConvParams const p = layers(FLOAT)[0];
  std::vector<multiconv::CreateTensorArgs> args{
      {p, {}, "a"}, {p, {{"insertTransformsCycleCountProgs", "true"}}, "b"}};
  CHECK_THROWS_WITH_AS(multiconv::createInput(run.graph, args, 0),
                       "poplin::multiconv::createInput: option insertTransformsCycleCountProgs of "
                       "convolutions 0 and 1 differs; it must be the same for all",
                       poplibs_error);
  args.pop_back();
  CHECK_THROWS_WITH_AS(multiconv::createWeights(run.graph, args, 1),
                       "poplin::multiconv::createWeights: there is no convolution 1 among 1",
                       poplibs_error);
  CHECK_THROWS_AS(multiconv::createInput(run.graph, args, 0, {{"planType", "fast"}}),
                  poplar::invalid_option);
  CHECK_NOTHROW(multiconv::createInput(run.graph, args, 0,
                                       {{"perConvReservedTiles", "3"}, {"cycleBackOff", "0.5"}}));
  ConvParams mixed = p;
  mixed.outputType = HALF;
  std::vector<multiconv::ConvWeightUpdateArgsScalar> const update{
      {Tensor(), Tensor(), Tensor(), 1, mixed, {}}};
  CHECK_THROWS_WITH_AS(multiconv::convolutionWeightUpdate(run.graph, update, run.prog),
                       "poplin::multiconv::convolutionWeightUpdate: the type of the input is "
                       "float, that of the output half; they must be equal",
                       poplibs_error);
  std::vector<multiconv::ConvolutionArgs> turn{{Tensor(), Tensor(), p, {}}};
  CHECK_THROWS_AS(
      multiconv::weightsTransposeChansFlipXY(run.graph, turn, {}, run.prog, {}, "", nullptr),
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      multiconv::weightsTransposeChansFlipXY(run.graph, turn, {Tensor()}, run.prog, {}, "",
                                             nullptr),
      "poplin::multiconv::weightsTransposeChansFlipXY: 'weightsIn' is an invalid tensor",
      poplibs_error);
  Tensor const weights = poplin::createWeights(run.graph, p);
  std::vector<multiconv::ConvWeightUpdateArgsScalar> const noDeltas{
      {Tensor(), weights, Tensor(), 1, p, {}}};
  CHECK_THROWS_WITH_AS(
      multiconv::convolutionWeightUpdate(run.graph, noDeltas, run.prog),
      "poplin::multiconv::convolutionWeightUpdate: 'activations' is an invalid tensor",
      poplibs_error);
  std::vector<multiconv::ConvWeightUpdateArgsScalar> const noWeights{
      {Tensor(), Tensor(), Tensor(), 1, p, {}}};
  CHECK_THROWS_WITH_AS(multiconv::convolutionWeightUpdate(run.graph, noWeights, run.prog),
                       "poplin::multiconv::convolutionWeightUpdate: 'weights' is an invalid tensor",
                       poplibs_error);
}

TEST_SUITE_END();
