// Products of the three passes of a layer, and convolutions side by side, on tiles.
#include "Convolutions.hpp"

#include <poplar/impl/lower/ExecutableData.hpp>
#include <poplin/MultiConvolution.hpp>

TEST_SUITE_BEGIN("poplin/tile-passes");

using namespace convolutions;
namespace multiconv = poplin::multiconv;

TEST_CASE("passes of a layer with one plan give what products give, on operands as they lie") {
  std::size_t const m = 16, k = 300, n = 700;
  for (Type const &type : {FLOAT, HALF}) {
    Products all(products::tiles(64));
    auto const with = [](char const *pass) {
      return poplar::OptionFlags{{"fullyConnectedPass", pass}};
    };
    auto &graph = all.run.graph;
    std::ostringstream plan;
    poplin::matMulReportPlan(plan, graph, type, type, {k, m}, {m, n}, with("TRAINING_WU"));
    CAPTURE(plan.str());
    CHECK(plan.str().find("one plan for forward, backward and update passes") != std::string::npos);
    CHECK(plan.str().find("order=iyn") > plan.str().find("estimate"));
    products::Matrix const x = all.random(type, {1, m, k}), w = all.random(type, {1, k, n}),
                           dy = all.random(type, {1, m, n});
    auto const turned = [](products::Matrix const &matrix) {
      products::Matrix result{{1, matrix.shape[2], matrix.shape[1]}, {}};
      for (std::size_t j = 0; j != matrix.shape[2]; ++j)
        for (std::size_t i = 0; i != matrix.shape[1]; ++i)
          result.values.push_back(matrix.at(0, i, j));
      return result;
    };
    Tensor const tx = filled(
        all, poplin::createMatMulInputLHS(graph, type, {m, k}, {k, n}, "x", with("TRAINING_FWD")),
        x.values);
    Tensor const tw = filled(
        all, poplin::createMatMulInputRHS(graph, type, {m, k}, {k, n}, "w", with("TRAINING_FWD")),
        w.values);
    Tensor const tdy = filled(
        all, poplin::createMatMulInputLHS(graph, type, {m, n}, {n, k}, "dy", with("TRAINING_BWD")),
        dy.values);
    auto &prog = all.run.prog;
    all.expect("forward", poplin::matMul(graph, tx, tw, prog, "fwd", with("TRAINING_FWD")),
               products::expectation(x, w, type));
    all.expect("backward",
               poplin::matMul(graph, tdy, tw.transpose(), prog, "bwd", with("TRAINING_BWD")),
               products::expectation(dy, turned(w), type));
    all.expect("update",
               poplin::matMul(graph, tx.transpose(), tdy, prog, "wu", with("TRAINING_WU")),
               products::expectation(turned(x), dy, type));
    all.runAndCheck();
  }
}

TEST_CASE("convolutions side by side share compute sets and give what each gives alone") {
  std::vector<ConvParams> layers{ConvParams(HALF, 1, {8, 8}, {3, 3}, 16, 32, 1),
                                 ConvParams(HALF, 2, {6, 6}, {1, 1}, 40, 16, 1),
                                 ConvParams(HALF, 1, {9, 5}, {3, 2}, 4, 6, 3)};
  auto const run = [&](char const *planType) {
    Products all(products::tiles(96));
    auto &graph = all.run.graph;
    poplar::OptionFlags const options{{"planType", planType}, {"perConvReservedTiles", "8"}};
    std::vector<multiconv::CreateTensorArgs> create;
    for (ConvParams const &p : layers)
      create.push_back({p, {}, "layer"});
    std::vector<multiconv::ConvolutionArgs> args;
    std::vector<multiconv::CalculateWeightDeltasArgs> deltaArgs;
    std::vector<multiconv::ConvWeightUpdateArgsScalar> updateArgs;
    std::vector<Expectation> forwards, gradients, updates;
    for (unsigned i = 0; i != layers.size(); ++i) {
      ConvParams const &p = layers[i];
      Values const in = all.numbers.real(HALF, product(inShape(p))),
                   w = all.numbers.real(HALF, product(weightsShape(p))),
                   dy = all.numbers.real(HALF, product(outShape(p)));
      Tensor const tIn = filled(all, multiconv::createInput(graph, create, i, options), in);
      Tensor const tw = filled(all, multiconv::createWeights(graph, create, i, options), w);
      Tensor const tdy = all.run.input(HALF, outShape(p), dy);
      args.push_back({tIn, tw, p, {}});
      deltaArgs.push_back({tdy, tIn, p, {}});
      updateArgs.push_back({tdy, all.run.input(HALF, weightsShape(p), w), tIn, -1, p, {}});
      forwards.push_back(forward(p, in, w));
      gradients.push_back(weightGradient(p, dy, in));
      updates.push_back(gradients.back());
      for (std::size_t x = 0; x != w.size(); ++x) {
        updates[i].values[x] = w[x] - updates[i].values[x];
        updates[i].bounds[x] +=
            2 * epsilonOf(HALF) * (std::fabs(w[x]) + std::fabs(updates[i].values[x]));
      }
    }
    auto &prog = all.run.prog;
    auto const outs = multiconv::convolution(graph, args, false, prog, "forward", options);
    auto const deltas = multiconv::calculateWeightDeltas(graph, deltaArgs, prog, "wu", options);
    multiconv::convolutionWeightUpdate(graph, updateArgs, prog, "update", options);
    for (std::size_t i = 0; i != layers.size(); ++i) {
      all.expect("forward", outs.at(i), forwards[i]);
      all.expect("gradient", deltas.at(i), gradients[i]);
      all.expect("update", updateArgs[i].weights, updates[i]);
    }
    all.runAndCheck();
    return poplar::compileGraph(graph, {prog}).data()->bsp.steps.size();
  };
  CHECK(run("parallel") < run("serial"));
}

TEST_SUITE_END();
