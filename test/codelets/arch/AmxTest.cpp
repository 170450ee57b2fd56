// Matrix tiles against a model written after the published operation, in exact arithmetic with one
// explicit rounding a step, and hardware against its twin where the machine has it.
#include "AmxProbe.hpp"

#include <test/codelets/Isas.hpp>

#include <array>
#include <string>

using namespace cottonwood;

namespace {

#if defined(__x86_64__)

using Tile = std::array<unsigned char, 1024>;
using Words = std::array<std::uint16_t, 512>;
using Floats = std::array<float, 256>;

template <class To, class From> To as(const From &from) {
  To to;
  static_assert(sizeof to == sizeof from);
  std::memcpy(&to, &from, sizeof to);
  return to;
}

test::AmxProbe probeOf(isa::Isa isa) {
  switch (isa) {
  case isa::Isa::Amx:
    return test::amxProbe<isa::amx>();
  case isa::Isa::AmxFp16:
    return test::amxProbe<isa::amxfp16>();
  case isa::Isa::AmxFp16Soft:
    return test::amxProbe<isa::amxfp16_soft>();
  default:
    return test::amxProbe<isa::amx_soft>();
  }
}

float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.f, x) : x; }

/// The float next to a + b, which is exact in long double for the sums that these tests make:
/// products of 22 bits whose exponents differ by less than 40 from the other operand's.
float roundedSum(long double a, long double b) { return flushed(static_cast<float>(a + b)); }

float bfloat(std::uint16_t bits) { return as<float>(std::uint32_t{bits} << 16); }

template <bool HALF> float wide(std::uint16_t bits) {
  return HALF ? arch::halfToFloat(bits) : flushed(bfloat(bits));
}

template <bool HALF> Floats model(Floats c, const Words &a, const Words &b) {
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      float parity[2] = {0, 0};
      for (std::size_t k = 0; k < 32; ++k) {
        const long double x = wide<HALF>(a[i * 32 + k]);
        const long double y = wide<HALF>(b[k / 2 * 32 + 2 * j + k % 2]);
        parity[k % 2] = roundedSum(parity[k % 2], x * y);
      }
      float &sum = c[i * 16 + j];
      sum = roundedSum(flushed(sum), roundedSum(parity[0], parity[1]));
    }
  return c;
}

template <bool HALF> Floats run(isa::Isa isa, const Floats &c, const Words &a, const Words &b) {
  const test::AmxProbe probe = probeOf(isa);
  Floats out;
  (HALF ? probe.dotHalf : probe.dotBfloat)(c.data(), a.data(), b.data(), out.data());
  return out;
}

template <bool HALF> void compare(const Floats &c, const Words &a, const Words &b) {
  const Floats expected = model<HALF>(c, a, b);
  for (const isa::Isa isa : test::tileIsas()) {
    if (HALF && isa::tilesOf(isa) != isa::Tiles::Half)
      continue;
    CAPTURE(std::string(isa::name(isa)));
    const Floats got = run<HALF>(isa, c, a, b);
    std::size_t wrong = 0;
    for (std::size_t x = 0; x < got.size(); ++x)
      wrong += test::same(got[x], expected[x]) ? 0 : 1;
    CHECK(wrong == 0);
  }
}

/// Numbers around 2^centre; every eighth is zero.
template <bool HALF> Words words(std::mt19937 &random, int centre, int spread) {
  std::uniform_real_distribution<float> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(centre - spread, centre + spread), one(0, 7);
  Words out;
  for (std::uint16_t &w : out) {
    float x = std::ldexp(mantissa(random), exponent(random));
    x = one(random) == 0 ? 0 : one(random) < 4 ? -x : x;
    w = HALF ? arch::floatToHalf(x) : static_cast<std::uint16_t>(as<std::uint32_t>(x) >> 16);
  }
  return out;
}

Floats floats(std::mt19937 &random, int centre) {
  std::uniform_real_distribution<float> values(-1, 1);
  Floats out;
  for (float &x : out)
    x = std::ldexp(values(random), centre);
  return out;
}

#endif

} // namespace

