#include "Convolutions.hpp"

#include <codelets/arch/CpuFeatures.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <sstream>

TEST_SUITE_BEGIN("poplin/convolution");

using namespace convolutions;

namespace {

ConvParams depthwise(Type const &type, std::size_t batch, Shape const &field, Shape const &kernel,
                     std::size_t channels, unsigned stride = 1) {
  return same(type, batch, field, kernel, 1, 1, channels, stride);
}

/// Adds layers with transforms that planes know. \returns  the last one.
ConvParams addTransformed(std::vector<ConvParams> &all, ConvParams p) {
  p.kernelTransform.dilation = {2, 1};
  p.kernelTransform.flip = {true, true};
  p.inputTransform.truncationLower = {1, 2};
  p.inputTransform.truncationUpper = {0, 1};
  p.outputTransform.truncationLower = {1, 0};
  all.push_back(p);
  p.kernelTransform.truncationLower = {0, 1};
  p.kernelTransform.truncationUpper = {1, 0};
  all.push_back(p);
  return p;
}

/// Lines long enough for planes, and too short ones; transforms that planes know, and others.
std::vector<ConvParams> layers(Type const &type) {
  std::vector<ConvParams> all{
      depthwise(type, 2, {9, 17}, {3, 3}, 5),     depthwise(type, 1, {7, 7}, {3, 3}, 6),
      depthwise(type, 2, {12, 37}, {3, 3}, 4, 2), depthwise(type, 2, {40}, {5}, 7),
      depthwise(type, 1, {9, 50}, {2, 4}, 4, 3),  depthwise(type, 1, {5, 4, 18}, {1, 3, 3}, 4),
      depthwise(type, 3, {14, 14}, {3, 3}, 5, 2), depthwise(type, 2, {6, 6}, {3, 3}, 7)};
  ConvParams p = addTransformed(all, depthwise(type, 2, {20, 42}, {3, 5}, 4, 2));
  p.inputTransform.dilation = {1, 2};
  all.push_back(p);
  p.outputTransform.paddingUpper = {1, 0};
  all.push_back(p);
  return all;
}

/// Few input channels and lines long enough for maps, and others.
std::vector<ConvParams> firstLayers(Type const &type) {
  std::vector<ConvParams> all{same(type, 2, {21, 40}, {7, 7}, 3, 13, 1, 2),
                              same(type, 1, {9, 17}, {3, 3}, 3, 64, 1, 1),
                              same(type, 3, {40}, {5}, 4, 9, 2, 1),
                              same(type, 1, {6, 50}, {3, 3}, 1, 8, 1, 1),
                              same(type, 2, {5, 18}, {1, 9}, 2, 8, 1, 1),
                              same(type, 1, {8, 16}, {3, 3}, 17, 8, 1, 1),
                              same(type, 1, {4, 5, 18}, {1, 3, 3}, 3, 8, 1, 1),
                              same(type, 2, {9, 40}, {3, 3}, 20, 1, 1, 1), // few outputs
                              same(type, 1, {7, 19}, {3, 3}, 33, 3, 2, 1),
                              same(type, 2, {66}, {5}, 18, 2, 1, 2)};
  addTransformed(all, same(type, 2, {20, 42}, {3, 5}, 4, 12, 2, 2));
  return all;
}

/// Groups of few channels, and transforms that their kernel knows; groups of too many, or of others
/// that it does not.
std::vector<ConvParams> groupedLayers(Type const &type) {
  std::vector<ConvParams> all{same(type, 2, {9, 17}, {3, 3}, 4, 4, 6),
                              same(type, 3, {7, 7}, {3, 3}, 2, 2, 9),
                              same(type, 2, {40}, {5}, 1, 2, 7),
                              same(type, 2, {10, 12}, {1, 1}, 4, 2, 5),
                              same(type, 1, {8, 9}, {3, 3}, 3, 5, 4),
                              same(type, 2, {12, 37}, {3, 3}, 8, 3, 3, 2),
                              same(type, 1, {9, 9}, {3, 3}, 17, 2, 3),
                              same(type, 1, {4, 5, 6}, {1, 3, 3}, 2, 2, 4),
                              same(type, 1, {5, 40}, {1, 9}, 2, 2, 4),
                              same(type, 2, {14, 14}, {3, 3}, 16, 16, 3),
                              same(type, 1, {9, 19}, {3, 3}, 20, 12, 2, 2),
                              same(type, 2, {11, 6}, {3, 3}, 8, 7, 4)};
  addTransformed(all, same(type, 2, {14, 15}, {3, 5}, 16, 15, 2, 1));
  ConvParams p = addTransformed(all, same(type, 2, {14, 15}, {3, 5}, 4, 4, 3, 2));
  p.inputTransform.dilation = {1, 2};
  all.push_back(p);
  // with zeros behind the outputs, of which some meet inputs
  all.push_back(poplin::getGradientParams(same(type, 2, {10, 13}, {1, 1}, 4, 2, 5, 2)));
  all.push_back(all.back());
  all.back().outputTransform.paddingUpper = {4, 1};
  all.push_back(same(type, 2, {17, 20}, {3, 3}, 16, 16, 2));
  return all;
}

/// Sums of a layer in plain layouts, its weights in both.
void expectPlain(Products &all, Type const &type, ConvParams const &p) {
  auto &run = all.run;
  Values const in = all.numbers.real(type, product(inShape(p))),
               weights = all.numbers.real(type, product(weightsShape(p)));
  Expectation const expected = forward(p, in, weights);
  Tensor const x = run.input(type, inShape(p), in);
  for (Tensor const &w : {run.input(type, weightsShape(p), weights),
                          filled(all, poplin::createWeights(run.graph, p), weights)}) {
    Tensor const out = run.graph.addVariable(type, outShape(p));
    poputil::mapTensorLinearly(run.graph, out);
    poplin::convolutionWithOutput(run.graph, x, w, out, p, false, run.prog);
    all.expect("plain " + textOf(p), out, expected);
  }
}

} // namespace

