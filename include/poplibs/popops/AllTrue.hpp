#include <popops/impl/Config.hpp>
#ifndef POPOPS_ALL_TRUE_HPP
#define POPOPS_ALL_TRUE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// Whether all elements are true, as a BOOL tensor of shape {}; true for a tensor without elements.
/// \throws poputil::poplibs_error  A is not BOOL.
POP_API poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A,
                               poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
