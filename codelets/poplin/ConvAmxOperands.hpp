/// \file ConvAmxOperands.hpp
/// A convolution as a product on matrix tiles: rows are outputs, columns output channels.
///
/// Values of k are the taps one behind another, each with its input channels in whole steps; or,
/// where that takes fewer steps (convTapLines()), the lines of taps: the taps of the last dimension
/// with their channels one behind another, then zeros up to a whole step. Taps that lie in the
/// padding of an output are zeros in its row; where that matters, for infinity and NaN in weights,
/// the guard (MatMulAmxGuard.hpp) computes the element again without them.
#pragma once

#include <codelets/poplin/ConvBlockOperands.hpp>
#include <codelets/poplin/MatMulAmxPack.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

namespace cottonwood::kernels::detail {

/// The operands of one group of a convolution.
template <class Tag, class TIn, class TWeights, MatMulMethod METHOD>
class AmxConvOperands : public ConvBlockOperands<Tag, TIn, TWeights> {
  using Base = ConvBlockOperands<Tag, TIn, TWeights>;
  using Packer = AmxPacker<Tag, TWeights, METHOD>;
  using Range = typename Packer::Range;

public:
  AmxConvOperands(const ConvTileProblem<TIn, TWeights> &problem, std::ptrdiff_t *space)
      : Base(problem, space), lines_(convTapLines(channels_, taps(last_))),
        values_(lines_ ? taps(last_) * channels_ : channels_), chunks_(convTileSteps(values_)) {}

  std::size_t depth() const { return (lines_ ? taps_ / taps(last_) : taps_) * chunks_ * AMX_STEP; }

  void packA(std::size_t i, std::size_t rows, std::size_t p, std::size_t depth, unsigned char *to,
             Range &range) const {
    const std::size_t steps = depth / AMX_STEP;
    const Step first = stepAt(p);
    ConvInputs::Row output = inputs_.row(i);
    for (std::size_t x = 0; x < rows; x += MATMUL_TILE_BLOCK, to += Packer::panelBytes(steps)) {
      const std::size_t tiles = amxTiles(rows - x);
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t row = x + t * AMX_LANES;
        const std::size_t count = rows - row < AMX_LANES ? rows - row : AMX_LANES;
        const AmxTile tile{to + t * arch::TILE_BYTES, tiles, steps};
        for (std::size_t y = 0; y < count; ++y, inputs_.next(output))
          packRow(output, first, tile, y, range);
        Packer::clearRows(tile, count);
      }
    }
  }

  void packB(std::size_t j, std::size_t columns, std::size_t p, std::size_t depth,
             unsigned char *to, Range &range) const {
    const std::size_t steps = depth / AMX_STEP;
    // Panel by panel: weights in blocks of columns are one stream of memory each.
    for (std::size_t x = 0; x < columns; x += MATMUL_TILE_BLOCK, to += Packer::panelBytes(steps)) {
      const std::size_t tiles = amxTiles(columns - x);
      unsigned char *tile = to;
      Step step = stepAt(p);
      for (std::size_t s = 0; s < steps; ++s, tile += Packer::stepBytes(tiles), next(step))
        for (std::size_t t = 0; t < tiles; ++t) {
          const std::size_t first = x + t * AMX_LANES;
          const std::size_t count = amxCount(columns, first, AMX_LANES);
          unsigned char *const at = tile + t * arch::TILE_BYTES;
          if (lines_)
            packLineOfB(step, j + first, count, at, tiles, range);
          else
            packTileOfB(step, j + first, count, at, tiles, range);
        }
    }
  }

  void rangesOfRows(std::size_t i, std::size_t rows, const AmxRanges &ranges) const {
    for (std::size_t x = 0; x < rows; ++x) {
      const ConvInputs::Row row = inputs_.row(i + x);
      ConvTaps tap(geometry_, last_ + 1, 0);
      Range range;
      for (std::size_t t = 0; t < taps_; ++t, tap.next()) {
        const std::ptrdiff_t offset = inputs_.at(row, tap);
        for (std::size_t c = 0; offset != ConvInputs::NONE && c < channels_; c += AMX_LANES)
          range.add(Packer::loadUpTo(problem_.in + offset + c, channels_ - c));
      }
      ranges.set(x, range.bounds());
    }
  }
  void rangesOfColumns(std::size_t j, std::size_t columns, const AmxRanges &ranges) const {
    for (std::size_t x = 0; x < columns; ++x) {
      ConvTaps tap(geometry_, last_ + 1, 0);
      AmxBounds bounds;
      for (std::size_t t = 0; t < taps_; ++t, tap.next())
        bounds.add(amxBoundsOf<Tag>(weightsOf(tap) + columnAt(j + x), channelStep(), channels_));
      ranges.set(x, bounds);
    }
  }

private:
  using typename Base::V;
  using Pieces = AmxPieces<Tag, METHOD>;
  using Base::channels_, Base::channelStep, Base::columnAt, Base::eachRun, Base::geometry_,
      Base::inputs_, Base::last_, Base::problem_, Base::readColumns, Base::taps, Base::taps_,
      Base::together, Base::weightsOf;

  /// A tap, or a line of them, and some of its values.
  struct Step {
    ConvTaps tap;
    std::size_t chunk;
  };
  Step stepAt(std::size_t p) const {
    const std::size_t step = p / AMX_STEP;
    return {ConvTaps(geometry_, last_ + (lines_ ? 0 : 1), step / chunks_), step % chunks_};
  }
  void next(Step &step) const {
    if (++step.chunk == chunks_)
      step.chunk = 0, step.tap.next();
  }

