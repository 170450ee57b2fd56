/// \file Simd.hpp
/// `cottonwood::simd<T, Tag>`: a vector of T of the width that the tag's instructions have. The
/// only SIMD name that kernels and application functors see.
///
/// All 32-bit types of one tag have the same width, `half` is held in memory as 16 bits and used
/// through `simd<float, Tag>` (loads and stores convert) or, where binary16 arithmetic with one
/// rounding per operation is wanted, through `simd<half, Tag>`.
///
/// Face of simd<float, Tag>, W = width (1, 8, 16):
///   load, loadAligned, loadPartial(p, n), broadcast(p)     from float*, half*; other lanes 0
///   store, storeAligned, storePartial(p, n), stream(p)     to float*, half* (rounded to even)
///   + - * / unary-   fma(a,b,c)=a*b+c  fnma=c-a*b  fms=a*b-c   min max (x<y?x:y, x>y?x:y)
///   sqrt abs floor ceil trunc nearest (ties to even)   == != < <= > >= -> mask   select(m,a,b)
///   on some tags only: scale(a, n) = a 2^n for integers n, rounded once; roundToHalf(a);
///   inverseSqrtEstimate(a), 2^-14 off, whose bits differ from one processor to the next;
///   fixSqrt(y, x) and fixInverseSqrt(y, x): y where x > 0 is finite, else the exact result
///   x = s for numbers s (integer vectors: integers)
///   bits/fromBits (reinterpret), toInt/toUint (truncating), fromInt/fromUint
///   reduceAdd/Min/Max/Mul: halves are folded onto each other, W/2 first, then W/4, ... 1: with
///   logical lanes arranged as kernels arrange them the tree is the same for all tags.
/// simd<int32_t>, simd<uint32_t>: the ring operations (wrapping), bitwise, shifts, min max,
///   compare, select, reductions; iota: 0, 1, ... W - 1. Unsigned only: low = multiplyWide(a, b,
///   high), the halves of the 64-bit products, and multiplyHigh(a, b). simd<uint8_t>: bitwise
///   operations on bytes (BOOL is 0 or 1).
/// Masks: simdMask<Tag>, one per 32-bit lane: & | ^ ~, any, all, storeBool, loadBool.
///
/// Out of range conversions are defined (and equal on all tags): toInt gives INT32_MIN, toUint
/// 0xffffffff for NaN and for values whose truncation does not fit.
#pragma once

#include <codelets/arch/Half.hpp>
#include <codelets/arch/Isa.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cottonwood {

/// A vector of T; see the list at the top of this file.
template <class T, class Tag> struct simd;

/// One truth value per 32-bit lane.
template <class Tag> struct simdMask;

namespace arch {
template <class Tag>
concept ScalarTag = Tag::VECTOR_BYTES == 4;
template <class Tag>
concept Avx2Tag = Tag::VECTOR_BYTES == 32;
template <class Tag>
concept Avx512Tag = Tag::VECTOR_BYTES == 64;

/// Numbers that stand for a vector of Ts with all lanes equal.
template <class S, class T>
concept LaneNumber = std::is_arithmetic_v<S> && !std::is_same_v<S, bool> &&
                     (std::is_integral_v<S> || !std::is_integral_v<T>);

/// Sanitizers instrument each access: unrolled kernels would take minutes to compile there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POP_INSTRUMENTED 1
#elif defined(__has_feature)
#define POP_INSTRUMENTED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define POP_INSTRUMENTED 0
#endif
inline constexpr bool INSTRUMENTED = POP_INSTRUMENTED;

/// Before a loop of a constant number of rounds, at most 16: they are written out. A compiler is
/// through with that in half the time that it takes for as many calls of a lambda.
#if POP_INSTRUMENTED
#define POP_SIMD_UNROLL
#elif defined(__clang__)
#define POP_SIMD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define POP_SIMD_UNROLL _Pragma("GCC unroll 16")
#endif

/// f(0), f(1), ... f(N - 1), written out: arrays of vectors indexed by the argument stay in
/// registers. A plain loop where they would not fit. Lambdas given to it should be marked
/// POP_SIMD_LAMBDA.
template <std::size_t N, class Index = std::size_t, class F> POP_SIMD_INLINE void unrolled(F &&f) {
  if constexpr (N > 16) {
    for (Index i = 0; i < static_cast<Index>(N); ++i)
      f(i);
  } else {
    POP_SIMD_UNROLL
    for (Index i = 0; i < static_cast<Index>(N); ++i)
      f(i);
  }
}
#define POP_SIMD_LAMBDA __attribute__((always_inline))

/// In a vector of Ts: a number is one with all lanes equal, so that `x = 1.f` is as for a float.
#define POP_SIMD_OF_NUMBER(T)                                                                      \
  template <arch::LaneNumber<T> S>                                                                 \
  POP_SIMD_INLINE simd(S s) : simd(simd::splat(static_cast<T>(s))) {}
} // namespace arch
} // namespace cottonwood

#include <codelets/arch/SimdScalar.hpp>
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <codelets/arch/SimdAvx2.hpp>
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <codelets/arch/SimdAvx512.hpp>
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <codelets/arch/SimdTwo.hpp>
#endif
#include <codelets/arch/SimdHalf.hpp>
