/// \file MatMulTileBlocking.hpp
/// Products whose sums come in blocks. On the matrix tiles of AMX: the pieces that numbers are
/// split into, blocks of packed operands, and for which products tiles are worth it. By half
/// arithmetic: the same.
#pragma once

#include <codelets/arch/Isa.hpp>
#include <codelets/poplin/MatMulBlocking.hpp>

namespace cottonwood::kernels {

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

/// Values of k that a chain of half multiply-adds has at most, of every second one, before its sum
/// becomes float. Chains of 64 values cost a half result a bit or two (docs/accuracy.md);
/// shorter ones cost more: with 32, a core of the Emerald Rapids class does .89 of the products.
inline constexpr std::size_t MATMUL_FP16_CHAIN = 64;
/// Values of k that are packed for half arithmetic at a time: whole chains, and all of a sum over
/// 3x3 taps of 64 channels. It changes bits. Twelve rows of A stay in L1, and MATMUL_FP16_COLUMNS
/// columns of B in an L2 of 2 MB, which CPUs with half arithmetic have.
inline constexpr std::size_t MATMUL_FP16_DEPTH = 640;
inline constexpr std::size_t MATMUL_FP16_COLUMNS = 512;
/// Halves between rows of A, so that they do not share sets of L1: a vector, which stores may fill.
inline constexpr std::size_t MATMUL_FP16_PADDING = 32;
static_assert(MATMUL_FP16_DEPTH % (2 * MATMUL_FP16_CHAIN) == 0);

/// True if a product on tiles packs A once for all columns: few rows, of which L2 keeps all values
/// of k.
constexpr bool matMulTilesKeepA(const MatMulBlocking &blocking, std::size_t m, std::size_t n,
                                std::size_t k) {
  constexpr std::size_t MOST = 512 * 1024;
  return m <= MATMUL_TILE_ROWS && n > MATMUL_TILE_COLUMNS &&
         2 * matMulTilePieces(blocking.method) * m * k <= MOST;
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

/// FP16 if the product of halves with half partials is worth its packing; else BLOCKED. It rounds
/// differently: this rule looks at the whole problem, too.
/// \param available  the set has half arithmetic and no tiles
constexpr MatMulMethod matMulFp16Method(bool available, std::size_t m, std::size_t n, std::size_t k,
                                        bool halfOperands, bool halfPartials) {
  constexpr std::size_t LEAST_ROWS = 24, LEAST_COLUMNS = 24, LEAST_DEPTH = 48;
  return available && halfOperands && halfPartials && m >= LEAST_ROWS && n >= LEAST_COLUMNS &&
                 k >= LEAST_DEPTH
             ? MatMulMethod::FP16
             : MatMulMethod::BLOCKED;
}

/// Loop bounds of FP16: B is packed once for up to 960 rows of A.
constexpr MatMulBlocking matMulFp16Blocking() {
  MatMulBlocking result;
  result.method = MatMulMethod::FP16;
  result.rows = 960;
  result.depth = MATMUL_FP16_DEPTH;
  result.packA = result.packB = 1;
  return result;
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

} // namespace cottonwood::kernels
