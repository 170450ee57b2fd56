// Conversions, fills and scaled additions on every instruction set of this machine.
#include <codelets/popops/Cast.hpp>
#include <codelets/popops/CastCost.hpp>
#include <codelets/popops/Fill.hpp>
#include <codelets/popops/FillCost.hpp>
#include <codelets/popops/ScaledAdd.hpp>
#include <codelets/popops/ScaledAddCost.hpp>
#include <test/codelets/Isas.hpp>

#include <climits>
#include <string>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name

namespace {

/// What popops::Cast promises, in plain C++.
template <class From, class To> To expected(From x) {
  if constexpr (std::is_same_v<From, Half> && !std::is_same_v<To, Half>) {
    return expected<float, To>(test::toFloat(x));
  } else if constexpr (std::is_same_v<From, To>) {
    return x;
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half{arch::doubleToHalf(static_cast<double>(x))};
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_same_v<From, float> && std::is_integral_v<To>) {
    const double t = std::trunc(static_cast<double>(x));
    if constexpr (sizeof(To) == 1)
      return static_cast<To>(std::isnan(t)
                                 ? 0
                                 : std::min(std::max(t, double(std::numeric_limits<To>::lowest())),
                                            double(std::numeric_limits<To>::max())));
    else if constexpr (std::is_same_v<To, unsigned>)
      return t >= 0 && t <= UINT_MAX ? static_cast<unsigned>(t) : UINT_MAX;
    else
      return static_cast<To>(t >= INT_MIN && t <= INT_MAX ? static_cast<int>(t) : INT_MIN);
  } else {
    return static_cast<To>(x);
  }
}

template <class T> T sample(std::mt19937 &random) {
  if constexpr (std::is_same_v<T, float>) {
    static const float special[] = {0.f,     -0.f,         NAN,          INFINITY,      -INFINITY,
                                    300.f,   -300.f,       255.9f,       -0.9f,         65519.f,
                                    65520.f, 2147483648.f, 4294967296.f, -2147483648.f, 1e-8f};
    return random() % 2 ? special[random() % std::size(special)]
                        : std::uniform_real_distribution<float>(-70000.f, 70000.f)(random);
  } else if constexpr (std::is_same_v<T, Half>) {
    return Half{static_cast<std::uint16_t>(random())};
  } else if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else {
    return static_cast<T>(static_cast<std::uint32_t>(random()) >> (random() % 32));
  }
}

template <class From, class To> void checkCast(std::mt19937 &random) {
  using KFrom = vertices::KernelType<From>;
  using KTo = vertices::KernelType<To>;
  CAPTURE(typeid(From).name());
  CAPTURE(typeid(To).name());
  for (std::size_t n : {0, 1, 7, 15, 16, 17, 63, 64, 65, 257, 2000}) {
    test::Misaligned<KFrom> in(n);
    for (std::size_t i = 0; i < n; ++i)
      in.set(i, sample<KFrom>(random));
    for (isa::Isa isa : test::vectorIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      test::Misaligned<KTo> out(n);
      auto state = test::zeroed<vertices::Cast<isa::scalar, From, To>>();
      test::connect(state.in, in.data());
      test::connect(state.out, out.data(), n);
      test::runOn<vertices::CastFamily>(isa, state);
      REQUIRE(out.guardsIntact());
      for (std::size_t i = 0; i < n; ++i)
        REQUIRE(test::same(out.get(i), expected<KFrom, KTo>(in.get(i))));
    }
  }
}

template <class V> struct CastOf;
template <class Tag, class From, class To> struct CastOf<vertices::Cast<Tag, From, To>> {
  static void check(std::mt19937 &random) { checkCast<From, To>(random); }
};
template <class... V> void checkAll(vertices::VertexList<V...>) {
  std::mt19937 random(41);
  (CastOf<V>::check(random), ...);
}

/// Large results at a cache line go past the caches; beside one they do not.
template <class From, class To> void checkLargeCast() {
  using KFrom = vertices::KernelType<From>;
  using KTo = vertices::KernelType<To>;
  CAPTURE(typeid(From).name());
  CAPTURE(typeid(To).name());
  const std::size_t n = kernels::detail::STREAM_BYTES / (sizeof(From) + sizeof(To)) + 77;
  std::mt19937 random(43);
  test::Misaligned<KFrom> in(n);
  for (std::size_t i = 0; i < n; ++i)
    in.set(i, sample<KFrom>(random));
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    std::vector<unsigned char> storage[2];
    KTo *out[2];
    for (std::size_t beside : {0, 1}) {
      storage[beside].assign((n + 2) * sizeof(KTo) + 64, 0xa5);
      const auto address = reinterpret_cast<std::uintptr_t>(storage[beside].data());
      unsigned char *const line = storage[beside].data() + (64 - address % 64) % 64;
      out[beside] = reinterpret_cast<KTo *>(line) + beside;
      auto state = test::zeroed<vertices::Cast<isa::scalar, From, To>>();
      test::connect(state.in, in.data());
      test::connect(state.out, out[beside], n);
      test::runOn<vertices::CastFamily>(isa, state);
      CHECK(*reinterpret_cast<unsigned char *>(out[beside] + n) == 0xa5);
    }
    CHECK(std::memcmp(static_cast<void *>(out[0]), static_cast<void *>(out[1]), n * sizeof(KTo)) ==
          0);
  }
}

