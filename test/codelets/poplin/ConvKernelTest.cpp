#include "../Isas.hpp"

#include <codelets/arch/CpuFeatures.hpp>
#include <codelets/poplin/ConvVertex.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name

namespace {

kernels::ConvKernels kernelsOf(isa::Isa isa) { return test::kernelsOf<vertices::ConvFamily>(isa); }

/// A convolution [B, X, groups, I] * [groups, K, I, O] -> [B, Y, groups, O] over one dimension.
struct Problem {
  std::size_t batch, inputs, taps, outputs, in, out, groups;
  int stride, padding;
  std::size_t apart = 0; ///< elements between inputs, if not 0

  std::size_t step() const { return apart != 0 ? apart : groups * in; }
};

void append(std::vector<int> &table, std::size_t outputs, std::size_t taps,
            std::vector<kernels::ConvClass> const &classes) {
  table.insert(table.end(), {static_cast<int>(outputs), static_cast<int>(taps),
                             static_cast<int>(classes.size())});
  for (auto const &c : classes)
    table.insert(table.end(), {c.out, c.outStep, c.outCount, c.tap, c.tapStep, c.tapCount, c.in,
                               c.inOut, c.inTap});
}

std::vector<int> tableOf(Problem const &p) {
  std::vector<kernels::ConvClass> classes;
  for (int y = 0; y != static_cast<int>(p.outputs); ++y) {
    int const begin = y * p.stride - p.padding;
    int const first = std::max(0, -begin);
    int const last = std::min(static_cast<int>(p.taps), static_cast<int>(p.inputs) - begin);
    if (first >= last)
      continue;
    kernels::ConvClass const c{y, 1, 1, first, 1, last - first, begin + first, 0, 1};
    if (classes.empty() || !kernels::detail::joinClass(classes.back(), c))
      classes.push_back(c);
  }
  std::vector<int> table;
  int const batch = static_cast<int>(p.batch), in = static_cast<int>(p.in);
  append(table, p.batch, 1, {{0, 1, batch, 0, 1, 1, 0, 1, 0}});
  append(table, p.outputs, p.taps, classes);
  append(table, 1, p.in, {{0, 1, 1, 0, 1, in, 0, 0, 1}});
  return table;
}

template <class T> std::vector<T> numbers(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> real(-2, 2);
  std::vector<T> values(n);
  for (T &value : values) {
    float const x = real(engine);
    if constexpr (std::is_same_v<T, float>)
      value = x;
    else
      value = Half{arch::floatToHalf(x)};
  }
  return values;
}

float asFloat(float x) { return x; }
float asFloat(Half x) { return arch::halfToFloat(x.bits); }

template <class T> struct Run {
  std::vector<float> out;

  /// \param channels  groups are columns
  /// \param block     if not 0, weights lie in blocks of so many columns: [O / block, K, I, block]
  template <class In, class Function>
  Run(Problem const &p, Function function, kernels::ConvBlocking const &blocking, bool channels,
      std::vector<In> const &in, std::vector<T> const &weights, std::size_t block = 0) {
    auto const table = tableOf(p);
    auto const s = [](std::size_t n) { return static_cast<long long>(n); };
    std::size_t const row = channels ? p.groups : block != 0 ? block : p.out;
    std::vector<long long> const strides{s(p.inputs * p.step()),         0, s(p.step()),
                                         s(channels ? row : p.in * row), 1, s(row)};
    out.assign(p.batch * p.outputs * p.groups * p.out + 1, 77.0F);
    std::size_t const classes = 2 * p.outputs + 2;
    kernels::ConvGeometry const geometry(3, table.data(), strides.data());
    std::vector<float> workspace(
        kernels::convWorkspace(blocking, classes, p.taps * p.in, p.batch * p.outputs,
                               kernels::convCopyFloats(geometry, blocking)));
    kernels::ConvArgs<In, T, float> const args{geometry,
                                               channels ? 1 : p.groups,
                                               channels ? p.groups : p.out,
                                               in.data(),
                                               static_cast<std::ptrdiff_t>(p.in),
                                               weights.data(),
                                               static_cast<std::ptrdiff_t>(p.taps * p.in * p.out),
                                               1,
                                               static_cast<std::ptrdiff_t>(p.taps * p.in * block),
                                               block != 0 ? block : std::size_t{1} << 31U,
                                               out.data(),
                                               p.groups * p.out,
                                               nullptr,
                                               blocking,
                                               workspace.data()};
    function(args);
    CHECK(out.back() == 77.0F);
    out.pop_back();
  }
};

/// Sums in double, and how far from them float sums may be.
template <class In, class T>
void checkAgainstDouble(Problem const &p, std::vector<In> const &in, std::vector<T> const &weights,
                        bool channels, std::vector<float> const &out) {
  std::size_t wrong = 0;
  for (std::size_t b = 0; b != p.batch; ++b)
    for (std::size_t y = 0; y != p.outputs; ++y)
      for (std::size_t g = 0; g != p.groups; ++g)
        for (std::size_t o = 0; o != p.out; ++o) {
          double sum = 0, magnitude = 0;
          for (std::size_t k = 0; k != p.taps; ++k)
            for (std::size_t i = 0; i != p.in; ++i) {
              auto const x =
                  static_cast<std::ptrdiff_t>(y * static_cast<std::size_t>(p.stride) + k) -
                  p.padding;
              if (x < 0 || x >= static_cast<std::ptrdiff_t>(p.inputs))
                continue;
              std::size_t const w =
                  channels ? k * p.groups + g : ((g * p.taps + k) * p.in + i) * p.out + o;
              double const term =
                  double{asFloat(
                      in[(b * p.inputs + static_cast<std::size_t>(x)) * p.step() + g * p.in + i])} *
                  double{asFloat(weights[w])};
              sum += term, magnitude += std::fabs(term);
            }
          double const actual = out[((b * p.outputs + y) * p.groups + g) * p.out + o];
          double const bound = static_cast<double>(p.taps * p.in) * std::ldexp(magnitude, -24);
          wrong += std::fabs(actual - sum) <= bound ? 0U : 1U;
        }
  CHECK(wrong == 0);
}

std::vector<kernels::ConvBlocking> const BLOCKINGS{
    {512, 128, 1024},
    {7, 4, 5},
    {64, 1, 3},
    {.depth = 1152, .enough = 1152, .pixels = 9, .columns = kernels::MATMUL_WIDE_COLUMNS},
    {.depth = 8, .enough = 2, .pixels = 13, .columns = kernels::MATMUL_WIDE_COLUMNS}};

} // namespace

