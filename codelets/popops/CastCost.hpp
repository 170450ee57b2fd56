/// \file CastCost.hpp
/// What a popops::Cast vertex costs a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

/// What decides the speed of a conversion.
enum class CastKind : std::uint8_t {
  HALF_TO_FLOAT,
  FLOAT_TO_HALF,
  HALF_TO_BYTE,
  BYTE_TO_HALF,
  WIDE,
  OTHER
};

constexpr std::uint64_t castCycles(CastKind kind, std::uint64_t elements, unsigned workers) {
  const std::uint64_t each = (elements + workers - 1) / workers;
  std::uint64_t loop = 2 * each;
  switch (kind) {
  case CastKind::HALF_TO_FLOAT:
    loop = (each + 1) / 2;
    break;
  case CastKind::FLOAT_TO_HALF:
    loop = (each + 3) / 4 * 2;
    break;
  case CastKind::HALF_TO_BYTE:
    loop = (each + 3) / 4 * 16;
    break;
  case CastKind::BYTE_TO_HALF:
    loop = (each + 3) / 4 * 9;
    break;
  case CastKind::WIDE:
    loop = each * 5;
    break;
  case CastKind::OTHER:
    break;
  }
  return 12 + workers * (18 + 19 + loop);
}

} // namespace cottonwood::vertices
