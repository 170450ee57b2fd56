#pragma once

#include <popops/ExprOpUtils.hpp>
#include <popops/impl/OpNames.hpp>
#include <poputil/exceptions.hpp>

#include <array>
#include <ostream>

namespace cottonwood::popops {
namespace detail {

using ::popops::expr::BinaryOpType;
using ::popops::expr::TernaryOpType;
using ::popops::expr::UnaryOpType;

// In the order of the enumerators.
inline constexpr auto UNARY_NAMES =
    std::to_array<OpName>({{"ABSOLUTE", "Absolute"},
                           {"ASIN", "Asin"},
                           {"BITWISE_NOT", "BitwiseNot"},
                           {"CBRT", "Cbrt"},
                           {"CEIL", "Ceil"},
                           {"COS", "Cos"},
                           {"COUNT_LEADING_ZEROS", "CountLeadingZeros"},
                           {"ERF", "Erf"},
                           {"EXPONENT", "Exponent"},
                           {"EXPONENT_MINUS_ONE", "ExponentMinusOne"},
                           {"EXPONENT2", "Exponent2"},
                           {"FLOOR", "Floor"},
                           {"GELU_ERF", "GeluErf"},
                           {"INVERSE", "Inverse"},
                           {"IS_FINITE", "IsFinite"},
                           {"IS_INF", "IsInf"},
                           {"IS_NAN", "IsNaN"},
                           {"LOGARITHM", "Logarithm"},
                           {"LOGARITHM_ONE_PLUS", "LogarithmOnePlus"},
                           {"LOGICAL_NOT", "LogicalNot"},
                           {"NEGATE", "Negate"},
                           {"NEARBY_INT", "NearbyInt"},
                           {"POPCOUNT", "Popcount"},
                           {"RELU", "Relu"},
                           {"SIGNUM", "Signum"},
                           {"SIN", "Sin"},
                           {"TAN", "Tan"},
                           {"TANH", "Tanh"},
                           {"ROUND", "Round"},
                           {"SQRT", "Sqrt"},
                           {"SQUARE", "Square"},
                           {"SIGMOID", "Sigmoid"},
                           {"RSQRT", "Rsqrt"},
                           {"TRUNC", "Trunc"}});
static_assert(UNARY_NAMES.size() == static_cast<std::size_t>(UnaryOpType::TRUNC) + 1);

inline constexpr auto BINARY_NAMES =
    std::to_array<OpName>({{"ADD", "Add"},
                           {"ATAN2", "Atan2"},
                           {"BITWISE_AND", "BitwiseAnd"},
                           {"BITWISE_OR", "BitwiseOr"},
                           {"BITWISE_XOR", "BitwiseXor"},
                           {"BITWISE_XNOR", "BitwiseXnor"},
                           {"DIVIDE", "Divide"},
                           {"EQUAL", "Equal"},
                           {"GREATER_THAN_EQUAL", "GreaterThanEqual"},
                           {"GREATER_THAN", "GreaterThan"},
                           {"INV_STD_DEV_TO_VARIANCE", "InvStdDevToVariance"},
                           {"LESS_THAN_EQUAL", "LessThanEqual"},
                           {"LOGICAL_AND", "LogicalAnd"},
                           {"LOGICAL_OR", "LogicalOr"},
                           {"LESS_THAN", "LessThan"},
                           {"MAXIMUM", "Maximum"},
                           {"MINIMUM", "Minimum"},
                           {"MULTIPLY", "Multiply"},
                           {"NOT_EQUAL", "NotEqual"},
                           {"POWER", "Power"},
                           {"REMAINDER", "Remainder"},
                           {"SHIFT_LEFT", "ShiftLeft"},
                           {"SHIFT_RIGHT", "ShiftRight"},
                           {"SHIFT_RIGHT_SIGN_EXTEND", "ShiftRightSignExtend"},
                           {"SUBTRACT", "Subtract"},
                           {"VARIANCE_TO_INV_STD_DEV", "VarianceToInvStdDev"}});
static_assert(BINARY_NAMES.size() ==
              static_cast<std::size_t>(BinaryOpType::VARIANCE_TO_INV_STD_DEV) + 1);

inline constexpr auto TERNARY_NAMES =
    std::to_array<OpName>({{"CLAMP", "Clamp"}, {"SELECT", "Select"}});
static_assert(TERNARY_NAMES.size() == static_cast<std::size_t>(TernaryOpType::SELECT) + 1);

} // namespace detail

POP_INLINE OpName const &nameOf(detail::UnaryOpType op) {
  requireOp<::poputil::poplibs_error>("popops::expr", op);
  return detail::UNARY_NAMES[static_cast<unsigned>(op)];
}

POP_INLINE OpName const &nameOf(detail::BinaryOpType op) {
  requireOp<::poputil::poplibs_error>("popops::expr", op);
  return detail::BINARY_NAMES[static_cast<unsigned>(op)];
}

POP_INLINE OpName const &nameOf(detail::TernaryOpType op) {
  requireOp<::poputil::poplibs_error>("popops::expr", op);
  return detail::TERNARY_NAMES[static_cast<unsigned>(op)];
}

} // namespace cottonwood::popops

namespace popops::expr::ostream_ext {

POP_INLINE std::ostream &operator<<(std::ostream &os, UnaryOpType const &op) {
  return os << cottonwood::popops::nameOf(op).debug;
}

POP_INLINE std::ostream &operator<<(std::ostream &os, BinaryOpType const &op) {
  return os << cottonwood::popops::nameOf(op).debug;
}

POP_INLINE std::ostream &operator<<(std::ostream &os, TernaryOpType const &op) {
  return os << cottonwood::popops::nameOf(op).debug;
}

} // namespace popops::expr::ostream_ext

namespace poputil {

POP_INLINE std::string
VertexTemplateToString<popops::expr::UnaryOpType>::to_string(popops::expr::UnaryOpType const &op) {
  return "popops::expr::UnaryOpType::" + std::string(cottonwood::popops::nameOf(op).enumerator);
}

POP_INLINE std::string VertexTemplateToString<popops::expr::BinaryOpType>::to_string(
    popops::expr::BinaryOpType const &op) {
  return "popops::expr::BinaryOpType::" + std::string(cottonwood::popops::nameOf(op).enumerator);
}

POP_INLINE std::string VertexTemplateToString<popops::expr::TernaryOpType>::to_string(
    popops::expr::TernaryOpType const &op) {
  return "popops::expr::TernaryOpType::" + std::string(cottonwood::popops::nameOf(op).enumerator);
}

} // namespace poputil
