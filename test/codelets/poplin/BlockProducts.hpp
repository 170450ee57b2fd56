// Products whose sums come in blocks, on matrix tiles or by half arithmetic, on every set of this
// machine that has them, twins included, with what they are compared with: double arithmetic, and
// the multiply-adds they must not be worse than.
#pragma once

#include <codelets/poplin/MatMulTileBlocking.hpp>
#include <codelets/poplin/MatMulVertex.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>
#include <test/codelets/Isas.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace cottonwood::test::tiles {

using kernels::MatMulMethod;

/// Multiply-adds of the longest vectors of this machine.
inline kernels::MatMulKernels chainKernels() {
  return vertices::withServingTag<vertices::MatMulFamily>(
      isa::Isa::AmxSoft, [](auto tag) { return vertices::MatMulFamily::kernels<decltype(tag)>(); });
}

/// The methods of a set; sums are brought to C by baseline code.
inline kernels::MatMulTileKernels tileKernelsOf(isa::Isa isa) {
  return isa::withTag(isa, [](auto tag) {
    kernels::MatMulTileKernels tiles{};
    if constexpr (isa::TileTag<decltype(tag)>)
      tiles = kernels::matMulTileKernelsOf<decltype(tag)>();
    else if constexpr (decltype(tag)::HALF_ARITHMETIC)
      tiles.fp16 = kernels::matMulFp16KernelOf<decltype(tag)>();
    const auto chains = chainKernels();
    tiles.floatChains = chains.floatToFloat, tiles.halfChains = chains.halfToFloat;
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

/// The sets of this machine with half arithmetic and no tiles, the twin included.
inline std::vector<isa::Isa> halfIsas() {
  std::vector<isa::Isa> found;
  for (const isa::Isa isa : vectorIsas())
    if (isa::hasHalfArithmetic(isa))
      found.push_back(isa);
  return found;
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
inline constexpr Layout LAYOUTS[] = {Layout::ROWS, Layout::TRANSPOSED, Layout::SPREAD,
                                     Layout::REVERSED};

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
    memory[static_cast<std::size_t>(view.at(i, j) - memory.data())] = fromFloat<T>(x);
  }
  float at(std::size_t i, std::size_t j) const { return toFloat(*view.at(i, j)); }
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
    const Out frame = fromFloat<Out>(77);
    std::vector<Out> c(part.m * row + 2, frame);
    std::vector<Out *> rows;
    for (std::size_t i = 0; i < part.m; ++i) {
      rows.push_back(c.data() + 1 + i * row);
      for (std::size_t j = 0; j < part.n && !before.empty(); ++j)
        rows[i][j] = before[(part.i + i) * n() + part.j + j];
    }
    constexpr float GUARD = -12345;
    const std::size_t scratch =
        kernels::matMulWorkspace(blocking, part.m, k(), part.n, std::is_same_v<Out, float>);
    std::vector<float> workspace(scratch + 16, GUARD);
    kernels::MatMulArgs<In, Out> args{};
    args.m = part.m, args.n = part.n, args.k = k();
    args.a = a.view, args.b = b.view;
    args.a.data = a.view.at(part.i, 0), args.b.data = b.view.at(0, part.j);
    args.bPanel = bPanel;
    args.c = c.data() + 1, args.cRow = static_cast<std::ptrdiff_t>(row);
    args.cRows = part.table ? rows.data() : nullptr;
    args.accumulate = !before.empty();
    if (kernels::inMatMulBlocks(blocking.method))
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
        intact = intact && same(c[x], frame);
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
    Exact e{before.empty() ? 0 : static_cast<double>(toFloat(before[i * n() + j])), 0};
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
        if (!std::isfinite(toFloat(got)) || (std::is_same_v<Out, half> && overflows)) {
          count += same(got, other) ? 0 : 1;
          continue;
        }
        const double terms = static_cast<double>(k());
        double bound = (terms + 4) * 0x1p-24 * e.magnitude + terms * 0x1p-149;
        if (method == MatMulMethod::AMX3)
          bound += 0x1p-16 * e.magnitude;
        if (std::is_same_v<Out, half>)
          bound += std::max(0x1p-25, (std::fabs(e.sum) + bound) * 0x1p-11);
        const double error = std::fabs(static_cast<double>(toFloat(got)) - e.sum);
        count += error <= bound * 1.0001 ? 0 : 1;
      }
    return count;
  }
};

inline auto uniform(std::mt19937 &random, float low = -1, float high = 1) {
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
      p.before.push_back(fromFloat<Out>(uniform(random)(0, 0)));
  return p;
}

template <class In, class Out> void check(const Product<In, Out> &p) {
  CAPTURE(p.m());
  CAPTURE(p.n());
  CAPTURE(p.k());
  CAPTURE(p.before.empty());
  for (const isa::Isa isa : tileIsas())
    for (const MatMulMethod method : methodsOf<In>(isa)) {
      CAPTURE(std::string(isa::name(isa)));
      CAPTURE(static_cast<int>(method));
      CHECK(p.wrong(p.run(isa, method), method, isa) == 0);
    }
}

/// The operands of a product with B in panels, which lie k * MATMUL_PANEL elements apart.
template <class In, class Out> Product<In, Out> inPanels(const Product<In, Out> &p) {
  constexpr std::size_t PANEL = kernels::MATMUL_PANEL;
  const std::size_t k = p.k(), panels = (p.n() + PANEL - 1) / PANEL;
  Product<In, Out> q{{p.m(), k, Layout::ROWS, [&](auto i, auto x) { return p.a.at(i, x); }},
                     {panels * k, PANEL, Layout::ROWS, [](auto, auto) { return 0.f; }},
                     {}};
  for (std::size_t x = 0; x < k; ++x)
    for (std::size_t j = 0; j < p.n(); ++j)
      q.b.set(j / PANEL * k + x, j % PANEL, p.b.at(x, j));
  return q;
}

/// All 62 * 1024 = 63488 finite halves, subnormals too, as [992, 64] times the identity.
inline Product<half, float> finiteHalves() {
  Product<half, float> p{{992, 64, Layout::ROWS, [](auto, auto) { return 0.f; }},
                         {64, 64, Layout::ROWS, [](auto i, auto j) { return i == j ? 1.f : 0.f; }},
                         {}};
  for (std::size_t x = 0; x < 63488; ++x)
    p.a.memory[1 + x].bits = static_cast<std::uint16_t>(x < 31744 ? x : x - 31744 + 0x8000);
  return p;
}
/// How many of them a result does not have.
inline std::size_t missingHalves(const Product<half, float> &halves, const std::vector<float> &c) {
  std::size_t wrong = 0;
  for (std::size_t x = 0; x < c.size(); ++x)
    wrong += c[x] == test::toFloat(halves.a.memory[1 + x]) ? 0 : 1;
  return wrong;
}

template <class Out> bool equal(const std::vector<Out> &x, const std::vector<Out> &y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](Out a, Out b) { return same(a, b); });
}

/// A random float of any magnitude between two exponents.
inline float wide(std::mt19937 &random, int low, int high) {
  const int exponent = std::uniform_int_distribution<int>(low, high)(random);
  const float x = std::ldexp(std::uniform_real_distribution<float>(1, 2)(random), exponent);
  return random() % 2 ? x : -x;
}

} // namespace cottonwood::test::tiles
