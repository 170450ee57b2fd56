#pragma once
#include <poplar/Graph.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Version.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/graph/TileTable.hpp>

// Handles: construction, virtual graphs and tile numbers.

namespace poplar {

POP_INLINE StringRef versionString() { return cottonwood::base::API_VERSION; }
POP_INLINE StringRef packageHash() { return cottonwood::base::RELEASE; }

POP_INLINE Graph::Graph() = default;
POP_INLINE Graph::Graph(Graph &&other) noexcept = default;
POP_INLINE Graph &Graph::operator=(Graph &&other) noexcept = default;
POP_INLINE Graph::~Graph() = default;

POP_INLINE Graph::Graph(Target const &target, replication_factor r) {
  unsigned const numIPUs = target.getNumIPUs();
  if (r.factor == 0 || numIPUs % r.factor != 0)
    cottonwood::base::fail<graph_replication_error>(
        "Graph", "replication_factor(", r.factor, ") does not divide the ", numIPUs,
        numIPUs == 1 ? " IPU" : " IPUs", " of the target",
        target.getTargetType() == TargetType::CPU
            ? "; Device::createCPUDevice(numIPUs) makes a CPU of as many as are needed"
            : "");
  target_ = r.factor == 1 ? target
                          : target.createVirtualTarget(numIPUs / r.factor, target.getTilesPerIPU());
  data_ = cottonwood::graph::GraphData::create(target_, r.factor);
}

POP_INLINE Graph::Graph(Device const &device, replication_factor r)
    : Graph(device.getTarget(), r) {}

POP_INLINE cottonwood::graph::GraphData &Graph::data(char const *where) const {
  if (!data_)
    cottonwood::base::fail<poplar_error>(where,
                                         "the graph is empty (default-constructed or moved from)");
  return *data_;
}

POP_INLINE Target const &Graph::getTarget() const {
  data("Graph::getTarget");
  return target_;
}

POP_INLINE unsigned Graph::getReplicationFactor() const {
  return data("Graph::getReplicationFactor").numReplicas() * replicas_;
}

POP_INLINE Graph Graph::getTopLevelGraph() const {
  Graph top;
  top.target_ = data("Graph::getTopLevelGraph").target();
  top.data_ = data_;
  return top;
}

// ---- Virtual graphs

POP_INLINE Graph Graph::createVirtualGraph(unsigned numTilesPerIPU) {
  char const *const where = "Graph::createVirtualGraph";
  data(where);
  if (numTilesPerIPU == 0 || numTilesPerIPU > target_.getTilesPerIPU())
    cottonwood::base::fail<poplar_error>(where, "numTilesPerIPU = ", numTilesPerIPU,
                                         " is out of range; an IPU has ", target_.getTilesPerIPU(),
                                         " tiles");
  std::vector<unsigned> tiles(numTilesPerIPU);
  for (unsigned tile = 0; tile < numTilesPerIPU; ++tile)
    tiles[tile] = tile;
  return createVirtualGraph(tiles);
}

POP_INLINE Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
  char const *const where = "Graph::createVirtualGraph";
  cottonwood::graph::GraphData &graph = data(where);
  unsigned const numTiles = target_.getNumTiles();
  if (lowerTile >= upperTile || upperTile > numTiles)
    cottonwood::base::fail<poplar_error>(where, "tiles [", lowerTile, ", ", upperTile,
                                         ") are not a range of tiles; the graph has ", numTiles,
                                         " tiles");
  // A range of whole IPUs keeps their number; any other is one IPU of that many tiles.
  unsigned const perIpu = target_.getTilesPerIPU();
  unsigned const count = upperTile - lowerTile;
  bool const isWholeIpus = lowerTile % perIpu == 0 && count % perIpu == 0;
  Graph result;
  result.data_ = data_;
  result.replicas_ = replicas_;
  result.replicaStride_ = replicaStride_;
  result.target_ = isWholeIpus ? target_.createVirtualTarget(count / perIpu, perIpu)
                               : target_.createVirtualTarget(1, count);
  if (!tiles_) {
    result.tiles_ = std::make_shared<cottonwood::graph::TileTable const>(lowerTile, count);
    return result;
  }
  std::vector<std::uint32_t> topTiles(count);
  for (unsigned tile = 0; tile < count; ++tile)
    topTiles[tile] = tiles_->toTop(lowerTile + tile);
  result.tiles_ =
      std::make_shared<cottonwood::graph::TileTable const>(std::move(topTiles), graph.numTiles());
  return result;
}

