/// \file SimdTwo.hpp
/// Sixteen 32-bit lanes as two vectors of AVX2, for tags of 64 bytes in files without AVX-512: the
/// software twins of matrix tiles. What kernels on tiles use of the face in Simd.hpp, and no more.
/// Included by Simd.hpp.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood {

namespace arch {

/// Lanes 0 to 7 and 8 to 15.
template <class T> struct TwoVectors { simd<T, isa::avx2> low, high; };

/// What INT, UNSIGNED_INT and FLOAT share.
template <class Self, class T> struct SimdTwo {
  static constexpr int width = 16;
  using Element = T;
  using Part = simd<T, isa::avx2>;
  using Two = TwoVectors<T>;

  POP_SIMD_INLINE static Self zero() { return Self{Two{Part::zero(), Part::zero()}}; }
  POP_SIMD_INLINE static Self splat(T x) { return Self{Two{Part::splat(x), Part::splat(x)}}; }
  template <class From> POP_SIMD_INLINE static Self load(const From *p) {
    return Self{Two{Part::load(p), Part::load(p + LANES)}};
  }
  template <class From> POP_SIMD_INLINE static Self broadcast(const From *p) {
    const Part x = Part::broadcast(p);
    return Self{Two{x, x}};
  }
  template <class From> POP_SIMD_INLINE static Self loadPartial(const From *p, std::size_t n) {
    if (n <= LANES)
      return Self{Two{Part::loadPartial(p, n), Part::zero()}};
    return Self{Two{Part::load(p), Part::loadPartial(p + LANES, n - LANES)}};
  }
  template <class To> POP_SIMD_INLINE void store(To *p) const {
    self().r.low.store(p), self().r.high.store(p + LANES);
  }
  template <class To> POP_SIMD_INLINE void storePartial(To *p, std::size_t n) const {
    if (n <= LANES) {
      self().r.low.storePartial(p, n);
    } else {
      self().r.low.store(p);
      self().r.high.storePartial(p + LANES, n - LANES);
    }
  }
  POP_SIMD_INLINE friend Self operator+(Self a, Self b) {
    return Self{Two{a.r.low + b.r.low, a.r.high + b.r.high}};
  }
  POP_SIMD_INLINE friend Self operator-(Self a, Self b) {
    return Self{Two{a.r.low - b.r.low, a.r.high - b.r.high}};
  }
  POP_SIMD_INLINE static Self min(Self a, Self b) {
    return Self{Two{Part::min(a.r.low, b.r.low), Part::min(a.r.high, b.r.high)}};
  }
  POP_SIMD_INLINE static Self max(Self a, Self b) {
    return Self{Two{Part::max(a.r.low, b.r.low), Part::max(a.r.high, b.r.high)}};
  }
  POP_SIMD_INLINE T reduceAdd() const { return (self().r.low + self().r.high).reduceAdd(); }

private:
  static constexpr std::size_t LANES = 8; ///< of a part

  POP_SIMD_INLINE const Self &self() const { return static_cast<const Self &>(*this); }
};

template <class Self, class T> struct SimdTwoInts : SimdTwo<Self, T> {
  using typename SimdTwo<Self, T>::Two;

  POP_SIMD_INLINE friend Self operator&(Self a, Self b) {
    return Self{Two{a.r.low & b.r.low, a.r.high & b.r.high}};
  }
  POP_SIMD_INLINE friend Self operator|(Self a, Self b) {
    return Self{Two{a.r.low | b.r.low, a.r.high | b.r.high}};
  }
  template <int N> POP_SIMD_INLINE Self shiftLeft() const {
    const Self &self = static_cast<const Self &>(*this);
    return Self{Two{self.r.low.template shiftLeft<N>(), self.r.high.template shiftLeft<N>()}};
  }
  template <int N> POP_SIMD_INLINE Self shiftRight() const {
    const Self &self = static_cast<const Self &>(*this);
    return Self{Two{self.r.low.template shiftRight<N>(), self.r.high.template shiftRight<N>()}};
  }
};

} // namespace arch

template <arch::Avx512Tag Tag>
struct simd<std::int32_t, Tag> : arch::SimdTwoInts<simd<std::int32_t, Tag>, std::int32_t> {
  arch::TwoVectors<std::int32_t> r;
  simd() = default;
  POP_SIMD_INLINE explicit simd(const decltype(r) &x) : r(x) {}
};

template <arch::Avx512Tag Tag>
struct simd<std::uint32_t, Tag> : arch::SimdTwoInts<simd<std::uint32_t, Tag>, std::uint32_t> {
  using Part = simd<std::uint32_t, isa::avx2>;
  arch::TwoVectors<std::uint32_t> r;
  simd() = default;
  POP_SIMD_INLINE explicit simd(const decltype(r) &x) : r(x) {}
  POP_SIMD_INLINE explicit simd(const arch::TwoVectors<std::int32_t> &x)
      : r{Part{x.low.r}, Part{x.high.r}} {}
  POP_SIMD_INLINE simd<std::int32_t, Tag> asInt() const {
    return simd<std::int32_t, Tag>{{r.low.asInt(), r.high.asInt()}};
  }
};

template <arch::Avx512Tag Tag> struct simd<float, Tag> : arch::SimdTwo<simd<float, Tag>, float> {
  using Int = simd<std::int32_t, Tag>;
  using Uint = simd<std::uint32_t, Tag>;
  using Part = simd<float, isa::avx2>;
  arch::TwoVectors<float> r;

  simd() = default;
  POP_SIMD_INLINE explicit simd(const decltype(r) &x) : r(x) {}
  POP_SIMD_INLINE friend simd operator*(simd a, simd b) {
    return simd{{a.r.low * b.r.low, a.r.high * b.r.high}};
  }
  POP_SIMD_INLINE static simd fma(simd a, simd b, simd c) {
    return simd{{Part::fma(a.r.low, b.r.low, c.r.low), Part::fma(a.r.high, b.r.high, c.r.high)}};
  }
  POP_SIMD_INLINE Int bits() const { return Int{{r.low.bits(), r.high.bits()}}; }
  POP_SIMD_INLINE static simd fromBits(Int x) {
    return simd{{Part::fromBits(x.r.low), Part::fromBits(x.r.high)}};
  }
};

} // namespace cottonwood
