#pragma once

#include <poplin/ConvUtil.hpp>
#include <poplin/impl/TileGather.hpp>

#include <vector>

namespace cottonwood::poplin {

namespace detail {

/// The inputs that one tap meets along a dimension, one for each output.
POP_INLINE Tensor inputsOfTap(GatheredDim const &dim, unsigned tap, Tensor const &in,
                              Tensor const &zero) {
  unsigned const axis = 1 + dim.dim;
  auto const inputFor = [&](unsigned output) {
    return ::poplin::getInputIndex(dim.dim, output, tap, dim.params);
  };
  std::vector<Tensor> pieces;
  for (unsigned o = dim.outputs.first; o < dim.outputs.second;) {
    unsigned const first = inputFor(o);
    unsigned end = o + 1;
    if (first == ~0U) {
      while (end < dim.outputs.second && inputFor(end) == ~0U)
        ++end;
      auto shape = in.shape();
      shape[axis] = end - o;
      std::size_t elements = 1;
      for (std::size_t const size : shape)
        elements *= size;
      pieces.push_back(zero.broadcast(static_cast<unsigned>(elements), 0).reshape(shape));
    } else {
      unsigned const second = end < dim.outputs.second ? inputFor(end) : ~0U;
      unsigned const step = second != ~0U && second > first ? second - first : 0;
      while (step != 0 && end < dim.outputs.second && inputFor(end) == first + (end - o) * step)
        ++end;
      Tensor const piece = in.slice(first, first + (end - o - 1) * step + 1, axis);
      pieces.push_back(step > 1 ? piece.subSample(step, axis) : piece);
    }
    o = end;
  }
  return ::poplar::concat(pieces, axis);
}

} // namespace detail

POP_INLINE Tensor gatherTaps(GatheredDim const &dim, Tensor const &in, Tensor const &zero) {
  std::vector<Tensor> taps;
  unsigned const channels = in.rank() - 1;
  for (unsigned tap = dim.taps.first; tap < dim.taps.second; ++tap)
    taps.push_back(detail::inputsOfTap(dim, tap, in, zero).expand({channels}));
  return ::poplar::concat(taps, channels);
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
