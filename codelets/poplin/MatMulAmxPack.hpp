/// \file MatMulAmxPack.hpp
/// Operands of products on matrix tiles: numbers split into 16-bit pieces and laid out so that a
/// tile is 1024 contiguous bytes.
///
/// A step is 32 values of k. Value p of a step and value p + 16 make pair p: rows of A and of B
/// pair them alike, and both are made of whole vectors. Packed A is a list of panels of 32 rows; a
/// panel is a list of steps, a step a list of pieces, a piece the tiles of its rows: two, or one in
/// a last panel of at most 16 rows. Packed B is the same with columns for rows. What lies beyond
/// the operand is zero.
#pragma once

#include <codelets/arch/Amx.hpp>
#include <codelets/poplin/MatMulArgs.hpp>
#include <codelets/poplin/MatMulPack.hpp>

#include <cstdint>
#include <limits>

namespace cottonwood::kernels::detail {

inline constexpr std::size_t AMX_STEP = arch::TILE_DEPTH, AMX_LANES = arch::TILE_ROWS;

/// Tiles side by side in a panel of so many rows or columns.
constexpr std::size_t amxTiles(std::size_t size) { return size > AMX_LANES ? 2 : 1; }

/// Pairs of pieces of the lanes of two vectors.
///
/// A float is the sum of three bfloat16 numbers and a half of two, exactly: each piece is the one
/// nearest to what is left. That is so for floats above 2^-103, below which pieces are denormal,
/// and below 2^111, above which the first piece is NaN, as it is for infinity and NaN.
template <class Tag, MatMulMethod METHOD> struct AmxPieces {
  static constexpr std::size_t COUNT = matMulTilePieces(METHOD);
  using V = simd<float, Tag>;
  using Pairs = simd<std::int32_t, Tag>;

  Pairs pairs[COUNT];

  POP_SIMD_INLINE AmxPieces(V low, V high) {
    if constexpr (METHOD == MatMulMethod::AMX1)
      pairs[0] = arch::halfPairs<Tag>(low, high);
    else
      unroll<COUNT>([&](auto q) __attribute__((always_inline)) {
        constexpr bool LAST = q + 1 == COUNT;
        const V lowPiece = LAST ? low : nearest(low), highPiece = LAST ? high : nearest(high);
        pairs[q] =
            lowPiece.bits().template shiftRight<16>() | (highPiece.bits() & Pairs::splat(-0x10000));
        low = low - lowPiece, high = high - highPiece;
      });
  }

  /// Stores the pieces where a tile row begins; pieces are `tiles` tiles apart.
  POP_SIMD_INLINE void store(unsigned char *to, std::size_t tiles) const {
    unroll<COUNT>([&](auto q) __attribute__((always_inline)) {
      pairs[q].store(reinterpret_cast<std::int32_t *>(to + q * tiles * arch::TILE_BYTES));
    });
  }

private:
  /// The nearest number of 8 significant bits (Veltkamp's splitting).
  POP_SIMD_INLINE static V nearest(V x) {
    const V scaled = x * V::splat(0x1p16f + 1);
    return scaled - (scaled - x);
  }
};

/// The least and greatest magnitudes, other than zero, of rows of A or columns of B.
struct AmxRanges {
  float *least, *most;

