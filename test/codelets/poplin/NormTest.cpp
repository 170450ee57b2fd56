// Vertices of normalisations on every instruction set of this machine, against double.
#include <codelets/poplin/Norm.hpp>
#include <codelets/poplin/NormCost.hpp>
#include <test/codelets/Isas.hpp>

#include <string>

using namespace cottonwood;

namespace {

template <class T> constexpr double unitOf() { return sizeof(T) == 2 ? 0x1p-11 : 0x1p-24; }

template <class T> std::vector<double> filled(test::Misaligned<T> &data, std::mt19937 &random) {
  std::uniform_real_distribution<float> numbers(-1.f, 2.f);
  std::vector<double> values;
  for (std::size_t i = 0; i < data.size(); ++i) {
    data.set(i, test::fromFloat<T>(numbers(random)));
    values.push_back(static_cast<double>(test::toFloat(data.get(i))));
  }
  return values;
}

template <class T> void checkSame(const test::Misaligned<T> &a, const test::Misaligned<T> &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    REQUIRE(test::same(a.get(i), b.get(i)));
}

template <class T>
void checkNear(const test::Misaligned<T> &got, const std::vector<double> &exact, double slack) {
  REQUIRE(got.guardsIntact());
  for (std::size_t i = 0; i < exact.size(); ++i)
    REQUIRE_MESSAGE(std::fabs(static_cast<double>(test::toFloat(got.get(i))) - exact[i]) <=
                        slack + unitOf<T>() * std::fabs(exact[i]),
                    i, ": ", test::toFloat(got.get(i)), " and exactly ", exact[i]);
}

struct Block {
  std::size_t k1, r1, k2, r2;
  std::size_t outputs() const { return k1 * k2; }
  std::size_t elements() const { return outputs() * r1 * r2; }
  std::size_t outputOf(std::size_t i) const { return i / (r1 * k2 * r2) * k2 + i / r2 % k2; }
};

const Block BLOCKS[] = {{1, 1, 1, 1},     {3, 1, 1, 17},  {2, 1, 1, 1000}, {1, 5, 7, 1},
                        {1, 19, 65, 1},   {1, 9, 700, 1}, {2, 3, 4, 64},   {1, 4, 3, 65},
                        {2, 17, 5, 3},    {1, 8, 40, 33}, {3, 2, 2, 100},  {50, 1, 1, 5},
                        {11, 1, 1, 300},  {3, 2, 3, 257}, {45, 1, 1, 1},   {41, 1, 2, 3},
                        {3, 1, 13, 4},    {37, 1, 1, 16}, {35, 1, 1, 8},   {33, 1, 1, 31},
                        {2, 25, 1024, 1}, {1, 17, 512, 1}};

template <class V> void setBlock(V &state, const Block &b, unsigned fetches) {
  state.r1 = static_cast<unsigned>(b.r1);
  state.k2 = static_cast<unsigned>(b.k2);
  state.r2 = static_cast<unsigned>(b.r2);
  state.fetches = fetches;
}

/// Checks one block on all sets; the scalar one first, to compare the others with.
template <class Plain> void checkSums(const Block &block) {
  using T = vertices::KernelType<Plain>;
  using isa::scalar;
  std::mt19937 random(61);
  test::Misaligned<T> a(block.elements()), b(block.elements());
  const auto av = filled(a, random), bv = filled(b, random);
  const std::size_t n = block.outputs();
  std::vector<double> sum(n), square(n), product(n), deviation(n), mean(n), invStdDev(n);
  test::Misaligned<float> centre(n);
  const auto cv = filled(centre, random);
  const double terms = static_cast<double>(block.r1 * block.r2);
  for (std::size_t i = 0; i < av.size(); ++i) {
    const std::size_t o = block.outputOf(i);
    sum[o] += av[i], square[o] += av[i] * av[i], product[o] += av[i] * bv[i];
    deviation[o] += (av[i] - cv[o]) * (av[i] - cv[o]);
  }
  for (std::size_t o = 0; o < n; ++o)
    mean[o] = sum[o] / terms;
  for (std::size_t i = 0; i < av.size(); ++i)
    invStdDev[block.outputOf(i)] +=
        (av[i] - mean[block.outputOf(i)]) * (av[i] - mean[block.outputOf(i)]) / terms;
  for (double &value : invStdDev)
    value = 1 / std::sqrt((value + 0.5) * 2);
  // Terms are at most 9 large; as many roundings as additions on the way of an element.
  const double slack = 0x1p-24 * 9 * terms * (terms / 8 + 12);
  test::Misaligned<float> sums[4] = {test::Misaligned<float>(n), test::Misaligned<float>(n),
                                     test::Misaligned<float>(n), test::Misaligned<float>(n)};
  test::Misaligned<T> stats[2] = {test::Misaligned<T>(n), test::Misaligned<T>(n)};
  const auto check = [&](isa::Isa isa, unsigned fetches) {
    test::Misaligned<float> s0(n), s1(n), s2(n), s3(n);
    // The reference is that of worker contexts one by one.
    const bool together = isa != isa::Isa::Scalar;
    auto squares = test::zeroed<vertices::NormSums<scalar, Plain>>();
    test::connect(squares.in, a.data());
    test::connect(squares.first, s0.data(), n);
    test::connect(squares.second, s1.data(), n);
    setBlock(squares, block, fetches);
    test::runOn<vertices::NormFamily>(isa, squares, together);
    checkNear(s0, sum, slack);
    checkNear(s1, square, slack);
    auto products = test::zeroed<vertices::NormProducts<scalar, Plain>>();
    test::connect(products.a, a.data());
    test::connect(products.b, b.data());
    test::connect(products.first, s0.data(), n);
    test::connect(products.second, s2.data(), n);
    setBlock(products, block, fetches);
    test::runOn<vertices::NormFamily>(isa, products, together);
    checkNear(s0, sum, slack);
    checkNear(s2, product, slack);
    auto deviations = test::zeroed<vertices::NormDeviations<scalar, Plain>>();
    test::connect(deviations.in, a.data());
    test::connect(deviations.centre, centre.data());
    test::connect(deviations.second, s3.data(), n);
    setBlock(deviations, block, fetches);
    test::runOn<vertices::NormFamily>(isa, deviations, together);
    checkNear(s3, deviation, slack);
    test::Misaligned<float> *all[] = {&s0, &s1, &s2, &s3};
    for (int k = 0; k < 4; ++k) {
      if (isa == isa::Isa::Scalar && fetches == 0)
        sums[k] = *all[k];
      checkSame(*all[k], sums[k]);
    }
    for (unsigned stable : {0u, 1u}) {
      test::Misaligned<T> m(n), s(n);
      auto state = test::zeroed<vertices::NormStatistics<scalar, Plain>>();
      test::connect(state.in, a.data());
      test::connect(state.mean, m.data(), n);
      test::connect(state.invStdDev, s.data(), n);
      setBlock(state, block, fetches);
      state.eps = 0.5f, state.factor = 2, state.stable = stable;
      test::runOn<vertices::NormFamily>(isa, state, together);
      checkNear(m, mean, slack);
      checkNear(s, invStdDev, slack * 2);
      if (isa == isa::Isa::Scalar && fetches == 0)
        stats[stable] = s;
      checkSame(s, stats[stable]);
    }
  };
  for (isa::Isa isa : test::vectorIsas())
    for (unsigned fetches : {0u, 1u}) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(fetches);
      check(isa, fetches);
    }
}

