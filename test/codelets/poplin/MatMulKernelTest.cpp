#include "MatMulBlockings.hpp"

#include <codelets/poplin/MatMulVertex.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>
#include <test/codelets/Isas.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using test::describe;
using test::distantCaches;

namespace {

kernels::MatMulKernels kernelsOf(isa::Isa isa) {
  return test::kernelsOf<vertices::MatMulFamily>(isa);
}

template <class In, class Out> kernels::MatMulFunction<In, Out> functionOf(isa::Isa isa) {
  const kernels::MatMulKernels all = kernelsOf(isa);
  if constexpr (std::is_same_v<In, float>) {
    if constexpr (std::is_same_v<Out, float>)
      return all.floatToFloat;
    else
      return all.floatToHalf;
  } else {
    if constexpr (std::is_same_v<Out, float>)
      return all.halfToFloat;
    else
      return all.halfToHalf;
  }
}

using test::fromFloat;
using test::toFloat;
bool sameBits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }
bool sameBits(Half a, Half b) { return a.bits == b.bits; }

/// How a matrix lies in memory.
enum class Layout { ROWS, TRANSPOSED, PADDED_ROWS, SPREAD, BROADCAST_ROWS, REVERSED };
constexpr Layout ALL_LAYOUTS[] = {Layout::ROWS,   Layout::TRANSPOSED,     Layout::PADDED_ROWS,
                                  Layout::SPREAD, Layout::BROADCAST_ROWS, Layout::REVERSED};

template <class T> struct Operand {
  std::vector<T> memory;
  kernels::MatMulView<T> view;

  /// A memory of exactly the elements that the layout needs, so that reads outside are found by
  /// the address sanitizer, at an address that is no multiple of a vector.
  Operand(std::size_t rows, std::size_t columns, Layout layout, std::mt19937 &random) {
    auto r = static_cast<std::ptrdiff_t>(rows), c = static_cast<std::ptrdiff_t>(columns);
    std::ptrdiff_t row = c, column = 1, origin = 1;
    if (layout == Layout::TRANSPOSED)
      row = 1, column = r;
    if (layout == Layout::PADDED_ROWS)
      row = c + 3;
    if (layout == Layout::SPREAD)
      column = 2, row = 2 * c + 1;
    if (layout == Layout::BROADCAST_ROWS)
      row = 0;
    if (layout == Layout::REVERSED)
      row = -c, origin += std::max<std::ptrdiff_t>(r - 1, 0) * c;
    std::ptrdiff_t last = origin;
    if (r > 0 && c > 0)
      last = std::max(last, origin + (r - 1) * row + (c - 1) * column);
    if (r > 0 && c > 0 && row < 0)
      last = origin + c - 1;
    memory.resize(static_cast<std::size_t>(last) + 1);
    std::uniform_real_distribution<float> values(-1, 1);
    for (T &x : memory)
      x = fromFloat<T>(values(random));
    view = {memory.data() + origin, row, column};
  }
  float at(std::size_t i, std::size_t j) const { return toFloat(*view.at(i, j)); }
};

/// |error| <= (terms + 1) * 2^-24 * sum of absolute products, and half a unit of the output type.
template <class Out> double tolerance(std::size_t terms, double magnitude, double exact) {
  double bound = (static_cast<double>(terms) + 1) * 0x1p-24 * magnitude;
  if (std::is_same_v<Out, Half>)
    bound += std::max(0x1p-25, std::abs(exact) * 0x1p-11);
  return bound * 1.0001 + 1e-37;
}

