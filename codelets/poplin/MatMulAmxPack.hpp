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
#include <codelets/poplin/MatMulTileBlocking.hpp>

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
/// and for those that do not round to infinity. Of infinity, NaN and the others the last piece is
/// NaN.
template <class Tag, MatMulMethod METHOD> struct AmxPieces {
  static constexpr std::size_t COUNT = matMulTilePieces(METHOD);
  using V = simd<float, Tag>;
  using Pairs = simd<std::int32_t, Tag>;

  Pairs pairs[COUNT];

  POP_SIMD_INLINE AmxPieces(V low, V high) {
    if constexpr (METHOD == MatMulMethod::AMX1)
      pairs[0] = arch::halfPairs<Tag>(low, high);
    else
      unroll<COUNT>([&](auto q) POP_SIMD_LAMBDA {
        constexpr bool LAST = q + 1 == COUNT;
        const V lowPiece = LAST ? low : nearest(low), highPiece = LAST ? high : nearest(high);
        const Pairs upper = highPiece.bits();
        pairs[q] = lowPiece.bits().template shiftRight<16>() |
                   (LAST ? upper & Pairs::splat(-0x10000) : upper);
        // Differences as multiply-adds: tiles that follow find that unit awake (arch::Tiles).
        const V minus = V::splat(-1.f);
        low = V::fma(lowPiece, minus, low), high = V::fma(highPiece, minus, high);
      });
  }

  /// Stores the pieces where a tile row begins; pieces are `tiles` tiles apart.
  POP_SIMD_INLINE void store(unsigned char *to, std::size_t tiles) const {
    storeApart(to, tiles * arch::TILE_BYTES);
  }
  /// The same, pieces `bytes` apart.
  POP_SIMD_INLINE void storeApart(unsigned char *to, std::size_t bytes) const {
    unroll<COUNT>([&](auto q) POP_SIMD_LAMBDA {
      pairs[q].store(reinterpret_cast<std::int32_t *>(to + q * bytes));
    });
  }

private:
  /// The nearest number of 8 significant bits; of two the greater magnitude.
  POP_SIMD_INLINE static V nearest(V x) {
    return V::fromBits((x.bits() + Pairs::splat(0x8000)) & Pairs::splat(-0x10000));
  }
};

/// The least and greatest magnitudes, other than zero, of some numbers.
struct AmxBounds {
  float least = std::numeric_limits<float>::infinity(), most = 0;

  void add(const AmxBounds &other) {
    least = other.least < least ? other.least : least;
    most = other.most > most || other.most != other.most ? other.most : most;
  }
};
/// Those of rows of A or columns of B.
struct AmxRanges {
  float *least, *most;

  POP_SIMD_INLINE AmxRanges from(std::size_t i) const { return {least + i, most + i}; }
  void set(std::size_t i, const AmxBounds &bounds) const {
    least[i] = bounds.least, most[i] = bounds.most;
  }
  /// Whether a panel, whose ranges begin here, is known.
  bool known() const { return *least >= 0; }
  void forget(std::size_t n) const {
    for (std::size_t i = 0; i < n; i += MATMUL_TILE_BLOCK)
      least[i] = -1;
  }
};

/// Halves split exactly whatever they are; of floats the magnitudes matter.
constexpr bool amxHasRanges(MatMulMethod method) { return method == MatMulMethod::AMX6; }

/// Collects bounds of each lane of vectors. Nothing where magnitudes do not matter.
template <class Tag, bool USED> class AmxRange {
public:
  using V = simd<float, Tag>;

  POP_SIMD_INLINE AmxRange()
      : least_(twiceBits(V::splat(std::numeric_limits<float>::infinity())) - Bits::splat(1)),
        most_(Bits::splat(0)) {}
  POP_SIMD_INLINE void add(V x) {
    const Bits twice = twiceBits(x);
    most_ = Bits::max(most_, twice);
    least_ = Bits::min(least_, twice - Bits::splat(1));
  }
  /// Of all lanes.
  POP_SIMD_INLINE AmxBounds bounds() const {
    alignas(64) float least[AMX_LANES], most[AMX_LANES];
    store({least, most});
    AmxBounds result;
    for (std::size_t i = 0; i < AMX_LANES; ++i)
      result.add({least[i], most[i]});
    return result;
  }
  /// Of each lane.
  POP_SIMD_INLINE void store(const AmxRanges &ranges) const {
    half(least_ + Bits::splat(1)).store(ranges.least), half(most_).store(ranges.most);
  }

private:
  using Bits = simd<std::uint32_t, Tag>;

  /// The sign drops out.
  POP_SIMD_INLINE static Bits twiceBits(V x) {
    const Bits bits(x.bits().r);
    return bits + bits;
  }
  POP_SIMD_INLINE static V half(Bits twice) {
    return V::fromBits(twice.template shiftRight<1>().asInt());
  }

  Bits least_; ///< less 1, which makes zero the greatest of all
  Bits most_;
};
template <class Tag> class AmxRange<Tag, false> {
public:
  POP_SIMD_INLINE void add(simd<float, Tag>) {}
  POP_SIMD_INLINE AmxBounds bounds() const { return {}; }
};

