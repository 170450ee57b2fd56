// Products by half arithmetic: the bits of their definition, however they lie and are cut.
#if defined(__x86_64__)
#include "BlockProducts.hpp"
#include "Fp16Sums.hpp"

using namespace cottonwood;
using namespace cottonwood::test::tiles;
using Half = cottonwood::half; // codelets also see the global name

namespace {

/// An element as the method defines it, before repairs.
float defined(const Product<Half, float> &p, std::size_t i, std::size_t j) {
  return test::fp16Sum(p.k(), [&](std::size_t q) {
    return static_cast<double>(p.a.at(i, q)) * static_cast<double>(p.b.at(q, j));
  });
}

std::vector<float> run(const Product<Half, float> &p, isa::Isa isa) {
  return p.run(isa, kernels::matMulFp16Blocking(), p.whole());
}

/// All elements, or every so many of a large result, are those of the definition; those that are
/// not finite have the bits of multiply-adds.
void check(const Product<Half, float> &p, std::size_t every = 1) {
  CAPTURE(p.m());
  CAPTURE(p.n());
  CAPTURE(p.k());
  for (const isa::Isa isa : halfIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    const std::vector<float> c = run(p, isa);
    std::vector<float> chains;
    std::size_t wrong = 0;
    for (std::size_t x = 0; x < c.size(); x += every) {
      float sum = defined(p, x / p.n(), x % p.n());
      if (!std::isfinite(sum)) {
        if (chains.empty())
          chains = p.chains(isa);
        sum = chains[x];
      } else if (!p.before.empty()) {
        sum = p.before[x] + sum;
      }
      wrong += test::same(c[x], sum) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

Product<Half, float> random(std::size_t m, std::size_t n, std::size_t k, Layout la, Layout lb,
                            bool accumulate = false) {
  std::mt19937 numbers(static_cast<unsigned>(m * 31 + n * 17 + k));
  return productOf<Half, float>(m, n, k, la, lb, accumulate, numbers);
}

} // namespace

TEST_SUITE("codelets/poplin/MatMulFp16") {

  TEST_CASE("products of all shapes and strides have the bits of the definition") {
    constexpr std::size_t SIZES[] = {1, 2, 11, 12, 13, 16, 17, 24, 25, 32, 33, 48, 65};
    constexpr std::size_t DEPTHS[] = {0, 1, 2, 31, 32, 33, 63, 127, 128, 129, 130, 257, 400};
    std::mt19937 choice(1);
    for (int x = 0; x < 120; ++x) {
      const Layout la = LAYOUTS[choice() % 4], lb = LAYOUTS[choice() % 4];
      const std::size_t m = SIZES[choice() % std::size(SIZES)];
      const std::size_t n = SIZES[choice() % std::size(SIZES)];
      check(random(m, n, DEPTHS[choice() % std::size(DEPTHS)], la, lb, choice() % 3 == 0));
    }
  }

  TEST_CASE("every number of rows and columns up to two tiles and a few") {
    for (std::size_t size = 1; size <= 70; ++size) {
      check(random(size, 71 - size, 33, Layout::ROWS, Layout::ROWS));
      check(random(71 - size, size, 34, Layout::TRANSPOSED, Layout::TRANSPOSED));
    }
  }

  TEST_CASE("blocks of the workspace's size and beyond") {
    check(random(970, 40, 70, Layout::ROWS, Layout::ROWS), 37);
    check(random(30, 530, 70, Layout::TRANSPOSED, Layout::TRANSPOSED, true), 11);
    for (const Layout layout : LAYOUTS)
      check(random(25, 40, 2 * kernels::MATMUL_FP16_DEPTH + 131, layout, layout), 3);
    check(random(40, 33, kernels::MATMUL_FP16_DEPTH + 1, Layout::ROWS, Layout::ROWS, true), 3);
  }

  TEST_CASE("no bit depends on how rows and columns are cut, or on where C lies") {
    const std::size_t m = 70, n = 90, k = 1200;
    const auto p = random(m, n, k, Layout::TRANSPOSED, Layout::ROWS, true);
    for (const isa::Isa isa : halfIsas()) {
      const auto blocking = kernels::matMulFp16Blocking();
      const std::vector<float> whole = p.run(isa, blocking, p.whole());
      for (Part part : {Part{0, 0, m, n, 5}, Part{0, 0, m, n, 64, 0, true}, Part{1, 0, m - 1, n},
                        Part{0, 3, m, n - 3}, Part{17, 33, 1, n - 40},
                        Part{m / 2, n / 2, m - m / 2, 1, 0, 0, true}}) {
        const std::vector<float> c = p.run(isa, blocking, part);
        std::size_t wrong = 0;
        for (std::size_t x = 0; x < c.size(); ++x)
          wrong += test::same(c[x], whole[(part.i + x / part.n) * n + part.j + x % part.n]) ? 0 : 1;
        CHECK(wrong == 0);
      }
    }
  }

  TEST_CASE("chains that leave the range of halves are computed again") {
    auto p = random(40, 50, 300, Layout::ROWS, Layout::ROWS, true);
    for (std::size_t q = 0; q < 300; ++q) { // 300^2 is no half, but cancels
      p.a.set(7, q, q % 4 < 2 ? 300.f : -300.f), p.b.set(q, 9, 300);
      p.a.set(20, q, 60000), p.b.set(q, 30, 60000); // beyond a half, not beyond a float
    }
    p.a.set(3, 5, INFINITY), p.a.set(33, 299, NAN), p.b.set(17, 40, -INFINITY), p.b.set(5, 2, 0);
    check(p);
    for (const isa::Isa isa : halfIsas()) {
      const std::vector<float> c = run(p, isa), chains = p.chains(isa);
      CHECK(std::fabs(c[7 * 50 + 9]) < 2);
      CHECK(c[20 * 50 + 30] > 1e12F);
      CHECK(std::isnan(c[3 * 50 + 2])); // infinity * 0
      CHECK(std::isinf(c[3 * 50 + 4]));
      CHECK(std::isnan(c[33 * 50 + 49]));
      CHECK(std::isinf(c[1 * 50 + 40]));
      CHECK(test::same(c[20 * 50 + 30], chains[20 * 50 + 30]));
    }
  }

  TEST_CASE("a B in panels gives the bits of a plain one") {
    constexpr std::size_t PANEL = kernels::MATMUL_PANEL, m = 40, k = 1077;
    for (std::size_t n : {33u, 64u, 98u}) {
      const auto p = random(m, n, k, Layout::ROWS, Layout::ROWS);
      const auto q = inPanels(p);
      for (const isa::Isa isa : halfIsas())
        CHECK(equal(run(p, isa), q.run(isa, kernels::matMulFp16Blocking(), p.whole(),
                                       static_cast<std::ptrdiff_t>(k * PANEL))));
    }
  }

  TEST_CASE("every half, subnormals too, keeps its value times one") {
    const auto p = finiteHalves();
    for (const isa::Isa isa : halfIsas())
      CHECK(missingHalves(p, run(p, isa)) == 0);
  }

  TEST_CASE("FP16 is chosen by the whole problem, and only where it pays") {
    using kernels::matMulFp16Method;
    CHECK(matMulFp16Method(true, 512, 512, 512, true, true) == MatMulMethod::FP16);
    CHECK(matMulFp16Method(false, 512, 512, 512, true, true) == MatMulMethod::BLOCKED);
    CHECK(matMulFp16Method(true, 512, 512, 512, true, false) == MatMulMethod::BLOCKED);
    CHECK(matMulFp16Method(true, 512, 512, 512, false, false) == MatMulMethod::BLOCKED);
    CHECK(matMulFp16Method(true, 1, 4096, 4096, true, true) == MatMulMethod::BLOCKED);
    CHECK(matMulFp16Method(true, 4096, 1, 4096, true, true) == MatMulMethod::BLOCKED);
    CHECK(matMulFp16Method(true, 512, 512, 8, true, true) == MatMulMethod::BLOCKED);
  }

} // TEST_SUITE
#endif
