#include <popops/impl/Config.hpp>
#ifndef POPOPS_HOST_SLICE_TENSOR_HPP
#define POPOPS_HOST_SLICE_TENSOR_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <vector>

// Tensors for transfers between host and device, laid out in packets of 1024 bytes that are spread
// evenly over the tiles in order: packet p of n is on tile f + floor(p T / n) modulo the number of
// tiles, with T the smaller of n and that number, and f the tile that `offset` names.

namespace popops {

struct IndicesAndTensor {
  poplar::Tensor indices;
  poplar::Tensor tensor;
};

/// Rows that the host reads or writes by index.
/// \param shape   rank 2
/// \param isRead  whether the host reads them; the layout is the same
/// \param offset  bytes: the first tile is ceil(offset / 1024)
/// \returns indices [shape[0]] UNSIGNED_INT and the tensor
/// \throws poputil::poplibs_error  another rank, or a graph of multiple IPUs
POP_API IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, poplar::Type const &type,
                                                   std::vector<std::size_t> const &shape,
                                                   bool const isRead,
                                                   poplar::DebugContext const &debugContext = {});
POP_API IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, poplar::Type const &type,
                                                   std::vector<std::size_t> const &shape,
                                                   bool const isRead, std::size_t const offset,
                                                   poplar::DebugContext const &debugContext = {});

/// The same layout for a tensor of any shape.
POP_API poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, poplar::Type const &type,
                                                    std::vector<std::size_t> const &shape,
                                                    bool isRead,
                                                    poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, poplar::Type const &type,
                                                    std::vector<std::size_t> const &shape,
                                                    bool isRead, std::size_t const offset,
                                                    poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
