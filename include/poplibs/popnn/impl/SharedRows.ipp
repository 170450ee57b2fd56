#pragma once

#include <popnn/impl/SharedRows.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/impl/RowExtremesEmit.hpp>
#include <poputil/impl/Math.hpp>

namespace cottonwood::popnn {

namespace detail {

namespace pe = ::popops::expr;
using ::popops::Operation;

POP_INLINE pe::Any asFloat(pe::Expr const &x) { return pe::Cast(x, ::poplar::FLOAT); }

/// [rows] FLOAT
POP_INLINE Tensor reducedRows(RowsCall const &call, Tensor const &t, Operation operation,
                              ::poplar::Type const &type) {
  return ::popops::reduce(call.graph, t, type, {1}, operation, call.prog, call.debugContext);
}

/// The value of each row, beside its elements.
POP_INLINE Tensor asColumn(Tensor const &t) { return t.expand({1}); }

} // namespace detail

POP_INLINE bool
isSharingRowsBetter(::poplar::Graph const &graph, Tensor const &rows,
                    std::function<std::uint64_t(std::uint64_t)> const &wholeCycles) {
  auto const &target = graph.getTarget();
  if (target.getNumTiles() == 1 || rows.numElements() == 0)
    return false;
  // As if elements were spread evenly: where they lie should not change a bit.
  std::size_t const most = poputil::ceilDiv(rows.numElements(), std::size_t{target.getNumTiles()});
  std::size_t const whole = poputil::ceilDiv(rows.dim(0), std::size_t{target.getNumTiles()});
  // Two reductions, two or three steps over elements, and as many over what is one a row.
  constexpr std::uint64_t STEPS = 3000, ELEMENT = 6;
  std::size_t const bytes = whole * rows.dim(1) * target.getTypeSize(rows.elementType());
  std::uint64_t const exchange = 2 * bytes / 4; // 4 bytes a cycle come, and as many go
  return STEPS + ELEMENT * most < wholeCycles(whole) + exchange;
}

POP_INLINE void emitSharedSoftmax(RowsCall const &call, RowFunction function, Tensor const &in,
                                  Tensor const &out) {
  namespace pe = ::popops::expr;
  using detail::asColumn;
  auto const map = [&](pe::Expr const &expr, std::vector<Tensor> const &ts) {
    return ::popops::map(call.graph, expr, ts, call.prog, call.debugContext);
  };
  auto const finish = [&](pe::Expr const &expr, std::vector<Tensor> const &ts) {
    ::popops::mapWithOutput(call.graph, pe::Cast(expr, out.elementType()), ts, out, call.prog,
                            call.debugContext);
  };
  std::vector<Tensor> operands{in};
  pe::Any difference = detail::asFloat(pe::_1);
  if (function != RowFunction::SOFTMAX) {
    operands.push_back(
        asColumn(detail::reducedRows(call, in, ::popops::Operation::MAX, in.elementType())));
    difference = pe::Sub(detail::asFloat(pe::_1), detail::asFloat(pe::_2));
  }
  Tensor const exponentials = map(pe::Exp(difference), operands);
  Tensor const sums =
      detail::reducedRows(call, exponentials, ::popops::Operation::ADD, ::poplar::FLOAT);
  if (function == RowFunction::LOG) {
    operands.push_back(asColumn(map(pe::Log(pe::_1), {sums})));
    return finish(pe::Sub(difference, pe::_3), operands);
  }
  float const total = function == RowFunction::SCALED ? SOFTMAX_SCALING : 1.f;
  Tensor const factors = map(pe::Divide(pe::Const(total), pe::_1), {sums});
  finish(pe::Mul(pe::_1, pe::_2), {exponentials, asColumn(factors)});
}

POP_INLINE void emitSharedSoftmaxGradient(RowsCall const &call, Tensor const &act,
                                          Tensor const &gradient, Tensor const &out) {
  namespace pe = ::popops::expr;
  pe::Any const y = detail::asFloat(pe::_1), g = detail::asFloat(pe::_2), product = pe::Mul(g, y);
  Tensor const products =
      ::popops::map(call.graph, product, {act, gradient}, call.prog, call.debugContext);
  Tensor const sums =
      detail::reducedRows(call, products, ::popops::Operation::ADD, ::poplar::FLOAT);
  ::popops::mapWithOutput(
      call.graph, pe::Cast(pe::Sub(product, pe::Mul(y, pe::_3)), out.elementType()),
      {act, gradient, detail::asColumn(sums)}, out, call.prog, call.debugContext);
}

POP_INLINE Tensor emitSharedCorrectRows(RowsCall const &call, Tensor const &outputs,
                                        Tensor const &labels) {
  namespace pe = ::popops::expr;
  // NaN is above all numbers: the smallest of negated outputs passes over it.
  Tensor const negated =
      ::popops::map(call.graph, pe::Neg(pe::_1), {outputs}, call.prog, call.debugContext);
  auto const [values, indices] =
      popops::emitRowExtremes(call.graph, negated, false, call.prog, call.debugContext);
  return ::popops::map(call.graph,
                       pe::Cast(pe::And(pe::Equal(pe::_1, pe::_2), pe::Equal(pe::_3, pe::_3)),
                                ::poplar::UNSIGNED_INT),
                       {indices, labels.reinterpret(::poplar::UNSIGNED_INT), values}, call.prog,
                       call.debugContext);
}

} // namespace cottonwood::popnn
