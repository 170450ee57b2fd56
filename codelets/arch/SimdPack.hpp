/// \file SimdPack.hpp
/// Several vectors that are one to functions of vectors.
///
/// A function of SimdMath.hpp is a chain of operations each of which waits for the one before. A
/// processor overlaps the chains of vectors that follow each other only as far as its scheduler
/// reaches: Zen 4's holds two or three of them. A pack has every operation of one chain beside the
/// same of the others. Its lanes are those of the vectors, and get the same bits as alone.
#pragma once

#include <codelets/arch/SimdLookup.hpp>

namespace cottonwood {

namespace arch {
template <class M, std::size_t N> struct MaskPack {
  M m[N];

  POP_SIMD_INLINE bool any() const {
    M all = m[0];
    unrolled<N - 1>([&](auto i) POP_SIMD_LAMBDA { all = all | m[i + 1]; });
    return all.any();
  }
  POP_SIMD_INLINE bool all() const {
    M both = m[0];
    unrolled<N - 1>([&](auto i) POP_SIMD_LAMBDA { both = both & m[i + 1]; });
    return both.all();
  }
#define POP_PACKED(OP)                                                                             \
  POP_SIMD_INLINE friend MaskPack operator OP(const MaskPack &a, const MaskPack &b) {              \
    MaskPack r;                                                                                    \
    unrolled<N>([&](auto i) POP_SIMD_LAMBDA { r.m[i] = a.m[i] OP b.m[i]; });                       \
    return r;                                                                                      \
  }
  POP_PACKED(&)
  POP_PACKED(|)
  POP_PACKED(^)
#undef POP_PACKED
  POP_SIMD_INLINE friend MaskPack operator~(const MaskPack &a) {
    MaskPack r;
    unrolled<N>([&](auto i) POP_SIMD_LAMBDA { r.m[i] = ~a.m[i]; });
    return r;
  }
};

/// What packs of integers and of floats share. Self has the vectors as v[N].
template <class Self, class V, std::size_t N> struct PackLanes {
  static constexpr int width = static_cast<int>(N) * V::width;
  using Element = typename V::Element;
  using Mask = MaskPack<typename V::Mask, N>;

  /// Calls f(i) for the vectors of a pack and gives the pack of the results.
  template <class F> POP_SIMD_INLINE static Self each(F f) {
    Self r;
    unrolled<N>([&](auto i) POP_SIMD_LAMBDA { r.v[i] = f(i); });
    return r;
  }
  POP_SIMD_INLINE static Self zero() { return splat(Element{}); }
  POP_SIMD_INLINE static Self splat(Element x) {
    return each([&](auto) POP_SIMD_LAMBDA { return V::splat(x); });
  }
  template <class T> POP_SIMD_INLINE static Self load(const T *p) {
    return each([&](auto i) POP_SIMD_LAMBDA { return V::load(p + i * V::width); });
  }
  template <class T> POP_SIMD_INLINE void store(T *p) const {
    unrolled<N>([&](auto i) POP_SIMD_LAMBDA { self().v[i].store(p + i * V::width); });
  }
  /// Past the caches, whole cache lines at once where the vectors can.
  template <class T> POP_SIMD_INLINE void stream(T *p) const {
    if constexpr (N % 2 == 0 && requires(V x) { V::streamTwo(p, x, x); })
      unrolled<N / 2>([&](auto i) POP_SIMD_LAMBDA {
        V::streamTwo(p + 2 * i * V::width, self().v[2 * i], self().v[2 * i + 1]);
      });
    else
      unrolled<N>([&](auto i) POP_SIMD_LAMBDA { self().v[i].stream(p + i * V::width); });
  }
  POP_SIMD_INLINE static Self select(const Mask &m, const Self &a, const Self &b) {
    return each([&](auto i) POP_SIMD_LAMBDA { return V::select(m.m[i], a.v[i], b.v[i]); });
  }
#define POP_PACKED(OP)                                                                             \
  POP_SIMD_INLINE friend Self operator OP(const Self &a, const Self &b) {                          \
    return each([&](auto i) POP_SIMD_LAMBDA { return a.v[i] OP b.v[i]; });                         \
  }
  POP_PACKED(+)
  POP_PACKED(-)
  POP_PACKED(*)
#undef POP_PACKED
  POP_SIMD_INLINE friend Self operator-(const Self &a) {
    return each([&](auto i) POP_SIMD_LAMBDA { return -a.v[i]; });
  }
#define POP_PACKED(OP)                                                                             \
  POP_SIMD_INLINE friend Mask operator OP(const Self &a, const Self &b) {                          \
    Mask r;                                                                                        \
    unrolled<N>([&](auto i) POP_SIMD_LAMBDA { r.m[i] = a.v[i] OP b.v[i]; });                       \
    return r;                                                                                      \
  }
  POP_PACKED(==)
  POP_PACKED(!=)
  POP_PACKED(<)
  POP_PACKED(<=)
  POP_PACKED(>)
  POP_PACKED(>=)
#undef POP_PACKED
#define POP_PACKED(NAME)                                                                           \
  POP_SIMD_INLINE static Self NAME(const Self &a, const Self &b) {                                 \
    return each([&](auto i) POP_SIMD_LAMBDA { return V::NAME(a.v[i], b.v[i]); });                  \
  }
  POP_PACKED(min)
  POP_PACKED(max)
#undef POP_PACKED

private:
  POP_SIMD_INLINE const Self &self() const { return static_cast<const Self &>(*this); }
};

template <class I, std::size_t N> struct IntPack : PackLanes<IntPack<I, N>, I, N> {
  I v[N];

  /// Of each lane, the largest of all vectors.
  POP_SIMD_INLINE I largest() const {
    I all = v[0];
    unrolled<N - 1>([&](auto i) POP_SIMD_LAMBDA { all = I::max(all, v[i + 1]); });
    return all;
  }

#define POP_PACKED(OP)                                                                             \
  POP_SIMD_INLINE friend IntPack operator OP(const IntPack &a, const IntPack &b) {                 \
    return IntPack::each([&](auto i) POP_SIMD_LAMBDA { return a.v[i] OP b.v[i]; });                \
  }
  POP_PACKED(&)
  POP_PACKED(|)
  POP_PACKED(^)
#undef POP_PACKED
#define POP_PACKED(NAME)                                                                           \
  template <int BITS> POP_SIMD_INLINE IntPack NAME() const {                                       \
    return IntPack::each([&](auto i) POP_SIMD_LAMBDA { return v[i].template NAME<BITS>(); });      \
  }
  POP_PACKED(shiftLeft)
  POP_PACKED(shiftRight)
  POP_PACKED(shiftRightArithmetic)
#undef POP_PACKED
};

/// N vectors V of floats.
template <class V, std::size_t N> struct Pack : PackLanes<Pack<V, N>, V, N> {
  using Int = IntPack<typename V::Int, N>;
  V v[N];

#define POP_PACKED(NAME)                                                                           \
  POP_SIMD_INLINE static Pack NAME(const Pack &a, const Pack &b, const Pack &c) {                  \
    return Pack::each([&](auto i) POP_SIMD_LAMBDA { return V::NAME(a.v[i], b.v[i], c.v[i]); });    \
  }
  POP_PACKED(fma)
  POP_PACKED(fnma)
  POP_PACKED(fms)
#undef POP_PACKED
#define POP_PACKED(NAME)                                                                           \
  POP_SIMD_INLINE static Pack NAME(const Pack &a) {                                                \
    return Pack::each([&](auto i) POP_SIMD_LAMBDA { return V::NAME(a.v[i]); });                    \
  }
  POP_PACKED(sqrt)
  POP_PACKED(abs)
  POP_PACKED(floor)
  POP_PACKED(ceil)
  POP_PACKED(trunc)
  POP_PACKED(nearest)
#undef POP_PACKED
  POP_SIMD_INLINE friend Pack operator/(const Pack &a, const Pack &b) {
    return Pack::each([&](auto i) POP_SIMD_LAMBDA { return a.v[i] / b.v[i]; });
  }
  POP_SIMD_INLINE static Pack inverseSqrtEstimate(const Pack &a) requires requires(V x) {
    V::inverseSqrtEstimate(x);
  }
  {
    return Pack::each([&](auto i) POP_SIMD_LAMBDA { return V::inverseSqrtEstimate(a.v[i]); });
  }
#define POP_PACKED(NAME)                                                                           \
  POP_SIMD_INLINE static Pack NAME(const Pack &a, const Pack &b) requires requires(V x) {          \
    V::NAME(x, x);                                                                                 \
  }                                                                                                \
  {                                                                                                \
    return Pack::each([&](auto i) POP_SIMD_LAMBDA { return V::NAME(a.v[i], b.v[i]); });            \
  }
  POP_PACKED(scale)
  POP_PACKED(fixSqrt)
  POP_PACKED(fixInverseSqrt)
#undef POP_PACKED
  POP_SIMD_INLINE Int bits() const {
    return Int::each([&](auto i) POP_SIMD_LAMBDA { return v[i].bits(); });
  }
  POP_SIMD_INLINE Int toInt() const {
    return Int::each([&](auto i) POP_SIMD_LAMBDA { return v[i].toInt(); });
  }
  POP_SIMD_INLINE static Pack fromBits(const Int &x) {
    return Pack::each([&](auto i) POP_SIMD_LAMBDA { return V::fromBits(x.v[i]); });
  }
  POP_SIMD_INLINE static Pack fromInt(const Int &x) {
    return Pack::each([&](auto i) POP_SIMD_LAMBDA { return V::fromInt(x.v[i]); });
  }
};

/// Found by their arguments from the functions in math.
template <class I, std::size_t N>
POP_SIMD_INLINE auto lookup8(const float (&table)[8], const IntPack<I, N> &k) {
  Pack<decltype(math::lookup8(table, k.v[0])), N> r;
  unrolled<N>([&](auto i) POP_SIMD_LAMBDA { r.v[i] = math::lookup8(table, k.v[i]); });
  return r;
}
template <class I, std::size_t N>
POP_SIMD_INLINE auto lookup16(const float (&table)[16], const IntPack<I, N> &k) {
  Pack<decltype(math::lookup16(table, k.v[0])), N> r;
  unrolled<N>([&](auto i) POP_SIMD_LAMBDA { r.v[i] = math::lookup16(table, k.v[i]); });
  return r;
}

/// table(k), of vectors and of packs.
template <class Tag, std::size_t SIZE, class I>
POP_SIMD_INLINE auto lookup(const Table<Tag, SIZE> &table, const I &k) {
  return table(k);
}
template <class Tag, std::size_t SIZE, class I, std::size_t N>
POP_SIMD_INLINE auto lookup(const Table<Tag, SIZE> &table, const IntPack<I, N> &k) {
  Pack<decltype(table(k.v[0])), N> r;
  unrolled<N>([&](auto i) POP_SIMD_LAMBDA { r.v[i] = table(k.v[i]); });
  return r;
}
} // namespace arch

} // namespace cottonwood
