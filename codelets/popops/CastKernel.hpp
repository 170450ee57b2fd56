/// \file CastKernel.hpp
/// Conversion of n elements; the rules are those of Cast.hpp.
#pragma once

#include <codelets/arch/SimdMathBase.hpp>
#include <codelets/arch/SimdSteps.hpp>
#include <codelets/popops/StreamBytes.hpp>

#include <limits>
#include <type_traits>

namespace cottonwood::kernels {

inline constexpr std::size_t CAST_GRAIN = 256;

namespace detail {
template <class T>
inline constexpr bool IS_FLOATING = std::is_same_v<T, float> || std::is_same_v<T, half>;
template <class T>
inline constexpr bool IS_LANE = IS_FLOATING<T> || std::is_same_v<T, std::int32_t> ||
                                std::is_same_v<T, std::uint32_t> || std::is_same_v<T, bool>;
template <class T>
inline constexpr bool IS_BYTE = std::is_integral_v<T> && sizeof(T) == 1 && !std::is_same_v<T, bool>;

/// One element held in a 32-bit lane: floating as float, bool as a mask, integers as they are.
template <class Tag, class T> POP_SIMD_INLINE auto loadLanes(const T *p) {
  if constexpr (IS_FLOATING<T>)
    return simd<float, Tag>::load(p);
  else if constexpr (std::is_same_v<T, bool>)
    return simdMask<Tag>::loadBool(p);
  else
    return simd<T, Tag>::load(p);
}
template <class Tag, class T> POP_SIMD_INLINE auto loadLanes(const T *p, std::size_t n) {
  if constexpr (IS_FLOATING<T>)
    return simd<float, Tag>::loadPartial(p, n);
  else if constexpr (std::is_same_v<T, bool>)
    return simdMask<Tag>::loadBoolPartial(p, n);
  else
    return simd<T, Tag>::loadPartial(p, n);
}
template <class V, class T> POP_SIMD_INLINE void storeLanes(V v, T *p) {
  if constexpr (std::is_same_v<T, bool>)
    v.storeBool(p);
  else
    v.store(p);
}
template <class V, class T> POP_SIMD_INLINE void storeLanes(V v, T *p, std::size_t n) {
  if constexpr (std::is_same_v<T, bool>)
    v.storeBoolPartial(p, n);
  else
    v.storePartial(p, n);
}

/// Whether x truncates to a To.
template <class To> POP_SIMD_INLINE bool holds(float x) {
  if constexpr (std::is_same_v<To, std::int32_t>)
    return x >= -0x1p31f && x < 0x1p31f;
  else if constexpr (std::is_same_v<To, std::uint32_t>)
    return x > -1.f && x < 0x1p32f;
  else
    return x > float{std::numeric_limits<To>::min()} - 1.f &&
           x < float{std::numeric_limits<To>::max()} + 1.f;
}

/// From lanes of From to lanes of To.
template <class Tag, class From, class To, class X> POP_SIMD_INLINE auto convertLanes(X x) {
  using V = simd<float, Tag>;
  using I = simd<std::int32_t, Tag>;
  using U = simd<std::uint32_t, Tag>;
  if constexpr (std::is_same_v<From, bool>) {
    if constexpr (IS_FLOATING<To>)
      return V::select(x, V::splat(1.f), V::zero());
    else if constexpr (std::is_same_v<To, bool>)
      return x;
    else
      return simd<To, Tag>::select(x, simd<To, Tag>::splat(1), simd<To, Tag>::zero());
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != X::zero();
  } else if constexpr (IS_FLOATING<From>) {
    if constexpr (math::RAISES<V> && std::is_integral_v<To>)
      if (!holds<To>(x.first()))
        math::detail::raiseInvalid();
    if constexpr (IS_FLOATING<To>)
      return x;
    else if constexpr (std::is_same_v<To, std::int32_t>)
      return x.toInt();
    else
      return x.toUint();
  } else if constexpr (IS_FLOATING<To>) {
    if constexpr (std::is_same_v<From, std::int32_t>)
      return V::fromInt(x);
    else
      return V::fromUint(x);
  } else if constexpr (std::is_same_v<From, To>) {
    return x;
  } else if constexpr (std::is_same_v<To, std::int32_t>) {
    return I{static_cast<decltype(I::r)>(x.r)};
  } else {
    return U{static_cast<decltype(U::r)>(x.r)};
  }
}

/// One element between types of which one has no 32-bit lane.
template <class From, class To> POP_SIMD_INLINE To convertOne(From x) {
  if constexpr (std::is_same_v<From, float>) {
    if constexpr (IS_BYTE<To>) {
      constexpr float LOW = std::is_signed_v<To> ? -128.f : 0.f;
      constexpr float HIGH = std::is_signed_v<To> ? 127.f : 255.f;
      const float bounded = x < LOW ? LOW : x > HIGH ? HIGH : x;
      return x == x ? static_cast<To>(static_cast<std::int32_t>(bounded)) : To{0};
    } else {
      const bool fits = x >= -0x1p31f && x < 0x1p31f;
      return static_cast<To>(fits ? static_cast<std::int32_t>(x) : INT32_MIN);
    }
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else {
    return static_cast<To>(x);
  }
}

/// Fixed trip counts let the compiler vectorise the plain loops.
inline constexpr std::size_t CAST_BLOCK = 64;

template <class Tag, class From, class To>
POP_SIMD_INLINE void convertBlock(const From *__restrict in, To *__restrict out) {
  if constexpr (math::RAISES<simd<float, Tag>> && std::is_same_v<From, float> &&
                !std::is_same_v<To, bool>) {
    bool allHeld = true;
    for (std::size_t i = 0; i < CAST_BLOCK; ++i)
      allHeld &= holds<To>(in[i]);
    if (!allHeld)
      math::detail::raiseInvalid();
  }
  for (std::size_t i = 0; i < CAST_BLOCK; ++i)
    out[i] = convertOne<From, To>(in[i]);
}

/// CAST_BLOCK elements, where half goes through float.
template <class Tag, class From, class To> POP_SIMD_INLINE void castBlock(const From *in, To *out) {
  using V = simd<float, Tag>;
  if constexpr (std::is_same_v<From, half>) {
    float wide[CAST_BLOCK];
    for (std::size_t i = 0; i < CAST_BLOCK; i += V::width)
      V::load(in + i).store(wide + i);
    convertBlock<Tag>(wide, out);
  } else if constexpr (std::is_same_v<To, half>) {
    float wide[CAST_BLOCK];
    convertBlock<Tag>(in, wide);
    for (std::size_t i = 0; i < CAST_BLOCK; i += V::width)
      V::load(wide + i).store(out + i);
  } else {
    convertBlock<Tag>(in, out);
  }
}
} // namespace detail

/// out[i] = To(in[i]). The arrays may be the same memory only if the types have the same size.
/// \param past  writes past the caches where that can be done; `out` is then aligned to 64 bytes
template <class Tag, class From, class To>
void cast(const From *in, To *out, std::size_t n, bool past = false) {
  std::size_t i = 0;
  if constexpr (std::is_same_v<From, To>) {
    __builtin_memmove(out, in, n * sizeof(To));
  } else if constexpr (detail::IS_LANE<From> && detail::IS_LANE<To>) {
    constexpr std::size_t W = simd<float, Tag>::width;
    const auto convert = [in](std::size_t k) POP_SIMD_LAMBDA {
      return detail::convertLanes<Tag, From, To>(detail::loadLanes<Tag>(in + k));
    };
    if constexpr (!std::is_same_v<To, bool>)
      if (past) {
        constexpr std::size_t LINE = 64 / sizeof(To), LINES = 64 / sizeof(From),
                              B = LINE < LINES ? LINES : LINE;
        using V = decltype(convert(0));
        for (; i + B <= n; i += B) {
          detail::fetchAhead(in, i, B, detail::fetchDistance(Walk::PAST));
          for (std::size_t k = i; k < i + B; k += LINE)
            detail::streamLine<V>(out + k,
                                  [&](std::size_t j) POP_SIMD_LAMBDA { return convert(k + j); });
        }
      }
    i += arch::eachWholeStep<W>(n - i, [in = in + i, out = out + i](std::size_t k) POP_SIMD_LAMBDA {
      detail::storeLanes(detail::convertLanes<Tag, From, To>(detail::loadLanes<Tag>(in + k)),
                         out + k);
    });
    if (i < n)
      detail::storeLanes(detail::convertLanes<Tag, From, To>(detail::loadLanes<Tag>(in + i, n - i)),
                         out + i, n - i);
  } else {
    constexpr std::size_t B = detail::CAST_BLOCK;
    for (; i + B <= n; i += B)
      detail::castBlock<Tag>(in + i, out + i);
    if (i < n) {
      From last[B] = {};
      To result[B];
      __builtin_memcpy(last, in + i, (n - i) * sizeof(From));
      detail::castBlock<Tag>(last, result);
      __builtin_memcpy(out + i, result, (n - i) * sizeof(To));
    }
  }
}

} // namespace cottonwood::kernels
