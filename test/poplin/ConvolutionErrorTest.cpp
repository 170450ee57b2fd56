#include "Convolutions.hpp"
#include "OptionErrors.hpp"

#include <poplin/ConvPreplan.hpp>
#include <poplin/Fused.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("poplin/convolution errors");

using namespace convolutions;
using poputil::poplibs_error;

namespace {

/// A graph on the CPU, a convolution, and its operands.
struct Fixture {
  Run run{cpu};
  ConvParams p{FLOAT, 2, {6, 5}, {3, 3}, 4, 6, 2};
  Tensor in, weights, out;

  Fixture() {
    poplin::addCodelets(run.graph);
    in = tensor(inShape(p)), weights = tensor(weightsShape(p)), out = tensor(outShape(p));
  }

  Tensor tensor(Shape const &shape, Type const &type = FLOAT) {
    Tensor const t = run.graph.addVariable(type, shape);
    run.graph.setTileMapping(t, 0);
    return t;
  }
  void convolve(poplar::OptionFlags const &options = {}, bool turned = false) {
    poplin::convolution(run.graph, in, weights, p, turned, run.prog, "", options);
  }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "operands of other shapes and types are named with what is expected") {
  in = tensor({2, 8, 6, 4});
  CHECK_THROWS_WITH_AS(convolve(),
                       "poplin::convolution: 'in' has shape [2, 8, 6, 4], but the params say "
                       "[2, 8, 6, 5]: [batch, input channels, ...field]",
                       poplibs_error);
  in = tensor(inShape(p), HALF);
  CHECK_THROWS_WITH_AS(convolve(),
                       "poplin::convolution: 'in' is of type half, but the params say float",
                       poplibs_error);
  in = tensor(inShape(p));
  weights = tensor({2, 4, 6, 3, 3});
  CHECK_THROWS_WITH_AS(convolve(),
                       "poplin::convolution: 'weights' has shape [2, 4, 6, 3, 3], but the params "
                       "say [2, 6, 4, 3, 3]: [groups, output channels, input channels, ...kernel]",
                       poplibs_error);
  CHECK_NOTHROW(convolve({}, true));
  weights = Tensor();
  CHECK_THROWS_WITH_AS(convolve(), "poplin::convolution: 'weights' is an invalid tensor",
                       poplibs_error);
}

TEST_CASE_FIXTURE(Fixture, "params are checked first") {
  p.outputTransform.stride = {0, 1};
  CHECK_THROWS_WITH_AS(convolve(),
                       "poplin::ConvParams: outputTransform.stride[0] is 0; it must be at least 1",
                       poplibs_error);
  p = ConvParams(poplar::INT, 2, {6, 5}, {3, 3}, 4, 6, 2);
  CHECK_THROWS_WITH_AS(convolve(),
                       "poplin::convolution: the type of input and weights is int; it must be "
                       "float, half or quarter",
                       poplibs_error);
  p = ConvParams(FLOAT, poplar::QUARTER, 2, {6, 5}, {3, 3}, 4, 6, 2);
  CHECK_THROWS_AS(poplin::createInput(run.graph, p), poplibs_error);
  p = ConvParams(FLOAT, 1, Shape(9, 1), Shape(9, 1), 1, 1, 1);
  CHECK_THROWS_WITH_AS(poplin::createWeights(run.graph, p),
                       "poplin::createWeights: the field has 9 dimensions; it may have 8",
                       poplibs_error);
}

TEST_CASE_FIXTURE(Fixture, "outputs must fit and be writeable") {
  auto const into = [&](Tensor const &t) {
    poplin::convolutionWithOutput(run.graph, in, weights, t, p, false, run.prog);
  };
  CHECK_THROWS_AS(into(tensor({2, 12, 4, 4})), poplibs_error);
  CHECK_THROWS_AS(into(tensor(outShape(p), HALF)), poplibs_error);
  CHECK_THROWS_WITH_AS(into(tensor({1, 12, 4, 3}).broadcast(2, 0)),
                       "poplin::convolutionWithOutput: 'out' of shape [2, 12, 4, 3] cannot be "
                       "written: it contains aliases",
                       poplibs_error);
  CHECK_NOTHROW(into(out));
}

TEST_CASE_FIXTURE(Fixture, "gradients and biases check their arguments") {
  CHECK_THROWS_WITH_AS(
      poplin::calculateWeightDeltas(run.graph, in, in, p, run.prog),
      "poplin::calculateWeightDeltas: 'zDeltas' has shape [2, 8, 6, 5], but the params say "
      "[2, 12, 4, 3]: [batch, output channels, ...field]",
      poplibs_error);
  CHECK_THROWS_AS(poplin::convolutionWeightUpdate(run.graph, out, in, in, p, 1.0F, run.prog),
                  poplibs_error);
  CHECK_THROWS_WITH_AS(
      poplin::weightsTransposeChansFlipXY(run.graph, weights, weights, run.prog),
      "poplin::weightsTransposeChansFlipXY: 'weightsOut' has shape [2, 6, 4, 3, 3]; for "
      "'weightsIn' of shape [2, 6, 4, 3, 3] it must be [2, 4, 6, 3, 3]",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      poplin::weightsTransposeChansFlipXY(run.graph, weights,
                                          tensor({1, 4, 6, 3, 3}).broadcast(2, 0), run.prog),
      "poplin::weightsTransposeChansFlipXY: 'weightsOut' of shape [2, 4, 6, 3, 3] cannot be "
      "written: it contains aliases",
      poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::addBias(run.graph, out, tensor({6}), run.prog),
                       "poplin::addBias: 'biases' has shape [6]; for 'in' of shape [2, 12, 4, 3] "
                       "it must be [12]",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(poplin::addBias(run.graph, tensor({6}), tensor({6}), run.prog),
                       "poplin::addBias: 'in' has shape [6] of rank 1; it must have at least rank "
                       "2: [batch, channels, ...field]",
                       poplibs_error);
  CHECK_THROWS_AS(
      poplin::convolutionBiasUpdate(run.graph, tensor({6}), tensor({6}), 1.0F, {}, run.prog),
      poplibs_error);
  CHECK_THROWS_AS(poplin::createBiases(run.graph, tensor({6})), poplibs_error);
  CHECK_THROWS_WITH_AS(
      poplin::addBias(run.graph, out, tensor({12}, HALF), run.prog),
      "poplin::addBias: 'biases' is of type half, 'in' of type float; they must be equal",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      poplin::addBias(run.graph, tensor({1, 12}).broadcast(2, 0), tensor({12}), run.prog),
      "poplin::addBias: 'in' of shape [2, 12] cannot be written: it contains aliases",
      poplibs_error);
  auto const updateBias = [&](Tensor const &biases, Tensor const &scale) {
    poplin::convolutionBiasUpdate(run.graph, out, biases, scale, {}, run.prog);
  };
  CHECK_THROWS_WITH_AS(updateBias(tensor({12}), tensor({}, HALF)),
                       "poplin::convolutionBiasUpdate: 'scale' is of type half; it must be float",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      updateBias(tensor({12}), tensor({2})),
      "poplin::convolutionBiasUpdate: 'scale' has shape [2]; it must have one element",
      poplibs_error);
  CHECK_THROWS_WITH_AS(updateBias(tensor({1}).broadcast(12, 0), tensor({})),
                       "poplin::convolutionBiasUpdate: 'biases' of shape [12] cannot be written: "
                       "it contains aliases",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(updateBias(tensor({12}, poplar::INT), tensor({})),
                       "poplin::convolutionBiasUpdate: 'biases' is of type int; allowed: float, "
                       "half",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      poplin::convolutionBiasUpdate(run.graph, tensor(outShape(p), poplar::INT),
                                    tensor({12}, poplar::INT), 1.0F, {}, run.prog),
      "poplin::convolutionBiasUpdate: 'zDeltas' is of type int; allowed: float, half",
      poplibs_error);
  auto const update = [&](Tensor const &scale) {
    poplin::convolutionWeightUpdate(run.graph, out, weights, in, p, scale, run.prog);
  };
  CHECK_THROWS_WITH_AS(
      update(tensor({}, poplar::INT)),
      "poplin::convolutionWeightUpdate: 'scale' is of type int; it must be float or half",
      poplibs_error);
  CHECK_THROWS_WITH_AS(
      update(tensor({2})),
      "poplin::convolutionWeightUpdate: 'scale' has shape [2]; it must have one element",
      poplibs_error);
  CHECK_THROWS_WITH_AS(update(Tensor()),
                       "poplin::convolutionWeightUpdate: 'scale' is an invalid tensor",
                       poplibs_error);
  CHECK_THROWS_WITH_AS(
      poplin::fullyConnectedWeightTranspose(run.graph, weights, p, run.prog),
      "poplin::fullyConnectedWeightTranspose: the field has 2 dimensions; it must have one",
      poplibs_error);
}

TEST_CASE_FIXTURE(Fixture, "options: keys, values and plan constraints") {
  CHECK_THROWS_AS(convolve({{"numIPUs", "1"}}), poplar::invalid_option);
  CHECK_THROWS_AS(convolve({{"pass", "FORWARD"}}), poplar::invalid_option);
  CHECK_THROWS_AS(convolve({{"availableMemoryProportion", "-1"}}), poplar::invalid_option);
  for (char const *text :
       {"[1]", "{", R"({"splitG": 1})", R"({"method": {"type": "FFT"}})", R"({"0": {"split": {}}})",
        R"({"0": {"partition": {"batchSplit": "2"}}})",
        R"({"0": {"partition": {"outChanSplit": {"both": 2}}}})",
        R"({"0": {"transform": {"swapOperands": 1}}})",
        R"({"0": {"partition": {"fieldSplit": {"x": 2}}}})",
        R"({"0": {"partition": {"fieldSplit": {"8": 1}}}})",
        R"({"0": {"transform": {"expandDims": [40]}}})", R"({"partialChansPerGroup": 0})",
        R"({"0": {"transform": {"combineConvGroupsFactor": [0]}}})",
        R"({"method": {"convUnits": 0}})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(poplin::convolutionValidateOptions({{"planConstraints", text}}),
                    poplar::invalid_option);
  }
  CHECK_THROWS_WITH_AS(
      poplin::convolutionValidateOptions({{"planConstraints", R"({"splitG": 1})"}}),
      doctest::Contains("'splitG' is not a key of plan constraints; allowed: method, "),
      poplar::invalid_option);
  CHECK_NOTHROW(poplin::convolutionValidateOptions(
      {{"planConstraints",
        R"({"method": {"type": "SLIC", "windowWidth": 4}, "inChansPerGroup": 8,
            "0": {"transform": {"swapOperands": true, "expandDims": [0]},
                  "partition": {"batchSplit": 2, "inChanSplit": {"serial": 1}}}})"},
       {"pass", "FC_TRAINING_WU"},
       {"partialsType.interTile", "half"},
       {"partialsType.interIPU", "float"},
       {"experimental.slicVmac16", "true"},
       {"planConstraintsOutputFilename", "plan"}}));
  auto const fails = [&](char const *partition, char const *text) {
    CAPTURE(partition);
    std::string const json = R"({"0": {"partition": )" + std::string(partition) + "}}";
    CHECK_THROWS_WITH_AS(
        convolve({{"planConstraints", json}}),
        ("poplin::convolution: the constraints admit no plan (" + std::string(text) + ")").c_str(),
        poplibs_error);
  };
  fails(R"({"kernelSplit": {"0": 3}})",
        "splitK0 = 3 is not possible; allowed: 1, as a CPU keeps sums whole");
  fails(R"({"outChanSplit": {"serial": 2}})", "otherSplits = 2 is not possible; allowed: 1");
  fails(R"({"convGroupSplit": 3000})", "splitG = 3000 is not possible; allowed: 1 to 2");
  fails(R"({"batchSplit": 0})", "splitB = 0 is not possible; allowed: 1 to 2");
}

TEST_CASE_FIXTURE(Fixture, "options are blamed on the function that was given them") {
  poplar::OptionFlags const bad{{"partialsType", "int"}};
  auto &g = run.graph;
  auto &prog = run.prog;
  std::ostringstream text;
  poplin::PlanningCache cache;
  Tensor const biases = tensor({out.dim(1)});
  auto const expect = [](char const *function, auto const &call) {
    checkBlamed(function,
                "Invalid value 'int' for option 'partialsType': Not one of the values: "
                "'float', 'half'",
                call);
  };
  using namespace poplin;
  expect("createWeights", [&] { createWeights(g, p, "", bad); });
  expect("createInput", [&] { createInput(g, p, "", bad); });
  expect("createConvOutput", [&] { createConvOutput(g, p, "", bad); });
  expect("createBiases", [&] { createBiases(g, out, p, "", bad); });
  expect("convolution", [&] { convolve(bad); });
  expect("convolutionWithOutput",
         [&] { convolutionWithOutput(g, in, weights, out, p, false, prog, "", bad); });
  expect("preplanConvolutions", [&] { preplanConvolutions({{&g.getTarget(), p, &bad}}, cache); });
  expect("preplan", [&] { preplan({{&g.getTarget(), p, &bad}}, {}, cache); });
  expect("weightsTransposeChansFlipXY",
         [&] { weightsTransposeChansFlipXY(g, weights, weights, prog, "", bad); });
  expect("calculateWeightDeltas", [&] { calculateWeightDeltas(g, out, in, p, prog, "", bad); });
  expect("convolutionWeightUpdate",
         [&] { convolutionWeightUpdate(g, out, weights, in, p, 1.0F, prog, "", bad); });
  expect("convolutionBiasUpdate", [&] { convolutionBiasUpdate(g, out, biases, 1.0F, bad, prog); });
  expect("convolutionBias",
         [&] { convolutionBias(g, in, weights, biases, p, false, prog, {}, "", bad); });
  expect("reportPlanInfo", [&] { reportPlanInfo(text, g, p, bad); });
  expect("reportWeightUpdatePlanInfo", [&] { reportWeightUpdatePlanInfo(text, g, p, bad); });
  expect("reportPlanEstimatedCosts", [&] { reportPlanEstimatedCosts(g, p, bad); });
  expect("internal::reportDetailedPlanEstimatedCosts",
         [&] { internal::reportDetailedPlanEstimatedCosts(g, p, bad); });
  expect("fullyConnectedWeightTranspose", [&] {
    fullyConnectedWeightTranspose(g, tensor({1, 6, 4, 1}), ConvParams{FLOAT, 2, {6}, {1}, 6, 4, 1},
                                  prog, "", bad);
  });
  expect("convolutionValidateOptions", [&] { convolutionValidateOptions(bad); });
  expect("multiconv::createInput", [&] { multiconv::createInput(g, {{p, bad, ""}}, 0); });
  expect("multiconv::createWeights", [&] { multiconv::createWeights(g, {{p, bad, ""}}, 0); });
  expect("multiconv::convolution", [&] {
    multiconv::convolution(g, {{in, weights, p, bad}}, false, prog);
  });
}

TEST_CASE_FIXTURE(Fixture, "null pointers in plan params are refused") {
  poplin::PlanningCache cache;
  CHECK_THROWS_WITH_AS(poplin::preplanConvolutions({{nullptr, p, nullptr}}, cache),
                       "poplin::preplanConvolutions: the pointer to the target is null",
                       poplibs_error);
}

TEST_SUITE_END();
