// Products on matrix tiles: all shapes and strides, and themselves cut in other ways.
#if defined(__x86_64__)
#include "BlockProducts.hpp"

using namespace cottonwood;
using namespace cottonwood::test::tiles;
using Half = cottonwood::half; // codelets also see the global name

namespace {

template <class In, class Out> void checkRandom(unsigned seed, int count) {
  constexpr std::size_t SIZES[] = {1, 2, 7, 15, 16, 17, 31, 32, 33, 34, 47, 48, 49, 64, 65, 70};
  constexpr std::size_t DEPTHS[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 100, 131};
  std::mt19937 random(seed);
  for (int x = 0; x < count; ++x) {
    const Layout la = LAYOUTS[random() % 4], lb = LAYOUTS[random() % 4];
    const std::size_t m = SIZES[random() % std::size(SIZES)];
    const std::size_t n = SIZES[random() % std::size(SIZES)];
    const std::size_t k = DEPTHS[random() % std::size(DEPTHS)];
    check(productOf<In, Out>(m, n, k, la, lb, random() % 3 == 0, random));
  }
}

/// The same product cut in other ways, in steps of K of any size, with C in other places.
template <class In, class Out> void checkCuts(std::size_t m, std::size_t n, std::size_t k) {
  std::mt19937 random(7);
  for (const bool accumulate : {false, true}) {
    const auto p =
        productOf<In, Out>(m, n, k, Layout::ROWS, Layout::TRANSPOSED, accumulate, random);
    for (const isa::Isa isa : test::tileIsas())
      for (const MatMulMethod method : methodsOf<In>(isa)) {
        CAPTURE(std::string(isa::name(isa)));
        const auto blocking = kernels::matMulTileBlocking(method);
        const std::vector<Out> whole = p.run(isa, blocking, p.whole());
        for (Part part : {Part{0, 0, m, n, 5, 32}, Part{0, 0, m, n, 64, 40, true},
                          Part{1, 0, m - 1, n, 0, 70}, Part{0, 3, m, n - 3},
                          Part{17, 33, 1, n - 40}, Part{m / 2, n / 2, m - m / 2, 1, 0, 0, true}}) {
          const std::vector<Out> c = p.run(isa, blocking, part);
          bool same = true;
          for (std::size_t i = 0; i < part.m; ++i)
            for (std::size_t j = 0; j < part.n; ++j)
              same = same && test::same(c[i * part.n + j], whole[(part.i + i) * n + part.j + j]);
          CHECK(same);
        }
      }
  }
}

} // namespace

