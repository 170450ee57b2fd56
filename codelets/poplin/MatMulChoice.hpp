/// \file MatMulChoice.hpp
/// Which method and which loop bounds suit a product on a core with these caches.
#pragma once

#include <codelets/poplin/MatMulBlocking.hpp>

#include <algorithm>
#include <numeric>

namespace cottonwood::kernels {

/// True if the product of these shapes is a dot product per element: DOT is the only method with
/// other roundings than the rest, so this rule looks at the whole problem, never at a part of it.
constexpr bool matMulUsesDot(std::size_t m, std::size_t n, std::size_t k, const MatMulOperand &a,
                             const MatMulOperand &b) {
  const bool contiguousK = a.column == 1 && b.row == 1 && k > 1;
  // With n == 1 column strides of b mean nothing, with m == 1 row strides of a mean nothing.
  return contiguousK && ((m == 1 && n > 1 && b.column != 1) || n == 1);
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

/// True for a transposed matrix: neighbours in a column lie side by side.
constexpr bool matMulIsTurned(const MatMulOperand &operand) {
  return operand.row == 1 && operand.column != 1;
}

/// Values of k from which blocks of a transposed A are worth panels behind a distant last cache.
inline constexpr std::size_t MATMUL_LONG_SUM = 640;

constexpr std::size_t matMulParts(std::size_t size, std::size_t most) {
  return (size + most - 1) / most;
}
/// Rows of the tiles that so many rows take.
constexpr std::uint32_t matMulWholeTiles(std::size_t rows) {
  return static_cast<std::uint32_t>(matMulParts(rows, MATMUL_MAX_TILE_ROWS) * MATMUL_MAX_TILE_ROWS);
}

/// True for products that are large in all directions: behind a distant last cache they are best in
/// blocks of A that stay in L2 as panels, with strips of B packed once for all of them. A core of
/// the Emerald Rapids class computes 640 to 4096 squared 1.05 to 1.17 times as fast as with A in
/// place, 3072 x 768 by 768 x 768 1.15 times, with halves 1.04 to 1.09 times; but 512 squared .97
/// times, 1024 x 1024 by 192 columns .9 times, and 4096 x 64 by 512 columns .88 times.
constexpr bool matMulInBlocks(std::size_t m, std::size_t n, std::size_t k, const MatMulOperand &a,
                              const MatMulOperand &b) {
  constexpr std::size_t ROWS = 600, COLUMNS = 512, DEPTH = 256;
  const bool panels = a.column == 1 || (matMulIsTurned(a) && !a.isHalf && k >= MATMUL_LONG_SUM);
  return panels && m >= ROWS && n >= COLUMNS && k >= DEPTH && !b.panels;
}

/// True for few rows and a B in rows that comes from beyond L2: before a distant last cache whole
/// rows of B are best, for short steps of K. A core of the Emerald Rapids class computes 13 to 48
/// rows by 1000 x 1000 to 4096 x 1024 1.05 to 1.6 times as fast so, 64 to 192 rows by 2048 x 512 to
/// 4096 x 1024 1.04 to 1.19 times; but 96 x 512 by 512 x 2048 .94 times, and 16 to 48 rows by
/// 1500 x 384 .9 to 1.06 times. Rows of A that share a set of L1 are worth panels for less. Halves:
/// 1.13 to 1.7 times for up to 48 rows by 1024 x 1024 to 4096 x 4096, 1.03 to 1.16 for up to 192.
constexpr bool matMulInShortSteps(std::size_t m, std::size_t n, std::size_t k,
                                  const MatMulOperand &a, const MatMulOperand &b,
                                  const MatMulCaches &caches) {
  constexpr std::size_t ROWS = 16 * MATMUL_MAX_TILE_ROWS, COLUMNS = 512, DEPTH = 1024;
  if (a.isHalf != b.isHalf || a.column != 1 || b.column != 1 || b.panels ||
      m <= MATMUL_MAX_TILE_ROWS || m > ROWS || n <= MATMUL_WIDE_COLUMNS)
    return false;
  const bool few = matMulFewPanels(m);
  if (!few && (n < COLUMNS || k < DEPTH))
    return false;
  const std::size_t halvesOfL2 = b.isHalf ? 2 : few && matMulRowsShareSet(a) ? 1 : 3;
  return matMulBytes(k, n, b.isHalf) >= caches.l2 / 2 * halvesOfL2;
}

/// True for a B in panels that comes from beyond L2: before a distant last cache tiles of A in
/// panels ask for it on the way. A core of the Emerald Rapids class computes 16 to 192 rows by
/// 512 x 1024 to 4096 x 4096 1.05 to 1.2 times as fast so, 600 to 4096 rows 1.05 to 1.1 times; but
/// 196 x 1024 by 256 columns, with 1 MB of B, .95 times, 400 x 256 by 2048 columns .96 times, and
/// 13 rows, whose tiles are too low to ask, .9 times. Halves are converted once for all rows: 16 to
/// 48 rows by 1024 x 1024 to 4096 x 1024 1.08 to 1.18 times, 49 x 512 by 2048 columns .97 times.
constexpr bool matMulInPanels(std::size_t m, std::size_t n, std::size_t k, const MatMulOperand &a,
                              const MatMulOperand &b, const MatMulCaches &caches) {
  constexpr std::size_t ROWS = 16, DEPTH = 512;
  return b.panels && a.isHalf == b.isHalf && a.column == 1 && m >= ROWS &&
         (!b.isHalf || matMulFewPanels(m)) && n > MATMUL_WIDE_COLUMNS && k >= DEPTH &&
         matMulBytes(k, n, b.isHalf) >= caches.l2;
}

/// True if values of k of a strip of B with lines of `line` bytes, in place, push each other out of
/// the sets of L1, three quarters of which would hold all of them packed.
constexpr bool matMulStripCollides(std::size_t k, const MatMulOperand &b, std::size_t line,
                                   const MatMulCaches &caches) {
  constexpr std::size_t SETS = MATMUL_WAY_BYTES / 64;
  const std::size_t lines = line / 64, row = matMulDistance(b.row);
  if (b.column != 1 || b.panels || b.isHalf || row % 64 != 0)
    return false;
  const std::size_t begins = SETS / std::gcd(row / 64, SETS); // sets that rows begin in
  const std::size_t sets = std::min(SETS, begins * lines), ways = caches.l1 / MATMUL_WAY_BYTES;
  return k * lines > sets * ways && k * line <= caches.l1 / 4 * 3;
}

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
  if (b.panels && b.isHalf && m > MATMUL_MAX_TILE_ROWS)
    blocking.packB = 1; // low tiles would convert four vectors for 24 multiply-adds
  if (matMulInShortSteps(m, n, k, a, b, caches)) {
    blocking.packA = 0, blocking.panelsA = 1;
    blocking.packB = matMulFewPanels(m) && !b.isHalf ? 0 : 1;
    blocking.depth = 128;
    blocking.columns = MATMUL_WIDE_COLUMNS;
    blocking.rows = matMulWholeTiles(m);
    return;
  }
  const bool inPanels = matMulInPanels(m, n, k, a, b, caches);
  if (inPanels || matMulInBlocks(m, n, k, a, b)) {
    // As many values of k as a strip of L2 / 12 has, and a quarter of L2, or more where blocks read
    // B again; in parts of equal size.
    constexpr std::size_t TILE = MATMUL_MAX_TILE_ROWS;
    const std::size_t most = inPanels ? 1024 : caches.l2 / 12 / line;
    const std::size_t block = inPanels ? caches.l2 / 8 * 3 : caches.l2 / 4;
    const std::size_t depth = matMulParts(k, matMulParts(k, most)),
                      rows = block / sizeof(float) / depth / TILE * TILE;
    blocking.packA = 0, blocking.panelsA = 1, blocking.packB = inPanels && !b.isHalf ? 0 : 1;
    blocking.depth = static_cast<std::uint32_t>(depth);
    blocking.columns = MATMUL_WIDE_COLUMNS;
    blocking.rows = matMulWholeTiles(matMulParts(m, matMulParts(m, rows)));
    return;
  }
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
  // A line of a transposed A for each value of k, which no hardware prefetcher follows: on a core
  // of the Emerald Rapids class blocks in panels are 1.1 to 1.4 times as fast, and less fast for
  // short sums.
  constexpr std::size_t COLUMNS = 128, DEPTH = 256, ROWS = 288;
  if (matMulIsTurned(a) && !a.isHalf && rowsOfB && n >= COLUMNS && k >= MATMUL_LONG_SUM) {
    blocking.packA = 0, blocking.panelsA = 1;
    blocking.depth = DEPTH;
    blocking.rows = std::min<std::uint32_t>(blocking.rows, ROWS);
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
  // A core of the Emerald Rapids class computes 96 x 64 by 256 columns 1.08 times as fast with
  // packed strips, 784 x 128 by 512 columns 1.14 times; 384 x 128 by 128 columns .95 times.
  if (n >= 4 * MATMUL_WIDE_COLUMNS && matMulStripCollides(k, b, line, caches)) {
    blocking.packB = 1;
    blocking.depth = clampDepth(k);
    blocking.rows = std::min<std::uint32_t>(blocking.rows, 16 * MATMUL_MAX_TILE_ROWS);
    return;
  }
  // While A takes a small part of L2 the strip is best in L1; else each value of A is worth long
  // strips: 512 squared and 1024 x 512 by 256 columns are 1.03 and 1.08 times as fast with them on
  // a core of the Emerald Rapids class, 128 x 1024 by 512 columns .98 times.
  const std::size_t bytesOfA = m * k * sizeof(float);
  const std::uint32_t inL1 = clampDepth(caches.l1 / 6 * 5 / line);
  blocking.depth = bytesOfA <= caches.l2 / 4 ? inL1 : clampDepth(caches.l2 / 12 / line);
  if (!b.panels && k > (bytesOfA <= caches.l2 ? inL1 : blocking.depth))
    blocking.packB = 1;
  // Most of the work is to write C: strips follow each other soon enough to fill its pages.
  if (k <= 64 && m * n * sizeof(float) > caches.l2)
    blocking.rows = std::min<std::uint32_t>(blocking.rows, 4 * MATMUL_MAX_TILE_ROWS);
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
  blocking.rows = matMulWholeTiles(std::min(rows, std::max<std::size_t>(m, 1)));
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
  result.rows = detail::matMulWholeTiles(rows);
  if (caches.distant)
    detail::adaptToDistantCache(result, m, n, k, a, b, caches);
  if (caches.near())
    detail::adaptToNearCache(result, m, n, k, a, b, caches);
  if (caches.vectorFloats == 8)
    detail::adaptToShortVectors(result, m, n, k, a, b, caches);
  return result;
}

} // namespace cottonwood::kernels