/// A tensor in the order of memory with the strides of statistics and channels.
struct Walk {
  std::vector<unsigned> table;
  std::size_t stats, chans;
};

const Walk WALKS[] = {
    {{1, 0, 0}, 1, 1},
    {{3, 1, 0, 100, 0, 1}, 3, 100},                // rows with a channel an element
    {{3, 0, 0, 5, 1, 1, 40, 0, 0}, 5, 5},          // channels first
    {{30, 0, 0, 50, 1, 1}, 50, 50},                // channels last
    {{2, 4, 0, 9, 0, 0, 4, 1, 8, 8, 0, 1}, 8, 32}, // groups of neighbours, channels last
    {{2, 4, 0, 9, 0, 0, 8, 0, 4, 4, 1, 1}, 8, 32}, // strided groups, channels last
    {{7, 0, 0, 5, 1, 1, 3, 0, 0}, 5, 5},           // a short field
    {{2, 30, 0, 600, 0, 2, 2, 0, 1}, 31, 1200},
    {{4, 0, 40, 40, 7, 1}, 280, 160}, // a stride in the innermost dimension
    {{300, 1, 0, 10, 0, 1}, 300, 10}, // short rows with a statistic each,
    {{300, 0, 0, 3, 1, 1}, 3, 3},     // with the same channels
    {{9, 0, 30, 30, 1, 1, 2, 0, 0}, 30, 270},
};

