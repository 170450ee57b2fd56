/// \file ScalarInRowsKernel.hpp
/// Elements of rows by index; the rules are those of ScalarInRows.hpp.
#pragma once

#include <codelets/popops/FillKernel.hpp>

namespace cottonwood::kernels {

namespace detail {
/// The index of a row that does not count.
inline constexpr std::uint32_t MASKED_ROW = 0xffffffffu;

template <class Tag, class T> POP_SIMD_INLINE void storeScalar(T *p, float value) {
  simd<float, Tag>::splat(value).storePartial(p, 1);
}
} // namespace detail

template <class Tag, class T>
void selectScalarFromRows(const T *params, const std::uint32_t *indices, T *out, std::size_t begin,
                          std::size_t end, std::size_t columns) {
  for (std::size_t row = begin; row < end; ++row) {
    const std::uint32_t at = indices[row];
    if (at < columns)
      __builtin_memcpy(out + row, params + row * columns + at, sizeof(T));
    else
      detail::storeScalar<Tag>(out + row, at == detail::MASKED_ROW ? 0.f : __builtin_nanf(""));
  }
}

/// Elements [begin, end) of `params`, whose element 0 stands in `column` of its row.
template <class Tag, class T>
void updateScalarInRows(T *params, const std::uint32_t *indices, std::size_t column,
                        std::size_t begin, std::size_t end, std::size_t columns) {
  const std::size_t first = column + begin, last = column + end;
  for (std::size_t row = first / columns; row * columns < last; ++row) {
    const std::size_t rowBegin = row * columns < first ? first : row * columns;
    const std::size_t rowEnd = (row + 1) * columns < last ? (row + 1) * columns : last;
    const std::size_t at = row * columns + indices[row];
    if (indices[row] == detail::MASKED_ROW)
      continue;
    if (indices[row] >= columns) {
      T nan;
      detail::storeScalar<Tag>(&nan, __builtin_nanf(""));
      fillBytes<Tag, sizeof(T)>(params + (rowBegin - column), &nan, rowEnd - rowBegin);
    } else if (at >= rowBegin && at < rowEnd) {
      T *const p = params + (at - column);
      detail::storeScalar<Tag>(p, simd<float, Tag>::loadPartial(p, 1).first() - 1.f);
    }
  }
}

} // namespace cottonwood::kernels