TEST_SUITE_BEGIN("codelets/poplin/conv");

TEST_CASE("sums are those of the definition, and the same bits for all sets and blockings") {
  for (Problem const &p :
       {Problem{1, 9, 3, 9, 20, 33, 1, 1, 1}, Problem{2, 14, 3, 7, 5, 17, 3, 2, 1},
        Problem{3, 6, 1, 6, 70, 64, 1, 1, 0}, Problem{1, 30, 7, 15, 3, 31, 1, 2, 3},
        Problem{2, 4, 2, 11, 4, 3, 1, 1, 4}, Problem{2, 21, 3, 21, 9, 170, 2, 1, 1}}) {
    auto const in = numbers<float>(p.batch * p.inputs * p.groups * p.in, 1);
    auto const weights = numbers<float>(p.groups * p.taps * p.in * p.out, 2);
    auto const halves = numbers<Half>(weights.size(), 3);
    Run<float> const first(p, kernelsOf(isa::Isa::Scalar).floatToFloat, BLOCKINGS[0], false, in,
                           weights);
    checkAgainstDouble(p, in, weights, false, first.out);
    Run<Half> const firstHalf(p, kernelsOf(isa::Isa::Scalar).halfToFloat, BLOCKINGS[0], false, in,
                              halves);
    checkAgainstDouble(p, in, halves, false, firstHalf.out);
    for (isa::Isa const isa : test::vectorIsas())
      for (kernels::ConvBlocking const &blocking : BLOCKINGS) {
        CAPTURE(std::string(isa::name(isa)));
        Run<float> const run(p, kernelsOf(isa).floatToFloat, blocking, false, in, weights);
        CHECK(run.out == first.out);
        Run<Half> const half(p, kernelsOf(isa).halfToFloat, blocking, false, in, halves);
        CHECK(half.out == firstHalf.out);
      }
  }
}

TEST_CASE("weights in blocks of columns give the bits of plain ones") {
  constexpr std::size_t BLOCK = kernels::MATMUL_MAX_TILE_COLUMNS;
  for (std::size_t out : {32U, 64U, 96U, 192U}) {
    Problem const p{2, 13, 3, 13, 7, out, 1, 1, 1};
    auto const in = numbers<float>(p.batch * p.inputs * p.in, 4);
    auto const weights = numbers<float>(p.taps * p.in * p.out, 5);
    auto const halves = numbers<Half>(weights.size(), 6);
    auto const inBlocks = [&](auto const &plain) {
      auto blocks = plain;
      for (std::size_t row = 0; row != p.taps * p.in; ++row)
        for (std::size_t o = 0; o != out; ++o)
          blocks[(o / BLOCK * p.taps * p.in + row) * BLOCK + o % BLOCK] = plain[row * out + o];
      return blocks;
    };
    for (isa::Isa const isa : test::vectorIsas())
      for (kernels::ConvBlocking const &blocking : BLOCKINGS) {
        CAPTURE(std::string(isa::name(isa)));
        auto const all = kernelsOf(isa);
        CHECK(Run<float>(p, all.floatToFloat, blocking, false, in, inBlocks(weights), BLOCK).out ==
              Run<float>(p, all.floatToFloat, BLOCKINGS[0], false, in, weights).out);
        CHECK(Run<Half>(p, all.halfToFloat, blocking, false, in, inBlocks(halves), BLOCK).out ==
              Run<Half>(p, all.halfToFloat, BLOCKINGS[0], false, in, halves).out);
      }
  }
}

