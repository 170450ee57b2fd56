/// \file EightLanes.hpp
/// Which lines of a field side by side kernels with eight lanes compute for a set with sixteen.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/poplin/ConvPlanesCost.hpp>
#include <codelets/popops/SplitsVectors.hpp>

#if !defined(POPLAR_HEADER_ONLY)
namespace cottonwood::kernels::detail {

/// Longer lines have too small a part in their last vector.
inline constexpr int EIGHT_LANES_OUTPUTS = 64;

/// Whether lines of outputs whose inputs are neighbours take less time with eight lanes: where
/// instructions on 512 bits run as two, and half of the last vector would be idle. Sums have the
/// same bits. On Zen 4 lines of 56 take .92 of the time.
POP_SIMD_INLINE bool eightLanesServe(const ConvPlanesShape &shape) {
  return shape.strideX == 1 && (shape.outputsX - 1) % 16 < 8 &&
         shape.outputsX < EIGHT_LANES_OUTPUTS && splitsVectors();
}

} // namespace cottonwood::kernels::detail
#endif
