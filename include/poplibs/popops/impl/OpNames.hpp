// Names of the operations of expressions, as enumerators and as they are printed; whether there is
// such an operation.
#pragma once

#include <popops/ExprOp.hpp>
#include <popops/OperationDef.hpp>

#include <poplar/impl/base/Enumerators.hpp>

#include <string_view>

namespace cottonwood::popops {

struct OpName {
  std::string_view enumerator; ///< "LOGARITHM_ONE_PLUS"
  std::string_view debug;      ///< "LogarithmOnePlus"
};

OpName const &nameOf(::popops::expr::UnaryOpType op);
OpName const &nameOf(::popops::expr::BinaryOpType op);
OpName const &nameOf(::popops::expr::TernaryOpType op);

/// \throws E  there is no such operation.
template <class E> void requireOp(std::string_view where, ::popops::expr::UnaryOpType op) {
  base::requireUpTo<E>(where, "UnaryOpType", op, ::popops::expr::UnaryOpType::TRUNC);
}
template <class E> void requireOp(std::string_view where, ::popops::expr::BinaryOpType op) {
  base::requireUpTo<E>(where, "BinaryOpType", op,
                       ::popops::expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV);
}
template <class E> void requireOp(std::string_view where, ::popops::expr::TernaryOpType op) {
  base::requireUpTo<E>(where, "TernaryOpType", op, ::popops::expr::TernaryOpType::SELECT);
}
template <class E> void requireOp(std::string_view where, ::popops::Operation op) {
  base::requireEnumerator<E>(
      where, "Operation", op,
      {"ADD", "MUL", "MIN", "MAX", "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOG_ADD"});
}

} // namespace cottonwood::popops