template <class Plain> void checkApply(const Walk &walk) {
  using T = vertices::KernelType<Plain>;
  using isa::scalar;
  std::mt19937 random(62);
  std::size_t total = 1;
  for (std::size_t d = 0; d < walk.table.size(); d += 3)
    total *= walk.table[d];
  // The vertex begins in the middle, with coefficients from the second one on.
  const std::size_t origin = total / 5, n = total - origin - total / 7;
  test::Misaligned<T> x(n), w(n);
  test::Misaligned<float> stat[3] = {test::Misaligned<float>(walk.stats + 1),
                                     test::Misaligned<float>(walk.stats + 1),
                                     test::Misaligned<float>(walk.stats + 1)};
  test::Misaligned<float> chan[2] = {test::Misaligned<float>(walk.chans + 1),
                                     test::Misaligned<float>(walk.chans + 1)};
  const auto xv = filled(x, random), wv = filled(w, random);
  std::vector<double> s[3], c[2];
  for (int k = 0; k < 3; ++k)
    s[k] = filled(stat[k], random);
  for (int k = 0; k < 2; ++k)
    c[k] = filled(chan[k], random);
  std::vector<double> exact[6];
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t rest = origin + i, si = 1, ci = 1;
    for (std::size_t d = walk.table.size(); d > 0; d -= 3) {
      const std::size_t index = rest % walk.table[d - 3];
      rest /= walk.table[d - 3];
      si += index * walk.table[d - 2];
      ci += index * walk.table[d - 1];
    }
    const double white = (xv[i] - s[0][si]) * s[1][si];
    exact[0].push_back(white);
    exact[1].push_back(white * c[0][ci] + c[1][ci]);
    exact[2].push_back(xv[i] * c[0][ci] + c[1][ci]);
    exact[3].push_back(xv[i] * c[0][ci]);
    exact[4].push_back(s[0][si] * (xv[i] - wv[i] * s[1][si] - s[2][si]));
    exact[5].push_back(white);
  }
  std::vector<test::Misaligned<T>> reference;
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    std::vector<test::Misaligned<T>> out(6, test::Misaligned<T>(n));
    std::vector<unsigned> table = walk.table;
    const auto run = [&](auto state, std::size_t result) {
      test::connect(state.out, out[result].data(), n);
      test::connect(state.table, table.data(), table.size());
      state.origin = static_cast<long long>(origin);
      state.statBase = state.chanBase = 1;
      test::runOn<vertices::NormFamily>(isa, state);
      checkNear(out[result], exact[result], 0x1p-24 * 64);
    };
    auto whiten = test::zeroed<vertices::NormWhiten<scalar, Plain, float>>();
    test::connect(whiten.in, x.data());
    test::connect(whiten.mean, stat[0].data());
    test::connect(whiten.invStdDev, stat[1].data());
    run(whiten, 0);
    auto normalise = test::zeroed<vertices::Normalise<scalar, Plain, float>>();
    test::connect(normalise.in, x.data());
    test::connect(normalise.mean, stat[0].data());
    test::connect(normalise.invStdDev, stat[1].data());
    test::connect(normalise.gamma, chan[0].data());
    test::connect(normalise.beta, chan[1].data());
    test::connect(normalise.whitened, out[5].data());
    run(normalise, 1);
    checkNear(out[5], exact[5], 0x1p-24 * 64);
    const test::Misaligned<T> withWhitened = out[1];
    test::connect(normalise.whitened, static_cast<T *>(nullptr)); // left out
    run(normalise, 1);
    checkSame(out[1], withWhitened);
    auto affine = test::zeroed<vertices::NormAffine<scalar, Plain>>();
    test::connect(affine.in, x.data());
    test::connect(affine.gamma, chan[0].data());
    test::connect(affine.beta, chan[1].data());
    run(affine, 2);
    auto scale = test::zeroed<vertices::NormScale<scalar, Plain>>();
    test::connect(scale.in, x.data());
    test::connect(scale.gamma, chan[0].data());
    run(scale, 3);
    auto gradient = test::zeroed<vertices::NormGradient<scalar, Plain>>();
    test::connect(gradient.grads, x.data());
    test::connect(gradient.whitened, w.data());
    test::connect(gradient.invStdDev, stat[0].data());
    test::connect(gradient.product, stat[1].data());
    test::connect(gradient.mean, stat[2].data());
    run(gradient, 4);
    if (isa == isa::Isa::Scalar)
      reference = out;
    for (std::size_t k = 0; k < out.size(); ++k)
      checkSame(out[k], reference[k]);
  }
}

