// Pooling vertices on every instruction set of this machine, against double.
#include <codelets/popnn/Pool.hpp>
#include <codelets/popnn/PoolCost.hpp>
#include <test/codelets/Isas.hpp>

#include <string>

using namespace cottonwood;
using kernels::PoolDim;
using kernels::PoolKind;

namespace {

/// One dimension: {acts, kernel, stride, padding, pooled}.
struct Dim {
  int acts, kernel, stride, padding, pooled;
};

struct Pooling {
  std::vector<Dim> dims;
  std::size_t inner;
  std::size_t size(bool pooled) const {
    std::size_t n = inner;
    for (const Dim &d : dims)
      n *= static_cast<std::size_t>(pooled ? d.pooled : d.acts);
    return n;
  }
  /// Whether element `act` is in window `pooled`, both flat; inner elements must be equal.
  bool holds(std::size_t act, std::size_t pooled) const {
    if (act % inner != pooled % inner)
      return false;
    act /= inner, pooled /= inner;
    for (std::size_t k = dims.size(); k-- > 0;) {
      const Dim &d = dims[k];
      const int i = static_cast<int>(act % static_cast<std::size_t>(d.acts));
      const int o = static_cast<int>(pooled % static_cast<std::size_t>(d.pooled));
      const int at = i + d.padding - o * d.stride;
      if (at < 0 || at >= d.kernel)
        return false;
      act /= static_cast<std::size_t>(d.acts), pooled /= static_cast<std::size_t>(d.pooled);
    }
    return true;
  }
};

const Pooling POOLINGS[] = {
    {{{2, 1, 1, 0, 2}, {6, 2, 2, 0, 3}, {40, 2, 2, 0, 20}}, 1},
    {{{7, 3, 2, 1, 4}, {9, 3, 2, 1, 5}}, 19},
    {{{5, 3, 1, 1, 5}, {37, 5, 1, 2, 37}}, 1},
    {{{11, 4, 3, 2, 3}, {6, 2, 1, -1, 4}}, 3}, // truncation
    {{{3, 2, 5, 4, 2}}, 8},                    // a window of padding alone
    {{{300, 290, 3, 5, 6}}, 1},
    {{{4, 2, 1, 0, 3}, {3, 2, 1, 1, 4}, {2, 1, 1, 0, 2}, {5, 2, 2, 0, 2}}, 2},
    {{{4, 3, 1, 1, 4}}, 300},
    // Planes: many and small, the last ones not a vector; more rows and windows than one holds.
    {{{21, 1, 1, 0, 21}, {7, 3, 2, 1, 4}, {7, 3, 2, 1, 4}}, 1},
    {{{50, 1, 1, 0, 50}, {7, 2, 2, 0, 3}, {7, 2, 2, 0, 3}}, 1},
    {{{2, 1, 1, 0, 2}, {9, 1, 1, 0, 9}, {14, 3, 2, 1, 7}, {13, 3, 2, 1, 7}}, 1},
    {{{19, 1, 1, 0, 19}, {6, 3, 1, 1, 6}, {5, 3, 1, 1, 5}}, 1},
    {{{33, 1, 1, 0, 33}, {9, 2, 2, 0, 4}, {1, 1, 1, 0, 1}}, 1}, // one column
    {{{33, 1, 1, 0, 33}, {1, 3, 2, 1, 1}, {11, 3, 2, 1, 6}}, 1},
    {{{18, 1, 1, 0, 18}, {3, 9, 2, 4, 2}, {4, 7, 1, 3, 4}}, 1},   // windows larger than planes
    {{{20, 1, 1, 0, 20}, {11, 2, 3, 0, 4}, {13, 2, 5, 1, 3}}, 1}, // and elements of no window
    {{{17, 1, 1, 0, 17}, {5, 2, 2, 5, 8}, {6, 2, 2, 5, 8}}, 1},   // windows of padding alone
    {{{3, 1, 1, 0, 3}, {30, 3, 2, 1, 15}, {75, 3, 2, 1, 38}}, 1},
    {{{2, 1, 1, 0, 2}, {21, 5, 3, 2, 7}, {64, 5, 3, 2, 21}}, 1},
    {{{2, 1, 1, 0, 2}, {12, 4, 1, 3, 12}, {90, 9, 2, 4, 45}}, 1},
    {{{12, 2, 2, -1, 5}, {50, 3, 2, -2, 22}}, 1},
    {{{2, 1, 1, 0, 2}, {36, 2, 2, 0, 18}, {67, 2, 2, 0, 33}}, 1},
    {{{30, 3, 2, 1, 18}, {48, 3, 2, 1, 40}}, 1}, // windows beyond the end
    {{{2, 1, 1, 0, 2}, {30, 3, 1, 1, 30}, {50, 3, 1, 1, 50}}, 1},
    {{{32, 2, 1, 0, 31}, {37, 2, 1, 1, 38}}, 1},
    {{{33, 3, 1, 2, 35}, {33, 3, 1, 2, 50}}, 1},
    {{{20, 1, 1, 0, 20}, {3, 2, 5, 4, 1}, {4, 2, 2, 0, 2}}, 1},   // no element in any window
    {{{1, 1, 1, 0, 1}, {40, 2, 5, 4, 1}, {40, 2, 2, 0, 20}}, 1}}; // nor here

std::vector<int> tableOf(const Pooling &p, bool gradient) {
  std::vector<int> table;
  for (const Dim &d : p.dims)
    table.insert(table.end(), {gradient ? d.acts : d.pooled, 0, gradient ? d.pooled : d.acts, 0,
                               d.kernel, d.stride, d.padding, d.acts, d.pooled});
  return table;
}

template <class T> std::vector<double> filled(test::Misaligned<T> &data, std::mt19937 &random) {
  std::uniform_int_distribution<int> numbers(-5, 5); // some of them are equal
  std::vector<double> values;
  for (std::size_t i = 0; i < data.size(); ++i) {
    data.set(i, test::fromFloat<T>(static_cast<float>(numbers(random))));
    values.push_back(static_cast<double>(test::toFloat(data.get(i))));
  }
  return values;
}

template <class T>
void checkNear(const test::Misaligned<T> &got, const std::vector<double> &exact, double slack) {
  const double unit = sizeof(T) == 2 ? 0x1p-11 : 0x1p-24;
  REQUIRE(got.guardsIntact());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double value = static_cast<double>(test::toFloat(got.get(i)));
    REQUIRE_MESSAGE(
        (value == exact[i] || std::fabs(value - exact[i]) <= slack + unit * std::fabs(exact[i])), i,
        ": ", value, " and exactly ", exact[i]);
  }
}

