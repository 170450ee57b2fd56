// From rows to vertices that find their largest or smallest elements.
#pragma once

#include <popops/impl/Config.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <utility>

namespace cottonwood::popops {

using ::poplar::Tensor;

/// The first of the largest (else smallest) elements of each row, and its index.
/// \param in  [rows, columns] FLOAT, HALF, INT or UNSIGNED_INT, with at least one column.
/// \returns   values (a zero is +0) and indices, [rows] each.
POP_API POP_INLINE std::pair<Tensor, Tensor>
emitRowExtremes(::poplar::Graph &graph, Tensor const &in, bool largest,
                ::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::popops
