#include "Convolutions.hpp"

#include <codelets/arch/CpuFeatures.hpp>

#include <sstream>

TEST_SUITE_BEGIN("poplin/convolution");

using namespace convolutions;
namespace isa = cottonwood::isa;

namespace {

/// Forward, with operands that the library made.
void addForward(Products &all, ConvParams const &p, poplar::OptionFlags const &options = {},
                Type const &partials = FLOAT) {
  auto &run = all.run;
  Values const in = all.numbers.real(p.inputType, product(inShape(p))),
               weights = all.numbers.real(p.inputType, product(weightsShape(p)));
  Tensor const tIn = poplin::createInput(run.graph, p, "in", options),
               tWeights = poplin::createWeights(run.graph, p, "weights", options);
  CHECK(tIn.shape() == inShape(p));
  CHECK(tWeights.shape() == weightsShape(p));
  Tensor const out =
      poplin::convolution(run.graph, filled(all, tIn, in), filled(all, tWeights, weights), p, false,
                          run.prog, "conv", options);
  CHECK(out.shape() == outShape(p));
  CHECK(out.elementType() == p.outputType);
  all.expect(textOf(p), out, forward(p, in, weights, partials));
}

/// Forward and both gradients, with plain variables.
void addPasses(Products &all, ConvParams const &p, poplar::OptionFlags const &options = {},
               Type const &partials = FLOAT) {
  auto &run = all.run;
  Values const in = all.numbers.real(p.inputType, product(inShape(p))),
               weights = all.numbers.real(p.inputType, product(weightsShape(p))),
               deltas = all.numbers.real(p.inputType, product(outShape(p)));
  Tensor const tIn = run.input(p.inputType, inShape(p), in),
               tWeights = run.input(p.inputType, weightsShape(p), weights),
               tDeltas = run.input(p.inputType, outShape(p), deltas);
  all.expect("forward " + textOf(p),
             poplin::convolution(run.graph, tIn, tWeights, p, false, run.prog, "forward", options),
             forward(p, in, weights, partials));
  all.expect("input gradient " + textOf(p),
             poplin::convolution(run.graph, tDeltas, tWeights, poplin::getGradientParams(p), true,
                                 run.prog, "gradient", options),
             inputGradient(p, deltas, weights, partials));
  Tensor const laidOut =
      filled(all, poplin::createWeights(run.graph, p, "weights", options), weights);
  all.expect("input gradient by weights of the library " + textOf(p),
             poplin::convolution(run.graph, tDeltas, laidOut, poplin::getGradientParams(p), true,
                                 run.prog, "gradient", options),
             inputGradient(p, deltas, weights, partials));
  all.expect("weight gradient " + textOf(p),
             poplin::calculateWeightDeltas(run.graph, tDeltas, tIn, p, run.prog, "update", options),
             weightGradient(p, deltas, in, partials));
}

} // namespace

TEST_CASE("convolutions of any params equal the sums of the definition") {
  onDevices([](DeviceMaker const &device) {
    for (std::size_t dims : {1, 2, 3}) {
      Products all(device, dims);
      RandomParams random(static_cast<unsigned>(dims));
      for (int i = 0; i != 40; ++i)
        addForward(all, random.make(dims, dims == 3 ? 5 : 8, i % 3 == 0 ? HALF : FLOAT));
      all.runAndCheck();
    }
  });
}

TEST_CASE("gradients of any params equal the sums of the definition") {
  onDevices([](DeviceMaker const &device) {
    for (std::size_t dims : {1, 2}) {
      Products all(device, dims);
      RandomParams random(static_cast<unsigned>(10 + dims));
      for (int i = 0; i != 30; ++i)
        addPasses(all, random.make(dims, 8, i % 3 == 0 ? HALF : FLOAT));
      all.runAndCheck();
    }
  });
}

