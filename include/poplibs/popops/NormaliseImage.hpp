#include <popops/impl/Config.hpp>
#ifndef POPOPS_NORMALISE_IMAGE_HPP
#define POPOPS_NORMALISE_IMAGE_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>

namespace popops {

/// An input for normaliseImage: every tile holds one run of whole pixels.
/// \param type   UNSIGNED_CHAR, HALF or FLOAT.
/// \param shape  [..., 3], rank 2 or more.
/// \throws poputil::poplibs_error  another type or shape.
POP_API poplar::Tensor createNormaliseImageInput(poplar::Graph &graph, poplar::Type const &type,
                                                 poplar::ArrayRef<std::size_t> const shape,
                                                 poplar::DebugContext const &debugContext = {});

/// out[..., c] = (tIn[..., c] * inScale - offsets[c]) * scales[c] for the three channels c; the
/// fourth is 0.
/// \param tIn      [..., 3] UNSIGNED_CHAR, HALF or FLOAT, rank 2 or more.
/// \param inScale  not 0.
/// \param offsets, scales  [3] of the type of the result.
/// \returns  [..., 4] HALF for UNSIGNED_CHAR, else of the type of tIn; mapped as tIn.
/// \throws poputil::poplibs_error  types, shapes or inScale do not fit, or some tile holds more
/// than one run of tIn or parts of pixels.
POP_API poplar::Tensor normaliseImage(poplar::Graph &graph, poplar::program::Sequence &seq,
                                      poplar::Tensor tIn, float inScale, poplar::Tensor offsets,
                                      poplar::Tensor scales,
                                      poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
