#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/ConvMeeting.hpp>

#include <algorithm>

namespace cottonwood::poplin::detail {

using ConvRange = IndexRange;

/// The smallest range that holds all i of [range) with test(i).
template <class Test> ConvRange hull(ConvRange range, Test const &test) {
  auto [first, last] = range;
  while (first < last && !test(first))
    ++first;
  while (first < last && !test(last - 1))
    --last;
  return first < last ? ConvRange(first, last) : ConvRange(0, 0);
}

/// The smallest range that holds ranges, none of them empty.
class ConvHull {
public:
  void add(ConvRange range) {
    range_ = {std::min(range_.first, range.first), std::max(range_.second, range.second)};
  }
  ConvRange range() const { return range_.second == 0 ? ConvRange(0, 0) : range_; }

private:
  ConvRange range_{ConvMeeting::NONE, 0};
};

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE unsigned getDilatedSize(unsigned size, unsigned dilation) {
  return size == 0 ? 0 : 1 + (size - 1) * dilation;
}

POP_INLINE unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                                  ConvParams const &params) {
  return cottonwood::poplin::ConvMeeting(params, dim).input(outputIndex, kernelIndex);
}

POP_INLINE unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                                   ConvParams const &params) {
  return cottonwood::poplin::ConvMeeting(params, dim).tap(outputIndex, inputIndex);
}

POP_INLINE std::pair<unsigned, unsigned>
getOutputRangeForKernelIndex(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                             unsigned kernelIndex, ConvParams const &params) {
  return getOutputRangeForKernelRange(dim, outputRange, {kernelIndex, kernelIndex + 1}, params);
}

POP_INLINE std::pair<unsigned, unsigned>
getOutputRangeForInputIndex(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                            unsigned inputIndex, ConvParams const &params) {
  return getOutputRangeForInputRange(dim, outputRange, {inputIndex, inputIndex + 1}, params);
}

POP_INLINE std::pair<unsigned, unsigned>
getOutputRangeForKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                             std::pair<unsigned, unsigned> kernelIndexRange,
                             ConvParams const &params) {
  cottonwood::poplin::ConvMeeting const meeting(params, dim);
  return cottonwood::poplin::detail::hull(
      outputRange, [&](unsigned out) { return meeting.taps(out, kernelIndexRange).count != 0; });
}

POP_INLINE std::pair<unsigned, unsigned>
getOutputRangeForInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                            std::pair<unsigned, unsigned> inputRange, ConvParams const &params) {
  using cottonwood::poplin::ConvMeeting;
  ConvMeeting const meeting(params, dim);
  return cottonwood::poplin::detail::hull(outputRange, [&](unsigned out) {
    return meeting.taps(out, {0, ConvMeeting::NONE}, inputRange).count != 0;
  });
}

POP_INLINE std::pair<unsigned, unsigned> getInputRange(unsigned dim,
                                                       std::pair<unsigned, unsigned> outputRange,
                                                       unsigned kernelIndex,
                                                       ConvParams const &params) {
  return getInputRange(dim, outputRange, std::make_pair(kernelIndex, kernelIndex + 1), params);
}

POP_INLINE std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                       std::pair<unsigned, unsigned> kernelRange,
                                                       ConvParams const &params) {
  return getInputRange(dim, std::make_pair(outputIndex, outputIndex + 1), kernelRange, params);
}

POP_INLINE std::pair<unsigned, unsigned> getInputRange(unsigned dim, unsigned outputIndex,
                                                       ConvParams const &params) {
  return getInputRange(dim, std::make_pair(outputIndex, outputIndex + 1), params);
}

POP_INLINE std::pair<unsigned, unsigned>
getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange, ConvParams const &params) {
  return getInputRange(dim, outputRange, std::make_pair(0U, cottonwood::poplin::ConvMeeting::NONE),
                       params);
}

POP_INLINE std::pair<unsigned, unsigned>
getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
              std::pair<unsigned, unsigned> kernelIndexRange, ConvParams const &params) {
  using cottonwood::poplin::ConvMeeting, cottonwood::poplin::MetTaps;
  ConvMeeting const meeting(params, dim);
  cottonwood::poplin::detail::ConvHull hull;
  for (unsigned o = outputRange.first; o < outputRange.second; ++o)
    if (MetTaps const met = meeting.taps(o, kernelIndexRange); met.count != 0)
      hull.add(met.inputs());
  return hull.range();
}

POP_INLINE std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                                        std::pair<unsigned, unsigned> outputRange,
                                                        unsigned inputIndex,
                                                        ConvParams const &params) {
  return getKernelRange(dim, outputRange, std::make_pair(inputIndex, inputIndex + 1), params);
}

POP_INLINE std::pair<unsigned, unsigned> getKernelRange(unsigned dim,
                                                        std::pair<unsigned, unsigned> outputRange,
                                                        std::pair<unsigned, unsigned> inputRange,
                                                        ConvParams const &params) {
  using cottonwood::poplin::ConvMeeting, cottonwood::poplin::MetTaps;
  ConvMeeting const meeting(params, dim);
  cottonwood::poplin::detail::ConvHull hull;
  for (unsigned o = outputRange.first; o < outputRange.second; ++o)
    if (MetTaps const met = meeting.taps(o, {0, ConvMeeting::NONE}, inputRange); met.count != 0)
      hull.add({met.tap, met.lastTap() + 1});
  return hull.range();
}

} // namespace poplin
