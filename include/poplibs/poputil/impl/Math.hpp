// Small arithmetic on sizes.
#pragma once

#include <cstddef>
#include <span>

namespace cottonwood::poputil {

constexpr std::size_t ceilDiv(std::size_t a, std::size_t b) { return a / b + (a % b != 0 ? 1 : 0); }

constexpr std::size_t roundUp(std::size_t a, std::size_t grain) {
  return ceilDiv(a, grain) * grain;
}

/// Number of elements of a shape.
inline std::size_t product(std::span<std::size_t const> shape) {
  std::size_t n = 1;
  for (std::size_t dim : shape)
    n *= dim;
  return n;
}

} // namespace cottonwood::poputil
