// What may be written in functors is what may be written for numbers: the same body is called with
// both. Compiled once per instruction set by poplar_add_kernels.
#include "Harness.hpp"

#include <popops/Kernels.hpp>
#include <popops/MapFunctor.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

TEST_SUITE_BEGIN("popops/mapfunctor syntax");

using namespace harness;
using Half = poplar::IeeeHalf;

namespace mapsyntaxtest {

struct Steps {
  template <class X> X operator()(X x, X y) const {
    X z = x;
    z += 1;
    z -= y;
    z *= 2;
    z /= y;
    z = -z;
    z += x * y;
    return +z;
  }
};

/// A number as the whole of a vector, at first and later.
struct Numbered {
  template <class X> X operator()(X x, X y) const {
    X z = x;
    z = 2;
    z += y;
    z *= 0.5F;
    y = 1;
    return z - y;
  }
};

struct Bits {
  template <class X> X operator()(X x, X y) const {
    X z = 3;
    z += x;
    z *= y;
    z <<= 2;
    z |= 1;
    z ^= y;
    z >>= 1;
    z &= 0xff;
    return (z << 1) + (1 | x) - (y >> 2) + (5 ^ y) - (x & 6);
  }
};

struct Logic {
  template <class X> auto operator()(X x, X y) const {
    auto m = x < y && !(x == 2);
    m = m || 1 > y;
    m &= x != y;
    m ^= true;
    m = m == (y >= 1);
    m |= 2 <= x && y != 3;
    return m != false;
  }
};

/// Of halves: what numbers have not.
struct Halves {
  template <class X> X operator()(X x, X y) const {
    x = select(x > 0.5F || !(y < 1), x, 1);
    return max(abs(-x), min(y, 1.5F)) + sqrt(abs(y)) * floor(x) + ceil(y) - trunc(y);
  }
};

struct Magnitude {
  template <class X> X operator()(X x) const { return abs(x); }
};
struct Either {
  template <class M> M operator()(M a, M b) const { return select(a, b, true) && (b || !a); }
};

inline constexpr auto ONE = [](auto) { return 1.5F; };
inline constexpr auto TWO = [](auto) { return 2; };
inline constexpr auto YES = [](auto) { return true; };

} // namespace mapsyntaxtest

using namespace mapsyntaxtest;

namespace {

constexpr std::size_t N = 61;

template <class T> std::vector<T> numbers(std::uint64_t seed) {
  Numbers random(seed);
  std::vector<T> all;
  for (double x : std::is_same_v<T, float> ? random.integer(N, 1, 40) : random.integer(N, 1, 30))
    all.push_back(static_cast<T>(std::is_same_v<T, float> ? x / 8 : x));
  return all;
}

/// The same bits with vectors and with numbers.
template <class T, class F> void checkBoth(F const &f) {
  auto const x = numbers<T>(1), y = numbers<T>(2);
  using R = decltype(f(T(), T()));
  std::vector<unsigned char> bytes(N * sizeof(R));
  R *const out = reinterpret_cast<R *>(bytes.data());
  popops::kernels::map<T, T>(f, out, N, x.data(), y.data());
  for (std::size_t i = 0; i != N; ++i)
    CHECK(out[i] == f(x[i], y[i]));
}

} // namespace

TEST_CASE("assignments, signs, shifts and logic are those of numbers") {
  checkBoth<float>(Steps());
  checkBoth<float>(Numbered());
  checkBoth<float>(Logic());
  checkBoth<int>(Bits());
  checkBoth<int>(Logic());
  checkBoth<unsigned>(Bits());
  checkBoth<unsigned>(Logic());
}

