/// \file MatMulCost.hpp
/// Facts about matrix product codelets that planners and profiles need: what a tile of the IPU
/// spends on one, and how a CPU kernel blocks its loops. Standard library only.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace cottonwood::kernels {

/// How a CPU kernel walks through one product. No choice but DOT and the methods on matrix tiles
/// changes a bit of the result.
enum class MatMulMethod : std::uint32_t {
  BLOCKED, ///< register tiles; B strips packed while the first rows are computed
  ROWS,    ///< few rows: streams whole rows of B (B's rows must be contiguous)
  COLUMN,  ///< one column: the transposed problem by ROWS (A's columns must be contiguous)
  DOT,     ///< one row or one column against contiguous vectors: 64 partial sums an element
  AMX6,    ///< floats on tiles, in three bfloat16 pieces each: the six products that matter
  AMX4,    ///< halves on tiles, in two bfloat16 pieces each: all four products, exact
  AMX3,    ///< the same without the product of the small pieces, for half partials
  AMX1     ///< halves on tiles that multiply halves
};

/// True for methods that need a tag with tiles.
constexpr bool onMatMulTiles(MatMulMethod method) { return method >= MatMulMethod::AMX6; }

/// Methods that give the same bits.
constexpr bool isMatMulChain(MatMulMethod method) {
  return method == MatMulMethod::BLOCKED || method == MatMulMethod::ROWS ||
         method == MatMulMethod::COLUMN;
}

/// Loop bounds of a CPU kernel.
struct MatMulBlocking {
  MatMulMethod method = MatMulMethod::BLOCKED;
  /// Rows of C per pass over B. DOT: rows of the matrix that are read side by side, at most; there
  /// are 1, 4 and 7.
  std::uint32_t rows = 0;
  /// BLOCKED: values of K per packed strip of B. ROWS, COLUMN and DOT: how many values of each page
  /// of the matrix are asked for ahead, from its start; 0: none, MATMUL_ASK_ALL: all (DOT: or
  /// none).
  std::uint32_t depth = 0;
  std::uint32_t packA = 0; ///< 1: A is copied to float panels first
  std::uint32_t packB = 0; ///< 1: B is copied to a strip on the way; 0: read in place if possible
  /// Most columns of C in a strip: MATMUL_WIDE_COLUMNS, or fewer for strips of two vectors. Counts
  /// for vectors of 16 floats alone.
  std::uint32_t columns = 0;
  /// BLOCKED, 1: steps of K go outside the strips, and each of them copies its block of A, `rows` x
  /// `depth` values, into panels that stay in L2.
  std::uint32_t panelsA = 0;
  bool operator==(const MatMulBlocking &) const = default;
};

/// Largest register tile of any instruction set: what workspaces are sized for.
inline constexpr std::uint32_t MATMUL_MAX_TILE_ROWS = 12;
inline constexpr std::uint32_t MATMUL_MAX_TILE_COLUMNS = 32;
/// The register tiles of wide strips: four vectors and fewer rows, which load less for each
/// multiply-add. Faster where a core loads hardly more than one vector of 64 bytes a cycle.
inline constexpr std::uint32_t MATMUL_WIDE_COLUMNS = 64;
/// Columns of a panel of a B that is laid out for the kernels: strips of every instruction set.
inline constexpr std::uint32_t MATMUL_PANEL = 32;
/// Rows of C for which the method ROWS is the best one, and most of which it keeps sums.
inline constexpr std::uint32_t MATMUL_STREAMED_ROWS = 4, MATMUL_MAX_STREAMED_ROWS = 8;
/// Rows of packed A start this many floats beyond K, so that they do not share cache sets.
inline constexpr std::size_t MATMUL_ROW_PADDING = 16;
/// Places this many bytes apart share a set of L1: 64 sets of 64 bytes on every x86-64.
inline constexpr std::size_t MATMUL_WAY_BYTES = 4096;
/// So many rows of A that share a set of L1 leave room for B, in the eight ways or more of a set.
inline constexpr std::uint32_t MATMUL_SET_ROWS = 6;

/// Bytes of a float C from which it is stored past the caches: a Granite Rapids class core writes
/// 64 MB 2.5 times as fast that way, but what stays in the last cache no faster.
inline constexpr std::size_t MATMUL_PAST_CACHES = 48 * 1024 * 1024;

