// Convolutions on matrix tiles, on every set of this machine that has them, twins included: against
// double arithmetic, and against multiply-adds where tiles leave elements to them.
#include "TileConvolutions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using kernels::MatMulMethod;
using Problem = test::TileProblem;
using Weights = test::TileWeights;

#if defined(__x86_64__)

namespace {

template <class T> using Data = test::TileData<T>;
using test::convolve, test::convolutionsOf, test::forEachOutput, test::forEachProduct;

/// \param smallest  what one product may lose, as a share of itself, besides rounding
template <class T>
void checkAgainstDouble(Problem const &p, Data<T> const &data, std::vector<float> const &out,
                        double smallest) {
  std::size_t wrong = 0;
  forEachOutput(p, [&](std::size_t at, std::size_t b, int y, int x, std::size_t g, std::size_t o) {
    double sum = 0, magnitude = 0;
    std::size_t terms = 0;
    forEachProduct(p, data, b, y, x, g, o, [&](double u, double v) {
      sum += u * v, magnitude += std::fabs(u * v), ++terms;
    });
    double const bound = magnitude * (static_cast<double>(terms) * std::ldexp(1.0, -24) + smallest);
    wrong += std::fabs(out[at] - sum) <= bound ? 0U : 1U;
  });
  CHECK(wrong == 0);
}

Problem const PROBLEMS[] = {
    {2, 1, 32, 33, {7, 6}, {3, 3}, {1, 1}, 1, 1},
    {1, 2, 40, 17, {9, 8}, {3, 2}, {2, 1}, 1, 2, Weights::CHANNELS_LAST},
    {1, 1, 70, 50, {5, 9}, {1, 1}, {1, 2}, 0, 1, Weights::KERNEL_LAST},
    {3, 1, 64, 300, {4, 4}, {5, 5}, {1, 1}, 2, 1, Weights::KERNEL_LAST},
    {1, 1, 600, 16, {3, 3}, {1, 1}, {1, 1}, 1, 1, Weights::CHANNELS_LAST}, // outputs without taps
    {1, 1, 1, 1, {1, 1}, {1, 1}, {1, 1}, 0, 1},
    {2, 1, 3, 40, {9, 20}, {7, 7}, {2, 2}, 3, 1}, // lines of taps
    {1, 2, 20, 17, {5, 9}, {2, 5}, {1, 1}, 2, 2, Weights::CHANNELS_LAST},
};

} // namespace

TEST_SUITE_BEGIN("codelets/poplin/conv");

TEST_CASE("convolutions on matrix tiles are those of the definition") {
  for (isa::Isa const isa : test::tileIsas())
    for (Problem const &p : PROBLEMS) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(p.in);
      CAPTURE(p.out);
      Data<float> const floats(p, 1);
      checkAgainstDouble(p, floats, convolve(p, floats, isa, MatMulMethod::AMX6), 0);
      Data<Half> const halves(p, 2);
      bool const half = isa::tilesOf(isa) == isa::Tiles::Half;
      auto const exact = half ? MatMulMethod::AMX1 : MatMulMethod::AMX4;
      checkAgainstDouble(p, halves, convolve(p, halves, isa, exact), 0);
      if (!half) // the product of the second pieces is left out: 2^-9 of each operand
        checkAgainstDouble(p, halves, convolve(p, halves, isa, MatMulMethod::AMX3), 0x1p-17);
    }
}

TEST_CASE("on matrix tiles, infinity and NaN in weights do not meet the padding") {
  Problem const p{1, 1, 32, 20, {4, 5}, {3, 3}, {1, 1}, 1, 1};
  for (isa::Isa const isa : test::tileIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    Data<float> data(p, 3);
    float const infinity = std::numeric_limits<float>::infinity();
    data.weights[p.weight(0, 0, 5, 3)] = infinity; // the first tap: padding for the first row
    data.weights[p.weight(0, 8, 1, 7)] = std::numeric_limits<float>::quiet_NaN();
    data.in[40] = -infinity;
    auto const out = convolve(p, data, isa, MatMulMethod::AMX6);
    std::size_t wrong = 0, notFinite = 0;
    forEachOutput(p, [&](std::size_t at, std::size_t b, int y, int x, std::size_t g,
                         std::size_t o) {
      float sum = 0;
      forEachProduct(p, data, b, y, x, g, o, [&](float u, float v) { sum = std::fma(u, v, sum); });
      if (std::isfinite(sum)) {
        wrong += std::isfinite(out[at]) ? 0U : 1U;
        return;
      }
      ++notFinite; // computed by the same chain
      wrong += std::isnan(sum) ? !std::isnan(out[at]) : out[at] != sum;
    });
    CHECK(wrong == 0);
    CHECK(notFinite > 0);
    CHECK(notFinite < out.size());
  }
}

TEST_CASE("on matrix tiles, tiny operands of a convolution lose nothing that counts") {
  Problem const p{1, 1, 32, 40, {6, 6}, {3, 3}, {1, 1}, 1, 1};
  for (isa::Isa const isa : test::tileIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    Data<float> data(p, 4);
    for (float &x : data.in)
      x *= 0x1p-70F;
    for (float &w : data.weights)
      w *= 0x1p-50F;
    auto const out = convolve(p, data, isa, MatMulMethod::AMX6);
    std::size_t wrong = 0;
    forEachOutput(
        p, [&](std::size_t at, std::size_t b, int y, int x, std::size_t g, std::size_t o) {
          double sum = 0, magnitude = 0, terms = 0;
          forEachProduct(p, data, b, y, x, g, o, [&](double u, double v) {
            sum += u * v, magnitude += std::fabs(u * v), ++terms;
          });
          double const bound = terms * (std::ldexp(magnitude, -24) + std::ldexp(1.0, -149));
          wrong += std::fabs(out[at] - sum) <= bound ? 0U : 1U;
        });
    CHECK(wrong == 0);
  }
}

