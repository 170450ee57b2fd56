#include <codelets/poplin/MatMulVertex.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>
#include <test/codelets/Isas.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name

namespace {

kernels::MatMulKernels kernelsOf(isa::Isa isa) {
  return test::kernelsOf<vertices::MatMulFamily>(isa);
}

using test::fromFloat;
using test::toFloat;

enum class Layout { ROWS, TRANSPOSED, PADDED, REVERSED, SPREAD };
constexpr Layout ALL_LAYOUTS[] = {Layout::ROWS, Layout::TRANSPOSED, Layout::PADDED,
                                  Layout::REVERSED, Layout::SPREAD};
/// Where the operands of the next product of a batch are.
enum class Next { BEHIND, SAME, APART, BEFORE };
constexpr Next ALL_NEXT[] = {Next::BEHIND, Next::SAME, Next::APART, Next::BEFORE};

/// Matrices in a memory of exactly their elements, so that reads outside are found by the address
/// sanitizer.
template <class T> struct Operand {
  std::vector<T> memory;
  kernels::MatMulView<T> view;
  std::ptrdiff_t batch;

  Operand(std::size_t rows, std::size_t columns, std::size_t batches, Layout layout, Next next,
          std::mt19937 &random) {
    const auto r = static_cast<std::ptrdiff_t>(rows), c = static_cast<std::ptrdiff_t>(columns);
    const auto g = static_cast<std::ptrdiff_t>(batches);
    std::ptrdiff_t row = c, column = 1, size = r * c, origin = 0;
    if (layout == Layout::TRANSPOSED)
      row = 1, column = r;
    if (layout == Layout::PADDED)
      row = c + 3, size = (r - 1) * row + c;
    if (layout == Layout::REVERSED)
      row = -c, origin = (r - 1) * c;
    if (layout == Layout::SPREAD)
      column = 2, row = 2 * c + 1, size = (r - 1) * row + 2 * (c - 1) + 1;
    batch = next == Next::SAME ? 0 : next == Next::APART ? size + 5 : size;
    const std::ptrdiff_t all = (g - 1) * batch + size;
    if (next == Next::BEFORE)
      batch = -batch, origin += all - size;
    std::uniform_real_distribution<float> values(-1, 1);
    memory.resize(static_cast<std::size_t>(all));
    for (T &x : memory)
      x = fromFloat<T>(values(random));
    view = {memory.data() + origin, row, column};
  }
};

struct Shape {
  std::size_t batches, m, k, n;
};

template <class In, class Out>
void check(Shape s, Layout la, Layout lb, Next na, Next nb, std::mt19937 &random,
           bool special = false) {
  CAPTURE(s.batches);
  CAPTURE(s.m);
  CAPTURE(s.k);
  CAPTURE(s.n);
  CAPTURE(static_cast<int>(la));
  CAPTURE(static_cast<int>(lb));
  CAPTURE(static_cast<int>(na));
  CAPTURE(static_cast<int>(nb));
  Operand<In> a(s.m, s.k, s.batches, la, na, random), b(s.k, s.n, s.batches, lb, nb, random);
  if (special) {
    constexpr float INFINITE = std::numeric_limits<float>::infinity();
    const float values[] = {INFINITE, -INFINITE, std::nanf(""), 0.f, -0.f, 6e-8f, 65504.f};
    for (auto *memory : {&a.memory, &b.memory})
      for (In &x : *memory)
        if (random() % 4 == 0)
          x = fromFloat<In>(values[random() % std::size(values)]);
  }
  kernels::MatMulBatch<In, Out> batch{};
  batch.first.m = s.m, batch.first.n = s.n, batch.first.k = s.k;
  batch.first.a = a.view, batch.first.b = b.view;
  batch.first.cRow = static_cast<std::ptrdiff_t>(s.n);
  batch.aBatch = a.batch, batch.bBatch = b.batch, batch.batches = s.batches;
  kernels::MatMulBlocking blocking;
  blocking.rows = 48, blocking.depth = 128, blocking.packA = 1;
  std::vector<float> workspace(kernels::matMulWorkspace(blocking, s.m, s.k, s.n));
  const auto run = [&](isa::Isa isa) {
    constexpr float UNTOUCHED = 77;
    const std::size_t size = s.batches * s.m * s.n;
    std::vector<Out> c(size + 2, fromFloat<Out>(UNTOUCHED));
    batch.first.c = c.data() + 1;
    kernelsOf(isa).template batch<In, Out>()(batch, blocking, workspace.data());
    CHECK(toFloat(c.front()) == UNTOUCHED);
    CHECK(toFloat(c.back()) == UNTOUCHED);
    return c;
  };
  // Chains of multiply-adds over ascending k, rounded once in the end.
  std::vector<Out> expected;
  for (std::size_t g = 0; g < s.batches; ++g) {
    const kernels::MatMulView<In> x{batch.a(g), a.view.row, a.view.column};
    const kernels::MatMulView<In> y{batch.b(g), b.view.row, b.view.column};
    for (std::size_t i = 0; i < s.m; ++i)
      for (std::size_t j = 0; j < s.n; ++j) {
        float sum = 0;
        for (std::size_t p = 0; p < s.k; ++p)
          sum = std::fma(toFloat(*x.at(i, p)), toFloat(*y.at(p, j)), sum);
        expected.push_back(fromFloat<Out>(sum));
      }
  }
  const auto agrees = [&](const std::vector<Out> &c) {
    for (std::size_t e = 0; e < expected.size(); ++e)
      if (!test::same(c[e + 1], expected[e]))
        return false;
    return true;
  };
  CHECK(agrees(run(isa::Isa::Scalar)));
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    CHECK(agrees(run(isa)));
  }
}