TEST_SUITE("codelets/arch/amx") {
#if defined(__x86_64__)
  TEST_CASE("a machine without tiles has their twins all the same") {
    const isa::CpuFeatures &f = isa::cpuFeatures();
    CHECK(f.supports(isa::Isa::AmxSoft) == f.avx2);
    CHECK(f.supports(isa::Isa::AmxFp16Soft) == f.avx2);
    CHECK((!f.amx || f.avx512fp16));
    CHECK((!f.amxfp16 || f.amx));
    if (!f.amx)
      MESSAGE("no AMX on this machine: hardware tiles were not tested");
  }

  TEST_CASE("tiles are loaded and stored row by row at any distance") {
    for (const isa::Isa isa : test::tileIsas())
      for (const std::size_t stride : {64u, 128u, 200u}) {
        CAPTURE(std::string(isa::name(isa)));
        std::vector<unsigned char> in(8 * 16 * stride), out(in.size(), 0xa5);
        std::mt19937 random(1);
        for (unsigned char &x : in)
          x = static_cast<unsigned char>(random());
        probeOf(isa).turn(in.data(), out.data(), stride);
        bool good = true;
        for (std::size_t row = 0; row < 8 * 16; ++row)
          for (std::size_t x = 0; x < stride; ++x) {
            const std::size_t from = (7 - row / 16) * 16 + row % 16;
            good = good && out[row * stride + x] == (x < 64 ? in[from * stride + x] : 0xa5);
          }
        CHECK(good);
      }
  }

  TEST_CASE("bfloat products are exact, even and odd k are summed apart") {
    std::mt19937 random(2);
    for (const int spread : {0, 2, 8})
      for (int repeat = 0; repeat < 8; ++repeat)
        compare<false>(floats(random, 3), words<false>(random, 0, spread),
                       words<false>(random, 0, spread));
  }

  TEST_CASE("half products are exact, even and odd k are summed apart") {
    std::mt19937 random(3);
    for (const int spread : {0, 2, 6})
      for (int repeat = 0; repeat < 8; ++repeat)
        compare<true>(floats(random, 3), words<true>(random, 0, spread),
                      words<true>(random, 0, spread));
  }

  TEST_CASE("denormal bfloat and float numbers are zero, denormal results become zero") {
    std::mt19937 random(4);
    compare<false>(floats(random, -126), words<false>(random, -126, 3), words<false>(random, 0, 3));
    compare<false>(floats(random, -124), words<false>(random, -64, 3),
                   words<false>(random, -62, 3));
  }

  TEST_CASE("subnormal halves are exact") {
    std::mt19937 random(5);
    compare<true>(floats(random, -20), words<true>(random, -20, 6), words<true>(random, -16, 5));
    compare<true>(floats(random, -20), words<true>(random, -20, 4), words<true>(random, 8, 5));
  }

  TEST_CASE("infinity and NaN spread") {
    std::mt19937 random(6);
    Words a = words<false>(random, 0, 2), b = words<false>(random, 0, 2);
    a[3 * 32 + 5] = 0x7f80;                  // row 3: infinity
    b[7 / 2 * 32 + 2 * 9 + 7 % 2] = 0x7fc0;  // column 9: NaN
    b[5 / 2 * 32 + 2 * 11 + 5 % 2] = 0;      // infinity * 0 in (3, 11)
    b[5 / 2 * 32 + 2 * 12 + 5 % 2] = 0x3f80; // infinity * 1 in (3, 12)
    for (const isa::Isa isa : test::tileIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      const Floats c = run<false>(isa, {}, a, b);
      CHECK(std::isnan(c[3 * 16 + 11]));
      CHECK(c[3 * 16 + 12] == INFINITY);
      CHECK(std::isnan(c[2 * 16 + 9]));
      CHECK(std::isfinite(c[2 * 16 + 8]));
    }
  }

  TEST_CASE("the mode of the caller's arithmetic is left as it was") {
    std::mt19937 random(7);
    const Words a = words<false>(random, 0, 2), b = words<false>(random, 0, 2);
    for (const isa::Isa isa : test::tileIsas()) {
      run<false>(isa, {}, a, b);
      volatile float tiny = 0x1p-126f;
      CHECK(tiny / 4 != 0);
    }
  }

  TEST_CASE("hardware gives the bits of its twin") {
    const isa::CpuFeatures &f = isa::cpuFeatures();
    if (!f.amx) {
      MESSAGE("skipped: no AMX on this machine");
      return;
    }
    std::mt19937 random(8);
    for (int repeat = 0; repeat < 2000; ++repeat) {
      const int spread = repeat % 40, centre = repeat % 7 == 0 ? -60 : 0;
      const Floats c = floats(random, centre);
      const Words a = words<false>(random, centre, spread), b = words<false>(random, 0, spread);
      const Floats hard = run<false>(isa::Isa::Amx, c, a, b);
      const Floats soft = run<false>(isa::Isa::AmxSoft, c, a, b);
      REQUIRE(as<Tile>(hard) == as<Tile>(soft));
      if (!f.amxfp16)
        continue;
      const Words x = words<true>(random, 0, spread % 14), y = words<true>(random, 0, spread % 14);
      const Floats hardHalf = run<true>(isa::Isa::AmxFp16, c, x, y);
      const Floats softHalf = run<true>(isa::Isa::AmxFp16Soft, c, x, y);
      REQUIRE(as<Tile>(hardHalf) == as<Tile>(softHalf));
    }
  }
#endif
} // TEST_SUITE