  POP_SIMD_INLINE AmxRanges from(std::size_t i) const { return {least + i, most + i}; }
  void clear(std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
      least[i] = std::numeric_limits<float>::infinity(), most[i] = 0;
  }
};

/// The same of lanes.
template <class Tag> struct AmxRange {
  using V = simd<float, Tag>;
  V least, most;

  POP_SIMD_INLINE void add(V x) {
    const V magnitude = V::abs(x);
    most = V::max(most, magnitude);
    least =
        V::select(magnitude == V::zero(), least, V::min(least, magnitude)); // NaN is found later
  }
};

/// Where a tile's rows of all steps go.
struct AmxTile {
  unsigned char *to;
  std::size_t tiles, steps;
};

/// How many of `size` things there are from number x on, at most `most`.
constexpr std::size_t amxCount(std::size_t size, std::size_t x, std::size_t most) {
  return size <= x ? 0 : size - x < most ? size - x : most;
}

/// Halves split exactly whatever they are; of floats the magnitudes matter.
constexpr bool amxHasRanges(MatMulMethod method) { return method == MatMulMethod::AMX6; }
/// Bytes of a step of a panel with so many tiles.
constexpr std::size_t amxStepBytes(MatMulMethod method, std::size_t tiles) {
  return tiles * matMulTilePieces(method) * arch::TILE_BYTES;
}

/// Packs operands of one product.
template <class Tag, class TIn, MatMulMethod METHOD> class AmxPacker {
public:
  using V = simd<float, Tag>;
  using Pieces = AmxPieces<Tag, METHOD>;
  static constexpr bool RANGES = amxHasRanges(METHOD);

  /// Bytes of a panel's step, and of a whole panel.
  static constexpr std::size_t stepBytes(std::size_t tiles) { return amxStepBytes(METHOD, tiles); }
  static constexpr std::size_t panelBytes(std::size_t steps) { return steps * stepBytes(2); }

  /// Rows [i, i + rows) of A, values [p, p + depth) of k; `ranges` starts at row i.
  static void packA(const MatMulView<TIn> &a, std::size_t i, std::size_t rows, std::size_t p,
                    std::size_t depth, unsigned char *to, AmxRanges ranges) {
    const std::size_t steps = (depth + AMX_STEP - 1) / AMX_STEP;
    for (std::size_t x = 0; x < rows; x += MATMUL_TILE_BLOCK, to += panelBytes(steps)) {
      const std::size_t tiles = amxTiles(rows - x);
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t row = x + t * AMX_LANES;
        const std::size_t count = rows - row < AMX_LANES ? rows - row : AMX_LANES;
        const AmxTile tile{to + t * arch::TILE_BYTES, tiles, steps};
        const MatMulView<TIn> part{a.at(i + row, p), a.row, a.column};
        const AmxRanges range{ranges.least + row, ranges.most + row};
        if (a.column == 1)
          packRows(part, count, depth, tile, range);
        else
          packTurnedRows(part, count, depth, tile, range);
        clearRows(tile, count);
      }
    }
  }

  /// Columns [j, j + columns) of B, values [p, p + depth) of k; `ranges` starts at column j, which
  /// is a multiple of 32.
  template <class TOut>
  static void packB(const MatMulArgs<TIn, TOut> &args, std::size_t j, std::size_t columns,
                    std::size_t p, std::size_t depth, unsigned char *to, AmxRanges ranges) {
    const std::size_t steps = (depth + AMX_STEP - 1) / AMX_STEP;
    for (std::size_t s = 0; s < steps; ++s) {
      const std::size_t first = s * AMX_STEP;
      const std::size_t values = depth - first < AMX_STEP ? depth - first : AMX_STEP;
      const auto forEachTile = [&](auto f) __attribute__((always_inline)) {
        for (std::size_t x = 0; x < columns; x += AMX_LANES) {
          const std::size_t inPanel = x % MATMUL_TILE_BLOCK;
          const std::size_t tiles = amxTiles(columns - (x - inPanel));
          unsigned char *const tile = to + x / MATMUL_TILE_BLOCK * panelBytes(steps) +
                                      s * stepBytes(tiles) + inPanel / AMX_LANES * arch::TILE_BYTES;
          const std::size_t count = columns - x < AMX_LANES ? columns - x : AMX_LANES;
          f(x, count, tile, tiles, AmxRanges{ranges.least + x, ranges.most + x});
        }
      };
      const auto at = [&](std::size_t value, std::size_t x) __attribute__((always_inline)) {
        return value < values ? args.bAt(p + first + value, j + x) : nullptr;
      };
      if (args.b.column == 1) { // two rows at a time, all their columns
        for (std::size_t y = 0; y < AMX_LANES; ++y)
          forEachTile([&](std::size_t x, std::size_t count, unsigned char *tile, std::size_t tiles,
                          const AmxRanges &range) __attribute__((always_inline)) {
            packPair(at(y, x), at(y + AMX_LANES, x), count, tile + y * arch::TILE_ROW_BYTES, tiles,
                     range);
          });
      } else {
        forEachTile([&](std::size_t x, std::size_t count, unsigned char *tile, std::size_t tiles,
                        const AmxRanges &range) {
          alignas(64) float turned[AMX_STEP * AMX_LANES];
          turnColumns({at(0, x), args.b.row, args.b.column}, values, count, turned);
          for (std::size_t y = 0; y < AMX_LANES; ++y) {
            const float *const low = y < values ? turned + y * AMX_LANES : nullptr;
            const float *const high =
                y + AMX_LANES < values ? turned + (y + AMX_LANES) * AMX_LANES : nullptr;
            packPair(low, high, AMX_LANES, tile + y * arch::TILE_ROW_BYTES, tiles, range);
          }
        });
      }
    }
  }

  template <class T> POP_SIMD_INLINE static V loadUpTo(const T *from, std::size_t n) {
    return n >= AMX_LANES ? V::load(from) : n == 0 ? V::zero() : V::loadPartial(from, n);
  }