template <class In, class Out> struct Case {
  std::size_t m, n, k;
  Operand<In> a, b;
  std::vector<Out> before;
  bool accumulate;
  std::ptrdiff_t bPanel = 0;

  Case(std::size_t m_, std::size_t n_, std::size_t k_, Layout la, Layout lb, bool acc,
       std::mt19937 &random)
      : m(m_), n(n_), k(k_), a(m_, k_, la, random), b(k_, n_, lb, random), accumulate(acc) {
    std::uniform_real_distribution<float> values(-1, 1);
    before.resize(m * n);
    for (Out &x : before)
      x = fromFloat<Out>(values(random));
  }

  kernels::MatMulBlocking blocking(bool packA, std::uint32_t rows, std::uint32_t depth,
                                   const kernels::MatMulCaches &caches = {}) const {
    const bool isHalf = std::is_same_v<In, Half>;
    const auto oa = describe(isHalf, a.view.row, a.view.column);
    kernels::MatMulOperand ob = describe(isHalf, b.view.row, b.view.column);
    ob.panels = bPanel != 0;
    kernels::MatMulBlocking result = kernels::chooseMatMulBlocking(
        m, n, k, oa, ob, kernels::matMulUsesDot(m, n, k, oa, ob), caches);
    if (packA)
      result.packA = result.packB = 1;
    if (rows)
      result.rows = rows;
    if (depth)
      result.depth = depth;
    return result;
  }

  /// C with a frame of one element around each row that must stay as it is.
  std::vector<Out> run(isa::Isa isa, const kernels::MatMulBlocking &blocking, bool table) const {
    const std::size_t row = n + 2;
    std::vector<Out> c(m * row + 2, fromFloat<Out>(77));
    std::vector<Out *> rows;
    for (std::size_t i = 0; i < m; ++i) {
      rows.push_back(c.data() + 1 + i * row);
      for (std::size_t j = 0; j < n; ++j)
        rows[i][j] = before[i * n + j];
    }
    std::vector<float> workspace(
        kernels::matMulWorkspace(blocking, m, k, n, std::is_same_v<Out, float>));
    kernels::MatMulArgs<In, Out> args{};
    args.m = m, args.n = n, args.k = k, args.a = a.view, args.b = b.view;
    args.c = c.data() + 1, args.cRow = static_cast<std::ptrdiff_t>(row);
    args.cRows = table ? rows.data() : nullptr;
    args.accumulate = accumulate;
    args.bPanel = bPanel;
    functionOf<In, Out>(isa)(args, blocking, workspace.data());
    std::vector<Out> result(m * n);
    bool frame = true;
    for (std::size_t x = 0; x < c.size(); ++x) {
      const bool inside = x >= 1 && x < 1 + m * row && (x - 1) % row < n;
      if (inside)
        result[(x - 1) / row * n + (x - 1) % row] = c[x];
      else
        frame = frame && toFloat(c[x]) == 77;
    }
    CHECK(frame);
    return result;
  }

  bool correct(const std::vector<Out> &c) const {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = accumulate ? static_cast<double>(toFloat(before[i * n + j])) : 0;
        double magnitude = std::abs(sum);
        for (std::size_t p = 0; p < k; ++p) {
          const double x = static_cast<double>(a.at(i, p)) * static_cast<double>(b.at(p, j));
          sum += x, magnitude += std::abs(x);
        }
        const double error = std::abs(static_cast<double>(toFloat(c[i * n + j])) - sum);
        if (!(error <= tolerance<Out>(k + 1, magnitude, sum)))
          return false;
      }
    return true;
  }
};

template <class In, class Out>
bool sameResult(const std::vector<Out> &x, const std::vector<Out> &y) {
  return std::equal(x.begin(), x.end(), y.begin(), [](Out a, Out b) { return sameBits(a, b); });
}

