// Products on matrix tiles: numbers that are special, and the errors of others.
#if defined(__x86_64__)
#include "BlockProducts.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

using namespace cottonwood;
using namespace cottonwood::test::tiles;
using Half = cottonwood::half; // codelets also see the global name

namespace {

struct Errors {
  double most = 0, mean = 0;
};
/// In units of 2^-24 sum |a b|.
template <class In>
Errors errorsOf(const std::vector<typename Product<In, float>::Exact> &exact,
                const std::vector<float> &c) {
  Errors errors;
  for (std::size_t x = 0; x < c.size(); ++x) {
    const double error = std::fabs(static_cast<double>(c[x]) - exact[x].sum);
    const double units = error / (0x1p-24 * exact[x].magnitude);
    errors.most = std::max(errors.most, units);
    errors.mean += units / static_cast<double>(c.size());
  }
  return errors;
}

/// Prints rows of docs/accuracy.md if the environment asks for it.
bool printsErrors() { return std::getenv("POP_PRINT_ACCURACY") != nullptr; }
std::string cell(const Errors &e) {
  char text[64];
  std::snprintf(text, sizeof text, " %.3g / %.3g |", e.most, e.mean);
  return text;
}

template <class In> void checkErrors(const char *name, const Product<In, float> &p) {
  std::vector<typename Product<In, float>::Exact> exact;
  for (std::size_t x = 0; x < p.m() * p.n(); ++x)
    exact.push_back(p.exact(x / p.n(), x % p.n()));
  const Errors chain = errorsOf<In>(exact, p.chains(isa::Isa::Avx512));
  std::string row = std::string("| ") + name + " | " + std::to_string(p.k()) + " |" + cell(chain);
  std::vector<isa::Isa> isas{isa::Isa::AmxSoft};
  if (std::is_same_v<In, Half>) // AMX6 is the same on both
    isas.push_back(isa::Isa::AmxFp16Soft);
  for (const isa::Isa isa : isas)
    for (const MatMulMethod method : methodsOf<In>(isa)) {
      const Errors tiles = errorsOf<In>(exact, p.run(isa, method));
      row += cell(tiles);
      if (method == MatMulMethod::AMX3)
        continue;
      INFO(row);
      CHECK(tiles.mean <= chain.mean);
      CHECK(tiles.most <= 1.25 * chain.most); // the greatest of some thousands scatters
    }
  if constexpr (std::is_same_v<In, Half>)
    for (const isa::Isa isa : halfIsas()) {
      if (!isa::isSoft(isa))
        continue;
      const Errors errors =
          errorsOf<In>(exact, p.run(isa, kernels::matMulFp16Blocking(), p.whole()));
      row += cell(errors);
      INFO(row);
      CHECK(errors.mean <= 0x1p13); // a rounding to half of the sum of magnitudes
    }
  if (printsErrors())
    std::puts(row.c_str());
}

template <class In> void checkErrorsOfAll(std::size_t k) {
  std::mt19937 random(static_cast<unsigned>(k));
  constexpr std::size_t SIDE = 64;
  const auto make = [&](auto a, auto b) {
    return Product<In, float>{{SIDE, k, Layout::ROWS, a}, {k, SIDE, Layout::ROWS, b}, {}};
  };
  checkErrors("uniform in [-1, 1]", make(uniform(random), uniform(random)));
  checkErrors("uniform in [0, 1]", make(uniform(random, 0, 1), uniform(random, 0, 1)));
  // As wide as the type allows.
  const float deviation = std::is_same_v<In, float> ? 4.f : 2.f;
  const auto lognormal = [&](std::size_t, std::size_t) {
    const float x = std::exp(std::normal_distribution<float>(0, deviation)(random));
    return random() % 2 ? x : -x;
  };
  checkErrors("lognormal", make(lognormal, lognormal));
  const int scales = std::is_same_v<In, float> ? 20 : 7;
  const auto scaled = [&](std::size_t i, std::size_t j) {
    const int exponent = static_cast<int>(i * 7 % static_cast<unsigned>(2 * scales)) - scales;
    return std::ldexp(uniform(random)(i, j), exponent);
  };
  checkErrors("scales that vary with row of A and with k", make(scaled, scaled));
  // Every value but a small rest is taken off again by its neighbour.
  auto cancelling = make(uniform(random), uniform(random));
  for (std::size_t q = 0; q + 1 < k; q += 2)
    for (std::size_t i = 0; i < SIDE; ++i) {
      cancelling.a.set(i, q + 1, -cancelling.a.at(i, q));
      cancelling.b.set(q + 1, i, cancelling.b.at(q, i) * (1 + 1e-3f * uniform(random)(0, 0)));
    }
  checkErrors("cancelling, condition about 10^4", cancelling);
}

} // namespace

