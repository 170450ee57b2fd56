#include <popnn/impl/Config.hpp>
#ifndef POPNN_SPATIAL_SOFT_MAX_HPP
#define POPNN_SPATIAL_SOFT_MAX_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <utility>

namespace popnn {

/// The expected position in each field, with coordinates that run from -1 to 1 along H and along W:
///
///     p[f] = softmax over all of fields[f] / temperature;
///     coords[f, 0] = sum of p[f,y,x] Y[y],  coords[f, 1] = sum of p[f,y,x] X[x]
///
/// \param fields  [F, H, W], FLOAT or HALF.
/// \param temperature  what the variable that is returned starts with.
/// \param disableSoftmax  p[f] = fields[f] / temperature: fields are distributions already.
/// \returns {coords [F, 2], the temperature: a variable of one element on tile 0}, of the type of
/// fields.
/// \throws poplar::poplar_error  another rank or type.
POP_API std::pair<poplar::Tensor, poplar::Tensor>
spatialSoftMax2D(poplar::Graph &graph, poplar::program::Sequence &prog,
                 poplar::Tensor const &fields, float temperature, bool disableSoftmax = false,
                 poplar::DebugContext const &debugContext = {});

} // namespace popnn

#endif
