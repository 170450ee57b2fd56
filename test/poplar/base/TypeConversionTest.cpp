#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <poplar/HalfFloat.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>
#include <vector>

using namespace poplar;

namespace {

/// Through a device buffer that starts at an odd address.
template <class To, class From> To through(Type type, From value, std::size_t elementBytes) {
  std::array<unsigned char, 17> buffer{};
  convertToDeviceType(type, ArrayRef<From>(&value, 1), buffer.data() + 1);
  CHECK(buffer[0] == 0);
  CHECK(buffer[1 + elementBytes] == 0);
  To result{};
  convertFromDeviceType(type, buffer.data() + 1, gccs::ArrayRef<To>(&result, 1));
  return result;
}

} // namespace

TEST_SUITE("poplar/base/TypeConversion") {
  TEST_CASE("numbers survive in types that can hold them, whatever the host type is") {
    CHECK(through<double>(FLOAT, 1.5, 4) == 1.5);
    CHECK(through<float>(HALF, 3, 2) == 3.0f);
    CHECK(through<int>(HALF, IeeeHalf(-7), 2) == -7);
    CHECK(through<IeeeHalf>(FLOAT, half(0.5f), 4) == 0.5f);
    CHECK(through<std::uint64_t>(UNSIGNED_LONGLONG, std::numeric_limits<std::uint64_t>::max(), 8) ==
          std::numeric_limits<std::uint64_t>::max());
    CHECK(through<short>(CHAR, -5, 1) == -5);
    CHECK(through<int>(UNSIGNED_CHAR, 200, 1) == 200);
    CHECK(through<long double>(FLOAT, 0.25L, 4) == 0.25L);
    CHECK(through<bool>(BOOL, true, 1));
  }

  TEST_CASE("to half rounds once, and overflows to infinity") {
    std::array<double, 3> const values{1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40), 1e5,
                                       -65519.0};
    std::array<std::uint16_t, 3> bits{};
    convertToDeviceType(HALF, ArrayRef<double>(values), bits.data());
    CHECK(bits[0] == 0x3c01);
    CHECK(bits[1] == 0x7c00);
    CHECK(bits[2] == 0xfbff);
  }

  TEST_CASE("floating point becomes an integer by cutting off, ends at the limits, and NaN is 0") {
    CHECK(through<int>(INT, 2.9f, 4) == 2);
    CHECK(through<int>(INT, -2.9, 4) == -2);
    CHECK(through<int>(INT, 1e10f, 4) == std::numeric_limits<int>::max());
    CHECK(through<int>(INT, -1e10, 4) == std::numeric_limits<int>::min());
    CHECK(through<unsigned>(UNSIGNED_INT, -3.0f, 4) == 0u);
    CHECK(through<unsigned>(UNSIGNED_CHAR, 255.9, 1) == 255u);
    CHECK(through<std::int64_t>(LONGLONG, 9.3e18, 8) == std::numeric_limits<std::int64_t>::max());
    CHECK(through<int>(SHORT, std::numeric_limits<float>::quiet_NaN(), 2) == 0);
  }

  TEST_CASE("anything but 0 is true, also in host booleans") {
    CHECK(through<int>(BOOL, 0.5f, 1) == 1);
    CHECK(through<int>(BOOL, 256, 1) == 1);
    CHECK(through<int>(BOOL, -0.0, 1) == 0);
    bool flag = false;
    unsigned char const two = 2;
    convertFromDeviceType(UNSIGNED_CHAR, &two, gccs::ArrayRef<bool>(&flag, 1));
    unsigned char byte = 0;
    std::memcpy(&byte, &flag, 1);
    CHECK(byte == 1);
  }

  TEST_CASE("no elements touch no memory") {
    convertToDeviceType(HALF, ArrayRef<float>(), nullptr);
    convertFromDeviceType(HALF, nullptr, gccs::ArrayRef<float>());
  }

  TEST_CASE("types without numbers are errors") {
    float value = 1;
    unsigned char buffer[4] = {};
    CHECK_THROWS_AS(convertToDeviceType(Type(), ArrayRef<float>(&value, 1), buffer), type_error);
    CHECK_THROWS_AS(convertToDeviceType(QUARTER_METADATA, ArrayRef<float>(&value, 1), buffer),
                    type_error);
    CHECK_THROWS_AS(convertToDeviceType(QUARTER, ArrayRef<float>(&value, 1), buffer),
                    tensor_metadata_error);
    CHECK_THROWS_AS(convertFromDeviceType(QUARTER, buffer, gccs::ArrayRef<float>(&value, 1)),
                    tensor_metadata_error);
  }

  TEST_CASE("quarter elements are converted with their metadata") {
    QuarterMetadata const metadata(QuarterMetadata::Format::F143, 1);
    std::vector<float> const values{1.0f, -480.0f, 1e6f};
    std::array<unsigned char, 3> bits{};
    convertToDeviceType(QUARTER, metadata, ArrayRef<float>(values), bits.data(), false);
    std::vector<float> back(3);
    convertFromDeviceType(QUARTER, metadata, bits.data(), gccs::ArrayRef<float>(back));
    CHECK(back == std::vector<float>{1.0f, -480.0f, 480.0f});
  }
}
