/// \file SimdBits.hpp
/// Masks as numbers.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

/// Bit i is the truth value of lane i.
template <class Tag> POP_SIMD_INLINE unsigned bitsOf(simdMask<Tag> mask) {
#if defined(__AVX2__)
  if constexpr (Avx2Tag<Tag>)
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(mask.m)));
  else
#endif
    return mask.m;
}

} // namespace cottonwood::arch
