/// \file ConvFp16.hpp
/// Convolutions by half arithmetic, for tags that have it: products whose rows are outputs, by the
/// method FP16 (MatMulFp16.hpp).
///
/// Values of k are the taps one behind another, each with its input channels; no zeros lie between
/// them. Rows of A are copied from the input, taps that lie side by side at once; those in the
/// padding are zeros. Where that matters, for infinity and NaN in weights, sums are not finite, and
/// computed again without them.
#pragma once

#include <codelets/poplin/ConvBlockOperands.hpp>
#include <codelets/poplin/MatMulFp16.hpp>

namespace cottonwood::kernels {

namespace detail {

/// One group of a convolution.
template <class Tag, class TIn> class Fp16ConvOperands : public ConvBlockOperands<Tag, TIn, half> {
  using Base = ConvBlockOperands<Tag, TIn, half>;

public:
  Fp16ConvOperands(const ConvTileProblem<TIn, half> &problem, std::ptrdiff_t *space)
      : Base(problem, space), lineTaps_(taps(last_)) {}

  std::size_t depth() const { return taps_ * channels_; }

  Fp16Rows packRows(std::size_t i, std::size_t rows, std::size_t height, std::size_t p,
                    std::size_t depth, half *to) const {
    const Place first(*this, p);
    ConvInputs::Row output = inputs_.row(i);
    for (std::size_t x = 0; x < rows; ++x, inputs_.next(output))
      packRow(output, first, depth, to + x * FP16_ROW);
    return fp16Lines(rows, height, depth, to);
  }

  void packStrip(std::size_t j, std::size_t columns, std::size_t p, std::size_t depth,
                 half *to) const {
    ConvTaps tap(geometry_, last_ + 1, p / channels_);
    std::size_t channel = p % channels_;
    if (channels_ % 2 != 0 || !together(j, columns))
      return packApart(tap, channel, j, columns, depth, to);
    // Both values of a pair are of one tap.
    for (std::size_t left = depth, n; left != 0; left -= n, channel = 0, tap.next()) {
      n = least(channels_ - channel, left);
      packFp16Strip<Tag>(
          {weightsOf(tap, channel) + columnAt(j), channelStep(), problem_.weightsColumn}, columns,
          n, to);
      to += n * fp16Vectors(columns) * Pairs::PAIRS;
    }
  }

private:
  using Pairs = arch::HalfPairs<Tag>;
  using Base::channels_, Base::channelStep, Base::columnAt, Base::eachRun, Base::geometry_,
      Base::inputs_, Base::last_, Base::problem_, Base::taps, Base::taps_, Base::together,
      Base::weightsOf;

  static constexpr std::size_t least(std::size_t x, std::size_t y) { return x < y ? x : y; }

  const half *weightsOf(const ConvTaps &tap, std::size_t channel) const {
    return weightsOf(tap) + static_cast<std::ptrdiff_t>(channel) * channelStep();
  }

  /// A value of k: a line of taps of the last dimension, a tap of it, a channel.
  struct Place {
    ConvTaps line;
    std::size_t tap, channel;

    Place(const Fp16ConvOperands &self, std::size_t p)
        : line(self.geometry_, self.last_, p / self.channels_ / self.lineTaps_),
          tap(p / self.channels_ % self.lineTaps_), channel(p % self.channels_) {}
  };

  /// Values of an output from a place on. Vectors are stored whole, and what is too much
  /// overwritten by the next ones.
  POP_SIMD_INLINE void packRow(const ConvInputs::Row &row, const Place &first, std::size_t depth,
                               half *to) const {
    if (depth % 2 != 0)
      to[depth] = half{};
    ConvTaps line = first.line;
    std::size_t tap = first.tap, channel = first.channel;
    for (std::size_t left = depth, n; left != 0; left -= n, line.next(), tap = channel = 0) {
      n = least((lineTaps_ - tap) * channels_ - channel, left);
      const auto copy = [&](const TIn *from, std::size_t run) POP_SIMD_LAMBDA {
        copyRun(from, run, to);
        to += run;
      };
      const std::ptrdiff_t offset = inputs_.at(row, line, last_);
      if (offset == ConvInputs::NONE)
        copy(nullptr, n);
      else
        eachRun(row, offset, tap, channel, n, copy);
    }
  }

  /// n values, or zeros, and as many more as fill a vector.
  POP_SIMD_INLINE static void copyRun(const TIn *from, std::size_t n, half *to) {
    if constexpr (std::is_same_v<TIn, half>) {
      constexpr std::size_t W = 2 * Pairs::PAIRS;
      for (std::size_t x = 0; x < n; x += W)
        Pairs::store(from ? Pairs::load(from + x, n - x) : Base::V::zero(), to + x);
    } else {
      constexpr std::size_t W = Base::LANES;
      for (std::size_t x = 0; x < n; x += W)
        (from ? Base::V::loadPartial(from + x, least(n - x, W)) : Base::V::zero()).store(to + x);
    }
  }

  /// Columns anywhere, and pairs of values of two taps.
  void packApart(ConvTaps tap, std::size_t channel, std::size_t j, std::size_t columns,
                 std::size_t depth, half *to) const {
    constexpr std::size_t W = Pairs::PAIRS;
    const bool sideBySide = problem_.weightsColumn == 1 && together(j, columns);
    const half *weights[2];
    for (std::size_t q = 0; q < depth; q += 2) {
      for (std::size_t y = 0; y < 2; ++y) {
        weights[y] = q + y < depth ? weightsOf(tap, channel) : nullptr;
        if (++channel == channels_)
          channel = 0, tap.next();
      }
      for (std::size_t x = 0; x < columns; x += W, to += 2 * W) {
        const std::size_t n = least(columns - x, W);
        if (sideBySide) {
          const std::ptrdiff_t first = columnAt(j + x);
          Pairs::zip(weights[0] + first, weights[1] ? weights[1] + first : nullptr, n, to);
          continue;
        }
        for (std::size_t y = 0; y < W; ++y) {
          to[2 * y] = y < n ? weights[0][columnAt(j + x + y)] : half{};
          to[2 * y + 1] = y < n && weights[1] ? weights[1][columnAt(j + x + y)] : half{};
        }
      }
    }
  }

  const std::size_t lineTaps_;
};

template <class Tag, class TIn>
void fp16Convolve(const ConvTileProblem<TIn, half> &problem, const ConvGrid &, const ConvGridPlan &,
                  float *workspace, const TileOutput &output) {
  using Operands = Fp16ConvOperands<Tag, TIn>;
  auto *const space = reinterpret_cast<std::ptrdiff_t *>(alignedToLine(workspace));
  const Operands operands(problem, space);
  float *const rest =
      alignedToLine(reinterpret_cast<float *>(space + convTileEntries(*problem.geometry)));
  Fp16Product<Tag, Operands>(operands, matMulFp16Blocking(), rest, output).run();
}

} // namespace detail

template <class Tag> ConvTileKernels convFp16KernelsOf() {
  ConvTileKernels kernels{};
  kernels.floats.fp16 = &detail::fp16Convolve<Tag, float>;
  kernels.halves.fp16 = &detail::fp16Convolve<Tag, half>;
  return kernels;
}

} // namespace cottonwood::kernels
