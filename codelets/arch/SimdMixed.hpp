/// \file SimdMixed.hpp
/// What functors of applications may write besides the face of simd<T, Tag>: operators between
/// vectors and plain numbers, and free functions, so that `x * y + 1`, `x += y` and `max(x, 0)`
/// mean for vectors what they mean for numbers.
///
///   x op s, s op x        op: + - * / == != < <= > >=, and & | ^ << >> of integers; s is converted
///                         to the element type. Integer vectors take integers only, and no /.
///   x << y, x >> y        of integers; >> keeps the sign of int. Counts of 32 and above shift all
///                         bits out.
///   x op= y               y a vector or a number; and + - in front of a vector
///   m && n, m || n, !m, m == n, m != n   of masks, or a mask and a bool; both sides are computed
///   min max               of vectors, or a vector and a number: x < y ? x : y, x > y ? x : y
///   abs                   of vectors of floats, halves and ints
///   sqrt floor ceil trunc   of vectors of floats and halves
///   fma(a, b, c)          a * b + c, rounded once; at least one vector
///   select(m, a, b)       a where the mask m is set, else b; vectors, numbers, or masks and bools
#pragma once

#include <codelets/arch/SimdMixedHalf.hpp>

#include <type_traits>

namespace cottonwood {

namespace arch {

/// What select() gives for two numbers.
template <class A, class B>
using NumberLane =
    std::conditional_t<std::is_floating_point_v<A> || std::is_floating_point_v<B>, float,
                       std::conditional_t<std::is_unsigned_v<A> && std::is_unsigned_v<B>,
                                          std::uint32_t, std::int32_t>>;

} // namespace arch

#define POP_MIXED(OP)                                                                              \
  template <class T, class Tag, arch::LaneNumber<T> S>                                             \
  POP_SIMD_INLINE auto operator OP(simd<T, Tag> x, S s) {                                          \
    return x OP arch::splatNumber<T, Tag>(s);                                                      \
  }                                                                                                \
  template <class T, class Tag, arch::LaneNumber<T> S>                                             \
  POP_SIMD_INLINE auto operator OP(S s, simd<T, Tag> x) {                                          \
    return arch::splatNumber<T, Tag>(s) OP x;                                                      \
  }
POP_MIXED(+)
POP_MIXED(-)
POP_MIXED(*)
POP_MIXED(/)
POP_MIXED(==)
POP_MIXED(!=)
POP_MIXED(<)
POP_MIXED(<=)
POP_MIXED(>)
POP_MIXED(>=)
#undef POP_MIXED

// ---- Shifts, and bits beside numbers

template <arch::LaneInteger T, class Tag>
POP_SIMD_INLINE simd<T, Tag> operator<<(simd<T, Tag> x, simd<T, Tag> n) {
  return simd<T, Tag>::shiftLeft(x, n);
}
template <arch::LaneInteger T, class Tag>
POP_SIMD_INLINE simd<T, Tag> operator>>(simd<T, Tag> x, simd<T, Tag> n) {
  if constexpr (std::is_signed_v<T>)
    return simd<T, Tag>::shiftRightArithmetic(x, n);
  else
    return simd<T, Tag>::shiftRight(x, n);
}

#define POP_MIXED(OP)                                                                              \
  template <arch::LaneInteger T, class Tag, arch::LaneNumber<T> S>                                 \
  POP_SIMD_INLINE simd<T, Tag> operator OP(simd<T, Tag> x, S s) {                                  \
    return x OP arch::splatNumber<T, Tag>(s);                                                      \
  }                                                                                                \
  template <arch::LaneInteger T, class Tag, arch::LaneNumber<T> S>                                 \
  POP_SIMD_INLINE simd<T, Tag> operator OP(S s, simd<T, Tag> x) {                                  \
    return arch::splatNumber<T, Tag>(s) OP x;                                                      \
  }
POP_MIXED(&)
POP_MIXED(|)
POP_MIXED(^)
POP_MIXED(<<)
POP_MIXED(>>)
#undef POP_MIXED

// ---- Assignments

#define POP_MIXED(OP)                                                                              \
  template <class T, class Tag, arch::LanesOrNumber<T, Tag> B>                                     \
  requires requires(simd<T, Tag> a, B b) { a OP b; }                                               \
  POP_SIMD_INLINE simd<T, Tag> &operator OP##=(simd<T, Tag> &a, B b) { return a = a OP b; }
POP_MIXED(+)
POP_MIXED(-)
POP_MIXED(*)
POP_MIXED(/)
POP_MIXED(&)
POP_MIXED(|)
POP_MIXED(^)
POP_MIXED(<<)
POP_MIXED(>>)
#undef POP_MIXED

template <class T, class Tag> POP_SIMD_INLINE simd<T, Tag> operator+(simd<T, Tag> x) { return x; }

// ---- Masks

namespace arch {
/// All lanes like `set`.
template <class M> POP_SIMD_INLINE M splatMask(M like, bool set) {
  return set ? like | ~like : like & ~like;
}
POP_SIMD_INLINE bool splatMask(bool, bool set) { return set; }
} // namespace arch

#define POP_MIXED(OP, RESULT)                                                                      \
  template <arch::AnyMask M> POP_SIMD_INLINE M operator OP(M m, M n) { return RESULT; }
POP_MIXED(&&, m &n)
POP_MIXED(||, m | n)
POP_MIXED(==, ~(m ^ n))
POP_MIXED(!=, m ^ n)
#undef POP_MIXED
template <arch::AnyMask M> POP_SIMD_INLINE M operator!(M m) { return ~m; }

#define POP_MIXED(OP)                                                                              \
  template <arch::AnyMask M, arch::Bool B> POP_SIMD_INLINE M operator OP(M m, B b) {               \
    return m OP arch::splatMask(m, b);                                                             \
  }                                                                                                \
  template <arch::AnyMask M, arch::Bool B> POP_SIMD_INLINE M operator OP(B b, M n) {               \
    return arch::splatMask(n, b) OP n;                                                             \
  }
POP_MIXED(&&)
POP_MIXED(||)
POP_MIXED(==)
POP_MIXED(!=)
POP_MIXED(&)
POP_MIXED(|)
POP_MIXED(^)
#undef POP_MIXED

#define POP_MIXED(OP)                                                                              \
  template <arch::AnyMask M, class B>                                                              \
  requires(std::is_same_v<B, M> || std::is_same_v<B, bool>) POP_SIMD_INLINE M &operator OP##=(     \
      M &m, B b) {                                                                                 \
    return m = m OP b;                                                                             \
  }
