/// \file NormaliseImageKernel.hpp
/// Normalisation of pixels; the rules are those of NormaliseImage.hpp.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

namespace detail {
POP_SIMD_INLINE float channelValue(const unsigned char *p) { return *p; }
POP_SIMD_INLINE float channelValue(const float *p) { return *p; }
POP_SIMD_INLINE float channelValue(const half *p) { return arch::halfToFloat(p->bits); }
} // namespace detail

template <class Tag, class In, class Out>
void normaliseImage(const In *in, const Out *offsets, const Out *scales, Out *out,
                    std::size_t pixels, float inScale) {
  using V = simd<float, Tag>;
  constexpr std::size_t LANES = 16, PIXELS = LANES / 4; // the longest vector
  // The factors of all lanes; zeros for the fourth channel.
  float x[LANES] = {}, factor[LANES] = {}, offset[LANES] = {}, scale[LANES] = {};
  for (std::size_t i = 0; i < LANES; ++i)
    if (i % 4 != 3) {
      factor[i] = inScale;
      offset[i] = V::loadPartial(offsets + i % 4, 1).first();
      scale[i] = V::loadPartial(scales + i % 4, 1).first();
    }
  for (std::size_t p = 0; p < pixels; p += PIXELS, in += 3 * PIXELS, out += LANES) {
    const std::size_t here = pixels - p < PIXELS ? pixels - p : PIXELS;
    for (std::size_t i = 0; i < here; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        x[4 * i + c] = detail::channelValue(in + 3 * i + c);
    for (std::size_t i = 0; i < 4 * here; i += V::width) {
      const V value = V::load(x + i) * V::load(factor + i) - V::load(offset + i);
      const std::size_t left = 4 * here - i;
      (value * V::load(scale + i))
          .storePartial(out + i, left < std::size_t(V::width) ? left : std::size_t(V::width));
    }
  }
}

} // namespace cottonwood::kernels