  /// Line y of a tile in all its steps.
  void packRow(const ConvInputs::Row &row, const Step &first, const AmxTile &tile, std::size_t y,
               Range &range) const {
    Range local = range;
    ConvTaps tap = first.tap;
    std::size_t chunk = first.chunk;
    unsigned char *to = tile.to + y * arch::TILE_ROW_BYTES;
    for (std::size_t left = tile.steps; left != 0; chunk = 0, tap.next()) {
      const std::ptrdiff_t offset = inputs_.at(row, tap, last_ + (lines_ ? 0 : 1));
      const std::size_t n = chunks_ - chunk < left ? chunks_ - chunk : left;
      left -= n;
      for (const std::size_t end = chunk + n; chunk < end;
           ++chunk, to += Packer::stepBytes(tile.tiles)) {
        if (offset == ConvInputs::NONE) {
          Pieces(V::zero(), V::zero()).store(to, tile.tiles);
          continue;
        }
        if (lines_) {
          alignas(64) float line[AMX_STEP];
          gatherLine(row, offset, chunk * AMX_STEP, line);
          Packer::piecesOf(line, AMX_STEP, local).store(to, tile.tiles);
          continue;
        }
        const std::size_t c = chunk * AMX_STEP;
        Packer::piecesOf(problem_.in + offset + c, channels_ - c, local).store(to, tile.tiles);
      }
    }
    range = local;
  }

  /// Values [v, v + 32) of a line of an output.
  /// \param offset  of the other dimensions
  void gatherLine(const ConvInputs::Row &row, std::ptrdiff_t offset, std::size_t v,
                  float *to) const {
    V::zero().store(to), V::zero().store(to + AMX_LANES);
    eachRun(row, offset, v / channels_, v % channels_, amxCount(values_, v, AMX_STEP),
            [&](const TIn *from, std::size_t n) POP_SIMD_LAMBDA {
              if (from)
                copyToFloat<Tag>(from, 1, n, to);
              to += n;
            });
  }

  /// Columns [j, j + count) of a step of lines.
  void packLineOfB(const Step &step, std::size_t j, std::size_t count, unsigned char *to,
                   std::size_t tiles, Range &range) const {
    const TWeights *const line = weightsOf(step.tap);
    const auto valueAt = [&](std::size_t p) -> const TWeights * {
      const std::size_t v = step.chunk * AMX_STEP + p;
      if (v >= values_)
        return nullptr;
      return line + static_cast<std::ptrdiff_t>(v / channels_) * geometry_.dim[last_].tapStride +
             static_cast<std::ptrdiff_t>(v % channels_) * channelStep();
    };
    if (together(j, count) && problem_.weightsColumn == 1) {
      const std::ptrdiff_t first = columnAt(j);
      const auto at = [&](std::size_t p) {
        const TWeights *const value = valueAt(p);
        return value ? value + first : nullptr;
      };
      return Packer::packStepOfB(at, count, to, tiles, range);
    }
    const std::size_t values = amxCount(values_, step.chunk * AMX_STEP, AMX_STEP);
    alignas(64) float turned[AMX_STEP * AMX_LANES];
    for (std::size_t p = 0; p < values; ++p)
      readColumns(valueAt(p), j, count, turned + p * AMX_LANES);
    packTurned(turned, values, to, tiles, range);
  }

  /// A step of `values` lines of 16 columns each.
  POP_SIMD_INLINE static void packTurned(const float *turned, std::size_t values, unsigned char *to,
                                         std::size_t tiles, Range &range) {
    const auto at = [&](std::size_t p) { return p < values ? turned + p * AMX_LANES : nullptr; };
    Packer::packStepOfB(at, AMX_LANES, to, tiles, range);
  }

  /// Columns [j, j + count) of any other step.
  void packTileOfB(const Step &step, std::size_t j, std::size_t count, unsigned char *to,
                   std::size_t tiles, Range &range) const {
    const TWeights *const from =
        weightsOf(step.tap) + static_cast<std::ptrdiff_t>(step.chunk * AMX_STEP) * channelStep();
    const std::size_t values = amxCount(channels_, step.chunk * AMX_STEP, AMX_STEP);
    if (together(j, count) && problem_.weightsColumn == 1) {
      const TWeights *const first = from + columnAt(j);
      // Weights are mostly in the order of steps: the next one is fetched meanwhile.
      const auto at = [&](std::size_t p) POP_SIMD_LAMBDA {
        const TWeights *const row = first + static_cast<std::ptrdiff_t>(p) * channelStep();
        __builtin_prefetch(row + static_cast<std::ptrdiff_t>(AMX_STEP) * channelStep());
        return p < values ? row : nullptr;
      };
      return Packer::packStepOfB(at, count, to, tiles, range);
    }
    alignas(64) float turned[AMX_STEP * AMX_LANES];
    if (together(j, count) && channelStep() == 1)
      for (std::size_t x = 0; x < values; x += AMX_LANES)
        copyTurned<Tag>(from + columnAt(j) + x, problem_.weightsColumn, values - x, count,
                        turned + x * AMX_LANES, AMX_LANES);
    else
      for (std::size_t p = 0; p < values; ++p)
        readColumns(from + static_cast<std::ptrdiff_t>(p) * channelStep(), j, count,
                    turned + p * AMX_LANES);
    packTurned(turned, values, to, tiles, range);
  }

  const bool lines_;
  const std::size_t values_, chunks_; ///< of a tap or a line of taps; the steps that they take
};

} // namespace cottonwood::kernels::detail
