#pragma once

#include <poplin/impl/CheckWritten.hpp>
#include <poplin/impl/MatMulCheck.hpp>
#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/View.hpp>

namespace cottonwood::poplin {

namespace detail {

using ::poputil::poplibs_error;

POP_INLINE void checkRank(char const *where, bool grouped, char const *name, ShapeSpan shape,
                          char const *dims) {
  std::size_t const rank = grouped ? 3 : 2;
  if (shape.size() != rank)
    base::fail<poplibs_error>(where, "'", name, "' has shape ", base::shapeText(shape), " of rank ",
                              shape.size(), "; it must have rank ", rank, ": ", dims);
}

} // namespace detail

POP_INLINE std::vector<std::size_t> MatMulCheck::outShape() const {
  if (grouped)
    return {problem.g, problem.m, problem.n};
  return {problem.m, problem.n};
}

POP_INLINE MatMulCheck checkMatMul(char const *where, bool grouped, ::poplar::Target const &target,
                                   ::poplar::Type const &inputType,
                                   ::poplar::Type const &outputType, ShapeSpan aShape,
                                   ShapeSpan bShape) {
  using detail::poplibs_error;
  detail::checkRank(where, grouped, "A", aShape, grouped ? "[g, m, k]" : "[m, k]");
  detail::checkRank(where, grouped, "B", bShape, grouped ? "[g, k, n]" : "[k, n]");
  auto const fail = [&](char const *what, char const *must) {
    base::fail<poplibs_error>(where, "'A' of shape ", base::shapeText(aShape), " and 'B' of shape ",
                              base::shapeText(bShape), " differ in ", what, "; ", must);
  };
  if (grouped && aShape[0] != bShape[0])
    fail("the number of groups", "dimension 0 of both must be equal");
  ShapeSpan const a = aShape.last(2), b = bShape.last(2);
  if (a[1] != b[0])
    fail("k", "the columns of A must be as many as the rows of B");
  MatMulCheck check;
  check.grouped = grouped;
  check.problem.g = grouped ? aShape[0] : 1;
  check.problem.m = a[0], check.problem.k = a[1], check.problem.n = b[1];
  checkProductTypes(where, "A and B", inputType, "the result", outputType);
  check.problem.input = operandType(target, inputType);
  check.problem.output = plannerType(outputType);
  return check;
}

POP_INLINE void checkMatMulTensor(char const *where, ::poplar::Tensor const &t, char const *name) {
  if (!t.valid())
    base::fail<detail::poplibs_error>(where, "'", name, "' is an invalid tensor");
}

POP_INLINE MatMulCheck checkMatMul(char const *where, bool grouped, ::poplar::Graph const &graph,
                                   ::poplar::Tensor const &a, ::poplar::Tensor const &b,
                                   ::poplar::Type const &outputType) {
  checkMatMulTensor(where, a, "A");
  checkMatMulTensor(where, b, "B");
  if (a.elementType() != b.elementType())
    base::fail<detail::poplibs_error>(where, "'A' is of type ", a.elementType(), ", 'B' of type ",
                                      b.elementType(), "; they must be equal");
  if (graph::viewOf(a).graph() != graph::viewOf(b).graph())
    base::fail<detail::poplibs_error>(where, "'A' and 'B' are tensors of different graphs");
  return checkMatMul(where, grouped, graph.getTarget(), a.elementType(), outputType, a.shape(),
                     b.shape());
}

POP_INLINE void checkMatMulOutput(char const *where, MatMulCheck const &check,
                                  ::poplar::Tensor const &out, char const *name) {
  auto const shape = check.outShape();
  if (out.shape() != shape)
    base::fail<detail::poplibs_error>(where, "'", name, "' has shape ",
                                      base::shapeText(out.shape()), ", but the product has shape ",
                                      base::shapeText(shape));
  checkWritten(where, out, name);
}

} // namespace cottonwood::poplin
