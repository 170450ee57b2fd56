/// \file MatMulCost.hpp
/// Facts about matrix product codelets that planners and profiles need: what a tile of the IPU
/// spends on one, and how a CPU kernel blocks its loops. Standard library only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace cottonwood::kernels {

/// How a CPU kernel walks through one product. No choice but DOT changes a bit of the result.
enum class MatMulMethod : std::uint32_t {
  BLOCKED, ///< register tiles; B strips packed while the first rows are computed
  ROWS,    ///< few rows: streams whole rows of B (B's rows must be contiguous)
  COLUMN,  ///< one column: the transposed problem by ROWS (A's columns must be contiguous)
  DOT,     ///< one row or one column against contiguous vectors: 64 partial sums an element
};

/// Loop bounds of a CPU kernel.
struct MatMulBlocking {
  MatMulMethod method = MatMulMethod::BLOCKED;
  std::uint32_t rows = 0;  ///< rows of C per pass over B
  std::uint32_t depth = 0; ///< values of K per packed strip of B
  std::uint32_t packA = 0; ///< 1: A is copied to float panels first
  std::uint32_t packB = 0; ///< 1: B is copied to a strip on the way; 0: read in place if possible
  bool operator==(const MatMulBlocking &) const = default;
};

/// Largest register tile of any instruction set: what workspaces are sized for.
inline constexpr std::uint32_t MATMUL_MAX_TILE_ROWS = 12;
inline constexpr std::uint32_t MATMUL_MAX_TILE_COLUMNS = 32;
/// Columns of a panel of a B that is laid out for the kernels: strips of every instruction set.
inline constexpr std::uint32_t MATMUL_PANEL = 32;
/// Most rows of C that the method ROWS keeps sums of.
inline constexpr std::uint32_t MATMUL_MAX_STREAMED_ROWS = 4;
/// Rows of packed A start this many floats beyond K, so that they do not share cache sets.
inline constexpr std::size_t MATMUL_ROW_PADDING = 16;

/// Floats of scratch that a kernel with this blocking uses for products of depth k.
constexpr std::size_t matMulWorkspace(const MatMulBlocking &blocking, std::size_t m,
                                      std::size_t k) {
  if (blocking.method != MatMulMethod::BLOCKED || m == 0)
    return 0;
  const std::size_t rows = std::min<std::size_t>(m, blocking.rows);
  const std::size_t depth = std::min<std::size_t>(k, blocking.depth);
  const std::size_t strip = depth * MATMUL_MAX_TILE_COLUMNS;
  const std::size_t sums = (rows + MATMUL_MAX_TILE_ROWS) * MATMUL_MAX_TILE_COLUMNS;
  const std::size_t packed =
      blocking.packA ? (rows + MATMUL_MAX_TILE_ROWS) * (k + MATMUL_ROW_PADDING) : 0;
  // Sums and packed A start on cache lines.
  return strip + sums + packed + 2 * 16;
}

/// An operand of a product as blocking sees it.
struct MatMulOperand {
  bool isHalf = false;
  std::int64_t row = 0, column = 0; ///< distances in elements
  bool panels = false;              ///< a B in panels: distances within one of them
};

/// Cache sizes of one core, in bytes; they choose blocks, never bits.
struct MatMulCaches {
  std::size_t l1 = 32 * 1024, l2 = 1024 * 1024, l3 = 8 * 1024 * 1024;
};

/// True if the product of these shapes is a dot product per element: DOT is the only method with
/// other roundings than the rest, so this rule looks at the whole problem, never at a part of it.
constexpr bool matMulUsesDot(std::size_t m, std::size_t n, std::size_t k, const MatMulOperand &a,
                             const MatMulOperand &b) {
  const bool contiguousK = a.column == 1 && b.row == 1 && k > 1;
  // With n == 1 column strides of b mean nothing, with m == 1 row strides of a mean nothing.
  return contiguousK && ((m == 1 && n > 1 && b.column != 1) || n == 1);
}

/// Loop bounds for one core. Measured on Zen 5 (1 MB L2): strips of 500 to 700 x 32 with passes of
/// 1000 to 2000 rows keep the sums of a strip in L2, and A is best read in place, transposed or
/// not, unless its values lie apart or have to be converted.
constexpr MatMulBlocking chooseMatMulBlocking(std::size_t m, std::size_t n, std::size_t k,
                                              const MatMulOperand &a, const MatMulOperand &b,
                                              bool dot, const MatMulCaches &caches = {}) {
  MatMulBlocking result;
  if (dot) {
    result.method = MatMulMethod::DOT;
    return result;
  }
  if (m <= MATMUL_MAX_STREAMED_ROWS && b.column == 1 && !b.panels) {
    result.method = MatMulMethod::ROWS;
    return result;
  }
  if (n == 1 && a.row == 1) {
    result.method = MatMulMethod::COLUMN;
    return result;
  }
  const std::size_t line = MATMUL_MAX_TILE_COLUMNS * sizeof(float);
  const std::size_t stripBytes = std::max(caches.l1, caches.l2 / 12);
  result.depth = static_cast<std::uint32_t>(std::clamp<std::size_t>(stripBytes / line, 128, 704));
  // A strip in place is as good as a packed one while all of B stays in L2.
  const auto bRow = static_cast<std::size_t>(b.row < 0 ? -b.row : b.row);
  const bool smallB = k * bRow * sizeof(float) <= caches.l2 / 4;
  result.packB = !smallB && !b.panels ? 1 : 0;
  const bool smallA = m * k * sizeof(float) <= caches.l2 / 8;
  const bool fewStrips = n <= 2 * MATMUL_MAX_TILE_COLUMNS;
  const bool spread = a.column != 1 && a.row != 1;
  result.packA = a.isHalf || (spread && !smallA && !fewStrips) ? 1 : 0;
  std::size_t rows = std::max<std::size_t>(caches.l2 / 8 / line, 192);
  if (result.packA) // a block of A that the last cache can hold
    rows = std::min(rows, std::max<std::size_t>(
                              caches.l3 / 4 / sizeof(float) / std::max<std::size_t>(k, 1), 48));
  rows = std::min(rows, std::max<std::size_t>(m, 1));
  rows = (rows + MATMUL_MAX_TILE_ROWS - 1) / MATMUL_MAX_TILE_ROWS * MATMUL_MAX_TILE_ROWS;
  result.rows = static_cast<std::uint32_t>(rows);
  return result;
}

