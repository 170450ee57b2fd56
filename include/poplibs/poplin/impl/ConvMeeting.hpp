// Which elements of input, kernel and output meet along one dimension of a convolution.
#pragma once

#include <poplin/ConvParams.hpp>

#include <cstdint>
#include <utility>

namespace cottonwood::poplin {

using IndexRange = std::pair<unsigned, unsigned>; ///< [first, second)

/// Taps tap, tap + tapStep, ... of one output meet inputs in, in + inStep, ...: `count` of each.
/// Steps of fewer than two are 1 and 0.
struct MetTaps {
  unsigned tap = 0, tapStep = 1, count = 0, in = 0;
  std::int64_t inStep = 0;

  unsigned lastTap() const { return tap + (count - 1) * tapStep; }
  /// The smallest range that holds all inputs.
  IndexRange inputs() const {
    auto const last = static_cast<unsigned>(in + (std::int64_t{count} - 1) * inStep);
    return {inStep < 0 ? last : in, (inStep < 0 ? in : last) + 1};
  }
};

/// One dimension of valid params. Indices are those of ConvUtil.hpp.
class POP_API ConvMeeting {
public:
  static constexpr unsigned NONE = ~0U;

  ConvMeeting(::poplin::ConvParams const &params, unsigned dim);

  unsigned outputs() const { return output_.size; }
  /// The input that a tap meets in an output, or NONE.
  unsigned input(unsigned output, unsigned tap) const;
  /// The tap that an input meets in an output, or NONE.
  unsigned tap(unsigned output, unsigned input) const;
  /// The taps of a range that meet inputs of a range in an output: they solve a linear congruence
  /// within bounds, so that they are arithmetic progressions.
  MetTaps taps(unsigned output, IndexRange taps, IndexRange inputs = {0, NONE}) const;
  /// Pairs of an output and a tap that meet an input.
  std::uint64_t products() const;

private:
  /// An input or a kernel on its way into the convolution.
  struct Axis {
    unsigned truncation, size, dilation, padding, transformed;
    bool flip;

    Axis(::poplin::ConvParams::InputTransform const &t, unsigned d, unsigned truncatedSize,
         unsigned transformedSize);
    /// The place of an element after the transform, or NONE for one that is truncated.
    unsigned placeOf(unsigned index) const;
    /// The element at a place, or NONE for padding and zeros of the dilation.
    unsigned elementAt(unsigned place) const;
    /// Elements of a range that are not truncated, counted from the first of these.
    std::pair<std::int64_t, std::int64_t> kept(IndexRange range) const;
  };
  struct Output {
    unsigned truncation, stride, paddingLower, paddingUpper, size;
    /// Where before the transform an element comes from, or NONE.
    unsigned placeOf(unsigned index) const;
  };

  Axis input_, kernel_;
  Output output_;
  std::int64_t divisor_, tapStep_, inverse_; ///< of the congruence that taps() solves
};

} // namespace cottonwood::poplin
