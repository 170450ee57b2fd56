#pragma once
#include <poplar/Graph.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/Blocks.hpp>
#include <poplar/impl/graph/Checks.hpp>
#include <poplar/impl/graph/FieldHandle.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/TileTable.hpp>
#include <poplar/impl/graph/ViewText.hpp>

// Which tile elements and vertices live on.

namespace cottonwood::graph {

namespace detail {

/// A tile of a (virtual) graph as the top-level graph numbers it.
POP_INLINE std::uint32_t checkedTile(std::string_view where, unsigned tile,
                                     poplar::Target const &target, TileTable const *table) {
  unsigned const numTiles = target.getNumTiles();
  if (tile >= numTiles)
    base::fail<poplar::invalid_tile_mapping>(where, "tile ", tile,
                                             " does not exist; the graph has ", numTiles,
                                             " tiles (0 to ", numTiles - 1, ")");
  return table ? table->toTop(tile) : tile;
}

POP_INLINE void mapView(GraphData &graph, View const &view, std::uint32_t topTile) {
  if (auto const run = view.asRun()) {
    graph.mapElements(run->var, run->begin, run->begin + run->size, topTile);
    return;
  }
  view.forEachBlockUnordered([&](StridedBlock const &block) {
    forEachDenseRun(block, [&](std::uint64_t begin, std::uint64_t size) {
      graph.mapElements(block.var, begin, begin + size, topTile);
    });
  });
}

struct MappedInterval {
  std::size_t begin, end;
  std::uint32_t tile; ///< as the graph at hand numbers it
};

/// The intervals of a mapping in ascending order.
POP_INLINE std::vector<MappedInterval>
checkedMapping(std::string_view where, View const &view, unsigned numTiles,
               poplar::Graph::TileToTensorMapping const &mapping) {
  std::vector<MappedInterval> intervals;
  for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
    for (poplar::Interval const &interval : mapping[tile]) {
      if (interval.size() == 0)
        continue;
      if (tile >= numTiles)
        base::fail<poplar::invalid_tile_mapping>(where, "the mapping uses tile ", tile,
                                                 "; the graph has ", numTiles, " tiles (0 to ",
                                                 numTiles - 1, ")");
      if (interval.end() > view.numElements())
        base::fail<poplar::invalid_tile_mapping>(
            where, "the interval [", interval.begin(), ", ", interval.end(), ") of tile ", tile,
            " is out of range for a tensor of shape ", base::shapeText(view.shape()), " with ",
            view.numElements(), " elements");
      intervals.push_back({interval.begin(), interval.end(), static_cast<std::uint32_t>(tile)});
    }
  }
  auto const before = [](MappedInterval const &a, MappedInterval const &b) {
    return a.begin < b.begin;
  };
  if (!std::is_sorted(intervals.begin(), intervals.end(), before))
    std::stable_sort(intervals.begin(), intervals.end(), before);
  std::size_t furthest = 0; // the interval that reaches furthest so far
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    if (intervals[i].begin < intervals[furthest].end &&
        intervals[i].tile != intervals[furthest].tile)
      base::fail<poplar::invalid_tile_mapping>(where, "element ", intervals[i].begin,
                                               " is mapped to tile ", intervals[furthest].tile,
                                               " and to tile ", intervals[i].tile);
    if (intervals[i].end > intervals[furthest].end)
      furthest = i;
  }
  return intervals;
}

/// Builds what getTileMapping returns.
class MappingBuilder {
public:
  MappingBuilder(unsigned numTiles, TileTable const *table) : mapping_(numTiles), table_(table) {}

  void operator()(std::uint64_t begin, std::uint64_t size, std::uint32_t topTile) {
    if (topTile == kNoTile) {
      firstUnmapped_ = std::min(firstUnmapped_, begin);
      return;
    }
    std::uint32_t const tile = table_ ? table_->fromTop(topTile) : topTile;
    if (tile == kNoTile) {
      if (external_.size == 0)
        external_ = {begin, size, topTile};
      return;
    }
    std::vector<poplar::Interval> &intervals = mapping_[tile];
    if (!intervals.empty() && intervals.back().end() == begin)
      intervals.back() = poplar::Interval(intervals.back().begin(), begin + size);
    else
      intervals.emplace_back(begin, begin + size);
  }

  bool isComplete() const { return firstUnmapped_ == ~std::uint64_t{0}; }
  std::uint64_t firstUnmapped() const { return firstUnmapped_; }

  void checkNoneExternal(std::string_view where) const {
    if (external_.size != 0)
      base::fail<poplar::invalid_tile_mapping>(
          where, "element ", external_.begin, " is on tile ", external_.tile,
          " of the top-level graph, which this virtual graph does not have");
  }
  poplar::Graph::TileToTensorMapping take() { return std::move(mapping_); }

private:
  struct External {
    std::uint64_t begin, size;
    std::uint32_t tile;
  };
  poplar::Graph::TileToTensorMapping mapping_;
  TileTable const *table_;
  std::uint64_t firstUnmapped_ = ~std::uint64_t{0};
  External external_{0, 0, 0};
};

