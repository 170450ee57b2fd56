/// \file MatMulBlocking.hpp
/// How CPU kernels of matrix products may be told to walk through one, and what decides that.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cottonwood::kernels {

/// How a CPU kernel walks through one product. No choice but DOT, FP16 and the methods on matrix
/// tiles changes a bit of the result.
enum class MatMulMethod : std::uint32_t {
  BLOCKED, ///< register tiles; B strips packed while the first rows are computed
  ROWS,    ///< few rows: streams whole rows of B (B's rows must be contiguous)
  COLUMN,  ///< one column: the transposed problem by ROWS (A's columns must be contiguous)
  DOT,     ///< one row or one column against contiguous vectors: 64 partial sums an element
  AMX6,    ///< floats on tiles, in three bfloat16 pieces each: the six products that matter
  AMX4,    ///< halves on tiles, in two bfloat16 pieces each: all four products, exact
  AMX3,    ///< the same without the product of the small pieces, for half partials
  AMX1,    ///< halves on tiles that multiply halves
  FP16     ///< halves by half arithmetic, for half partials, where there are no tiles
};

/// True for methods that need a tag with tiles.
constexpr bool onMatMulTiles(MatMulMethod method) {
  return method >= MatMulMethod::AMX6 && method <= MatMulMethod::AMX1;
}

/// True for methods that only some sets have, whose sums come in blocks (MatMulTiles.hpp).
constexpr bool inMatMulBlocks(MatMulMethod method) {
  return onMatMulTiles(method) || method == MatMulMethod::FP16;
}

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
  /// 1: B is copied to a strip on the way; 0: read in place if possible, panels of halves where
  /// they are wide or rows few.
  std::uint32_t packB = 0;
  /// Most columns of C in a strip: MATMUL_WIDE_COLUMNS, or fewer for strips of two vectors. Counts
  /// for vectors of 16 floats alone.
  std::uint32_t columns = 0;
  /// BLOCKED, 1: steps of K go outside the strips, and each of them copies its block of A, `rows` x
  /// `depth` values, into panels that stay in L2. If rows of C lie at constant distances and strips
  /// are wide, those of a step are packed once for many blocks (matMulKeepsB()).
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

/// Most columns of a strip with this blocking, on any instruction set.
constexpr std::size_t matMulStripColumns(const MatMulBlocking &blocking) {
  return blocking.columns >= MATMUL_WIDE_COLUMNS ? MATMUL_WIDE_COLUMNS : MATMUL_MAX_TILE_COLUMNS;
}

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
  /// The last cache is far away behind a large L2 (arch::LARGE_L2), and vectors have 16 floats.
  bool distant = false;
  bool pinnedColumns = false; ///< stripColumns counts for all products

  /// Vectors of 16 floats behind an L2 of the usual size.
  constexpr bool near() const { return !distant && vectorFloats >= 16; }
};

} // namespace cottonwood::kernels
