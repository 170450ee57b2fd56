// From a checked reduction to vertices in a list of compute sets.
#pragma once

#include <popops/Reduce.hpp>

#include <vector>

namespace cottonwood::popops {

/// A reduction whose arguments are known to fit.
struct ReduceJob {
  ::poplar::Tensor in;
  ::poplar::Tensor out;        ///< of the shape of `in` without the reduced dimensions
  std::vector<bool> isReduced; ///< for each dimension of `in`
  ::popops::ReduceParams params;
  ::poplar::Type partialType; ///< of results between stages
};

/// Adds the vertices of each stage to css[stage], appending compute sets as needed. A job without
/// elements to reduce writes the identity; one without outputs adds nothing.
POP_INLINE void emitReduce(::poplar::Graph &graph, ReduceJob const &job,
                           std::vector<::poplar::ComputeSet> &css,
                           ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::popops
