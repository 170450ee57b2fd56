/// \file SplineWeightingKernel.hpp
/// The weighted features of one edge.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

template <class T> struct SplineWeights {
  const T *data; ///< [kernels, inChannels, outChannels]
  std::size_t kernels, inChannels, outChannels, splines;
};

namespace detail {
/// N vectors of outputs from `from` on, the last of which may be a part of `left` lanes.
template <class Tag, std::size_t N, class T>
POP_SIMD_INLINE void splineOutputs(const T *input, const SplineWeights<T> &w, const T *basis,
                                   const int *weightIndex, T *out, std::size_t from,
                                   std::size_t left) {
  using V = simd<float, Tag>;
  constexpr std::size_t W = V::width;
  V sum[N];
  arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA { sum[j] = V::zero(); });
  for (std::size_t p = 0; p < w.splines; ++p) {
    const auto kernel = static_cast<std::size_t>(static_cast<unsigned>(weightIndex[p]));
    if (kernel >= w.kernels)
      continue;
    const float b = V::loadPartial(basis + p, 1).first();
    const T *row = w.data + kernel * w.inChannels * w.outChannels + from;
    for (std::size_t i = 0; i < w.inChannels; ++i, row += w.outChannels) {
      const V x = V::splat(b * V::loadPartial(input + i, 1).first());
      arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
        const V y = N == 1 ? V::loadPartial(row, left) : V::load(row + j * W);
        sum[j] = V::fma(x, y, sum[j]);
      });
    }
  }
  arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
    N == 1 ? sum[j].storePartial(out + from, left) : sum[j].store(out + from + j * W);
  });
}
} // namespace detail

template <class Tag, class T>
void splineWeighting(const T *input, const SplineWeights<T> &w, const T *basis,
                     const int *weightIndex, T *out) {
  constexpr std::size_t W = simd<float, Tag>::width;
  std::size_t o = 0;
  for (; o + 4 * W <= w.outChannels; o += 4 * W)
    detail::splineOutputs<Tag, 4>(input, w, basis, weightIndex, out, o, W);
  for (; o < w.outChannels; o += W)
    detail::splineOutputs<Tag, 1>(input, w, basis, weightIndex, out, o,
                                  w.outChannels - o < W ? w.outChannels - o : W);
}

} // namespace cottonwood::kernels
