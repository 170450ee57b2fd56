#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_TILE_MAPPING_HPP
#define POPUTIL_TILE_MAPPING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace poputil {

/// Spreads elements in row-major order over the tiles: consecutive blocks of about equal numbers of
/// grains. \param minElementsPerTile  fewer tiles are used rather than smaller blocks. \param
/// grainSize  blocks end at multiples of this many elements. \param offset  the tile of the first
/// block. \param ascendingOrder  false: blocks go to tiles counted from the last. \returns  for
/// each tile its intervals; empty for 0 elements.
POP_API std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(poplar::Graph const &graph, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize, unsigned offset = 0,
                      bool ascendingOrder = true);
POP_API std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(poplar::Target const &target, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize, unsigned offset = 0,
                      bool ascendingOrder = true);

/// The same with grains of one vector and at least 128 bytes a tile.
POP_API std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(poplar::Graph const &graph, poplar::Tensor const &t, unsigned offset = 0,
                      bool ascendingOrder = true);
POP_API std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(poplar::Target const &target, std::vector<std::size_t> const shape,
                      poplar::Type elementType, unsigned offset = 0, bool ascendingOrder = true);

/// Also the offset at which a next tensor can go on: the tile after the last one used.
POP_API std::pair<poplar::Graph::TileToTensorMapping, unsigned>
calcLinearTileMappingAndNewOffset(poplar::Graph const &graph, poplar::Tensor const &t,
                                  unsigned offset = 0);

/// Sets the mapping that calcLinearTileMapping gives.
POP_API void mapTensorLinearly(poplar::Graph &graph, poplar::Tensor const &t,
                               unsigned minElementsPerTile, unsigned grainSize);
POP_API void mapTensorLinearlyWithOffset(poplar::Graph &graph, poplar::Tensor const &t,
                                         unsigned minElementsPerTile, unsigned grainSize,
                                         unsigned offset, bool ascendingOrder = true);
POP_API void mapTensorLinearly(poplar::Graph &graph, poplar::Tensor const &t);
POP_API void mapTensorLinearlyWithOffset(poplar::Graph &graph, poplar::Tensor const &t,
                                         unsigned offset = 0, bool ascendingOrder = true);

/// A tile to start at that depends on the shape only, so that many small tensors do not all meet on
/// tile 0. \throws poplibs_error  numTiles is 0.
POP_API std::size_t chooseMappingOffset(std::size_t numTiles,
                                        std::vector<std::size_t> const &shape);
POP_API std::size_t chooseMappingOffset(std::size_t numTiles, std::vector<std::size_t> const &shape,
                                        std::size_t seed);

/// By how many elements the fullest tile exceeds an even spread.
POP_API unsigned getTileImbalance(poplar::Graph::TileToTensorMapping const &mapping,
                                  unsigned minElementsPerTile = 0, unsigned grainSize = 1);
POP_API unsigned getTileImbalance(poplar::Graph const &graph, poplar::Tensor const &t,
                                  unsigned minElementsPerTile = 0, unsigned grainSize = 1);

/// Whether some slice of one index of that dimension lives on several tiles.
POP_API bool dimIsSplitOverTiles(poplar::Graph const &graph, poplar::Tensor const &t,
                                 unsigned dimension);

/// Position of a tile in a mapping that starts at `offset`, counted forwards or backwards; and the
/// inverse.
POP_API unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                                    bool ascending);
POP_API unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                                       bool ascending);

} // namespace poputil

#endif
