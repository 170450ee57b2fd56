#include <popops/impl/Config.hpp>
#ifndef POPOPS_NAN_HPP
#define POPOPS_NAN_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

// Tests of a whole tensor. The result is a new BOOL tensor of shape {}; false without elements.

namespace popops {

/// Whether some element is NaN.
/// \param src  FLOAT or HALF, any shape.
/// \throws poputil::poplibs_error  another type.
POP_API poplar::Tensor hasNaN(poplar::Graph &graph, poplar::Tensor const &src,
                              poplar::program::Sequence &prog,
                              poplar::DebugContext const &debugContext = {});

/// Whether some element is NaN or an infinity.
/// \param src  FLOAT or HALF, any shape.
/// \throws poputil::poplibs_error  another type.
POP_API poplar::Tensor hasNaNOrInf(poplar::Graph &graph, poplar::Tensor const &src,
                                   poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
