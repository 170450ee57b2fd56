#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_VAR_STRUCTURE_HPP
#define POPUTIL_VAR_STRUCTURE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

// How tensors lie in memory, and tensors that lie as wished.

namespace poputil {

/// The largest number of neighbours along the last dimension that follow one another in memory, on
/// one tile, in all rows; it divides the dimension. 1 if there are none, or no elements.
/// \throws poplibs_error  rank 0.
POP_API unsigned detectInnermostGrouping(poplar::Graph const &graph, poplar::Tensor const &t);

/// A dimension, and how many neighbours along it lie together.
using GroupingInfo = std::pair<unsigned, unsigned>;

/// The groups of elements that follow one another in memory, on one tile, from the innermost: of a
/// [6, 8] tensor in blocks of 2 x 4 elements (1, 4), (0, 2). Empty if there are none.
POP_API std::vector<GroupingInfo> detectDimGroupings(poplar::Graph const &graph,
                                                     poplar::Tensor const &t);

/// A variable, not mapped to tiles, of which every partition is contiguous. Dimension d is cut into
/// nPartitions[d] parts of ceil(shape[d] / nPartitions[d]) elements, the last ones of less.
/// \throws poplibs_error  the lengths of shape and nPartitions differ, or a number of parts is 0.
POP_API poplar::Tensor createPartitionableTensor(poplar::Graph &graph, poplar::Type const &type,
                                                 std::vector<std::size_t> const &shape,
                                                 std::vector<std::size_t> const &nPartitions,
                                                 poplar::DebugContext const &debugContext = {});

/// Calls f(indices of a partition, its slice of t) for all partitions as above, in row-major order;
/// slices may be empty.
/// \throws poplibs_error  as above, or f is empty.
POP_API void iterateTensorPartitions(
    poplar::Tensor const &t, std::vector<std::size_t> const &nPartitions,
    std::function<void(std::vector<std::size_t> const &i, poplar::Tensor const &s)> const &f);

} // namespace poputil

#endif
