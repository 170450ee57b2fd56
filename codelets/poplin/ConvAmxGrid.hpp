/// \file ConvAmxGrid.hpp
/// Convolutions on matrix tiles whose input is split into pieces once for all taps, in grids
/// (ConvTileGrid.hpp) from which tiles of A are loaded in place.
///
/// Sums have the same bits as those of AmxProduct: the same steps of k, in the same order.
#pragma once

#include <codelets/poplin/ConvTileGrid.hpp>
#include <codelets/poplin/ConvTiles.hpp>
#include <codelets/poplin/MatMulAmxProduct.hpp>

namespace cottonwood::kernels::detail {

/// One group of a convolution.
/// \tparam Operands  of AmxProduct; packA() is not used
template <class Tag, class TWeights, MatMulMethod METHOD, class Operands> class AmxGridProduct {
public:
  /// \param workspace  convGridSpace() bytes, from a cache line on
  AmxGridProduct(const ConvTileProblem<TWeights> &problem, const Operands &operands,
                 const ConvGrid &grid, const ConvGridPlan &plan, unsigned char *workspace,
                 const TileOutput &output)
      : problem_(problem), operands_(operands), grid_(grid), plan_(plan),
        space_(convGridSpace(grid, plan, METHOD)),
        chunks_((grid.channels + AMX_STEP - 1) / AMX_STEP), input_(workspace),
        steps_(reinterpret_cast<std::ptrdiff_t *>(input_ + space_.input)),
        tapCells_(reinterpret_cast<std::size_t *>(steps_ + grid.taps * chunks_)),
        b_(reinterpret_cast<unsigned char *>(steps_) + space_.steps + space_.inputRanges),
        sums_(reinterpret_cast<float *>(b_ + space_.b)),
        result_(operands, output, sums_ + (space_.sums + space_.ranges) / sizeof(float)) {
    auto *const inputRanges =
        reinterpret_cast<float *>(reinterpret_cast<unsigned char *>(steps_) + space_.steps);
    inputRanges_ = {inputRanges, inputRanges + grid.grids * space_.cells};
    float *const ranges = sums_ + space_.sums / sizeof(float);
    rangesA_ = {ranges, ranges + plan.band};
    rangesB_ = {ranges + 2 * plan.band, ranges + 2 * plan.band + SIDE};
    for (std::size_t t = 0; t < grid.taps; ++t) {
      const ConvGrid::Tap tap = grid.tap(t);
      tapCells_[t] = tap.grid * space_.cells + tap.offset;
      for (std::size_t c = 0; c < chunks_; ++c)
        steps_[t * chunks_ + c] =
            static_cast<std::ptrdiff_t>(cellOffset(tap.grid, c) + tap.offset * CELL);
    }
  }

  void run() {
    for (std::size_t first = 0; first < grid_.positions; first += plan_.band) {
      const std::size_t left = grid_.positions - first;
      const std::size_t count = left < plan_.band ? left : plan_.band;
      std::size_t number = 0;
      forEachGrid([&](const int *slots) { splitInput(slots, number++, first); });
      if constexpr (RANGES)
        findRangesOfA(count);
      for (std::size_t j = 0; j < operands_.columns(); j += SIDE)
        runColumns(first, count, j);
    }
  }

private:
  using V = simd<float, Tag>;
  using Packer = AmxPacker<Tag, float, METHOD>;
  using Pieces = AmxPieces<Tag, METHOD>;
  using Range = AmxRange<Tag, amxHasRanges(METHOD)>;
  static constexpr std::size_t SIDE = MATMUL_TILE_BLOCK, BLOCK = SIDE * SIDE;
  static constexpr std::size_t PIECE = arch::TILE_ROW_BYTES;
  /// A cell of a chunk of channels: its pieces one behind another.
  static constexpr std::size_t CELL = Pieces::COUNT * PIECE;
  static constexpr bool RANGES = amxHasRanges(METHOD);

  /// Where the cells of a grid and a chunk start.
  std::size_t cellOffset(std::size_t grid, std::size_t chunk) const {
    return (grid * chunks_ + chunk) * space_.cells * CELL;
  }

  /// f(slots of the dimensions), in the order of ConvGrid::Tap::grid.
  template <class F> void forEachGrid(F f) const {
    int slots[CONV_MAX_DIMS] = {};
    for (bool more = true; more;) {
      f(slots);
      more = false;
      for (unsigned d = grid_.dims; d-- > 0 && !more;) {
        more = ++slots[d] < grid_.dim[d].residues;
        if (!more)
          slots[d] = 0;
      }
    }
  }

  /// The cells of a grid from position `first` on.
  void splitInput(const int *slots, std::size_t number, std::size_t first) const {
    const unsigned last = grid_.dims - 1;
    const ConvGridDim &line = grid_.dim[last];
    const std::ptrdiff_t step = line.step * line.inStride;
    for (std::size_t x = 0; x < space_.cells;) {
      std::size_t position = first + x;
      std::ptrdiff_t offset = 0;
      bool inside = true;
      for (unsigned d = 0; d < last; ++d) {
        const int in =
            grid_.dim[d].inputOf(static_cast<std::ptrdiff_t>(position / grid_.pitch[d]), slots[d]);
        position %= grid_.pitch[d];
        inside = inside && in >= grid_.dim[d].low && in <= grid_.dim[d].high;
        offset += in * grid_.dim[d].inStride;
      }
      // The rest of a line, or of everything if there are no others.
      const std::size_t left = space_.cells - x;
      const std::size_t toEnd = last == 0 ? left : static_cast<std::size_t>(line.cells) - position;
      const std::size_t count = toEnd < left ? toEnd : left;
      int in = line.inputOf(static_cast<std::ptrdiff_t>(position), slots[last]);
      const float *from = problem_.in + offset + in * line.inStride;
      for (std::size_t i = 0; i < count; ++i, ++x, in += line.step, from += step)
        splitCell(inside && in >= line.low && in <= line.high ? from : nullptr, number, x);
    }
  }

  /// \param from  the channels; null for zeros
  POP_SIMD_INLINE void splitCell(const float *from, std::size_t number, std::size_t x) const {
    unsigned char *to = input_ + cellOffset(number, 0) + x * CELL;
    const std::size_t next = cellOffset(0, 1);
    const std::size_t at = number * space_.cells + x;
    if (!from) {
      for (std::size_t c = 0; c < chunks_; ++c, to += next)
        Pieces(V::zero(), V::zero()).storeApart(to, PIECE);
      if constexpr (RANGES)
        inputRanges_.from(at).clear(1);
      return;
    }
    const AmxRanges ranges = inputRanges_.from(at);
    if constexpr (RANGES)
      ranges.clear(1);
    Range range = Range::ofRow(ranges);
    std::size_t left = grid_.channels;
    for (; left >= AMX_STEP; left -= AMX_STEP, from += AMX_STEP, to += next) {
      const V low = V::load(from), high = V::load(from + AMX_LANES);
      range.add(low), range.add(high);
      Pieces(low, high).storeApart(to, PIECE);
    }
    if (left != 0) {
      const V low = Packer::loadUpTo(from, left);
      const V high =
          left > AMX_LANES ? Packer::loadUpTo(from + AMX_LANES, left - AMX_LANES) : V::zero();
      range.add(low), range.add(high);
      Pieces(low, high).storeApart(to, PIECE);
    }
    range.storeRow(ranges);
  }

  /// Of each position of whole panels, over all its taps.
  void findRangesOfA(std::size_t count) const {
    const std::size_t end = (count + SIDE - 1) / SIDE * SIDE;
    for (std::size_t x = 0; x < end; x += AMX_LANES) {
      V least = V::splat(std::numeric_limits<float>::infinity()), most = V::zero();
      for (std::size_t t = 0; t < grid_.taps; ++t) {
        const AmxRanges ranges = inputRanges_.from(tapCells_[t] + x);
        least = V::min(least, V::load(ranges.least)), most = V::max(most, V::load(ranges.most));
      }
      least.store(rangesA_.least + x), most.store(rangesA_.most + x);
    }
  }

  /// A panel of columns, all positions of a band.
  void runColumns(std::size_t first, std::size_t count, std::size_t j) {
    const std::size_t k = operands_.depth();
    const std::size_t columns = amxCount(operands_.columns(), j, SIDE);
    if constexpr (RANGES)
      rangesB_.clear(SIDE);
    for (std::size_t p = 0; p < k; p += plan_.depth) {
      const std::size_t depth = amxCount(k, p, plan_.depth);
      operands_.packB(j, columns, p, depth, b_, rangesB_);
      AmxBlockArgs block{b_, depth / AMX_STEP, sums_, p == 0};
      const bool last = p + depth == k;
      for (std::size_t x = 0; x < count; x += SIDE) {
        const std::size_t rows = amxCount(count, x, SIDE);
        if (k > plan_.depth) // sums wait for the next pass
          block.sums = sums_ + x * SIDE;
        const std::size_t tileRows = amxTiles(rows), tileColumns = amxTiles(columns);
        const AmxGridOfA a{input_ + x * CELL, steps_ + p / AMX_STEP, CELL, PIECE};
        runAmxBlock<Tag, METHOD>(
            tiles_, tileRows, tileColumns, [&](auto) { return a; }, block);
        if (!last)
          continue;
        result_.clearRest(block.sums, tileRows, tileColumns);
        finish(first + x, rows, j, columns, rangesA_.from(x), block.sums);
      }
    }
  }

  /// Rows of a block that are outputs.
  void finish(std::size_t position, std::size_t rows, std::size_t j, std::size_t columns,
              const AmxRanges &ranges, float *sums) {
    const bool suspicious = result_.suspicious(sums, ranges, rangesB_);
    for (std::size_t x = 0; x < rows;) {
      const ConvGrid::Run run = grid_.run(position + x);
      const std::size_t count = run.count < rows - x ? run.count : rows - x;
      if (count != 0)
        result_.finish({run.output, j, count, columns}, ranges.from(x), rangesB_, suspicious,
                       sums + x * SIDE);
      x += count != 0 ? count : run.skip;
    }
  }

  arch::Tiles<Tag> tiles_;
  const ConvTileProblem<TWeights> &problem_;
  const Operands &operands_;
  const ConvGrid &grid_;
  const ConvGridPlan plan_;
  const ConvGridSpace space_;
  const std::size_t chunks_;
  unsigned char *const input_;
  std::ptrdiff_t *const steps_;
  std::size_t *const tapCells_; ///< of each tap, in the ranges of the input
  unsigned char *const b_;
  float *const sums_;
  AmxResult<Tag, METHOD, Operands> result_;
  AmxRanges inputRanges_, rangesA_, rangesB_;
};

} // namespace cottonwood::kernels::detail