/// Bytes of a page of memory.
inline constexpr std::size_t MATMUL_PAGE = 4096;
/// Values of a page that are asked for where all are: as many as it could have, of a byte each.
inline constexpr std::uint32_t MATMUL_ASK_ALL = MATMUL_PAGE;

/// Values of K a step where a product on tiles computes elements by multiply-adds.
inline constexpr std::size_t MATMUL_TILE_REPAIR_DEPTH = 256;

/// Columns of C whose part of B is packed for tiles at a time, and rows of A. With the depths of
/// matMulTileBlocking() both fit in an L2 cache of 2 MB, which CPUs with AMX have.
inline constexpr std::size_t MATMUL_TILE_COLUMNS = 512;
inline constexpr std::size_t MATMUL_TILE_ROWS = 128;
/// Rows and columns of C that are computed at a time on tiles: two tiles each.
inline constexpr std::size_t MATMUL_TILE_BLOCK = 32;

/// 16-bit pieces of each number.
constexpr std::size_t matMulTilePieces(MatMulMethod method) {
  return method == MatMulMethod::AMX6 ? 3 : method == MatMulMethod::AMX1 ? 1 : 2;
}

/// Products of pieces whose sum is the product of two numbers.
constexpr std::size_t matMulTileProducts(MatMulMethod method) {
  return method == MatMulMethod::AMX6   ? 6
         : method == MatMulMethod::AMX4 ? 4
         : method == MatMulMethod::AMX3 ? 3
                                        : 1;
}

/// Bytes of a step of a packed panel with so many tiles side by side. Steps lie a cache line more
/// than whole kilobytes apart: lines of one row, which are packed one behind another, do not share
/// sets of L1.
constexpr std::size_t matMulTileStepBytes(MatMulMethod method, std::size_t tiles) {
  return tiles * matMulTilePieces(method) * 1024 + 64;
}
/// Bytes of a panel of 32 rows of A or columns of B.
constexpr std::size_t matMulTilePanelBytes(MatMulMethod method, std::size_t steps) {
  return steps * matMulTileStepBytes(method, 2);
}

/// True if a product on tiles packs A once for all columns: few rows, of which L2 keeps all values
/// of k.
constexpr bool matMulTilesKeepA(const MatMulBlocking &blocking, std::size_t m, std::size_t n,
                                std::size_t k) {
  constexpr std::size_t MOST = 512 * 1024;
  return m <= MATMUL_TILE_ROWS && n > MATMUL_TILE_COLUMNS &&
         2 * matMulTilePieces(blocking.method) * m * k <= MOST;
}

/// The parts of the workspace of a product on tiles, in bytes. All are whole cache lines.
struct MatMulTileSpace {
  std::size_t a, b, sums, ranges, repair;

  constexpr std::size_t bytes() const { return a + b + sums + ranges + repair; }
};
constexpr MatMulTileSpace matMulTileSpace(const MatMulBlocking &blocking, std::size_t m,
                                          std::size_t n, std::size_t k) {
  const auto whole = [](std::size_t size) {
    return (size + MATMUL_TILE_BLOCK - 1) / MATMUL_TILE_BLOCK * MATMUL_TILE_BLOCK;
  };
  const std::size_t rows = whole(std::min<std::size_t>(m, blocking.rows));
  const std::size_t columns = whole(std::min(n, MATMUL_TILE_COLUMNS));
  const std::size_t depth = whole(std::min<std::size_t>(k, blocking.depth));
  const std::size_t panel = matMulTilePanelBytes(blocking.method, depth / MATMUL_TILE_BLOCK);
  constexpr std::size_t BLOCK = MATMUL_TILE_BLOCK * MATMUL_TILE_BLOCK * sizeof(float);
  MatMulTileSpace space{};
  space.a = std::min(rows, MATMUL_TILE_ROWS) / MATMUL_TILE_BLOCK * panel;
  if (matMulTilesKeepA(blocking, m, n, k) && k != 0)
    space.a *= (k + blocking.depth - 1) / blocking.depth;
  space.b = columns / MATMUL_TILE_BLOCK * panel;
  space.sums = k > blocking.depth ? rows * columns * sizeof(float) : BLOCK;
  space.ranges = 2 * (rows + columns) * sizeof(float);
  // A block of C by multiply-adds, and what BLOCKED needs for it.
  constexpr std::size_t ROWS = MATMUL_TILE_BLOCK + MATMUL_MAX_TILE_ROWS;
  space.repair = BLOCK + sizeof(float) * (MATMUL_TILE_REPAIR_DEPTH * MATMUL_MAX_TILE_COLUMNS +
                                          ROWS * MATMUL_MAX_TILE_COLUMNS +
                                          ROWS * (MATMUL_TILE_REPAIR_DEPTH + MATMUL_ROW_PADDING) +
                                          4 * MATMUL_TILE_BLOCK);
  return space;
}

