/// \file NaNCost.hpp
/// What a popops::HasSpecial vertex costs a tile of an IPU: 64 bits a cycle, and their test.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t hasSpecialCycles(unsigned elementBytes, std::uint64_t elements,
                                         unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  return workers * (24 + 2 * ((each * elementBytes + 7) / 8));
}

} // namespace cottonwood::vertices
