// Products on matrix tiles, on every set of this machine that has them, twins included: against
// double arithmetic, against the multiply-adds they must not be worse than, and against themselves
// cut in other ways.
#include <codelets/poplin/MatMulTileBlocking.hpp>
#include <codelets/poplin/MatMulVertex.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>
#include <test/codelets/Isas.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace cottonwood;
using Half = cottonwood::half; // codelets also see the global name
using kernels::MatMulMethod;

namespace {

#if defined(__x86_64__)

/// Multiply-adds of the longest vectors of this machine.
kernels::MatMulKernels chainKernels() {
  return vertices::withServingTag<vertices::MatMulFamily>(
      isa::Isa::AmxSoft, [](auto tag) { return vertices::MatMulFamily::kernels<decltype(tag)>(); });
}

/// Methods on tiles of a set; sums are brought to C by baseline code.
kernels::MatMulTileKernels tileKernelsOf(isa::Isa isa) {
  return isa::withTag(isa, [](auto tag) {
    kernels::MatMulTileKernels tiles{};
    if constexpr (isa::TileTag<decltype(tag)>) {
      const auto chains = chainKernels();
      tiles = kernels::matMulTileKernelsOf<decltype(tag)>();
      tiles.floatChains = chains.floatToFloat, tiles.halfChains = chains.halfToFloat;
    }
    return tiles;
  });
}

/// Multiply-adds.
template <class In, class Out>
void runChains(const kernels::MatMulArgs<In, Out> &args, const kernels::MatMulBlocking &blocking,
               float *workspace) {
  const kernels::MatMulKernels all = chainKernels();
  if constexpr (std::is_same_v<In, float> && std::is_same_v<Out, float>)
    all.floatToFloat(args, blocking, workspace);
  else if constexpr (std::is_same_v<In, float>)
    all.floatToHalf(args, blocking, workspace);
  else if constexpr (std::is_same_v<Out, float>)
    all.halfToFloat(args, blocking, workspace);
  else
    all.halfToHalf(args, blocking, workspace);
}

/// The methods of a set for operands of a type.
template <class In> std::vector<MatMulMethod> methodsOf(isa::Isa isa) {
  if (std::is_same_v<In, float>)
    return {MatMulMethod::AMX6};
  if (isa::tilesOf(isa) == isa::Tiles::Half)
    return {MatMulMethod::AMX1};
  return {MatMulMethod::AMX4, MatMulMethod::AMX3};
}

enum class Layout { ROWS, TRANSPOSED, SPREAD, REVERSED };
constexpr Layout LAYOUTS[] = {Layout::ROWS, Layout::TRANSPOSED, Layout::SPREAD, Layout::REVERSED};

template <class T> struct Matrix {
  std::size_t rows, columns;
  std::vector<T> memory; ///< no element more than the layout needs
  kernels::MatMulView<T> view;

  template <class F>
  Matrix(std::size_t r, std::size_t c, Layout layout, F &&value)
      : rows(r), columns(c), view{nullptr, 0, 0} {
    std::ptrdiff_t row = static_cast<std::ptrdiff_t>(c), column = 1, origin = 1;
    if (layout == Layout::TRANSPOSED)
      row = 1, column = static_cast<std::ptrdiff_t>(r);
    if (layout == Layout::SPREAD)
      column = 3, row = 3 * static_cast<std::ptrdiff_t>(c) + 1;
    if (layout == Layout::REVERSED && r > 0)
      origin += row * static_cast<std::ptrdiff_t>(r - 1), row = -row;
    std::ptrdiff_t last = origin;
    if (r > 0 && c > 0)
      last += std::max<std::ptrdiff_t>(row * static_cast<std::ptrdiff_t>(r - 1), 0) +
              column * static_cast<std::ptrdiff_t>(c - 1);
    memory.resize(static_cast<std::size_t>(last) + 1);
    view = {memory.data() + origin, row, column};
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j < c; ++j)
        set(i, j, value(i, j));
  }
  Matrix(Matrix &&) = default; // the view stays good, unlike that of a copy
  Matrix &operator=(Matrix &&) = delete;
  void set(std::size_t i, std::size_t j, float x) {
    memory[static_cast<std::size_t>(view.at(i, j) - memory.data())] = test::fromFloat<T>(x);
  }
  float at(std::size_t i, std::size_t j) const { return test::toFloat(*view.at(i, j)); }
};

/// A part of a product, and how it is computed.
struct Part {
  std::size_t i, j, m, n;
  std::uint32_t rows = 0, depth = 0; ///< 0: as chosen
  bool table = false;                ///< rows of C one by one
};