TEST_CASE("gradients of pointwise weights, in the layouts of the library and in plain ones") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      auto const add = [&](ConvParams const &p) {
        auto &run = all.run;
        ConvParams turned = p; // its input is shaped like the output
        std::swap(turned.inputChannelsPerConvGroup, turned.outputChannelsPerConvGroup);
        turned.inputFieldShape = p.getOutputFieldShape();
        turned.outputTransform = ConvParams::OutputTransform(p.getNumFieldDims());
        Values const in = all.numbers.real(type, product(inShape(p))),
                     deltas = all.numbers.real(type, product(outShape(p)));
        Tensor const tIn = filled(all, poplin::createInput(run.graph, p), in),
                     tDeltas = filled(all, poplin::createInput(run.graph, turned), deltas);
        all.expect("library " + textOf(p),
                   poplin::calculateWeightDeltas(run.graph, tDeltas, tIn, p, run.prog),
                   weightGradient(p, deltas, in));
        all.expect("plain deltas " + textOf(p),
                   poplin::calculateWeightDeltas(run.graph, run.input(type, outShape(p), deltas),
                                                 tIn, p, run.prog),
                   weightGradient(p, deltas, in));
      };
      add(same(type, 3, {5, 7}, {1, 1}, 40, 33));
      add(same(type, 1, {9}, {1}, 6, 70));
      add(same(type, 2, {4, 3}, {1, 1}, 5, 4, 3));
      add(same(type, 2, {6, 6}, {1, 1}, 1, 1, 20));
      add(same(type, 2, {6, 6}, {1, 1}, 12, 8, 1, 2)); // strided: of floats no product
      add(same(type, 2, {7, 6}, {1, 1}, 5, 64, 1, 2));
      add(same(type, 3, {9}, {1}, 4, 3, 3, 3));
      ConvParams cut = same(type, 2, {7, 9}, {1, 1}, 3, 65, 1, 2);
      cut.inputTransform.truncationLower = {1, 0};
      cut.outputTransform.truncationUpper = {0, 2};
      add(cut);
      all.runAndCheck();
    }
  });
}

TEST_CASE("common layers, with channels beyond one strip of the kernels") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      addPasses(all, same(type, 1, {9, 9}, {3, 3}, 40, 33));
      addPasses(all, same(type, 2, {8, 10}, {3, 3}, 5, 64, 1, 2));
      addPasses(all, same(type, 3, {7, 7}, {1, 1}, 70, 32));
      addPasses(all, same(type, 1, {12, 12}, {7, 7}, 3, 8, 1, 2));
      addPasses(all, same(type, 2, {9, 8}, {3, 3}, 4, 6, 5));
      addPasses(all, same(type, 2, {9, 8}, {3, 3}, 1, 1, 40)); // depthwise
      addPasses(all, same(type, 1, {9, 8}, {3, 3}, 1, 2, 19));
      addForward(all, same(type, 1, {9, 9}, {3, 3}, 130, 64));
      addForward(all, same(type, 2, {6, 6}, {3, 3}, 1, 1, 37, 2));
      all.runAndCheck();
    }
  });
}

TEST_CASE("layers that CPUs with matrix tiles compute on them") {
  for (Type const &type : {FLOAT, HALF}) {
    Products all(cpu);
    for (ConvParams const &p :
         {same(type, 2, {14, 13}, {3, 3}, 64, 96), same(type, 2, {29, 28}, {3, 3}, 60, 96, 1, 2),
          same(type, 3, {11, 11}, {1, 1}, 96, 160), same(type, 2, {16, 16}, {3, 1}, 64, 90, 2)}) {
      std::ostringstream plan;
      poplin::reportPlanInfo(plan, all.run.graph, p);
      bool const tiles = isa::tilesOf(isa::activeIsa()) != isa::Tiles::None;
      CHECK((plan.str().find("method=amx") != std::string::npos) == tiles);
      addPasses(all, p);
      addForward(all, p);
    }
    all.runAndCheck();
  }
}

TEST_CASE("depthwise layers with lines of any length, with and without edges") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      for (std::size_t width : {3, 4, 6, 7, 8, 14, 15, 20})
        for (unsigned stride : {1U, 2U, 3U}) {
          addForward(all, same(type, 1, {5, width}, {3, 3}, 1, 1, 19, stride));
          ConvParams unpadded(type, 2, {6, width}, {3, 3}, 1, 1, 17);
          unpadded.outputTransform.stride[1] = stride;
          addForward(all, unpadded);
        }
      addForward(all, same(type, 1, {8, 14}, {3, 3}, 1, 1, 1024)); // places share sets of L1
      addForward(all, same(type, 1, {6, 9}, {2, 3}, 1, 1, 20));
      addForward(all, same(type, 1, {6, 9}, {3, 2}, 1, 1, 20));
      addForward(all, same(type, 1, {9, 12}, {5, 5}, 1, 1, 18));
      ConvParams dilated = same(type, 1, {9, 16}, {3, 3}, 1, 1, 16);
      dilated.kernelTransform.dilation = {1, 2};
      dilated.inputTransform.paddingLower[1] = 2;
      addForward(all, dilated);
      dilated.kernelTransform.flip = {false, true};
      addForward(all, dilated);
      all.runAndCheck();
    }
  });
}

