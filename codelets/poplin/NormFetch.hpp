/// \file NormFetch.hpp
/// Who brings activations that come from memory to the second-level cache.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <poplar/impl/base/Config.hpp>
#if defined(POPLAR_HEADER_ONLY)
#include <codelets/arch/CpuFeatures.hpp>
#endif

#include <cstdint>

namespace cottonwood::kernels {

/// The machine decides, not the kernel's instruction set: layer norms of 50 MB of floats take .72
/// of the time by AVX2 on Zen 4 when all lines are fetched while results are stored.
enum class NormFetch : std::uint8_t {
  /// Of every two lines one is fetched by sums of rows and the other while results are stored: best
  /// on Zen 3 and on a Granite Rapids class core.
  SHARED,
  /// All lines are fetched while results are stored. Sums read rows of float one by one, since
  /// prefetchers follow one long run best. Rows of half take as long to sum as to read: they are
  /// fetched and summed in pairs. Best on Zen 4.
  PAIRED,
  /// As before, but rows of half are summed several at a time, as where nothing is fetched, and
  /// fetched ahead like those of float: layer norms take .83 to .97 of the time on Zen 5.
  SEVERAL
};

template <class Features> POP_SIMD_INLINE NormFetch normFetchOf(const Features &features) {
  if (!features.avx512 || features.avx512fp16)
    return NormFetch::SHARED;
  return features.splitsVectors ? NormFetch::PAIRED : NormFetch::SEVERAL;
}

#if defined(POPLAR_HEADER_ONLY)
inline NormFetch normFetch() { return normFetchOf(isa::cpuFeatures()); }
#else
POP_API NormFetch normFetch();
#endif

} // namespace cottonwood::kernels
