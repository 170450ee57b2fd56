#pragma once

#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/impl/Math.hpp>

#include <planners/core/Hash.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::poputil::detail {

POP_INLINE unsigned minElementsOnTile(::poplar::Target const &target, ::poplar::Type const &type) {
  auto const bytes = static_cast<unsigned>(target.getTypeSize(type));
  return (128 + bytes - 1) / bytes;
}

POP_INLINE void checkDimension(char const *where, ::poplar::Tensor const &t, unsigned dimension) {
  if (dimension >= t.rank())
    base::fail<::poputil::poplibs_error>(where, "dimension ", dimension, " of a tensor of shape ",
                                         base::shapeText(t.shape()));
}

/// Whether lines along a dimension touch several groups of that many neighbouring tiles.
POP_INLINE bool dimIsSplit(char const *where, ::poplar::Graph const &graph,
                           ::poplar::Tensor const &t, unsigned dimension, unsigned tilesPerGroup) {
  checkDimension(where, t, dimension);
  std::size_t const size = t.dim(dimension);
  if (t.numElements() == 0)
    return false;
  auto const mapping = graph.getTileMapping(t.dimRoll(dimension, t.rank() - 1));
  for (std::size_t first = 0; first < mapping.size(); first += tilesPerGroup) {
    std::vector<::poplar::Interval> group;
    for (std::size_t i = first; i < std::min(first + tilesPerGroup, mapping.size()); ++i)
      group.insert(group.end(), mapping[i].begin(), mapping[i].end());
    ::poputil::mergeAdjacentRegions(group);
    // Whole lines only, if no line is shared with another group.
    for (::poplar::Interval const &lines : group)
      if (lines.begin() % size != 0 || lines.end() % size != 0)
        return true;
  }
  return false;
}

/// Indices that a dimension of that size takes in intervals of flat elements; `inner` elements
/// follow each other with the same index.
POP_INLINE std::vector<::poplar::Interval>
indicesOf(std::vector<::poplar::Interval> const &intervals, std::size_t size, std::size_t inner) {
  std::vector<::poplar::Interval> indices;
  for (::poplar::Interval const &interval : intervals) {
    std::size_t const first = interval.begin() / inner, last = (interval.end() - 1) / inner;
    if (last - first + 1 >= size)
      return {{0, size}};
    if (first % size <= last % size) {
      indices.emplace_back(first % size, last % size + 1);
    } else {
      indices.emplace_back(first % size, size);
      indices.emplace_back(std::size_t{0}, last % size + 1);
    }
  }
  ::poputil::mergeAdjacentRegions(indices);
  return indices;
}

/// `offset` as a number below numTiles.
POP_INLINE unsigned tileShift(char const *where, unsigned numTiles, unsigned offset) {
  if (numTiles == 0)
    base::fail<::poputil::poplibs_error>(where, "numTiles = 0; there must be at least one tile");
  return offset % numTiles;
}

/// Moves every element of t by that many tiles.
POP_INLINE void turnTiles(::poplar::Graph &graph, ::poplar::Tensor const &t, unsigned offset) {
  auto const before = graph.getTileMapping(t);
  ::poplar::Graph::TileToTensorMapping after(before.size());
  for (std::size_t tile = 0; tile != before.size(); ++tile)
    after[(tile + offset) % before.size()] = before[tile];
  graph.setTileMapping(t, after);
}

} // namespace cottonwood::poputil::detail

namespace poputil {

POP_INLINE std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(poplar::Target const &target, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                      bool ascendingOrder) {
  unsigned const numTiles = target.getNumTiles();
  std::size_t const n = cottonwood::poputil::product(shape);
  if (n == 0)
    return {};
  auto parts = splitRegions({poplar::Interval(0, n)}, grainSize, numTiles, minElementsPerTile);
  if (offset == 0 && ascendingOrder)
    return parts;
  std::vector<std::vector<poplar::Interval>> mapping(numTiles);
  for (unsigned i = 0; i != parts.size(); ++i)
    mapping[invTransformTileIndex(i, numTiles, offset, ascendingOrder)] = std::move(parts[i]);
  return mapping;
}

POP_INLINE std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(poplar::Graph const &graph, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                      bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), std::move(shape), minElementsPerTile, grainSize,
                               offset, ascendingOrder);
}

POP_INLINE std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(poplar::Target const &target, std::vector<std::size_t> const shape,
                      poplar::Type elementType, unsigned offset, bool ascendingOrder) {
  return calcLinearTileMapping(target, shape,
                               cottonwood::poputil::detail::minElementsOnTile(target, elementType),
                               target.getVectorWidth(elementType), offset, ascendingOrder);
}

POP_INLINE std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(poplar::Graph const &graph, poplar::Tensor const &t, unsigned offset,
                      bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), t.shape(), t.elementType(), offset,
                               ascendingOrder);
}

POP_INLINE std::pair<poplar::Graph::TileToTensorMapping, unsigned>
calcLinearTileMappingAndNewOffset(poplar::Graph const &graph, poplar::Tensor const &t,
                                  unsigned offset) {
  auto mapping = calcLinearTileMapping(graph, t, offset);
  auto const used = static_cast<unsigned>(std::count_if(
      mapping.begin(), mapping.end(), [](auto const &intervals) { return !intervals.empty(); }));
  return {std::move(mapping), (offset + used) % graph.getTarget().getNumTiles()};
}

