// What the planners of products and convolutions have in common.
#pragma once

#include <planners/core/Choice.hpp>

#include <cstdint>

namespace cottonwood::planner {

enum class MatMulType : std::uint32_t { FLOAT, HALF };
template <> struct EnumNames<MatMulType> {
  static constexpr std::string_view names[] = {"float", "half"};
};

namespace detail {

constexpr std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// The number of parts that are not empty when `size` is cut into parts of ceil(size / parts).
constexpr std::uint64_t realParts(std::uint64_t size, std::uint64_t parts) {
  return ceilDiv(size, ceilDiv(size, parts));
}

} // namespace detail

} // namespace cottonwood::planner
