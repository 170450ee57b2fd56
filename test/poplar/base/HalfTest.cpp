#include <cfenv>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <poplar/HalfFloat.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/impl/base/Half.hpp>
#include <string>
#include <type_traits>

using cottonwood::base::bitCast;
using cottonwood::base::doubleToHalf;
using cottonwood::base::floatToHalf;
using cottonwood::base::halfToFloat;

namespace {

/// The value of a pattern by the definition of binary16, in double.
double valueOf(std::uint16_t bits) {
  int const exponent = (bits >> 10) & 31;
  int const fraction = bits & 1023;
  double const sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// Rounding by searching the values themselves: the positive halves in order of their patterns.
std::uint16_t nearestHalf(double value) {
  std::uint16_t const sign = std::signbit(value) ? 0x8000 : 0;
  double const magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  std::uint16_t low = 0,
                high = 0x7c00; // value(low) <= magnitude, magnitude < value(high) unless infinite
  if (magnitude >= 65520.0)    // half-way between the largest half and the next power of two
    return sign | 0x7c00;
  while (high - low > 1) {
    auto const middle = static_cast<std::uint16_t>((low + high) / 2);
    (valueOf(middle) <= magnitude ? low : high) = middle;
  }
  double const above = high == 0x7c00 ? 65536.0 : valueOf(high);
  double const toLow = magnitude - valueOf(low), toHigh = above - magnitude;
  bool const up = toHigh < toLow || (toHigh == toLow && (low & 1) != 0);
  return static_cast<std::uint16_t>(sign | (up ? high : low));
}

/// Compares the conversions of one float, and of the doubles next to it, with the reference.
/// \returns the number of differences, so that a million checks do not make a million assertions.
int differences(float value) {
  int wrong = 0;
  auto const expected = nearestHalf(static_cast<double>(value));
  wrong +=
      std::isnan(value) ? (floatToHalf(value) & 0x7e00) != 0x7e00 : floatToHalf(value) != expected;
  auto const wide = static_cast<double>(value);
  for (double const next : {wide, std::nextafter(wide, HUGE_VAL), std::nextafter(wide, -HUGE_VAL)})
    wrong += !std::isnan(next) && doubleToHalf(next) != nearestHalf(next);
  return wrong;
}

} // namespace

TEST_SUITE("poplar/base/half") {
  TEST_CASE("every half pattern widens to its value, and comes back unchanged") {
    int wrong = 0;
    for (unsigned i = 0; i != 65536; ++i) {
      auto const bits = static_cast<std::uint16_t>(i);
      float const wide = halfToFloat(bits);
      double const expected = valueOf(bits);
      if (std::isnan(expected)) {
        std::uint16_t const quiet = bits | 0x0200;
        wrong += !std::isnan(wide) || std::signbit(wide) != ((bits & 0x8000) != 0) ||
                 floatToHalf(wide) != quiet || doubleToHalf(static_cast<double>(wide)) != quiet;
      } else {
        wrong += static_cast<double>(wide) != expected ||
                 std::signbit(wide) != std::signbit(expected) || floatToHalf(wide) != bits ||
                 doubleToHalf(expected) != bits;
      }
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("floats at, beside and between every two halves round to nearest, ties to even") {
    int wrong = 0;
    for (unsigned i = 0; i != 0x7c00; ++i) {
      float const low = halfToFloat(static_cast<std::uint16_t>(i));
      float const high =
          i + 1 == 0x7c00 ? 65536.0f : halfToFloat(static_cast<std::uint16_t>(i + 1));
      float const middle = low + (high - low) / 2; // exact
      for (float const at : {low, middle})
        for (float const value :
             {at, std::nextafter(at, -HUGE_VALF), std::nextafter(at, HUGE_VALF)})
          wrong += differences(value) + differences(-value);
    }
    CHECK(wrong == 0);
  }

  TEST_CASE("floats of all magnitudes round as the reference does") {
    int wrong = 0;
    for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 6151)
      wrong += differences(bitCast<float>(static_cast<std::uint32_t>(bits)));
    CHECK(wrong == 0);
  }

  TEST_CASE("overflow gives infinity, and what is too small a zero of the same sign") {
    CHECK(floatToHalf(65519.996f) == 0x7bff);
    CHECK(floatToHalf(65520.0f) == 0x7c00);
    CHECK(floatToHalf(-HUGE_VALF) == 0xfc00);
    CHECK(floatToHalf(std::numeric_limits<float>::max()) == 0x7c00);
    CHECK(floatToHalf(std::ldexp(1.0f, -25)) == 0x0000); // a tie with zero, which is even
    CHECK(floatToHalf(std::nextafter(std::ldexp(1.0f, -25), 1.0f)) == 0x0001);
    CHECK(floatToHalf(-std::numeric_limits<float>::denorm_min()) == 0x8000);
    CHECK(doubleToHalf(-std::numeric_limits<double>::denorm_min()) == 0x8000);
  }

  TEST_CASE("a finite number that becomes an infinite half raises the exception for it") {
    auto const raises = [](auto const &convert, auto const value) {
      std::feclearexcept(FE_ALL_EXCEPT);
      auto volatile x = value;
      std::uint16_t volatile const bits = convert(x);
      static_cast<void>(bits);
      return std::fetestexcept(FE_OVERFLOW) != 0;
    };
    auto const fromFloat = [](float x) { return floatToHalf(x); };
    auto const fromDouble = [](double x) { return doubleToHalf(x); };
    for (float const value : {65520.0f, -65536.0f, 1e30f, -std::numeric_limits<float>::max()}) {
      CHECK(raises(fromFloat, value));
      CHECK(raises(fromDouble, static_cast<double>(value)));
    }
    CHECK(raises(fromDouble, -1e300));
    for (float const value : {0.0f, -1.0f, 65519.99f, -HUGE_VALF, std::nanf("")}) {
      CHECK_FALSE(raises(fromFloat, value));
      CHECK_FALSE(raises(fromDouble, static_cast<double>(value)));
    }
  }

  TEST_CASE("doubles are rounded once: through float this one would come out one place higher") {
    double const value = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
    CHECK(doubleToHalf(value) == 0x3c01);
    CHECK(floatToHalf(static_cast<float>(value)) == 0x3c00);
  }

  TEST_CASE("both half classes are two trivially copyable bytes") {
    CHECK(sizeof(half) == 2);
    CHECK(alignof(half) == 2);
    CHECK(std::is_trivially_copyable_v<half>);
    CHECK(std::is_trivially_default_constructible_v<half>);
    CHECK(sizeof(poplar::IeeeHalf) == 2);
    CHECK(std::is_trivially_copyable_v<poplar::IeeeHalf>);
    CHECK_FALSE(std::is_same_v<half, poplar::IeeeHalf>);
    CHECK(std::is_same_v<half, poplar::half>);
  }

  TEST_CASE("half computes in float and rounds when stored") {
    half h = 2048;
    half const one = 1.0;
    CHECK(std::is_same_v<decltype(h + one), float>);
    CHECK(h + one == 2049.0f);
    h += one; // 2049 is half-way between 2048 and 2050
    CHECK(h == 2048);
    h = half(0.1f);
    CHECK(h.bit16() == 0x2e66);
    h *= 2.0f;
    CHECK(h.bit16() == 0x3266);
    h -= half(h);
    CHECK(h == 0);
    h = static_cast<half>(-3);
    h /= half(2);
    CHECK(-h == 1.5f);
    CHECK(static_cast<int>(h) == -1);
    CHECK(half(70000) == std::numeric_limits<half>::infinity());
    CHECK(half(std::uint64_t{1} << 63) > std::numeric_limits<half>::max());
    CHECK(half(true) == 1);
    CHECK(1.5_h == half(1.5f));
    CHECK(3_h == half(3));
    CHECK(std::sqrt(half(4)) == 2.0f);
  }

  TEST_CASE("numeric_limits of both half classes are those of binary16") {
    using Limits = std::numeric_limits<half>;
    CHECK(float(Limits::max()) == 65504.0f);
    CHECK(float(Limits::lowest()) == -65504.0f);
    CHECK(float(Limits::min()) == std::ldexp(1.0f, -14));
    CHECK(float(Limits::denorm_min()) == std::ldexp(1.0f, -24));
    CHECK(float(Limits::epsilon()) == std::ldexp(1.0f, -10));
    CHECK(std::isinf(float(Limits::infinity())));
    CHECK(std::isnan(float(Limits::quiet_NaN())));
    CHECK(Limits::is_iec559);
    CHECK(float(std::numeric_limits<poplar::IeeeHalf>::max()) == 65504.0f);
  }

  TEST_CASE("IeeeHalf rounds each operation between two of them") {
    using poplar::IeeeHalf;
    IeeeHalf const a = 2048.0f, b = 1.0f;
    CHECK(std::is_same_v<decltype(a + b), IeeeHalf>);
    CHECK(std::is_same_v<decltype(a + 1.0f), float>);
    CHECK(a + b == a);
    CHECK(a + 1.0f == 2049.0f);
    CHECK(a - b == 2047.0f);
    CHECK((a * b).bit16() == a.bit16());
    CHECK((b / a).bit16() == 0x1000);
    CHECK((-b).bit16() == 0xbc00);
    CHECK(b < a);
    IeeeHalf sum = 0;
    for (int i = 0; i != 3; ++i)
      sum += 1;
    CHECK(sum == 3);
  }

  TEST_CASE("IeeeHalf knows its classes of numbers") {
    using poplar::IeeeHalf;
    CHECK(IeeeHalf::fromBits(0x7e00).isqNaN());
    CHECK(IeeeHalf::fromBits(0xfd00).issNaN());
    CHECK(IeeeHalf::fromBits(0x7c01).isNaN());
    CHECK(IeeeHalf::fromBits(0xfc00).isInf());
    CHECK_FALSE(IeeeHalf::fromBits(0xfc00).isNaN());
    CHECK(IeeeHalf(1.0f).isNorm());
    CHECK_FALSE(IeeeHalf::fromBits(1).isNorm());
    CHECK(IeeeHalf(-0.0f).isZero());
  }
}
