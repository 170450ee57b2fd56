/// \file MapWideCost.hpp
/// Which operations the vertices of MapWide.hpp have, and what they cost a tile of an IPU, which
/// works on 32 bits at a time: loads, an operation of several instructions (a library call where it
/// divides) and a store an element.
#pragma once

#include <codelets/popops/MapProgram.hpp>

#include <cstdint>

namespace cottonwood::vertices {

/// Whether MapWide or CompareWide has the operation for integers of that size.
constexpr bool isWideOp(MapOp op, unsigned bytes, bool isSigned) {
  switch (op) {
  case MapOp::BITWISE_NOT:
  case MapOp::BITWISE_AND:
  case MapOp::BITWISE_OR:
  case MapOp::BITWISE_XOR:
  case MapOp::BITWISE_XNOR:
  case MapOp::EQUAL:
  case MapOp::NOT_EQUAL:
    return true;
  case MapOp::ABSOLUTE:
  case MapOp::NEGATE:
    return bytes == 8 && isSigned;
  case MapOp::ADD:
  case MapOp::SUBTRACT:
  case MapOp::MULTIPLY:
  case MapOp::DIVIDE:
  case MapOp::REMAINDER:
  case MapOp::MAXIMUM:
  case MapOp::MINIMUM:
  case MapOp::SHIFT_LEFT:
  case MapOp::SHIFT_RIGHT:
  case MapOp::SHIFT_RIGHT_SIGN_EXTEND:
  case MapOp::GREATER_THAN_EQUAL:
  case MapOp::GREATER_THAN:
  case MapOp::LESS_THAN_EQUAL:
  case MapOp::LESS_THAN:
  case MapOp::SELECT:
    return bytes == 8;
  default:
    return false;
  }
}

constexpr std::uint64_t wideElementCycles(MapOp op, unsigned bytes) {
  const std::uint64_t words = bytes == 8 ? 2 : 1;
  switch (op) {
  case MapOp::MULTIPLY:
    return 4 * words * words;
  case MapOp::DIVIDE:
  case MapOp::REMAINDER:
    return 60 * words;
  default:
    return 5 * words;
  }
}

constexpr std::uint64_t wideCycles(MapOp op, unsigned bytes, std::uint64_t elements,
                                   unsigned workers) {
  return 20 + workers * (20 + (elements + workers - 1) / workers * wideElementCycles(op, bytes));
}

} // namespace cottonwood::vertices