TEST_CASE("first layers in plain layouts equal the sums of the definition") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      for (ConvParams const &p : firstLayers(type))
        expectPlain(all, type, p);
      all.runAndCheck();
    }
  });
}

TEST_CASE("first layers of NCHW tensors are computed in place on a CPU, others are copied") {
  auto const vertices = [](ConvParams const &p) {
    Products all(cpu);
    auto &run = all.run;
    Tensor const x = run.graph.addVariable(FLOAT, inShape(p)),
                 out = run.graph.addVariable(FLOAT, outShape(p)),
                 w = poplin::createWeights(run.graph, p);
    for (Tensor const &t : {x, out})
      poputil::mapTensorLinearly(run.graph, t);
    poplin::convolutionWithOutput(run.graph, x, w, out, p, false, run.prog);
    std::ostringstream text;
    run.graph.outputVertexGraph(text, {run.prog});
    return text.str();
  };
  auto const layers = firstLayers(FLOAT);
  CHECK(vertices(layers[0]).find("poplin::ConvMaps<float,float>") != std::string::npos);
  CHECK(vertices(layers[5]).find("poplin::ConvMaps") == std::string::npos);
}

TEST_CASE("layers of small groups equal the sums of the definition") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      for (ConvParams const &p : groupedLayers(type))
        expectPlain(all, type, p);
      all.runAndCheck();
    }
  });
}

TEST_CASE("small groups share vectors on a CPU, and say so; others do not") {
  auto const reportOf = [](ConvParams const &p) {
    poplar::Graph graph(cpu().getTarget());
    std::ostringstream text;
    poplin::reportPlanInfo(text, graph, p);
    return text.str();
  };
  auto const layers = groupedLayers(FLOAT);
  bool const vectors =
      cottonwood::isa::vectorBytes(cottonwood::poputil::builtinIsa()) >= 32; // of eight floats
  for (std::size_t i : {0, 1, 2, 3})
    CHECK((reportOf(layers[i]).find("poplin::ConvGroups") != std::string::npos) == vectors);
  for (std::size_t i : {6, 7, 8})
    CHECK(reportOf(layers[i]).find("poplin::ConvGroups") == std::string::npos);
}

TEST_CASE("on a CPU neither threads nor the layout change a bit of small groups") {
  for (Type const &type : {FLOAT, HALF})
    for (ConvParams const &p : groupedLayers(type)) {
      CAPTURE(textOf(p));
      Values const expected = runOnCpu(p, Layout::LIBRARY, Layout::LIBRARY, "1");
      for (char const *threads : {"1", "2", "3"}) {
        CHECK(runOnCpu(p, Layout::PLAIN, Layout::PLAIN, threads) == expected);
        CHECK(runOnCpu(p, Layout::LIBRARY, Layout::PLAIN, threads) == expected);
      }
    }
}

TEST_CASE(
    "on a CPU neither threads nor layouts change a bit of gradients of strided small groups") {
  for (Type const &type : {FLOAT, HALF})
    for (ConvParams const &layer :
         {same(type, 2, {13, 18}, {3, 3}, 4, 4, 6, 2), same(type, 3, {15, 37}, {3, 3}, 8, 8, 3, 2),
          same(type, 2, {50}, {5}, 2, 3, 9, 3)}) {
      ConvParams const p = poplin::getGradientParams(layer);
      CAPTURE(textOf(p));
      Values const expected = runOnCpu(p, Layout::LIBRARY, Layout::LIBRARY, "1");
      for (char const *threads : {"1", "2", "3"}) {
        CHECK(runOnCpu(p, Layout::PLAIN, Layout::PLAIN, threads) == expected);
        CHECK(runOnCpu(p, Layout::LIBRARY, Layout::PLAIN, threads) == expected);
      }
    }
}

