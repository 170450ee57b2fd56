/// \file MatMulTile.hpp
/// The register tile of matrix products: a block of C held in registers while K streams by.
///
/// Every element of C is one chain of fused multiply-adds over ascending k. The chain is the same
/// for all tile sizes, block sizes and instruction sets, so all of them give the same bits; that is
/// why C is loaded before the loop and not added after it.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace cottonwood::kernels {

/// Sizes of the register tile of one tag. 12 x 2 vectors of AVX-512 leave registers for B and for
/// the broadcast of A, and 24 independent chains cover the latency of the multiply-add; 6 x 2 is
/// the same balance in the 16 registers of AVX2.
template <class Tag> struct MatMulTileShape {
  static constexpr unsigned WIDTH = static_cast<unsigned>(simd<float, Tag>::width);
  static constexpr unsigned ROWS = WIDTH >= 16 ? 12 : WIDTH >= 8 ? 6 : 4;
  static constexpr unsigned VECTORS = WIDTH > 1 ? 2 : 4;
  static constexpr unsigned COLUMNS = VECTORS * WIDTH;
};

/// What one register tile computes; all strides count elements.
/// C[i,j] = (cIn ? cIn[i,j] : 0) + sum over p < k of a[i,p] * b[p,j], j < columns.
struct MatMulTileArgs {
  std::size_t k;
  const float *a;
  std::ptrdiff_t aRow, aColumn;
  const void *b;       ///< rows in place (float or half), or packed rows of whole vectors
  std::ptrdiff_t bRow; ///< distance of rows in place
  float *packed;       ///< where rows read in place are left in packed form
  const float *cIn;
  std::ptrdiff_t cInRow;
  float *cOut;
  std::ptrdiff_t cOutRow;
  unsigned columns;
};

/// Where a tile finds B: packed by an earlier tile, or in place; then it also packs it.
enum class MatMulSource { PACKED, FLOAT_IN_PLACE, HALF_IN_PLACE };

namespace detail {

template <class F, std::ptrdiff_t... I>
POP_SIMD_INLINE void unrolled(F &&f, std::integer_sequence<std::ptrdiff_t, I...>) {
  (f(std::integral_constant<std::ptrdiff_t, I>{}), ...);
}

/// f(0), ..., f(N - 1) with constant arguments, whatever the optimisation level.
template <unsigned N, class F> POP_SIMD_INLINE void unroll(F &&f) {
  unrolled(f, std::make_integer_sequence<std::ptrdiff_t, N>{});
}

} // namespace detail

/// Rows of B ahead of their use that are asked for when B is read in place: about 400 cycles, the
/// way to the last cache. Rows of a wide matrix lie in different pages, where no hardware
/// prefetcher follows.
inline constexpr std::ptrdiff_t MATMUL_PREFETCH_ROWS = 32;

