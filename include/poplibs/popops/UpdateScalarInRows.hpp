#include <popops/impl/Config.hpp>
#ifndef POPOPS_UPDATE_SCALAR_IN_ROWS_HPP
#define POPOPS_UPDATE_SCALAR_IN_ROWS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// params[i, indices[i]] -= 1. An index beyond the row makes all of the row NaN; a row with
/// MASKED_LABEL_CODE stays as it is.
/// \param params   [N, C] FLOAT or HALF; updated.
/// \param indices  [N] UNSIGNED_INT.
/// \throws poputil::poplibs_error  shapes or types do not fit, or parts of `params` alias.
/// \throws poplar::invalid_tile_mapping  `params` is not mapped.
POP_API void updateScalarInRows(poplar::Graph &graph, poplar::Tensor const &params,
                                poplar::Tensor const &indices, poplar::program::Sequence &program,
                                poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
