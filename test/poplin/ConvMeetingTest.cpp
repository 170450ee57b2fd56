// Pairs of a tap and an input in closed form, compared with those of operands that are spelt out.
#include "ConvPairs.hpp"

#include <poplin/Convolution.hpp>
#include <poplin/impl/ConvTables.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poplin/ConvMeeting");

using namespace convolutions;
using cottonwood::poplin::convClasses;
using cottonwood::poplin::ConvMeeting;
using cottonwood::poplin::MetTaps;

namespace {

/// Those of one output, in the order of taps.
Triples chosen(Triples const &all, unsigned output, Range taps, Range inputs) {
  Triples result;
  for (auto const &triple : all)
    if (triple[0] == output && within(taps, triple[1]) && within(inputs, triple[2]))
      result.insert(triple);
  return result;
}

Triples spelt(MetTaps const &met, unsigned output) {
  Triples result;
  for (unsigned i = 0; i != met.count; ++i)
    result.insert(
        {output, met.tap + i * met.tapStep, static_cast<unsigned>(met.in + i * met.inStep)});
  CHECK(result.size() == met.count);
  return result;
}

void checkOutputs(ConvParams const &p, Triples const &all, Range taps, Range inputs) {
  CAPTURE(textOf(p));
  ConvMeeting const meeting(p, 0);
  REQUIRE(meeting.outputs() == p.getOutputSize(0));
  for (unsigned o = 0; o != meeting.outputs(); ++o) {
    MetTaps const met = meeting.taps(o, taps, inputs);
    Triples const expected = chosen(all, o, taps, inputs);
    CHECK(spelt(met, o) == expected);
    if (expected.empty())
      continue;
    CHECK(met.tap == (*expected.begin())[1]);
    CHECK(met.lastTap() == (*expected.rbegin())[1]);
    Range range(NONE, 0);
    for (auto const &triple : expected)
      range = {std::min(range.first, triple[2]), std::max(range.second, triple[2] + 1)};
    CHECK(met.inputs() == range);
  }
}

} // namespace

TEST_CASE("all transforms of small sizes") {
  unsigned valid = 0;
  for (unsigned bits = 0; bits != 1U << 11U; ++bits) {
    auto const bit = [bits](unsigned i) { return bits >> i & 1U; };
    ConvParams p(poplar::FLOAT, 1, {4 + 5 * bit(0)}, {3 + bit(1)}, 1, 1, 1);
    p.inputTransform.flip = {bit(2) != 0}, p.kernelTransform.flip = {bit(3) != 0};
    p.inputTransform.paddingLower = {bit(4)}, p.inputTransform.paddingUpper = {3 * bit(5)};
    p.kernelTransform.paddingLower = {bit(6)}, p.kernelTransform.paddingUpper = {bit(7)};
    p.inputTransform.truncationLower = {bit(8)}, p.kernelTransform.truncationLower = {bit(9)};
    p.outputTransform.stride = {1 + bit(10)};
    for (unsigned dilation = 0; dilation != 16; ++dilation) {
      p.inputTransform.dilation = {1 + dilation % 4};
      p.kernelTransform.dilation = {1 + dilation / 4};
      if (p.getTransformedInputSize(0) < p.getTransformedKernelSize(0))
        continue;
      ++valid;
      checkOutputs(p, triplesOf(p, 0), {0, NONE}, {0, NONE});
    }
  }
  CHECK(valid > 10000);
}

TEST_CASE("random transforms, with ranges of taps and inputs") {
  RandomParams random(1);
  for (int i = 0; i != 400; ++i) {
    ConvParams const p = random.make(1, 12);
    Triples const all = triplesOf(p, 0);
    std::uint64_t const products = ConvMeeting(p, 0).products();
    CHECK(products == all.size());
    for (int j = 0; j != 4; ++j)
      checkOutputs(p, all, {random.below(4), random.below(8)}, {random.below(6), random.below(14)});
  }
}

TEST_CASE("classes of random dimensions have the products of their outputs and taps") {
  RandomParams random(2);
  for (int i = 0; i != 400; ++i) {
    ConvParams const p = random.make(1, 12);
    CAPTURE(textOf(p));
    auto const outputs = static_cast<unsigned>(p.getOutputSize(0));
    Range const some(random.below(outputs + 1), outputs), taps(random.below(3), 6);
    Triples expected, actual;
    for (auto const &[o, k, in] : triplesOf(p, 0))
      if (within(some, o) && within(taps, k))
        expected.insert({o - some.first, k - taps.first, in});
    std::size_t count = 0;
    for (auto const &c : convClasses(p, 0, some, taps, 0))
      for (int o = 0; o != c.outCount; ++o)
        for (int k = 0; k != c.tapCount; ++k, ++count)
          actual.insert({static_cast<unsigned>(c.out + o * c.outStep),
                         static_cast<unsigned>(c.tap + k * c.tapStep),
                         static_cast<unsigned>(c.in + o * c.inOut + k * c.inTap)});
    CHECK(actual == expected);
    CHECK(count == expected.size());
  }
}

TEST_CASE("products of a million outputs and taps are counted at once") {
  std::uint64_t const n = 1U << 20U;
  ConvParams p(poplar::FLOAT, 1, {n}, {n}, 1, 1, 1);
  p.inputTransform.paddingLower = {static_cast<unsigned>(n - 1)};
  CHECK(poplin::getFwdFlops(p) == n * (n + 1));
  CHECK(p.canonicalize() == p);
}

TEST_SUITE_END();
