/// \file SimdMixedHalf.hpp
/// What SimdMixed.hpp knows about kinds of vectors and masks, and what simd<half, Tag> has there on
/// every instruction set. Included by SimdMixed.hpp.
#pragma once

#include <codelets/arch/Simd.hpp>

#include <type_traits>

namespace cottonwood {

namespace arch {

template <class S>
concept Bool = std::is_same_v<S, bool>;
template <class T>
concept LaneInteger = std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>;

/// What may stand on the right of x op= y, x a vector of Ts.
template <class B, class T, class Tag>
concept LanesOrNumber = std::is_same_v<B, simd<T, Tag>> || LaneNumber<B, T>;

/// Halves that are kept as floats.
template <class T, class Tag>
concept SoftHalf = std::is_same_v<T, half> && !Tag::HALF_ARITHMETIC;

template <class M> struct MaskOf {};
template <class Tag> struct MaskOf<simdMask<Tag>> { using IsaTag = Tag; };
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <class Tag> struct MaskOf<HalfMask<Tag>> { using IsaTag = Tag; };
#endif
template <class M>
concept AnyMask = requires {
  typename MaskOf<M>::IsaTag;
};

/// f of the lanes as floats, rounded to half.
template <class Tag, class F> POP_SIMD_INLINE simd<half, Tag> throughFloat(simd<half, Tag> x, F f) {
  if constexpr (Tag::HALF_ARITHMETIC) {
    using Wide = simd<float, Tag>;
    half lanes[static_cast<std::size_t>(simd<half, Tag>::width)];
    x.store(lanes);
    for (int i = 0; i < simd<half, Tag>::width; i += Wide::width)
      f(Wide::load(lanes + i)).store(lanes + i);
    return simd<half, Tag>::load(lanes);
  } else {
    return simd<half, Tag>::round(f(x.r));
  }
}

} // namespace arch

#define POP_HALF(OP)                                                                               \
  template <class Tag>                                                                             \
  requires(!Tag::HALF_ARITHMETIC) POP_SIMD_INLINE simdMask<Tag>                                    \
  operator OP(simd<half, Tag> a, simd<half, Tag> b) { return a.r OP b.r; }
POP_HALF(==)
POP_HALF(!=)
POP_HALF(<)
POP_HALF(<=)
POP_HALF(>)
POP_HALF(>=)
#undef POP_HALF
template <class Tag>
requires(!Tag::HALF_ARITHMETIC) POP_SIMD_INLINE simd<half, Tag>
operator-(simd<half, Tag> x) { return {-x.r}; }

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
namespace arch {
#define POP_HALF(OP)                                                                               \
  template <class Tag>                                                                             \
  POP_SIMD_INLINE HalfMask<Tag> operator OP(HalfMask<Tag> a, HalfMask<Tag> b) {                    \
    return {a.m OP b.m};                                                                           \
  }
POP_HALF(&)
POP_HALF(|)
POP_HALF(^)
#undef POP_HALF
template <class Tag> POP_SIMD_INLINE HalfMask<Tag> operator~(HalfMask<Tag> a) { return {~a.m}; }
} // namespace arch
#endif

} // namespace cottonwood
