/// \file MatMulAmxBlock.hpp
/// The inner loop of products on matrix tiles: a block of C in four tiles, A and B in two each.
#pragma once

#include <codelets/poplin/MatMulAmxPack.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

#include <type_traits>
#include <utility>

namespace cottonwood::kernels::detail {

/// The products of pieces, A[x] with B[x], in the order in which each step of k adds them. Only one
/// operand changes from one product to the next, so that most tiles are loaded once a step. Order
/// and steps are the same wherever an element of C lies in a block and however k is cut into
/// passes: its bits depend on its row of A and its column of B alone.
template <MatMulMethod METHOD> struct AmxProducts;
/// The small products come first; those left out are below 2^-24 of the whole.
template <> struct AmxProducts<MatMulMethod::AMX6> {
  static constexpr int COUNT = 6, A[] = {0, 0, 1, 1, 2, 0}, B[] = {2, 1, 1, 0, 0, 0};
};
template <> struct AmxProducts<MatMulMethod::AMX4> {
  static constexpr int COUNT = 4, A[] = {1, 1, 0, 0}, B[] = {1, 0, 0, 1};
};
template <> struct AmxProducts<MatMulMethod::AMX3> {
  static constexpr int COUNT = 3, A[] = {1, 0, 0}, B[] = {0, 0, 1};
};
template <> struct AmxProducts<MatMulMethod::AMX1> {
  static constexpr int COUNT = 1, A[] = {0}, B[] = {0};
};

/// Tiles of A that lie in a panel, as AmxPacker makes it: a step behind another.
template <MatMulMethod METHOD, int ROWS> struct AmxPanelOfA {
  static constexpr std::size_t ROW_BYTES = arch::TILE_ROW_BYTES;
  const unsigned char *at;

  POP_SIMD_INLINE const unsigned char *tile(std::size_t piece, std::size_t i) const {
    return at + (piece * ROWS + i) * arch::TILE_BYTES;
  }
  POP_SIMD_INLINE void next() { at += matMulTileStepBytes(METHOD, ROWS); }
};

/// Tiles of A that lie in a grid: rows with all their pieces one behind another, steps anywhere.
template <MatMulMethod METHOD> struct AmxGridOfA {
  static constexpr std::size_t ROW_BYTES = matMulTilePieces(METHOD) * arch::TILE_ROW_BYTES;
  const unsigned char *rows;
  const std::ptrdiff_t *steps; ///< step s starts at rows + steps[s]

  POP_SIMD_INLINE const unsigned char *tile(std::size_t piece, std::size_t i) const {
    return rows + *steps + piece * arch::TILE_ROW_BYTES + i * AMX_LANES * ROW_BYTES;
  }
  POP_SIMD_INLINE void next() { ++steps; }
};

/// What one block computes.
struct AmxBlockArgs {
  const unsigned char *b; ///< a panel
  std::size_t steps;
  float *sums; ///< [32, 32]
  bool first;  ///< sums start from zero
};

/// ROWS x COLUMNS tiles of 16 x 16, each dimension 1 or 2.
/// \tparam SourceOfA  AmxPanelOfA or AmxGridOfA
template <class Tag, MatMulMethod METHOD, int ROWS, int COLUMNS, class SourceOfA>
[[gnu::noinline]] void amxBlock(arch::Tiles<Tag> &tiles, SourceOfA a, const AmxBlockArgs &args) {
  using Products = AmxProducts<METHOD>;
  static_assert(Products::COUNT == matMulTileProducts(METHOD));
  constexpr int A = 4, B = 6; // C is in tiles 0 to 3
  constexpr std::size_t LINE = MATMUL_TILE_BLOCK * sizeof(float);
  const auto forEachTile = [&](auto f) POP_SIMD_LAMBDA {
    unroll<ROWS>([&](auto i) POP_SIMD_LAMBDA {
      unroll<COLUMNS>([&](auto j) POP_SIMD_LAMBDA {
        f(std::integral_constant<int, i * 2 + j>(),
          args.sums + (i * static_cast<std::ptrdiff_t>(MATMUL_TILE_BLOCK) + j) *
                          static_cast<std::ptrdiff_t>(AMX_LANES));
      });
    });
  };
  if (args.first)
    forEachTile([&](auto t, float *) POP_SIMD_LAMBDA { tiles.template zero<t>(); });
  else
    forEachTile([&](auto t, float *p) POP_SIMD_LAMBDA { tiles.template load<t>(p, LINE); });

  constexpr std::ptrdiff_t TILE = arch::TILE_BYTES;
  const unsigned char *b = args.b;
  for (std::size_t s = args.steps; s != 0; --s) {
    unroll<Products::COUNT>([&](auto x) POP_SIMD_LAMBDA {
      constexpr int PA = Products::A[x], PB = Products::B[x];
      constexpr int BEFORE = x == 0 ? 0 : x - 1;
      if constexpr (x == 0 || PA != Products::A[BEFORE])
        unroll<ROWS>([&](auto i) POP_SIMD_LAMBDA {
          tiles.template load<A + i>(a.tile(PA, i), SourceOfA::ROW_BYTES);
        });
      if constexpr (x == 0 || PB != Products::B[BEFORE])
        unroll<COLUMNS>([&](auto j) POP_SIMD_LAMBDA {
          tiles.template load<B + j>(b + (PB * COLUMNS + j) * TILE, arch::TILE_ROW_BYTES);
        });
      unroll<ROWS>([&](auto i) POP_SIMD_LAMBDA {
        unroll<COLUMNS>([&](auto j) POP_SIMD_LAMBDA {
          if constexpr (METHOD == MatMulMethod::AMX1)
            tiles.template dotHalf<i * 2 + j, A + i, B + j>();
          else
            tiles.template dotBfloat<i * 2 + j, A + i, B + j>();
        });
      });
    });
    tiles.keepAwake();
    a.next();
    b += matMulTileStepBytes(METHOD, COLUMNS);
  }
  forEachTile([&](auto t, float *p) POP_SIMD_LAMBDA { tiles.template store<t>(p, LINE); });
}

/// The kernel for so many rows and columns of tiles.
/// \param a  a(rows) is where tiles of A lie, given rows as an integral constant
template <class Tag, MatMulMethod METHOD, class SourceOfA>
POP_SIMD_INLINE void runAmxBlock(arch::Tiles<Tag> &tiles, std::size_t rows, std::size_t columns,
                                 const SourceOfA &a, const AmxBlockArgs &args) {
  constexpr std::integral_constant<int, 1> ONE;
  constexpr std::integral_constant<int, 2> TWO;
  if (rows == 1)
    columns == 1 ? amxBlock<Tag, METHOD, 1, 1>(tiles, a(ONE), args)
                 : amxBlock<Tag, METHOD, 1, 2>(tiles, a(ONE), args);
  else
    columns == 1 ? amxBlock<Tag, METHOD, 2, 1>(tiles, a(TWO), args)
                 : amxBlock<Tag, METHOD, 2, 2>(tiles, a(TWO), args);
}

} // namespace cottonwood::kernels::detail
