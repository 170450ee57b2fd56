// Random numbers on every instruction set of this machine, against the definition in plain C++.
#include <codelets/poprand/Random.hpp>
#include <codelets/poprand/RandomCost.hpp>
#include <codelets/poprand/Seeds.hpp>
#include <test/codelets/Isas.hpp>

#include <array>
#include <climits>
#include <set>
#include <string>

using namespace cottonwood;
using vertices::Distribution;
using Half = cottonwood::half; // codelets also see the global name

namespace {

using Words = std::array<std::uint32_t, 4>;

/// Philox4x32-10 as the paper writes it.
Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return counter;
}

const unsigned SEED[4] = {0x12345678, 0x9abcdef0, 77, 78};
constexpr unsigned MODIFIER = 5;

/// The random words of the block that element `index` belongs to, and which of them is its own.
Words blockOf(std::uint64_t index, bool fromState = false) {
  const std::uint64_t block = index / 64 * 16 + index % 16;
  return philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                 fromState ? SEED[2] : MODIFIER, fromState ? SEED[3] : 0},
                SEED[0], SEED[1]);
}
std::size_t wordIn(std::uint64_t index) { return index % 64 / 16; }
std::uint32_t wordOf(std::uint64_t index, bool fromState = false) {
  return blockOf(index, fromState)[wordIn(index)];
}

struct Place {
  unsigned long long begin = 0, run = 1u << 30, stride = 0;
  bool fromState = false;
  unsigned long long width = 1;
  std::uint64_t indexOf(std::size_t i) const {
    return width > 1 ? begin + i % width * stride + i / width : begin + i / run * stride + i % run;
  }
};

const std::vector<Place> &places() {
  static const std::vector<Place> all{{},
                                      {64, 4096, 4096, true},
                                      {67, 1u << 30, 0, false},
                                      {5, 7, 1000, false},
                                      {(1ull << 38) - 100, 100, 64, false},
                                      {60, 0, 784, false, 4},
                                      {7, 0, 3, true, 16}};
  return all;
}

/// Runs a vertex on every instruction set and calls check(out, place) for each.
template <class T, class V, class Set, class Check>
void forEachRun(const V &prototype, Set set, Check check) {
  using K = vertices::KernelType<T>;
  for (const Place &place : places())
    for (std::size_t size : {0, 1, 15, 16, 17, 63, 64, 65, 257, 1600}) {
      const std::size_t n = size / place.width * place.width;
      CAPTURE(n);
      CAPTURE(place.begin);
      for (isa::Isa isa : test::vectorIsas()) {
        CAPTURE(std::string(isa::name(isa)));
        test::Misaligned<K> out(n);
        V state = prototype;
        test::connect(state.out, out.data(), n);
        test::connect(state.seed, SEED);
        state.modifier = MODIFIER;
        state.fromState = place.fromState;
        state.begin = place.begin;
        state.run = place.run;
        state.stride = place.stride;
        state.width = place.width;
        set(state, n);
        test::runOn<vertices::RandomFamily>(isa, state);
        REQUIRE(out.guardsIntact());
        check(out, place);
      }
    }
}
template <class T, class V, class Check> void forEachRun(const V &prototype, Check check) {
  forEachRun<T>(
      prototype, [](V &, std::size_t) {}, check);
}

template <Distribution D, class T>
auto realVertex(float location, float scale, float low, float high, float tail = 0) {
  auto v = test::zeroed<vertices::RandomReal<isa::scalar, D, T>>();
  v.location = location;
  v.scale = scale;
  v.low = low;
  v.high = high;
  v.tail = tail;
  return v;
}

float clamped(float x, float low, float high) { return std::min(high, std::max(low, x)); }