/// Most columns of a strip with this blocking, on any instruction set.
constexpr std::size_t matMulStripColumns(const MatMulBlocking &blocking) {
  return blocking.columns >= MATMUL_WIDE_COLUMNS ? MATMUL_WIDE_COLUMNS : MATMUL_MAX_TILE_COLUMNS;
}

/// Columns of C whose sums a product with panelsA holds in scratch between its steps: whole strips.
constexpr std::size_t matMulPanelsColumns(std::size_t n) {
  constexpr std::size_t MOST = 2048;
  return std::min((n + MATMUL_WIDE_COLUMNS - 1) / MATMUL_WIDE_COLUMNS * MATMUL_WIDE_COLUMNS, MOST);
}

/// Floats of scratch that a kernel with this blocking uses for products of depth k with at most n
/// columns.
constexpr std::size_t matMulWorkspace(const MatMulBlocking &blocking, std::size_t m, std::size_t k,
                                      std::size_t n = SIZE_MAX / 2) {
  if (onMatMulTiles(blocking.method) && m != 0)
    return matMulTileSpace(blocking, m, n, k).bytes() / sizeof(float) + 16;
  if (blocking.method != MatMulMethod::BLOCKED || m == 0)
    return 0;
  const std::size_t rows = std::min<std::size_t>(m, blocking.rows);
  const std::size_t depth = std::min<std::size_t>(k, blocking.depth);
  const std::size_t columns = matMulStripColumns(blocking);
  const std::size_t strip = depth * columns;
  const bool panels = blocking.panelsA != 0;
  const std::size_t sums =
      (rows + MATMUL_MAX_TILE_ROWS) * (panels ? matMulPanelsColumns(n) : columns);
  const std::size_t values = panels ? depth : blocking.packA ? k : 0;
  const std::size_t packed =
      values != 0 ? (rows + MATMUL_MAX_TILE_ROWS) * (values + MATMUL_ROW_PADDING) : 0;
  // Sums and packed A start on cache lines.
  return strip + sums + packed + 2 * 16;
}

/// L2 caches from here on, bytes of one core, stand before a last cache that is far away: a core
/// gets a vector from it every eight cycles.
inline constexpr std::size_t MATMUL_LARGE_L2 = 2 * 1024 * 1024;

/// An operand of a product as blocking sees it.
struct MatMulOperand {
  bool isHalf = false;
  std::int64_t row = 0, column = 0; ///< distances in elements
  bool panels = false;              ///< a B in panels: distances within one of them
  bool passing = false;             ///< one of a batch: in no cache when its product begins
};

/// Cache sizes of one core, in bytes, and how its loads keep up; they choose blocks, never bits.
struct MatMulCaches {
  std::size_t l1 = 32 * 1024, l2 = 1024 * 1024, l3 = 8 * 1024 * 1024;
  std::uint32_t stripColumns = MATMUL_MAX_TILE_COLUMNS; ///< what suits the core's loads
  std::uint32_t vectorFloats = 16;                      ///< of the instruction set of the kernels
  /// The last cache is far away behind a large L2 (MATMUL_LARGE_L2), and vectors have 16 floats.
  bool distant = false;
  bool pinnedColumns = false; ///< stripColumns counts for all products

  /// Vectors of 16 floats behind an L2 of the usual size.
  constexpr bool near() const { return !distant && vectorFloats >= 16; }
};

