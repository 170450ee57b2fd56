// Convolutions on matrix tiles, on every set of this machine that has them, twins included: against
// double arithmetic, and against multiply-adds where tiles leave elements to them.
#include "../Isas.hpp"

#include <codelets/poplin/ConvVertex.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using kernels::MatMulMethod;

#if defined(__x86_64__)

namespace {

kernels::ConvTileKernels tileKernelsOf(isa::Isa isa) {
  return isa::withTag(isa, [](auto tag) {
    kernels::ConvTileKernels tiles{};
    if constexpr (isa::TileTag<decltype(tag)>)
      tiles = kernels::convTileKernelsOf<decltype(tag)>();
    return tiles;
  });
}

/// How weights lie: [kernel, I, O], [kernel, O, I] or [O, I, kernel].
enum class Weights { COLUMNS_LAST, CHANNELS_LAST, KERNEL_LAST };

/// [B, Y, X, groups, I] * [groups, KY, KX, I, O] -> [B, OY, OX, groups, O].
struct Problem {
  std::size_t batch, groups, in, out;
  int size[2], kernel[2], stride[2], padding, dilation;
  Weights layout = Weights::COLUMNS_LAST;

  int outputs(int d) const {
    return (size[d] + 2 * padding - dilation * (kernel[d] - 1) - 1) / stride[d] + 1;
  }
  std::size_t pixels() const {
    return batch * static_cast<std::size_t>(outputs(0)) * static_cast<std::size_t>(outputs(1));
  }
  std::size_t taps() const { return static_cast<std::size_t>(kernel[0] * kernel[1]); }
  std::size_t inputs() const {
    return batch * static_cast<std::size_t>(size[0] * size[1]) * groups * in;
  }
  /// The input that an output and a tap meet, or -1.
  int input(int d, int output, int tap) const {
    int const at = output * stride[d] + tap * dilation - padding;
    return at < 0 || at >= size[d] ? -1 : at;
  }
  long long tapStride() const {
    return static_cast<long long>(layout == Weights::KERNEL_LAST ? 1 : in * out);
  }
  long long channelStride() const {
    return static_cast<long long>(layout == Weights::COLUMNS_LAST    ? out
                                  : layout == Weights::CHANNELS_LAST ? 1
                                                                     : taps());
  }
  long long columnStride() const {
    return static_cast<long long>(layout == Weights::COLUMNS_LAST    ? 1
                                  : layout == Weights::CHANNELS_LAST ? in
                                                                     : in * taps());
  }
  std::size_t weight(std::size_t g, std::size_t tap, std::size_t i, std::size_t o) const {
    auto const at = [](std::size_t n) { return static_cast<long long>(n); };
    return g * taps() * in * out +
           static_cast<std::size_t>(at(tap) * tapStride() + at(i) * channelStride() +
                                    at(o) * columnStride());
  }
};

void append(std::vector<int> &table, int outputs, int taps,
            std::vector<kernels::ConvClass> const &classes) {
  table.insert(table.end(), {outputs, taps, static_cast<int>(classes.size())});
  for (auto const &c : classes)
    table.insert(table.end(), {c.out, c.outStep, c.outCount, c.tap, c.tapStep, c.tapCount, c.in,
                               c.inOut, c.inTap});
}

std::vector<int> tableOf(Problem const &p) {
  std::vector<int> table;
  int const batch = static_cast<int>(p.batch), in = static_cast<int>(p.in);
  append(table, batch, 1, {{0, 1, batch, 0, 1, 1, 0, 1, 0}});
  for (int d : {0, 1}) {
    std::vector<kernels::ConvClass> classes;
    for (int y = 0; y < p.outputs(d); ++y)
      for (int t = 0; t < p.kernel[d]; ++t) // a class a product
        if (p.input(d, y, t) >= 0)
          classes.push_back({y, 1, 1, t, 1, 1, p.input(d, y, t), 0, 0});
    append(table, p.outputs(d), p.kernel[d], classes);
  }
  append(table, 1, in, {{0, 1, 1, 0, 1, in, 0, 0, 1}});
  return table;
}

template <class T> struct Data {
  std::vector<float> in;
  std::vector<T> weights;

  /// Numbers that T holds exactly.
  Data(Problem const &p, unsigned seed)
      : in(p.inputs()), weights(p.groups * p.taps() * p.in * p.out) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> real(-2, 2);
    for (float &x : in)
      x = test::toFloat(test::fromFloat<T>(real(engine)));
    for (T &w : weights)
      w = test::fromFloat<T>(real(engine));
  }
};