template <class T> void checkUniform() {
  using K = vertices::KernelType<T>;
  struct {
    float location, scale, low, high, tail;
  } const intervals[] = {{1.5f, 0.75f, 0.8f, 2.f, 0}, {1028, 3.f, 1025, 1031, -0x1p-5f}};
  for (const auto &[location, scale, low, high, tail] : intervals)
    forEachRun<T>(realVertex<Distribution::UNIFORM, T>(location, scale, low, high, tail),
                  [location = location, scale = scale, low = low, high = high,
                   tail = tail](const auto &out, const Place &place) {
                    for (std::size_t i = 0; i < out.size(); ++i) {
                      const auto w =
                          static_cast<std::int32_t>(wordOf(place.indexOf(i), place.fromState));
                      const float z = static_cast<float>(w) * 0x1p-31f;
                      const float x = tail == 0 ? std::fma(z, scale, location)
                                                : location + std::fma(z, scale, tail);
                      REQUIRE(test::same(out.get(i), test::fromFloat<K>(clamped(x, low, high))));
                    }
                  });
}

double boxMuller(const Words &words, std::size_t k) {
  const double u = (words[k & 2] + 0.5) / 0x1p32;
  const double angle = 2 * M_PI * (words[(k & 2) + 1] / 0x1p32);
  return std::sqrt(-2 * std::log(u)) * (k % 2 ? std::sin(angle) : std::cos(angle));
}

template <class T> void checkNormal() {
  forEachRun<T>(
      realVertex<Distribution::NORMAL, T>(3.f, 2.f, 0, 0), [](const auto &out, const Place &place) {
        for (std::size_t i = 0; i < out.size(); ++i) {
          const std::uint64_t index = place.indexOf(i);
          const double exact = 3 + 2 * boxMuller(blockOf(index, place.fromState), wordIn(index));
          const double bound = std::is_same_v<T, float> ? 4e-6 : 8e-3;
          REQUIRE(std::fabs(static_cast<double>(test::toFloat(out.get(i))) - exact) <= bound);
        }
      });
}

/// z with P(|Z| > z) = a.
double quantile(double a) {
  double low = 0, high = 8;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > a ? low : high) = middle;
  }
  return low;
}

template <class V> void enter(V &state) {
  const auto entries = vertices::entriesFor<vertices::SeedsFamily>(isa::Isa::Scalar);
  constexpr std::size_t position =
      test::positionIn<V>(vertices::SeedsFamily::Vertices<isa::scalar>());
  REQUIRE(entries.first[position](&state, 0, nullptr));
}

} // namespace