POP_INLINE Graph Graph::createVirtualGraph(std::vector<unsigned> const &perIpuTiles) {
  char const *const where = "Graph::createVirtualGraph";
  cottonwood::graph::GraphData &graph = data(where);
  unsigned const perIpu = target_.getTilesPerIPU();
  if (perIpuTiles.empty())
    cottonwood::base::fail<poplar_error>(where, "the list of tiles is empty");
  std::vector<bool> isTaken(perIpu);
  for (unsigned const tile : perIpuTiles) {
    if (tile >= perIpu)
      cottonwood::base::fail<poplar_error>(where, "tile ", tile, " is out of range; an IPU has ",
                                           perIpu, " tiles");
    if (isTaken[tile])
      cottonwood::base::fail<poplar_error>(where, "tile ", tile, " is listed twice");
    isTaken[tile] = true;
  }
  unsigned const numIPUs = target_.getNumIPUs();
  std::vector<std::uint32_t> topTiles;
  topTiles.reserve(perIpuTiles.size() * numIPUs);
  for (unsigned ipu = 0; ipu < numIPUs; ++ipu)
    for (unsigned const tile : perIpuTiles)
      topTiles.push_back(convertTileToTopLevelGraphTile(ipu * perIpu + tile));
  Graph result;
  result.data_ = data_;
  result.replicas_ = replicas_;
  result.replicaStride_ = replicaStride_;
  result.target_ = target_.createVirtualTarget(numIPUs, static_cast<unsigned>(perIpuTiles.size()));
  result.tiles_ =
      std::make_shared<cottonwood::graph::TileTable const>(std::move(topTiles), graph.numTiles());
  return result;
}

// ---- Tile numbers

POP_INLINE unsigned Graph::convertTileToTopLevelGraphTile(unsigned virtualTileId) const {
  char const *const where = "Graph::convertTileToTopLevelGraphTile";
  data(where);
  if (virtualTileId >= target_.getNumTiles())
    cottonwood::base::fail<poplar_error>(where, "tile ", virtualTileId,
                                         " does not exist; the graph has ", target_.getNumTiles(),
                                         " tiles");
  return tiles_ ? tiles_->toTop(virtualTileId) : virtualTileId;
}

POP_INLINE unsigned Graph::convertTopLevelGraphTileToTile(unsigned topLevelTileId) const {
  char const *const where = "Graph::convertTopLevelGraphTileToTile";
  cottonwood::graph::GraphData const &graph = data(where);
  unsigned const tile = tiles_ ? tiles_->fromTop(topLevelTileId) : topLevelTileId;
  if (topLevelTileId >= graph.numTiles() || tile == cottonwood::graph::kNoTile)
    cottonwood::base::fail<poplar_error>(where, "tile ", topLevelTileId,
                                         " of the top-level graph is not in this graph");
  return tile;
}

POP_INLINE unsigned Graph::convertVirtualTileToPhysicalTile(unsigned virtualTileId) const {
  return convertTileToTopLevelGraphTile(virtualTileId);
}

POP_INLINE unsigned Graph::convertPhysicalTileToVirtualTile(unsigned physicalTileId) const {
  return convertTopLevelGraphTileToTile(physicalTileId);
}

POP_INLINE unsigned Graph::convertPhysicalTileToVirtualTile(unsigned ipuId,
                                                            unsigned physicalTileId) const {
  char const *const where = "Graph::convertPhysicalTileToVirtualTile";
  unsigned const perIpu = data(where).target().getTilesPerIPU();
  if (physicalTileId >= perIpu || ipuId >= data(where).target().getNumIPUs())
    cottonwood::base::fail<poplar_error>(where, "tile ", physicalTileId, " of IPU ", ipuId,
                                         " does not exist");
  return convertTopLevelGraphTileToTile(ipuId * perIpu + physicalTileId);
}

// ---- Codelets

POP_INLINE bool Graph::hasCodelet(StringRef codeletName) const {
  return data("Graph::hasCodelet").findCodelet({codeletName.data(), codeletName.size()}) != nullptr;
}

} // namespace poplar

namespace cottonwood::codelet {

POP_INLINE void addToGraph(poplar::Graph &graph, std::span<Codelet const> codelets) {
  graph::GraphData *const data = graph::HandleAccess::data(graph).get();
  if (!data)
    base::fail<poplar::poplar_error>("addCodelets",
                                     "the graph is empty (default-constructed or moved from)");
  for (Codelet const &codelet : codelets)
    data->registry().add(codelet);
}

POP_INLINE void addRegisteredVertex(poplar::Graph &graph, void const *key) {
  addToGraph(graph, {&registeredByKey(key), 1});
}

} // namespace cottonwood::codelet
