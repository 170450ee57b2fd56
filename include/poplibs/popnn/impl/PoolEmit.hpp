// Poolings that are known to fit: from tensors to vertices.
#pragma once

#include <popnn/Pooling.hpp>

#include <codelets/popnn/PoolKernel.hpp>

#include <string>
#include <vector>

namespace cottonwood::popnn {

using ::poplar::Tensor;

/// Where a pooling goes.
struct PoolCall {
  ::poplar::Graph &graph;
  ::poplar::program::Sequence &prog;
  ::poplar::DebugContext const &debugContext;
};

/// A new tensor of a shape whose dimensions lie in memory as those of `like` do, each place of the
/// field with all that lies further in on one tile.
POP_INLINE Tensor poolVariable(PoolCall const &call, Tensor const &like,
                               std::vector<std::size_t> const &shape, char const *name);

/// out = kind over the windows of in, [N, C, ...field] both.
POP_INLINE void emitPool(PoolCall const &call, ::popnn::pooling::PoolParams const &params,
                         kernels::PoolKind kind, Tensor const &in, Tensor const &out);
/// gradient / number of elements that are equal to the maximum of their window.
POP_INLINE void emitPoolMaxScale(PoolCall const &call, ::popnn::pooling::PoolParams const &params,
                                 Tensor const &acts, Tensor const &pooled, Tensor const &gradient,
                                 Tensor const &out);
/// Gradients of windows to the elements that are their maxima.
POP_INLINE void emitPoolMaxGradient(PoolCall const &call,
                                    ::popnn::pooling::PoolParams const &params, Tensor const &acts,
                                    Tensor const &pooled, Tensor const &gradient,
                                    Tensor const &out);

} // namespace cottonwood::popnn
