// Many convolutions in one program, each compared with sums in double.
#pragma once

#include "ConvPairs.hpp"
#include "Products.hpp"

#include <poplin/Convolution.hpp>

namespace convolutions {

using namespace harness;
using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::Type;
using products::Expectation;
using products::Products;

inline Shape inShape(ConvParams const &p) {
  Shape shape{p.batchSize, p.getNumInputChans()};
  shape.insert(shape.end(), p.inputFieldShape.begin(), p.inputFieldShape.end());
  return shape;
}
inline Shape outShape(ConvParams const &p) {
  Shape shape{p.batchSize, p.getNumOutputChans()};
  for (std::size_t size : p.getOutputFieldShape())
    shape.push_back(size);
  return shape;
}
inline Shape weightsShape(ConvParams const &p) {
  Shape shape{p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup};
  shape.insert(shape.end(), p.kernelShape.begin(), p.kernelShape.end());
  return shape;
}

/// Outputs lie `stride` inputs apart, as many as these allow: kernels overlap the ends by half.
inline ConvParams same(Type const &type, std::size_t batch, Shape const &field, Shape const &kernel,
                       std::size_t in, std::size_t out, std::size_t groups = 1,
                       unsigned stride = 1) {
  ConvParams p(type, batch, field, kernel, in, out, groups);
  for (std::size_t d = 0; d != field.size(); ++d) {
    p.inputTransform.paddingLower[d] = static_cast<unsigned>(kernel[d] - 1) / 2;
    p.inputTransform.paddingUpper[d] = static_cast<unsigned>(kernel[d]) / 2;
    p.outputTransform.stride[d] = stride;
  }
  return p;
}

/// f(output, kernel, input) for the flat places in the fields of every product.
template <class F> void forEachMeeting(ConvParams const &p, F const &f) {
  std::vector<Triples> dims;
  auto const outField = p.getOutputFieldShape();
  for (unsigned d = 0; d != p.getNumFieldDims(); ++d)
    dims.push_back(triplesOf(p, d));
  auto const walk = [&](auto const &self, std::size_t d, std::size_t o, std::size_t k,
                        std::size_t i) -> void {
    if (d == dims.size())
      return f(o, k, i);
    for (auto const &[o1, k1, i1] : dims[d])
      self(self, d + 1, o * outField[d] + o1, k * p.kernelShape[d] + k1,
           i * p.inputFieldShape[d] + i1);
  };
  walk(walk, 0, 0, 0, 0);
}

/// Sums of products, with what rounding may change.
class Sums {
public:
  explicit Sums(std::size_t n) : sum_(n), magnitude_(n), terms_(n) {}

  void add(std::size_t at, double a, double b) {
    sum_[at] += a * b;
    magnitude_[at] += std::fabs(a * b);
    terms_[at] += 1;
  }

  Expectation expectation(Type const &out, Type const &partials = FLOAT) const {
    Expectation e;
    e.values = sum_;
    for (std::size_t i = 0; i != sum_.size(); ++i) {
      double const roundings =
          terms_[i] * epsilonOf(FLOAT) + (partials == HALF ? 12 * epsilonOf(HALF) : 0);
      double const underflow = out == HALF ? std::ldexp(1.0, -25) : 0;
      e.bounds.push_back(roundings * magnitude_[i] + epsilonOf(out) * std::fabs(sum_[i]) * 1.01 +
                         underflow);
    }
    return e;
  }

private:
  Values sum_, magnitude_, terms_;
};

/// The numbers of a forward convolution: f(out, weight, in) for the flat places of every product.
template <class F> void forEachProduct(ConvParams const &p, F const &f) {
  std::size_t const outField = product(p.getOutputFieldShape()),
                    inField = product(p.inputFieldShape), kernel = product(p.kernelShape);
  std::size_t const O = p.outputChannelsPerConvGroup, I = p.inputChannelsPerConvGroup;
  forEachMeeting(p, [&](std::size_t y, std::size_t k, std::size_t x) {
    for (std::size_t b = 0; b != p.batchSize; ++b)
      for (std::size_t g = 0; g != p.numConvGroups; ++g)
        for (std::size_t o = 0; o != O; ++o)
          for (std::size_t i = 0; i != I; ++i)
            f(((b * p.numConvGroups + g) * O + o) * outField + y,
              ((g * O + o) * I + i) * kernel + k,
              ((b * p.numConvGroups + g) * I + i) * inField + x);
  });
}

inline Expectation forward(ConvParams const &p, Values const &in, Values const &weights,
                           Type const &partials = FLOAT) {
  Sums sums(product(outShape(p)));
  forEachProduct(p, [&](auto o, auto w, auto i) { sums.add(o, in[i], weights[w]); });
  return sums.expectation(p.outputType, partials);
}
inline Expectation inputGradient(ConvParams const &p, Values const &deltas, Values const &weights,
                                 Type const &partials = FLOAT) {
  Sums sums(product(inShape(p)));
  forEachProduct(p, [&](auto o, auto w, auto i) { sums.add(i, deltas[o], weights[w]); });
  return sums.expectation(p.outputType, partials);
}
inline Expectation weightGradient(ConvParams const &p, Values const &deltas, Values const &in,
                                  Type const &partials = FLOAT) {
  Sums sums(product(weightsShape(p)));
  forEachProduct(p, [&](auto o, auto w, auto i) { sums.add(w, deltas[o], in[i]); });
  return sums.expectation(p.outputType, partials);
}

/// A tensor made by the library, filled with numbers.
inline Tensor filled(Products &all, Tensor const &t, Values const &values) {
  all.run.write(t, values);
  return t;
}

/// How a layer's activations lie.
enum class Layout { LIBRARY, PLAIN };

/// Adds a layer whose result overwrites its plain input.
inline void addInPlace(Products &all, ConvParams const &p) {
  Values const in = all.numbers.real(p.inputType, product(inShape(p))),
               weights = all.numbers.real(p.inputType, product(weightsShape(p)));
  Tensor const x = all.run.input(p.inputType, inShape(p), in);
  Tensor const w = all.run.input(p.inputType, weightsShape(p), weights);
  poplin::convolutionWithOutput(all.run.graph, x, w, x, p, false, all.run.prog);
  all.expect("in place " + textOf(p), x, forward(p, in, weights));
}

/// The result of a layer on a CPU, the same numbers for each layout and number of threads.
inline Values runOnCpu(ConvParams const &p, Layout inLayout, Layout outLayout,
                       char const *threads) {
  Products all(cpu, 5);
  auto &run = all.run;
  Values const in = all.numbers.real(p.inputType, product(inShape(p))),
               weights = all.numbers.real(p.inputType, product(weightsShape(p)));
  Tensor const x = inLayout == Layout::PLAIN ? run.input(p.inputType, inShape(p), in)
                                             : filled(all, poplin::createInput(run.graph, p), in);
  Tensor const w = filled(all, poplin::createWeights(run.graph, p), weights);
  Tensor const out = outLayout == Layout::PLAIN ? run.graph.addVariable(p.outputType, outShape(p))
                                                : poplin::createConvOutput(run.graph, p);
  poputil::mapTensorLinearly(run.graph, out);
  poplin::convolutionWithOutput(run.graph, x, w, out, p, false, run.prog);
  auto const result = run.output(out);
  run.options.set("engine.numThreads", threads);
  run.run();
  return run.values(result);
}

} // namespace convolutions
