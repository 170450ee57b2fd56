/// \file ScalarInRowsCost.hpp
/// What popops::SelectScalarFromRows and popops::UpdateScalarInRows vertices cost a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t scalarInRowsCycles(std::uint64_t rows, unsigned workers) {
  const std::uint64_t each = (rows + workers - 1) / workers;
  return workers * (24 + 12 * each);
}

} // namespace cottonwood::vertices
