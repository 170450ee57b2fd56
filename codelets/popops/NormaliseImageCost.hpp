/// \file NormaliseImageCost.hpp
/// What a popops::NormaliseImage vertex costs a tile of an IPU.
#pragma once

#include <cstdint>

namespace cottonwood::vertices {

constexpr std::uint64_t normaliseImageCycles(bool fromBytes, std::uint64_t pixels,
                                             unsigned workers) {
  const std::uint64_t each = (pixels + workers - 1) / workers;
  return workers * (40 + each * (fromBytes ? 9 : 5));
}

} // namespace cottonwood::vertices
