#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_TILE_MAPPING_HPP
#define POPUTIL_TILE_MAPPING_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>

#include <cstddef>
#include <memory>
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

/// Maps tensors to where they are used: collects which tile uses which elements, and places each
/// element on a tile that uses it.
class POP_API TensorUseTracker {
public:
  /// What may happen to elements that several tiles use.
  enum class MappingMethod {
    /// A run of elements that several tiles use goes as a whole where a neighbouring run is that
    /// only some of these tiles use; of two such neighbours the longer one counts.
    OptimizeHaloRegions,
    /// The elements that the same tiles use are spread over these tiles. Where they are too few for
    /// the grain and the least number of each, fewer of the tiles get some.
    ConstrainMappingToUsedTiles,
    /// The same: grains never take elements to tiles that do not use them.
    None
  };

  /// \param numTiles  of the graph that add() and mapTensorsByUse() will be given
  /// \param startTile  of equally loaded tiles the next one from here gets elements that several
  ///        use
  /// \param ascendingMappingOrder  false: counted backwards from the last tile
  /// \throws poplibs_error  numTiles is 0
  TensorUseTracker(unsigned numTiles, unsigned startTile = 0, bool ascendingMappingOrder = true);
  TensorUseTracker(TensorUseTracker const &other);
  TensorUseTracker(TensorUseTracker &&other);
  TensorUseTracker &operator=(TensorUseTracker const &other);
  TensorUseTracker &operator=(TensorUseTracker &&other);
  ~TensorUseTracker();

  /// Notes that the tile uses the elements of t.
  /// \throws poplibs_error  there is no such tile
  void add(poplar::Graph const &graph, unsigned tile, poplar::Tensor const &t);
  /// Takes over what another tracker of as many tiles has noted. \throws poplibs_error  it has
  /// another number of tiles
  void add(TensorUseTracker other);

  /// Chooses one tile for every element that is used: afterwards, this tile alone counts as its
  /// user.
  /// \param grainSize, minElementsPerTile  of what several tiles share: blocks end at multiples of
  ///        this many elements, and fewer tiles get blocks rather than smaller ones
  /// \param extendPartialUsage  elements that no tile uses, of variables of which some are used,
  ///        belong to the users of the elements before them (at the start: behind them)
  /// \throws poplibs_error  grainSize is 0
  void resolve(poplar::Graph const &graph, unsigned grainSize, unsigned minElementsPerTile,
               bool extendPartialUsage = false, MappingMethod mappingMethod = MappingMethod::None);
  /// resolve(), and the mapping of the elements. Elements without users keep their tile.
  void mapTensorsByUse(poplar::Graph &graph, unsigned grainSize, unsigned minElementsPerTile,
                       bool extendPartialUsage = false,
                       MappingMethod mappingMethod = MappingMethod::None);

  /// Whether no use was noted.
  bool empty() const;

private:
  struct Uses;
  std::unique_ptr<Uses> uses_;
};

/// A clone of t on another IPU: an element of tile i of its IPU is on tile i of dstIPU.
/// \throws poplibs_error  there is no such IPU
POP_API poplar::Tensor cloneToIpu(
    poplar::Graph &graph, poplar::Tensor const &t, unsigned dstIPU,
    poplar::DebugContext const &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// A clone of t whose elements are on the tiles of dstGraph that have the numbers of their tiles in
/// srcGraph. Graphs that share no top-level graph share no storage order either: the clone is then
/// one variable in row-major order.
/// \throws poplibs_error  replication factors differ, or dstGraph lacks a tile
POP_API poplar::Tensor cloneToGraph(
    poplar::Graph &srcGraph, poplar::Graph &dstGraph, poplar::Tensor const &t,
    poplar::DebugContext const &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// A clone in which every element has storage of its own: the first use of an element of t is on
/// its tile, further ones are spread linearly over the tiles. \param offset  the tile at which
/// these begin \returns  the clone, and the offset for a next tensor
POP_API std::pair<poplar::Tensor, unsigned>
cloneAndExpandAliasing(poplar::Graph &graph, poplar::Tensor const &t, unsigned offset = 0,
                       poplar::DebugContext const &debugContext = {});

/// cloneToIpu, and a copy into the clone appended to prog.
POP_API poplar::Tensor copyToIpu(
    poplar::Graph &masterGraph, poplar::Tensor const &t, poplar::program::Sequence &prog,
    unsigned dstIPU, poplar::DebugContext const &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// cloneToIpu; copySrc and copyDst become what the caller has to copy: tensors of rank 1 without
/// the elements that the clone has more than once.
POP_API poplar::Tensor createIpuCopy(
    poplar::Graph &graph, poplar::Tensor const &t, unsigned dstIpu, poplar::Tensor &copySrc,
    poplar::Tensor &copyDst, poplar::DebugContext const &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);

/// Whether elements that differ in that dimension's index alone live on several tiles.
/// \throws poplibs_error  t has no such dimension
POP_API bool dimIsSplitOverTiles(poplar::Graph const &graph, poplar::Tensor const &t,
                                 unsigned dimension);
/// The same for IPUs.
POP_API bool dimIsSplitOverIPUs(poplar::Graph const &graph, poplar::Tensor const &t,
                                unsigned dimension);

/// A tensor to broadcast to all other dimensions of fullTensor: element i is on a tile that has
/// elements of fullTensor with index i in that dimension.
/// \param ditherMapping  turn the tiles by chooseMappingOffset of the shape
/// \returns  [fullTensor.dim(dim)] of the type
/// \throws poplibs_error  fullTensor has no such dimension
POP_API poplar::Tensor createBroadcastOperand(poplar::Graph &graph,
                                              poplar::Tensor const &fullTensor,
                                              poplar::Type const &type, unsigned dim,
                                              bool ditherMapping = false,
                                              poplar::DebugContext const &debugContext = {});

/// Position of a tile in a mapping that starts at `offset`, counted forwards or backwards; and the
/// inverse.
/// \throws poplibs_error  numTiles is 0.
POP_API unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                                    bool ascending);
POP_API unsigned invTransformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                                       bool ascending);

} // namespace poputil

#endif
