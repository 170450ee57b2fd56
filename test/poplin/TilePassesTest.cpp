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

TEST_CASE("passes of a convolution with one plan give what sums give, on operands as they lie") {
  bool together = false;
  for (ConvParams forward : {ConvParams(HALF, 4, {10, 10}, {3, 3}, 100, 40, 1),
                             ConvParams(HALF, 1, {4, 4}, {3, 3}, 256, 256, 1),
                             ConvParams(FLOAT, 16, {1, 1}, {1, 1}, 77, 1000, 1),
                             ConvParams(FLOAT, 2, {9, 7}, {3, 2}, 20, 30, 2)}) {
    if (forward.kernelShape[0] == 3)
      forward.inputTransform.paddingLower = forward.inputTransform.paddingUpper = {1, 1};
    if (forward.numConvGroups == 2)
      forward.outputTransform.stride = {2, 1};
    CAPTURE(textOf(forward));
    Products all(products::tiles(64));
    auto &graph = all.run.graph;
    auto &prog = all.run.prog;
    auto const with = [](char const *pass) { return poplar::OptionFlags{{"pass", pass}}; };
    std::ostringstream plan, update;
    poplin::reportPlanInfo(plan, graph, forward, with("TRAINING_FWD"));
    poplin::reportWeightUpdatePlanInfo(update, graph, forward, with("TRAINING_FWD"));
    CAPTURE(plan.str());
    auto const verdict = [](std::string const &text) {
      std::size_t const at = text.find("forward, backward and update passes");
      if (at == std::string::npos)
        return std::string();
      std::size_t const first = text.rfind('\n', at) + 1;
      return text.substr(first, text.find('\n', at) - first);
    };
    std::string const line = verdict(plan.str());
    CHECK(!line.empty());
    CHECK(verdict(update.str()) == line);
    together = together || line.find("one plan") != std::string::npos;
    ConvParams const backward = poplin::getGradientParams(forward);
    Values const x = all.numbers.real(forward.inputType, product(inShape(forward))),
                 w = all.numbers.real(forward.inputType, product(weightsShape(forward))),
                 dy = all.numbers.real(forward.inputType, product(outShape(forward)));
    Tensor const tx =
        filled(all, poplin::createInput(graph, forward, "x", with("TRAINING_FWD")), x);
    Tensor const tw =
        filled(all, poplin::createWeights(graph, forward, "w", with("TRAINING_FWD")), w);
    Tensor const tdy =
        filled(all, poplin::createInput(graph, backward, "dy", with("TRAINING_BWD")), dy);
    all.expect("forward",
               poplin::convolution(graph, tx, tw, forward, false, prog, "f", with("TRAINING_FWD")),
               convolutions::forward(forward, x, w));
    all.expect("backward",
               poplin::convolution(graph, tdy, tw, backward, true, prog, "b", with("TRAINING_BWD")),
               convolutions::inputGradient(forward, dy, w));
    all.expect(
        "update",
        poplin::calculateWeightDeltas(graph, tdy, tx, forward, prog, "u", with("TRAINING_WU")),
        convolutions::weightGradient(forward, dy, x));
    all.runAndCheck();
  }
  CHECK(together);
}

TEST_CASE("a kernel of which one line is left gives what sums give, and so does padding above") {
  for (unsigned const tiles : {1U, 4U}) {
    Products all(products::tiles(tiles));
    auto &graph = all.run.graph;
    auto &prog = all.run.prog;
    ConvParams cut(FLOAT, 1, {1, 2}, {2, 2}, 1, 1, 1);
    cut.kernelTransform.truncationLower = {1, 0};
    ConvParams padded(FLOAT, 1, {1, 2}, {1, 1}, 1, 1, 1);
    padded.inputTransform.paddingLower = {1, 0}; // the first line of deltas meets nothing
    Values const x{1, 10}, numbers{1000, 2000, 3, 4};
    Tensor const in = all.run.input(FLOAT, {1, 1, 1, 2}, x);
    Tensor const weights = all.run.input(FLOAT, weightsShape(cut), numbers);
    Tensor const deltas = all.run.input(FLOAT, outShape(padded), numbers);
    all.expect("forward", poplin::convolution(graph, in, weights, cut, false, prog),
               forward(cut, x, numbers));
    all.expect("update", poplin::calculateWeightDeltas(graph, deltas, in, padded, prog),
               weightGradient(padded, numbers, x));
    all.runAndCheck();
  }
}

