/// \file TransposeCost.hpp
/// What a popops::Transpose vertex costs a tile of an IPU: 4 x 4 halves at a time, other sizes
/// element by element.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t transposeCycles(unsigned elementBytes, std::uint64_t rows,
                                        std::uint64_t columns, std::uint64_t matrices,
                                        unsigned workers) {
  const bool fast = elementBytes == 2 && rows % 4 == 0 && columns % 4 == 0;
  const std::uint64_t matrix = fast ? rows * columns / 2 + 12 : 3 * rows * columns + 20;
  return workers * (24 + (matrices * matrix + workers - 1) / workers);
}

} // namespace cottonwood::vertices
