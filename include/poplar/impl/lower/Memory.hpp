// Address arithmetic of lowering.
#pragma once

#include <cstdint>

namespace cottonwood::lower {

/// The first multiple of `alignment` (any positive number) that is not below `value`.
constexpr std::uint64_t alignUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The last multiple of `alignment` that is not above `value`.
constexpr std::uint64_t alignDown(std::uint64_t value, std::uint64_t alignment) {
  return value / alignment * alignment;
}

} // namespace cottonwood::lower
