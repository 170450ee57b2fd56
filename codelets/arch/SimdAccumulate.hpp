/// \file SimdAccumulate.hpp
/// Sums that stay in their registers through loops that are written out for several steps.
///
/// A loop of a dozen multiply-adds of eight lanes lasts six cycles, in which a core of Zen 3 brings
/// it hardly more than twenty instructions at times (supposedly when its other hardware thread is
/// busy): counting and stepping cost as much as multiplying. Several steps a round leave them out.
/// GCC, however, would pick a new register for every sum and compute the address of every step by
/// itself, and run out of registers for both.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::arch {

/// sum = a * b + sum, rounded once.
template <class V> POP_SIMD_INLINE void accumulate(V &sum, V a, V b) { sum = V::fma(a, b, sum); }

#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX2__) && defined(__FMA__)
POP_SIMD_INLINE void accumulate(simd<float, isa::avx2> &sum, simd<float, isa::avx2> a,
                                simd<float, isa::avx2> b) {
  __m256 r = sum.r; // what is an element of an array would stay in memory
  __asm__("vfmadd231ps %2, %1, %0" : "+x"(r) : "x"(a.r), "x"(b.r));
  sum.r = r;
}
#endif

/// sum = *p * b + sum, rounded once, for a *p that no other sum needs. As an operand of the
/// multiply-add itself it takes .73 of the time of a load and a multiply-add on Zen 4, which hands
/// on fewer long vectors a cycle than it loads and multiplies. What several sums need is better
/// loaded once, by V::broadcast(p).
template <class V> POP_SIMD_INLINE void accumulateOne(V &sum, const float *p, V b) {
  if constexpr (V::width == 16)
    sum = V::fma(V::splat(*p), b, sum);
  else
    accumulate(sum, V::broadcast(p), b);
}

/// x, as a value that the compiler does not look into: what is used several times is loaded once.
template <class V> POP_SIMD_INLINE V inRegister(V x) {
#if defined(__GNUC__) && defined(__AVX2__)
  auto r = x.r; // what is an element of an array would stay in memory
  __asm__("" : "+v"(r));
  x.r = r;
#endif
  return x;
}

/// x, in a register before the next of these: loads stay in their order.
template <class V> POP_SIMD_INLINE V inOrder(V x) {
#if defined(__GNUC__) && defined(__AVX2__)
  auto r = x.r; // as above
  __asm__ volatile("" : "+v"(r));
  x.r = r;
#endif
  return x;
}

/// p += n, as a sum that the compiler does not look into.
template <class T> POP_SIMD_INLINE void stepBy(const T *&p, std::ptrdiff_t n) {
  const T *next = p + n;
  __asm__("" : "+r"(next));
  p = next;
}

} // namespace cottonwood::arch