/// True if the product of these shapes is a dot product per element: DOT is the only method with
/// other roundings than the rest, so this rule looks at the whole problem, never at a part of it.
constexpr bool matMulUsesDot(std::size_t m, std::size_t n, std::size_t k, const MatMulOperand &a,
                             const MatMulOperand &b) {
  const bool contiguousK = a.column == 1 && b.row == 1 && k > 1;
  // With n == 1 column strides of b mean nothing, with m == 1 row strides of a mean nothing.
  return contiguousK && ((m == 1 && n > 1 && b.column != 1) || n == 1);
}

/// True if tiles save more of a float product than packing its operands and fetching its sums
/// costs. In multiply-adds of vectors, as measured on a core of the Granite Rapids class: one on
/// tiles costs 1 / 2.2, rows and columns come by 16; a number that is packed 14, or 18 where
/// operands are too large for the second-level cache; a sum 20.
constexpr bool matMulTilesPay(std::size_t m, std::size_t n, std::size_t k) {
  constexpr std::size_t FAR = 4 * 1024 * 1024;
  const auto whole = [](std::size_t size) { return static_cast<double>((size + 15) / 16 * 16); };
  const double sums = static_cast<double>(m) * static_cast<double>(n);
  const double saved = sums - whole(m) * whole(n) / 2.2;
  const double rows = static_cast<double>(m) + static_cast<double>(n);
  const bool far = rows * static_cast<double>(k * sizeof(float)) > static_cast<double>(FAR);
  return saved > (far ? 18 : 14) * rows + 20 * sums / static_cast<double>(k);
}

/// The method on tiles for the product of these shapes; BLOCKED if multiply-adds are faster, which
/// they are where packing costs more than tiles save: of halves, a number what they save on 24
/// multiply-adds. It rounds differently, so this rule looks at the whole problem, never at a part
/// of it.
constexpr MatMulMethod matMulTileMethod(isa::Tiles tiles, std::size_t m, std::size_t n,
                                        std::size_t k, bool halfOperands, bool halfPartials) {
  if (tiles == isa::Tiles::None || k < 32)
    return MatMulMethod::BLOCKED;
  if (!halfOperands)
    return matMulTilesPay(m, n, k) ? MatMulMethod::AMX6 : MatMulMethod::BLOCKED;
  const double products = static_cast<double>(m) * static_cast<double>(n);
  if (products < 24 * (static_cast<double>(m) + static_cast<double>(n)))
    return MatMulMethod::BLOCKED;
  if (tiles == isa::Tiles::Half)
    return MatMulMethod::AMX1;
  return halfPartials ? MatMulMethod::AMX3 : MatMulMethod::AMX4;
}

/// Loop bounds of a method on tiles, which change no bit: B is packed once for up to 1024 rows of
/// A, and passes of these depths keep the packed blocks in L2.
constexpr MatMulBlocking matMulTileBlocking(MatMulMethod method) {
  const std::size_t pieces = matMulTilePieces(method);
  MatMulBlocking result;
  result.method = method;
  result.rows = 1024;
  result.depth = pieces == 3 ? 384 : pieces == 2 ? 512 : 1024;
  result.packA = result.packB = 1;
  return result;
}

/// Ways of an L2 cache: 16 on every core with 1 MB of it or more.
inline constexpr std::size_t MATMUL_L2_WAYS = 16;

