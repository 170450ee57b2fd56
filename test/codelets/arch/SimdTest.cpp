// The face of simd<T, Tag> on every instruction set of this machine, against plain C++.
#include "SimdProbe.hpp"

#include <test/codelets/Isas.hpp>

#include <bit>
#include <climits>
#include <string>

using namespace cottonwood;
using test::SimdProbe;

namespace {

/// Of a set without tiles, or the one that a set with tiles builds on.
SimdProbe probeOf(isa::Isa isa) {
  return isa::withTag(isa, [](auto tag) {
    if constexpr (isa::TileTag<decltype(tag)>)
      return test::simdProbe<typename decltype(tag)::Lower>();
    else
      return test::simdProbe<decltype(tag)>();
  });
}

template <class F> void forEachProbe(F f) {
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    f(probeOf(isa), isa);
  }
}

constexpr int N = 64; // as long as the longest vector, of bytes
constexpr float INF = INFINITY;
const float SPECIAL[] = {0.f,           -0.f,         1.f,          -1.f,         0.5f,
                         -0.5f,         1.5f,         2.5f,         -2.5f,        INF,
                         -INF,          NAN,          1e-40f,       -1e-40f,      3e38f,
                         -3e38f,        0.49999997f,  8388607.5f,   2147483520.f, 2147483648.f,
                         -2147483648.f, 4294967040.f, 4294967296.f, 1e10f};

float anyFloat(std::mt19937 &random) {
  if (random() % 4 == 0)
    return SPECIAL[random() % std::size(SPECIAL)];
  if (random() % 2)
    return std::uniform_real_distribution<float>(-100.f, 100.f)(random);
  return arch::bitCast<float>(static_cast<std::uint32_t>(random()));
}

} // namespace