template <class T> void checkFill(T value) {
  for (std::size_t n : test::lengths())
    for (isa::Isa isa : test::vectorIsas()) {
      test::Misaligned<vertices::KernelType<T>> out(n);
      auto state = test::zeroed<vertices::Fill<isa::scalar, T>>();
      test::connect(state.out, out.data(), n);
      state.value = value;
      test::runOn<vertices::FillFamily>(isa, state);
      REQUIRE(out.guardsIntact());
      const std::vector<T> all(n, value);
      for (std::size_t i = 0; i < n; ++i)
        REQUIRE(std::memcmp(static_cast<void *>(out.data() + i), &value, sizeof value) == 0);
    }
}

enum class Kind { ADD, ADD_TENSOR, AXPBY, AXPBY_TENSOR, ONE_MINUS };

template <class A, class B, class S>
void runScaledAdd(isa::Isa isa, Kind kind, test::Misaligned<vertices::KernelType<A>> &a,
                  test::Misaligned<vertices::KernelType<B>> &b, S scaleA, S scaleB, S factor) {
  using Tag = isa::scalar;
  const auto run = [&](auto state, auto set) {
    test::connect(state.a, a.data(), a.size());
    test::connect(state.b, b.data());
    set(state);
    test::runOn<vertices::ScaledAddFamily>(isa, state);
  };
  if (kind == Kind::ADD)
    run(test::zeroed<vertices::ScaledAdd<Tag, A, B>>(),
        [&](auto &v) { v.scaleB = factor * scaleB; });
  else if (kind == Kind::ADD_TENSOR)
    run(test::zeroed<vertices::ScaledAddTensor<Tag, A, B>>(), [&](auto &v) {
      test::connect(v.scaleB, &scaleB);
      v.factor = factor;
    });
  else if (kind == Kind::AXPBY)
    run(test::zeroed<vertices::Axpby<Tag, A, B>>(), [&](auto &v) {
      v.scaleA = scaleA;
      v.scaleB = factor * scaleB;
    });
  else
    run(test::zeroed<vertices::AxpbyTensor<Tag, A, B>>(), [&](auto &v) {
      test::connect(v.scaleA, &scaleA);
      test::connect(v.scaleB, &scaleB);
      v.factor = factor;
      v.oneMinusA = kind == Kind::ONE_MINUS;
    });
}