namespace detail {

constexpr std::size_t matMulDistance(std::int64_t elements) {
  return static_cast<std::size_t>(elements < 0 ? -elements : elements) * sizeof(float);
}

/// True if rows of an operand, floats side by side, share a set of L1.
constexpr bool matMulRowsShareSet(const MatMulOperand &operand) {
  return !operand.isHalf && operand.column == 1 &&
         matMulDistance(operand.row) % MATMUL_WAY_BYTES == 0;
}

constexpr std::size_t matMulBytes(std::size_t rows, std::size_t columns, bool isHalf) {
  return rows * columns * (isHalf ? 2 : sizeof(float));
}

/// MatMulBlocking::depth for m rows by a matrix of [k, n], by ROWS or COLUMN. Requests for every
/// line help as long as the last cache answers them. A larger matrix comes from memory, which
/// hardware prefetchers keep busy alone once they know of a page. Where the last cache is near they
/// do so only for vectors that are read as fast as they come, of floats and of halves in that
/// cache: on Zen 5 a row by 4096 x 4096 takes 1.2 times as long with requests for all and 1.4 times
/// with those for two lines a page, 8 rows .6 times with requests for all, a row by 128 MB of
/// halves .85 times, by 8 MB 1.1 times, and two lines help nowhere.
constexpr std::uint32_t matMulAskedValues(std::size_t m, std::size_t k, std::size_t n, bool isHalf,
                                          const MatMulCaches &caches) {
  if (m > MATMUL_STREAMED_ROWS)
    return MATMUL_ASK_ALL;
  const std::size_t bytes = matMulBytes(k, n, isHalf);
  if (caches.near())
    return m <= 2 && (!isHalf || bytes <= caches.l3 / 2) ? 0 : MATMUL_ASK_ALL;
  return bytes <= caches.l3 ? MATMUL_ASK_ALL
                            : static_cast<std::uint32_t>(128 / matMulBytes(1, 1, isHalf));
}

/// Rows and depth of DOT for a matrix of [rows, k]. Before a near last cache, on Zen 5: floats
/// within it come fastest one row after the other (1.1 times as fast as four rows with requests,
/// 1.3 times from L2), those from memory by four rows and no requests (1.1 times as fast as seven);
/// halves by four rows, with requests from memory (1.1 times) and none within the cache (1.1).
constexpr MatMulBlocking matMulDotBlocking(std::size_t rows, std::size_t k, bool isHalf,
                                           const MatMulCaches &caches) {
  const std::size_t bytes = matMulBytes(rows, k, isHalf);
  const bool within = bytes <= caches.l3;
  MatMulBlocking result;
  result.method = MatMulMethod::DOT;
  if (!caches.near()) {
    result.rows = within ? 4 : 7;
    result.depth = within ? MATMUL_ASK_ALL : 0;
  } else if (isHalf) {
    result.rows = 4;
    result.depth = bytes <= caches.l3 / 2 ? 0 : MATMUL_ASK_ALL;
  } else {
    result.rows = within ? 1 : 4;
  }
  return result;
}

constexpr bool matMulFewPanels(std::size_t m) { return m <= 4 * MATMUL_MAX_TILE_ROWS; }

/// Depth, packing and rows of blocks where the last cache is distant, as far as they differ from
/// those elsewhere. Measured on a core of the Granite Rapids class (48 KB L1, 2 MB L2).
constexpr void adaptToDistantCache(MatMulBlocking &blocking, std::size_t m, std::size_t n,
                                   std::size_t k, const MatMulOperand &a, const MatMulOperand &b,
                                   const MatMulCaches &caches) {
  const std::size_t line = matMulStripColumns(blocking) * sizeof(float);
  const auto clampDepth = [](std::size_t rows) {
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(rows, 64, 704));
  };
  const bool rowsOfB = b.column == 1 && !b.panels;
  if (matMulFewPanels(m)) {
    if (matMulRowsShareSet(a) && m > MATMUL_SET_ROWS && n > MATMUL_WIDE_COLUMNS)
      blocking.packA = 1; // whole tiles instead of half ones, for many strips
    if (rowsOfB && !b.isHalf && m <= MATMUL_MAX_TILE_ROWS) {
      blocking.packB = 0; // nothing would be read again
      blocking.depth = clampDepth(k);
    } else if (rowsOfB) {
      // Rows of B that were asked for must not push each other out of L2 before they are packed.
      const std::size_t sets = std::gcd(matMulDistance(b.row), caches.l2 / MATMUL_L2_WAYS);
      blocking.depth = std::min(blocking.depth, clampDepth(caches.l2 / 2 / sets));
    }
    return;
  }
  const bool oneStrip = n <= matMulStripColumns(blocking);
  if (oneStrip && rowsOfB && !b.isHalf && a.column == 1 && k * line <= caches.l2 / 4) {
    // Nothing but A comes from far, best in rows as long as they are.
    blocking.packB = 0;
    blocking.depth = static_cast<std::uint32_t>(std::max<std::size_t>(k, 1));
    return;
  }
  if (line / sizeof(float) < MATMUL_WIDE_COLUMNS)
    return;
  // While A stays in L2 the strip is best in L1; else each value of A is worth long strips.
  const bool nearA = m * k * sizeof(float) <= caches.l2;
  blocking.depth = clampDepth((nearA ? caches.l1 / 6 * 5 : caches.l2 / 12) / line);
  if (!b.panels && k > blocking.depth)
    blocking.packB = 1;
  // Most of the work is to write C: strips follow each other soon enough to fill its pages.
  if (k <= 64 && m * n * sizeof(float) > caches.l2)
    blocking.rows = std::min<std::uint32_t>(blocking.rows, 4 * MATMUL_MAX_TILE_ROWS);
}