  /// Rows [rows, 16) of a tile, in all steps and pieces.
  static void clearRows(const AmxTile &tile, std::size_t rows) {
    for (std::size_t x = 0; x < tile.steps * Pieces::COUNT && rows < AMX_LANES; ++x)
      __builtin_memset(tile.to + x * tile.tiles * arch::TILE_BYTES + rows * arch::TILE_ROW_BYTES, 0,
                       (AMX_LANES - rows) * arch::TILE_ROW_BYTES);
  }

  /// Two values of k of at most 16 columns of B; null is a value beyond the last.
  template <class T>
  POP_SIMD_INLINE static void packPair(const T *lowFrom, const T *highFrom, std::size_t columns,
                                       unsigned char *to, std::size_t tiles,
                                       const AmxRanges &ranges) {
    const V low = lowFrom ? loadUpTo(lowFrom, columns) : V::zero();
    const V high = highFrom ? loadUpTo(highFrom, columns) : V::zero();
    if constexpr (RANGES) {
      AmxRange<Tag> range{V::load(ranges.least), V::load(ranges.most)};
      range.add(low), range.add(high);
      range.least.store(ranges.least), range.most.store(ranges.most);
    }
    Pieces(low, high).store(to, tiles);
  }

private:
  /// Rows of A with contiguous values: one stream of reads a row.
  static void packRows(const MatMulView<TIn> &a, std::size_t rows, std::size_t depth,
                       const AmxTile &tile, const AmxRanges &ranges) {
    for (std::size_t i = 0; i < rows; ++i) {
      const TIn *from = a.at(i, 0);
      unsigned char *to = tile.to + i * arch::TILE_ROW_BYTES;
      AmxRange<Tag> range{V::splat(ranges.least[i]), V::splat(ranges.most[i])};
      for (std::size_t p = 0; p < depth; p += AMX_STEP, to += stepBytes(tile.tiles)) {
        const V low = loadUpTo(from + p, depth - p);
        const V high = depth - p > AMX_LANES ? loadUpTo(from + p + AMX_LANES, depth - p - AMX_LANES)
                                             : V::zero();
        if constexpr (RANGES)
          range.add(low), range.add(high);
        Pieces(low, high).store(to, tile.tiles);
      }
      if constexpr (RANGES)
        ranges.least[i] = range.least.reduceMin(), ranges.most[i] = range.most.reduceMax();
    }
  }

  /// Any other rows: a step of all of them is brought to floats first.
  static void packTurnedRows(const MatMulView<TIn> &a, std::size_t rows, std::size_t depth,
                             AmxTile tile, const AmxRanges &ranges) {
    alignas(64) float turned[AMX_LANES * AMX_STEP];
    for (std::size_t p = 0; p < depth; p += AMX_STEP, tile.to += stepBytes(tile.tiles)) {
      const std::size_t values = depth - p < AMX_STEP ? depth - p : AMX_STEP;
      if (a.row == 1)
        for (std::size_t x = 0; x < AMX_STEP; x += AMX_LANES)
          copyTurned<Tag>(a.at(0, x < values ? p + x : p), a.column, rows,
                          values > x ? values - x : 0, turned + x, AMX_STEP);
      else
        for (std::size_t i = 0; i < rows; ++i)
          copyPadded(a.at(i, p), a.column, values, turned + i * AMX_STEP, AMX_STEP);
      for (std::size_t i = 0; i < rows; ++i) {
        const V low = V::load(turned + i * AMX_STEP);
        const V high = V::load(turned + i * AMX_STEP + AMX_LANES);
        if constexpr (RANGES) {
          AmxRange<Tag> range{V::splat(ranges.least[i]), V::splat(ranges.most[i])};
          range.add(low), range.add(high);
          ranges.least[i] = range.least.reduceMin(), ranges.most[i] = range.most.reduceMax();
        }
        Pieces(low, high).store(tile.to + i * arch::TILE_ROW_BYTES, tile.tiles);
      }
    }
  }

  /// A step of at most 16 columns of B as rows of 16 floats.
  static void turnColumns(const MatMulView<TIn> &b, std::size_t values, std::size_t columns,
                          float *to) {
    if (b.row == 1) {
      for (std::size_t x = 0; x < values; x += AMX_LANES)
        copyTurned<Tag>(b.at(x, 0), b.column, values - x, columns, to + x * AMX_LANES, AMX_LANES);
      return;
    }
    for (std::size_t p = 0; p < values; ++p)
      copyPadded(b.at(p, 0), b.column, columns, to + p * AMX_LANES, AMX_LANES);
  }

  static void copyPadded(const TIn *from, std::ptrdiff_t step, std::size_t n, float *to,
                         std::size_t size) {
    copyToFloat<Tag>(from, step, n, to);
    for (; n < size; ++n)
      to[n] = 0;
  }
};

} // namespace cottonwood::kernels::detail