/// Bounds of n numbers at equal distances.
template <class Tag, class T>
AmxBounds amxBoundsOf(const T *from, std::ptrdiff_t step, std::size_t n) {
  constexpr std::size_t MOST = 256;
  AmxRange<Tag, true> range;
  for (std::size_t p = 0; p < n; p += MOST) {
    alignas(64) float numbers[MOST];
    const std::size_t count = n - p < MOST ? n - p : MOST;
    copyToFloat<Tag>(from + static_cast<std::ptrdiff_t>(p) * step, step, count, numbers);
    for (std::size_t x = 0; x < count; x += AMX_LANES)
      range.add(simd<float, Tag>::loadPartial(numbers + x,
                                              count - x < AMX_LANES ? count - x : AMX_LANES));
  }
  return range.bounds();
}

/// Where a tile's rows of all steps go.
struct AmxTile {
  unsigned char *to;
  std::size_t tiles, steps;
};

/// How many of `size` things there are from number x on, at most `most`.
constexpr std::size_t amxCount(std::size_t size, std::size_t x, std::size_t most) {
  return size <= x ? 0 : size - x < most ? size - x : most;
}

/// Packs operands of one product.
template <class Tag, class TIn, MatMulMethod METHOD> class AmxPacker {
public:
  using V = simd<float, Tag>;
  using Pieces = AmxPieces<Tag, METHOD>;
  using Range = AmxRange<Tag, amxHasRanges(METHOD)>;

  /// Bytes of a panel's step, and of a whole panel.
  static constexpr std::size_t stepBytes(std::size_t tiles) {
    return matMulTileStepBytes(METHOD, tiles);
  }
  static constexpr std::size_t panelBytes(std::size_t steps) {
    return matMulTilePanelBytes(METHOD, steps);
  }

  /// Rows [i, i + rows) of A, values [p, p + depth) of k.
  static void packA(const MatMulView<TIn> &a, std::size_t i, std::size_t rows, std::size_t p,
                    std::size_t depth, unsigned char *to, Range &range) {
    const std::size_t steps = (depth + AMX_STEP - 1) / AMX_STEP;
    for (std::size_t x = 0; x < rows; x += MATMUL_TILE_BLOCK, to += panelBytes(steps)) {
      const std::size_t tiles = amxTiles(rows - x);
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t row = x + t * AMX_LANES;
        const std::size_t count = rows - row < AMX_LANES ? rows - row : AMX_LANES;
        const AmxTile tile{to + t * arch::TILE_BYTES, tiles, steps};
        const MatMulView<TIn> part{a.at(i + row, p), a.row, a.column};
        if (a.column == 1)
          packRows(part, count, depth, tile, range);
        else
          packTurnedRows(part, count, depth, tile, range);
        clearRows(tile, count);
      }
    }
  }

  /// Columns [j, j + columns) of B from a multiple of 32 on, values [p, p + depth) of k.
  template <class TOut>
  static void packB(const MatMulArgs<TIn, TOut> &args, std::size_t j, std::size_t columns,
                    std::size_t p, std::size_t depth, unsigned char *to, Range &range) {
    if (args.bPanel != 0)
      return packPanels(args, j, columns, p, depth, to, range);
    if (args.b.column == 1)
      return packLinesOfB(args.b, {args.b.at(p, j), columns, depth}, to, range);
    const std::size_t steps = (depth + AMX_STEP - 1) / AMX_STEP;
    for (std::size_t s = 0; s < steps; ++s)
      for (std::size_t x = 0; x < columns; x += AMX_LANES) {
        const std::size_t first = s * AMX_STEP, inPanel = x % MATMUL_TILE_BLOCK;
        const std::size_t values = amxCount(depth, first, AMX_STEP);
        const std::size_t tiles = amxTiles(columns - (x - inPanel));
        alignas(64) float turned[AMX_STEP * AMX_LANES];
        turnColumns({args.b.at(p + first, j + x), args.b.row, args.b.column}, values,
                    amxCount(columns, x, AMX_LANES), turned);
        const auto line = [&](std::size_t value) POP_SIMD_LAMBDA {
          return value < values ? turned + value * AMX_LANES : nullptr;
        };
        packStepOfB(line, AMX_LANES,
                    to + x / MATMUL_TILE_BLOCK * panelBytes(steps) + s * stepBytes(tiles) +
                        inPanel / AMX_LANES * arch::TILE_BYTES,
                    tiles, range);
      }
  }

  template <class T> POP_SIMD_INLINE static V loadUpTo(const T *from, std::size_t n) {
    return n >= AMX_LANES ? V::load(from) : n == 0 ? V::zero() : V::loadPartial(from, n);
  }

  /// The pieces of the first n numbers of a step, of its 32 at most, and of zeros.
  template <class T>
  POP_SIMD_INLINE static Pieces piecesOf(const T *from, std::size_t n, Range &range) {
    const V low = loadUpTo(from, n);
    const V high = n > AMX_LANES ? loadUpTo(from + AMX_LANES, n - AMX_LANES) : V::zero();
    range.add(low), range.add(high);
    return Pieces(low, high);
  }

  /// Rows [rows, 16) of a tile, in all steps and pieces.
  static void clearRows(const AmxTile &tile, std::size_t rows) {
    if (rows == AMX_LANES)
      return;
    unsigned char *to = tile.to + rows * arch::TILE_ROW_BYTES;
    for (std::size_t s = 0; s < tile.steps; ++s, to += stepBytes(tile.tiles))
      for (std::size_t q = 0; q < Pieces::COUNT; ++q)
        __builtin_memset(to + q * tile.tiles * arch::TILE_BYTES, 0,
                         (AMX_LANES - rows) * arch::TILE_ROW_BYTES);
  }

  /// A step of at most 16 columns of B. Value p of k begins at at(p), which is null beyond the
  /// last.
  template <class At>
  POP_SIMD_INLINE static void packStepOfB(At at, std::size_t columns, unsigned char *to,
                                          std::size_t tiles, Range &range) {
    Range local = range; // what is stored might be the range, as far as compilers know
    for (std::size_t y = 0; y < AMX_LANES; ++y)
      packPair(at(y), at(y + AMX_LANES), columns, to + y * arch::TILE_ROW_BYTES, tiles, local);
    range = local;
  }