TEST_CASE("halves have all of it, and every step is rounded") {
  auto const round = [](double x) { return rounded(poplar::HALF, x); };
  Numbers random(3);
  Values const a = random.real(poplar::HALF, N), b = random.real(poplar::HALF, N);
  std::vector<Half> x, y, steps(N), halves(N);
  for (std::size_t i = 0; i != N; ++i) {
    x.emplace_back(static_cast<float>(a[i]));
    y.emplace_back(static_cast<float>(b[i]));
  }
  using popops::kernels::map;
  map<poplar::half, poplar::half>(Steps(), steps.data(), N, x.data(), y.data());
  map<poplar::half, poplar::half>(Halves(), halves.data(), N, x.data(), y.data());
  for (std::size_t i = 0; i != N; ++i) {
    double const p = round(round(round(round(a[i] + 1) - b[i]) * 2) / b[i]);
    CHECK(static_cast<double>(static_cast<float>(steps[i])) == round(round(a[i] * b[i]) - p));
    double const c = a[i] > 0.5 || !(b[i] < 1) ? a[i] : 1;
    double const large = std::max(std::fabs(c), std::min(b[i], 1.5));
    double const product = round(round(std::sqrt(std::fabs(b[i]))) * std::floor(c));
    double const sum = round(round(large + product) + std::ceil(b[i]));
    CHECK(static_cast<double>(static_cast<float>(halves[i])) == round(sum - std::trunc(b[i])));
  }
}

TEST_CASE("magnitudes of integers, and selections of masks") {
  std::vector<int> const x = {-3, 0, 7, -1, 5, 2, -8, 9, -4, 1};
  std::vector<int> out(x.size());
  popops::kernels::map(Magnitude(), out.data(), x.size(), x.data());
  bool const a[] = {true, true, false, false}, b[] = {true, false, true, false};
  bool both[4] = {};
  popops::kernels::map(Either(), both, 4, a, b);
  for (std::size_t i = 0; i != x.size(); ++i)
    CHECK(out[i] == std::abs(x[i]));
  for (std::size_t i = 0; i != 4; ++i)
    CHECK(both[i] == ((a[i] ? b[i] : true) && (b[i] || !a[i])));
}

TEST_CASE("a number that is returned is that of all elements") {
  std::vector<float> const x(N, 3.0F);
  std::vector<float> ones(N);
  std::vector<int> twos(N);
  bool yes[N] = {};
  popops::kernels::map(ONE, ones.data(), N, x.data());
  popops::kernels::map(TWO, twos.data(), N, x.data());
  popops::kernels::map(YES, yes, N, x.data());
  CHECK(ones == std::vector<float>(N, 1.5F));
  CHECK(twos == std::vector<int>(N, 2));
  CHECK(std::count(yes, yes + N, true) == static_cast<std::ptrdiff_t>(N));
  Run run(cpu);
  auto const t =
      run.output(popops::map(run.graph, ONE, {run.input(poplar::HALF, {N}, Values(N))}, run.prog));
  run.run();
  CHECK(run.values(t) == Values(N, 1.5));
}

TEST_CASE("parameters that are numbers must hold every element of their operands") {
  using cottonwood::kernels::detail::takesKinds;
  using Tag = cottonwood::isa::scalar;
  auto const ofInt = [](int x) { return x; };
  auto const ofUnsigned = [](unsigned x) noexcept { return x; };
  auto const ofFloat = [](float const &x) { return x; };
  auto const ofDouble = [](double x) { return x; };
  CHECK(takesKinds<decltype(ofInt), Tag, int>());
  CHECK_FALSE(takesKinds<decltype(ofInt), Tag, float>());
  CHECK_FALSE(takesKinds<decltype(ofInt), Tag, unsigned>());
  CHECK(takesKinds<decltype(ofUnsigned), Tag, unsigned>());
  CHECK_FALSE(takesKinds<decltype(ofUnsigned), Tag, int>());
  CHECK_FALSE(takesKinds<decltype(ofUnsigned), Tag, float>());
  CHECK(takesKinds<decltype(ofFloat), Tag, float>());
  CHECK_FALSE(takesKinds<decltype(ofFloat), Tag, int>());
  CHECK_FALSE(takesKinds<decltype(ofFloat), Tag, cottonwood::half>());
  CHECK(takesKinds<decltype(ofDouble), Tag, float>());
  CHECK(takesKinds<decltype(ofDouble), Tag, int>());
  CHECK_FALSE(takesKinds<decltype(ofFloat), Tag, float, float>());
}

TEST_SUITE_END();
