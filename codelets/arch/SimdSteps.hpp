/// \file SimdSteps.hpp
/// Loops around a few instructions a vector.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::arch {

/// f(i) for i = 0, STEP, 2 STEP, ... of all whole steps of n elements, four of them a round: with
/// one, counting and branching would be half of the loop.
/// \returns  the elements of whole steps
template <std::size_t STEP, class F> POP_SIMD_INLINE std::size_t eachWholeStep(std::size_t n, F f) {
  std::size_t i = 0;
  for (; i + 4 * STEP <= n; i += 4 * STEP)
    unrolled<4>([&](auto k) POP_SIMD_LAMBDA { f(i + k * STEP); });
  for (; i + STEP <= n; i += STEP)
    f(i);
  return i;
}

} // namespace cottonwood::arch