TEST_SUITE("codelets/poplin/MatMulAmxNumbers") {

  TEST_CASE("infinity, NaN and overflow come out as from multiply-adds") {
    std::mt19937 random(10);
    auto p = productOf<float, float>(50, 60, 40, Layout::ROWS, Layout::ROWS, true, random);
    p.a.set(3, 5, INFINITY), p.a.set(40, 39, NAN), p.b.set(7, 33, -INFINITY), p.b.set(5, 2, 0);
    p.a.set(10, 7, 0x1.fffffep127f), p.a.set(10, 8, -0x1.fffffep127f); // may overflow on the way
    p.a.set(20, 0, 0x1p112f), p.b.set(0, 9, 3);
    for (std::size_t j = 0; j < 60; ++j)
      p.b.set(8, j, p.b.at(7, j));
    check(p);
    for (const isa::Isa isa : test::tileIsas()) {
      const auto c = p.run(isa, MatMulMethod::AMX6), chain = p.chains(isa);
      CHECK(std::isnan(c[3 * 60 + 2])); // infinity * 0
      CHECK(std::isinf(c[3 * 60 + 4]));
      CHECK(std::isnan(c[40 * 60 + 1]));
      for (std::size_t j = 0; j < 60; ++j) { // whole rows that do not split
        CHECK(test::same(c[10 * 60 + j], chain[10 * 60 + j]));
        CHECK(test::same(c[20 * 60 + j], chain[20 * 60 + j]));
      }
    }
    auto h = productOf<Half, float>(20, 40, 40, Layout::TRANSPOSED, Layout::ROWS, false, random);
    h.a.set(3, 5, INFINITY), h.a.set(9, 39, NAN), h.b.set(7, 33, -INFINITY), h.b.set(5, 2, 0);
    check(h);
    auto r = productOf<float, Half>(20, 40, 40, Layout::ROWS, Layout::ROWS, false, random);
    r.a.set(0, 0, 60000), r.b.set(0, 0, 60000); // infinity as half alone
    check(r);
  }

  TEST_CASE("NaN is kept whatever its bits") {
    std::mt19937 random(11);
    for (const std::uint32_t bits : {0x7fffffffu, 0xffffffffu, 0x7f800001u, 0xffc00000u}) {
      auto p = productOf<float, float>(33, 33, 33, Layout::ROWS, Layout::ROWS, false, random);
      p.a.memory[1 + 5 * 33 + 8] = arch::bitCast<float>(bits);
      for (const isa::Isa isa : test::tileIsas()) {
        const auto c = p.run(isa, MatMulMethod::AMX6);
        CHECK(std::all_of(c.begin() + 5 * 33, c.begin() + 6 * 33, [](float x) { return x != x; }));
        CHECK(std::none_of(c.begin(), c.begin() + 5 * 33, [](float x) { return x != x; }));
      }
    }
    for (const unsigned bits : {0x7fffu, 0xffffu, 0x7c01u, 0xfe00u}) {
      auto p = productOf<Half, float>(33, 33, 33, Layout::ROWS, Layout::ROWS, false, random);
      p.b.memory[1 + 8 * 33 + 5].bits = static_cast<std::uint16_t>(bits);
      for (const isa::Isa isa : test::tileIsas())
        for (const MatMulMethod method : methodsOf<Half>(isa)) {
          const auto c = p.run(isa, method);
          for (std::size_t x = 0; x < c.size(); ++x)
            REQUIRE((c[x] != c[x]) == (x % 33 == 5));
        }
    }
  }

  TEST_CASE("products of tiny numbers are those of multiply-adds, bit for bit") {
    std::mt19937 random(12);
    for (const int exponent : {-149, -126, -110, -75, -64}) {
      Product<float, float> p{
          {40, 50, Layout::ROWS, [&](auto, auto) { return wide(random, exponent, exponent + 3); }},
          {50, 35, Layout::ROWS, [&](auto, auto) { return wide(random, -75, -64); }},
          {}};
      for (const isa::Isa isa : test::tileIsas())
        CHECK(equal(p.run(isa, MatMulMethod::AMX6), p.chains(isa)));
    }
  }

  TEST_CASE("floats of any magnitude are within the bound of ordinary ones") {
    std::mt19937 random(13);
    for (int repeat = 0; repeat < 40; ++repeat) {
      std::array<std::array<int, 2>, 50> rows{}, columns{};
      for (auto *all : {&rows, &columns})
        for (auto &range : *all) {
          range[0] = std::uniform_int_distribution<int>(-149, 127)(random);
          range[1] = std::uniform_int_distribution<int>(range[0], 127)(random);
        }
      const auto value = [&](const std::array<int, 2> &range) {
        return random() % 8 == 0 ? 0.f : wide(random, range[0], range[1]);
      };
      check(Product<float, float>{
          {50, 45, Layout::ROWS, [&](std::size_t i, auto) { return value(rows[i]); }},
          {45, 50, Layout::ROWS, [&](auto, std::size_t j) { return value(columns[j]); }},
          {}});
    }
  }

  TEST_CASE("zeros do not count as tiny numbers") {
    std::mt19937 random(14);
    auto p = productOf<float, float>(40, 40, 64, Layout::ROWS, Layout::ROWS, false, random);
    for (std::size_t q = 0; q < 64; ++q)
      p.a.set(3, q, q % 2 ? 0.f : -0.f), p.a.set(4, q, q == 9 ? 1 : 0), p.b.set(q, 7, 0);
    for (const isa::Isa isa : test::tileIsas()) {
      const auto c = p.run(isa, MatMulMethod::AMX6);
      CHECK(c[3 * 40 + 5] == 0);
      CHECK(c[20 * 40 + 7] == 0);
      CHECK(c[4 * 40 + 5] == p.b.at(9, 5)); // three pieces are the number itself
    }
  }

  TEST_CASE("errors are no worse than those of multiply-adds") {
    if (test::tileIsas().empty())
      return;
    if (printsErrors())
      std::puts("| data | K | multiply-adds | amx6 |");
    for (const std::size_t k : {64u, 1024u})
      checkErrorsOfAll<float>(k);
    if (printsErrors())
      std::puts("| data | K | multiply-adds | amx4 | amx3 | amx1 | fp16 |");
    for (const std::size_t k : {64u, 1024u})
      checkErrorsOfAll<Half>(k);
    if (printsErrors())
      checkErrorsOfAll<float>(8192), checkErrorsOfAll<Half>(8192);
  }

  TEST_CASE("every half, subnormals too, keeps its value through its pieces") {
    const auto p = finiteHalves();
    for (const isa::Isa isa : test::tileIsas())
      for (const MatMulMethod method : methodsOf<Half>(isa))
        CHECK(missingHalves(p, p.run(isa, method)) == 0);
  }

  TEST_CASE("products of two halves are exact, those of subnormals and of the largest too") {
    std::mt19937 random(15);
    const auto any = [&](std::size_t, std::size_t) {
      return arch::halfToFloat(static_cast<std::uint16_t>(random() % 31744 | (random() & 0x8000)));
    };
    Product<Half, float> p{{100, 1, Layout::ROWS, any}, {1, 100, Layout::ROWS, any}, {}};
    p.a.memory[1].bits = 1, p.b.memory[1].bits = 1;
    p.a.memory[2].bits = 0x3ff, p.b.memory[2].bits = 0x7bff;
    for (const isa::Isa isa : test::tileIsas())
      for (const MatMulMethod method : methodsOf<Half>(isa)) {
        if (method == MatMulMethod::AMX3)
          continue;
        const auto c = p.run(isa, method);
        std::size_t wrong = 0;
        for (std::size_t x = 0; x < c.size(); ++x)
          wrong += c[x] == p.a.at(x / 100, 0) * p.b.at(0, x % 100) ? 0 : 1;
        CHECK(wrong == 0);
      }
  }

} // TEST_SUITE
#endif