TEST_SUITE("codelets/poplin/MatMulAmx") {

  TEST_CASE("float products of all shapes and strides match a double reference") {
    checkRandom<float, float>(1, 150);
    checkRandom<float, Half>(2, 30);
  }

  TEST_CASE("half products of all shapes and strides match a double reference") {
    checkRandom<Half, float>(3, 80);
    checkRandom<Half, Half>(4, 40);
  }

  TEST_CASE("every number of rows and columns up to two blocks and a few") {
    std::mt19937 random(5);
    for (std::size_t size = 1; size <= 70; ++size) {
      check(
          productOf<float, float>(size, 71 - size, 33, Layout::ROWS, Layout::ROWS, false, random));
      check(productOf<Half, float>(71 - size, size, 35, Layout::TRANSPOSED, Layout::TRANSPOSED,
                                   false, random));
    }
  }

  TEST_CASE("blocks of the workspace's size and beyond") {
    std::mt19937 random(6);
    check(productOf<float, float>(150, 40, 900, Layout::ROWS, Layout::ROWS, false, random));
    check(productOf<float, float>(33, 530, 70, Layout::TRANSPOSED, Layout::ROWS, true, random));
    check(productOf<float, float>(1100, 20, 40, Layout::ROWS, Layout::TRANSPOSED, false, random));
    check(productOf<Half, Half>(130, 50, 1200, Layout::ROWS, Layout::ROWS, true, random));
  }

  TEST_CASE("no bit depends on how rows, columns and K are cut") {
    checkCuts<float, float>(70, 90, 200);
    checkCuts<Half, float>(40, 75, 300);
    checkCuts<Half, Half>(35, 50, 130);
  }

  TEST_CASE("elements that are computed again have the same bits however the product is cut") {
    std::mt19937 random(8);
    Product<float, float> p{
        {60, 100, Layout::ROWS, uniform(random)}, {100, 70, Layout::ROWS, uniform(random)}, {}};
    for (std::size_t i = 0; i < 60; i += 7)
      for (std::size_t q = 0; q < 100; q += 9)
        p.a.set(i, q, wide(random, -149, -60));
    for (std::size_t j = 0; j < 70; j += 5)
      for (std::size_t q = 0; q < 100; ++q)
        p.b.set(q, j, wide(random, -70, -60));
    p.a.set(14, 3, INFINITY), p.b.set(50, 40, 0x1p120f);
    for (const isa::Isa isa : test::tileIsas()) {
      const auto blocking = kernels::matMulTileBlocking(MatMulMethod::AMX6);
      const std::vector<float> whole = p.run(isa, blocking, p.whole());
      CHECK(p.wrong(whole, MatMulMethod::AMX6, isa) == 0);
      for (std::size_t i : {0u, 1u, 13u, 50u})
        for (std::size_t j : {0u, 2u, 33u}) {
          const Part part{i, j, 60 - i, 70 - j, 0, 32};
          const std::vector<float> c = p.run(isa, blocking, part);
          bool same = true;
          for (std::size_t x = 0; x < c.size(); ++x)
            same = same && test::same(c[x], whole[(i + x / part.n) * 70 + j + x % part.n]);
          CHECK(same);
        }
    }
  }

  TEST_CASE("a B in panels gives the bits of a plain one") {
    constexpr std::size_t PANEL = kernels::MATMUL_PANEL, m = 40, k = 77;
    std::mt19937 random(9);
    for (std::size_t n : {33u, 64u, 98u}) {
      const auto p = productOf<float, float>(m, n, k, Layout::ROWS, Layout::ROWS, false, random);
      const auto q = inPanels(p);
      for (const isa::Isa isa : test::tileIsas()) {
        const auto blocking = kernels::matMulTileBlocking(MatMulMethod::AMX6);
        const Part part{0, 0, m, n, 0, 40};
        CHECK(equal(p.run(isa, blocking, part),
                    q.run(isa, blocking, part, static_cast<std::ptrdiff_t>(k * PANEL))));
      }
    }
  }

  TEST_CASE("tiles are chosen by the whole problem, and only where they pay") {
    using kernels::matMulTileMethod;
    const auto bfloat = isa::Tiles::Bfloat;
    CHECK(matMulTileMethod(isa::Tiles::None, 512, 512, 512, false, false) == MatMulMethod::BLOCKED);
    CHECK(matMulTileMethod(bfloat, 512, 512, 512, false, false) == MatMulMethod::AMX6);
    CHECK(matMulTileMethod(bfloat, 512, 512, 512, true, false) == MatMulMethod::AMX4);
    CHECK(matMulTileMethod(bfloat, 512, 512, 512, true, true) == MatMulMethod::AMX3);
    CHECK(matMulTileMethod(isa::Tiles::Half, 512, 512, 512, true, true) == MatMulMethod::AMX1);
    CHECK(matMulTileMethod(isa::Tiles::Half, 512, 512, 512, false, false) == MatMulMethod::AMX6);
    CHECK(matMulTileMethod(bfloat, 1, 4096, 4096, true, false) == MatMulMethod::BLOCKED);
    CHECK(matMulTileMethod(bfloat, 32, 4096, 1024, false, false) == MatMulMethod::BLOCKED);
    CHECK(matMulTileMethod(bfloat, 32, 4096, 1024, true, false) == MatMulMethod::AMX4);
    CHECK(matMulTileMethod(bfloat, 512, 512, 16, false, false) == MatMulMethod::BLOCKED);
  }

} // TEST_SUITE
#endif
