// Operands of a product as CPU kernels read them: in place, by strides.
#pragma once

#include <planners/poplin/MatMulTypes.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace cottonwood::poplin {

using ::poplar::Tensor;

/// Element (g, i, j) of a tensor of rank 3 is element offset + g * batch + i * row + j * column of
/// `run`, the shortest run of one variable that holds them all. The stride of a dimension of size 1
/// is 0.
struct StridedOperand {
  Tensor run;
  std::int64_t offset = 0, batch = 0, row = 0, column = 0;
  std::int64_t panel = 0; ///< not 0: column j is panel * (j / PANEL) + j % PANEL away, see below
};

/// \param t  [g, i, j] with elements. \returns  nothing if its places have no constant strides, or
/// if the run has elements that are mapped nowhere.
POP_API std::optional<StridedOperand> stridedOperand(::poplar::Graph const &graph, Tensor const &t);

/// A right operand [g, k, n] as panelled() made it, kernels::MATMUL_PANEL columns to a panel.
POP_API std::optional<StridedOperand> panelOperand(::poplar::Graph const &graph, Tensor const &t);

/// Shape of the variable behind a right operand [g, k, n] in panels, and the operand as a view of
/// that variable.
POP_API std::vector<std::size_t> panelShape(std::size_t g, std::size_t k, std::size_t n);
POP_API Tensor panelled(Tensor const &variable, std::size_t n);

/// Chooses strides that mean nothing so that kernels see the simplest layout.
POP_API void normaliseLeft(StridedOperand &a, std::size_t m, std::size_t k);
POP_API void normaliseRight(StridedOperand &b, std::size_t k, std::size_t n);

POP_API planner::MatMulLayout layoutOf(StridedOperand const &operand);

} // namespace cottonwood::poplin
