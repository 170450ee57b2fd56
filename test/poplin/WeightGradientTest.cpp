#include "Convolutions.hpp"

#include <sstream>

TEST_SUITE_BEGIN("poplin/convolution");

using namespace convolutions;

namespace {

/// Groups of few channels, whose weights' gradients have vertices of their own on a CPU, and
/// others.
std::vector<ConvParams> groupLayers(Type const &type) {
  std::vector<ConvParams> all{
      same(type, 2, {9, 12}, {3, 3}, 4, 4, 9),     same(type, 1, {10, 9}, {3, 3}, 8, 8, 5),
      same(type, 3, {9, 10}, {3, 3}, 1, 2, 20),    same(type, 2, {9, 10}, {3, 3}, 1, 1, 35),
      same(type, 2, {13, 14}, {3, 3}, 3, 5, 6, 2), same(type, 2, {40}, {5}, 4, 4, 3),
      same(type, 17, {6, 7}, {3, 3}, 2, 2, 8),     same(type, 1, {9, 9}, {3, 3}, 4, 1, 8),
      same(type, 1, {9, 9}, {3, 3}, 4, 20, 3),     same(type, 1, {5, 4, 9}, {1, 3, 3}, 4, 4, 4),
      same(type, 2, {9, 10}, {3, 3}, 20, 64, 3, 2)}; // leaps over lines
  ConvParams p = same(type, 2, {15, 19}, {3, 3}, 4, 4, 5, 2);
  p.kernelTransform.dilation = {2, 1};
  p.inputTransform.truncationLower = {1, 2};
  p.inputTransform.truncationUpper = {0, 1};
  p.outputTransform.truncationLower = {1, 0};
  all.push_back(p);
  p.kernelTransform.truncationLower = {0, 1};
  all.push_back(p);
  p.kernelTransform.flip = {true, true};
  all.push_back(p);
  p.inputTransform.flip = {true, false};
  all.push_back(p);
  p.outputTransform.paddingUpper = {1, 0};
  all.push_back(p);
  return all;
}

/// A tensor of that shape, with channels last or in order.
Tensor tensorOf(Products &all, Layout layout, Type const &type, Shape const &shape,
                Values const &values) {
  if (layout == Layout::PLAIN)
    return all.run.input(type, shape, values);
  Shape last = shape;
  last.erase(last.begin() + 1), last.push_back(shape[1]);
  Tensor const t = all.run.graph.addVariable(type, last);
  poputil::mapTensorLinearly(all.run.graph, t);
  return filled(all, t.dimRoll(static_cast<unsigned>(shape.size()) - 1, 1), values);
}

/// The same numbers for each layout, number of threads and options.
Values gradientOnCpu(ConvParams const &p, Layout in, Layout deltas, char const *threads,
                     std::string const &partition = "") {
  Products all(cpu, 5);
  auto &run = all.run;
  Values const inputs = all.numbers.real(p.inputType, product(inShape(p))),
               errors = all.numbers.real(p.inputType, product(outShape(p)));
  poplar::OptionFlags options;
  if (!partition.empty())
    options.set("planConstraints", "{\"0\": {\"partition\": {" + partition + "}}}");
  Tensor const gradient = poplin::calculateWeightDeltas(
      run.graph, tensorOf(all, deltas, p.inputType, outShape(p), errors),
      tensorOf(all, in, p.inputType, inShape(p), inputs), p, run.prog, "", options);
  auto const result = run.output(gradient);
  run.options.set("engine.numThreads", threads);
  run.run();
  return run.values(result);
}

} // namespace

TEST_CASE("gradients of weights of groups in all layouts equal the sums of the definition") {
  onDevices([](DeviceMaker const &device) {
    for (Type const &type : {FLOAT, HALF})
      for (Layout const layout : {Layout::LIBRARY, Layout::PLAIN}) {
        Products all(device);
        for (ConvParams const &p : groupLayers(type)) {
          Values const in = all.numbers.real(type, product(inShape(p))),
                       deltas = all.numbers.real(type, product(outShape(p)));
          Tensor const tIn = tensorOf(all, layout, type, inShape(p), in),
                       tDeltas = tensorOf(all, layout, type, outShape(p), deltas);
          all.expect(textOf(p),
                     poplin::calculateWeightDeltas(all.run.graph, tDeltas, tIn, p, all.run.prog),
                     weightGradient(p, deltas, in));
        }
        all.runAndCheck();
      }
  });
}

TEST_CASE("on a CPU neither threads, layouts nor cuts change a bit of gradients of groups") {
  for (Type const &type : {FLOAT, HALF})
    for (ConvParams const &p : groupLayers(type)) {
      CAPTURE(textOf(p));
      Values const expected = gradientOnCpu(p, Layout::LIBRARY, Layout::LIBRARY, "1");
      CHECK(gradientOnCpu(p, Layout::PLAIN, Layout::LIBRARY, "2") == expected);
      CHECK(gradientOnCpu(p, Layout::PLAIN, Layout::PLAIN, "3") == expected);
      CHECK(gradientOnCpu(p, Layout::LIBRARY, Layout::PLAIN, "8") == expected);
      CHECK(gradientOnCpu(p, Layout::LIBRARY, Layout::LIBRARY, "2", "\"convGroupSplit\": 3") ==
            expected);
    }
}

TEST_CASE("gradients of groups of few channels have vertices of their own on a CPU") {
  auto const vertices = [](ConvParams const &p) {
    Products all(cpu);
    auto &run = all.run;
    Tensor const in = run.graph.addVariable(p.inputType, inShape(p)),
                 deltas = run.graph.addVariable(p.inputType, outShape(p));
    for (Tensor const &t : {in, deltas})
      poputil::mapTensorLinearly(run.graph, t);
    poplin::calculateWeightDeltas(run.graph, deltas, in, p, run.prog);
    std::ostringstream text;
    run.graph.outputVertexGraph(text, {run.prog});
    return text.str();
  };
  // Of one channel: those of more are for vectors of at least as many lanes.
  CHECK(vertices(groupLayers(FLOAT)[3]).find("poplin::ConvUpdate<float,float>") !=
        std::string::npos);
  CHECK(vertices(same(FLOAT, 2, {9, 12}, {3, 3}, 32, 32, 2)).find("poplin::ConvUpdate") ==
        std::string::npos);
}

TEST_SUITE_END();