/// True for a transposed matrix: neighbours in a column lie side by side.
constexpr bool matMulIsTurned(const MatMulOperand &operand) {
  return operand.row == 1 && operand.column != 1;
}

/// Columns of a row of B from which few rows of halves are worth panels, which cost turning A.
inline constexpr std::size_t MATMUL_HALF_PANEL_COLUMNS = 256;

/// True if few rows of halves are best in panels, with all strips in one step of K: rows of B lie
/// in pages of their own.
constexpr bool matMulFewHalves(std::size_t m, std::size_t n, const MatMulOperand &a,
                               const MatMulOperand &b) {
  return a.isHalf && matMulFewPanels(m) && n >= MATMUL_HALF_PANEL_COLUMNS && b.column == 1 &&
         !b.panels;
}

/// Most columns of a strip.
constexpr std::uint32_t matMulColumns(std::size_t m, std::size_t n, const MatMulOperand &a,
                                      const MatMulOperand &b, const MatMulCaches &caches) {
  if (n <= MATMUL_MAX_TILE_COLUMNS)
    return MATMUL_MAX_TILE_COLUMNS;
  if (caches.distant)
    return matMulFewPanels(m) && m > MATMUL_SET_ROWS ? MATMUL_MAX_TILE_COLUMNS
                                                     : MATMUL_WIDE_COLUMNS;
  // Low tiles use less of each line of an A that lies transposed, and read B more often, which
  // counts where it is converted, or turned for few rows.
  const bool tall = (matMulIsTurned(a) && n > MATMUL_WIDE_COLUMNS) ||
                    (matMulIsTurned(b) && matMulFewPanels(m) && m > MATMUL_MAX_TILE_ROWS) ||
                    (matMulFewHalves(m, n, a, b) && m > MATMUL_SET_ROWS);
  return caches.near() && !caches.pinnedColumns && tall ? MATMUL_MAX_TILE_COLUMNS
                                                        : caches.stripColumns;
}

/// True for a B that many rows fetch for this product alone, or, as its rows share a set of L1, for
/// every tile.
constexpr bool matMulOftenFetched(std::size_t m, std::size_t k, const MatMulOperand &b) {
  return m >= 8 * MATMUL_MAX_TILE_ROWS &&
         (b.passing || (k > MATMUL_SET_ROWS && matMulRowsShareSet(b)));
}

/// True for products of a batch that are so small that a packed B is not worth its stores: on Zen 5
/// 128 x 64 by 64 x 128 is 1.05 times as fast without.
constexpr bool matMulSmallOfBatch(std::size_t m, std::size_t n, const MatMulOperand &b) {
  return b.passing && n <= 2 * MATMUL_WIDE_COLUMNS && m * n <= 256 * 128 && !matMulRowsShareSet(b);
}

/// Depth and packing where vectors of 16 floats stand before a last cache that is near, as far as
/// they differ from those elsewhere. Measured on Zen 5 (48 KB L1, 1 MB L2, 32 MB L3).
constexpr void adaptToNearCache(MatMulBlocking &blocking, std::size_t m, std::size_t n,
                                std::size_t k, const MatMulOperand &a, const MatMulOperand &b,
                                const MatMulCaches &caches) {
  constexpr std::uint32_t ROWS = MATMUL_MAX_TILE_ROWS;
  if (matMulIsTurned(a) && !a.isHalf)
    blocking.packA = 0; // in place, even if its lines push each other out of L2
  if (b.column != 1 || b.panels)
    return;
  const std::size_t bytes = matMulBytes(k, n, b.isHalf);
  if (matMulFewHalves(m, n, a, b)) {
    blocking.panelsA = 1;
    if (m <= 2 * ROWS)
      blocking.packB = 0;
  } else if (b.isHalf) {
    if (m <= 6 * ROWS && bytes <= caches.l2 / 4)
      blocking.packB = 0; // converted by few tiles
  } else if (m <= MATMUL_SET_ROWS ||
             (m <= 16 * ROWS && bytes <= 4 * caches.l2 && !matMulOftenFetched(m, k, b)) ||
             matMulSmallOfBatch(m, n, b)) {
    blocking.packB = 0; // nothing is read again, or from a cache that is near enough
  }
}

