#pragma once

#include <poplin/impl/ConvMeeting.hpp>

#include <algorithm>
#include <numeric>

namespace cottonwood::poplin {

namespace detail {

/// The x in [0, modulus) with a * x = 1 modulo a modulus that has no common divisor with a.
POP_INLINE std::int64_t inverseModulo(std::int64_t a, std::int64_t modulus) {
  std::int64_t r0 = modulus, r1 = a % modulus, x0 = 0, x1 = 1;
  while (r1 != 0) {
    std::int64_t const quotient = r0 / r1;
    r0 = std::exchange(r1, r0 - quotient * r1);
    x0 = std::exchange(x1, x0 - quotient * x1);
  }
  return x0 < 0 ? x0 + modulus : x0 % modulus;
}

/// The quotient rounded up; b is positive.
POP_INLINE std::int64_t ceilQuotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}
POP_INLINE std::int64_t floorQuotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

} // namespace detail

POP_INLINE ConvMeeting::Axis::Axis(::poplin::ConvParams::InputTransform const &t, unsigned d,
                                   unsigned truncatedSize, unsigned transformedSize)
    : truncation(t.truncationLower[d]), size(truncatedSize), dilation(t.dilation[d]),
      padding(t.paddingLower[d]), transformed(transformedSize), flip(t.flip[d]) {}

POP_INLINE unsigned ConvMeeting::Axis::placeOf(unsigned index) const {
  if (index < truncation || index - truncation >= size)
    return NONE;
  unsigned const place = (index - truncation) * dilation + padding;
  return flip ? transformed - 1 - place : place;
}

POP_INLINE unsigned ConvMeeting::Axis::elementAt(unsigned place) const {
  if (flip)
    place = transformed - 1 - place;
  if (place < padding || (place - padding) % dilation != 0)
    return NONE;
  unsigned const index = (place - padding) / dilation;
  return index < size ? index + truncation : NONE;
}

POP_INLINE std::pair<std::int64_t, std::int64_t> ConvMeeting::Axis::kept(IndexRange range) const {
  std::int64_t const first = truncation, all = size;
  return {std::max<std::int64_t>(range.first - first, 0),
          std::min<std::int64_t>(range.second - first, all)};
}

POP_INLINE unsigned ConvMeeting::Output::placeOf(unsigned index) const {
  if (index < paddingLower || index >= size - paddingUpper)
    return NONE;
  return (index - paddingLower) * stride + truncation;
}

POP_INLINE ConvMeeting::ConvMeeting(::poplin::ConvParams const &params, unsigned dim)
    : input_(params.inputTransform, dim, params.getTruncatedInputSize(dim),
             params.getTransformedInputSize(dim)),
      kernel_(params.kernelTransform, dim, params.getTruncatedKernelSize(dim),
              params.getTransformedKernelSize(dim)),
      output_{params.outputTransform.truncationLower[dim], params.outputTransform.stride[dim],
              params.outputTransform.paddingLower[dim], params.outputTransform.paddingUpper[dim],
              static_cast<unsigned>(params.getOutputSize(dim))},
      divisor_(std::gcd(kernel_.dilation, input_.dilation)), tapStep_(input_.dilation / divisor_),
      inverse_(detail::inverseModulo(kernel_.dilation / divisor_, tapStep_)) {}

POP_INLINE unsigned ConvMeeting::input(unsigned output, unsigned tap) const {
  unsigned const out = output_.placeOf(output), kernel = kernel_.placeOf(tap);
  return out == NONE || kernel == NONE ? NONE : input_.elementAt(out + kernel);
}

POP_INLINE unsigned ConvMeeting::tap(unsigned output, unsigned input) const {
  unsigned const out = output_.placeOf(output), in = input_.placeOf(input);
  if (out == NONE || in == NONE || in < out || in - out >= kernel_.transformed)
    return NONE;
  return kernel_.elementAt(in - out);
}

// Tap j of those that are kept lies at place base + j * step of the input in front of its dilation,
// and meets element i where that is i * dilation.
POP_INLINE MetTaps ConvMeeting::taps(unsigned output, IndexRange taps, IndexRange inputs) const {
  unsigned const out = output_.placeOf(output);
  auto const [firstIn, endIn] = input_.kept(inputs);
  auto [first, end] = kernel_.kept(taps);
  if (out == NONE || firstIn >= endIn || first >= end)
    return {};
  std::int64_t const dilation = input_.dilation, kernelDilation = kernel_.dilation;
  std::int64_t base = out, step = kernelDilation;
  if (kernel_.flip)
    base += std::int64_t{kernel_.transformed} - 1 - kernel_.padding, step = -step;
  else
    base += kernel_.padding;
  if (input_.flip)
    base = std::int64_t{input_.transformed} - 1 - base, step = -step;
  base -= input_.padding;
  if (base % divisor_ != 0)
    return {};
  // Bounds of j, if its place decreases those of -j.
  std::int64_t const low = firstIn * dilation - base, high = (endIn - 1) * dilation - base;
  first = std::max(first, detail::ceilQuotient(step > 0 ? low : -high, kernelDilation));
  end = std::min(end, detail::floorQuotient(step > 0 ? high : -low, kernelDilation) + 1);
  std::int64_t residue = base / divisor_ % tapStep_;
  if (step > 0)
    residue = -residue;
  residue = (residue + tapStep_) % tapStep_ * inverse_ % tapStep_;
  first += ((residue - first) % tapStep_ + tapStep_) % tapStep_;
  if (first >= end)
    return {};
  MetTaps met;
  met.tap = static_cast<unsigned>(first) + kernel_.truncation;
  met.in = static_cast<unsigned>((base + first * step) / dilation) + input_.truncation;
  met.count = static_cast<unsigned>((end - 1 - first) / tapStep_ + 1);
  if (met.count > 1) {
    met.tapStep = static_cast<unsigned>(tapStep_);
    met.inStep = step / divisor_;
  }
  return met;
}

POP_INLINE std::uint64_t ConvMeeting::products() const {
  std::uint64_t products = 0;
  for (unsigned o = 0; o != output_.size; ++o)
    products += taps(o, {0, NONE}).count;
  return products;
}

} // namespace cottonwood::poplin
