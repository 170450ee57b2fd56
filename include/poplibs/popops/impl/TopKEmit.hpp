// From rows of elements to vertices that select and sort.
#pragma once

#include <popops/TopK.hpp>

#include <utility>

namespace cottonwood::popops {

using ::poplar::Tensor;

/// The k first elements of each row of a matrix with at least one row; 1 <= k <= columns.
struct TopKJob {
  Tensor in; ///< [rows, columns] FLOAT, HALF, INT or UNSIGNED_INT
  std::size_t k;
  bool descending; ///< the largest are selected and come first, else the smallest
  bool mirrored;   ///< the selected ones come last to first
  bool indices;    ///< wanted as well
};

/// \returns  [rows, k] elements, and indices if wanted, else an invalid tensor.
POP_API POP_INLINE std::pair<Tensor, Tensor> emitTopK(::poplar::Graph &graph, TopKJob const &job,
                                                      ::poplar::program::Sequence &prog,
                                                      ::poplar::DebugContext const &debugContext);

/// out[r, j] = in[r, indices[r, j]]; elements of 2 or 4 bytes.
POP_API POP_INLINE Tensor emitGatherInRows(::poplar::Graph &graph, Tensor const &in,
                                           Tensor const &indices, ::poplar::program::Sequence &prog,
                                           ::poplar::DebugContext const &debugContext);

/// \throws poputil::poplibs_error  a type without an order.
POP_API POP_INLINE void checkOrderedType(char const *where, char const *what, Tensor const &t);

} // namespace cottonwood::popops