template <class In, class Out>
void checkCase(std::size_t m, std::size_t n, std::size_t k, Layout la, Layout lb, bool accumulate,
               std::mt19937 &random) {
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(static_cast<int>(la));
  CAPTURE(static_cast<int>(lb));
  CAPTURE(accumulate);
  const Case<In, Out> problem(m, n, k, la, lb, accumulate, random);
  const kernels::MatMulBlocking usual = problem.blocking(false, 0, 0);
  const std::vector<Out> reference = problem.run(isa::Isa::Scalar, usual, false);
  CHECK(problem.correct(reference));
  const auto inStrips = [](kernels::MatMulBlocking blocking, std::uint32_t columns) {
    blocking.columns = columns;
    return blocking;
  };
  const kernels::MatMulBlocking distant = problem.blocking(false, 0, 0, distantCaches());
  for (isa::Isa isa : test::vectorIsas()) {
    CAPTURE(std::string(isa::name(isa)));
    CHECK(sameResult<In>(reference, problem.run(isa, distant, false)));
    CHECK(sameResult<In>(reference, problem.run(isa, distant, true)));
  }
  for (isa::Isa isa : test::vectorIsas())
    for (std::uint32_t columns : {kernels::MATMUL_MAX_TILE_COLUMNS, kernels::MATMUL_WIDE_COLUMNS}) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(columns);
      kernels::MatMulBlocking other = inStrips(usual, columns);
      CHECK(sameResult<In>(reference, problem.run(isa, other, false)));
      CHECK(sameResult<In>(reference, problem.run(isa, other, true)));
      other.packB = 1 - other.packB;
      CHECK(sameResult<In>(reference, problem.run(isa, other, false)));
      if (m <= kernels::MATMUL_MAX_STREAMED_ROWS && problem.b.view.column == 1 &&
          usual.method == kernels::MatMulMethod::BLOCKED) {
        other.method = kernels::MatMulMethod::ROWS;
        CHECK(sameResult<In>(reference, problem.run(isa, other, false)));
      }
      const kernels::MatMulBlocking small = inStrips(problem.blocking(true, 24, 16), columns);
      CHECK(sameResult<In>(reference, problem.run(isa, small, false)));
      kernels::MatMulBlocking panels = small;
      panels.packA = 0, panels.panelsA = 1;
      CHECK(sameResult<In>(reference, problem.run(isa, panels, false)));
      CHECK(sameResult<In>(reference, problem.run(isa, panels, true)));
      panels.packB = 1 - panels.packB;
      CHECK(sameResult<In>(reference, problem.run(isa, panels, false)));
    }
}

template <class In, class Out>
void checkPanels(std::size_t m, std::size_t n, std::size_t k, std::mt19937 &random) {
  constexpr std::size_t PANEL = kernels::MATMUL_PANEL;
  Case<In, Out> problem(m, n, k, Layout::ROWS, Layout::ROWS, false, random);
  const std::vector<Out> expected =
      problem.run(isa::Isa::Scalar, problem.blocking(false, 0, 0), false);
  std::vector<In> panels((n + PANEL - 1) / PANEL * k * PANEL);
  for (std::size_t p = 0; p < k; ++p)
    for (std::size_t j = 0; j < n; ++j)
      panels[(j / PANEL * k + p) * PANEL + j % PANEL] = *problem.b.view.at(p, j);
  problem.b.view = {panels.data(), PANEL, 1};
  problem.bPanel = static_cast<std::ptrdiff_t>(k * PANEL);
  for (isa::Isa isa : test::vectorIsas())
    for (std::uint32_t depth : {0u, 40u}) {
      CAPTURE(std::string(isa::name(isa)));
      for (std::uint32_t packB : {0u, 1u}) {
        auto blocking = problem.blocking(false, 0, depth);
        blocking.packB = packB;
        CHECK(sameResult<In>(expected, problem.run(isa, blocking, false)));
        blocking.columns = kernels::MATMUL_WIDE_COLUMNS;
        CHECK(sameResult<In>(expected, problem.run(isa, blocking, false)));
        blocking.packA = 0, blocking.panelsA = 1;
        CHECK(sameResult<In>(expected, problem.run(isa, blocking, false)));
        blocking.rows = 24;
        CHECK(sameResult<In>(expected, problem.run(isa, blocking, false)));
        CHECK(sameResult<In>(expected, problem.run(isa, blocking, true)));
      }
    }
}

std::size_t anySize(std::mt19937 &random) {
  constexpr std::size_t SIZES[] = {0,  1,  2,  3,  4,  5,  7,  8,  11, 12, 13, 15, 16,
                                   17, 23, 25, 31, 32, 33, 48, 49, 63, 64, 65, 67, 100};
  return SIZES[random() % std::size(SIZES)];
}

template <class In, class Out> void checkRandomCases(unsigned seed, int count) {
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < count; ++i) {
    const Layout la = ALL_LAYOUTS[random() % 6], lb = ALL_LAYOUTS[random() % 6];
    const std::size_t m = anySize(random), n = anySize(random), k = anySize(random);
    checkCase<In, Out>(m, n, k, la, lb, random() % 3 == 0, random);
  }
}

} // namespace

