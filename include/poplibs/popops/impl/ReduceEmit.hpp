// From a checked reduction to vertices in a list of compute sets.
#pragma once

#include <popops/Reduce.hpp>
#include <popops/impl/ReduceFunctorEmit.hpp>

#include <vector>

namespace cottonwood::popops {

/// A reduction whose arguments are known to fit.
struct ReduceJob {
  ::poplar::Tensor in;
  ::poplar::Tensor out;        ///< of the shape of `in` without the reduced dimensions
  std::vector<bool> isReduced; ///< for each dimension of `in`
  ::popops::ReduceParams params{::popops::Operation::ADD};
  bool placesOutput = false;                 ///< `out` is new and mapped nowhere
  ::poplar::Type partialType;                ///< of results between stages
  ReduceFunctorJob const *functor = nullptr; ///< instead of what `params` say
};

/// Adds the vertices of each stage to css[stage], appending compute sets as needed. A job without
/// elements to reduce writes the identity; one without outputs adds nothing.
POP_INLINE void emitReduce(::poplar::Graph &graph, ReduceJob const &job,
                           std::vector<::poplar::ComputeSet> &css,
                           ::poplar::DebugContext const &debugContext);

/// Which dimensions of `in` are reduced. \throws poputil::poplibs_error  one is out of range.
POP_INLINE std::vector<bool> reducedDims(char const *where, ::poplar::Tensor const &in,
                                         std::vector<std::size_t> const &dims);
/// The shape of a reduction's result.
POP_INLINE std::vector<std::size_t> keptShape(::poplar::Tensor const &in,
                                              std::vector<bool> const &isReduced);
/// `out` in the shape of the result of `job`; what of it is mapped nowhere gets mapped.
/// \throws poputil::poplibs_error  it has another shape, not counting dimensions of size 1.
POP_INLINE ::poplar::Tensor reduceOutput(char const *where, ::poplar::Graph &graph,
                                         ReduceJob const &job, ::poplar::Tensor const &out);

} // namespace cottonwood::popops