/// The AMP of a tile: what its matrix vertices are priced by. Sources of the constants: published
/// cycle counts of 1 x 1 convolution vertices; they agree with measured ones within 2%.
struct MatMulTileMachine {
  std::uint64_t workers = 6;
  std::uint64_t units = 16;          ///< convolution units for the types of the product
  std::uint64_t inputsPerGroup = 16; ///< values of K that the units hold: 16 half, 8 float
  std::uint64_t weightBytesPerCycle = 8;
  bool halfInput = true, halfPartials = true;
};

namespace detail {

/// Worker cycles of one pass over `positions` rows; `first` passes start from zero sums.
constexpr std::uint64_t ampWorkerCycles(const MatMulTileMachine &tile, std::uint64_t positions,
                                        bool first) {
  const std::uint64_t n = positions, more = n < 3 ? 0 : n - 3;
  if (!tile.halfInput) {
    const std::uint64_t base[] = {24, 47, 46, 46 + 8 * more};
    return base[std::min<std::uint64_t>(n, 3)] + (first ? 2 + (tile.units >= 16 ? 8 : 4) * n : 0);
  }
  if (tile.halfPartials && tile.units < 16) {
    const std::uint64_t base[] = {24, 39, 40, 41 + 4 * more};
    return base[std::min<std::uint64_t>(n, 3)] + (first ? 2 + 2 * n : 0);
  }
  const std::uint64_t z = first ? 1 : 2;
  const std::uint64_t base[] = {20 + z, 31 + z, 40 + z, 36 + z + 4 * more};
  return base[std::min<std::uint64_t>(n, 3)] - 7;
}

/// Tile cycles of one pass: the slowest worker, or the quickest and the start of the next pass.
constexpr std::uint64_t ampPassCycles(const MatMulTileMachine &tile, std::uint64_t positions,
                                      bool first) {
  const std::uint64_t w = tile.workers, least = positions / w, most = (positions + w - 1) / w;
  const std::uint64_t a = ampWorkerCycles(tile, least, first);
  const std::uint64_t b = ampWorkerCycles(tile, most, first);
  return std::max(w * std::max(a, b), (least == 0 ? 0 : w * std::min(a, b)) + 14);
}

constexpr std::uint64_t ampCycles(const MatMulTileMachine &tile, std::uint64_t positions,
                                  std::uint64_t channels, std::uint64_t k) {
  const std::uint64_t inGroups = (k + tile.inputsPerGroup - 1) / tile.inputsPerGroup;
  const std::uint64_t outGroups = (channels + tile.units - 1) / tile.units;
  const std::uint64_t load = tile.units * 32 / tile.weightBytesPerCycle;
  const bool narrow = tile.halfInput && tile.halfPartials && tile.units < 16;
  const std::uint64_t retention =
      tile.halfInput && !narrow ? tile.workers * (7 + 3 * (inGroups - 1)) : 0;
  const std::uint64_t later = ampPassCycles(tile, positions, false);
  const std::uint64_t start = ampPassCycles(tile, positions, true);
  return 50 + retention + (narrow ? 12 : 13) +
         (inGroups - 1) * (15 + outGroups * ((narrow ? 16 : 19) + 6 + load + later)) + 11 +
         outGroups * ((narrow ? 19 : 18) + 7 + load + start);
}

} // namespace detail

/// Tile cycles of one matrix vertex [m, k] x [k, n]. Either operand may be the one held in the
/// units, since a plan lays both out to its liking.
constexpr std::uint64_t matMulTileCycles(const MatMulTileMachine &tile, std::uint64_t m,
                                         std::uint64_t n, std::uint64_t k) {
  if (m == 0 || n == 0 || k == 0)
    return 50;
  return std::min(detail::ampCycles(tile, m, n, k), detail::ampCycles(tile, n, m, k));
}

/// Tile cycles of adding `depth` partial results for each of `outputs` elements.
constexpr std::uint64_t matMulReduceCycles(const MatMulTileMachine &tile, std::uint64_t depth,
                                           std::uint64_t outputs, bool halfOutput) {
  const std::uint64_t width = tile.halfPartials ? 8 : 4, perLoad = tile.halfPartials ? 4 : 2;
  const std::uint64_t loops = (outputs + width - 1) / width;
  const std::uint64_t each = (width / perLoad + 1) * depth + (halfOutput ? 6 : 7);
  return tile.workers * (32 + each * ((loops + tile.workers - 1) / tile.workers));
}

} // namespace cottonwood::kernels
