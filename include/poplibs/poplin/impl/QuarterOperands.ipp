#pragma once

#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <popops/Cast.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::poplin {

POP_INLINE planner::MatMulType plannerType(::poplar::Type const &type) {
  return type == ::poplar::QUARTER ? planner::MatMulType::QUARTER
         : type == ::poplar::HALF  ? planner::MatMulType::HALF
                                   : planner::MatMulType::FLOAT;
}

POP_INLINE planner::MatMulType operandType(::poplar::Target const &target,
                                           ::poplar::Type const &type) {
  bool const multiplied = !plansForCpu(target) && target.getFp8InFp16OutConvUnitsPerTile() != 0;
  return type == ::poplar::QUARTER && !multiplied ? planner::MatMulType::FLOAT : plannerType(type);
}

POP_INLINE void checkProductTypes(char const *where, char const *operands,
                                  ::poplar::Type const &operandType, char const *result,
                                  ::poplar::Type const &resultType) {
  using ::poputil::poplibs_error;
  bool const isQuarter = operandType == ::poplar::QUARTER;
  if (!isQuarter && operandType != ::poplar::FLOAT && operandType != ::poplar::HALF)
    base::fail<poplibs_error>(where, "the type of ", operands, " is ", operandType,
                              "; it must be float, half or quarter");
  if (isQuarter && resultType != ::poplar::HALF)
    base::fail<poplibs_error>(where, "the type of ", result, " is ", resultType,
                              "; with quarter operands it must be half");
  if (resultType != ::poplar::FLOAT && resultType != ::poplar::HALF)
    base::fail<poplibs_error>(where, "the type of ", result, " is ", resultType,
                              "; it must be float or half");
}

POP_INLINE ProductOperands castForProduct(::poplar::Graph &graph, ProductOperands const &operands,
                                          ::poplar::program::Sequence &prog,
                                          ::poplar::DebugContext const &debugContext) {
  ::poplar::Type const &type = operands.left.elementType();
  if (type != ::poplar::QUARTER ||
      operandType(graph.getTarget(), type) == planner::MatMulType::QUARTER)
    return operands;
  auto const cast = [&](::poplar::Tensor const &t) {
    return ::popops::cast(graph, t, ::poplar::FLOAT, prog, {debugContext, "cast"});
  };
  return {cast(operands.left), cast(operands.right)};
}

POP_INLINE void copyWithMetadata(::poplar::Graph &graph, ::poplar::Tensor const &from,
                                 ::poplar::Tensor const &to, ::poplar::program::Sequence &prog,
                                 ::poplar::DebugContext const &debugContext) {
  if (from.elementType() == ::poplar::QUARTER && from.getMetadata() != to.getMetadata()) {
    if (to.getMetadata().containsConstant())
      return ::popops::castWithOutput(graph, from, to, prog, debugContext);
    prog.add(::poplar::program::Copy(from.getMetadata(), to.getMetadata(), false, debugContext));
  }
  prog.add(::poplar::program::Copy(from, to, false, debugContext));
}

} // namespace cottonwood::poplin