template <class In, class Out> void checkAll(unsigned seed, int count, bool special = false) {
  CAPTURE(seed);
  std::mt19937 random(seed);
  constexpr std::size_t SIZES[] = {1, 2, 2, 3,  3,  4,  4,  5,  6,  7,
                                   8, 8, 9, 10, 12, 15, 16, 17, 31, 33};
  constexpr std::size_t BATCHES[] = {1, 2, 3, 7, 20};
  const auto any = [&](auto const &list) { return list[random() % std::size(list)]; };
  for (int i = 0; i < count; ++i)
    check<In, Out>({any(BATCHES), any(SIZES), any(SIZES), any(SIZES)}, any(ALL_LAYOUTS),
                   any(ALL_LAYOUTS), any(ALL_NEXT), any(ALL_NEXT), random, special);
}

} // namespace

TEST_SUITE("codelets/poplin/MatMulSmall") {

  TEST_CASE("batches of small products are chains of multiply-adds on every set") {
    checkAll<float, float>(1, 600);
    checkAll<Half, Half>(2, 300);
    checkAll<Half, float>(3, 150);
    checkAll<float, Half>(4, 150);
  }

  TEST_CASE("products of equal small sizes, one to a thousand of them") {
    std::mt19937 random(5);
    for (std::size_t size = 1; size <= 8; ++size)
      for (std::size_t batches : {1u, 3u, 1000u})
        for (Layout layout : {Layout::ROWS, Layout::TRANSPOSED}) {
          check<float, float>({batches, size, size, size}, Layout::ROWS, layout, Next::BEHIND,
                              Next::BEHIND, random);
          check<Half, Half>({batches, size, size, size}, layout, Layout::ROWS, Next::BEHIND,
                            Next::SAME, random);
        }
  }

  TEST_CASE("many rows and few columns") {
    std::mt19937 random(6);
    for (std::size_t n = 1; n <= 16; ++n)
      for (std::size_t k : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 32u, 33u, 64u, 65u})
        for (std::size_t m : {50u, 133u}) {
          const Layout lb = k % 2 == 0 ? Layout::ROWS : Layout::TRANSPOSED;
          check<float, float>({1, m, k, n}, Layout::ROWS, lb, Next::BEHIND, Next::BEHIND, random);
          check<float, float>({1, m, k, n}, Layout::TRANSPOSED, lb, Next::BEHIND, Next::BEHIND,
                              random);
          check<Half, Half>({1, m, k, n}, m == 50 ? Layout::ROWS : Layout::PADDED, lb, Next::BEHIND,
                            Next::BEHIND, random);
        }
  }

  TEST_CASE("infinities, zeros of both signs and what is not a number reach their elements alone") {
    checkAll<float, float>(7, 200, true);
    checkAll<Half, Half>(8, 100, true);
  }
}