TEST_SUITE("codelets/poprand/philox") {
  TEST_CASE("published known answers") {
    const Words pi{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
    struct {
      Words counter;
      std::uint32_t key0, key1;
      Words answer;
    } const known[] = {
        {{0, 0, 0, 0}, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, ~0u, ~0u, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {pi, 0xa4093822, 0x299f31d0, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    for (const auto &[counter, key0, key1, answer] : known) {
      CHECK(philox(counter, key0, key1) == answer);
      using U = simd<std::uint32_t, isa::scalar>;
      U c0{counter[0]}, c1{counter[1]}, c2{counter[2]}, c3{counter[3]};
      kernels::philox(c0, c1, c2, c3, key0, key1);
      CHECK(Words{c0.r, c1.r, c2.r, c3.r} == answer);
    }
  }
}

TEST_SUITE("codelets/poprand/random") {
  TEST_CASE("bernoulli takes the upper half of each element's word") {
    for (unsigned threshold : {0u, 1u, 20000u, 65535u, 65536u}) {
      auto ints = test::zeroed<vertices::Bernoulli<isa::scalar, int>>();
      ints.value = 3;
      ints.threshold = threshold;
      forEachRun<int>(ints, [&](const auto &out, const Place &place) {
        for (std::size_t i = 0; i < out.size(); ++i)
          REQUIRE(out.get(i) ==
                  (wordOf(place.indexOf(i), place.fromState) >> 16 < threshold ? 3 : 0));
      });
      auto halves = test::zeroed<vertices::Bernoulli<isa::scalar, poplar::half>>();
      halves.value = 1.5f;
      halves.threshold = threshold;
      forEachRun<poplar::half>(halves, [&](const auto &out, const Place &place) {
        for (std::size_t i = 0; i < out.size(); ++i)
          REQUIRE(test::toFloat(out.get(i)) ==
                  (wordOf(place.indexOf(i), place.fromState) >> 16 < threshold ? 1.5f : 0.f));
      });
    }
  }

  TEST_CASE("integers are the upper half of a product") {
    struct {
      int low;
      unsigned range;
    } const intervals[] = {{-3, 7}, {0, 1}, {INT_MIN, 0}, {INT_MIN, UINT_MAX}, {5, 1u << 31}};
    for (const auto &[low, range] : intervals) {
      auto v = test::zeroed<vertices::RandomInt<isa::scalar>>();
      v.low = low;
      v.range = range;
      forEachRun<int>(v, [&](const auto &out, const Place &place) {
        for (std::size_t i = 0; i < out.size(); ++i) {
          const std::uint64_t wide = range ? range : std::uint64_t{1} << 32;
          const auto offset =
              static_cast<std::int64_t>(wide * wordOf(place.indexOf(i), place.fromState) >> 32);
          REQUIRE(out.get(i) == low + offset);
        }
      });
    }
  }

  TEST_CASE("uniform numbers are scaled, shifted and bounded") {
    checkUniform<float>();
    checkUniform<poplar::half>();
  }

  TEST_CASE("normal numbers are those of Box and Muller") {
    checkNormal<float>();
    checkNormal<poplar::half>();
  }

  TEST_CASE("truncated normal numbers are quantiles") {
    for (double alpha : {0.01, 1.0, 2.0, 6.0, 40.0}) {
      CAPTURE(alpha);
      const double tail = std::erfc(alpha / std::sqrt(2.0));
      const auto v = realVertex<Distribution::TRUNCATED_NORMAL, float>(
          0.f, 1.f, static_cast<float>(-alpha), static_cast<float>(alpha),
          static_cast<float>(tail));
      forEachRun<float>(v, [&](const auto &out, const Place &place) {
        for (std::size_t i = 0; i < out.size(); i += 3) {
          const std::uint32_t w = wordOf(place.indexOf(i), place.fromState);
          const double a = (1 - tail) * ((w >> 1) + 0.5) / 0x1p31 + tail;
          const double exact = w & 1 ? -quantile(a) : quantile(a);
          REQUIRE(std::fabs(static_cast<double>(out.get(i)) - exact) <=
                  2e-6 * std::fabs(exact) + 3e-7);
        }
      });
    }
  }

  TEST_CASE("log uniform numbers are powers") {
    forEachRun<float>(
        realVertex<Distribution::LOG_UNIFORM, float>(4, 3, 2, 128),
        [](const auto &out, const Place &place) {
          for (std::size_t i = 0; i < out.size(); ++i) {
            const auto w = static_cast<std::int32_t>(wordOf(place.indexOf(i), place.fromState));
            const double exact = std::exp2(4 + 3 * (w / 0x1p31));
            REQUIRE(std::fabs(static_cast<double>(out.get(i)) - exact) <= 3e-6 * exact);
          }
        });
    forEachRun<int>(realVertex<Distribution::LOG_UNIFORM, int>(4, 3, 2, 128),
                    [](const auto &out, const Place &place) {
                      for (std::size_t i = 0; i < out.size(); ++i) {
                        const auto w =
                            static_cast<std::int32_t>(wordOf(place.indexOf(i), place.fromState));
                        const double exact = std::exp2(4 + 3 * (w / 0x1p31));
                        REQUIRE(out.get(i) <= exact * (1 + 3e-6));
                        REQUIRE(out.get(i) > exact * (1 - 3e-6) - 1);
                      }
                    });
  }

  TEST_CASE("every instruction set gives the same bits") {
    const auto compare = [](auto prototype, auto element) {
      using K = decltype(element);
      constexpr std::size_t N = 5003;
      std::vector<std::vector<K>> results;
      for (isa::Isa isa : test::vectorIsas()) {
        std::vector<K> out(N);
        test::connect(prototype.out, out.data(), N);
        test::connect(prototype.seed, SEED);
        prototype.begin = 9;
        prototype.run = prototype.stride = N;
        prototype.width = 1;
        test::runOn<vertices::RandomFamily>(isa, prototype);
        results.push_back(out);
      }
      for (const auto &result : results)
        REQUIRE(std::memcmp(result.data(), results[0].data(), N * sizeof(K)) == 0);
    };
    compare(realVertex<Distribution::NORMAL, float>(0, 1, 0, 0), 0.f);
    compare(realVertex<Distribution::NORMAL, poplar::half>(0, 1, 0, 0), Half{0});
    compare(realVertex<Distribution::TRUNCATED_NORMAL, float>(0, 1, -2, 2, 0.0455f), 0.f);
    compare(realVertex<Distribution::LOG_UNIFORM, float>(9, 8, 2, 131072), 0.f);
  }

  TEST_CASE("dropout scales what bernoulli keeps") {
    for (unsigned threshold : {0u, 40000u, 65536u}) {
      std::vector<Half> in(2000);
      for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = test::toHalf(static_cast<float>(i) * 0.37f - 300.f);
      in[3] = test::toHalf(NAN);
      auto v = test::zeroed<vertices::Dropout<isa::scalar, poplar::half>>();
      v.scale = 1.25f;
      v.threshold = threshold;
      forEachRun<poplar::half>(
          v, [&](auto &state, std::size_t) { test::connect(state.in, in.data()); },
          [&](const auto &out, const Place &place) {
            for (std::size_t i = 0; i < out.size(); ++i) {
              const bool kept = wordOf(place.indexOf(i), place.fromState) >> 16 < threshold;
              const Half expected =
                  kept ? test::toHalf(test::toFloat(in[i]) * 1.25f) : test::toHalf(0.f);
              REQUIRE(test::same(out.get(i), expected));
            }
          });
    }
  }

  TEST_CASE("cost") {
    using vertices::RandomCostKind;
    CHECK(vertices::randomCycles(RandomCostKind::UNIFORM, 4, 24, 6) == 6 * (30 + 5 * 2));
    CHECK(vertices::randomCycles(RandomCostKind::DROPOUT, 2, 25, 6) == 6 * (30 + 4 * 2));
    CHECK(vertices::seedCycles(24, 6) == 6 * 80);
  }
}

TEST_SUITE("codelets/poprand/seeds") {
  TEST_CASE("rows of a state are values of a bijection") {
    std::set<Words> rows;
    for (unsigned tile = 0; tile < 20; ++tile) {
      std::vector<unsigned> state(24);
      auto v = test::zeroed<vertices::SetSeed<isa::scalar>>();
      test::connect(v.state, state.data(), state.size());
      test::connect(v.seed, SEED);
      v.modifier = MODIFIER;
      v.firstRow = tile * 6;
      enter(v);
      for (unsigned row = 0; row < 6; ++row) {
        const Words words{state[4 * row], state[4 * row + 1], state[4 * row + 2],
                          state[4 * row + 3]};
        CHECK(words == philox({tile * 6 + row, 0, MODIFIER, ~0u}, SEED[0], SEED[1]));
        rows.insert(words);
      }
    }
    CHECK(rows.size() == 120);
  }

  TEST_CASE("a step adds one to the upper words of every row") {
    std::vector<unsigned> state{1, 2, 3, 4, 5, 6, ~0u, 7, 8, 9, ~0u, ~0u};
    auto v = test::zeroed<vertices::AdvanceSeed<isa::scalar>>();
    test::connect(v.state, state.data(), state.size());
    enter(v);
    CHECK(state == std::vector<unsigned>{1, 2, 4, 4, 5, 6, 0, 8, 8, 9, 0, 0});
  }
}
