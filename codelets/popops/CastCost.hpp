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

/// One end of a conversion.
struct CastType {
  unsigned bytes;
  bool isFloat, isHalf;
};

constexpr CastKind castKind(CastType from, CastType to) {
  return from.isHalf && to.isFloat      ? CastKind::HALF_TO_FLOAT
         : from.isFloat && to.isHalf    ? CastKind::FLOAT_TO_HALF
         : from.isHalf && to.bytes == 1 ? CastKind::HALF_TO_BYTE
         : to.isHalf && from.bytes == 1 ? CastKind::BYTE_TO_HALF
         : to.bytes == 8                ? CastKind::WIDE
                                        : CastKind::OTHER;
}

/// Of one worker, for its share of the elements.
constexpr std::uint64_t castWorkerCycles(CastKind kind, std::uint64_t elements) {
  std::uint64_t loop = 2 * elements;
  switch (kind) {
  case CastKind::HALF_TO_FLOAT:
    loop = (elements + 1) / 2;
    break;
  case CastKind::FLOAT_TO_HALF:
    loop = (elements + 3) / 4 * 2;
    break;
  case CastKind::HALF_TO_BYTE:
    loop = (elements + 3) / 4 * 16;
    break;
  case CastKind::BYTE_TO_HALF:
    loop = (elements + 3) / 4 * 9;
    break;
  case CastKind::WIDE:
    loop = elements * 5;
    break;
  case CastKind::OTHER:
    break;
  }
  return 18 + 19 + loop;
}

constexpr std::uint64_t castCycles(CastKind kind, std::uint64_t elements, unsigned workers) {
  return 12 + workers * castWorkerCycles(kind, (elements + workers - 1) / workers);
}

} // namespace cottonwood::vertices
