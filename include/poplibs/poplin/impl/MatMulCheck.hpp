// From arguments to a problem, or an error that names what is wrong.
#pragma once

#include <planners/poplin/MatMulTypes.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace cottonwood::poplin {

using ShapeSpan = std::span<std::size_t const>;

/// Sizes and types of a product whose arguments fit together. Sizes may be 0.
struct MatMulCheck {
  planner::MatMulProblem problem; ///< what the target multiplies; partials and layouts are not set
  bool grouped = false;

  bool isEmpty() const { return problem.g == 0 || problem.m == 0 || problem.n == 0; }
  /// Nothing is multiplied: the result has no elements or is all zeros.
  bool isTrivial() const { return isEmpty() || problem.k == 0; }
  /// [m, n] or [g, m, n]
  std::vector<std::size_t> outShape() const;
};

/// \throws poputil::poplibs_error  ranks, sizes or types that do not fit.
POP_API MatMulCheck checkMatMul(char const *where, bool grouped, ::poplar::Target const &target,
                                ::poplar::Type const &inputType, ::poplar::Type const &outputType,
                                ShapeSpan aShape, ShapeSpan bShape);
/// \throws poputil::poplibs_error  also tensors that are invalid, of different types or of
/// different graphs.
POP_API MatMulCheck checkMatMul(char const *where, bool grouped, ::poplar::Graph const &graph,
                                ::poplar::Tensor const &a, ::poplar::Tensor const &b,
                                ::poplar::Type const &outputType);
/// Checks a tensor that takes the result. \param name  what the caller calls it.
POP_API void checkMatMulOutput(char const *where, MatMulCheck const &check,
                               ::poplar::Tensor const &out, char const *name);
/// \throws poputil::poplibs_error  the tensor is invalid.
POP_API void checkMatMulTensor(char const *where, ::poplar::Tensor const &t, char const *name);

/// A tensor of rank 2 as [1, rows, columns]; one of rank 3 as it is.
inline ::poplar::Tensor asGroups(::poplar::Tensor const &t) {
  return t.rank() == 2 ? t.expand({0}) : t;
}

} // namespace cottonwood::poplin
