/// \file ScaledAddKernel.hpp
/// a = f(a) + scaleB b, in place; the rules are those of ScaledAdd.hpp.
#pragma once

#include <codelets/arch/SimdSteps.hpp>

#include <type_traits>

namespace cottonwood::kernels {

inline constexpr std::size_t SCALED_ADD_GRAIN = 256;

/// What stands for a on the right-hand side.
enum class ScaledAddForm { A, SCALED_A, A_MINUS_SCALED_A };

namespace detail {
template <ScaledAddForm FORM, class V> POP_SIMD_INLINE V scaledTerm(V a, V scale) {
  if constexpr (FORM == ScaledAddForm::A)
    return a;
  else if constexpr (FORM == ScaledAddForm::SCALED_A)
    return scale * a;
  else if constexpr (std::is_same_v<typename V::Element, float>)
    return V::fnma(scale, a, a);
  else
    return a - scale * a;
}

template <class V> POP_SIMD_INLINE V multiplyAdd(V s, V b, V t) {
  if constexpr (std::is_same_v<typename V::Element, float>)
    return V::fma(s, b, t);
  else
    return s * b + t;
}

template <class Tag, ScaledAddForm FORM, class A, class B, class S>
void scaledAddLoop(A *a, const B *b, S scaleA, S scaleB, std::size_t n) {
  using V = simd<S, Tag>;
  const V sa = V::splat(scaleA), sb = V::splat(scaleB);
  const std::size_t i = arch::eachWholeStep<V::width>(n, [&](std::size_t k) POP_SIMD_LAMBDA {
    multiplyAdd(sb, V::load(b + k), scaledTerm<FORM>(V::load(a + k), sa)).store(a + k);
  });
  if (i < n)
    multiplyAdd(sb, V::loadPartial(b + i, n - i),
                scaledTerm<FORM>(V::loadPartial(a + i, n - i), sa))
        .storePartial(a + i, n - i);
}
} // namespace detail

template <class Tag, class A, class B, class S>
void scaledAdd(ScaledAddForm form, A *a, const B *b, S scaleA, S scaleB, std::size_t n) {
  switch (form) {
  case ScaledAddForm::A:
    return detail::scaledAddLoop<Tag, ScaledAddForm::A>(a, b, scaleA, scaleB, n);
  case ScaledAddForm::SCALED_A:
    return detail::scaledAddLoop<Tag, ScaledAddForm::SCALED_A>(a, b, scaleA, scaleB, n);
  case ScaledAddForm::A_MINUS_SCALED_A:
    return detail::scaledAddLoop<Tag, ScaledAddForm::A_MINUS_SCALED_A>(a, b, scaleA, scaleB, n);
  }
}

} // namespace cottonwood::kernels
