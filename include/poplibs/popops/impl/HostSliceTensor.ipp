#pragma once

#include <popops/HostSliceTensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

inline constexpr std::size_t HOST_PACKET_BYTES = 1024;

POP_INLINE ::poplar::Tensor hostTensor(::poplar::Graph &graph, ::poplar::Type const &type,
                                       std::vector<std::size_t> const &shape, std::size_t offset,
                                       ::poplar::DebugContext const &di) {
  ::poplar::Tensor const t = graph.addVariable(type, shape, di);
  ::poplar::Tensor const flat = t.flatten();
  std::size_t const n = flat.numElements(), tiles = graph.getTarget().getNumTiles();
  std::size_t const packet =
      std::max<std::size_t>(1, HOST_PACKET_BYTES / graph.getTarget().getTypeSize(type));
  std::size_t const packets = poputil::ceilDiv(n, packet), used = std::min(packets, tiles);
  std::size_t const first = poputil::ceilDiv(offset, HOST_PACKET_BYTES);
  for (std::size_t i = 0; i != used; ++i) {
    // Tile i has packets p with floor(p used / packets) = i.
    std::size_t const begin = poputil::ceilDiv(i * packets, used) * packet;
    std::size_t const end = poputil::ceilDiv((i + 1) * packets, used) * packet;
    graph.setTileMapping(flat.slice(begin, std::min(end, n)),
                         static_cast<unsigned>((first + i) % tiles));
  }
  return t;
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph,
                                                      poplar::Type const &type,
                                                      std::vector<std::size_t> const &shape,
                                                      bool const isRead,
                                                      poplar::DebugContext const &debugContext) {
  return createHostSliceableTensor(graph, type, shape, isRead, 0, debugContext);
}

POP_INLINE IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph,
                                                      poplar::Type const &type,
                                                      std::vector<std::size_t> const &shape,
                                                      bool const, std::size_t const offset,
                                                      poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  namespace base = cottonwood::base;
  constexpr char WHERE[] = "popops::createHostSliceableTensor";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createHostSliceableTensor");
  if (shape.size() != 2)
    base::fail<poputil::poplibs_error>(WHERE, "the shape is ", base::shapeText(shape),
                                       "; its rank must be 2");
  if (graph.getTarget().getNumIPUs() > 1)
    base::fail<poputil::poplibs_error>(WHERE, "the graph has multiple IPUs (",
                                       graph.getTarget().getNumIPUs(), "); it must have 1");
  IndicesAndTensor result;
  result.indices =
      detail::hostTensor(graph, poplar::UNSIGNED_INT, {shape[0]}, offset, {di, "indices"});
  result.tensor = detail::hostTensor(graph, type, shape, offset, {di, "tensor"});
  return result;
}

POP_INLINE poplar::Tensor createHostTransferableTensor(poplar::Graph &graph,
                                                       poplar::Type const &type,
                                                       std::vector<std::size_t> const &shape,
                                                       bool isRead,
                                                       poplar::DebugContext const &debugContext) {
  return createHostTransferableTensor(graph, type, shape, isRead, 0, debugContext);
}

POP_INLINE poplar::Tensor createHostTransferableTensor(poplar::Graph &graph,
                                                       poplar::Type const &type,
                                                       std::vector<std::size_t> const &shape, bool,
                                                       std::size_t const offset,
                                                       poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createHostTransferableTensor");
  return cottonwood::popops::detail::hostTensor(graph, type, shape, offset, {di, "tensor"});
}

} // namespace popops