TEST_CASE("the update of a long line gives what sums give, at once") {
  Products all(products::tiles(64));
  ConvParams p(FLOAT, 1, {300000}, {5}, 1, 2, 1);
  p.inputTransform.paddingLower = {2};
  Values const x = all.numbers.real(FLOAT, product(inShape(p))),
               dy = all.numbers.real(FLOAT, product(outShape(p)));
  auto &run = all.run;
  all.expect("update",
             poplin::calculateWeightDeltas(run.graph, run.input(FLOAT, outShape(p), dy),
                                           run.input(FLOAT, inShape(p), x), p, run.prog),
             weightGradient(p, dy, x));
  all.runAndCheck();
}

TEST_CASE("plans for operands as they are mapped give what sums give, in no more cycles") {
  auto const cycles = [](char const *useMapping) {
    Products all(products::tiles(32));
    auto &graph = all.run.graph;
    auto &prog = all.run.prog;
    poplar::OptionFlags const options{{"useOperandMapping", useMapping}};
    products::Matrix const x = all.random(HALF, {1, 64, 160}), w = all.random(HALF, {1, 160, 48});
    Tensor const tx = filled(all, graph.addVariable(HALF, {64, 160}, "x"), x.values);
    Tensor const tw = filled(all, graph.addVariable(HALF, {160, 48}, "w"), w.values);
    for (unsigned tile = 0; tile != 32; ++tile) { // rows of either
      graph.setTileMapping(tx.slice(tile * 2, tile * 2 + 2, 0), tile);
      graph.setTileMapping(tw.slice(tile * 5, tile * 5 + 5, 0), tile);
    }
    all.expect("product", poplin::matMul(graph, tx, tw, prog, "product", options),
               products::expectation(x, w, HALF));
    ConvParams p(HALF, 4, {8, 6}, {3, 2}, 20, 24, 1);
    p.inputTransform.paddingLower = {1, 0}, p.inputTransform.paddingUpper = {1, 1};
    Values const in = all.numbers.real(HALF, product(inShape(p))),
                 weights = all.numbers.real(HALF, product(weightsShape(p))),
                 dy = all.numbers.real(HALF, product(outShape(p)));
    Tensor const tin = filled(all, graph.addVariable(HALF, inShape(p), "in"), in);
    Tensor const tweights =
        filled(all, graph.addVariable(HALF, weightsShape(p), "weights"), weights);
    Tensor const tdy = filled(all, graph.addVariable(HALF, outShape(p), "dy"), dy);
    graph.setTileMapping(tweights, 3); // all on one tile
    for (unsigned row = 0; row != 8; ++row) {
      graph.setTileMapping(tin.slice(row, row + 1, 2), row * 4);
      graph.setTileMapping(tdy.slice(row, row + 1, 2), row * 4 + 1);
    }
    all.expect("convolution",
               poplin::convolution(graph, tin, tweights, p, false, prog, "conv", options),
               convolutions::forward(p, in, weights));
    all.expect("deltas", poplin::calculateWeightDeltas(graph, tdy, tin, p, prog, "wu", options),
               convolutions::weightGradient(p, dy, in));
    all.runAndCheck();
    std::uint64_t sum = 0;
    auto const executable = poplar::compileGraph(graph, {prog});
    for (auto const &step : executable.data()->bsp.steps)
      sum += step.maxCycles;
    return sum;
  };
  CHECK(cycles("true") <= cycles("false"));
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
