// Compiled once per instruction set by poplar_add_kernels.
#include "Layer.hpp"

#include <poplin/Epilogue.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>

/// What becomes of each sum. V is a vector of neighbouring sums.
struct GeluResidual {
  template <class V> V operator()(V sum, poplin::EpilogueAt<V> at) const {
    const V bias = at.operand(0), residual = at.operand(1);
    return poplin::epilogue::math::gelu(sum + bias) + residual;
  }
};

poplar::Tensor fusedLayer(poplar::Graph &graph, const poplar::Tensor &x,
                          const poplar::Tensor &weights, const poplar::Tensor &bias,
                          const poplar::Tensor &x2, poplar::program::Sequence &prog) {
  return poplin::matMul(graph, x, weights, prog, GeluResidual{}, {bias, x2}, "fused");
}

poplar::Tensor plainLayer(poplar::Graph &graph, const poplar::Tensor &x,
                          const poplar::Tensor &weights, const poplar::Tensor &bias,
                          const poplar::Tensor &x2, poplar::program::Sequence &prog) {
  const poplar::Tensor y = poplin::matMul(graph, x, weights, prog, "product");
  popops::addInPlace(graph, y, bias, prog);
  popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::GELU, y, prog);
  popops::addInPlace(graph, y, x2, prog);
  return y;
}
