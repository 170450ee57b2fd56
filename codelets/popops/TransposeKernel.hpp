/// \file TransposeKernel.hpp
/// Transposes of many small matrices, or parts of large ones.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <cstddef>

namespace cottonwood::kernels {

/// Rows [begin, end) of the transposed matrices, counted through all of them.
template <class Tag, class T>
void transposeRows(const T *in, T *out, std::size_t rows, std::size_t columns, std::size_t begin,
                   std::size_t end) {
  constexpr std::size_t BLOCK = 16; // columns of which a row of blocks stays in the cache
  while (begin < end) {
    const std::size_t matrix = begin / columns, first = begin % columns;
    std::size_t last = first + BLOCK < columns ? first + BLOCK : columns;
    last = last - first < end - begin ? last : first + (end - begin);
    const T *const from = in + matrix * rows * columns;
    T *const to = out + matrix * rows * columns;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = first; c < last; ++c)
        to[c * rows + r] = from[r * columns + c];
    begin += last - first;
  }
}

} // namespace cottonwood::kernels
