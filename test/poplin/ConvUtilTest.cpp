#include "ConvPairs.hpp"

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poplin/ConvUtil");

using namespace convolutions;

namespace {

/// The smallest range that holds the chosen member of all triples that fit.
template <class Test> Range hullOf(Triples const &triples, std::size_t member, Test const &fits) {
  Range range(NONE, 0);
  for (auto const &triple : triples)
    if (fits(triple))
      range = {std::min(range.first, triple[member]), std::max(range.second, triple[member] + 1)};
  return range.second == 0 ? Range(0, 0) : range;
}

/// Some range within [0, size].
Range someRange(RandomParams &random, std::size_t size) {
  auto const n = static_cast<unsigned>(size) + 1;
  unsigned const a = random.below(n), b = random.below(n);
  return {std::min(a, b), std::max(a, b)};
}

} // namespace

TEST_CASE("sizes are those of the spelt-out convolution") {
  RandomParams random(1);
  for (int i = 0; i != 300; ++i) {
    ConvParams const p = random.make(2);
    CAPTURE(textOf(p));
    for (unsigned d = 0; d != 2; ++d) {
      std::size_t size = 0;
      triplesOf(p, d, &size);
      CHECK(p.getOutputSize(d) == size);
      CHECK(p.getTransformedInputSize(d) ==
            transformed(p.inputFieldShape[d], p.inputTransform, d).size());
      CHECK(p.getTransformedKernelSize(d) ==
            transformed(p.kernelShape[d], p.kernelTransform, d).size());
      CHECK(p.getOutputFieldShape()[d] == size);
    }
  }
}

TEST_CASE("indices of input and kernel are those that meet, and no others") {
  RandomParams random(2);
  for (int i = 0; i != 200; ++i) {
    ConvParams const p = random.make(1);
    CAPTURE(textOf(p));
    Triples byKernel, byInput;
    for (unsigned o = 0; o != p.getOutputSize(0); ++o) {
      for (unsigned k = 0; k != p.kernelShape[0]; ++k)
        if (unsigned const in = poplin::getInputIndex(0, o, k, p); in != NONE)
          byKernel.insert({o, k, in});
      for (unsigned in = 0; in != p.inputFieldShape[0]; ++in)
        if (unsigned const k = poplin::getKernelIndex(0, o, in, p); k != NONE)
          byInput.insert({o, k, in});
    }
    Triples const expected = triplesOf(p, 0);
    CHECK(byKernel == expected);
    CHECK(byInput == expected);
  }
}

TEST_CASE("ranges are the smallest that hold all elements concerned") {
  RandomParams random(3);
  enum { OUTPUT, KERNEL, INPUT };
  for (int i = 0; i != 200; ++i) {
    ConvParams const p = random.make(1);
    CAPTURE(textOf(p));
    Triples const all = triplesOf(p, 0);
    Range const o = someRange(random, p.getOutputSize(0)), k = someRange(random, p.kernelShape[0]),
                in = someRange(random, p.inputFieldShape[0]);
    auto const outputs = [&](auto const &t) { return within(o, t[OUTPUT]); };
    auto const kernelToo = [&](auto const &t) { return outputs(t) && within(k, t[KERNEL]); };
    auto const inputToo = [&](auto const &t) { return outputs(t) && within(in, t[INPUT]); };
    CHECK(poplin::getOutputRangeForKernelRange(0, o, k, p) == hullOf(all, OUTPUT, kernelToo));
    CHECK(poplin::getOutputRangeForInputRange(0, o, in, p) == hullOf(all, OUTPUT, inputToo));
    CHECK(poplin::getInputRange(0, o, k, p) == hullOf(all, INPUT, kernelToo));
    CHECK(poplin::getInputRange(0, o, p) == hullOf(all, INPUT, outputs));
    CHECK(poplin::getKernelRange(0, o, in, p) == hullOf(all, KERNEL, inputToo));
    auto const ofKernel = [&](auto const &t) { return outputs(t) && t[KERNEL] == 0; };
    auto const ofInput = [&](auto const &t) { return outputs(t) && t[INPUT] == 1; };
    auto const ofOutput = [&](auto const &t) { return t[OUTPUT] == 1; };
    CHECK(poplin::getOutputRangeForKernelIndex(0, o, 0, p) == hullOf(all, OUTPUT, ofKernel));
    CHECK(poplin::getOutputRangeForInputIndex(0, o, 1, p) == hullOf(all, OUTPUT, ofInput));
    CHECK(poplin::getInputRange(0, o, 0U, p) == hullOf(all, INPUT, ofKernel));
    CHECK(poplin::getKernelRange(0, o, 1U, p) == hullOf(all, KERNEL, ofInput));
    if (p.getOutputSize(0) > 1) {
      CHECK(poplin::getInputRange(0, 1U, p) == hullOf(all, INPUT, ofOutput));
      CHECK(poplin::getInputRange(0, 1U, Range(0, p.kernelShape[0]), p) ==
            hullOf(all, INPUT, ofOutput));
    }
  }
}

