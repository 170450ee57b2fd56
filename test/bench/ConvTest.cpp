#include <bench/race/Problem.hpp>

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>

using namespace cottonwood::bench;

namespace {

/// All three tensors of a small convolution, every product of which is enumerated the long way.
struct Longhand {
  Conv conv;
  std::vector<float> input, weights, output;

  /// f(input index, weight index, output index) for every product.
  template <class F> void forEachProduct(F &&f) const {
    std::size_t const inChannels = conv.groups * conv.in, outChannels = conv.groups * conv.out;
    long const size = static_cast<long>(conv.size), outSize = static_cast<long>(conv.outSize()),
               kernel = static_cast<long>(conv.kernel);
    for (std::size_t b = 0; b < conv.batch; ++b)
      for (std::size_t o = 0; o < outChannels; ++o)
        for (std::size_t i = 0; i < conv.in; ++i)
          for (long y = 0; y < outSize; ++y)
            for (long x = 0; x < outSize; ++x)
              for (long ky = 0; ky < kernel; ++ky)
                for (long kx = 0; kx < kernel; ++kx) {
                  long const pad = static_cast<long>(conv.padding());
                  long const inY = y * static_cast<long>(conv.stride) + ky - pad;
                  long const inX = x * static_cast<long>(conv.stride) + kx - pad;
                  if (inY < 0 || inX < 0 || inY >= size || inX >= size)
                    continue;
                  std::size_t const channel = o / conv.out * conv.in + i;
                  f(at(b, inChannels, channel, size, inY, inX), at(o, conv.in, i, kernel, ky, kx),
                    at(b, outChannels, o, outSize, y, x));
                }
  }

  static std::size_t at(std::size_t outer, std::size_t channels, std::size_t channel, long size,
                        long y, long x) {
    return ((outer * channels + channel) * static_cast<std::size_t>(size) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(size) +
           static_cast<std::size_t>(x);
  }
};

/// The reference against sums over all products.
void check(Conv conv) {
  CAPTURE(nameOf(conv));
  Longhand const longhand{conv, randomValues(conv.sizeInput(), 5, false),
                          randomValues(conv.sizeWeights(), 6, false),
                          randomValues(conv.sizeOutput(), 7, false)};
  std::map<std::size_t, double> sums;
  bool const forward = conv.pass == Conv::Pass::FORWARD,
             data = conv.pass == Conv::Pass::DATA_GRADIENT;
  longhand.forEachProduct([&](std::size_t i, std::size_t w, std::size_t o) {
    if (forward)
      sums[o] += double{longhand.input[i]} * double{longhand.weights[w]};
    else if (data)
      sums[i] += double{longhand.output[o]} * double{longhand.weights[w]};
    else
      sums[w] += double{longhand.input[i]} * double{longhand.output[o]};
  });
  Reference const reference = referenceOf(conv, data ? longhand.output : longhand.input,
                                          forward || data ? longhand.weights : longhand.output);
  auto const positions = samplePositions(conv.sizeC());
  REQUIRE(reference.values.size() == positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i)
    CHECK(reference.values[i] == doctest::Approx(sums[positions[i]]));
}

constexpr Conv CONVS[] = {
    {.batch = 2, .in = 3, .out = 4, .size = 5, .kernel = 3},
    {.batch = 1, .in = 2, .out = 3, .size = 6, .kernel = 3, .stride = 2},
    {.batch = 2, .in = 2, .out = 2, .size = 7, .kernel = 1, .stride = 2},
    {.batch = 1, .groups = 4, .size = 5, .kernel = 3, .stride = 2},
    {.batch = 1, .groups = 2, .in = 2, .out = 3, .size = 4, .kernel = 3},
    {.batch = 1, .in = 3, .out = 2, .size = 9, .kernel = 7, .stride = 2},
};

} // namespace

TEST_SUITE("bench/conv") {
  TEST_CASE("references of all passes are the sums over all products") {
    for (Conv conv : CONVS)
      for (Conv::Pass pass :
           {Conv::Pass::FORWARD, Conv::Pass::DATA_GRADIENT, Conv::Pass::WEIGHT_GRADIENT}) {
        conv.pass = pass;
        check(conv);
      }
  }

  TEST_CASE("sizes of the first layer of ResNet-50") {
    Conv const conv{.in = 3, .out = 64, .size = 224, .kernel = 7, .stride = 2};
    CHECK(conv.outSize() == 112);
    CHECK(conv.flops() == doctest::Approx(236e6).epsilon(0.01));
    CHECK(conv.bytes() == 4.0 * (3 * 224 * 224 + 64 * 112 * 112 + 64 * 3 * 49));
  }

  TEST_CASE("names tell kernel, channels, size, batch, pass and layout") {
    Conv conv{.batch = 4, .in = 128, .out = 64, .size = 56, .kernel = 3, .stride = 2};
    CHECK(nameOf(conv) == "float/3x3s2/128-64@56/b4/own");
    conv.half = true, conv.pass = Conv::Pass::WEIGHT_GRADIENT, conv.layout = Conv::Layout::PLAIN;
    CHECK(nameOf(conv) == "half/3x3s2/128-64@56/b4/weight-gradient/plain");
    conv.halfPartials = true;
    CHECK(nameOf(conv) == "half-partials/3x3s2/128-64@56/b4/weight-gradient/plain");
    CHECK(textOf(parseConv(textOf(conv))) ==
          "half-partials weight-gradient plain 4 1 128 64 56 3 2");
    CHECK(nameOf(Conv{.groups = 32, .size = 7, .kernel = 3}) == "float/dw3x3/32@7/b1/own");
    CHECK(nameOf(Conv{.groups = 32, .in = 4, .out = 4}) == "float/1x1/32x(4-4)@1/b1/own");
  }

  TEST_CASE("in float a convolution of half keeps its values") {
    Problem const half = Conv{.half = true, .halfPartials = true, .size = 4};
    Problem const twin = parseProblem(textOf(asFloat(half)));
    CHECK_FALSE(std::get<Conv>(twin).halfPartials);
    CHECK_FALSE(isHalf(twin));
    CHECK(valuesOfA(twin) == valuesOfA(half));
  }

  TEST_CASE("what is no problem is refused") {
    for (char const *text :
         {"", "conv", "conv float forward own 1 1 1 1 1 1", "conv float forward own 1 1 1 1 1 1 0",
          "conv float backward own 1 1 1 1 1 1 1", "conv float forward blue 1 1 1 1 1 1 1",
          "conv float forward own 1 1 1 1 1 1 1 1", "conv float forward own 1 1 1 1 1 0 1",
          "matmul float 1 2 3 4 nn", "gemm float 1 2 3 4 nn plain"})
      CHECK_THROWS_AS(parseProblem(text), std::invalid_argument);
  }
}