POP_MIXED(&)
POP_MIXED(|)
POP_MIXED(^)
#undef POP_MIXED

// ---- Functions

#define POP_MIXED(NAME)                                                                            \
  template <class T, class Tag>                                                                    \
  POP_SIMD_INLINE simd<T, Tag> NAME(simd<T, Tag> a, simd<T, Tag> b) {                              \
    if constexpr (arch::SoftHalf<T, Tag>)                                                          \
      return {simd<float, Tag>::NAME(a.r, b.r)};                                                   \
    else                                                                                           \
      return simd<T, Tag>::NAME(a, b);                                                             \
  }                                                                                                \
  template <class T, class Tag, arch::LaneNumber<T> S>                                             \
  POP_SIMD_INLINE simd<T, Tag> NAME(simd<T, Tag> a, S b) {                                         \
    return NAME(a, arch::splatNumber<T, Tag>(b));                                                  \
  }                                                                                                \
  template <class T, class Tag, arch::LaneNumber<T> S>                                             \
  POP_SIMD_INLINE simd<T, Tag> NAME(S a, simd<T, Tag> b) {                                         \
    return NAME(arch::splatNumber<T, Tag>(a), b);                                                  \
  }
POP_MIXED(min)
POP_MIXED(max)
#undef POP_MIXED

#define POP_MIXED(NAME)                                                                            \
  template <class Tag> POP_SIMD_INLINE simd<float, Tag> NAME(simd<float, Tag> x) {                 \
    return simd<float, Tag>::NAME(x);                                                              \
  }                                                                                                \
  template <class Tag> POP_SIMD_INLINE simd<half, Tag> NAME(simd<half, Tag> x) {                   \
    return arch::throughFloat(x, [](simd<float, Tag> y)                                            \
                                     POP_SIMD_LAMBDA { return simd<float, Tag>::NAME(y); });       \
  }
POP_MIXED(abs)
POP_MIXED(sqrt)
POP_MIXED(floor)
POP_MIXED(ceil)
POP_MIXED(trunc)
#undef POP_MIXED
/// That of INT_MIN is INT_MIN: arithmetic wraps.
template <class Tag> POP_SIMD_INLINE simd<std::int32_t, Tag> abs(simd<std::int32_t, Tag> x) {
  return simd<std::int32_t, Tag>::max(x, -x);
}

namespace arch {
/// The vector itself, or one of numbers.
template <class T, class Tag> POP_SIMD_INLINE simd<T, Tag> asVector(simd<T, Tag> x) { return x; }
template <class T, class Tag, LaneNumber<T> S> POP_SIMD_INLINE simd<T, Tag> asVector(S s) {
  return splatNumber<T, Tag>(s);
}

template <class X> struct VectorOf {};
template <class T, class Tag> struct VectorOf<simd<T, Tag>> {
  using Element = T;
  using IsaTag = Tag;
};
template <class X>
concept AnyVector = requires {
  typename VectorOf<X>::Element;
};
/// The first vector among types.
template <class X, class... Rest> struct FirstVector : FirstVector<Rest...> {};
template <AnyVector X, class... Rest> struct FirstVector<X, Rest...> : VectorOf<X> {};
} // namespace arch

template <class A, class B, class C>
requires(arch::AnyVector<A> || arch::AnyVector<B> || arch::AnyVector<C>) POP_SIMD_INLINE
    auto fma(A a, B b, C c) {
  using First = arch::FirstVector<A, B, C>;
  using T = typename First::Element;
  using Tag = typename First::IsaTag;
  return simd<T, Tag>::fma(arch::asVector<T, Tag>(a), arch::asVector<T, Tag>(b),
                           arch::asVector<T, Tag>(c));
}

template <arch::AnyMask M, class A, class B> POP_SIMD_INLINE auto select(M m, A a, B b) {
  if constexpr (arch::AnyVector<A> || arch::AnyVector<B>) {
    using First = arch::FirstVector<A, B>;
    using T = typename First::Element;
    using Tag = typename First::IsaTag;
    auto const x = arch::asVector<T, Tag>(a), y = arch::asVector<T, Tag>(b);
    if constexpr (arch::SoftHalf<T, Tag>)
      return simd<half, Tag>{simd<float, Tag>::select(m, x.r, y.r)};
    else
      return simd<T, Tag>::select(m, x, y);
  } else if constexpr ((arch::AnyMask<A> || arch::Bool<A>)&&(arch::AnyMask<B> || arch::Bool<B>)) {
    return (m & a) | (~m & b);
  } else {
    using T = arch::NumberLane<A, B>;
    using Tag = typename arch::MaskOf<M>::IsaTag;
    return simd<T, Tag>::select(m, arch::splatNumber<T, Tag>(a), arch::splatNumber<T, Tag>(b));
  }
}

} // namespace cottonwood