/// Strips of vectors of eight floats go through A twice as often as those of sixteen, faster than a
/// core gets it from beyond L2. Measured on Zen 3 (512 KB L2): blocks of A that stay there are best
/// in panels where there are some 320 columns to use them and more values of k than one pass takes,
/// or 128 columns if A lies transposed; else in place. With few rows it is B that comes from far,
/// row by row: short steps that go through all columns stay in its pages, and the fewer rows of one
/// L2 set the better.
constexpr void adaptToShortVectors(MatMulBlocking &blocking, std::size_t m, std::size_t n,
                                   std::size_t k, const MatMulOperand &a, const MatMulOperand &b,
                                   const MatMulCaches &caches) {
  constexpr std::size_t DEPTH = 256, ONE_PASS = 341, ROWS = MATMUL_MAX_TILE_ROWS;
  constexpr std::size_t COLUMNS = 320, TURNED_COLUMNS = 128, ONE_SET = 16 * 1024;
  constexpr std::size_t PAGE = 4096;
  const bool few = matMulFewPanels(m);
  const bool farB = b.column == 1 && !b.panels && k * n * sizeof(float) > caches.l2;
  const bool farA = !few && m * k * sizeof(float) > caches.l2 / 2;
  const bool turned =
      matMulIsTurned(a) && n >= TURNED_COLUMNS && m * k * sizeof(float) > 2 * caches.l1;
  std::size_t rows = blocking.rows;
  if (turned || (n >= COLUMNS && ((few && farB) || (farA && k > ONE_PASS)))) {
    blocking.packA = 0, blocking.panelsA = 1;
    blocking.depth = few && matMulDistance(b.row) % ONE_SET == 0 ? DEPTH / 2 : DEPTH;
    rows = caches.l2 / 16 * 9 / (DEPTH * sizeof(float));
  } else if (blocking.packA == 0) {
    // Packing B, which each block does, is worth more rows than it takes to hide the way of B.
    const std::size_t least = blocking.packB != 0 ? 16 * ROWS : 8 * ROWS;
    const std::size_t share = blocking.packB != 0 ? caches.l2 / 4 * 3 : caches.l2 / 8 * 3;
    if (farA)
      rows = std::min(rows, std::max(share / (k * sizeof(float)), least));
    if (n * sizeof(float) >= PAGE) // each strip goes through pages of all rows of C
      rows = std::min(rows, 16 * ROWS);
  }
  blocking.rows = static_cast<std::uint32_t>(
      (std::min(rows, std::max<std::size_t>(m, 1)) + ROWS - 1) / ROWS * ROWS);
}

} // namespace detail

