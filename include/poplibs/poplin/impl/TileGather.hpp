// Windows of a convolution as input channels: views that tiles lay out themselves.
#pragma once

#include <poplar/Tensor.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/impl/ConvTables.hpp>

namespace cottonwood::poplin {

using ::poplar::Tensor;

/// Outputs and taps of one dimension of the field.
struct GatheredDim {
  ::poplin::ConvParams const &params;
  unsigned dim;
  IndexRange outputs, taps;
};

/// [N, ...field, ...taps, I], where dimension `dim` of the field has inputs, as the same with its
/// outputs and one more dimension of taps in front of I.
/// \param zero  one element, for places outside of the input
POP_API Tensor gatherTaps(GatheredDim const &dim, Tensor const &in, Tensor const &zero);

/// Weights [G, N, ...kernel, I] without the taps that are truncated, but for some dimensions.
/// \param whole  a bit for each of these
POP_API Tensor keptTaps(Tensor const &weights, ::poplin::ConvParams const &params,
                        unsigned whole = 0);

/// Weights [G, N, ...kernel, I] whose taps in some dimensions are input channels: these dimensions
/// have the size 1.
/// \param dims  a bit for each
POP_API Tensor tapsAsChannels(Tensor const &weights, unsigned dims);

} // namespace cottonwood::poplin
