// Names of the operations of expressions: as enumerators and as they are printed.
#pragma once

#include <popops/ExprOp.hpp>

#include <string_view>

namespace cottonwood::popops {

struct OpName {
  std::string_view enumerator; ///< "LOGARITHM_ONE_PLUS"
  std::string_view debug;      ///< "LogarithmOnePlus"
};

OpName const &nameOf(::popops::expr::UnaryOpType op);
OpName const &nameOf(::popops::expr::BinaryOpType op);
OpName const &nameOf(::popops::expr::TernaryOpType op);

} // namespace cottonwood::popops
