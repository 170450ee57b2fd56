#pragma once

#include <poplin/impl/TileGather.hpp>

#include <vector>

namespace cottonwood::poplin {

namespace detail {

/// Slices of one dimension of a tensor side by side, one for each index of a range.
/// \param placeOf  placeOf(index): where the slice is, or NONE for zeros
template <class PlaceOf>
Tensor slicesAt(IndexRange range, Tensor const &in, unsigned axis, Tensor const &zero,
                PlaceOf const &placeOf) {
  std::vector<Tensor> pieces;
  for (unsigned i = range.first; i < range.second;) {
    unsigned const first = placeOf(i);
    unsigned end = i + 1;
    if (first == ConvMeeting::NONE) {
      while (end < range.second && placeOf(end) == ConvMeeting::NONE)
        ++end;
      auto shape = in.shape();
      shape[axis] = end - i;
      std::size_t elements = 1;
      for (std::size_t const size : shape)
        elements *= size;
      pieces.push_back(zero.broadcast(static_cast<unsigned>(elements), 0).reshape(shape));
    } else {
      unsigned const second = end < range.second ? placeOf(end) : ConvMeeting::NONE;
      unsigned const step = second != ConvMeeting::NONE && second > first ? second - first : 0;
      while (step != 0 && end < range.second && placeOf(end) == first + (end - i) * step)
        ++end;
      Tensor const piece = in.slice(first, first + (end - i - 1) * step + 1, axis);
      pieces.push_back(step > 1 ? piece.subSample(step, axis) : piece);
    }
    i = end;
  }
  return ::poplar::concat(pieces, axis);
}

} // namespace detail

// Taps or outputs, of whichever there are fewer, are put side by side, each with all of the others.
POP_INLINE Tensor gatherTaps(GatheredDim const &dim, Tensor const &in, Tensor const &zero) {
  ConvMeeting const meeting(dim.params, dim.dim);
  unsigned const axis = 1 + dim.dim, channels = in.rank() - 1;
  auto const [outputs, taps] = std::pair(dim.outputs, dim.taps);
  std::vector<Tensor> parts;
  if (taps.second - taps.first <= outputs.second - outputs.first) {
    for (unsigned tap = taps.first; tap < taps.second; ++tap)
      parts.push_back(detail::slicesAt(outputs, in, axis, zero, [&](unsigned output) {
                        return meeting.input(output, tap);
                      }).expand({channels}));
    return ::poplar::concat(parts, channels);
  }
  for (unsigned output = outputs.first; output < outputs.second; ++output)
    parts.push_back(detail::slicesAt(taps, in, axis, zero,
                                     [&](unsigned tap) { return meeting.input(output, tap); })
                        .expand({axis})
                        .dimRoll(axis + 1, channels));
  return ::poplar::concat(parts, axis);
}

POP_INLINE Tensor keptTaps(Tensor const &weights, ::poplin::ConvParams const &params,
                           unsigned whole) {
  auto const &kernel = params.kernelTransform;
  Tensor result = weights;
  for (unsigned d = 0; d != params.getNumFieldDims(); ++d)
    if (d >= 32 || (whole >> d & 1U) == 0)
      result = result.slice(kernel.truncationLower[d],
                            params.kernelShape[d] - kernel.truncationUpper[d], 2 + d);
  return result;
}

POP_INLINE Tensor tapsAsChannels(Tensor const &weights, unsigned dims) {
  Tensor result = weights;
  for (unsigned d = 0; d + 3 < weights.rank(); ++d)
    if (dims >> d & 1U) {
      // The taps go in front of I, behind those of earlier dimensions.
      result = result.expand({2 + d});
      result = result.dimRoll(3 + d, result.rank() - 2);
    }
  return result.flatten(weights.rank() - 1, result.rank());
}

} // namespace cottonwood::poplin
