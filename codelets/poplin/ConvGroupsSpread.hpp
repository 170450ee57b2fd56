/// \file ConvGroupsSpread.hpp
/// Inputs of groups of few channels, spread to the lanes of vectors of output channels.
///
/// Where groups share vectors, lane l of a place and input channel c is that channel of the group
/// that output channel l belongs to. Places are those of ConvPlanesCost.hpp, of vectors instead of
/// floats, but that rows are used again and again: row q of a phase is row q modulo their number,
/// so that each input is spread once and L1 keeps what a line of outputs needs. Where they do not,
/// a place has all channels of the group side by side.
#pragma once

#include <codelets/arch/SimdTable.hpp>
#include <codelets/arch/SimdTranspose.hpp>
#include <codelets/poplin/ConvGroupsArgs.hpp>
#include <codelets/poplin/ConvMapColumns.hpp>
#include <codelets/poplin/ConvPlanesPack.hpp>

namespace cottonwood::kernels {

namespace detail {

/// \tparam SHARED  by groups: vectors of output channels
template <class Tag, class TIn, bool SHARED> class ConvGroupsSpread {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  using One = simd<float, isa::scalar>;

public:
  static constexpr std::size_t W = static_cast<std::size_t>(V::width);
  static_assert(W <= CONV_GROUPS_LANES);

  /// \param places  room for what convGroupsWorkspace() counts
  template <class TOut>
  ConvGroupsSpread(const ConvGroupsArgs<TIn, TOut> &args, float *places)
      : shape_(args.cut.of(args.shape)), space_(shape_), channels_(args.inChannels), y_(args.inY),
        x_(args.inX), channel_(args.inChannel), phase_(space_.rows * space_.pitch),
        each_(SHARED ? W : channels_), plane_(SHARED ? convGroupsPlane(shape_) * W : 1),
        floats_(convGroupsInputs(shape_, channels_,
                                 SHARED ? ConvGroupsWay::SHARED : ConvGroupsWay::SINGLE)),
        reach_(space_.rows - size(shape_.outputsY)), places_(places) {
    const std::size_t strideY = size(shape_.strideY), strideX = size(shape_.strideX);
    for (std::size_t t = 0; t < shape_.taps(); ++t) {
      const std::size_t y = size(shape_.inputY(0, t) - space_.lowY),
                        x = size(shape_.inputX(0, t) - space_.lowX);
      row_[t] = y / strideY;
      place_[t] = (y % strideY * strideX + x % strideX) * phase_ + x / strideX;
    }
  }

  /// The next lines are those of another strip, which begins at output x, image or vector.
  void begin(const TIn *image, const ConvGroupsLanes<W> &lanes, std::size_t x) {
    in_ = image + static_cast<std::ptrdiff_t>(lanes.channel) * channel_;
    lanes_ = &lanes;
    next_ = 0;
    const int low = space_.lowX + static_cast<int>(x) * shape_.strideX;
    if (low == lowX_)
      return;
    lowX_ = low;
    if (low >= 0 && low + static_cast<int>(space_.pitch) * shape_.strideX <= shape_.inputsX)
      return;
    // Beside the inputs of a row lies padding, the same for all rows of a strip.
    for (std::size_t i = 0; i < floats_; i += W)
      V::zero().store(places_ + i);
  }

  /// Outputs of a line of a strip.
  std::size_t width() const { return size(shape_.outputsX); }

  /// All inputs of output lines before `end`, of which the last few are still there.
  void upTo(std::size_t end) {
    for (; next_ < end + reach_; ++next_)
      spreadRows(next_);
  }

  /// Where output 0 of line y finds the inputs of each of n taps, in channel 0.
  void findTaps(std::size_t y, const std::size_t *taps, std::size_t n, std::size_t *to) const {
    const std::size_t first = y % space_.rows;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t t = taps[i], row = first + row_[t];
      to[i] = (place_[t] + (row < space_.rows ? row : row - space_.rows) * space_.pitch) * each_;
    }
  }

