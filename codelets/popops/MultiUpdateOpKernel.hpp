/// \file MultiUpdateOpKernel.hpp
/// Rows of a table combined with slices; which rows, and in which order, is in SliceKernel.hpp.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/popops/SliceKernel.hpp>

#include <type_traits>

namespace cottonwood::kernels {

/// What becomes of a row t of the table and a row s of a slice.
enum class SliceOp : unsigned {
  ADD, ///< t + scale s, in one rounding for floating numbers
  MAX, ///< t > s ? t : s
  MUL, ///< t s
};

/// The type in which elements of type T are computed, that of the scale.
template <class T> struct SliceScaleOf { using type = T; };
template <> struct SliceScaleOf<half> { using type = float; };
template <class T> using SliceScale = typename SliceScaleOf<T>::type;

namespace detail {

template <SliceOp OP, class V> POP_SIMD_INLINE V sliceOp(V t, V s, V scale) {
  if constexpr (OP == SliceOp::MAX)
    return V::max(t, s);
  else if constexpr (OP == SliceOp::MUL)
    return t * s;
  else if constexpr (std::is_same_v<typename V::Element, float>)
    return V::fma(scale, s, t);
  else
    return t + scale * s;
}

template <class Tag, SliceOp OP, class T>
void updateRows(const SliceGeometry &g, T *table, const T *slices, const unsigned *offsets,
                SliceScale<T> scale) {
  using V = simd<SliceScale<T>, Tag>;
  const V scales = V::splat(scale);
  updateSlices(g, table, slices, offsets, true, [&](T *to, const T *from, std::size_t n) {
    std::size_t i = 0;
    for (; i + V::width <= n; i += V::width)
      sliceOp<OP>(V::load(to + i), V::load(from + i), scales).store(to + i);
    if (i < n)
      sliceOp<OP>(V::loadPartial(to + i, n - i), V::loadPartial(from + i, n - i), scales)
          .storePartial(to + i, n - i);
  });
}

} // namespace detail

template <class Tag, class T>
void updateSlicesWith(SliceOp op, const SliceGeometry &g, T *table, const T *slices,
                      const unsigned *offsets, SliceScale<T> scale) {
  switch (op) {
  case SliceOp::ADD:
    return detail::updateRows<Tag, SliceOp::ADD>(g, table, slices, offsets, scale);
  case SliceOp::MAX:
    return detail::updateRows<Tag, SliceOp::MAX>(g, table, slices, offsets, scale);
  case SliceOp::MUL:
    return detail::updateRows<Tag, SliceOp::MUL>(g, table, slices, offsets, scale);
  }
}

} // namespace cottonwood::kernels
