#include <poplin/impl/Config.hpp>
#ifndef POPLIN_MESH_GRID_HPP
#define POPLIN_MESH_GRID_HPP

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <vector>

namespace poplin {

/// `count` numbers from left on, each (right - left) / (count - 1) above the one before, by
/// repeated addition in float: the last one is right up to the roundings. One number is left.
/// \param type  FLOAT or HALF.
/// \returns a constant [count] on tile 0.
/// \throws poplar::poplar_error  another type.
POP_API poplar::Tensor linspace(poplar::Graph &graph, poplar::Type const &type, float left,
                                float right, std::size_t count,
                                poplar::DebugContext const &debugContext = {});

/// {X, Y} of shape [ny, nx] with X[i, j] = x[j] and Y[i, j] = y[i]: views of x [nx] and y [ny].
/// \throws poplar::poplar_error  a rank that is not 1, or different types.
POP_API std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &graph, poplar::Tensor x,
                                               poplar::Tensor y);

} // namespace poplin

#endif