  const float *places() const { return places_; }
  std::size_t floats() const { return floats_; }
  /// Floats from one input channel to the next, and from one input to the next.
  std::size_t plane() const { return plane_; }
  std::size_t each() const { return each_; }

private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// Whether some tap of output 0 has the place `at` modulo the stride.
  static bool isMet(int at, int taps, int step, int stride) {
    step = step < 0 ? -step : step;
    int i = 0;
    while (i < taps && i * step % stride != at)
      ++i;
    return stride == 1 || i < taps;
  }

  /// Row q of each phase.
  void spreadRows(std::size_t q) {
    const int strideY = shape_.strideY, strideX = shape_.strideX;
    const int end = lowX_ + static_cast<int>(space_.pitch) * strideX;
    const int from = lowX_ > 0 ? lowX_ : 0, to = shape_.inputsX < end ? shape_.inputsX : end;
    for (int phaseY = 0; phaseY < strideY; ++phaseY) {
      if (!isMet(phaseY, shape_.tapsY, shape_.tapStepY, strideY))
        continue;
      const int y = space_.lowY + static_cast<int>(q) * strideY + phaseY;
      const std::size_t row = size(phaseY * strideX) * phase_ + q % space_.rows * space_.pitch;
      const bool padding = y < 0 || y >= shape_.inputsY;
      const TIn *const line = in_ + y * y_;
      if (!padding && x_ == 1 && channel_ != 1 && (!SHARED || lanes_->span <= W)) {
        spreadMaps(line, from, to, row);
        continue;
      }
      // Every so many inputs of a line lie side by side.
      for (int x = from; x < to && x < from + strideX; ++x) {
        if (!isMet((x - lowX_) % strideX, shape_.tapsX, shape_.tapStepX, strideX))
          continue;
        const std::size_t n = size((to - x + strideX - 1) / strideX);
        if (padding)
          clearLine(n, placeOf(row, x));
        else
          spreadLine(line + x * x_, n, placeOf(row, x));
      }
    }
  }

  /// Where input x of a row goes.
  float *placeOf(std::size_t row, int x) const {
    const int at = x - lowX_;
    return places_ + (row + size(at % shape_.strideX) * phase_ + size(at / shape_.strideX)) * each_;
  }

  void clearLine(std::size_t n, float *to) const {
    if constexpr (!SHARED) {
      for (std::size_t i = 0; i < n * channels_; ++i)
        to[i] = 0;
      return;
    }
    for (std::size_t c = 0; c < channels_; ++c, to += plane_)
      for (std::size_t x = 0; x < n; ++x)
        V::zero().store(to + x * W);
  }

  /// n inputs of a line.
  void spreadLine(const TIn *from, std::size_t n, float *to) const {
    const std::ptrdiff_t step = x_ * shape_.strideX;
    const std::size_t span = lanes_->span;
    const I index = I::load(lanes_->offset);
    const std::ptrdiff_t below = y_ * shape_.strideY;       // which no prefetcher finds
    const std::size_t channels = channels_, plane = plane_; // else read again for each store
    if (channel_ != 1)
      return spreadAny(from, n, to);
    if constexpr (!SHARED) {
      for (; n != 0; --n, from += step, to += channels)
        for (std::size_t c = 0; c < channels; c += W) {
          __builtin_prefetch(from + below + c);
          if (channels - c < W)
            V::loadPartial(from + c, channels - c).storePartial(to + c, channels - c);
          else
            V::load(from + c).store(to + c);
        }
      return;
    }
    if (span <= W)
      for (; n != 0; --n, from += step, to += W) {
        __builtin_prefetch(from + below);
        spreadVector(V::loadPartial(from, span), index, channels, plane, to);
      }
    else if (arch::Avx512Tag<Tag> && span <= 2 * W)
      for (; n != 0; --n, from += step, to += W) {
        __builtin_prefetch(from + below), __builtin_prefetch(from + below + W);
        const V low = V::load(from), high = V::loadPartial(from + W, span - W);
        I next = index;
        for (std::size_t c = 0; c < channels; ++c, next = next + I::splat(1))
          arch::permuteTwo(low, high, next).store(to + c * plane);
      }
    else
      for (; n != 0; --n, from += step, to += W)
        spreadGroups(from, to);
  }

