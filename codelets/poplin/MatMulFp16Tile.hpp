/// \file MatMulFp16Tile.hpp
/// The register tile of products by half arithmetic.
///
/// A sum of products is computed as two chains of fused half multiply-adds, over the even and the
/// odd values of k, each of which is added to a float sum and begun anew after MATMUL_FP16_CHAIN
/// values. A lane holds one of the two: a multiply-add takes 16 pairs, of B's columns, by one pair
/// of A.
#pragma once

#include <codelets/arch/HalfPairs.hpp>
#include <codelets/arch/SimdAccumulate.hpp>
#include <codelets/poplin/MatMulFp16Pack.hpp>
#include <codelets/poplin/MatMulTile.hpp>

namespace cottonwood::kernels::detail {

/// What one tile computes.
struct Fp16TileArgs {
  Fp16Rows a;
  const half *b;     ///< a strip
  std::size_t steps; ///< pairs of values of k; 0: sums become zeros
  float *sums;       ///< for each row and vector of the strip 16 pairs of float sums
};

/// \tparam ROWS     of A, packed
/// \tparam VECTORS  of the strip
template <class Tag, unsigned ROWS, unsigned VECTORS> void fp16Tile(const Fp16TileArgs &args) {
  using Pairs = arch::HalfPairs<Tag>;
  using V = typename Pairs::V;
  constexpr unsigned EACH = 3, GROUPS = (ROWS + EACH - 1) / EACH;
  constexpr std::ptrdiff_t LINE = 2 * Pairs::PAIRS;
  // Rows are reached from every third one, as in matMulTile().
  const std::ptrdiff_t row = args.a.row, step = args.a.step;
  const half *a[GROUPS];
  repeat<GROUPS>([&](auto g) POP_SIMD_LAMBDA { a[g] = args.a.first + g * EACH * row; });
  const half *b = args.b;

  const auto chains = [&](std::size_t steps, auto first) POP_SIMD_LAMBDA {
    V sum[ROWS][VECTORS];
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { sum[i][j] = V::zero(); });
    });
    for (; steps != 0; --steps) {
      V line[VECTORS];
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { line[j] = V::load(b + j * LINE); });
      repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
        const V x = Pairs::broadcast(a[i / EACH] + (i % EACH) * row);
        unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA { arch::accumulate(sum[i][j], x, line[j]); });
      });
      repeat<GROUPS>([&](auto g) POP_SIMD_LAMBDA { arch::stepBy(a[g], step); });
      arch::stepBy(b, VECTORS * LINE);
    }
    float *const sums = args.sums;
    repeat<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      unroll<VECTORS>([&](auto j) POP_SIMD_LAMBDA {
        Pairs::template addTo<first>(sums + (i * VECTORS + j) * LINE, sum[i][j]);
      });
    });
  };
  constexpr std::size_t CHAIN = MATMUL_FP16_CHAIN;
  std::size_t left = args.steps, count = left < CHAIN ? left : CHAIN;
  chains(count, std::true_type{});
  for (left -= count; left != 0; left -= count) {
    count = left < CHAIN ? left : CHAIN;
    chains(count, std::false_type{});
  }
}

using Fp16TileFunction = void (*)(const Fp16TileArgs &);

template <class Tag, class Indices> struct Fp16Tiles;
template <class Tag, std::size_t... I> struct Fp16Tiles<Tag, std::index_sequence<I...>> {
  static constexpr Fp16TileFunction TABLE[][2] = {
      {&fp16Tile<Tag, 2 * (I + 1), 1>, &fp16Tile<Tag, 2 * (I + 1), 2>}...};
};

/// Rows of the tile for so many.
constexpr std::size_t fp16Height(std::size_t rows) { return (rows + 1) / 2 * 2; }

/// The tile of an even number of rows.
template <class Tag>
POP_SIMD_INLINE Fp16TileFunction fp16TileOf(std::size_t height, std::size_t vectors) {
  using All = Fp16Tiles<Tag, std::make_index_sequence<MATMUL_MAX_TILE_ROWS / 2>>;
  return All::TABLE[height / 2 - 1][vectors - 1];
}

} // namespace cottonwood::kernels::detail
