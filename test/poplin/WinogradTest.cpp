// Convolutions by Winograd's minimal filtering, through the graph: the sums of the definition, in
// every layout, cut and type; where the plan takes it and where not.
#include "Convolutions.hpp"

#include <poplin/ConvUtil.hpp>

#include <algorithm>

TEST_SUITE_BEGIN("poplin/winograd");

using namespace convolutions;

namespace {

ConvParams layer(Type const &type, std::size_t batch, Shape const &field, std::size_t in,
                 std::size_t out, std::size_t groups = 1, unsigned padding = 1) {
  ConvParams p(type, batch, field, {3, 3}, in, out, groups);
  for (unsigned d : {0U, 1U})
    p.inputTransform.paddingLower[d] = p.inputTransform.paddingUpper[d] = padding;
  return p;
}

poplar::OptionFlags blocks(std::string const &largest) { return {{"winograd", largest}}; }

std::string planOf(poplar::Graph const &graph, ConvParams const &p,
                   poplar::OptionFlags const &options) {
  std::ostringstream plan;
  poplin::reportPlanInfo(plan, graph, p, options);
  std::string const text = plan.str(), key = "\nplan: ";
  std::size_t const begin = text.find(key) + key.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

bool isPlanned(poplar::Graph const &graph, ConvParams const &p, std::string const &largest) {
  return planOf(graph, p, blocks(largest)).find("winograd=" + largest.substr(0, 1)) !=
         std::string::npos;
}

/// The transforms add numbers of all taps and channels with coefficients of up to 8, so that an
/// error is that of the largest products of the whole block instead of those of one output.
Expectation loosened(Expectation e, double factor) {
  double const largest = *std::max_element(e.bounds.begin(), e.bounds.end());
  for (double &bound : e.bounds)
    bound = std::max(bound, largest * factor);
  return e;
}

void addForward(Products &all, ConvParams const &p, std::string const &largest) {
  auto &run = all.run;
  Values const in = all.numbers.real(p.inputType, product(inShape(p))),
               weights = all.numbers.real(p.inputType, product(weightsShape(p)));
  auto const options = blocks(largest);
  CHECK(isPlanned(run.graph, p, largest));
  Expectation const expected = loosened(forward(p, in, weights), largest == "2x2" ? 1 : 4);
  Tensor const made = filled(all, poplin::createInput(run.graph, p, "in", options), in),
               madeWeights =
                   filled(all, poplin::createWeights(run.graph, p, "weights", options), weights);
  all.expect("own layouts " + textOf(p),
             poplin::convolution(run.graph, made, madeWeights, p, false, run.prog, "conv", options),
             expected);
  Tensor const plain = run.input(p.inputType, inShape(p), in),
               plainWeights = run.input(p.inputType, weightsShape(p), weights);
  all.expect(
      "plain layouts " + textOf(p),
      poplin::convolution(run.graph, plain, plainWeights, p, false, run.prog, "conv", options),
      expected);
}

void addGradient(Products &all, ConvParams const &p, std::string const &largest) {
  auto &run = all.run;
  Values const deltas = all.numbers.real(p.inputType, product(outShape(p))),
               weights = all.numbers.real(p.inputType, product(weightsShape(p)));
  auto const options = blocks(largest);
  ConvParams const gradient = poplin::getGradientParams(p);
  CHECK(isPlanned(run.graph, gradient, largest));
  Expectation const expected =
      loosened(inputGradient(p, deltas, weights), largest == "2x2" ? 1 : 4);
  Tensor const tDeltas = run.input(p.inputType, outShape(p), deltas);
  for (Tensor const &tWeights : {filled(all, poplin::createWeights(run.graph, p), weights),
                                 run.input(p.inputType, weightsShape(p), weights)})
    all.expect("input gradient " + textOf(p),
               poplin::convolution(run.graph, tDeltas, tWeights, gradient, true, run.prog, "conv",
                                   options),
               expected);
}

} // namespace

TEST_CASE("blocks of both sizes give the sums of the definition, whatever is left over") {
  for (char const *largest : {"2x2", "4x4"})
    for (Type const &type : {FLOAT, HALF}) {
      Products all(cpu);
      addForward(all, layer(type, 1, {24, 24}, 32, 32), largest);
      addForward(all, layer(type, 2, {31, 45}, 33, 70), largest);
      addForward(all, layer(type, 1, {50, 37}, 40, 31, 2), largest);
      addForward(all, layer(type, 3, {33, 26}, 17, 96, 1, 0), largest);
      addForward(all, layer(type, 1, {30, 61}, 64, 64, 1, 2), largest);
      all.runAndCheck();
    }
}

TEST_CASE("gradients of inputs, with weights in blocks of either side") {
  for (char const *largest : {"2x2", "4x4"}) {
    Products all(cpu);
    addGradient(all, layer(FLOAT, 1, {40, 40}, 32, 64), largest);
    addGradient(all, layer(FLOAT, 2, {33, 31}, 40, 33), largest);
    addGradient(all, layer(HALF, 2, {33, 31}, 64, 32, 2), largest);
    all.runAndCheck();
  }
}

TEST_CASE("every pair of operand and result types") {
  Products all(cpu);
  for (Type const &in : {FLOAT, HALF})
    for (Type const &out : {FLOAT, HALF}) {
      ConvParams p = layer(in, 1, {32, 32}, 32, 40);
      p.outputType = out;
      addForward(all, p, "2x2");
    }
  all.runAndCheck();
}

TEST_CASE("no bit depends on how the outputs are cut") {
  ConvParams const p = layer(FLOAT, 2, {37, 30}, 32, 96, 2);
  for (char const *largest : {"2x2", "4x4"}) {
    Products all(cpu);
    auto &run = all.run;
    Tensor const in = run.input(FLOAT, inShape(p), all.numbers.real(FLOAT, product(inShape(p)))),
                 weights = run.input(FLOAT, weightsShape(p),
                                     all.numbers.real(FLOAT, product(weightsShape(p))));
    std::vector<std::size_t> outputs;
    for (char const *partition :
         {"\"batchSplit\": 1", "\"batchSplit\": 2", "\"fieldSplit\": {\"0\": 5}",
          "\"convGroupSplit\": 2", "\"outChanSplit\": {\"parallel\": 3}",
          "\"fieldSplit\": {\"0\": 2}, \"outChanSplit\": {\"parallel\": 2}"}) {
      auto options = blocks(largest);
      options.set("planConstraints", std::string("{\"0\": {\"partition\": {") + partition + "}}}");
      CHECK(planOf(run.graph, p, options).find("winograd=" + std::string(1, largest[0])) !=
            std::string::npos);
      outputs.push_back(run.output(
          poplin::convolution(run.graph, in, weights, p, false, run.prog, "conv", options)));
    }
    run.run();
    for (std::size_t output : outputs) {
      CAPTURE(output);
      CHECK(run.values(output) == run.values(outputs.front()));
    }
  }
}

TEST_CASE("sums are computed directly where taps, strides or transforms do not fit") {
  Products all(cpu);
  auto const &graph = all.run.graph;
  ConvParams const fits = layer(FLOAT, 1, {32, 32}, 32, 32);
  CHECK(isPlanned(graph, fits, "2x2"));
  CHECK(planOf(graph, fits, {}).find("winograd=0") != std::string::npos);
  ConvParams strided = fits, dilated = fits, flipped = fits;
  strided.outputTransform.stride = {2, 1};
  dilated.kernelTransform.dilation = {1, 2};
  flipped.kernelTransform.flip = {true, false};
  for (ConvParams const &p :
       {strided, dilated, flipped, ConvParams(FLOAT, 1, {32, 32}, {3, 1}, 32, 32, 1),
        ConvParams(FLOAT, 1, {32, 32}, {5, 5}, 32, 32, 1),
        ConvParams(FLOAT, 1, {32}, {3}, 32, 32, 1),
        ConvParams(FLOAT, 1, {32, 32}, {3, 3}, 1, 1, 32)}) {
    CAPTURE(textOf(p));
    CHECK_FALSE(isPlanned(graph, p, "4x4"));
    CHECK_FALSE(isPlanned(graph, p, "2x2"));
  }
}

TEST_CASE("few outputs are not worth the transform of many weights, and the plan says so") {
  Products all(cpu);
  ConvParams const p = layer(FLOAT, 1, {7, 7}, 512, 512);
  std::ostringstream report;
  poplin::reportPlanInfo(report, all.run.graph, p, blocks("4x4"));
  CHECK(report.str().find("the transforms take more operations") != std::string::npos);
  CHECK_FALSE(isPlanned(all.run.graph, p, "4x4"));
}

TEST_CASE("an unknown size of blocks is an error that lists those there are") {
  Products all(cpu);
  ConvParams const p = layer(FLOAT, 1, {8, 8}, 4, 4);
  try {
    poplin::createInput(all.run.graph, p, "in", blocks("3x3"));
    FAIL("no error");
  } catch (poplar::invalid_option const &error) {
    std::string const text = error.what();
    for (char const *part : {"winograd", "3x3", "none", "2x2", "4x4"})
      CHECK(text.find(part) != std::string::npos);
  }
}

TEST_SUITE_END();