  /// An input: the channels of each lane's group, transposed.
  void spreadGroups(const TIn *from, float *to) const {
    for (std::size_t c = 0; c < channels_; c += W) {
      const std::size_t left = channels_ - c, n = left < W ? left : W;
      V v[W];
      for (std::size_t l = 0; l < W; ++l) {
        const TIn *const at = from + lanes_->offset[l] + c;
        v[l] = n == W ? V::load(at) : V::loadPartial(at, n);
      }
      arch::transpose(v);
      for (std::size_t k = 0; k < n; ++k)
        v[k].store(to + (c + k) * plane_);
    }
  }

  /// An input of all channels of the span.
  POP_SIMD_INLINE static void spreadVector(V x, I index, std::size_t channels, std::size_t plane,
                                           float *to) {
    for (; channels != 0; --channels, to += plane, index = index + I::splat(1))
      arch::permuteLanes(x, index).store(to);
  }

  /// Inputs [from, to) of a line, which in each channel lie side by side: W of them at a time are
  /// transposed.
  void spreadMaps(const TIn *line, int from, int to, std::size_t row) const {
    if constexpr (!SHARED)
      return transposeMaps(line, from, to, row);
    const I index = I::load(lanes_->offset);
    float *const first = placeOf(row, from);
    eachMapColumn<V>(line + from, channel_, lanes_->span, size(to - from),
                     [&](std::size_t i, V v) POP_SIMD_LAMBDA {
                       spreadVector(v, index, channels_, plane_,
                                    shape_.strideX == 1 ? first + i * W
                                                        : placeOf(row, from + static_cast<int>(i)));
                     });
  }

  /// The same where a place has the channels of one group.
  void transposeMaps(const TIn *line, int from, int to, std::size_t row) const {
    for (std::size_t c = 0; c < channels_; c += W) {
      const std::size_t some = channels_ - c < W ? channels_ - c : W;
      eachMapColumn<V>(line + static_cast<std::ptrdiff_t>(c) * channel_ + from, channel_, some,
                       size(to - from), [&](std::size_t i, V v) POP_SIMD_LAMBDA {
                         v.storePartial(placeOf(row, from + static_cast<int>(i)) + c, some);
                       });
    }
  }

  /// Lane by lane.
  void spreadAny(const TIn *from, std::size_t n, float *to) const {
    for (; n != 0; --n, from += x_ * shape_.strideX, to += each_)
      for (std::size_t c = 0; c < channels_; ++c)
        for (std::size_t l = 0; l < (SHARED ? W : 1); ++l) {
          const std::ptrdiff_t at = lanes_->offset[l] + static_cast<std::ptrdiff_t>(c);
          One::load(from + at * channel_).store(to + c * plane_ + l);
        }
  }

  const ConvPlanesShape shape_; ///< of a strip
  const ConvPlanesSpace space_;
  const std::size_t channels_;
  const std::ptrdiff_t y_, x_, channel_;
  const std::size_t phase_;          ///< vectors of one
  const std::size_t each_;           ///< floats of a place
  const std::size_t plane_;          ///< floats
  const std::size_t floats_, reach_; ///< of all places; rows before the last of a line of outputs
  float *const places_;
  const TIn *in_ = nullptr;
  const ConvGroupsLanes<W> *lanes_ = nullptr;
  int lowX_ = INT32_MIN; ///< the first input of rows, in the padding maybe
  std::size_t next_ = 0; ///< the first row that was not spread
  std::size_t row_[CONV_PLANES_MAX_TAPS], place_[CONV_PLANES_MAX_TAPS];
};

} // namespace detail
} // namespace cottonwood::kernels
