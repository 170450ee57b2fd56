// Vertices that work on whole rows of matrices.
#pragma once

#include <popops/impl/Partition.hpp>

namespace cottonwood::popnn {

using ::poplar::Tensor;

/// The rows of a share, as one flat tensor.
inline Tensor rowsOf(Tensor const &matrix, popops::Share const &share) {
  return matrix.slice(share.intervals.front(), 0).flatten();
}

/// Cycles that a row of exponentials and sums takes, to split rows among threads by.
inline double softmaxRowCycles(std::size_t columns) {
  return 20 + 4 * static_cast<double>(columns);
}

} // namespace cottonwood::popnn
