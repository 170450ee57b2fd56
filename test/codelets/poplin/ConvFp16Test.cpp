// Convolutions by half arithmetic, on every set of this machine that has it, its twin included: the
// bits of their definition.
#if defined(__x86_64__)
#include "BlockProducts.hpp"
#include "Fp16Sums.hpp"
#include "TileConvolutions.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using kernels::MatMulMethod;
using Problem = test::TileProblem;
using Weights = test::TileWeights;

namespace {

using Data = test::TileData<Half>;

/// The operands of an output; inputs in the padding are zeros.
struct Operands {
  std::vector<double> inputs, weights;
};
Operands operandsOf(Problem const &p, Data const &data, std::size_t b, int y, int x, std::size_t g,
                    std::size_t o) {
  Operands operands;
  for (int i = 0; i < p.kernel[0]; ++i)
    for (int j = 0; j < p.kernel[1]; ++j) {
      auto const first = test::inputOf(p, b, y, x, g, i, j);
      for (std::size_t c = 0; c < p.in; ++c) {
        auto const tap = static_cast<std::size_t>(i * p.kernel[1] + j);
        operands.inputs.push_back(first ? static_cast<double>(data.in[*first + c]) : 0);
        operands.weights.push_back(
            static_cast<double>(test::toFloat(data.weights[p.weight(g, tap, c, o)])));
      }
    }
  return operands;
}

/// Outputs that do not have the bits of the definition; those whose sums are not finite, of chains
/// of float multiply-adds without the padding.
std::size_t wrongOf(Problem const &p, Data const &data, std::vector<float> const &out) {
  std::size_t wrong = 0;
  test::forEachOutput(
      p, [&](std::size_t at, std::size_t b, int y, int x, std::size_t g, std::size_t o) {
        Operands const of = operandsOf(p, data, b, y, x, g, o);
        float sum = test::fp16Sum(of.inputs.size(),
                                  [&](std::size_t q) { return of.inputs[q] * of.weights[q]; });
        if (!std::isfinite(sum)) {
          sum = 0;
          test::forEachProduct(p, data, b, y, x, g, o,
                               [&](float u, float v) { sum = std::fma(u, v, sum); });
        }
        wrong += test::same(out[at], sum) ? 0U : 1U;
      });
  return wrong;
}

void check(Problem const &p, Data const &data) {
  CAPTURE(p.in);
  CAPTURE(p.out);
  for (isa::Isa const isa : test::tiles::halfIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    auto const out = test::convolve<Half>(p, data, isa, MatMulMethod::FP16);
    CHECK(wrongOf(p, data, out) == 0);
    // Halves that come as floats, as to epilogues, are the same.
    CHECK(test::tiles::equal(test::convolve<float>(p, data, isa, MatMulMethod::FP16), out));
  }
}

} // namespace

TEST_SUITE_BEGIN("codelets/poplin/ConvFp16");

TEST_CASE("convolutions by half arithmetic have the bits of the definition") {
  Problem const problems[] = {
      {2, 1, 32, 33, {7, 6}, {3, 3}, {1, 1}, 1, 1},
      {1, 2, 40, 17, {9, 8}, {3, 2}, {2, 1}, 1, 2, Weights::CHANNELS_LAST},
      {1, 1, 70, 50, {5, 9}, {1, 1}, {1, 2}, 0, 1, Weights::KERNEL_LAST},
      {3, 1, 64, 70, {4, 4}, {5, 5}, {1, 1}, 2, 1, Weights::KERNEL_LAST},    // several passes
      {1, 1, 600, 16, {3, 3}, {1, 1}, {1, 1}, 1, 1, Weights::CHANNELS_LAST}, // outputs without taps
      {1, 1, 1, 1, {1, 1}, {1, 1}, {1, 1}, 0, 1},
      {2, 1, 3, 40, {9, 20}, {7, 7}, {2, 2}, 3, 1}, // odd channels: pairs of two taps
      {1, 1, 33, 65, {6, 6}, {3, 3}, {1, 1}, 1, 1, Weights::CHANNELS_LAST},
      {1, 2, 20, 17, {5, 9}, {2, 5}, {1, 1}, 2, 2, Weights::CHANNELS_LAST},
      {1, 1, 72, 32, {5, 5}, {3, 3}, {1, 1}, 1, 1, Weights::KERNEL_LAST}, // 648 values of k
      {1, 1, 16, 32, {34, 33}, {3, 3}, {1, 1}, 1, 1}, // more outputs than a block of rows
      {1, 1, 16, 530, {3, 3}, {2, 2}, {1, 1}, 0, 1},  // more columns than are packed at a time
  };
  unsigned seed = 0;
  for (Problem const &p : problems)
    check(p, Data(p, ++seed));
}

TEST_CASE("by half arithmetic, infinity and NaN in weights do not meet the padding") {
  Problem const p{1, 1, 32, 20, {4, 5}, {3, 3}, {1, 1}, 1, 1};
  Data data(p, 3);
  float const infinity = std::numeric_limits<float>::infinity();
  data.weights[p.weight(0, 0, 5, 3)] = test::fromFloat<Half>(infinity); // padding for the first row
  data.weights[p.weight(0, 8, 1, 7)] =
      test::fromFloat<Half>(std::numeric_limits<float>::quiet_NaN());
  data.in[19 * 32 + 8] = -infinity; // the last place
  data.in[200] = 60000, data.weights[p.weight(0, 4, 8, 9)] = test::fromFloat<Half>(300);
  check(p, data);
  for (isa::Isa const isa : test::tiles::halfIsas()) {
    auto const out = test::convolve<Half>(p, data, isa, MatMulMethod::FP16);
    CHECK(std::isfinite(out[3])); // of the first row
    CHECK_FALSE(std::isfinite(out[3 + 6 * 20]));
    CHECK(std::any_of(out.begin(), out.end(), [](float x) { // beyond a half, not beyond a float
      return std::isfinite(x) && std::fabs(x) > 1e7F;
    }));
  }
}

TEST_CASE("FP16 is chosen for convolutions whose taps are mostly inputs") {
  auto const method = [](bool available, std::size_t channels, double products, bool partials) {
    return kernels::convFp16Method(available, 3136, 64, channels, 9, products, true, partials);
  };
  CHECK(method(true, 64, 1, true) == MatMulMethod::FP16);
  CHECK(method(false, 64, 1, true) == MatMulMethod::BLOCKED);
  CHECK(method(true, 64, 1, false) == MatMulMethod::BLOCKED);
  CHECK(method(true, 3, 1, true) == MatMulMethod::BLOCKED);
  CHECK(method(true, 64, .25, true) == MatMulMethod::BLOCKED); // dilated deltas
}

TEST_SUITE_END();

#endif
