/// \file EncodingCost.hpp
/// What popops::OneHot and popops::Iota vertices cost a tile of an IPU: stores of 64 bits a cycle,
/// and a few cycles a row.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t oneHotCycles(unsigned elementBytes, std::uint64_t elements,
                                     std::uint64_t columns, unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  const std::uint64_t rows = columns == 0 ? 0 : each / columns + 1;
  return workers * (30 + (each * elementBytes + 7) / 8 + 8 * rows);
}

constexpr std::uint64_t iotaCycles(std::uint64_t elements, unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  return workers * (26 + (each + 1) / 2 * 2);
}

} // namespace cottonwood::vertices