private:
  /// Some columns of B, whose rows are contiguous, from the first value on.
  struct Lines {
    const TIn *first;
    std::size_t columns, depth;
  };

  /// Two values of k at a time, all columns: two streams of memory.
  static void packLinesOfB(const MatMulView<TIn> &b, const Lines &lines, unsigned char *to,
                           Range &range) {
    const std::size_t steps = (lines.depth + AMX_STEP - 1) / AMX_STEP;
    const std::size_t panel = panelBytes(steps), columns = lines.columns;
    const std::size_t whole = columns / MATMUL_TILE_BLOCK * MATMUL_TILE_BLOCK;
    const std::size_t restTiles = amxTiles(columns - whole);
    Range local = range; // what is stored might be the range, as far as compilers know
    for (std::size_t s = 0; s < steps; ++s)
      for (std::size_t y = 0; y < AMX_LANES; ++y) {
        const std::size_t p = s * AMX_STEP + y, q = p + AMX_LANES;
        const auto row = [&](std::size_t value) {
          return lines.first + static_cast<std::ptrdiff_t>(value) * b.row;
        };
        unsigned char *at = to + s * stepBytes(2) + y * arch::TILE_ROW_BYTES;
        std::size_t x = 0;
        if (q < lines.depth) {
          const TIn *low = row(p), *high = row(q);
          // Rows lie in pages of their own, to which no hardware prefetcher follows.
          const std::ptrdiff_t ahead = q + 1 < lines.depth ? b.row : 0;
          for (; x < whole; x += MATMUL_TILE_BLOCK, at += panel, low += MATMUL_TILE_BLOCK,
                            high += MATMUL_TILE_BLOCK) {
            __builtin_prefetch(low + ahead), __builtin_prefetch(high + ahead);
            if constexpr (sizeof(TIn) == sizeof(float))
              __builtin_prefetch(low + ahead + AMX_LANES),
                  __builtin_prefetch(high + ahead + AMX_LANES);
            for (std::size_t t = 0; t < 2; ++t) {
              const V u = V::load(low + t * AMX_LANES), v = V::load(high + t * AMX_LANES);
              local.add(u), local.add(v);
              Pieces(u, v).store(at + t * arch::TILE_BYTES, 2);
            }
          }
        }
        for (; x < columns; x += AMX_LANES) {
          const std::size_t t = x % MATMUL_TILE_BLOCK / AMX_LANES;
          const std::size_t tiles = x < whole ? 2 : restTiles;
          packPair(p < lines.depth ? row(p) + x : nullptr, q < lines.depth ? row(q) + x : nullptr,
                   amxCount(columns, x, AMX_LANES),
                   to + x / MATMUL_TILE_BLOCK * panel + s * stepBytes(tiles) +
                       t * arch::TILE_BYTES + y * arch::TILE_ROW_BYTES,
                   tiles, local);
        }
      }
    range = local;
  }

  /// Of a B in panels, which are one stream of memory each.
  template <class TOut>
  static void packPanels(const MatMulArgs<TIn, TOut> &args, std::size_t j, std::size_t columns,
                         std::size_t p, std::size_t depth, unsigned char *to, Range &range) {
    static_assert(MATMUL_PANEL == MATMUL_TILE_BLOCK);
    const std::size_t steps = (depth + AMX_STEP - 1) / AMX_STEP;
    for (std::size_t x = 0; x < columns; x += MATMUL_PANEL, to += panelBytes(steps)) {
      const std::size_t tiles = amxTiles(columns - x);
      unsigned char *tile = to;
      for (std::size_t s = 0; s < steps; ++s, tile += stepBytes(tiles))
        for (std::size_t t = 0; t < tiles; ++t) {
          const std::size_t first = s * AMX_STEP, column = x + t * AMX_LANES;
          const auto at = [&](std::size_t value) POP_SIMD_LAMBDA {
            const TIn *const row =
                args.bAt(p + first, j + column) + static_cast<std::ptrdiff_t>(value) * args.b.row;
            __builtin_prefetch(row + static_cast<std::ptrdiff_t>(AMX_STEP) * args.b.row);
            return first + value < depth ? row : nullptr;
          };
          packStepOfB(at, amxCount(columns, column, AMX_LANES), tile + t * arch::TILE_BYTES, tiles,
                      range);
        }
    }
  }

  /// Two values of k of at most 16 columns of B; null is a value beyond the last.
  template <class T>
  POP_SIMD_INLINE static void packPair(const T *lowFrom, const T *highFrom, std::size_t columns,
                                       unsigned char *to, std::size_t tiles, Range &range) {
    const V low = lowFrom ? loadUpTo(lowFrom, columns) : V::zero();
    const V high = highFrom ? loadUpTo(highFrom, columns) : V::zero();
    range.add(low), range.add(high);
    Pieces(low, high).store(to, tiles);
  }

  /// Rows of A with contiguous values: one stream of reads a row, too short a one for hardware
  /// prefetchers. To fetch the row after the next one meanwhile makes squares of 512 to 2048 some 5
  /// to 10% faster (measured on a core of the Granite Rapids class).
  static void packRows(const MatMulView<TIn> &a, std::size_t rows, std::size_t depth,
                       const AmxTile &tile, Range &range) {
    const std::ptrdiff_t ahead = 2 * a.row;
    Range local = range;
    for (std::size_t i = 0; i < rows; ++i) {
      const TIn *from = a.at(i, 0);
      unsigned char *to = tile.to + i * arch::TILE_ROW_BYTES;
      std::size_t left = depth;
      for (; left >= AMX_STEP; left -= AMX_STEP, from += AMX_STEP, to += stepBytes(tile.tiles)) {
        __builtin_prefetch(from + ahead);
        if constexpr (sizeof(TIn) == sizeof(float))
          __builtin_prefetch(from + AMX_LANES + ahead);
        piecesOf(from, AMX_STEP, local).store(to, tile.tiles);
      }
      if (left != 0)
        piecesOf(from, left, local).store(to, tile.tiles);
    }
    range = local;
  }

  /// Any other rows: a step of all of them is brought to floats first.
  static void packTurnedRows(const MatMulView<TIn> &a, std::size_t rows, std::size_t depth,
                             AmxTile tile, Range &range) {
    alignas(64) float turned[AMX_LANES * AMX_STEP];
    Range local = range;
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
        piecesOf(turned + i * AMX_STEP, AMX_STEP, local)
            .store(tile.to + i * arch::TILE_ROW_BYTES, tile.tiles);
      }
    }
    range = local;
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
