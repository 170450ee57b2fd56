#include <popops/impl/Config.hpp>
#ifndef POPOPS_ELEMENT_WISE_UTIL_HPP
#define POPOPS_ELEMENT_WISE_UTIL_HPP

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <vector>

namespace popops {

/// A tensor for the result of an elementwise operation: laid out and mapped as the alias-free input
/// that is spread best over the tiles (fewest elements on the fullest one, then most tiles, then
/// fewest contiguous regions), else mapped linearly. \param inputs  at least one, all of one shape.
/// \throws poputil::poplibs_error  none, one is invalid, or the shapes differ.
POP_API poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph,
                                                    std::vector<poplar::Tensor> const &inputs,
                                                    poplar::Type const &outputType,
                                                    poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
