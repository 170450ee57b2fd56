/// \file SimdAddConverted.hpp
/// Sums and differences of vectors of floats that are being converted from halves.
///
/// Conversions take the units that add, but not those that multiply, on Zen 4: there multiply-adds
/// with 1, which give the same bits, sum halves up in .6 of the time of additions, and add two
/// arrays of halves in .8.
#pragma once

#include <codelets/arch/SimdAccumulate.hpp>

#include <type_traits>

namespace cottonwood::arch {

namespace detail {
/// 1, which the compiler does not know: of others it may make additions.
template <class V> POP_SIMD_INLINE V unknownOne() { return inRegister(V::splat(1.f)); }
} // namespace detail

/// a + b
template <class V> POP_SIMD_INLINE V addConverted(V a, V b) {
  if constexpr (V::width == 1)
    return a + b;
  else
    return V::fma(a, detail::unknownOne<V>(), b);
}

/// a - b
template <class V> POP_SIMD_INLINE V subtractConverted(V a, V b) {
  if constexpr (V::width == 1)
    return a - b;
  else
    return V::fnma(b, detail::unknownOne<V>(), a);
}

/// a + b and a - b of vectors of elements T, floats while they are computed with.
template <class T, class V> POP_SIMD_INLINE V addOf(V a, V b) {
  return std::is_same_v<T, half> ? addConverted(a, b) : a + b;
}
template <class T, class V> POP_SIMD_INLINE V subtractOf(V a, V b) {
  return std::is_same_v<T, half> ? subtractConverted(a, b) : a - b;
}

} // namespace cottonwood::arch
