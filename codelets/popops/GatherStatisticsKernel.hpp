/// \file GatherStatisticsKernel.hpp
/// Histograms; the rules are those of GatherStatistics.hpp.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

namespace detail {
/// With more levels a search an element beats comparing it with all of them.
inline constexpr std::size_t COMPARED_LEVELS = 32;
/// Elements that stay in the first cache while all levels pass over them.
inline constexpr std::size_t HISTOGRAM_BLOCK = 2048;

/// atLeast[j] = #(x >= levels[j]) for N levels, and below = #(x < levels[0]).
template <class Tag, std::size_t N, class T>
POP_SIMD_INLINE void countAtLeast(const T *in, std::size_t n, const float *levels, bool absolute,
                                  std::uint32_t *atLeast, std::uint32_t *below) {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  V level[N];
  I count[N];
  arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
    level[j] = V::splat(levels[j]);
    count[j] = I::zero();
  });
  I under = I::zero();
  const I one = I::splat(1);
  const auto add = [&](V x) POP_SIMD_LAMBDA {
    x = absolute ? V::abs(x) : x;
    under = under + I::select(x < level[0], one, I::zero());
    arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
      count[j] = count[j] + I::select(x >= level[j], one, I::zero());
    });
  };
  std::size_t i = 0;
  for (; i + V::width <= n; i += V::width)
    add(V::load(in + i));
  if (i < n) {
    // Lanes beyond the end hold NaN, which counts nowhere.
    const auto inside = I::iota() < I::splat(static_cast<std::int32_t>(n - i));
    add(V::select(inside, V::loadPartial(in + i, n - i), V::splat(__builtin_nanf(""))));
  }
  arch::unrolled<N>([&](auto j) POP_SIMD_LAMBDA {
    atLeast[j] += static_cast<std::uint32_t>(count[j].reduceAdd());
  });
  if (below)
    *below += static_cast<std::uint32_t>(under.reduceAdd());
}

template <class Tag, class T>
void histogramByComparing(const T *in, std::size_t n, const float *levels, std::size_t numLevels,
                          std::uint32_t *counts, bool absolute) {
  for (std::size_t begin = 0; begin < n; begin += HISTOGRAM_BLOCK) {
    const std::size_t m = n - begin < HISTOGRAM_BLOCK ? n - begin : HISTOGRAM_BLOCK;
    std::size_t j = 0;
    for (; j + 4 <= numLevels; j += 4)
      countAtLeast<Tag, 4>(in + begin, m, levels + j, absolute, counts + j + 1,
                           j == 0 ? counts : nullptr);
    for (; j < numLevels; ++j)
      countAtLeast<Tag, 1>(in + begin, m, levels + j, absolute, counts + j + 1,
                           j == 0 ? counts : nullptr);
  }
  for (std::size_t j = 1; j < numLevels; ++j)
    counts[j] -= counts[j + 1];
}

template <class Tag, class T>
void histogramBySearching(const T *in, std::size_t n, const T *levels, std::size_t numLevels,
                          std::uint32_t *counts, bool absolute) {
  using V = simd<float, Tag>;
  const auto valueOf = [](const T *p) POP_SIMD_LAMBDA { return V::loadPartial(p, 1).first(); };
  for (std::size_t i = 0; i < n; ++i) {
    const float loaded = valueOf(in + i), x = absolute ? __builtin_fabsf(loaded) : loaded;
    std::size_t first = 0; // levels before it are <= x
    for (std::size_t left = numLevels; left != 0;) {
      const std::size_t half = left / 2;
      const bool right = valueOf(levels + first + half) <= x;
      first += right ? half + 1 : 0;
      left = right ? left - half - 1 : half;
    }
    counts[first] += x == x;
  }
}
} // namespace detail

template <class Tag, class T>
void histogram(const T *in, std::size_t n, const T *levels, std::size_t numLevels,
               std::uint32_t *counts, bool absolute) {
  __builtin_memset(counts, 0, (numLevels + 1) * sizeof *counts);
  if (numLevels > detail::COMPARED_LEVELS)
    return detail::histogramBySearching<Tag>(in, n, levels, numLevels, counts, absolute);
  float numbers[detail::COMPARED_LEVELS];
  for (std::size_t j = 0; j < numLevels; ++j)
    numbers[j] = simd<float, Tag>::loadPartial(levels + j, 1).first();
  detail::histogramByComparing<Tag>(in, n, numbers, numLevels, counts, absolute);
}

} // namespace cottonwood::kernels
