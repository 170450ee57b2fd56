#include <popops/impl/Config.hpp>
#ifndef POPOPS_SPLINE_WEIGHTING_HPP
#define POPOPS_SPLINE_WEIGHTING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// out[e, o] = sum over p, i of basis[e, p] * weight[weightIndex[e, p], i, o] * input[e, i].
/// Terms whose index is not in [0, K) are left out. Sums are in float.
/// \param input        [E, Ci] FLOAT or HALF.
/// \param weight       [K, Ci, Co] of the type of input.
/// \param basis        [E, P] of the type of input.
/// \param weightIndex  [E, P] INT.
/// \returns  [E, Co] of the type of input.
/// \throws poputil::poplibs_error  shapes or types do not fit.
POP_API poplar::Tensor splineWeighting(poplar::Graph &graph, poplar::Tensor const &input,
                                       poplar::Tensor const &weight, poplar::Tensor const &basis,
                                       poplar::Tensor const &weightIndex,
                                       poplar::program::Sequence &prog,
                                       poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
