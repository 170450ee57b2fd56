/// \file MatMulWorkspace.hpp
/// The scratch memory of kernels of matrix products.
#pragma once

#include <codelets/poplin/MatMulTileBlocking.hpp>

#include <algorithm>

namespace cottonwood::kernels {

/// Bytes for a block of C by multiply-adds, and what BLOCKED needs for it.
inline constexpr std::size_t MATMUL_REPAIR_BYTES = [] {
  constexpr std::size_t SIDE = MATMUL_TILE_BLOCK, ROWS = SIDE + MATMUL_MAX_TILE_ROWS;
  return sizeof(float) * (SIDE * SIDE + MATMUL_TILE_REPAIR_DEPTH * MATMUL_MAX_TILE_COLUMNS +
                          ROWS * MATMUL_MAX_TILE_COLUMNS +
                          ROWS * (MATMUL_TILE_REPAIR_DEPTH + MATMUL_ROW_PADDING) + 4 * SIDE);
}();

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
  space.repair = MATMUL_REPAIR_BYTES;
  return space;
}

/// The same by half arithmetic.
struct MatMulFp16Space {
  std::size_t a, b, pairs, sums, repair;
  std::size_t depth; ///< values of k that are packed at a time

  constexpr std::size_t bytes() const { return a + b + pairs + sums + repair; }
};
constexpr MatMulFp16Space matMulFp16Space(const MatMulBlocking &blocking, std::size_t m,
                                          std::size_t n, std::size_t k) {
  constexpr std::size_t ROWS = MATMUL_MAX_TILE_ROWS, SIDE = MATMUL_TILE_BLOCK;
  const std::size_t strips = (std::min(n, MATMUL_FP16_COLUMNS) + SIDE - 1) / SIDE;
  const std::size_t tiles = (std::min<std::size_t>(m, blocking.rows) + ROWS - 1) / ROWS;
  MatMulFp16Space space{};
  space.depth = (std::min(k, MATMUL_FP16_DEPTH) + 1) / 2 * 2;
  space.a = ROWS * (MATMUL_FP16_DEPTH + MATMUL_FP16_PADDING) * 2;
  space.b = strips * SIDE * space.depth * 2;
  space.pairs = ROWS * 2 * SIDE * sizeof(float);
  space.sums = (k > MATMUL_FP16_DEPTH ? tiles * strips : 1) * ROWS * SIDE * sizeof(float);
  space.repair = MATMUL_REPAIR_BYTES;
  return space;
}

/// Columns of C whose sums, or strips of B, a product with panelsA holds in scratch between its
/// steps: whole strips.
constexpr std::size_t matMulPanelsColumns(std::size_t n, std::size_t most = 2048) {
  return std::min((n + MATMUL_WIDE_COLUMNS - 1) / MATMUL_WIDE_COLUMNS * MATMUL_WIDE_COLUMNS, most);
}

/// True for products of m rows whose strips of B, wide and packed, serve several blocks of rows.
constexpr bool matMulKeepsB(const MatMulBlocking &blocking, std::size_t m) {
  return blocking.panelsA != 0 && blocking.packB != 0 && m > blocking.rows &&
         blocking.columns >= MATMUL_WIDE_COLUMNS;
}

/// What strips of B serve that are packed once: rows and columns of C. Where sums cannot wait
/// there, the rows and columns that 4 MB of them have.
struct MatMulKept {
  std::size_t rows, columns;
};
constexpr MatMulKept matMulKept(const MatMulBlocking &blocking, std::size_t m, std::size_t n,
                                bool floatC) {
  if (floatC)
    return {m, matMulPanelsColumns(n)};
  constexpr std::size_t SUMS = 1024 * 1024, COLUMNS = 1024;
  const std::size_t columns = matMulPanelsColumns(std::max<std::size_t>(n, 1), COLUMNS);
  const std::size_t rows = blocking.rows, most = std::max<std::size_t>(SUMS / columns / rows, 1);
  const std::size_t blocks = (m + rows - 1) / rows, passes = (blocks + most - 1) / most;
  return {std::min(m, (blocks + passes - 1) / passes * rows), columns};
}

/// Floats of scratch that a kernel with this blocking uses for products of depth k with at most n
/// columns.
/// \param floatC  C is of floats
constexpr std::size_t matMulWorkspace(const MatMulBlocking &blocking, std::size_t m, std::size_t k,
                                      std::size_t n = SIZE_MAX / 2, bool floatC = false) {
  if (onMatMulTiles(blocking.method) && m != 0)
    return matMulTileSpace(blocking, m, n, k).bytes() / sizeof(float) + 16;
  if (blocking.method == MatMulMethod::FP16 && m != 0)
    return matMulFp16Space(blocking, m, n, k).bytes() / sizeof(float) + 16;
  if (blocking.method != MatMulMethod::BLOCKED || m == 0)
    return 0;
  const std::size_t rows = std::min<std::size_t>(m, blocking.rows);
  const std::size_t depth = std::min<std::size_t>(k, blocking.depth);
  const std::size_t columns = matMulStripColumns(blocking);
  const bool panels = blocking.panelsA != 0;
  const std::size_t strip = depth * columns;
  const std::size_t sums =
      (rows + MATMUL_MAX_TILE_ROWS) * (panels ? matMulPanelsColumns(n) : columns);
  const std::size_t values = panels ? depth : blocking.packA ? k : 0;
  const std::size_t packed =
      values != 0 ? (rows + MATMUL_MAX_TILE_ROWS) * (values + MATMUL_ROW_PADDING) : 0;
  // Where strips are kept there are either these, or sums of products that cannot leave them in C.
  std::size_t kept = 0;
  if (matMulKeepsB(blocking, m)) {
    const MatMulKept of = matMulKept(blocking, m, n, floatC);
    kept = (depth + (floatC ? 0 : of.rows + MATMUL_MAX_TILE_ROWS)) * of.columns + 16;
  }
  // Sums and packed A start on cache lines.
  return std::max(kept, strip + sums) + packed + 2 * 16;
}

} // namespace cottonwood::kernels