TEST_CASE("a field without dimensions, and sizes of 0") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    addPasses(all, ConvParams(FLOAT, 3, {}, {}, 4, 5, 2));
    for (Shape const &s :
         {Shape{0, 2, 3, 2}, Shape{2, 0, 3, 2}, Shape{2, 2, 0, 2}, Shape{2, 2, 3, 0}}) {
      ConvParams const p(FLOAT, s[0], {5, 4}, {3, 2}, s[1], s[2], s[3]);
      addForward(all, p);
      addPasses(all, p);
    }
    ConvParams padded(HALF, 1, {0, 4}, {2, 2}, 2, 2, 1);
    padded.inputTransform.paddingLower = {3, 0};
    addPasses(all, padded);
    all.runAndCheck();
  });
}

TEST_CASE("every pair of operand and result types works, with both types of partial results") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    for (Type const &in : {FLOAT, HALF})
      for (Type const &out : {FLOAT, HALF})
        for (bool halfPartials : {false, true})
          for (std::size_t groups : {1, 9}) {
            ConvParams p =
                same(in, 2, {6, 5}, {3, 3}, groups == 1 ? 20 : 1, groups == 1 ? 9 : 1, groups);
            p.outputType = out;
            addForward(all, p, {{"partialsType", halfPartials ? "half" : "float"}},
                       halfPartials ? HALF : FLOAT);
          }
    all.runAndCheck();
  });
}

TEST_CASE("all passes of layers of halves with half partials") {
  poplar::OptionFlags const half{{"partialsType", "half"}};
  onDevices([&](DeviceMaker const &device) {
    Products all(device);
    for (ConvParams const &p :
         {same(HALF, 2, {7, 6}, {3, 3}, 24, 40), same(HALF, 1, {12, 9}, {3, 3}, 16, 32, 2, 2),
          same(HALF, 2, {6, 5}, {3, 2}, 17, 33), same(HALF, 32, {3, 3}, {2, 2}, 4, 26)}) {
      addForward(all, p, half, HALF);
      addPasses(all, p, half, HALF);
    }
    all.runAndCheck();
  });
}

TEST_CASE("the plan of a CPU says which convolutions run by half arithmetic") {
  auto const active = isa::activeIsa();
  bool const available = isa::hasHalfArithmetic(active) && isa::tilesOf(active) == isa::Tiles::None;
  for (bool halfPartials : {false, true})
    for (std::size_t kernel : {1, 3}) { // a product, and a convolution
      Products all(cpu);
      std::ostringstream report;
      poplin::reportPlanInfo(report, all.run.graph,
                             same(HALF, 1, {14, 14}, {kernel, kernel}, 64, 64),
                             {{"partialsType", halfPartials ? "half" : "float"}});
      std::string const text = report.str();
      CAPTURE(text);
      CHECK((text.find("method=fp16") != std::string::npos) == (available && halfPartials));
      CHECK((text.find("partials=half") != std::string::npos) == halfPartials);
    }
}

namespace {

/// A new variable of which each tile holds single elements.
Tensor spread(poplar::Graph &graph, Type const &type, Shape const &shape) {
  Tensor const t = graph.addVariable(type, shape);
  poputil::mapTensorLinearly(graph, t, 1, 1);
  return t;
}

std::string constraints(std::string const &partition) {
  return "{\"0\": {\"partition\": {" + partition + "}}}";
}

} // namespace