TEST_CASE("strips are wide before a distant last cache") {
  kernels::MatMulCaches caches;
  CHECK(kernels::chooseConvBlocking(caches).columns == kernels::MATMUL_MAX_TILE_COLUMNS);
  CHECK(kernels::chooseConvBlocking(caches).depth <= 512);
  caches.l1 = 48 << 10, caches.l2 = 2 << 20, caches.distant = true;
  kernels::ConvBlocking const blocking = kernels::chooseConvBlocking(caches);
  CHECK(blocking.columns == kernels::MATMUL_WIDE_COLUMNS);
  CHECK(blocking.depth >= 3 * 3 * 128);
  CHECK(blocking.depth <= kernels::CONV_MAX_SEGMENTS);
}

TEST_CASE("groups of one channel, side by side") {
  for (std::size_t groups : {1, 15, 16, 17, 32, 50})
    for (Problem const &p :
         {Problem{2, 9, 3, 9, 1, 1, groups, 1, 1}, Problem{1, 20, 5, 8, 1, 1, groups, 2, 0}}) {
      auto const in = numbers<float>(p.batch * p.inputs * groups, 1);
      auto const weights = numbers<float>(groups * p.taps, 2);
      auto const halfIn = numbers<Half>(in.size(), 3), halves = numbers<Half>(weights.size(), 4);
      Run<float> const first(p, kernelsOf(isa::Isa::Scalar).channelsFloatToFloat, BLOCKINGS[0],
                             true, in, weights);
      checkAgainstDouble(p, in, weights, true, first.out);
      Run<Half> const firstHalf(p, kernelsOf(isa::Isa::Scalar).channelsHalfToFloat, BLOCKINGS[0],
                                true, halfIn, halves);
      checkAgainstDouble(p, halfIn, halves, true, firstHalf.out);
      for (isa::Isa const isa : test::vectorIsas())
        for (kernels::ConvBlocking const &blocking : BLOCKINGS) {
          CAPTURE(std::string(isa::name(isa)));
          CHECK(
              Run<float>(p, kernelsOf(isa).channelsFloatToFloat, blocking, true, in, weights).out ==
              first.out);
          CHECK(Run<Half>(p, kernelsOf(isa).channelsHalfToFloat, blocking, true, halfIn, halves)
                    .out == firstHalf.out);
        }
    }
}

TEST_CASE("inputs that share sets of the first cache") {
  for (std::size_t groups : {16, 100, 512})
    for (Problem const &p : {Problem{2, 9, 3, 9, 1, 1, groups, 1, 1, 512},
                             Problem{1, 20, 3, 10, 1, 1, groups, 2, 1, 1024},
                             Problem{1, 30, 3, 28, 1, 1, groups, 1, 0, 512},
                             Problem{3, 7, 5, 6, 1, 1, groups, 1, 1, 512},
                             Problem{1, 500, 3, 500, 1, 1, groups, 1, 1, 512}}) {
      auto const in = numbers<float>(p.batch * p.inputs * p.step(), 1);
      auto const weights = numbers<float>(groups * p.taps, 2);
      Run<float> const first(p, kernelsOf(isa::Isa::Scalar).channelsFloatToFloat, BLOCKINGS[0],
                             true, in, weights);
      checkAgainstDouble(p, in, weights, true, first.out);
      for (isa::Isa const isa : test::vectorIsas())
        for (kernels::ConvBlocking const &blocking : BLOCKINGS) {
          CAPTURE(std::string(isa::name(isa)));
          CHECK(
              Run<float>(p, kernelsOf(isa).channelsFloatToFloat, blocking, true, in, weights).out ==
              first.out);
        }
    }
  // Columns with inputs in common.
  Problem const p{2, 31, 1, 31, 1024, 40, 1, 1, 0};
  auto const in = numbers<float>(p.batch * p.inputs * p.in, 1),
             weights = numbers<float>(p.in * p.out, 2);
  Run<float> const first(p, kernelsOf(isa::Isa::Scalar).floatToFloat, BLOCKINGS[0], false, in,
                         weights);
  checkAgainstDouble(p, in, weights, false, first.out);
  for (isa::Isa const isa : test::vectorIsas())
    CHECK(Run<float>(p, kernelsOf(isa).floatToFloat, BLOCKINGS[0], false, in, weights).out ==
          first.out);
}

TEST_CASE("parts of a walk cover every element once and keep to their limit") {
  for (std::vector<int> const &sizes :
       {std::vector<int>{5}, {3, 4, 5}, {1, 100}, {7, 1, 9}, {2, 3, 3, 64}})
    for (std::size_t limit : {1, 4, 20, 1000}) {
      auto const dims = static_cast<unsigned>(sizes.size());
      kernels::ConvParts const parts(dims, sizes.data(), limit, limit);
      std::size_t all = 0, count = 0, elements = 1;
      for (int size : sizes)
        elements *= static_cast<std::size_t>(size);
      kernels::ConvRanges part = parts.first();
      do {
        CHECK(part.size(dims) <= std::min(limit, parts.largest()));
        all += part.size(dims), ++count;
      } while (parts.next(part));
      CHECK(all == elements);
      CHECK(count == parts.count());
    }
}

TEST_SUITE_END();
