#include <popops/impl/Config.hpp>
#ifndef POPOPS_SELECT_SCALAR_FROM_ROWS_HPP
#define POPOPS_SELECT_SCALAR_FROM_ROWS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// out[i] = params[i, indices[i]]; NaN for an index beyond the row, 0 for MASKED_LABEL_CODE.
/// \param params   [N, C] FLOAT or HALF.
/// \param indices  [N] UNSIGNED_INT.
/// \returns  [N] of the type of params.
/// \throws poputil::poplibs_error  shapes or types do not fit.
POP_API poplar::Tensor selectScalarFromRows(poplar::Graph &graph, poplar::Tensor const &params,
                                            poplar::Tensor const &indices,
                                            poplar::program::Sequence &prog,
                                            poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
