/// \file ConvAmxGrid.hpp
/// Convolutions on matrix tiles whose input is split into pieces once for all taps, in grids
/// (ConvTileGrid.hpp) from which tiles of A are loaded in place.
///
/// Sums have the same bits as those of AmxProduct: the same steps of k, in the same order.
#pragma once

#include <codelets/poplin/ConvTileGrid.hpp>
#include <codelets/poplin/ConvTiles.hpp>
#include <codelets/poplin/MatMulAmxProduct.hpp>
#include <codelets/poplin/MatMulTileBlocking.hpp>

namespace cottonwood::kernels::detail {

/// One group of a convolution.
/// \tparam Operands  of AmxProduct, without packA()
template <class Tag, class TIn, class TWeights, MatMulMethod METHOD, class Operands>
class AmxGridProduct {
public:
  /// \param workspace  convGridSpace() bytes, from a cache line on
  AmxGridProduct(const ConvTileProblem<TIn, TWeights> &problem, const Operands &operands,
                 const ConvGrid &grid, const ConvGridPlan &plan, unsigned char *workspace,
                 const TileOutput &output)
      : problem_(problem), operands_(operands), grid_(grid), plan_(plan),
        space_(convGridSpace(grid, problem.columns, plan, METHOD)),
        chunks_(convTileSteps(grid.values)), input_(workspace),
        line_(reinterpret_cast<TIn *>(input_ + space_.input)),
        steps_(reinterpret_cast<std::ptrdiff_t *>(input_ + space_.input + space_.line)),
        b_(reinterpret_cast<unsigned char *>(steps_) + space_.steps),
        sums_(reinterpret_cast<float *>(b_ + space_.b)),
        result_(operands, output, sums_ + (space_.sums + space_.ranges) / sizeof(float)) {
    float *const ranges = sums_ + space_.sums / sizeof(float);
    rangesA_ = {ranges, ranges + plan.band};
    const std::size_t columns = plan.keepsB ? (problem.columns + SIDE - 1) / SIDE * SIDE : SIDE;
    rangesB_ = {ranges + 2 * plan.band, ranges + 2 * plan.band + columns};
    rangesB_.forget(columns);
    for (std::size_t t = 0; t < grid.taps; ++t) {
      const ConvGrid::Tap tap = grid.tap(t);
      for (std::size_t c = 0; c < chunks_; ++c)
        steps_[t * chunks_ + c] = static_cast<std::ptrdiff_t>(
            (tap.grid * chunks_ + c) * space_.gridBytes + tap.offset * CELL);
    }
  }

  void run() {
    for (std::size_t first = 0; first < grid_.positions; first += plan_.band) {
      const std::size_t count = amxCount(grid_.positions, first, plan_.band);
      splitInput(first);
      rangesA_.forget(count);
      for (std::size_t j = 0; j < operands_.columns(); j += SIDE)
        runColumns(first, count, j);
    }
  }

private:
  using V = simd<float, Tag>;
  using Packer = AmxPacker<Tag, float, METHOD>;
  using Pieces = AmxPieces<Tag, METHOD>;
  using Range = AmxRange<Tag, amxHasRanges(METHOD)>;
  static constexpr std::size_t SIDE = MATMUL_TILE_BLOCK;
  static constexpr std::size_t PIECE = arch::TILE_ROW_BYTES;
  static constexpr std::size_t CELL = AmxGridOfA<METHOD>::ROW_BYTES;
  static constexpr bool RANGES = amxHasRanges(METHOD);

  /// The inputs of all cells of a band.
  void splitInput(std::size_t first) {
    Range range;
    int slots[CONV_MAX_DIMS] = {};
    unsigned char *to = input_;
    for (bool more = true; more; to += chunks_ * space_.gridBytes) { // as ConvGrid::Tap::grid
      splitGrid(slots, to, first, range);
      more = false;
      for (unsigned d = grid_.dims; d-- > 0 && !more;) {
        more = ++slots[d] < grid_.dim[d].residues;
        if (!more)
          slots[d] = 0;
      }
    }
    boundsA_ = range.bounds();
  }

  /// Row by row of the last dimension.
  void splitGrid(const int *slots, unsigned char *to, std::size_t first, Range &range) const {
    const unsigned last = grid_.dims - 1;
    const ConvGridDim &line = grid_.dim[last];
    for (std::size_t x = 0, count; x < space_.cells; x += count) {
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
      // The rest of a row, or of everything if there are no others.
      const std::size_t left = space_.cells - x;
      const std::size_t toEnd = last == 0 ? left : static_cast<std::size_t>(line.cells) - position;
      count = toEnd < left ? toEnd : left;
      const int in = line.inputOf(static_cast<std::ptrdiff_t>(position), slots[last]);
      const TIn *const from = problem_.in + offset;
      splitCells(inside ? from : nullptr, in, count, to + x * CELL, range);
    }
  }

  /// Cells of a row from input `in` on. \param from  input 0; null if all are zeros
  void splitCells(const TIn *from, int in, std::size_t count, unsigned char *to,
                  Range &range) const {
    const ConvGridDim &line = grid_.dim[grid_.dims - 1];
    Range local = range;
    for (std::size_t i = 0; i < count; ++i, in += line.step, to += CELL)
      if (const TIn *const values = from ? valuesAt(from, in) : nullptr)
        splitCell(values, to, local);
      else
        for (std::size_t c = 0; c < chunks_; ++c)
          Pieces(V::zero(), V::zero()).storeApart(to + c * space_.gridBytes, PIECE);
    range = local;
  }

