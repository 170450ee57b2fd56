#pragma once
// Clones with another tile mapping.

#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

#include <algorithm>

namespace cottonwood::poputil::detail {

using ::poplar::Interval;
using ::poplar::Tensor;

/// What is on tile i of its IPU, on tile i of one IPU.
POP_INLINE ::poplar::Graph::TileToTensorMapping
mappingOnIpu(::poplar::Target const &target, ::poplar::Graph::TileToTensorMapping const &mapping,
             unsigned ipu) {
  unsigned const tilesPerIpu = target.getTilesPerIPU();
  ::poplar::Graph::TileToTensorMapping moved(target.getNumTiles());
  for (std::size_t tile = 0; tile != mapping.size(); ++tile) {
    auto &to = moved[ipu * tilesPerIpu + tile % tilesPerIpu];
    to.insert(to.end(), mapping[tile].begin(), mapping[tile].end());
  }
  return moved;
}

/// Intervals of a flat tensor that name each of its elements once, ascending.
POP_INLINE std::vector<Interval> firstUses(::poplar::Graph const &graph, Tensor const &flat) {
  if (!flat.containsAliases())
    return {Interval(0, flat.numElements())};
  std::vector<Interval> first = ::poputil::flattenIntervals(
      graph.getSortedContiguousRegions(flat, {Interval(0, flat.numElements())}, true));
  ::poputil::mergeAdjacentRegions(first);
  return first;
}

/// What lies between ascending intervals of [0, size).
POP_INLINE std::vector<Interval> gapsOf(std::vector<Interval> const &intervals, std::size_t size) {
  std::vector<Interval> gaps;
  std::size_t end = 0;
  for (Interval const &interval : intervals) {
    if (interval.begin() != end)
      gaps.emplace_back(end, interval.begin());
    end = interval.end();
  }
  if (end != size)
    gaps.emplace_back(end, size);
  return gaps;
}

/// A flat tensor of which `first` holds the elements in the intervals and `second` all others.
POP_INLINE Tensor interleave(Tensor const &first, std::vector<Interval> const &intervals,
                             Tensor const &second) {
  std::size_t const size = first.numElements() + second.numElements();
  std::vector<Tensor> pieces;
  std::size_t fromFirst = 0, fromSecond = 0, end = 0;
  auto const take = [&](Tensor const &from, std::size_t &position, std::size_t count) {
    if (count != 0)
      pieces.push_back(from.slice(position, position + count));
    position += count;
  };
  for (Interval const &interval : intervals) {
    take(second, fromSecond, interval.begin() - end);
    take(first, fromFirst, interval.size());
    end = interval.end();
  }
  take(second, fromSecond, size - end);
  return ::poplar::concat(pieces);
}

POP_INLINE void checkIpu(char const *where, ::poplar::Graph const &graph, unsigned ipu) {
  unsigned const numIpus = graph.getTarget().getNumIPUs();
  if (ipu >= numIpus)
    base::fail<::poputil::poplibs_error>(where, "there is no IPU ", ipu, "; the graph has ",
                                         numIpus);
}

} // namespace cottonwood::poputil::detail

namespace poputil {

POP_INLINE poplar::Tensor cloneToIpu(poplar::Graph &graph, poplar::Tensor const &t, unsigned dstIPU,
                                     poplar::DebugContext const &debugContext,
                                     poplar::TensorCloneMethod method) {
  namespace detail = cottonwood::poputil::detail;
  detail::checkIpu("poputil::cloneToIpu", graph, dstIPU);
  poplar::Tensor const clone = graph.clone(t, debugContext, method);
  graph.setTileMapping(clone,
                       detail::mappingOnIpu(graph.getTarget(), graph.getTileMapping(t), dstIPU));
  return clone;
}

POP_INLINE poplar::Tensor createIpuCopy(poplar::Graph &graph, poplar::Tensor const &t,
                                        unsigned dstIpu, poplar::Tensor &copySrc,
                                        poplar::Tensor &copyDst,
                                        poplar::DebugContext const &debugContext,
                                        poplar::TensorCloneMethod method) {
  cottonwood::poputil::detail::checkIpu("poputil::createIpuCopy", graph, dstIpu);
  poplar::Tensor const clone = cloneToIpu(graph, t, dstIpu, debugContext, method);
  poplar::Tensor const source = t.flatten(), destination = clone.flatten();
  auto const once = cottonwood::poputil::detail::firstUses(graph, destination);
  copySrc = poplar::concat(source.slices(once));
  copyDst = poplar::concat(destination.slices(once));
  return clone;
}

POP_INLINE poplar::Tensor copyToIpu(poplar::Graph &masterGraph, poplar::Tensor const &t,
                                    poplar::program::Sequence &prog, unsigned dstIPU,
                                    poplar::DebugContext const &debugContext,
                                    poplar::TensorCloneMethod method) {
  cottonwood::poputil::detail::checkIpu("poputil::copyToIpu", masterGraph, dstIPU);
  poplar::Tensor source, destination;
  poplar::Tensor const clone =
      createIpuCopy(masterGraph, t, dstIPU, source, destination, debugContext, method);
  prog.add(poplar::program::Copy(source, destination, false, debugContext));
  return clone;
}

POP_INLINE poplar::Tensor cloneToGraph(poplar::Graph &srcGraph, poplar::Graph &dstGraph,
                                       poplar::Tensor const &t,
                                       poplar::DebugContext const &debugContext,
                                       poplar::TensorCloneMethod method) {
  using cottonwood::graph::HandleAccess;
  char const *const where = "poputil::cloneToGraph";
  if (srcGraph.getReplicationFactor() != dstGraph.getReplicationFactor())
    cottonwood::base::fail<poplibs_error>(where, "the graphs have replication factors ",
                                          srcGraph.getReplicationFactor(), " and ",
                                          dstGraph.getReplicationFactor(), "; they must be equal");
  auto mapping = srcGraph.getTileMapping(t);
  std::size_t used = mapping.size();
  while (used != 0 && mapping[used - 1].empty())
    --used;
  unsigned const numTiles = dstGraph.getTarget().getNumTiles();
  if (used > numTiles)
    cottonwood::base::fail<poplibs_error>(where, "the tensor is on tile ", used - 1,
                                          "; the destination has ", numTiles, " tiles");
  mapping.resize(numTiles);
  bool const related = HandleAccess::data(srcGraph) == HandleAccess::data(dstGraph);
  poplar::Tensor const clone = related
                                   ? dstGraph.clone(t, debugContext, method)
                                   : dstGraph.addVariable(t.elementType(), t.shape(), debugContext);
  dstGraph.setTileMapping(clone, mapping);
  return clone;
}

POP_INLINE std::pair<poplar::Tensor, unsigned>
cloneAndExpandAliasing(poplar::Graph &graph, poplar::Tensor const &t, unsigned offset,
                       poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::poputil::detail;
  poplar::Tensor const flat = t.flatten();
  auto const first = detail::firstUses(graph, flat);
  auto const repeats = detail::gapsOf(first, flat.numElements());
  if (repeats.empty())
    return {graph.clone(t, debugContext), offset};
  poplar::Tensor const own = graph.clone(poplar::concat(flat.slices(first)), debugContext);
  poplar::Tensor const extra = graph.addVariable(
      t.elementType(), t.getMetadata(), {flat.numElements() - own.numElements()}, debugContext);
  auto const [mapping, next] = calcLinearTileMappingAndNewOffset(graph, extra, offset);
  graph.setTileMapping(extra, mapping);
  return {detail::interleave(own, first, extra).reshape(t.shape()), next};
}

} // namespace poputil