TEST_CASE("canonical params have the same products and are canonical again") {
  RandomParams random(4);
  for (int i = 0; i != 300; ++i) {
    ConvParams const p = random.make(1), canonical = p.canonicalize();
    CAPTURE(textOf(p));
    CAPTURE(textOf(canonical));
    CHECK_NOTHROW(canonical.validate());
    CHECK(canonical.getOutputSize(0) == p.getOutputSize(0));
    CHECK(triplesOf(canonical, 0) == triplesOf(p, 0));
    CHECK(canonical.canonicalize() == canonical);
  }
}

TEST_CASE("the gradient's convolution has the products of the forward one, seen from the input") {
  RandomParams random(5);
  for (int i = 0; i != 300; ++i) {
    ConvParams const p = random.make(1), gradient = poplin::getGradientParams(p);
    CAPTURE(textOf(p));
    CAPTURE(textOf(gradient));
    Triples expected;
    auto const last = static_cast<unsigned>(p.kernelShape[0] - 1);
    for (auto const &[o, k, in] : triplesOf(p, 0))
      expected.insert({in, last - k, o});
    CHECK(triplesOf(gradient, 0) == expected);
    CHECK(gradient.getOutputFieldShape() == p.inputFieldShape);
    CHECK(gradient.inputFieldShape == p.getOutputFieldShape());
    CHECK(gradient.inputChannelsPerConvGroup == p.outputChannelsPerConvGroup);
    CHECK(gradient.outputChannelsPerConvGroup == p.inputChannelsPerConvGroup);
    CHECK(gradient.batchSize == p.batchSize);
  }
}

TEST_CASE("the weight update's convolution has them, seen from the kernel") {
  RandomParams random(6);
  for (int i = 0; i != 300; ++i) {
    ConvParams const p = random.make(1), update = poplin::getWeightUpdateParams(p);
    CAPTURE(textOf(p));
    CAPTURE(textOf(update));
    Triples expected;
    for (auto const &[o, k, in] : triplesOf(p, 0))
      expected.insert({k, o, in});
    CHECK(triplesOf(update, 0) == expected);
    CHECK(update.getOutputFieldShape() == p.kernelShape);
    CHECK(update.batchSize == p.inputChannelsPerConvGroup);
    CHECK(update.inputChannelsPerConvGroup == p.batchSize);
    CHECK(update.outputChannelsPerConvGroup == p.outputChannelsPerConvGroup);
  }
}

TEST_CASE("dilations and strides of 0 are errors, not divided by") {
  ConvParams const good(FLOAT, 1, {8, 8}, {3, 3}, 1, 1, 1);
  auto const check = [](ConvParams const &p, char const *message) {
    CHECK_THROWS_WITH_AS(poplin::getInputIndex(0, 1, 1, p), message, poplibs_error);
    CHECK_THROWS_WITH_AS(poplin::getKernelIndex(0, 1, 1, p), message, poplibs_error);
    CHECK_THROWS_WITH_AS(poplin::getInputRange(0, {0, 2}, p), message, poplibs_error);
    CHECK_THROWS_WITH_AS(poplin::getKernelRange(0, {0, 2}, 1, p), message, poplibs_error);
    CHECK_THROWS_WITH_AS(poplin::getOutputRangeForKernelIndex(0, {0, 2}, 1, p), message,
                         poplibs_error);
    CHECK_THROWS_WITH_AS(poplin::getOutputRangeForInputIndex(0, {0, 2}, 1, p), message,
                         poplibs_error);
  };
  ConvParams p = good;
  p.inputTransform.dilation[0] = 0;
  check(p, "poplin::ConvParams: inputTransform.dilation[0] is 0; it must be at least 1");
  p = good;
  p.kernelTransform.dilation[0] = 0;
  check(p, "poplin::ConvParams: kernelTransform.dilation[0] is 0; it must be at least 1");
  p = good;
  p.outputTransform.stride[0] = 0;
  check(p, "poplin::ConvParams: outputTransform.stride[0] is 0; it must be at least 1");
}

TEST_CASE("dilated sizes") {
  CHECK(poplin::getDilatedSize(0, 3) == 0);
  CHECK(poplin::getDilatedSize(1, 3) == 1);
  CHECK(poplin::getDilatedSize(4, 1) == 4);
  CHECK(poplin::getDilatedSize(4, 3) == 10);
}

TEST_SUITE_END();