TEST_SUITE("codelets/poplin/MatMul") {

  TEST_CASE("float products of all shapes and strides match a double reference on every set") {
    checkRandomCases<float, float>(1, 300);
  }

  TEST_CASE("half products match a double reference and are rounded once") {
    checkRandomCases<Half, Half>(2, 150);
    checkRandomCases<Half, float>(3, 100);
    checkRandomCases<float, Half>(4, 100);
  }

  TEST_CASE("single rows and columns, the matrix in either order") {
    std::mt19937 random(5);
    for (std::size_t size : {1u, 5u, 64u, 65u, 200u, 5000u})
      for (Layout layout : {Layout::ROWS, Layout::TRANSPOSED})
        for (bool accumulate : {false, true}) {
          checkCase<float, float>(1, size, 70, Layout::ROWS, layout, accumulate, random);
          checkCase<float, float>(size, 1, 70, layout, Layout::ROWS, accumulate, random);
          checkCase<Half, Half>(1, size, 70, Layout::ROWS, layout, accumulate, random);
          checkCase<Half, Half>(size, 1, 70, layout, Layout::TRANSPOSED, accumulate, random);
          checkCase<float, float>(3, size, 9, layout, Layout::ROWS, accumulate, random);
        }
  }

  TEST_CASE("deep and wide products cross every block boundary") {
    std::mt19937 random(6);
    checkCase<float, float>(37, 70, 1030, Layout::ROWS, Layout::ROWS, false, random);
    checkCase<float, float>(37, 70, 1030, Layout::TRANSPOSED, Layout::TRANSPOSED, true, random);
    checkCase<Half, Half>(37, 70, 1030, Layout::TRANSPOSED, Layout::ROWS, false, random);
    checkCase<float, float>(1030, 35, 20, Layout::ROWS, Layout::ROWS, false, random);
  }

  TEST_CASE("few rows of halves by many columns") {
    std::mt19937 random(13);
    for (std::size_t m : {5u, 12u, 24u, 25u, 37u, 48u})
      checkCase<Half, Half>(m, 300, 150, m % 2 == 0 ? Layout::ROWS : Layout::PADDED_ROWS,
                            Layout::ROWS, m == 24, random);
  }

  TEST_CASE("rows of A whose places share a set of the first cache") {
    std::mt19937 random(10);
    for (std::size_t m : {5u, 6u, 7u, 13u, 37u})
      for (std::size_t n : {16u, 33u, 130u})
        checkCase<float, float>(m, n, 1024, Layout::ROWS, Layout::ROWS, m == 13, random);
    checkCase<float, float>(37, 70, 2048, Layout::ROWS, Layout::TRANSPOSED, false, random);
    checkCase<float, float>(1024, 70, 40, Layout::TRANSPOSED, Layout::ROWS, false, random);
  }

  TEST_CASE("halves with few columns are converted panel by panel, or read by rows in lanes") {
    std::mt19937 random(11);
    for (std::size_t k : {31u, 450u, 2048u})
      for (std::size_t n : {1u, 4u, 10u, 36u})
        checkCase<Half, Half>(70, n, k, Layout::ROWS, Layout::ROWS, n == 4, random);
    for (std::size_t n : {1u, 2u, 3u, 10u, 31u, 32u, 33u, 64u, 65u})
      for (std::size_t m : {5u, 12u, 13u, 25u, 50u})
        checkCase<Half, Half>(m, n, 450, m % 2 == 0 ? Layout::PADDED_ROWS : Layout::ROWS,
                              n % 2 == 0 ? Layout::ROWS : Layout::TRANSPOSED, m == 25, random);
    checkCase<Half, float>(29, 33, 390, Layout::REVERSED, Layout::ROWS, true, random);
  }

  TEST_CASE("sums of halves that do not fit into their scratch at once") {
    std::mt19937 random(19);
    checkCase<Half, Half>(1100, 1030, 20, Layout::ROWS, Layout::PADDED_ROWS, true, random);
  }

  TEST_CASE("a large result that is stored past the caches has the bits of its rows alone") {
    constexpr std::size_t COLUMNS = 1032, ROW = 1040, DEPTH = 3; // a partial vector at the end
    const std::size_t rows = kernels::MATMUL_PAST_CACHES / (COLUMNS * sizeof(float)) + 1;
    std::mt19937 engine(17);
    std::uniform_real_distribution<float> real(-2, 2);
    std::vector<float> a(rows * DEPTH), b(DEPTH * COLUMNS);
    for (std::vector<float> *numbers : {&a, &b})
      for (float &x : *numbers)
        x = real(engine);
    const kernels::MatMulBlocking blocking{kernels::MatMulMethod::BLOCKED, 192, 128, 0, 1, 64};
    std::vector<float> workspace(kernels::matMulWorkspace(blocking, rows, DEPTH, COLUMNS) + 1);
    for (isa::Isa const isa : test::vectorIsas()) {
      CAPTURE(std::string(isa::name(isa)));
      std::vector<float> memory(rows * ROW + 16, 77.0F);
      std::size_t const gap =
          (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 / sizeof(float);
      kernels::MatMulArgs<float, float> args{};
      args.m = rows, args.n = COLUMNS, args.k = DEPTH;
      args.a = {a.data(), DEPTH, 1}, args.b = {b.data(), COLUMNS, 1};
      args.c = memory.data() + gap, args.cRow = ROW;
      functionOf<float, float>(isa)(args, blocking, workspace.data());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < rows; i += 7) { // tiles have 5 or 6 rows
        float const *const row = memory.data() + gap + i * ROW;
        for (std::size_t j = 0; j < COLUMNS; ++j) {
          float sum = 0;
          for (std::size_t p = 0; p < DEPTH; ++p)
            sum = std::fma(a[i * DEPTH + p], b[p * COLUMNS + j], sum);
          wrong += sameBits(row[j], sum) ? 0U : 1U;
        }
        for (std::size_t j = COLUMNS; j < ROW; ++j)
          wrong += row[j] == 77.0F ? 0U : 1U;
      }
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("more columns than the sums of one round of panels") {
    std::mt19937 random(12);
    checkCase<float, float>(30, 2100, 40, Layout::ROWS, Layout::ROWS, true, random);
    checkCase<Half, Half>(26, 2070, 33, Layout::TRANSPOSED, Layout::ROWS, false, random);
  }

  TEST_CASE("a few rows against a matrix of long rows") {
    std::mt19937 random(14);
    for (std::size_t m = 1; m <= 9; ++m)
      for (std::size_t n : {31u, 64u, 700u}) {
        checkCase<float, float>(m, n, 70, Layout::ROWS, Layout::ROWS, m == 3, random);
        checkCase<Half, Half>(m, n, 35, Layout::PADDED_ROWS, Layout::PADDED_ROWS, m == 7, random);
      }
  }

  TEST_CASE("rows against one column are dealt with several at a time") {
    std::mt19937 random(13);
    for (std::size_t rows : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 14u})
      for (std::size_t k : {63u, 64u, 65u, 194u, 1030u}) {
        checkCase<float, float>(rows, 1, k, Layout::PADDED_ROWS, Layout::ROWS, k == 65, random);
        checkCase<Half, Half>(1, rows, k, Layout::ROWS, Layout::TRANSPOSED, k == 65, random);
      }
  }

  TEST_CASE("rows side by side and requests ahead change no bit of a product with one column") {
    std::mt19937 random(15);
    const Case<float, float> problem(23, 1, 700, Layout::ROWS, Layout::ROWS, false, random);
    for (isa::Isa isa : isa::availableIsas()) {
      const auto expected = problem.run(isa, problem.blocking(false, 0, 0), false);
      for (std::uint32_t rows : {1U, 4U, 5U, 7U, 100U})
        for (std::uint32_t depth : {1U, kernels::MATMUL_ASK_ALL})
          CHECK(problem.run(isa, problem.blocking(false, rows, depth), false) == expected);
    }
  }

  TEST_CASE("requests ahead change no bit of a row against a matrix") {
    std::mt19937 random(16);
    const Case<float, float> problem(2, 9000, 13, Layout::ROWS, Layout::ROWS, false, random);
    for (isa::Isa isa : isa::availableIsas()) {
      kernels::MatMulBlocking blocking = problem.blocking(false, 0, 0);
      CHECK(blocking.method == kernels::MatMulMethod::ROWS);
      const auto expected = problem.run(isa, blocking, false);
      for (std::uint32_t depth : {0U, 32U, kernels::MATMUL_ASK_ALL}) {
        blocking.depth = depth;
        CHECK(problem.run(isa, blocking, false) == expected);
      }
    }
  }

  TEST_CASE("strips of two and of four vectors meet at any number of columns") {
    std::mt19937 random(9);
    for (std::size_t n : {66u, 80u, 96u, 97u, 98u, 112u, 130u, 145u, 160u, 177u, 209u})
      for (Layout layout : {Layout::ROWS, Layout::TRANSPOSED})
        checkCase<float, float>(29, n, 21, layout, Layout::ROWS, n % 2 == 0, random);
    checkCase<Half, Half>(19, 145, 33, Layout::TRANSPOSED, Layout::ROWS, false, random);
  }

  TEST_CASE("few columns against whole and partial blocks of rows") {
    std::mt19937 random(15);
    for (std::size_t n = 1; n <= 12; ++n)
      for (std::size_t m : {16u, 17u, 40u, 64u, 85u, 130u})
        for (Layout layout : {Layout::ROWS, Layout::TRANSPOSED, Layout::SPREAD}) {
          checkCase<float, float>(m, n, 33, Layout::PADDED_ROWS, layout, m == 40, random);
          checkCase<Half, Half>(m, n, 21, Layout::TRANSPOSED, layout, m == 17, random);
        }
    checkCase<float, float>(64, 42, 16, Layout::ROWS, Layout::ROWS, true, random);
    checkCase<float, Half>(64, 7, 1024, Layout::ROWS, Layout::ROWS, false, random);
  }

  TEST_CASE("a depth of zero gives zeros, or leaves C as it is when accumulating") {
    std::mt19937 random(7);
    for (std::size_t m : {1u, 3u, 20u})
      for (bool accumulate : {false, true})
        checkCase<float, float>(m, 40, 0, Layout::ROWS, Layout::ROWS, accumulate, random);
  }

  TEST_CASE("parts of a product have the bits of the whole") {
    std::mt19937 random(8);
    const std::size_t m = 50, n = 90, k = 300;
    const Case<float, float> whole(m, n, k, Layout::ROWS, Layout::ROWS, false, random);
    for (isa::Isa isa : test::vectorIsas()) {
      const auto blocking = whole.blocking(false, 0, 0);
      const std::vector<float> c = whole.run(isa, blocking, false);
      for (std::size_t first : {0u, 1u, 13u, 47u}) {
        Case<float, float> part = whole;
        part.m = m - first, part.n = n - 2 * first % n;
        part.a.view.data = part.a.memory.data() + 1 + first * k;
        part.b.view.data = part.b.memory.data() + 1;
        part.before.resize(part.m * part.n);
        const std::vector<float> d = part.run(isa, part.blocking(false, 0, 0), false);
        bool same = true;
        for (std::size_t i = 0; i < part.m; ++i)
          for (std::size_t j = 0; j < part.n; ++j)
            same = same && sameBits(d[i * part.n + j], c[(i + first) * n + j]);
        CHECK(same);
      }
    }
  }

  TEST_CASE("a B in panels gives the bits of a plain one") {
    std::mt19937 random(12);
    for (std::size_t n : {33u, 64u, 65u, 98u, 130u})
      for (std::size_t m : {1u, 5u, 40u})
        checkPanels<float, float>(m, n, 300, random), checkPanels<Half, Half>(m, n, 77, random);
  }

  TEST_CASE("NaN and infinity spread as IEEE says, zeros are not skipped") {
    std::mt19937 random(9);
    constexpr float INF = std::numeric_limits<float>::infinity();
    for (isa::Isa isa : test::vectorIsas())
      for (std::size_t m : {1u, 20u}) {
        CAPTURE(std::string(isa::name(isa)));
        Case<float, float> problem(m, 40, 30, Layout::ROWS, Layout::ROWS, false, random);
        for (float &x : problem.a.memory)
          x = 0;
        problem.b.memory[1 + 3 * 40 + 5] = INF;
        problem.b.memory[1 + 4 * 40 + 6] = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> c = problem.run(isa, problem.blocking(false, 0, 0), false);
        CHECK(std::isnan(c[5])); // 0 * inf
        CHECK(std::isnan(c[6]));
        CHECK(c[7] == 0);
        problem.a.memory[1 + 3] = 2; // a[0, 3]
        const std::vector<float> d = problem.run(isa, problem.blocking(false, 0, 0), false);
        CHECK(d[5] == INF);
      }
  }

} // TEST_SUITE