struct Exact {
  std::vector<double> max, sum, average, sumGradient, averageGradient, maxGradient, scale;
};

Exact exactOf(const Pooling &p, const std::vector<double> &x, const std::vector<double> &g,
              double least) {
  const std::size_t acts = p.size(false), pooled = p.size(true);
  Exact e;
  e.max.assign(pooled, least), e.sum.assign(pooled, 0), e.average = e.scale = e.sum;
  e.sumGradient.assign(acts, 0), e.averageGradient = e.maxGradient = e.sumGradient;
  std::vector<double> count(pooled, 0), equal(pooled, 0);
  const auto each = [&](auto f) {
    for (std::size_t o = 0; o < pooled; ++o)
      for (std::size_t i = o % p.inner; i < acts; i += p.inner)
        if (p.holds(i, o))
          f(i, o);
  };
  each([&](std::size_t i, std::size_t o) {
    e.max[o] = std::max(e.max[o], x[i]);
    e.sum[o] += x[i];
    ++count[o];
  });
  each([&](std::size_t i, std::size_t o) {
    equal[o] += x[i] == e.max[o];
    e.sumGradient[i] += g[o];
    e.averageGradient[i] += g[o] / count[o];
    e.maxGradient[i] += x[i] == e.max[o] ? g[o] : 0;
  });
  for (std::size_t o = 0; o < pooled; ++o) {
    e.average[o] = count[o] != 0 ? e.sum[o] / count[o] : 0;
    e.scale[o] = equal[o] != 0 ? g[o] / equal[o] : 0;
  }
  return e;
}

template <class T> void checkSame(const test::Misaligned<T> &a, const test::Misaligned<T> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    REQUIRE(test::same(a.get(i), b.get(i)));
}

