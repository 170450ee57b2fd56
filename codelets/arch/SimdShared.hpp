/// \file SimdShared.hpp
/// What vectors of several instruction sets share, as bases that know the vector.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::arch {

/// Reductions of a vector of Ts. Self::fold(f) folds its lanes onto each other, W/2 first.
template <class Self, class T> struct Reductions {
  POP_SIMD_INLINE T reduceAdd() const {
    return self().fold([](Self a, Self b) { return a + b; });
  }
  POP_SIMD_INLINE T reduceMul() const {
    return self().fold([](Self a, Self b) { return a * b; });
  }
  POP_SIMD_INLINE T reduceMin() const {
    return self().fold([](Self a, Self b) { return Self::min(a, b); });
  }
  POP_SIMD_INLINE T reduceMax() const {
    return self().fold([](Self a, Self b) { return Self::max(a, b); });
  }

protected:
  POP_SIMD_INLINE const Self &self() const { return static_cast<const Self &>(*this); }
};

/// What INT and UNSIGNED_INT share on all sets.
template <class Self, class T, class Tag> struct IntLanes : Reductions<Self, T> {
  using Mask = simdMask<Tag>;
  using Element = T;

  POP_SIMD_INLINE static Self broadcast(const T *p) { return Self::splat(*p); }
  POP_SIMD_INLINE friend Self operator-(Self a) { return Self::zero() - a; }
  POP_SIMD_INLINE friend Mask operator<=(Self a, Self b) { return ~(a > b); }
  POP_SIMD_INLINE friend Mask operator>=(Self a, Self b) { return ~(b > a); }
  POP_SIMD_INLINE static Self min(Self a, Self b) { return Self{Self::minRegister(a.r, b.r)}; }
  POP_SIMD_INLINE static Self max(Self a, Self b) { return Self{Self::maxRegister(a.r, b.r)}; }
  /// By counting in pairs, fours and bytes of bits, which the product adds up.
  POP_SIMD_INLINE static Self populationCount(Self a) {
    const auto mask = [](std::uint32_t x) { return Self::splat(static_cast<T>(x)); };
    const Self ones = mask(0x55555555), twos = mask(0x33333333), fours = mask(0x0f0f0f0f);
    Self x = a - (a.template shiftRight<1>() & ones);
    x = (x & twos) + (x.template shiftRight<2>() & twos);
    x = (x + x.template shiftRight<4>()) & fours;
    return (x * mask(0x01010101)).template shiftRight<24>();
  }
};

} // namespace cottonwood::arch