template <class In, class Out> struct Product {
  Matrix<In> a, b;
  std::vector<Out> before; ///< empty: does not accumulate

  std::size_t m() const { return a.rows; }
  std::size_t n() const { return b.columns; }
  std::size_t k() const { return a.columns; }
  Part whole() const { return {0, 0, m(), n()}; }

  /// C with a frame that must stay as it is.
  std::vector<Out> run(isa::Isa isa, kernels::MatMulBlocking blocking, const Part &part,
                       std::ptrdiff_t bPanel = 0) const {
    if (part.rows)
      blocking.rows = part.rows;
    if (part.depth)
      blocking.depth = part.depth;
    const std::size_t row = part.n + 2;
    const Out frame = test::fromFloat<Out>(77);
    std::vector<Out> c(part.m * row + 2, frame);
    std::vector<Out *> rows;
    for (std::size_t i = 0; i < part.m; ++i) {
      rows.push_back(c.data() + 1 + i * row);
      for (std::size_t j = 0; j < part.n && !before.empty(); ++j)
        rows[i][j] = before[(part.i + i) * n() + part.j + j];
    }
    constexpr float GUARD = -12345;
    const std::size_t scratch = kernels::matMulWorkspace(blocking, part.m, k(), part.n);
    std::vector<float> workspace(scratch + 16, GUARD);
    kernels::MatMulArgs<In, Out> args{};
    args.m = part.m, args.n = part.n, args.k = k();
    args.a = a.view, args.b = b.view;
    args.a.data = a.view.at(part.i, 0), args.b.data = b.view.at(0, part.j);
    args.bPanel = bPanel;
    args.c = c.data() + 1, args.cRow = static_cast<std::ptrdiff_t>(row);
    args.cRows = part.table ? rows.data() : nullptr;
    args.accumulate = !before.empty();
    if (kernels::onMatMulTiles(blocking.method))
      kernels::detail::tileMatMul<isa::scalar>(args, blocking, workspace.data(),
                                               kernels::StoreSums{}, tileKernelsOf(isa));
    else
      runChains(args, blocking, workspace.data());
    CHECK(std::all_of(workspace.begin() + static_cast<std::ptrdiff_t>(scratch), workspace.end(),
                      [](float x) { return x == GUARD; }));
    std::vector<Out> result(part.m * part.n);
    bool intact = true;
    for (std::size_t x = 0; x < c.size(); ++x) {
      const bool inside = x >= 1 && x < 1 + part.m * row && (x - 1) % row < part.n;
      if (inside)
        result[(x - 1) / row * part.n + (x - 1) % row] = c[x];
      else
        intact = intact && test::same(c[x], frame);
    }
    CHECK(intact);
    return result;
  }
  std::vector<Out> run(isa::Isa isa, MatMulMethod method) const {
    return run(isa, kernels::matMulTileBlocking(method), whole());
  }
  /// By multiply-adds alone.
  std::vector<Out> chains(isa::Isa isa) const {
    return run(isa, {MatMulMethod::BLOCKED, 48, 128, std::is_same_v<In, float> ? 0U : 1U, 0},
               whole());
  }

  struct Exact {
    double sum, magnitude;
  };
  Exact exact(std::size_t i, std::size_t j) const {
    Exact e{before.empty() ? 0 : static_cast<double>(test::toFloat(before[i * n() + j])), 0};
    e.magnitude = std::fabs(e.sum);
    for (std::size_t p = 0; p < k(); ++p) {
      const double x = static_cast<double>(a.at(i, p)) * static_cast<double>(b.at(p, j));
      e.sum += x, e.magnitude += std::fabs(x);
    }
    return e;
  }

  /// Elements outside |error| <= (k + 4) 2^-24 sum |a b|: every addition rounds once, pieces left
  /// out by AMX6 are below 3 * 2^-24; AMX3 leaves out 2^-16. Sums that are not finite are those of
  /// chains, which may also overflow where these do not.
  std::size_t wrong(const std::vector<Out> &c, MatMulMethod method, isa::Isa isa) const {
    const std::vector<Out> chain = chains(isa);
    std::size_t count = 0;
    for (std::size_t i = 0; i < m(); ++i)
      for (std::size_t j = 0; j < n(); ++j) {
        const Out got = c[i * n() + j], other = chain[i * n() + j];
        const Exact e = exact(i, j);
        const bool overflows = std::fabs(e.sum) > 65519 || !std::isfinite(e.sum);
        if (!std::isfinite(test::toFloat(got)) || (std::is_same_v<Out, Half> && overflows)) {
          count += test::same(got, other) ? 0 : 1;
          continue;
        }
        const double terms = static_cast<double>(k());
        double bound = (terms + 4) * 0x1p-24 * e.magnitude + terms * 0x1p-149;
        if (method == MatMulMethod::AMX3)
          bound += 0x1p-16 * e.magnitude;
        if (std::is_same_v<Out, Half>)
          bound += std::max(0x1p-25, (std::fabs(e.sum) + bound) * 0x1p-11);
        const double error = std::fabs(static_cast<double>(test::toFloat(got)) - e.sum);
        count += error <= bound * 1.0001 ? 0 : 1;
      }
    return count;
  }
};