TEST_CASE("on a CPU neither threads nor the layout change a bit of first layers") {
  for (ConvParams const &p : firstLayers(FLOAT)) {
    CAPTURE(textOf(p));
    Values const expected = runOnCpu(p, Layout::LIBRARY, Layout::LIBRARY, "1");
    for (char const *threads : {"1", "2", "3"})
      CHECK(runOnCpu(p, Layout::PLAIN, Layout::PLAIN, threads) == expected);
  }
}

TEST_CASE("gradients of inputs of few channels or small groups, of strided layers, too, are right "
          "in all layouts") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      auto &run = all.run;
      std::vector<ConvParams> layers{
          same(type, 2, {21, 40}, {7, 7}, 3, 13, 1, 2),
          same(type, 1, {33, 35}, {3, 3}, 1, 32, 1, 2),
          same(type, 2, {9, 40}, {3, 3}, 2, 20, 2),
          same(type, 1, {100}, {5}, 3, 16, 1, 3),
          same(type, 1, {10, 70}, {2, 4}, 3, 9, 1, 4), // taps that no output of a line has
          same(type, 1, {31, 37}, {4, 3}, 2, 17, 1, 2),
          same(type, 2, {13, 18}, {3, 3}, 4, 4, 6, 2), // groups that share vectors
          same(type, 3, {15, 37}, {3, 3}, 8, 8, 3, 2),
          same(type, 2, {50}, {5}, 2, 3, 9, 3),
          same(type, 1, {14, 21}, {1, 2}, 3, 4, 5, 3), // outputs without taps
          same(type, 1, {9, 9}, {3, 3}, 16, 16, 3, 2)};
      addTransformed(layers, same(type, 1, {20, 42}, {3, 5}, 3, 12, 1, 2));
      for (ConvParams const &p : layers) {
        ConvParams const gradient = poplin::getGradientParams(p);
        Values const deltas = all.numbers.real(type, product(outShape(p))),
                     weights = all.numbers.real(type, product(weightsShape(p)));
        Expectation const expected = inputGradient(p, deltas, weights);
        Tensor const plain = run.input(type, outShape(p), deltas),
                     own = filled(all, poplin::createInput(run.graph, gradient), deltas);
        Tensor const w = filled(all, poplin::createWeights(run.graph, p), weights);
        for (Tensor const &d : {plain, own}) {
          all.expect("new " + textOf(p),
                     poplin::convolution(run.graph, d, w, gradient, true, run.prog), expected);
          Tensor const out = run.graph.addVariable(type, inShape(p));
          poputil::mapTensorLinearly(run.graph, out);
          poplin::convolutionWithOutput(run.graph, d, w, out, gradient, true, run.prog);
          all.expect("plain " + textOf(p), out, expected);
        }
      }
      all.runAndCheck();
    }
  });
}

TEST_CASE("depthwise layers in plain layouts equal the sums of the definition") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      for (ConvParams const &p : layers(type))
        expectPlain(all, type, p);
      all.runAndCheck();
    }
  });
}

TEST_CASE("planes may lie in a part of a variable, also of the one that is written") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      auto &run = all.run;
      ConvParams const p = depthwise(type, 2, {6, 18}, {3, 3}, 4);
      Values const in = all.numbers.real(type, product(inShape(p))),
                   weights = all.numbers.real(type, product(weightsShape(p)));
      Tensor const w = run.input(type, weightsShape(p), weights);
      Tensor const wide = run.graph.addVariable(type, {2, 6, 8, 20});
      poputil::mapTensorLinearly(run.graph, wide);
      Tensor const part = wide.slice({0, 1, 1, 2}, {2, 5, 7, 20});
      all.run.write(part, in);
      Tensor const own = run.graph.addVariable(type, outShape(p));
      poputil::mapTensorLinearly(run.graph, own);
      poplin::convolutionWithOutput(run.graph, part, w, own, p, false, run.prog);
      all.expect("part", own, forward(p, in, weights));
      addInPlace(all, p);
      all.runAndCheck();
    }
  });
}

TEST_CASE("on a CPU neither threads nor the layout change a bit of depthwise layers") {
  for (Type const &type : {FLOAT, HALF})
    for (ConvParams const &p :
         {depthwise(type, 1, {33, 35}, {3, 3}, 40), depthwise(type, 3, {21, 40}, {5, 3}, 9, 2),
          depthwise(type, 1, {7, 7}, {3, 3}, 33), depthwise(type, 2, {14, 14}, {3, 3}, 36, 2)}) {
      CAPTURE(textOf(p));
      Values const expected = runOnCpu(p, Layout::LIBRARY, Layout::LIBRARY, "1");
      for (char const *threads : {"1", "2", "3"})
        CHECK(runOnCpu(p, Layout::PLAIN, Layout::PLAIN, threads) == expected);
    }
}

TEST_SUITE_END();
