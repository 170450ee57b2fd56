/// \file SimdScalar.hpp
/// One lane: the reference that all other tags are tested against. Included by Simd.hpp.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <climits>

namespace cottonwood {

template <arch::ScalarTag Tag> struct simdMask<Tag> {
  static constexpr int width = 1;
  bool m;

  POP_SIMD_INLINE static simdMask loadBool(const void *p) {
    return {*static_cast<const unsigned char *>(p) != 0};
  }
  POP_SIMD_INLINE static simdMask loadBoolPartial(const void *p, std::size_t n) {
    return {n != 0 && *static_cast<const unsigned char *>(p) != 0};
  }
  POP_SIMD_INLINE void storeBool(void *p) const { *static_cast<unsigned char *>(p) = m; }
  POP_SIMD_INLINE void storeBoolPartial(void *p, std::size_t n) const {
    if (n)
      storeBool(p);
  }
  POP_SIMD_INLINE bool any() const { return m; }
  POP_SIMD_INLINE bool all() const { return m; }
  POP_SIMD_INLINE friend simdMask operator&(simdMask a, simdMask b) { return {a.m && b.m}; }
  POP_SIMD_INLINE friend simdMask operator|(simdMask a, simdMask b) { return {a.m || b.m}; }
  POP_SIMD_INLINE friend simdMask operator^(simdMask a, simdMask b) { return {a.m != b.m}; }
  POP_SIMD_INLINE friend simdMask operator~(simdMask a) { return {!a.m}; }
};

namespace arch {
/// What 32-bit types share at one lane.
template <class Self, class T, class Tag> struct ScalarBase {
  static constexpr int width = 1;
  using Mask = simdMask<Tag>;
  using Element = T;

  POP_SIMD_INLINE static Self zero() { return Self{T(0)}; }
  POP_SIMD_INLINE static Self splat(T x) { return Self{x}; }
  POP_SIMD_INLINE static Self load(const T *p) {
    T x;
    __builtin_memcpy(&x, p, sizeof x);
    return Self{x};
  }
  POP_SIMD_INLINE static Self loadAligned(const T *p) { return load(p); }
  POP_SIMD_INLINE static Self broadcast(const T *p) { return load(p); }
  POP_SIMD_INLINE static Self loadPartial(const T *p, std::size_t n) {
    return n ? load(p) : zero();
  }
  POP_SIMD_INLINE void store(T *p) const { __builtin_memcpy(p, &self().r, sizeof(T)); }
  POP_SIMD_INLINE void storeAligned(T *p) const { store(p); }
  POP_SIMD_INLINE void stream(T *p) const { store(p); }
  POP_SIMD_INLINE void storePartial(T *p, std::size_t n) const {
    if (n)
      store(p);
  }
  POP_SIMD_INLINE friend Mask operator==(Self a, Self b) { return {a.r == b.r}; }
  POP_SIMD_INLINE friend Mask operator!=(Self a, Self b) { return {a.r != b.r}; }
  POP_SIMD_INLINE friend Mask operator<(Self a, Self b) { return {a.r < b.r}; }
  POP_SIMD_INLINE friend Mask operator<=(Self a, Self b) { return {a.r <= b.r}; }
  POP_SIMD_INLINE friend Mask operator>(Self a, Self b) { return {a.r > b.r}; }
  POP_SIMD_INLINE friend Mask operator>=(Self a, Self b) { return {a.r >= b.r}; }
  POP_SIMD_INLINE static Self select(Mask m, Self a, Self b) { return m.m ? a : b; }
  POP_SIMD_INLINE static Self min(Self a, Self b) { return a.r < b.r ? a : b; }
  POP_SIMD_INLINE static Self max(Self a, Self b) { return a.r > b.r ? a : b; }
  POP_SIMD_INLINE T reduceAdd() const { return self().r; }
  POP_SIMD_INLINE T reduceMul() const { return self().r; }
  POP_SIMD_INLINE T reduceMin() const { return self().r; }
  POP_SIMD_INLINE T reduceMax() const { return self().r; }
  POP_SIMD_INLINE T first() const { return self().r; }

private:
  POP_SIMD_INLINE const Self &self() const { return static_cast<const Self &>(*this); }
};

/// Ring, bit and shift operations of a 32-bit integer; arithmetic wraps.
template <class Self, class T, class Tag> struct ScalarInt : ScalarBase<Self, T, Tag> {
  POP_SIMD_INLINE friend Self operator+(Self a, Self b) { return wrap(u(a) + u(b)); }
  POP_SIMD_INLINE friend Self operator-(Self a, Self b) { return wrap(u(a) - u(b)); }
  POP_SIMD_INLINE friend Self operator*(Self a, Self b) { return wrap(u(a) * u(b)); }
  POP_SIMD_INLINE friend Self operator-(Self a) { return wrap(0u - u(a)); }
  POP_SIMD_INLINE friend Self operator&(Self a, Self b) { return wrap(u(a) & u(b)); }
  POP_SIMD_INLINE friend Self operator|(Self a, Self b) { return wrap(u(a) | u(b)); }
  POP_SIMD_INLINE friend Self operator^(Self a, Self b) { return wrap(u(a) ^ u(b)); }
  POP_SIMD_INLINE friend Self operator~(Self a) { return wrap(~u(a)); }
  /// Shift counts of 32 and above give 0 (or the sign in shiftRightArithmetic).
  POP_SIMD_INLINE static Self shiftLeft(Self a, Self n) {
    return wrap(u(n) > 31 ? 0u : u(a) << u(n));
  }
  POP_SIMD_INLINE static Self shiftRight(Self a, Self n) {
    return wrap(u(n) > 31 ? 0u : u(a) >> u(n));
  }
  POP_SIMD_INLINE static Self shiftRightArithmetic(Self a, Self n) {
    return wrap(static_cast<std::uint32_t>(static_cast<std::int32_t>(u(a)) >>
                                           (u(n) > 31 ? 31 : static_cast<int>(u(n)))));
  }
  template <int N> POP_SIMD_INLINE Self shiftLeft() const { return wrap(u(self()) << N); }
  template <int N> POP_SIMD_INLINE Self shiftRight() const { return wrap(u(self()) >> N); }
  template <int N> POP_SIMD_INLINE Self shiftRightArithmetic() const {
    return wrap(static_cast<std::uint32_t>(static_cast<std::int32_t>(u(self())) >> N));
  }
  POP_SIMD_INLINE static Self countLeadingZeros(Self a) {
    return wrap(u(a) ? static_cast<std::uint32_t>(__builtin_clz(u(a))) : 32u);
  }
  POP_SIMD_INLINE static Self populationCount(Self a) {
    std::uint32_t x = u(a); // by hand: the builtin would call the library on baseline x86-64
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return wrap((((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24);
  }

private:
  POP_SIMD_INLINE const Self &self() const { return static_cast<const Self &>(*this); }
  POP_SIMD_INLINE static std::uint32_t u(Self a) { return static_cast<std::uint32_t>(a.r); }
  POP_SIMD_INLINE static Self wrap(std::uint32_t x) { return Self{static_cast<T>(x)}; }
};
} // namespace arch

template <arch::ScalarTag Tag>
struct simd<std::int32_t, Tag> : arch::ScalarInt<simd<std::int32_t, Tag>, std::int32_t, Tag> {
  std::int32_t r;
  simd() = default;
  POP_SIMD_INLINE explicit simd(std::int32_t x) : r(x) {}
  POP_SIMD_OF_NUMBER(std::int32_t)
  POP_SIMD_INLINE static simd iota() { return simd{0}; }
};

template <arch::ScalarTag Tag>
struct simd<std::uint32_t, Tag> : arch::ScalarInt<simd<std::uint32_t, Tag>, std::uint32_t, Tag> {
  std::uint32_t r;
  simd() = default;
  POP_SIMD_INLINE explicit simd(std::uint32_t x) : r(x) {}
  POP_SIMD_OF_NUMBER(std::uint32_t)
  POP_SIMD_INLINE static simd iota() { return simd{0u}; }
  POP_SIMD_INLINE static simd multiplyWide(simd a, simd b, simd &high) {
    const std::uint64_t product = std::uint64_t{a.r} * b.r;
    high = simd{static_cast<std::uint32_t>(product >> 32)};
    return simd{static_cast<std::uint32_t>(product)};
  }
  POP_SIMD_INLINE static simd multiplyHigh(simd a, simd b) {
    return simd{static_cast<std::uint32_t>(std::uint64_t{a.r} * b.r >> 32)};
  }
  POP_SIMD_INLINE simd<std::int32_t, Tag> asInt() const {
    return simd<std::int32_t, Tag>{static_cast<std::int32_t>(r)};
  }
};

template <arch::ScalarTag Tag>
struct simd<float, Tag> : arch::ScalarBase<simd<float, Tag>, float, Tag> {
  using Base = arch::ScalarBase<simd<float, Tag>, float, Tag>;
  using Int = simd<std::int32_t, Tag>;
  using Uint = simd<std::uint32_t, Tag>;
  using Mask = simdMask<Tag>;
  using Base::broadcast, Base::load, Base::loadAligned, Base::loadPartial;
  using Base::store, Base::storeAligned, Base::storePartial, Base::stream;
  float r;

  simd() = default;
  POP_SIMD_INLINE explicit simd(float x) : r(x) {}
  POP_SIMD_OF_NUMBER(float)

  POP_SIMD_INLINE static simd load(const half *p) {
    std::uint16_t bits;
    __builtin_memcpy(&bits, p, sizeof bits);
    return simd{arch::halfToFloat(bits)};
  }
  POP_SIMD_INLINE static simd loadAligned(const half *p) { return load(p); }
  POP_SIMD_INLINE static simd broadcast(const half *p) { return load(p); }
  POP_SIMD_INLINE static simd loadPartial(const half *p, std::size_t n) {
    return n ? load(p) : simd{0.f};
  }
  POP_SIMD_INLINE void store(half *p) const {
    const std::uint16_t bits = arch::floatToHalf(r);
    __builtin_memcpy(p, &bits, sizeof bits);
  }
  POP_SIMD_INLINE void storeAligned(half *p) const { store(p); }
  POP_SIMD_INLINE void stream(half *p) const { store(p); }
  POP_SIMD_INLINE void storePartial(half *p, std::size_t n) const {
    if (n)
      store(p);
  }

  POP_SIMD_INLINE friend simd operator+(simd a, simd b) { return simd{a.r + b.r}; }
  POP_SIMD_INLINE friend simd operator-(simd a, simd b) { return simd{a.r - b.r}; }
  POP_SIMD_INLINE friend simd operator*(simd a, simd b) { return simd{a.r * b.r}; }
  POP_SIMD_INLINE friend simd operator/(simd a, simd b) { return simd{a.r / b.r}; }
  POP_SIMD_INLINE friend simd operator-(simd a) { return simd{-a.r}; }
  POP_SIMD_INLINE static simd fma(simd a, simd b, simd c) {
    return simd{__builtin_fmaf(a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE static simd fnma(simd a, simd b, simd c) {
    return simd{__builtin_fmaf(-a.r, b.r, c.r)};
  }
  POP_SIMD_INLINE static simd fms(simd a, simd b, simd c) {
    return simd{__builtin_fmaf(a.r, b.r, -c.r)};
  }
  POP_SIMD_INLINE static simd sqrt(simd a) { return simd{__builtin_sqrtf(a.r)}; }
  POP_SIMD_INLINE static simd abs(simd a) { return simd{__builtin_fabsf(a.r)}; }
  POP_SIMD_INLINE static simd floor(simd a) { return simd{__builtin_floorf(a.r)}; }
  POP_SIMD_INLINE static simd ceil(simd a) { return simd{__builtin_ceilf(a.r)}; }
  POP_SIMD_INLINE static simd trunc(simd a) { return simd{__builtin_truncf(a.r)}; }
  POP_SIMD_INLINE static simd nearest(simd a) { return simd{__builtin_rintf(a.r)}; }
  POP_SIMD_INLINE Int bits() const { return Int{arch::bitCast<std::int32_t>(r)}; }
  POP_SIMD_INLINE static simd fromBits(Int x) { return simd{arch::bitCast<float>(x.r)}; }
  POP_SIMD_INLINE Int toInt() const {
    return Int{r >= -0x1p31f && r < 0x1p31f ? static_cast<std::int32_t>(r) : INT_MIN};
  }
  POP_SIMD_INLINE Uint toUint() const {
    return Uint{r > -1.f && r < 0x1p32f ? static_cast<std::uint32_t>(r) : UINT_MAX};
  }
  POP_SIMD_INLINE static simd fromInt(Int x) { return simd{static_cast<float>(x.r)}; }
  POP_SIMD_INLINE static simd fromUint(Uint x) { return simd{static_cast<float>(x.r)}; }
};

template <arch::ScalarTag Tag> struct simd<std::uint8_t, Tag> {
  static constexpr int width = 8;
  std::uint64_t r;

  POP_SIMD_INLINE static simd splat(std::uint8_t x) { return {0x0101010101010101u * x}; }
  POP_SIMD_INLINE static simd load(const void *p) {
    simd v;
    __builtin_memcpy(&v.r, p, sizeof v.r);
    return v;
  }
  POP_SIMD_INLINE static simd loadPartial(const void *p, std::size_t n) {
    simd v{0};
    if (n != 0) // null is no place to copy from, not even nothing
      __builtin_memcpy(&v.r, p, n);
    return v;
  }
  POP_SIMD_INLINE void store(void *p) const { __builtin_memcpy(p, &r, sizeof r); }
  POP_SIMD_INLINE void storePartial(void *p, std::size_t n) const {
    if (n != 0)
      __builtin_memcpy(p, &r, n);
  }
  POP_SIMD_INLINE friend simd operator&(simd a, simd b) { return {a.r & b.r}; }
  POP_SIMD_INLINE friend simd operator|(simd a, simd b) { return {a.r | b.r}; }
  POP_SIMD_INLINE friend simd operator^(simd a, simd b) { return {a.r ^ b.r}; }
  POP_SIMD_INLINE bool anyBit() const { return r != 0; }
  POP_SIMD_INLINE bool operator==(simd b) const { return r == b.r; }
};

} // namespace cottonwood
