/// \file SimdMixed.hpp
/// What functors of applications may write besides the face of simd<T, Tag>: operators between
/// vectors and plain numbers, and free functions, so that `x * y + 1` and `max(x, 0)` mean for
/// vectors what they mean for numbers.
///
///   x op s, s op x        op: + - * / == != < <= > >=; s is converted to the element type. Integer
///                         vectors take integers only.
///   min max               of vectors, or a vector and a number: x < y ? x : y, x > y ? x : y
///   abs sqrt floor ceil trunc   of float vectors
///   fma(a, b, c)          a * b + c, rounded once; at least one vector
///   select(m, a, b)       a where the mask m is set, else b; vectors or numbers
#pragma once

#include <codelets/arch/Simd.hpp>

#include <type_traits>

namespace cottonwood {

namespace arch {

/// Numbers that stand for a vector of Ts with all lanes equal.
template <class S, class T>
concept LaneNumber = std::is_arithmetic_v<S> && !std::is_same_v<S, bool> &&
                     (std::is_integral_v<S> || !std::is_integral_v<T>);

template <class T, class Tag, class S> POP_SIMD_INLINE simd<T, Tag> splatNumber(S s) {
  if constexpr (std::is_same_v<T, half>) {
    const half x{floatToHalf(static_cast<float>(s))};
    return simd<half, Tag>::broadcast(&x);
  } else {
    return simd<T, Tag>::splat(static_cast<T>(s));
  }
}

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

#define POP_MIXED(NAME)                                                                            \
  template <class T, class Tag>                                                                    \
  POP_SIMD_INLINE simd<T, Tag> NAME(simd<T, Tag> a, simd<T, Tag> b) {                              \
    return simd<T, Tag>::NAME(a, b);                                                               \
  }                                                                                                \
  template <class T, class Tag, arch::LaneNumber<T> S>                                             \
  POP_SIMD_INLINE simd<T, Tag> NAME(simd<T, Tag> a, S b) {                                         \
    return simd<T, Tag>::NAME(a, arch::splatNumber<T, Tag>(b));                                    \
  }                                                                                                \
  template <class T, class Tag, arch::LaneNumber<T> S>                                             \
  POP_SIMD_INLINE simd<T, Tag> NAME(S a, simd<T, Tag> b) {                                         \
    return simd<T, Tag>::NAME(arch::splatNumber<T, Tag>(a), b);                                    \
  }
POP_MIXED(min)
POP_MIXED(max)
#undef POP_MIXED

#define POP_MIXED(NAME)                                                                            \
  template <class Tag> POP_SIMD_INLINE simd<float, Tag> NAME(simd<float, Tag> x) {                 \
    return simd<float, Tag>::NAME(x);                                                              \
  }
POP_MIXED(abs)
POP_MIXED(sqrt)
POP_MIXED(floor)
POP_MIXED(ceil)
POP_MIXED(trunc)
#undef POP_MIXED

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

template <class Tag, class A, class B> POP_SIMD_INLINE auto select(simdMask<Tag> m, A a, B b) {
  if constexpr (arch::AnyVector<A> || arch::AnyVector<B>) {
    using T = typename arch::FirstVector<A, B>::Element;
    return simd<T, Tag>::select(m, arch::asVector<T, Tag>(a), arch::asVector<T, Tag>(b));
  } else {
    using T = arch::NumberLane<A, B>;
    return simd<T, Tag>::select(m, arch::splatNumber<T, Tag>(a), arch::splatNumber<T, Tag>(b));
  }
}
template <class Tag>
POP_SIMD_INLINE simdMask<Tag> select(simdMask<Tag> m, simdMask<Tag> a, simdMask<Tag> b) {
  return (m & a) | (~m & b);
}

} // namespace cottonwood