POP_INLINE MappingBuilder readMapping(std::string_view where, GraphData const &graph,
                                      View const &view, unsigned numTiles, TileTable const *table,
                                      bool allowExternal) {
  MappingBuilder builder(numTiles, table);
  forEachTile(
      view, [&](VarId var) -> TileMap const & { return graph.variable(var).tiles; }, builder);
  if (!allowExternal)
    builder.checkNoneExternal(where);
  return builder;
}

} // namespace detail

} // namespace cottonwood::graph

namespace poplar {

POP_INLINE void Graph::setTileMapping(VertexRef v, unsigned tileNum) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::setTileMapping";
  GraphData &graph = data(where);
  VertexId const vertex = checkedVertex(where, v, graph);
  std::uint32_t const tile = detail::checkedTile(where, tileNum, target_, tiles_.get());
  graph.mapVertex(vertex, tile);
  ReplicaGroup const group = graph.vertexGroup(vertex);
  for (std::uint32_t k = 1; k < group.count; ++k)
    graph.mapVertex(vertex + k, graph.instanceTile(tile, k, group));
}

POP_INLINE void Graph::setTileMapping(Tensor const &t, unsigned tileNum) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::setTileMapping";
  GraphData &graph = data(where);
  View const &view = checkedView(where, "t", t, graph);
  detail::mapView(graph, view, detail::checkedTile(where, tileNum, target_, tiles_.get()));
}

POP_INLINE void Graph::setTileMapping(Tensor const &t, TileToTensorMapping const &mapping) {
  using namespace cottonwood::graph;
  char const *const where = "Graph::setTileMapping";
  GraphData &graph = data(where);
  View const &view = checkedView(where, "t", t, graph);
  std::vector<detail::MappedInterval> const intervals =
      detail::checkedMapping(where, view, target_.getNumTiles(), mapping);
  auto const topTile = [&](std::uint32_t tile) { return tiles_ ? tiles_->toTop(tile) : tile; };
  if (auto const run = view.asRun()) {
    for (detail::MappedInterval const &interval : intervals)
      graph.mapElements(run->var, run->begin + interval.begin, run->begin + interval.end,
                        topTile(interval.tile));
    return;
  }
  View const flat =
      view.reshape(std::vector<std::size_t>{static_cast<std::size_t>(view.numElements())});
  for (detail::MappedInterval const &interval : intervals)
    detail::mapView(graph, flat.slice(interval.begin, interval.end, 0), topTile(interval.tile));
}

POP_INLINE Graph::TileToTensorMapping Graph::getTileMapping(Tensor const &t, bool requireComplete,
                                                            bool allowExternal) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::getTileMapping";
  GraphData const &graph = data(where);
  View const &view = checkedView(where, "t", t, graph);
  detail::MappingBuilder builder =
      detail::readMapping(where, graph, view, target_.getNumTiles(), tiles_.get(), allowExternal);
  if (requireComplete && !builder.isComplete())
    cottonwood::base::fail<invalid_tile_mapping>(
        where, "element ", builder.firstUnmapped(), " of the tensor of shape ",
        cottonwood::base::shapeText(view.shape()), " (", namesText(view),
        ") is mapped to no tile; map every element with Graph::setTileMapping, or all of them with "
        "poputil::mapTensorLinearly");
  return builder.take();
}

POP_INLINE Graph::TileToTensorMapping Graph::getTileMapping(Tensor const &t, bool *isComplete,
                                                            bool allowExternal) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::getTileMapping";
  GraphData const &graph = data(where);
  if (!isComplete)
    cottonwood::base::fail<poplar_error>(where, "isComplete is a null pointer");
  detail::MappingBuilder builder =
      detail::readMapping(where, graph, checkedView(where, "t", t, graph), target_.getNumTiles(),
                          tiles_.get(), allowExternal);
  *isComplete = builder.isComplete();
  return builder.take();
}

POP_INLINE Graph::TileToTensorMapping Graph::getVariableTileMapping(Tensor const &t) const {
  using namespace cottonwood::graph;
  char const *const where = "Graph::getVariableTileMapping";
  GraphData const &graph = data(where);
  View const &view = checkedView(where, "t", t, graph);
  if (view.numElements() == 0)
    return TileToTensorMapping(target_.getNumTiles());
  return detail::readMapping(where, graph, graph.wholeView(view.locate(0).var),
                             target_.getNumTiles(), tiles_.get(), false)
      .take();
}

} // namespace poplar
