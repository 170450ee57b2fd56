/// \file ConvChannelLines.hpp
/// Convolutions of groups of one channel each, line by line.
#pragma once

#include <codelets/poplin/ConvBox.hpp>
#include <codelets/poplin/ConvChannelRow.hpp>

namespace cottonwood::kernels::detail {

/// Lines of outputs of boxes with CONV_ROW_TAPS taps a segment, all channels of them.
/// \tparam OutAt  outAt(pixel): where the channels of an output begin
template <class Tag, class TIn, class TWeights, class TOut, class OutAt> class ConvChannelLines {
public:
  using Tile = ConvTileArgs<TIn, TWeights>;

  /// \param outPixel  elements between outputs
  ConvChannelLines(const TIn *in, const OutAt &outAt, std::size_t outPixel)
      : in_(in), outAt_(outAt),
        most_(outPixel * sizeof(TOut) % CONFLICT == 0 ? CONV_ROW_FEW : CONV_ROW_OUTPUTS) {}

  /// Two lines at a time if they share inputs.
  void run(const ConvBox &box, const std::ptrdiff_t *outStride, const Tile &tile) {
    line_.segments = tile.segments, line_.numSegments = tile.numSegments;
    line_.weightsStep = tile.weightsStep, line_.inStep = tile.inStep;
    weights_ = tile.weights, columns_ = tile.columns;
    const std::ptrdiff_t apart = distance(tile);
    ConvRows row(box, outStride);
    for (std::size_t left = box.outputs(); left != 0;) {
      line_.nextLine = apart != 0 && row.hasNextLine() && row.nextLineIn() == apart ? apart : 0;
      runLine(row);
      for (std::size_t n = numLines(); n > 0; --n) {
        left -= row.left();
        row.skip(row.left());
      }
    }
  }

private:
  /// Places this many bytes apart, or a multiple, share a few sets of L1: of them, only a few are
  /// worked on at a time.
  static constexpr std::size_t CONFLICT = 2048;

  std::size_t numLines() const { return line_.nextLine != 0 ? 2 : 1; }

  /// Elements of the input between neighbouring segments, if it is the same for all, else 0.
  static std::ptrdiff_t distance(const Tile &tile) {
    const std::ptrdiff_t first =
        tile.numSegments > 1 ? tile.segments[1].in - tile.segments[0].in : 0;
    for (std::size_t s = 2; s < tile.numSegments; ++s)
      if (tile.segments[s].in - tile.segments[s - 1].in != first)
        return 0;
    return first;
  }

  /// The line at `row`, and the next one if nextLine says so.
  void runLine(const ConvRows &row) {
    const std::size_t all = row.left();
    line_.inOut = row.inStep();
    const bool shares = sharesInputs(line_.inOut, line_.inStep);
    const std::size_t n = !shares || all < CONV_ROW_FEW ? 1 : all >= most_ ? most_ : CONV_ROW_FEW;
    for (std::size_t x = 0; x < all; x += n) {
      // The last few begin early enough to be whole: some are computed twice, alike.
      const std::size_t begin = all - x < n ? all - n : x;
      const auto first = static_cast<std::ptrdiff_t>(begin);
      line_.in = in_ + (row.in() + first * line_.inOut);
      place(row, first, n);
      runOutputs(n);
    }
  }

  /// The places of n outputs from `first` in the line, and of those below them.
  void place(const ConvRows &row, std::ptrdiff_t first, std::size_t n) {
    const std::ptrdiff_t below = line_.nextLine != 0 ? row.nextLineOut() : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::ptrdiff_t at =
          row.out() + (first + static_cast<std::ptrdiff_t>(i)) * row.outStep();
      pixels_[0][i] = static_cast<std::size_t>(at);
      pixels_[1][i] = static_cast<std::size_t>(at + below);
    }
  }

  /// All columns of n outputs.
  void runOutputs(std::size_t n) {
    TOut *outs[2][CONV_ROW_OUTPUTS];
    for (std::size_t below = 0; below < numLines(); ++below)
      for (std::size_t i = 0; i < n; ++i)
        outs[below][i] = outAt_(pixels_[below][i]);
    line_.weights = weights_, line_.columns = columns_;
    runConvChannelRow<Tag>(n, line_,
                           [&](unsigned below, auto x, std::size_t j, std::size_t lanes,
                               simd<float, Tag> sum) POP_SIMD_LAMBDA {
                             TOut *const to = outs[below][x] + j;
                             if (lanes == static_cast<std::size_t>(simd<float, Tag>::width))
                               sum.store(to);
                             else
                               sum.storePartial(to, lanes);
                           });
  }

  const TIn *in_;
  const OutAt &outAt_;
  const std::size_t most_;
  ConvChannelRow<TIn, TWeights> line_{};
  const TWeights *weights_ = nullptr;
  std::size_t columns_ = 0;
  std::size_t pixels_[2][CONV_ROW_OUTPUTS] = {};
};

} // namespace cottonwood::kernels::detail
