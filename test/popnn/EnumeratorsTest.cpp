// Values that an enumeration does not have.
#include "../poplar/graph/Refusals.hpp"
#include "../popops/Harness.hpp"

#include <poplin/Convolution.hpp>
#include <poplin/Fused.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <poputil/exceptions.hpp>

TEST_SUITE_BEGIN("popnn/enumerators");

using namespace harness;
using namespace popnn;
using poplar::FLOAT;
using poplar::Tensor;

namespace {

std::string const TYPE =
    "NonLinearityType # does not exist; allowed: SIGMOID, HARD_SIGMOID, RELU, TANH, GELU, "
    "GELU_ERF, SWISH, SOFTMAX, SOFTMAX_STABLE, SOFTMAX_SCALED";
std::string const POOLING = "popnn::pooling: PoolingType # does not exist; allowed: MAX, AVG, SUM";
std::string const ACTIVATION = "Activation # does not exist; allowed: NONE, RELU";

} // namespace

TEST_CASE("non-linearities refuse types that do not exist") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  Tensor const t = run.input(FLOAT, {2, 3}, Values(6));
  auto cs = run.graph.addComputeSet("cs");
  float scaling = 0;
  checkRefusals<poputil::poplibs_error>({
      {10, "popnn::nonLinearity: " + TYPE,
       [&](int x) { nonLinearity(run.graph, NonLinearityType(x), t, run.prog); }},
      {10, "popnn::nonLinearityInPlace: " + TYPE,
       [&](int x) { nonLinearityInPlace(run.graph, NonLinearityType(x), t, run.prog); }},
      {10, "popnn::nonLinearityInPlace: " + TYPE,
       [&](int x) { nonLinearityInPlace(run.graph, NonLinearityType(x), t, cs); }},
      {10, "popnn::nonLinearityInPlace: " + TYPE,
       [&](int x) { nonLinearityInPlace(run.graph, NonLinearityType(x), t, scaling, run.prog); }},
      {10, "popnn::nonLinearityInputGradient: " + TYPE,
       [&](int x) { nonLinearityInputGradient(run.graph, NonLinearityType(x), t, t, run.prog); }},
      {10, "popnn::nonLinearityInputGradient: " + TYPE,
       [&](int x) { nonLinearityInputGradient(run.graph, NonLinearityType(x), t, t, cs); }},
      {10, "popnn::asString: NonLinearityType # does not exist; allowed: 0 to 9",
       [&](int x) { asString(NonLinearityType(x)); }},
  });
}

TEST_CASE("poolings refuse types that do not exist") {
  Run run(cpu);
  popnn::addCodelets(run.graph);
  Tensor const in = run.input(FLOAT, {1, 1, 6}, Values(6));
  Tensor const pooled = run.input(FLOAT, {1, 1, 3}, Values(3));
  auto const params = [](int type, std::size_t kernel) {
    return pooling::PoolParams(PoolingType(type), {6}, {kernel}, {2}, {0}, {0}, 1, 1, FLOAT);
  };
  checkRefusals<poputil::poplibs_error>({
      {3, POOLING, [&](int x) { pooling::pool(run.graph, params(x, 2), in, run.prog); }},
      {3, POOLING, [&](int x) { pooling::pool(run.graph, params(x, 6), in, run.prog); }},
      {3, POOLING,
       [&](int x) {
         pooling::poolInputGradient(run.graph, params(x, 2), in, pooled, pooled, false, run.prog);
       }},
      {3, POOLING,
       [&](int x) { pooling::poolInputGradient(run.graph, params(x, 2), 1, pooled, run.prog); }},
      {3, POOLING, [&](int x) { pooling::getFwdFlops(params(x, 2)); }},
  });
}

TEST_CASE("fused products and convolutions refuse activations that do not exist") {
  Run run(cpu);
  poplin::addCodelets(run.graph);
  using poplin::Activation;
  Tensor const a = run.input(FLOAT, {2, 2}, Values(4)), b = run.input(FLOAT, {1, 2, 2}, Values(4));
  poplin::ConvParams const params(FLOAT, 1, {4}, {1}, 1, 1, 1);
  Tensor const in = poplin::createInput(run.graph, params, "in");
  Tensor const weights = poplin::createWeights(run.graph, params, "weights");
  checkRefusals<poputil::poplibs_error>({
      {2, "poplin::matMulBias: " + ACTIVATION,
       [&](int x) { poplin::matMulBias(run.graph, a, a, {}, run.prog, Activation(x)); }},
      {2, "poplin::matMulGroupedBias: " + ACTIVATION,
       [&](int x) {
         poplin::matMulGroupedBias(run.graph, b, b, {}, run.prog, Activation(x), FLOAT);
       }},
      {2, "poplin::convolutionBias: " + ACTIVATION,
       [&](int x) {
         poplin::convolutionBias(run.graph, in, weights, {}, params, false, run.prog,
                                 Activation(x));
       }},
  });
}

TEST_SUITE_END();
