#include "Convolutions.hpp"

TEST_SUITE_BEGIN("poplin/convolution");

using namespace convolutions;

namespace {

/// A kernel of one element in each dimension.
ConvParams pointwise(Type const &type, std::size_t batch, Shape const &field, std::size_t in,
                     std::size_t out, std::size_t groups = 1, unsigned stride = 1) {
  ConvParams p(type, batch, field, Shape(field.size(), 1), in, out, groups);
  for (unsigned &s : p.outputTransform.stride)
    s = stride;
  return p;
}

/// Fields below and above what is worth a product, with edges that leave inputs out.
std::vector<ConvParams> layers(Type const &type) {
  std::vector<ConvParams> all{
      pointwise(type, 1, {17, 16}, 40, 96),       pointwise(type, 2, {17, 16}, 40, 64),
      pointwise(type, 2, {5, 6}, 33, 70),         pointwise(type, 2, {300}, 7, 3),
      pointwise(type, 2, {18, 15}, 6, 32, 3),     pointwise(type, 1, {260}, 1, 5),
      pointwise(type, 3, {16, 17}, 35, 1),        pointwise(type, 2, {33, 36}, 12, 64, 1, 2),
      pointwise(type, 1, {4, 9, 8}, 9, 40, 1, 1), pointwise(type, 2, {4, 3}, 32, 64, 2),
      pointwise(type, 1, {5, 5}, 40, 64)};
  ConvParams cut = pointwise(type, 2, {40, 37}, 8, 64, 2, 2);
  cut.inputTransform.truncationLower = {1, 0};
  cut.inputTransform.truncationUpper = {0, 2};
  cut.outputTransform.truncationLower = {0, 3};
  cut.outputTransform.truncationUpper = {2, 1};
  all.push_back(cut);
  return all;
}

/// Variables in the library's layouts and in plain ones, filled.
struct Operands {
  std::vector<Tensor> in, weights;

  Operands(Products &all, ConvParams const &p, Values const &inValues, Values const &weightValues)
      : in{filled(all, poplin::createInput(all.run.graph, p), inValues),
           all.run.input(p.inputType, inShape(p), inValues)},
        weights{filled(all, poplin::createWeights(all.run.graph, p), weightValues),
                all.run.input(p.inputType, weightsShape(p), weightValues)} {}
};

} // namespace

TEST_CASE("pointwise layers, with channels last or the field last in every operand") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF}) {
      Products all(device);
      auto &run = all.run;
      for (ConvParams const &p : layers(type)) {
        Values const in = all.numbers.real(type, product(inShape(p))),
                     weights = all.numbers.real(type, product(weightsShape(p)));
        Expectation const expected = forward(p, in, weights);
        Operands const operands(all, p, in, weights);
        for (Tensor const &x : operands.in)
          for (Tensor const &w : operands.weights) {
            all.expect("own output " + textOf(p),
                       poplin::convolution(run.graph, x, w, p, false, run.prog), expected);
            Tensor const out = run.graph.addVariable(type, outShape(p));
            poputil::mapTensorLinearly(run.graph, out);
            poplin::convolutionWithOutput(run.graph, x, w, out, p, false, run.prog);
            all.expect("plain output " + textOf(p), out, expected);
          }
      }
      all.runAndCheck();
    }
  });
}

TEST_CASE("a pointwise layer may overwrite a plain input") {
  onDevices([](DeviceMaker const &device) {
    Products all(device);
    for (Type const &type : {FLOAT, HALF})
      addInPlace(all, pointwise(type, 2, {17, 16}, 12, 12));
    all.runAndCheck();
  });
}

TEST_CASE("threads change no bit of a pointwise layer") {
  for (Type const &type : {FLOAT, HALF})
    for (ConvParams const &p :
         {pointwise(type, 2, {20, 21}, 150, 96), pointwise(type, 1, {56, 56}, 64, 64, 1, 2)})
      for (Layout in : {Layout::LIBRARY, Layout::PLAIN}) {
        CAPTURE(textOf(p));
        Values const expected = runOnCpu(p, in, Layout::PLAIN, "1");
        CHECK(runOnCpu(p, in, Layout::PLAIN, "2") == expected);
        CHECK(runOnCpu(p, in, Layout::PLAIN, "3") == expected);
      }
}

TEST_SUITE_END();
