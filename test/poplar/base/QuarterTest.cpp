#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <poplar/Quarter.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/QuarterBits.hpp>
#include <sstream>

using cottonwood::base::doubleToQuarter;
using cottonwood::base::quarterToDouble;
using poplar::QuarterMetadata;
using Format = QuarterMetadata::Format;

TEST_SUITE("poplar/base/Quarter") {
  TEST_CASE("metadata is one byte of format and scale") {
    for (auto const format : {Format::F143, Format::F152})
      for (int scale = -32; scale <= 31; ++scale) {
        QuarterMetadata const metadata(format, static_cast<signed char>(scale));
        CHECK(metadata.getFormat() == format);
        CHECK(metadata.getScale() == scale);
        CHECK(QuarterMetadata(metadata.getBinary()) == metadata);
        CHECK(*metadata.data() == metadata.getBinary());
      }
    CHECK(QuarterMetadata(Format::F143, -1).getBinary() == 0xbf);
    CHECK(QuarterMetadata(Format::F152, 3).getBinary() == 0x03);
    CHECK(QuarterMetadata() == QuarterMetadata(Format::F143, 0));
    CHECK(QuarterMetadata() != QuarterMetadata(Format::F152, 0));
  }

  TEST_CASE("a scale out of range is an error, and metadata prints") {
    CHECK_THROWS_WITH_AS(QuarterMetadata(Format::F143, 32),
                         "poplar::QuarterMetadata: scale 32 is out of range; allowed are -32 to 31",
                         poplar::poplar_error);
    std::ostringstream stream;
    stream << QuarterMetadata(Format::F152, -3);
    CHECK(stream.str() == "F152 * 2^-3");
  }

  TEST_CASE("every 8-bit pattern comes back from its value, at every scale") {
    for (auto const format : {Format::F143, Format::F152})
      for (int scale = -32; scale <= 31; ++scale)
        for (int bits = 0; bits != 256; ++bits) {
          QuarterMetadata const metadata(format, static_cast<signed char>(scale));
          double const value = quarterToDouble(static_cast<std::uint8_t>(bits), metadata);
          if (doubleToQuarter(value, metadata, true) != bits)
            FAIL("bits " << bits << " " << metadata);
        }
  }

  TEST_CASE("values have the ranges of the two formats") {
    QuarterMetadata const f143(Format::F143, 0), f152(Format::F152, 0), scaled(Format::F143, 2);
    CHECK(quarterToDouble(0x7f, f143) == 240.0);
    CHECK(quarterToDouble(0x7f, f152) == 57344.0);
    CHECK(quarterToDouble(0xff, scaled) == -960.0);
    CHECK(quarterToDouble(0x01, f143) == std::ldexp(1.0, -10));
    CHECK(std::isnan(quarterToDouble(0x80, f143)));
  }

  TEST_CASE("values round to nearest, ties to even; overflow gives NaN or the largest value") {
    QuarterMetadata const f143(Format::F143, 0);
    CHECK(quarterToDouble(doubleToQuarter(17.0, f143, true), f143) ==
          16.0); // 16 and 18 are neighbours
    CHECK(quarterToDouble(doubleToQuarter(19.0, f143, true), f143) == 20.0);
    CHECK(doubleToQuarter(247.9, f143, true) == 0x7f);
    CHECK(doubleToQuarter(248.0, f143, true) == 0x80);
    CHECK(doubleToQuarter(248.0, f143, false) == 0x7f);
    CHECK(doubleToQuarter(-1e30, f143, false) == 0xff);
    CHECK(doubleToQuarter(-HUGE_VAL, f143, true) == 0x80);
    CHECK(doubleToQuarter(std::nan(""), f143, false) == 0x80);
    CHECK(doubleToQuarter(-0.0, f143, true) == 0x00);
    CHECK(doubleToQuarter(-1e-30, f143, true) == 0x00);
  }

  TEST_CASE("codelets convert quarters as the library does") {
    for (auto const format : {Format::F143, Format::F152})
      for (int scale = -32; scale <= 31; ++scale) {
        QuarterMetadata const metadata(format, static_cast<signed char>(scale));
        quarter_metadata const md = poplar::unpackMetadata(metadata.data());
        CHECK(poplar::packMetadata(md.fmt, md.scale) == metadata.getBinary());
        for (unsigned bits = 0; bits != 256; ++bits) {
          double const value = quarterToDouble(static_cast<std::uint8_t>(bits), metadata);
          float const own = poplar::quarterToFloat(bits, md);
          if (std::isnan(value) ? !std::isnan(own) : static_cast<double>(own) != value)
            FAIL("bits " << bits << " " << metadata);
          // At, and just beside, every value and every point halfway to the next.
          for (double const factor : {1.0, 1.0 + 1e-6, 1.0 - 1e-6, 1.0625, 1.125, 1.25, 1.5, 3.0})
            for (bool const nanoo : {false, true}) {
              float const x = static_cast<float>(value * factor);
              quarter const q = poplar::toQuarter(x, md, nanoo);
              if (q.value != doubleToQuarter(static_cast<double>(x), metadata, nanoo))
                FAIL("value " << x << " " << metadata);
            }
        }
      }
    quarter_metadata const md = {quarter_metadata::f143, 0};
    float const inf = std::numeric_limits<float>::infinity();
    CHECK(poplar::toQuarter(inf, md, true).value == 0x80);
    CHECK(poplar::toQuarter(-inf, md, false).value == 0xff);
    CHECK(poplar::toQuarter(half(2.5f), md).value == poplar::floatToQuarter(2.5f, md).value);
    CHECK(float(poplar::toHalf(poplar::halfToQuarter(half(-3.0f), md), md)) == -3.0f);
  }
}
