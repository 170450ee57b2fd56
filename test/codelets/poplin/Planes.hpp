// What the tests of convolutions of planes share.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <test/codelets/Isas.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace cottonwood::test {

template <class T> std::vector<T> planeNumbers(std::size_t n, std::mt19937 &random) {
  std::uniform_real_distribution<float> real(-2, 2);
  std::vector<T> values(n);
  for (T &value : values)
    value = fromFloat<T>(real(random));
  return values;
}

inline std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// check.template operator()<In, Out>(seed, special) for all types. Two of the four read and store
/// whatever the others do, and one special number takes the ways that any takes: more would show
/// sanitizers nothing.
template <class F> void inAllTypes(F const &check) {
  check.template operator()<float, float>(1U, 0.F);
  check.template operator()<half, half>(2U, 0.F);
  if (SANITIZED)
    return;
  check.template operator()<half, float>(3U, 0.F);
  check.template operator()<float, half>(4U, 0.F);
}
template <class F> void withNonFinite(F const &check) {
  check.template operator()<float, float>(5U, std::numeric_limits<float>::infinity());
  if (SANITIZED)
    return;
  check.template operator()<half, half>(6U, std::numeric_limits<float>::infinity());
  check.template operator()<float, float>(7U, std::numeric_limits<float>::quiet_NaN());
}

/// convolve(isa) gives the same numbers on every instruction set; NaN equals NaN.
template <class Out, class F>
void checkEverywhere(const std::vector<Out> &expected, F const &convolve) {
  for (isa::Isa isa : vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    const std::vector<Out> got = convolve(isa);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const float x = toFloat(got[i]), y = toFloat(expected[i]);
      if (x != y && !(std::isnan(x) && std::isnan(y)))
        FAIL("element ", i, " is ", x, " and not ", y);
    }
  }
}

} // namespace cottonwood::test