/// A tile of ROWS x VECTORS vectors, the last vector possibly partial.
template <class Tag, unsigned ROWS, unsigned VECTORS, MatMulSource SOURCE>
void matMulTile(const MatMulTileArgs &args) {
  using detail::unroll;
  using V = simd<float, Tag>;
  using B = std::conditional_t<SOURCE == MatMulSource::HALF_IN_PLACE, half, float>;
  constexpr std::ptrdiff_t W = V::width;
  constexpr unsigned GROUPS = (ROWS + 2) / 3;
  const std::size_t tail = args.columns - (VECTORS - 1) * static_cast<std::size_t>(W);
  const bool whole = tail == static_cast<std::size_t>(W);

  V sum[ROWS][VECTORS];
  if (const float *c = args.cIn) {
    unroll<ROWS>([&](auto i) __attribute__((always_inline)) {
      unroll<VECTORS>([&](auto j) __attribute__((always_inline)) {
        const float *p = c + i * args.cInRow + j * W;
        if constexpr (j + 1 == VECTORS)
          sum[i][j] = whole ? V::load(p) : V::loadPartial(p, tail);
        else
          sum[i][j] = V::load(p);
      });
    });
  } else {
    unroll<ROWS>([&](auto i) __attribute__((always_inline)) {
      unroll<VECTORS>([&](auto j) __attribute__((always_inline)) { sum[i][j] = V::zero(); });
    });
  }

  // Rows of A are reached from every third one: base, base + row and base + 2 row are address
  // modes, so that twelve rows need four pointers and any stride costs the same.
  const std::ptrdiff_t aRow = args.aRow, aColumn = args.aColumn;
  const float *a[GROUPS];
  unroll<GROUPS>([&](auto g) __attribute__((always_inline)) { a[g] = args.a + g * 3 * aRow; });
  const auto multiply = [&](const V(&row)[VECTORS]) __attribute__((always_inline)) {
    unroll<ROWS>([&](auto i) __attribute__((always_inline)) {
      const V x = V::broadcast(a[i / 3] + (i % 3) * aRow);
      unroll<VECTORS>([&](auto j) __attribute__((always_inline)) {
        sum[i][j] = V::fma(x, row[j], sum[i][j]);
      });
    });
    unroll<GROUPS>([&](auto g) __attribute__((always_inline)) { a[g] += aColumn; });
  };

  const B *b = static_cast<const B *>(args.b);
  std::size_t k = args.k;
  if constexpr (SOURCE == MatMulSource::PACKED) {
    for (; k != 0; --k, b += VECTORS * W) {
      V row[VECTORS];
      unroll<VECTORS>([&](auto j) __attribute__((always_inline)) { row[j] = V::load(b + j * W); });
      multiply(row);
    }
  } else {
    float *packed = args.packed;
    const std::ptrdiff_t bRow = args.bRow;
    if (whole) {
      for (; k != 0; --k, b += bRow, packed += VECTORS * W) {
        // Never past the end: what lies there may be what another thread is writing.
        const std::ptrdiff_t ahead =
            k > static_cast<std::size_t>(MATMUL_PREFETCH_ROWS) ? MATMUL_PREFETCH_ROWS * bRow : 0;
        V row[VECTORS];
        unroll<VECTORS>([&](auto j) __attribute__((always_inline)) {
          row[j] = V::load(b + j * W);
          row[j].store(packed + j * W);
          __builtin_prefetch(b + ahead + j * W);
        });
        multiply(row);
      }
    } else {
      for (; k != 0; --k, b += bRow, packed += VECTORS * W) {
        V row[VECTORS];
        unroll<VECTORS>([&](auto j) __attribute__((always_inline)) {
          if constexpr (j + 1 == VECTORS)
            row[j] = V::loadPartial(b + j * W, tail);
          else
            row[j] = V::load(b + j * W);
          row[j].store(packed + j * W);
        });
        multiply(row);
      }
    }
  }

  unroll<ROWS>([&](auto i) __attribute__((always_inline)) {
    unroll<VECTORS>([&](auto j) __attribute__((always_inline)) {
      float *p = args.cOut + i * args.cOutRow + j * W;
      if (j + 1 < VECTORS || whole)
        sum[i][j].store(p);
      else
        sum[i][j].storePartial(p, tail);
    });
  });
}

namespace detail {

using MatMulTileFunction = void (*)(const MatMulTileArgs &);

/// The tile kernels of one source, one for each number of rows and vectors up to the largest.
template <class Tag, MatMulSource SOURCE> struct MatMulTiles {
  using Shape = MatMulTileShape<Tag>;
  template <std::size_t... I>
  static constexpr MatMulTileFunction pick(std::size_t index, std::index_sequence<I...>) {
    constexpr MatMulTileFunction all[] = {
        &matMulTile<Tag, I / Shape::VECTORS + 1, I % Shape::VECTORS + 1, SOURCE>...};
    return all[index];
  }
};

} // namespace detail

/// Runs the tile kernel for `rows` rows (1 .. MatMulTileShape::ROWS) and args.columns columns
/// (1 .. MatMulTileShape::COLUMNS).
template <class Tag, MatMulSource SOURCE>
POP_SIMD_INLINE void runMatMulTile(unsigned rows, const MatMulTileArgs &args) {
  using Shape = MatMulTileShape<Tag>;
  const unsigned vectors = (args.columns + Shape::WIDTH - 1) / Shape::WIDTH;
  const std::size_t index = (rows - 1) * Shape::VECTORS + (vectors - 1);
  constexpr auto all = std::make_index_sequence<Shape::ROWS * Shape::VECTORS>{};
  detail::MatMulTiles<Tag, SOURCE>::pick(index, all)(args);
}

} // namespace cottonwood::kernels
