// The value of an expression's constant, converted to the element type it gets.
#pragma once

#include <popops/Expr.hpp>

#include <cstdint>

namespace cottonwood::popops {

/// A number read from the bytes of a Const, without loss: an integer or a double.
struct ConstValue {
  bool isFloat = false;
  bool isNegative = false;   ///< integers only
  double number = 0;         ///< set for floats and, rounded, for integers
  std::uint64_t integer = 0; ///< integers only: two's complement
};

POP_INLINE ConstValue valueOf(::popops::expr::Const const &constant);

/// Converted as C++ converts: truncating towards zero, wrapping for integers.
POP_INLINE std::int64_t asSigned(ConstValue const &value);
POP_INLINE std::uint64_t asUnsigned(ConstValue const &value);

} // namespace cottonwood::popops
