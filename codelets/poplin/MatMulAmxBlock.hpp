/// \file MatMulAmxBlock.hpp
/// The inner loop of products on matrix tiles: a block of C in four tiles, A and B in two each.
#pragma once

#include <codelets/poplin/MatMulAmxPack.hpp>

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

/// What one block computes.
struct AmxBlockArgs {
  const unsigned char *a, *b; ///< a panel of each
  std::size_t steps;
  float *sums; ///< [32, 32]
  bool first;  ///< sums start from zero
};

/// ROWS x COLUMNS tiles of 16 x 16, each dimension 1 or 2.
template <class Tag, MatMulMethod METHOD, int ROWS, int COLUMNS>
void amxBlock(arch::Tiles<Tag> &tiles, const AmxBlockArgs &args) {
  using Products = AmxProducts<METHOD>;
  constexpr int A = 4, B = 6; // C is in tiles 0 to 3
  constexpr std::size_t LINE = MATMUL_TILE_BLOCK * sizeof(float);
  const auto forEachTile = [&](auto f) __attribute__((always_inline)) {
    unroll<ROWS>([&](auto i) __attribute__((always_inline)) {
      unroll<COLUMNS>([&](auto j) __attribute__((always_inline)) {
        f(std::integral_constant<int, i * 2 + j>(),
          args.sums + (i * static_cast<std::ptrdiff_t>(MATMUL_TILE_BLOCK) + j) *
                          static_cast<std::ptrdiff_t>(AMX_LANES));
      });
    });
  };
  if (args.first)
    forEachTile([&](auto t, float *) __attribute__((always_inline)) { tiles.template zero<t>(); });
  else
    forEachTile([&](auto t, float *p)
                    __attribute__((always_inline)) { tiles.template load<t>(p, LINE); });

  constexpr std::size_t PIECES = matMulTilePieces(METHOD);
  constexpr std::ptrdiff_t TILE = arch::TILE_BYTES;
  const unsigned char *a = args.a, *b = args.b;
  for (std::size_t s = args.steps; s != 0; --s) {
    unroll<Products::COUNT>([&](auto x) __attribute__((always_inline)) {
      constexpr int PA = Products::A[x], PB = Products::B[x];
      constexpr int BEFORE = x == 0 ? 0 : x - 1;
      if constexpr (x == 0 || PA != Products::A[BEFORE])
        unroll<ROWS>([&](auto i) __attribute__((always_inline)) {
          tiles.template load<A + i>(a + (PA * ROWS + i) * TILE, arch::TILE_ROW_BYTES);
        });
      if constexpr (x == 0 || PB != Products::B[BEFORE])
        unroll<COLUMNS>([&](auto j) __attribute__((always_inline)) {
          tiles.template load<B + j>(b + (PB * COLUMNS + j) * TILE, arch::TILE_ROW_BYTES);
        });
      unroll<ROWS>([&](auto i) __attribute__((always_inline)) {
        unroll<COLUMNS>([&](auto j) __attribute__((always_inline)) {
          if constexpr (METHOD == MatMulMethod::AMX1)
            tiles.template dotHalf<i * 2 + j, A + i, B + j>();
          else
            tiles.template dotBfloat<i * 2 + j, A + i, B + j>();
        });
      });
    });
    tiles.keepAwake();
    a += PIECES * ROWS * arch::TILE_BYTES;
    b += PIECES * COLUMNS * arch::TILE_BYTES;
  }
  forEachTile([&](auto t, float *p)
                  __attribute__((always_inline)) { tiles.template store<t>(p, LINE); });
}

/// The kernel for the tiles of a panel of A and one of B.
template <class Tag, MatMulMethod METHOD>
POP_SIMD_INLINE void runAmxBlock(arch::Tiles<Tag> &tiles, std::size_t rows, std::size_t columns,
                                 const AmxBlockArgs &args) {
  using Function = void (*)(arch::Tiles<Tag> &, const AmxBlockArgs &);
  static constexpr Function TABLE[2][2] = {
      {&amxBlock<Tag, METHOD, 1, 1>, &amxBlock<Tag, METHOD, 1, 2>},
      {&amxBlock<Tag, METHOD, 2, 1>, &amxBlock<Tag, METHOD, 2, 2>}};
  TABLE[rows - 1][columns - 1](tiles, args);
}

} // namespace cottonwood::kernels::detail