template <class Plain> void checkRows(std::size_t channels, std::size_t field) {
  using T = vertices::KernelType<Plain>;
  std::mt19937 random(63);
  const std::size_t rows = 8, groups = 3, firstGroup = 2, length = channels * field;
  test::Misaligned<T> w(rows * length), g(rows * length), reference(rows * length);
  test::Misaligned<float> s(rows), c(groups * channels);
  const auto wv = filled(w, random), gv = filled(g, random), sv = filled(s, random),
             cv = filled(c, random);
  std::vector<double> exact;
  const double count = static_cast<double>(length);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0, product = 0;
    const auto scaled = [&](std::size_t i) {
      return gv[r * length + i] * cv[(firstGroup + r) % groups * channels + i / field];
    };
    for (std::size_t i = 0; i < length; ++i) {
      sum += scaled(i);
      product += scaled(i) * wv[r * length + i];
    }
    for (std::size_t i = 0; i < length; ++i)
      exact.push_back(sv[r] * (scaled(i) - wv[r * length + i] * product / count - sum / count));
  }
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    test::Misaligned<T> out(w.size());
    auto state = test::zeroed<vertices::NormGradientRows<isa::scalar, Plain>>();
    test::connect(state.whitened, w.data());
    test::connect(state.grads, g.data());
    test::connect(state.invStdDev, s.data());
    test::connect(state.gamma, c.data());
    test::connect(state.out, out.data(), out.size());
    state.channels = static_cast<unsigned>(channels), state.field = static_cast<unsigned>(field);
    state.groups = groups, state.firstGroup = firstGroup;
    test::runOn<vertices::NormFamily>(isa, state, isa != isa::Isa::Scalar);
    checkNear(out, exact, 0x1p-24 * 16 * (count / 8 + 16));
    if (isa == isa::Isa::Scalar)
      reference = out;
    checkSame(out, reference);
  }
}

} // namespace

TEST_SUITE_BEGIN("codelets/poplin/norm");

TEST_CASE("sums and statistics of blocks are the same on all sets and near the exact ones") {
  for (const Block &block : BLOCKS) {
    CAPTURE(block.k1);
    CAPTURE(block.r1);
    CAPTURE(block.k2);
    CAPTURE(block.r2);
    checkSums<float>(block);
    checkSums<poplar::half>(block);
  }
}