template <class A, class B> void checkScaledAdd() {
  using KA = vertices::KernelType<A>;
  using KB = vertices::KernelType<B>;
  using S = vertices::ScaleType<A>;
  std::mt19937 random(42);
  for (Kind kind : {Kind::ADD, Kind::ADD_TENSOR, Kind::AXPBY, Kind::AXPBY_TENSOR, Kind::ONE_MINUS})
    for (std::size_t n : test::lengths())
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        CAPTURE(n);
        CAPTURE(static_cast<int>(kind));
        test::Misaligned<KA> a(n);
        test::Misaligned<KB> b(n);
        std::vector<KA> before(n);
        for (std::size_t i = 0; i < n; ++i) {
          if constexpr (std::is_same_v<S, float>) {
            std::uniform_real_distribution<float> values(-4.f, 4.f);
            before[i] = test::fromFloat<KA>(values(random));
            b.set(i, test::fromFloat<KB>(values(random)));
          } else {
            before[i] = static_cast<KA>(random());
            b.set(i, static_cast<KB>(random()));
          }
          a.set(i, before[i]);
        }
        const S scaleA = S(3), scaleB = S(5), factor = S(-1);
        runScaledAdd<A, B, S>(isa, kind, a, b, scaleA, scaleB, factor);
        REQUIRE(a.guardsIntact());
        for (std::size_t i = 0; i < n; ++i) {
          if constexpr (std::is_same_v<S, float>) {
            const float x = test::toFloat(before[i]), y = test::toFloat(b.get(i));
            const float term = kind == Kind::ADD || kind == Kind::ADD_TENSOR ? x
                               : kind == Kind::ONE_MINUS ? std::fma(-scaleA, x, x)
                                                         : scaleA * x;
            const float result = std::fma(factor * scaleB, y, term);
            REQUIRE(test::same(a.get(i), test::fromFloat<KA>(result)));
          } else {
            const auto x = static_cast<std::uint32_t>(before[i]),
                       y = static_cast<std::uint32_t>(b.get(i));
            const std::uint32_t term = kind == Kind::ADD || kind == Kind::ADD_TENSOR ? x
                                       : kind == Kind::ONE_MINUS                     ? x - 3 * x
                                                                                     : 3 * x;
            REQUIRE(static_cast<std::uint32_t>(a.get(i)) == term - 5 * y);
          }
        }
      }
}

} // namespace

TEST_SUITE("codelets/popops/cast") {
  TEST_CASE("every pair of types on every instruction set") {
    checkAll(vertices::CastFamily::Vertices<isa::scalar>());
  }

  TEST_CASE("large casts past the caches have the same values") {
    checkLargeCast<float, poplar::half>();
    checkLargeCast<poplar::half, float>();
    checkLargeCast<float, int>();
    checkLargeCast<unsigned, poplar::half>();
    checkLargeCast<bool, float>();
  }

  TEST_CASE("cost") {
    CHECK(vertices::castCycles(vertices::CastKind::HALF_TO_FLOAT, 12, 6) == 12 + 6 * (37 + 1));
    CHECK(vertices::castCycles(vertices::CastKind::FLOAT_TO_HALF, 24, 6) == 12 + 6 * (37 + 2));
    CHECK(vertices::castWorkerCycles(vertices::CastKind::HALF_TO_BYTE, 5) == 37 + 2 * 16);
    CHECK(vertices::castWorkerCycles(vertices::CastKind::WIDE, 0) == 37);
  }
}

TEST_SUITE("codelets/popops/fill") {
  TEST_CASE("elements of 1, 2, 4 and 8 bytes") {
    checkFill<bool>(true);
    checkFill<unsigned char>(0x5a);
    checkFill<short>(-1234);
    checkFill<poplar::half>(poplar::half(1.5f));
    checkFill<float>(-0.f);
    checkFill<int>(-77777777);
    checkFill<long long>(-1234567890123456789LL);
  }
  TEST_CASE("cost") { CHECK(vertices::fillCycles(4, 12, 6) == 6 * (26 + 1)); }
}

TEST_SUITE("codelets/popops/scaledAdd") {
  TEST_CASE("float and half are fused and rounded once") {
    checkScaledAdd<float, float>();
    checkScaledAdd<poplar::half, poplar::half>();
    checkScaledAdd<float, poplar::half>();
    checkScaledAdd<poplar::half, float>();
  }
  TEST_CASE("integers wrap") {
    checkScaledAdd<int, int>();
    checkScaledAdd<unsigned, unsigned>();
  }
  TEST_CASE("cost") {
    CHECK(vertices::scaledAddCycles({24, 4, 4, false, false}, 6) == 63 + 6 * (24 + 3 + 5));
    CHECK(vertices::scaledAddCycles({24, 2, 2, false, true}, 6) == 75 + 6 * (24 + 0 + 5));
  }
}