  /// The values of a cell; null if all are zeros.
  POP_SIMD_INLINE const TIn *valuesAt(const TIn *from, int in) const {
    const ConvGridDim &line = grid_.dim[grid_.dims - 1];
    const auto isInput = [&](int i) { return i >= line.low && i <= line.high; };
    const TIn *const first = from + in * line.inStride;
    if (!grid_.lines)
      return isInput(in) ? first : nullptr;
    const int end = in + (line.taps - 1) * line.tapStep;
    const auto channels = static_cast<std::ptrdiff_t>(grid_.channels);
    if (isInput(in) && isInput(end) && line.tapStep * line.inStride == channels)
      return first;
    return gatherLine(from, in);
  }
  const TIn *gatherLine(const TIn *from, int in) const {
    const ConvGridDim &line = grid_.dim[grid_.dims - 1];
    TIn *to = line_;
    for (int t = 0; t < line.taps; ++t, in += line.tapStep)
      for (std::size_t c = 0; c < grid_.channels; ++c)
        *to++ = in >= line.low && in <= line.high
                    ? from[in * line.inStride + static_cast<std::ptrdiff_t>(c)]
                    : TIn{};
    return line_;
  }

  POP_SIMD_INLINE void splitCell(const TIn *from, unsigned char *to, Range &range) const {
    std::size_t left = grid_.values;
    for (; left > AMX_STEP; left -= AMX_STEP, from += AMX_STEP, to += space_.gridBytes)
      Packer::piecesOf(from, AMX_STEP, range).storeApart(to, PIECE);
    Packer::piecesOf(from, left, range).storeApart(to, PIECE);
  }

  /// f(first row, its output, how many) for all that are outputs among rows from a position on.
  template <class F> void forEachRun(std::size_t position, std::size_t rows, F f) const {
    for (std::size_t x = 0; x < rows;) {
      const ConvGrid::Run run = grid_.run(position + x);
      const std::size_t count = run.count < rows - x ? run.count : rows - x;
      if (count != 0)
        f(x, run.output, count);
      x += count != 0 ? count : run.skip;
    }
  }

  /// A panel of columns, all positions of a band.
  void runColumns(std::size_t first, std::size_t count, std::size_t j) {
    const std::size_t k = operands_.depth();
    const std::size_t columns = amxCount(operands_.columns(), j, SIDE);
    const bool packsB = !plan_.keepsB || first == 0;
    unsigned char *const b =
        b_ + (plan_.keepsB ? j / SIDE * Packer::panelBytes(plan_.depth / AMX_STEP) : 0);
    const AmxRanges rangesB = rangesB_.from(plan_.keepsB ? j : 0);
    if (!plan_.keepsB)
      boundsB_ = {}, rangesB.forget(SIDE);
    for (std::size_t p = 0; p < k; p += plan_.depth) {
      const std::size_t depth = amxCount(k, p, plan_.depth);
      if (packsB) {
        Range range;
        operands_.packB(j, columns, p, depth, b, range);
        boundsB_.add(range.bounds());
      }
      AmxBlockArgs block{b, depth / AMX_STEP, sums_, p == 0};
      const bool last = p + depth == k;
      for (std::size_t x = 0; x < count; x += SIDE) {
        const std::size_t rows = amxCount(count, x, SIDE);
        if (k > plan_.depth) // sums wait for the next pass
          block.sums = sums_ + x * SIDE;
        const std::size_t tileRows = amxTiles(rows), tileColumns = amxTiles(columns);
        const AmxGridOfA<METHOD> a{input_ + x * CELL, steps_ + p / AMX_STEP};
        runAmxBlock<Tag, METHOD>(
            tiles_, tileRows, tileColumns, [&](auto) { return a; }, block);
        if (!last)
          continue;
        result_.clearRest(block.sums, tileRows, tileColumns);
        finish(first, x, {0, j, rows, columns}, rangesB, block.sums);
      }
    }
  }

  /// Rows of a panel that are outputs.
  void finish(std::size_t first, std::size_t x, const TilePlace &place, const AmxRanges &rangesB,
              float *sums) {
    const bool suspicious = result_.suspicious(sums, boundsA_, boundsB_);
    const AmxRanges ranges = rangesA_.from(x);
    if (RANGES && suspicious) {
      if (!ranges.known()) {
        ranges.set(0, {}); // it may be no output
        forEachRun(first + x, place.rows,
                   [&](std::size_t i, std::size_t output, std::size_t count) {
                     operands_.rangesOfRows(output, count, ranges.from(i));
                   });
      }
      if (!rangesB.known())
        operands_.rangesOfColumns(place.j, place.columns, rangesB);
    }
    forEachRun(first + x, place.rows, [&](std::size_t i, std::size_t output, std::size_t count) {
      result_.finish({output, place.j, count, place.columns}, ranges.from(i), rangesB, suspicious,
                     sums + i * SIDE);
    });
  }

  arch::Tiles<Tag> tiles_;
  const ConvTileProblem<TIn, TWeights> &problem_;
  const Operands &operands_;
  const ConvGrid &grid_;
  const ConvGridPlan plan_;
  const ConvGridSpace space_;
  const std::size_t chunks_;
  unsigned char *const input_;
  TIn *const line_;
  std::ptrdiff_t *const steps_;
  unsigned char *const b_;
  float *const sums_;
  AmxResult<Tag, METHOD, Operands> result_;
  AmxRanges rangesA_, rangesB_;
  AmxBounds boundsA_, boundsB_;
};

} // namespace cottonwood::kernels::detail
