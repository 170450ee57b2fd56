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
  if (dimension >= t.rank())
    cottonwood::base::fail<poplibs_error>("poputil::dimIsSplitOverTiles", "dimension ", dimension,
                                          " of a tensor of shape ",
                                          cottonwood::base::shapeText(t.shape()));
  for (std::size_t i = 0; i != t.dim(dimension); ++i) {
    unsigned tilesUsed = 0;
    for (auto const &intervals : graph.getTileMapping(t.slice(i, i + 1, dimension)))
      tilesUsed += intervals.empty() ? 0U : 1U;
    if (tilesUsed > 1)
      return true;
  }
  return false;
}

POP_INLINE unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                                       bool ascending) {
  unsigned const shift = offset % numTiles;
  return ascending ? (numTiles + tile - shift) % numTiles
                   : (2 * numTiles - 1 - shift - tile) % numTiles;
}

POP_INLINE unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                                          bool ascending) {
  unsigned const shift = offset % numTiles;
  return ascending ? (tile + shift) % numTiles : (2 * numTiles - 1 - shift - tile) % numTiles;
}

} // namespace poputil
