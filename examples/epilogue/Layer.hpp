// A layer of a transformer's feed-forward block, written in two ways.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

/// gelu(x * weights + bias) + x2 in one pass: the functor is in Layer.cpp.
/// \param x  [m, k]  \param weights  [k, n]  \param bias  [n]  \param x2  [m, n]
poplar::Tensor fusedLayer(poplar::Graph &graph, const poplar::Tensor &x,
                          const poplar::Tensor &weights, const poplar::Tensor &bias,
                          const poplar::Tensor &x2, poplar::program::Sequence &prog);

/// The same as a product followed by operations of popops and popnn.
poplar::Tensor plainLayer(poplar::Graph &graph, const poplar::Tensor &x,
                          const poplar::Tensor &weights, const poplar::Tensor &bias,
                          const poplar::Tensor &x2, poplar::program::Sequence &prog);
