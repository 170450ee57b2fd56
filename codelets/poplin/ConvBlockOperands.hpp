/// \file ConvBlockOperands.hpp
/// A convolution as a product whose sums come in blocks (MatMulTiles.hpp): rows are outputs,
/// columns output channels, values of k taps with their input channels. How a method packs them is
/// its own; here is what they are, and elements by multiply-adds.
#pragma once

#include <codelets/poplin/ConvInputs.hpp>
#include <codelets/poplin/ConvTiles.hpp>

namespace cottonwood::kernels::detail {

/// One group of a convolution.
template <class Tag, class TIn, class TWeights> class ConvBlockOperands {
public:
  /// \param space  convTileEntries() of the geometry
  ConvBlockOperands(const ConvTileProblem<TIn, TWeights> &problem, std::ptrdiff_t *space)
      : problem_(problem), geometry_(*problem.geometry), inputs_(geometry_, space),
        last_(geometry_.dims - 2), channels_(taps(geometry_.dims - 1)) {
    for (unsigned d = 0; d <= last_; ++d)
      taps_ *= taps(d);
  }

  std::size_t rows() const { return problem_.outputs; }
  std::size_t columns() const { return problem_.columns; }

  /// Chains run over the taps in ascending order, without those in the padding.
  void chains(const TilePlace &place, bool accumulate, float *to, float *) const {
    const std::size_t low = place.columns < LANES ? place.columns : LANES;
    const std::size_t high = place.columns - low;
    for (std::size_t i = 0; i < place.rows; ++i, to += MATMUL_TILE_BLOCK) {
      V sum[2] = {V::zero(), V::zero()};
      if (accumulate)
        sum[0] = V::loadPartial(to, low), sum[1] = V::loadPartial(to + LANES, high);
      chain(place.i + i, place.j, low, high, sum);
      sum[0].storePartial(to, low);
      sum[1].storePartial(to + LANES, high);
    }
  }

protected:
  using V = simd<float, Tag>;
  using One = simd<float, isa::scalar>;
  static constexpr std::size_t LANES = 16;
  static_assert(V::width == LANES);

  std::size_t taps(unsigned d) const { return static_cast<std::size_t>(geometry_.dim[d].taps); }

  std::ptrdiff_t channelStep() const { return geometry_.dim[geometry_.dims - 1].tapStride; }
  /// The weights of a tap: its first channel, first column.
  const TWeights *weightsOf(const ConvTaps &tap) const {
    const TWeights *at = problem_.weights;
    for (unsigned d = 0; d + 1 < geometry_.dims; ++d)
      at += tap[d] * geometry_.dim[d].tapStride;
    return at;
  }
  std::ptrdiff_t columnAt(std::size_t j) const {
    return static_cast<std::ptrdiff_t>(j / problem_.weightsBlock) * problem_.weightsBlockStride +
           static_cast<std::ptrdiff_t>(j % problem_.weightsBlock) * problem_.weightsColumn;
  }
  /// True if columns [j, j + count) lie at equal distances.
  bool together(std::size_t j, std::size_t count) const {
    return j % problem_.weightsBlock + count <= problem_.weightsBlock;
  }

  /// Columns [j, j + count) of one channel, and zeros.
  void readColumns(const TWeights *from, std::size_t j, std::size_t count, float *to) const {
    for (std::size_t x = 0; x < LANES; ++x)
      if (x < count)
        One::load(from + columnAt(j + x)).store(to + x);
      else
        to[x] = 0;
  }

  /// f(from, n) for `count` values of a line of an output, from a channel of a tap on: runs of
  /// inputs that lie one behind another, null for taps in the padding.
  /// \param offset  of the other dimensions
  template <class F>
  POP_SIMD_INLINE void eachRun(const ConvInputs::Row &row, std::ptrdiff_t offset, std::size_t tap,
                               std::size_t channel, std::size_t count, F f) const {
    const std::ptrdiff_t *const inputs = row.taps[last_];
    const auto step = static_cast<std::ptrdiff_t>(channels_);
    for (; count != 0; ++tap, channel = 0) {
      const std::ptrdiff_t first = inputs[tap];
      std::size_t run = channels_ - channel;
      for (; first != ConvInputs::NONE && run < count && inputs[tap + 1] == inputs[tap] + step;
           ++tap)
        run += channels_;
      run = run < count ? run : count;
      f(first == ConvInputs::NONE
            ? nullptr
            : problem_.in + offset + first + static_cast<std::ptrdiff_t>(channel),
        run);
      count -= run;
    }
  }

  const ConvTileProblem<TIn, TWeights> &problem_;
  const ConvGeometry &geometry_;
  const ConvInputs inputs_;
  const unsigned last_;        ///< the last dimension but for the channels
  const std::size_t channels_; ///< input channels
  std::size_t taps_ = 1;       ///< of all dimensions

private:
  /// Columns [j, j + low + high), at most LANES each.
  void chain(std::size_t output, std::size_t j, std::size_t low, std::size_t high,
             V (&sum)[2]) const {
    const ConvInputs::Row row = inputs_.row(output);
    ConvTaps tap(geometry_, last_ + 1, 0);
    for (std::size_t t = 0; t < taps_; ++t, tap.next()) {
      const std::ptrdiff_t offset = inputs_.at(row, tap);
      if (offset == ConvInputs::NONE)
        continue;
      const TWeights *weights = weightsOf(tap);
      for (std::size_t c = 0; c < channels_; ++c, weights += channelStep()) {
        alignas(64) float values[2 * LANES];
        readColumns(weights, j, low, values);
        readColumns(weights, j + LANES, high, values + LANES);
        const V x = V::broadcast(problem_.in + offset + c);
        for (int y : {0, 1})
          sum[y] = V::fma(x, V::load(values + y * LANES), sum[y]);
      }
    }
  }
};

} // namespace cottonwood::kernels::detail
