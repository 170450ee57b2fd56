// What the tests of convolutions of planes share.
#pragma once

#include <test/codelets/Isas.hpp>

#include <cmath>
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

/// convolve(isa) gives the same numbers on every instruction set; NaN equals NaN.
template <class Out, class F>
void checkEverywhere(const std::vector<Out> &expected, F const &convolve) {
  for (isa::Isa isa : vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    const std::vector<Out> got = convolve(isa);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const float x = toFloat(got[i]), y = toFloat(expected[i]);
      REQUIRE((x == y || (std::isnan(x) && std::isnan(y))));
    }
  }
}

} // namespace cottonwood::test