template <class T>
std::vector<float> convolve(Problem const &p, Data<T> const &data, isa::Isa isa,
                            MatMulMethod method) {
  auto const table = tableOf(p);
  auto const s = [](auto n) { return static_cast<long long>(n); };
  std::size_t const pixel = p.groups * p.in, line = static_cast<std::size_t>(p.size[1]) * pixel;
  std::vector<long long> const strides{s(static_cast<std::size_t>(p.size[0]) * line),
                                       0,
                                       s(line),
                                       s(p.kernel[1]) * p.tapStride(),
                                       s(pixel),
                                       p.tapStride(),
                                       1,
                                       p.channelStride()};
  kernels::ConvGeometry const geometry(4, table.data(), strides.data());
  std::size_t const depth = p.taps() * ((p.in + 31) / 32 * 32);
  constexpr float GUARD = -12345;
  std::size_t const scratch = kernels::convTileWorkspace(method, p.pixels(), p.out, depth,
                                                         kernels::convTileEntries(geometry));
  std::vector<float> workspace(scratch + 16, GUARD);
  std::vector<float> out(p.pixels() * p.groups * p.out + 1, 77.0F);
  kernels::ConvArgs<float, T, float> args{geometry,
                                          p.groups,
                                          p.out,
                                          data.in.data(),
                                          static_cast<std::ptrdiff_t>(p.in),
                                          data.weights.data(),
                                          static_cast<std::ptrdiff_t>(p.taps() * p.in * p.out),
                                          static_cast<std::ptrdiff_t>(p.columnStride()),
                                          0,
                                          std::size_t{1} << 31U,
                                          out.data(),
                                          p.groups * p.out,
                                          nullptr,
                                          {},
                                          workspace.data()};
  args.blocking.method = method;
  kernels::detail::tileConvolve<isa::scalar>(args, kernels::StoreSums{}, tileKernelsOf(isa));
  CHECK(out.back() == 77.0F);
  CHECK(std::all_of(workspace.begin() + static_cast<std::ptrdiff_t>(scratch), workspace.end(),
                    [](float x) { return x == GUARD; }));
  out.pop_back();
  return out;
}

/// f(output in `out`, group, column, its place in the field) for all outputs.
template <class F> void forEachOutput(Problem const &p, F &&f) {
  std::size_t at = 0;
  for (std::size_t b = 0; b < p.batch; ++b)
    for (int y = 0; y < p.outputs(0); ++y)
      for (int x = 0; x < p.outputs(1); ++x)
        for (std::size_t g = 0; g < p.groups; ++g)
          for (std::size_t o = 0; o < p.out; ++o)
            f(at++, b, y, x, g, o);
}

/// f(input, weight) for all products of an output, in ascending order of taps.
template <class T, class F>
void forEachProduct(Problem const &p, Data<T> const &data, std::size_t b, int y, int x,
                    std::size_t g, std::size_t o, F &&f) {
  for (int i = 0; i < p.kernel[0]; ++i)
    for (int j = 0; j < p.kernel[1]; ++j) {
      int const inY = p.input(0, y, i), inX = p.input(1, x, j);
      if (inY < 0 || inX < 0)
        continue;
      std::size_t const place =
          (b * static_cast<std::size_t>(p.size[0]) + static_cast<std::size_t>(inY)) *
              static_cast<std::size_t>(p.size[1]) +
          static_cast<std::size_t>(inX);
      for (std::size_t c = 0; c < p.in; ++c)
        f(data.in[(place * p.groups + g) * p.in + c],
          test::toFloat(
              data.weights[p.weight(g, static_cast<std::size_t>(i * p.kernel[1] + j), c, o)]));
    }
}

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
};

} // namespace

TEST_SUITE_BEGIN("codelets/poplin/conv");

TEST_CASE("convolutions on matrix tiles are those of the definition") {
  for (isa::Isa const isa : test::tileIsas())
    for (Problem const &p : PROBLEMS) {
      CAPTURE(isa::name(isa));
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
    CAPTURE(isa::name(isa));
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
    CAPTURE(isa::name(isa));
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

TEST_SUITE_END();

#endif
