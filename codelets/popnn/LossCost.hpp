/// \file LossCost.hpp
/// What the loss vertices and CorrectRows cost a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

enum class LossKind : std::uint8_t { CROSS_ENTROPY, SUM_SQUARED, CORRECT_ROWS };

constexpr std::uint64_t lossCycles(LossKind kind, std::uint64_t rows, std::uint64_t classes,
                                   unsigned elementBytes, unsigned workers) {
  const std::uint64_t each = (rows + workers - 1) / workers;
  const std::uint64_t elements = elementBytes == 2 ? (classes + 1) / 2 : classes;
  const std::uint64_t row = kind == LossKind::CROSS_ENTROPY ? 21 + 9 * elements
                            : kind == LossKind::SUM_SQUARED ? 21 + 4 * elements
                                                            : 27 + 3 * classes;
  return 9 + workers * (18 + each * row);
}

} // namespace cottonwood::vertices