POP_INLINE void mapTensorLinearlyWithOffset(poplar::Graph &graph, poplar::Tensor const &t,
                                            unsigned minElementsPerTile, unsigned grainSize,
                                            unsigned offset, bool ascendingOrder) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t.shape(), minElementsPerTile, grainSize,
                                                offset, ascendingOrder));
}

POP_INLINE void mapTensorLinearly(poplar::Graph &graph, poplar::Tensor const &t,
                                  unsigned minElementsPerTile, unsigned grainSize) {
  mapTensorLinearlyWithOffset(graph, t, minElementsPerTile, grainSize, 0);
}

POP_INLINE void mapTensorLinearlyWithOffset(poplar::Graph &graph, poplar::Tensor const &t,
                                            unsigned offset, bool ascendingOrder) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t, offset, ascendingOrder));
}

POP_INLINE void mapTensorLinearly(poplar::Graph &graph, poplar::Tensor const &t) {
  mapTensorLinearlyWithOffset(graph, t, 0);
}

POP_INLINE std::size_t chooseMappingOffset(std::size_t numTiles,
                                           std::vector<std::size_t> const &shape) {
  return chooseMappingOffset(numTiles, shape, 0x9e3779b9UL);
}

POP_INLINE std::size_t
chooseMappingOffset(std::size_t numTiles, std::vector<std::size_t> const &shape, std::size_t seed) {
  if (numTiles == 0)
    throw poplibs_error(
        "poputil::chooseMappingOffset: numTiles = 0; there must be at least one tile");
  for (std::size_t dim : shape)
    seed = cottonwood::planner::combine(seed, dim);
  return seed % numTiles;
}

POP_INLINE unsigned getTileImbalance(poplar::Graph::TileToTensorMapping const &mapping,
                                     unsigned minElementsPerTile, unsigned grainSize) {
  std::size_t fullest = 0, total = 0;
  for (auto const &intervals : mapping) {
    std::size_t here = intervalSequenceNumElements({intervals});
    fullest = std::max(fullest, here);
    total += here;
  }
  std::size_t even = mapping.empty() ? 0 : cottonwood::poputil::ceilDiv(total, mapping.size());
  std::size_t allowed = std::max<std::size_t>({even, minElementsPerTile, grainSize});
  return static_cast<unsigned>(fullest > allowed ? fullest - allowed : 0);
}

POP_INLINE unsigned getTileImbalance(poplar::Graph const &graph, poplar::Tensor const &t,
                                     unsigned minElementsPerTile, unsigned grainSize) {
  return getTileImbalance(graph.getTileMapping(t), minElementsPerTile, grainSize);
}

POP_INLINE bool dimIsSplitOverTiles(poplar::Graph const &graph, poplar::Tensor const &t,
                                    unsigned dimension) {
  return cottonwood::poputil::detail::dimIsSplit("poputil::dimIsSplitOverTiles", graph, t,
                                                 dimension, 1);
}

POP_INLINE bool dimIsSplitOverIPUs(poplar::Graph const &graph, poplar::Tensor const &t,
                                   unsigned dimension) {
  return cottonwood::poputil::detail::dimIsSplit("poputil::dimIsSplitOverIPUs", graph, t, dimension,
                                                 graph.getTarget().getTilesPerIPU());
}

POP_INLINE poplar::Tensor createBroadcastOperand(poplar::Graph &graph,
                                                 poplar::Tensor const &fullTensor,
                                                 poplar::Type const &type, unsigned dim,
                                                 bool ditherMapping,
                                                 poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::poputil::detail;
  detail::checkDimension("poputil::createBroadcastOperand", fullTensor, dim);
  std::size_t const size = fullTensor.dim(dim);
  std::vector<std::size_t> const shape = fullTensor.shape();
  std::size_t const inner = cottonwood::poputil::product({shape.begin() + dim + 1, shape.end()});
  poplar::Tensor const out = graph.addVariable(type, {size}, debugContext);
  auto const mapping = graph.getTileMapping(fullTensor);
  TensorUseTracker tracker(graph.getTarget().getNumTiles());
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (poplar::Interval const &range : detail::indicesOf(mapping[tile], size, inner))
      tracker.add(graph, tile, out.slice(range));
  unsigned const grain = graph.getTarget().getVectorWidth(type);
  tracker.mapTensorsByUse(graph, grain, detail::minElementsOnTile(graph.getTarget(), type));
  if (tracker.empty()) // no element of fullTensor says where to
    mapTensorLinearly(graph, out);
  if (ditherMapping && size != 0)
    detail::turnTiles(graph, out,
                      static_cast<unsigned>(chooseMappingOffset(graph.getTarget().getNumTiles(),
                                                                fullTensor.shape())));
  return out;
}

POP_INLINE unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                                       bool ascending) {
  unsigned const shift =
      cottonwood::poputil::detail::tileShift("poputil::transformTileIndex", numTiles, offset);
  return ascending ? (numTiles + tile - shift) % numTiles
                   : (2 * numTiles - 1 - shift - tile) % numTiles;
}

POP_INLINE unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                                          bool ascending) {
  unsigned const shift =
      cottonwood::poputil::detail::tileShift("poputil::invTransformTileIndex", numTiles, offset);
  return ascending ? (tile + shift) % numTiles : (2 * numTiles - 1 - shift - tile) % numTiles;
}

} // namespace poputil
