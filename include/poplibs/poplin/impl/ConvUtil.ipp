#pragma once

#include <poplin/ConvUtil.hpp>

#include <algorithm>

namespace cottonwood::poplin::detail {

using ConvRange = std::pair<unsigned, unsigned>;
inline constexpr unsigned NO_INDEX = ~0U;

/// One dimension of an input or a kernel on its way into the convolution.
struct ConvAxis {
  unsigned truncation, size, dilation, padding, transformed;
  bool flip;

  ConvAxis(::poplin::ConvParams::InputTransform const &t, unsigned d, unsigned truncatedSize,
           unsigned transformedSize)
      : truncation(t.truncationLower[d]), size(truncatedSize), dilation(t.dilation[d]),
        padding(t.paddingLower[d]), transformed(transformedSize), flip(t.flip[d]) {}

  /// The place of an element after the transform, or NO_INDEX for one that is truncated.
  unsigned placeOf(unsigned index) const {
    if (index < truncation || index - truncation >= size)
      return NO_INDEX;
    unsigned const place = (index - truncation) * dilation + padding;
    return flip ? transformed - 1 - place : place;
  }

  /// The element at a place, or NO_INDEX for padding and zeros of the dilation.
  unsigned elementAt(unsigned place) const {
    if (flip)
      place = transformed - 1 - place;
    if (place < padding || (place - padding) % dilation != 0)
      return NO_INDEX;
    unsigned const index = (place - padding) / dilation;
    return index < size ? index + truncation : NO_INDEX;
  }
};

POP_INLINE ConvAxis inputAxis(unsigned d, ::poplin::ConvParams const &p) {
  return {p.inputTransform, d, p.getTruncatedInputSize(d), p.getTransformedInputSize(d)};
}
POP_INLINE ConvAxis kernelAxis(unsigned d, ::poplin::ConvParams const &p) {
  return {p.kernelTransform, d, p.getTruncatedKernelSize(d), p.getTransformedKernelSize(d)};
}

/// Where in the output before its transform an output's element comes from, or NO_INDEX.
POP_INLINE unsigned outputPlace(unsigned d, unsigned index, ::poplin::ConvParams const &p) {
  auto const &t = p.outputTransform;
  std::size_t const size = p.getOutputSize(d);
  if (index < t.paddingLower[d] || index >= size - t.paddingUpper[d])
    return NO_INDEX;
  return (index - t.paddingLower[d]) * t.stride[d] + t.truncationLower[d];
}

/// The smallest range that holds all i of [range) with test(i).
template <class Test> ConvRange hull(ConvRange range, Test const &test) {
  auto [first, last] = range;
  while (first < last && !test(first))
    ++first;
  while (first < last && !test(last - 1))
    --last;
  return first < last ? ConvRange(first, last) : ConvRange(0, 0);
}

POP_INLINE bool contains(ConvRange range, unsigned i) {
  return i >= range.first && i < range.second;
}

/// True if accepts(place) holds for the place of any output of a range.
template <class Accept>
bool anyMeets(unsigned d, ConvRange outputs, ::poplin::ConvParams const &p, Accept const &accepts) {
  for (unsigned o = outputs.first; o < outputs.second; ++o)
    if (unsigned const place = outputPlace(d, o, p); place != NO_INDEX && accepts(place))
      return true;
  return false;
}

} // namespace cottonwood::poplin::detail

namespace poplin {

POP_INLINE unsigned getDilatedSize(unsigned size, unsigned dilation) {
  return size == 0 ? 0 : 1 + (size - 1) * dilation;
}

POP_INLINE unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                                  ConvParams const &params) {
  using namespace cottonwood::poplin::detail;
  unsigned const out = outputPlace(dim, outputIndex, params);
  unsigned const kernel = kernelAxis(dim, params).placeOf(kernelIndex);
  if (out == NO_INDEX || kernel == NO_INDEX)
    return NO_INDEX;
  return inputAxis(dim, params).elementAt(out + kernel);
}

POP_INLINE unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                                   ConvParams const &params) {
  using namespace cottonwood::poplin::detail;
  unsigned const out = outputPlace(dim, outputIndex, params);
  unsigned const in = inputAxis(dim, params).placeOf(inputIndex);
  if (out == NO_INDEX || in == NO_INDEX || in < out ||
      in - out >= params.getTransformedKernelSize(dim))
    return NO_INDEX;
  return kernelAxis(dim, params).elementAt(in - out);
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
  using namespace cottonwood::poplin::detail;
  return hull(outputRange, [&](unsigned out) {
    for (unsigned k = kernelIndexRange.first; k < kernelIndexRange.second; ++k)
      if (getInputIndex(dim, out, k, params) != NO_INDEX)
        return true;
    return false;
  });
}

POP_INLINE std::pair<unsigned, unsigned>
getOutputRangeForInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
                            std::pair<unsigned, unsigned> inputRange, ConvParams const &params) {
  using namespace cottonwood::poplin::detail;
  auto const kernelSize = static_cast<unsigned>(params.kernelShape[dim]);
  return hull(outputRange, [&](unsigned out) {
    for (unsigned k = 0; k < kernelSize; ++k)
      if (contains(inputRange, getInputIndex(dim, out, k, params)))
        return true;
    return false;
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
  auto const kernelSize = static_cast<unsigned>(params.kernelShape[dim]);
  return getInputRange(dim, outputRange, std::make_pair(0U, kernelSize), params);
}

POP_INLINE std::pair<unsigned, unsigned>
getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
              std::pair<unsigned, unsigned> kernelIndexRange, ConvParams const &params) {
  using namespace cottonwood::poplin::detail;
  ConvAxis const input = inputAxis(dim, params), kernel = kernelAxis(dim, params);
  ConvRange range(NO_INDEX, 0);
  for (unsigned o = outputRange.first; o < outputRange.second; ++o) {
    unsigned const out = outputPlace(dim, o, params);
    for (unsigned k = kernelIndexRange.first; out != NO_INDEX && k < kernelIndexRange.second; ++k) {
      unsigned const place = kernel.placeOf(k);
      unsigned const in = place == NO_INDEX ? NO_INDEX : input.elementAt(out + place);
      if (in != NO_INDEX)
        range = {std::min(range.first, in), std::max(range.second, in + 1)};
    }
  }
  return range.second == 0 ? ConvRange(0, 0) : range;
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
  using namespace cottonwood::poplin::detail;
  ConvAxis const input = inputAxis(dim, params), kernel = kernelAxis(dim, params);
  return hull({0, static_cast<unsigned>(params.kernelShape[dim])}, [&](unsigned k) {
    unsigned const place = kernel.placeOf(k);
    return place != NO_INDEX && anyMeets(dim, outputRange, params, [&](unsigned out) {
             return contains(inputRange, input.elementAt(out + place));
           });
  });
}

} // namespace poplin