TEST_SUITE("codelets/arch/simd") {
  TEST_CASE("float arithmetic is IEEE arithmetic") {
    forEachProbe([](const SimdProbe &p, isa::Isa) {
      std::mt19937 random(1);
      for (int round = 0; round < 2000; ++round) {
        float a[N], b[N], c[N], out[N];
        for (int i = 0; i < N; ++i) {
          a[i] = anyFloat(random);
          b[i] = anyFloat(random);
          c[i] = anyFloat(random);
        }
        const auto check = [&](char op, auto reference) {
          for (int i = 0; i < p.width; ++i)
            REQUIRE_MESSAGE(test::same(out[i], reference(a[i], b[i], c[i])), "op ", op, ": ", a[i],
                            " ", b[i], " ", c[i], " -> ", out[i]);
        };
        const auto binary = [&](char op, auto reference) {
          p.floatBinary(op, a, b, out);
          check(op, reference);
        };
        binary('+', [](float x, float y, float) { return x + y; });
        binary('-', [](float x, float y, float) { return x - y; });
        binary('*', [](float x, float y, float) { return x * y; });
        binary('/', [](float x, float y, float) { return x / y; });
        binary('<', [](float x, float y, float) { return x < y ? x : y; });
        binary('>', [](float x, float y, float) { return x > y ? x : y; });
        const auto unary = [&](char op, auto reference) {
          p.floatUnary(op, a, out);
          check(op, reference);
        };
        unary('s', [](float x, float, float) { return std::sqrt(x); });
        unary('a', [](float x, float, float) { return std::fabs(x); });
        unary('f', [](float x, float, float) { return std::floor(x); });
        unary('c', [](float x, float, float) { return std::ceil(x); });
        unary('t', [](float x, float, float) { return std::trunc(x); });
        unary('n', [](float x, float, float) { return std::nearbyint(x); });
        unary('-', [](float x, float, float) { return -x; });
        const auto fused = [&](char op, auto reference) {
          p.floatFma(op, a, b, c, out);
          check(op, reference);
        };
        fused('a', [](float x, float y, float z) { return std::fma(x, y, z); });
        fused('n', [](float x, float y, float z) { return std::fma(-x, y, z); });
        fused('s', [](float x, float y, float z) { return std::fma(x, y, -z); });
      }
    });
  }

  TEST_CASE("comparisons and selection follow IEEE rules for NaN") {
    forEachProbe([](const SimdProbe &p, isa::Isa) {
      std::mt19937 random(2);
      for (int round = 0; round < 500; ++round) {
        float a[N], b[N], out[N];
        unsigned char mask[N] = {};
        for (int i = 0; i < N; ++i) {
          a[i] = anyFloat(random);
          b[i] = random() % 3 ? anyFloat(random) : a[i];
        }
        const auto check = [&](char op, auto reference) {
          p.compare(op, a, b, mask);
          for (int i = 0; i < p.width; ++i)
            REQUIRE(mask[i] == (reference(a[i], b[i]) ? 1 : 0));
        };
        check('=', [](float x, float y) { return x == y; });
        check('!', [](float x, float y) { return x != y; });
        check('[', [](float x, float y) { return x <= y; });
        check('>', [](float x, float y) { return x > y; });
        check(']', [](float x, float y) { return x >= y; });
        check('<', [](float x, float y) { return x < y; });
        p.select(mask, a, b, out);
        for (int i = 0; i < p.width; ++i)
          REQUIRE(test::same(out[i], a[i] < b[i] ? a[i] : b[i]));
      }
    });
  }

  TEST_CASE("partial loads and stores touch nothing beyond their count") {
    forEachProbe([](const SimdProbe &p, isa::Isa) {
      const auto check = [](auto copy, auto example, int width) {
        using T = decltype(example);
        for (std::size_t n = 0; n <= static_cast<std::size_t>(width); ++n) {
          // Exactly n elements on the heap: a sanitizer sees reads beyond them.
          std::vector<T> in(n, example);
          test::Misaligned<T> out(n);
          copy(in.data(), out.data(), n);
          REQUIRE(out.guardsIntact());
          for (std::size_t i = 0; i < n; ++i)
            REQUIRE(test::same(out.get(i), example));
        }
      };
      check(p.copyPartial, 1.5f, p.width);
      check(p.halfCopyPartial, half{0x3e00}, p.halfWidth);
      check(p.maskCopyPartial, static_cast<unsigned char>(1), p.width);
      check(p.byteCopyPartial, static_cast<unsigned char>(1), p.byteWidth);
      for (std::size_t n = 0; n <= static_cast<std::size_t>(p.width); ++n) {
        std::vector<half> halves(n, half{0x3e00});
        test::Misaligned<float> wide(n);
        p.halfToFloatPartial(halves.data(), wide.data(), n);
        test::Misaligned<half> narrow(n);
        std::vector<float> floats(n, 1.5f);
        p.floatToHalfPartial(floats.data(), narrow.data(), n);
        REQUIRE(wide.guardsIntact());
        REQUIRE(narrow.guardsIntact());
        for (std::size_t i = 0; i < n; ++i) {
          REQUIRE(wide.get(i) == 1.5f);
          REQUIRE(narrow.get(i).bits == 0x3e00);
        }
      }
    });
  }

  TEST_CASE("half to float is exact for every half, float to half rounds to nearest even") {
    forEachProbe([](const SimdProbe &p, isa::Isa) {
      for (unsigned bits = 0; bits < 0x10000; bits += static_cast<unsigned>(p.width)) {
        half in[N], back[N];
        float wide[N];
        for (int i = 0; i < p.width; ++i)
          in[i].bits = static_cast<std::uint16_t>(bits + static_cast<unsigned>(i));
        p.halfToFloat(in, wide);
        p.floatToHalf(wide, back);
        for (int i = 0; i < p.width; ++i) {
          REQUIRE(arch::bitCast<std::uint32_t>(wide[i]) ==
                  arch::bitCast<std::uint32_t>(arch::halfToFloat(in[i].bits)));
          REQUIRE(test::same(back[i], in[i]));
        }
      }
      std::mt19937 random(3);
      for (int round = 0; round < 20000; ++round) {
        float in[N];
        half out[N];
        for (int i = 0; i < p.width; ++i)
          in[i] = round % 2 ? std::ldexp(static_cast<float>(random() % 8192),
                                         static_cast<int>(random() % 44) - 38)
                            : anyFloat(random);
        p.floatToHalf(in, out);
        for (int i = 0; i < p.width; ++i)
          REQUIRE(out[i].bits == arch::floatToHalf(in[i]));
      }
    });
  }

  TEST_CASE("conversions to integers truncate and mark what does not fit") {
    forEachProbe([](const SimdProbe &p, isa::Isa) {
      std::mt19937 random(4);
      for (int round = 0; round < 5000; ++round) {
        float in[N], out[N];
        std::int32_t ints[N];
        std::uint32_t uints[N];
        for (int i = 0; i < N; ++i)
          in[i] = anyFloat(random);
        p.toInt(in, ints);
        p.toUint(in, uints);
        for (int i = 0; i < p.width; ++i) {
          const double t = std::trunc(static_cast<double>(in[i]));
          const bool fitsInt = t >= INT_MIN && t <= INT_MAX;
          const bool fitsUint = t >= 0 && t <= UINT_MAX;
          REQUIRE(ints[i] == (fitsInt ? static_cast<std::int32_t>(t) : INT_MIN));
          REQUIRE(uints[i] == (fitsUint ? static_cast<std::uint32_t>(t) : UINT_MAX));
        }
        for (int i = 0; i < N; ++i)
          ints[i] = static_cast<std::int32_t>(uints[i] = static_cast<std::uint32_t>(random()) >>
                                                         (random() % 32));
        p.fromInt(ints, out);
        for (int i = 0; i < p.width; ++i)
          REQUIRE(out[i] == static_cast<float>(ints[i]));
        p.fromUint(uints, out);
        for (int i = 0; i < p.width; ++i)
          REQUIRE(out[i] == static_cast<float>(uints[i]));
      }
    });
  }

  TEST_CASE("reductions fold halves onto each other") {
    forEachProbe([](const SimdProbe &p, isa::Isa) {
      std::mt19937 random(5);
      std::uniform_real_distribution<float> values(-2.f, 2.f);
      for (int round = 0; round < 200; ++round) {
        float in[N];
        for (float &x : in)
          x = values(random);
        const auto fold = [&](auto f) {
          std::vector<float> v(in, in + p.width);
          for (std::size_t w = v.size() / 2; w >= 1; w /= 2)
            for (std::size_t i = 0; i < w; ++i)
              v[i] = f(v[i], v[i + w]);
          return v[0];
        };
        REQUIRE(p.reduce('+', in) == fold([](float x, float y) { return x + y; }));
        REQUIRE(p.reduce('*', in) == fold([](float x, float y) { return x * y; }));
        REQUIRE(p.reduce('<', in) == fold([](float x, float y) { return std::min(x, y); }));
        REQUIRE(p.reduce('>', in) == fold([](float x, float y) { return std::max(x, y); }));
      }
    });
  }

  TEST_CASE("products of unsigned numbers keep all 64 bits") {
    forEachProbe([](const SimdProbe &p, isa::Isa) {
      std::mt19937 random(14);
      for (int round = 0; round < 1000; ++round) {
        std::uint32_t a[N], b[N], low[N], high[N], onlyHigh[N];
        for (int i = 0; i < N; ++i) {
          a[i] = random() % 8 ? static_cast<std::uint32_t>(random()) : UINT_MAX;
          b[i] = random() % 8 ? static_cast<std::uint32_t>(random()) >> (random() % 32) : UINT_MAX;
        }
        p.uintWide(a, b, low, high, onlyHigh);
        for (int i = 0; i < p.width; ++i) {
          const std::uint64_t product = std::uint64_t{a[i]} * b[i];
          REQUIRE(low[i] == static_cast<std::uint32_t>(product));
          REQUIRE(high[i] == product >> 32);
          REQUIRE(onlyHigh[i] == high[i]);
        }
        p.uintIota(low);
        for (int i = 0; i < p.width; ++i)
          REQUIRE(low[i] == static_cast<std::uint32_t>(i));
      }
    });
  }

  TEST_CASE("integer operations wrap and compare in their own order") {
    forEachProbe([](const SimdProbe &p, isa::Isa) {
      std::mt19937 random(6);
      for (int round = 0; round < 1000; ++round) {
        std::int32_t a[N], b[N], out[N];
        std::uint32_t ua[N], ub[N], uout[N];
        for (int i = 0; i < N; ++i) {
          ua[i] = static_cast<std::uint32_t>(random()) >> (random() % 33 % 32);
          ub[i] = random() % 4 ? static_cast<std::uint32_t>(random()) : ua[i];
          if (random() % 2)
            ub[i] %= 40;
          a[i] = static_cast<std::int32_t>(ua[i]);
          b[i] = static_cast<std::int32_t>(ub[i]);
        }
        const auto check = [&](char op, auto intRule, auto uintRule) {
          p.intBinary(op, a, b, out);
          p.uintBinary(op, ua, ub, uout);
          for (int i = 0; i < p.width; ++i) {
            REQUIRE_MESSAGE(out[i] == static_cast<std::int32_t>(intRule(a[i], b[i])), "op ", op);
            REQUIRE_MESSAGE(uout[i] == static_cast<std::uint32_t>(uintRule(ua[i], ub[i])), "op ",
                            op);
          }
        };
        const auto same = [&](char op, auto rule) {
          check(
              op,
              [&](std::int32_t x, std::int32_t y) {
                return rule(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
              },
              rule);
        };
        using U = std::uint32_t;
        same('+', [](U x, U y) { return x + y; });
        same('-', [](U x, U y) { return x - y; });
        same('*', [](U x, U y) { return x * y; });
        same('&', [](U x, U y) { return x & y; });
        same('|', [](U x, U y) { return x | y; });
        same('^', [](U x, U y) { return x ^ y; });
        same('l', [](U x, U y) { return y > 31 ? 0u : x << y; });
        same('r', [](U x, U y) { return y > 31 ? 0u : x >> y; });
        same('a', [](U x, U y) {
          return static_cast<U>(static_cast<std::int32_t>(x) >>
                                (y > 31 ? 31 : static_cast<int>(y)));
        });
        same('=', [](U x, U y) { return x == y; });
        same('!', [](U x, U y) { return x != y; });
        const auto ordered = [&](char op, auto rule) { check(op, rule, rule); };
        ordered('m', [](auto x, auto y) { return std::min(x, y); });
        ordered('M', [](auto x, auto y) { return std::max(x, y); });
        ordered('<', [](auto x, auto y) { return x < y; });
        ordered('[', [](auto x, auto y) { return x <= y; });
        ordered('>', [](auto x, auto y) { return x > y; });
        ordered(']', [](auto x, auto y) { return x >= y; });
        const auto unary = [&](char op, auto rule) {
          p.intUnary(op, a, out);
          for (int i = 0; i < p.width; ++i)
            REQUIRE(static_cast<U>(out[i]) == rule(ua[i]));
        };
        unary('z', [](U x) { return static_cast<U>(std::countl_zero(x)); });
        unary('p', [](U x) { return static_cast<U>(std::popcount(x)); });
        unary('~', [](U x) { return ~x; });
        unary('-', [](U x) { return 0u - x; });
      }
    });
  }

  TEST_CASE("half arithmetic rounds every operation once") {
    forEachProbe([](const SimdProbe &p, isa::Isa isa) {
      const bool fusedOnce = isa == isa::Isa::Avx512Fp16 || isa == isa::Isa::Avx512Fp16Soft;
      std::mt19937 random(7);
      for (int round = 0; round < 20000; ++round) {
        half a[N], b[N], c[N], out[N];
        for (int i = 0; i < N; ++i) {
          a[i].bits = static_cast<std::uint16_t>(random());
          b[i].bits = static_cast<std::uint16_t>(random());
          c[i].bits = static_cast<std::uint16_t>(random());
        }
        const auto check = [&](auto exact) {
          for (int i = 0; i < p.halfWidth; ++i) {
            const double x = static_cast<double>(test::toFloat(a[i])),
                         y = static_cast<double>(test::toFloat(b[i]));
            const half expected{
                arch::doubleToHalf(exact(x, y, static_cast<double>(test::toFloat(c[i]))))};
            REQUIRE(test::same(out[i], expected));
          }
        };
        p.halfBinary('+', a, b, out);
        check([](double x, double y, double) { return x + y; });
        p.halfBinary('-', a, b, out);
        check([](double x, double y, double) { return x - y; });
        p.halfBinary('*', a, b, out);
        check([](double x, double y, double) { return x * y; });
        p.halfBinary('/', a, b, out);
        check([](double x, double y, double) { return x / y; });
        p.halfFma(a, b, c, out);
        if (fusedOnce)
          check([](double x, double y, double z) { return std::fma(x, y, z); });
        else
          check([](double x, double y, double z) {
            return static_cast<double>(
                std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
          });
      }
    });
  }
}
