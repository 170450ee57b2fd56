/// \file MatMulSmallSpan.hpp
/// How far apart the elements of small matrices lie.
#pragma once

#include <codelets/poplin/MatMulArgs.hpp>

namespace cottonwood::kernels::detail {

POP_SIMD_INLINE std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

/// Distance from the first element to the last of `count` at a distance, or more than any
/// vector if it is negative.
POP_SIMD_INLINE std::size_t smallReach(std::size_t count, std::ptrdiff_t distance) {
  constexpr std::size_t FAR = 1 << 20;
  return count <= 1     ? 0
         : distance < 0 ? FAR
                        : least(FAR, (count - 1) * static_cast<std::size_t>(distance));
}
/// Elements from the first to the last of a matrix.
template <class T>
POP_SIMD_INLINE std::size_t smallSpan(const MatMulView<T> &x, std::size_t rows,
                                      std::size_t columns) {
  return smallReach(rows, x.row) + smallReach(columns, x.column) + 1;
}

} // namespace cottonwood::kernels::detail