namespace {

/// The first group with this plan.
/// \tparam In  of the input's elements: float or T
template <class In = float, class T>
std::vector<float> convolveBy(kernels::ConvGridPlan const &plan, Problem const &p,
                              Data<T> const &data, isa::Isa isa, MatMulMethod method) {
  std::vector<In> const in = data.template inputs<In>();
  auto const table = tableOf(p);
  auto const strides = stridesOf(p);
  kernels::ConvGeometry const geometry(4, table.data(), strides.data());
  kernels::ConvGrid grid;
  REQUIRE(grid.fit(geometry));
  constexpr float GUARD = -12345;
  std::size_t const scratch = kernels::convTileWorkspace(method, geometry, p.out, grid, plan);
  std::vector<float> workspace(scratch + 16, GUARD), out(p.pixels() * p.out, 77.0F);
  struct Context {
    std::vector<float> &out;
    std::size_t columns;
  } const context{out, p.out};
  auto const finish = [](void const *c, kernels::TilePlace const &place, float const *sums) {
    auto const &to = *static_cast<Context const *>(c);
    for (std::size_t i = 0; i < place.rows; ++i)
      std::copy(sums + i * kernels::MATMUL_TILE_BLOCK,
                sums + i * kernels::MATMUL_TILE_BLOCK + place.columns,
                to.out.begin() + static_cast<std::ptrdiff_t>((place.i + i) * to.columns + place.j));
  };
  kernels::ConvTileProblem<In, T> const problem{
      &geometry, p.pixels(),           p.out,
      in.data(), data.weights.data(),  static_cast<std::ptrdiff_t>(p.columnStride()),
      0,         std::size_t{1} << 31U};
  convolutionsOf(isa).of(method, in.data(), data.weights.data())(
      problem, grid, plan, workspace.data(), {&context, nullptr, finish});
  CHECK(std::all_of(workspace.begin() + static_cast<std::ptrdiff_t>(scratch), workspace.end(),
                    [](float x) { return x == GUARD; }));
  return out;
}

bool sameBits(std::vector<float> const &a, std::vector<float> const &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

} // namespace

TEST_CASE("convolutions have the same bits in grids of any band and depth as gathered") {
  Problem const problems[] = {
      {2, 1, 32, 33, {7, 6}, {3, 3}, {1, 1}, 1, 1},
      {1, 1, 64, 17, {9, 8}, {3, 2}, {2, 1}, 1, 2, Weights::CHANNELS_LAST},
      {2, 1, 70, 50, {11, 9}, {3, 3}, {3, 2}, 1, 1, Weights::KERNEL_LAST},
      {3, 1, 64, 20, {4, 4}, {5, 5}, {1, 1}, 2, 1, Weights::KERNEL_LAST},
      {1, 1, 32, 70, {5, 40}, {2, 3}, {2, 3}, 0, 3},
      {1, 1, 32, 16, {3, 3}, {1, 1}, {1, 1}, 1, 1}, // outputs without taps
      {1, 1, 50, 32, {1, 1}, {1, 1}, {1, 1}, 0, 1},
      {2, 1, 3, 33, {13, 19}, {7, 7}, {2, 2}, 3, 1}, // lines of taps
      {1, 1, 3, 20, {9, 30}, {2, 11}, {1, 4}, 2, 1, Weights::CHANNELS_LAST},
      {1, 1, 12, 40, {8, 7}, {3, 3}, {1, 1}, 1, 1, Weights::KERNEL_LAST},
      {2, 1, 16, 17, {6, 5}, {3, 5}, {1, 3}, 2, 2},
  };
  for (isa::Isa const isa : test::tileIsas())
    for (Problem const &p : problems) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(p.in);
      Data<float> floats(p, 11);
      Data<Half> const halves(p, 12);
      std::size_t const depth =
          kernels::convTileDepth(p.in, p.taps(), static_cast<std::size_t>(p.kernel[1]));
      auto const method =
          isa::tilesOf(isa) == isa::Tiles::Half ? MatMulMethod::AMX1 : MatMulMethod::AMX4;
      for (bool const special : {false, true}) {
        if (special) { // guarded elements are the same, too
          floats.in[7] = std::numeric_limits<float>::infinity();
          floats.in[3] = 0x1p-120F;
          floats.weights[5] = 0x1p-100F;
        }
        auto const gathered = convolveBy({}, p, floats, isa, MatMulMethod::AMX6);
        auto const gatheredHalf = convolveBy({}, p, halves, isa, method);
        CHECK(sameBits(convolveBy<Half>({}, p, halves, isa, method), gatheredHalf));
        for (std::size_t const band : {32, 64, 1024})
          for (std::size_t const part : {std::size_t{32}, std::size_t{96}, depth}) {
            // Sanitizers make twins slow: one part a band.
            if (test::SANITIZED && part != (band == 32 ? depth : band == 64 ? 32 : 96))
              continue;
            kernels::ConvGridPlan plan{band, std::min(part, depth)};
            plan.keepsB = plan.depth == depth && band == 32;
            CAPTURE(band);
            CAPTURE(part);
            CHECK(sameBits(convolveBy(plan, p, floats, isa, MatMulMethod::AMX6), gathered));
            CHECK(sameBits(convolveBy(plan, p, halves, isa, method), gatheredHalf));
            CHECK(sameBits(convolveBy<Half>(plan, p, halves, isa, method), gatheredHalf));
          }
      }
    }
}

TEST_SUITE_END();

#endif