TEST_CASE("a model's tiles may share every dimension") {
  Products all(products::tiles(40));
  for (char const *partition :
       {"\"convGroupSplit\": 2", "\"batchSplit\": 3", "\"fieldSplit\": {\"0\": 4, \"1\": 2}",
        "\"kernelSplit\": {\"0\": 3}", "\"inChanSplit\": {\"parallel\": 5, \"serial\": 1}",
        "\"outChanSplit\": {\"parallel\": 4}",
        "\"batchSplit\": 2, \"inChanSplit\": {\"parallel\": 2}, \"kernelSplit\": {\"0\": 2}"})
    for (Type const &type : {FLOAT, HALF}) {
      ConvParams const p = same(type, 3, {9, 6}, {3, 3}, 10, 8, 2, 2);
      CAPTURE(partition);
      addForward(all, p, {{"planConstraints", constraints(partition)}});
    }
  all.runAndCheck();
}

TEST_CASE("operands and results may be any views") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF})
      for (std::size_t groups : {1, 8}) {
        Products all(device);
        auto &run = all.run;
        ConvParams const p = groups == 1 ? same(type, 2, {5, 6}, {3, 2}, 7, 4)
                                         : same(type, 2, {5, 6}, {3, 2}, 1, 1, groups);
        Values const in = all.numbers.real(type, product(inShape(p))),
                     weights = all.numbers.real(type, product(weightsShape(p)));
        Expectation const expected = forward(p, in, weights);
        auto const variable = [&](Shape const &shape) { return spread(run.graph, type, shape); };
        Shape const x = inShape(p), w = weightsShape(p), y = outShape(p);
        std::vector<Tensor> const ins{
            variable({x[0], x[2], x[3], x[1]}).dimShuffle({0, 3, 1, 2}),
            variable({x[0], x[1] + 2, x[2], x[3] * 2}).slice(1, 1 + x[1], 1).subSample(2, 3),
            poplar::concat(variable({1, x[1], x[2], x[3]}), variable({1, x[1], x[2], x[3]}))};
        std::vector<Tensor> const kernels{
            variable({w[3], w[4], w[2], w[1], w[0]}).dimShuffle({4, 3, 2, 0, 1}),
            variable(w).reverse(3),
            poplar::concat(variable({w[0], w[1], w[2], 1, w[4]}),
                           variable({w[0], w[1], w[2], w[3] - 1, w[4]}), 3)};
        for (Tensor const &i : ins)
          for (Tensor const &k : kernels)
            all.expect("views",
                       poplin::convolution(run.graph, filled(all, i, in), filled(all, k, weights),
                                           p, false, run.prog),
                       expected);
        // Results: plain, reversed, over a part of a variable that also holds the input.
        Tensor const wide = variable({x[0], x[1] + y[1], x[2], x[3]});
        Tensor const plainIn = filled(all, wide.slice(0, x[1], 1), in);
        Tensor const plain = filled(all, variable(w), weights);
        std::vector<Tensor> const outs{variable(y), variable(y).reverse(2).reverse(1),
                                       wide.slice(x[1], x[1] + y[1], 1),
                                       poplin::createConvOutput(run.graph, p)};
        for (Tensor const &out : outs) {
          poplin::convolutionWithOutput(run.graph, plainIn, plain, out, p, false, run.prog);
          all.expect("with output", out, expected);
        }
        all.runAndCheck();
      }
  });
}

TEST_CASE("inputs used often may have channels that lie apart") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF})
      for (std::size_t taps : {1, 3}) {
        Products all(device);
        auto &run = all.run;
        ConvParams p = same(type, 2, {5, 6}, {taps, taps}, 20, taps == 1 ? 520 : 56, 2);
        p.outputTransform.stride = {2, 1};
        Values const in = all.numbers.real(type, product(inShape(p))),
                     weights = all.numbers.real(type, product(weightsShape(p)));
        Expectation const expected = forward(p, in, weights);
        Shape const x = inShape(p);
        auto const variable = [&](Shape const &shape) { return spread(run.graph, type, shape); };
        // Field last, field last in a larger tensor, and a field that is turned.
        for (Tensor const &i : {variable(x), variable({x[0], x[1], x[2], x[3] + 3}).slice(2, 8, 3),
                                variable({x[0], x[1], x[3], x[2]}).dimShuffle({0, 1, 3, 2})}) {
          Tensor const w = filled(all, poplin::createWeights(run.graph, p), weights);
          all.expect("channels apart",
                     poplin::convolution(run.graph, filled(all, i, in), w, p, false, run.prog),
                     expected);
        }
        all.runAndCheck();
      }
  });
}

