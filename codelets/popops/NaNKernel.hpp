/// \file NaNKernel.hpp
/// Search for special numbers: NaN and infinities have the largest bits but for the sign.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

/// Whether some of n numbers is NaN, or an infinity if those are asked for.
template <class Tag, class T> bool hasSpecial(const T *in, std::size_t n, bool infinities) {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  constexpr std::size_t W = V::width;
  const I magnitude = I::splat(0x7fffffff);
  // Four maxima, so that none waits for the one before.
  I largest[4] = {I::zero(), I::zero(), I::zero(), I::zero()};
  std::size_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W)
    arch::unrolled<4>([&](auto j) POP_SIMD_LAMBDA {
      largest[j] = I::max(largest[j], V::load(in + i + j * W).bits() & magnitude);
    });
  for (; i < n; i += W) {
    const std::size_t left = n - i < W ? n - i : W;
    largest[0] = I::max(largest[0], V::loadPartial(in + i, left).bits() & magnitude);
  }
  const I all = I::max(I::max(largest[0], largest[1]), I::max(largest[2], largest[3]));
  return all.reduceMax() > (infinities ? 0x7f7fffff : 0x7f800000);
}

} // namespace cottonwood::kernels
