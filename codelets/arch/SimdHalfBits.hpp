/// \file SimdHalfBits.hpp
/// Operations on halves whose results are their operands' bits or none: no conversions.
#pragma once

#include <codelets/arch/Simd.hpp>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <codelets/arch/Intrinsics.hpp>

namespace cottonwood::arch {

/// A cache line of halves.
struct HalfBits {
  static constexpr int width = 32;
  __m512i r;

  POP_SIMD_INLINE static HalfBits load(const half *p) { return {_mm512_loadu_si512(p)}; }
  POP_SIMD_INLINE static HalfBits loadPartial(const half *p, std::size_t n) {
    return {_mm512_maskz_loadu_epi16(first(n), p)};
  }
  POP_SIMD_INLINE void store(half *p) const { _mm512_storeu_si512(p, r); }
  POP_SIMD_INLINE void stream(half *p) const {
    _mm512_stream_si512(reinterpret_cast<__m512i *>(p), r);
  }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const {
    _mm512_mask_storeu_epi16(p, first(n), r);
  }

  /// The larger of each and 0; 0 for NaN, as max(x, 0) of floats.
  POP_SIMD_INLINE HalfBits relu() const {
    const __mmask32 stays = _mm512_cmple_epu16_mask(r, _mm512_set1_epi16(0x7c00));
    return {_mm512_maskz_mov_epi16(stays, r)};
  }

private:
  /// Ones for the first n of up to 32 lanes.
  POP_SIMD_INLINE static __mmask32 first(std::size_t n) {
    return static_cast<__mmask32>((std::uint64_t{1} << n) - 1);
  }
};

} // namespace cottonwood::arch
#endif
