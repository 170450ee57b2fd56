/// \file ConvRegion.hpp
/// The places of the input that a convolution meets, and when to copy them.
#pragma once

#include <codelets/poplin/ConvCost.hpp>
#include <codelets/poplin/ConvGeometry.hpp>

namespace cottonwood::kernels {

/// From the first to the last place of the input that the outputs of some classes meet.
POP_SIMD_INLINE ConvRange convInputs(const ConvClass *classes, std::size_t count) {
  ConvRange all{0, 0};
  for (std::size_t x = 0; x < count; ++x) {
    const ConvClass &c = classes[x];
    const int outs = (c.outCount - 1) * c.inOut, taps = (c.tapCount - 1) * c.inTap;
    const int first = c.in + (outs < 0 ? outs : 0) + (taps < 0 ? taps : 0);
    const int end = c.in + (outs > 0 ? outs : 0) + (taps > 0 ? taps : 0) + 1;
    all.begin = x == 0 || first < all.begin ? first : all.begin;
    all.end = x == 0 || end > all.end ? end : all.end;
  }
  return all;
}

/// Most places that are copied, and outputs of a part that are computed from them.
inline constexpr std::size_t CONV_COPY_PLACES = 1024, CONV_COPY_OUTPUTS = 512;

/// Channels that are copied at a time: with fewer cache lines of a place it takes longer to fetch
/// them, with more the places do not stay in L1.
POP_SIMD_INLINE std::size_t convCopyChannels(std::size_t places) { return places <= 64 ? 128 : 64; }

/// Floats that a copy takes for groups of one channel whose input is worth it, else 0: one whose
/// places are far apart (ConvBlocking::copyBytes) and which is read often, by four products a place
/// or more.
POP_SIMD_INLINE std::size_t convCopyFloats(const ConvGeometry &geometry,
                                           const ConvBlocking &blocking) {
  const std::size_t apart = blocking.copyBytes;
  if (apart == 0)
    return 0;
  std::size_t places = 1, products = 1, nearest = 0;
  for (unsigned d = 0; d < geometry.dims; ++d) {
    const ConvDim &dim = geometry.dim[d];
    const auto n = static_cast<std::size_t>(convInputs(dim.classes, dim.numClasses).size());
    places *= n;
    products *= static_cast<std::size_t>(dim.outputs) * static_cast<std::size_t>(dim.taps);
    const auto stride =
        static_cast<std::size_t>(dim.inStride < 0 ? -dim.inStride : dim.inStride) * sizeof(float);
    if (n > 1 && (nearest == 0 || stride < nearest))
      nearest = stride;
  }
  if (nearest == 0 || nearest % apart != 0 || products < 4 * places)
    return 0;
  const std::size_t most = places < CONV_COPY_PLACES ? places : CONV_COPY_PLACES;
  const std::size_t few = most < 64 ? most : 64; // a part may have less places
  const std::size_t floats = few * convCopyChannels(few), all = most * convCopyChannels(most);
  return floats > all ? floats : all;
}

} // namespace cottonwood::kernels