TEST_CASE("coefficients are found by strides, from any element on") {
  for (const Walk &walk : WALKS) {
    CAPTURE(&walk - WALKS);
    checkApply<float>(walk);
    checkApply<poplar::half>(walk);
  }
}

TEST_CASE("large outputs are stored past the caches, with the same values") {
  // Misaligned, and with rows that end within cache lines and within the pieces of such stores.
  const std::size_t rows = 1801, length = 1009, n = rows * length;
  std::mt19937 random(64);
  test::Misaligned<float> in(n), mean(rows), scale(rows), gamma(length), beta(length);
  filled(in, random), filled(mean, random), filled(scale, random);
  filled(gamma, random), filled(beta, random);
  std::vector<unsigned> table{static_cast<unsigned>(rows),   1, 0,
                              static_cast<unsigned>(length), 0, 1};
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    test::Misaligned<float> out(n), whitened(n);
    auto state = test::zeroed<vertices::Normalise<isa::scalar, float, float>>();
    test::connect(state.in, in.data());
    test::connect(state.mean, mean.data());
    test::connect(state.invStdDev, scale.data());
    test::connect(state.gamma, gamma.data());
    test::connect(state.beta, beta.data());
    test::connect(state.out, out.data(), n);
    test::connect(state.whitened, whitened.data());
    test::connect(state.table, table.data(), table.size());
    test::runOn<vertices::NormFamily>(isa, state);
    CHECK(out.guardsIntact());
    CHECK(whitened.guardsIntact());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const float white = (in.get(i) - mean.get(i / length)) * scale.get(i / length);
      wrong += whitened.get(i) != white;
      wrong += out.get(i) != std::fmaf(white, gamma.get(i % length), beta.get(i % length));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("vertices of parts of large outputs store these past the caches, with the same values") {
  const std::size_t rows = 3001, each = 130, length = 1009, n = rows * length;
  std::mt19937 random(65);
  test::Misaligned<float> in(n), mean(rows), scale(rows);
  filled(in, random), filled(mean, random), filled(scale, random);
  std::vector<unsigned> table{static_cast<unsigned>(rows),   1, 0,
                              static_cast<unsigned>(length), 0, 1};
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    test::Misaligned<float> out(n);
    for (std::size_t row = 0; row < rows; row += each) {
      auto state = test::zeroed<vertices::NormWhiten<isa::scalar, float, float>>();
      test::connect(state.in, in.data() + row * length);
      test::connect(state.mean, mean.data() + row);
      test::connect(state.invStdDev, scale.data() + row);
      test::connect(state.out, out.data() + row * length, std::min(each, rows - row) * length);
      test::connect(state.table, table.data(), table.size());
      state.origin = static_cast<long long>(row * length);
      state.statBase = -static_cast<long long>(row);
      test::runOn<vertices::NormFamily>(isa, state);
    }
    CHECK(out.guardsIntact());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      wrong += out.get(i) != (in.get(i) - mean.get(i / length)) * scale.get(i / length);
    CHECK(wrong == 0);
  }
}

TEST_CASE("gradients of rows scale each channel by its gamma") {
  for (std::size_t channels : {1u, 5u, 33u, 200u})
    for (std::size_t field : {1u, 7u, 40u}) {
      CAPTURE(channels);
      CAPTURE(field);
      checkRows<float>(channels, field);
      checkRows<poplar::half>(channels, field);
    }
}

TEST_CASE("costs of norms grow with the work and not with idle workers") {
  using vertices::normApplyCycles, vertices::normSumsCycles;
  CHECK(normSumsCycles(6000, 6, 4, 2, 6) > normSumsCycles(3000, 6, 4, 2, 6));
  CHECK(normSumsCycles(6000, 6, 2, 2, 6) < normSumsCycles(6000, 6, 4, 2, 6));
  CHECK(normApplyCycles(6000, 4, 4, 6) > normApplyCycles(6000, 4, 2, 6));
  CHECK(normApplyCycles(0, 4, 4, 6) == 6 * 30);
}

TEST_SUITE_END();