/// Vertices begin at column `first` of their outputs.
template <class Plain> void checkPooling(const Pooling &p) {
  using T = vertices::KernelType<Plain>;
  using isa::scalar;
  std::mt19937 random(71);
  test::Misaligned<T> x(p.size(false)), g(p.size(true)), largest(p.size(true));
  const auto xv = filled(x, random), gv = filled(g, random);
  const Exact e = exactOf(p, xv, gv, sizeof(T) == 2 ? -65504 : -INFINITY);
  for (std::size_t i = 0; i < largest.size(); ++i)
    largest.set(i, test::fromFloat<T>(static_cast<float>(e.max[i])));
  double window = 1;
  for (const Dim &d : p.dims)
    window *= d.kernel;
  std::vector<test::Misaligned<T>> reference;
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    std::vector<test::Misaligned<T>> results;
    const auto run = [&](auto state, bool gradient, const std::vector<double> &exact,
                         auto connectOwn) {
      auto table = tableOf(p, gradient);
      const std::size_t columns = exact.size() / p.inner, first = columns / 3;
      test::Misaligned<T> out((columns - first) * p.inner);
      test::connect(state.out, out.data(), out.size());
      test::connect(state.table, table.data(), table.size());
      state.inner = static_cast<unsigned>(p.inner);
      state.first = static_cast<long long>(first);
      connectOwn(state, first * p.inner);
      test::runOn<vertices::PoolFamily>(isa, state);
      checkNear(out, {exact.begin() + static_cast<std::ptrdiff_t>(first * p.inner), exact.end()},
                0x1p-24 * 5 * window * 4);
      results.push_back(out);
    };
    const auto pool = [&](PoolKind kind, const std::vector<double> &exact) {
      CAPTURE(static_cast<int>(kind));
      const bool gradient = kind >= PoolKind::SUM_GRADIENT;
      run(test::zeroed<vertices::Pool<scalar, Plain>>(), gradient, exact,
          [&](auto &state, std::size_t) {
            test::connect(state.in, gradient ? g.data() : x.data());
            state.kind = static_cast<unsigned>(kind);
          });
    };
    pool(PoolKind::MAX, e.max);
    pool(PoolKind::SUM, e.sum);
    pool(PoolKind::AVERAGE, e.average);
    pool(PoolKind::SUM_GRADIENT, e.sumGradient);
    pool(PoolKind::AVERAGE_GRADIENT, e.averageGradient);
    run(test::zeroed<vertices::PoolMaxGradient<scalar, Plain>>(), true, e.maxGradient,
        [&](auto &state, std::size_t own) {
          test::connect(state.acts, x.data() + own);
          test::connect(state.pooled, largest.data());
          test::connect(state.gradient, g.data());
        });
    run(test::zeroed<vertices::PoolMaxScale<scalar, Plain>>(), false, e.scale,
        [&](auto &state, std::size_t own) {
          test::connect(state.acts, x.data());
          test::connect(state.pooled, largest.data() + own);
          test::connect(state.gradient, g.data() + own);
        });
    if (isa == isa::Isa::Scalar)
      reference = results;
    for (std::size_t k = 0; k < results.size(); ++k)
      checkSame(results[k], reference[k]);
  }
}

} // namespace

TEST_SUITE_BEGIN("codelets/popnn/pool");

TEST_CASE("poolings are the same on all sets and near the exact ones") {
  for (const Pooling &p : POOLINGS) {
    CAPTURE(&p - POOLINGS);
    checkPooling<float>(p);
    checkPooling<poplar::half>(p);
  }
}

TEST_CASE("windows and the windows of an element are inverse to each other") {
  std::mt19937 random(72);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int k = 0; k < 2000; ++k) {
    PoolDim d{};
    d.acts = 1 + below(12), d.kernel = 1 + below(9), d.stride = 1 + below(5);
    d.padding = below(9) - 4, d.pooled = below(8);
    for (int o = 0; o < d.pooled; ++o)
      for (int i = 0; i < d.acts; ++i) {
        const auto window = kernels::poolWindow(d, o), windows = kernels::poolWindowsOf(d, i);
        const bool holds = i >= window.begin && i < window.end;
        REQUIRE(holds == (o >= windows.begin && o < windows.end));
        const int at = i + d.padding - o * d.stride;
        REQUIRE(holds == (at >= 0 && at < d.kernel));
      }
  }
}

TEST_CASE("costs of pooling grow with windows") {
  using vertices::poolCycles;
  CHECK(poolCycles(600, 8, 9, 4, 1, 6) > poolCycles(600, 8, 4, 4, 1, 6));
  CHECK(poolCycles(600, 8, 9, 2, 1, 6) < poolCycles(600, 8, 9, 4, 1, 6));
  CHECK(poolCycles(0, 8, 9, 4, 1, 6) == 6 * 40);
}

TEST_SUITE_END();