/// Loop bounds for one core. Measured on Zen 5 (1 MB L2): strips of 500 to 700 rows with passes of
/// 1000 to 2000 rows keep the sums of a strip in L2, and A is best read in place, transposed or
/// not, unless its values lie apart or have to be converted.
constexpr MatMulBlocking chooseMatMulBlocking(std::size_t m, std::size_t n, std::size_t k,
                                              const MatMulOperand &a, const MatMulOperand &b,
                                              bool dot, const MatMulCaches &caches = {}) {
  if (dot)
    return n == 1 ? detail::matMulDotBlocking(m, k, a.isHalf, caches)
                  : detail::matMulDotBlocking(n, k, b.isHalf, caches);
  MatMulBlocking result;
  // Tiles fetch pieces of the rows of B, which takes longer from far than whole rows: by ROWS, 8
  // rows by 4096 x 4096 are 2.3 times as fast on Zen 4, 2.9 times on Zen 5 and a core of the
  // Granite Rapids class; there 1.5 times by 1024 x 1024, and less fast by what L2 holds. On Zen 5
  // 1.4 times by 2048 x 2048 floats, and as fast by 4 MB of halves; tiles are faster below. Short
  // vectors there: 1.6 times by 1024 x 1024 floats.
  const std::uint32_t asked = detail::matMulAskedValues(m, k, n, b.isHalf, caches);
  const std::size_t bytes = detail::matMulBytes(k, n, b.isHalf);
  const bool farB = caches.distant  ? bytes > caches.l2
                    : caches.near() ? bytes > caches.l2 * (b.isHalf ? 4 : 1)
                                    : detail::matMulBytes(k, n, false) >= caches.l2;
  const std::size_t streamed = farB ? MATMUL_MAX_STREAMED_ROWS : MATMUL_STREAMED_ROWS;
  if (m <= streamed && b.column == 1 && !b.panels) {
    result.method = MatMulMethod::ROWS;
    result.depth = asked;
    return result;
  }
  if (n == 1 && a.row == 1) {
    result.method = MatMulMethod::COLUMN;
    result.depth = detail::matMulAskedValues(1, k, m, a.isHalf, caches);
    return result;
  }
  // Wide strips read A half as often, which counts where it comes from far.
  const bool fewPanels = detail::matMulFewPanels(m);
  result.columns = detail::matMulColumns(m, n, a, b, caches);
  // Few tiles of a strip, or few strips: operands come from far and the strip is best in L1.
  const bool fewColumns = n <= MATMUL_MAX_TILE_COLUMNS;
  // Rows of A that share a set of L1 are pushed out early by a long strip; short rows of halves,
  // which are converted on the way, come one by one.
  const bool oneSet = detail::matMulRowsShareSet(a);
  const bool inL1 = fewPanels || (fewColumns && !a.isHalf);
  // Before a near last cache wide strips may be as long as others: L2 has room for them.
  const std::size_t line =
      (caches.near() && !inL1 ? MATMUL_MAX_TILE_COLUMNS : matMulStripColumns(result)) *
      sizeof(float);
  const std::size_t stripBytes = inL1                   ? caches.l1 / 4 * 3
                                 : oneSet || fewColumns ? caches.l1 / 2 * 3
                                                        : std::max(caches.l1, caches.l2 / 12);
  result.depth = static_cast<std::uint32_t>(std::clamp<std::size_t>(stripBytes / line, 128, 704));
  // A strip in place is as good as a packed one while all of B stays in L2, unless it has to be
  // converted, is fetched for this product alone, or is too narrow to hide the way of a large A:
  // tiles over packed strips ask for that.
  const bool farA = fewColumns && m * k * sizeof(float) > caches.l2;
  const bool smallB = k * detail::matMulDistance(b.row) <= caches.l2 / 4 && !farA;
  const bool often = detail::matMulOftenFetched(m, k, b);
  const bool again = b.isHalf && m > MATMUL_MAX_TILE_ROWS;
  result.packB = !b.panels && (!smallB || often || again) ? 1 : 0;
  const bool smallA = m * k * sizeof(float) <= caches.l2 / 8;
  const bool fewStrips = n <= 2 * MATMUL_MAX_TILE_COLUMNS;
  // Values of k that lie apart, or whose lines push each other out of L2 before all are used.
  const bool spread =
      a.column != 1 &&
      (a.row != 1 || detail::matMulDistance(a.column) % (MATMUL_WAY_BYTES / 2) == 0);
  result.packA = a.isHalf || (spread && !smallA && !fewStrips) ? 1 : 0;
  std::size_t rows = std::max<std::size_t>(caches.l2 / 8 / line, 192);
  if (result.packA) // a block of A that the last cache can hold
    rows = std::min(rows, std::max<std::size_t>(
                              caches.l3 / 4 / sizeof(float) / std::max<std::size_t>(k, 1), 48));
  rows = std::min(rows, std::max<std::size_t>(m, 1));
  rows = (rows + MATMUL_MAX_TILE_ROWS - 1) / MATMUL_MAX_TILE_ROWS * MATMUL_MAX_TILE_ROWS;
  result.rows = static_cast<std::uint32_t>(rows);
  if (caches.distant)
    detail::adaptToDistantCache(result, m, n, k, a, b, caches);
  if (caches.near())
    detail::adaptToNearCache(result, m, n, k, a, b, caches);
  if (caches.vectorFloats == 8)
    detail::adaptToShortVectors(result, m, n, k, a, b, caches);
  return result;
}

} // namespace cottonwood::kernels