auto uniform(std::mt19937 &random, float low = -1, float high = 1) {
  return [&random, low, high](std::size_t, std::size_t) {
    return std::uniform_real_distribution<float>(low, high)(random);
  };
}

template <class In, class Out>
Product<In, Out> productOf(std::size_t m, std::size_t n, std::size_t k, Layout la, Layout lb,
                           bool accumulate, std::mt19937 &random) {
  Product<In, Out> p{{m, k, la, uniform(random)}, {k, n, lb, uniform(random)}, {}};
  if (accumulate)
    for (std::size_t x = 0; x < m * n; ++x)
      p.before.push_back(test::fromFloat<Out>(uniform(random)(0, 0)));
  return p;
}

template <class In, class Out> void check(const Product<In, Out> &p) {
  CAPTURE(p.m());
  CAPTURE(p.n());
  CAPTURE(p.k());
  CAPTURE(p.before.empty());
  for (const isa::Isa isa : test::tileIsas())
    for (const MatMulMethod method : methodsOf<In>(isa)) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(static_cast<int>(method));
      CHECK(p.wrong(p.run(isa, method), method, isa) == 0);
    }
}

template <class Out> bool equal(const std::vector<Out> &x, const std::vector<Out> &y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](Out a, Out b) { return test::same(a, b); });
}

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

/// A random float of any magnitude between two exponents.
float wide(std::mt19937 &random, int low, int high) {
  const int exponent = std::uniform_int_distribution<int>(low, high)(random);
  const float x = std::ldexp(std::uniform_real_distribution<float>(1, 2)(random), exponent);
  return random() % 2 ? x : -x;
}

#endif

} // namespace

TEST_SUITE("codelets/poplin/MatMulAmx") {
#if defined(__x86_64__)
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
      const std::size_t panels = (n + PANEL - 1) / PANEL;
      Product<float, float> q{{m, k, Layout::ROWS, [&](auto i, auto x) { return p.a.at(i, x); }},
                              {panels * k, PANEL, Layout::ROWS, [](auto, auto) { return 0.f; }},
                              {}};
      for (std::size_t x = 0; x < k; ++x)
        for (std::size_t j = 0; j < n; ++j)
          q.b.set(j / PANEL * k + x, j % PANEL, p.b.at(x, j));
      for (const isa::Isa isa : test::tileIsas()) {
        const auto blocking = kernels::matMulTileBlocking(MatMulMethod::AMX6);
        const Part part{0, 0, m, n, 0, 40};
        CHECK(equal(p.run(isa, blocking, part),
                    q.run(isa, blocking, part, static_cast<std::ptrdiff_t>(k * PANEL))));
      }
    }
  }

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
      std::puts("| data | K | multiply-adds | amx4 | amx3 | amx1 |");
    for (const std::size_t k : {64u, 1024u})
      checkErrorsOfAll<Half>(k);
    if (printsErrors())
      checkErrorsOfAll<float>(8192), checkErrorsOfAll<Half>(8192);
  }

  TEST_CASE("every half, subnormals too, keeps its value through its pieces") {
    // 62 * 1024 = 63488 finite halves as [992, 64] times the identity.
    Product<Half, float> p{
        {992, 64, Layout::ROWS, [](auto, auto) { return 0.f; }},
        {64, 64, Layout::ROWS, [](auto i, auto j) { return i == j ? 1.f : 0.f; }},
        {}};
    for (std::size_t x = 0; x < 63488; ++x)
      p.a.memory[1 + x].bits = static_cast<std::uint16_t>(x < 31744 ? x : x - 31744 + 0x8000);
    for (const isa::Isa isa : test::tileIsas())
      for (const MatMulMethod method : methodsOf<Half>(isa)) {
        const auto c = p.run(isa, method);
        std::size_t wrong = 0;
        for (std::size_t x = 0; x < c.size(); ++x)
          wrong += c[x] == test::toFloat(p.a.memory[1 + x]) ? 0 : 1;
        CHECK(wrong == 0);
      }
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
#endif
} // TEST_SUITE