TEST_CASE("results may overwrite the input") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    ConvParams const p = same(FLOAT, 1, {6, 6}, {3, 3}, 4, 4);
    Values const in = all.numbers.real(FLOAT, product(inShape(p))),
                 weights = all.numbers.real(FLOAT, product(weightsShape(p)));
    Tensor const x = filled(all, poplin::createInput(all.run.graph, p), in);
    Tensor const w = filled(all, poplin::createWeights(all.run.graph, p), weights);
    poplin::convolutionWithOutput(all.run.graph, x, w, x, p, false, all.run.prog);
    all.expect("in place", x, forward(p, in, weights));
    all.runAndCheck();
  });
}

TEST_CASE("NaN and infinity propagate, but not into outputs that see padding only") {
  onDevices([](DeviceMaker const &device) {
    double const inf = std::numeric_limits<double>::infinity();
    double const nan = std::numeric_limits<double>::quiet_NaN();
    Products all(device);
    ConvParams p(FLOAT, 1, {3}, {2}, 1, 1, 1);
    p.inputTransform.paddingLower = {1};
    // Outputs: in[0]*w[1], in[0]*w[0] + in[1]*w[1], ...
    Tensor const in = all.run.input(FLOAT, inShape(p), {2, 0, nan});
    Tensor const w = all.run.input(FLOAT, weightsShape(p), {inf, 3});
    all.expect("special", poplin::convolution(all.run.graph, in, w, p, false, all.run.prog),
               {{6, inf, nan}, {0, 0, 0}});
    all.runAndCheck();
  });
}

TEST_CASE("infinite weights of a large layer meet no padding") {
  Products all(cpu);
  ConvParams const p = same(FLOAT, 1, {16, 16}, {3, 3}, 32, 128);
  Values const in = all.numbers.real(FLOAT, product(inShape(p)));
  Values weights = all.numbers.real(FLOAT, product(weightsShape(p)));
  weights[0] = std::numeric_limits<double>::infinity(); // of the first tap, which meets padding
  Tensor const tIn = all.run.input(FLOAT, inShape(p), in);
  Tensor const tWeights = all.run.input(FLOAT, weightsShape(p), weights);
  all.expect("infinity", poplin::convolution(all.run.graph, tIn, tWeights, p, false, all.run.prog),
             forward(p, in, weights));
  all.runAndCheck();
}

TEST_CASE("on a CPU neither threads nor the cut into vertices change a bit") {
  auto const run = [](ConvParams const &p, std::string const &partition, char const *threads) {
    Products all(cpu, 5);
    poplar::OptionFlags options;
    if (!partition.empty())
      options.set("planConstraints", constraints(partition));
    Values const in = all.numbers.real(p.inputType, product(inShape(p))),
                 weights = all.numbers.real(p.inputType, product(weightsShape(p)));
    Tensor const x = filled(all, poplin::createInput(all.run.graph, p), in);
    Tensor const w = filled(all, poplin::createWeights(all.run.graph, p), weights);
    auto const out = all.run.output(
        poplin::convolution(all.run.graph, x, w, p, false, all.run.prog, "", options));
    all.run.options.set("engine.numThreads", threads);
    all.run.run();
    return all.run.values(out);
  };
  for (Type const &type : {FLOAT, HALF})
    for (ConvParams const &p :
         {same(type, 2, {20, 21}, {3, 3}, 150, 70), same(type, 2, {12, 9}, {5, 3}, 1, 1, 50, 2),
          same(type, 3, {14, 13}, {3, 3}, 6, 64, 3)}) {
      CAPTURE(textOf(p));
      Values const expected = run(p, "", "1");
      CHECK(run(p, "", "2") == expected);
      CHECK(run(p, "", "3") == expected);
      CHECK(run(p, "\"batchSplit\": 2", "2") == expected);
      CHECK(run(p, "\"fieldSplit\": {\"0\": 5, \"1\": 3}", "3") == expected);
      if (p.numConvGroups != 1)
        CHECK(run(p, "\"convGroupSplit\": 2", "2") == expected);
      if (p.outputChannelsPerConvGroup != 1)
        CHECK(run(p, "\"outChanSplit\": {\"parallel\": 2}", "2") == expected);
    }
}

TEST_SUITE_END();
