// Body of planTileMemory().
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <queue>
#include <vector>

namespace cottonwood::lower::detail {

class TileMemoryPlan {
public:
  explicit TileMemoryPlan(Context &context) : context_(context), tiles_(context.out.tileMemory) {
    tiles_.assign(context.out.target.getNumTiles(), {});
  }
  void run() {
    keepers();
    passers();
    vertices();
  }

private:
  /// f(tile, bytes) for every piece of a variable.
  template <class F> void forEachPiece(std::size_t index, F &&f) const {
    graph::Variable const &variable = context_.graph.variable(context_.vars.id(index));
    std::uint64_t const size = base::sizeOf(variable.type);
    variable.tiles.forEach(0, variable.numElements,
                           [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                             f(tile, (end - begin) * size);
                           });
  }
  void keepers();
  void passers();
  void vertices();
  std::uint64_t vertexBytes(graph::VertexId id) const;

  Context &context_;
  std::vector<TileMemory> &tiles_;
};

POP_INLINE void TileMemoryPlan::keepers() {
  for (std::size_t index = 0; index < context_.vars.size(); ++index)
    if (context_.usedVars[index] && context_.lifetimes[index].alwaysLive)
      forEachPiece(index, [&](std::uint32_t tile, std::uint64_t bytes) {
        (context_.vars.isConstant(index) ? tiles_[tile].constants : tiles_[tile].alwaysLive) +=
            bytes;
      });
}

/// The most that passing variables occupy at one position of the programs, tile by tile.
POP_INLINE void TileMemoryPlan::passers() {
  std::vector<std::size_t> order;
  for (std::size_t index = 0; index < context_.vars.size(); ++index)
    if (context_.usedVars[index] && !context_.lifetimes[index].alwaysLive &&
        context_.lifetimes[index].used())
      order.push_back(index);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return context_.lifetimes[a].begin < context_.lifetimes[b].begin;
  });
  std::vector<std::uint64_t> now(tiles_.size());
  using Ending = std::pair<std::uint32_t, std::size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> living;
  for (std::size_t index : order) {
    for (; !living.empty() && living.top().first < context_.lifetimes[index].begin; living.pop())
      forEachPiece(living.top().second,
                   [&](std::uint32_t tile, std::uint64_t bytes) { now[tile] -= bytes; });
    forEachPiece(index, [&](std::uint32_t tile, std::uint64_t bytes) {
      now[tile] += bytes;
      tiles_[tile].notAlwaysLive = std::max(tiles_[tile].notAlwaysLive, now[tile]);
    });
    living.emplace(context_.lifetimes[index].end, index);
  }
}

/// Fields as the device would hold them: 4 bytes a pointer and 4 a size, values by themselves.
POP_INLINE std::uint64_t TileMemoryPlan::vertexBytes(graph::VertexId id) const {
  codelet::Codelet const &codelet = context_.graph.codeletOf(id);
  std::uint64_t bytes = 0;
  for (unsigned index = 0; index < codelet.fields.size(); ++index) {
    codelet::Field const &field = codelet.fields[index];
    if (!field.isEdge())
      bytes += context_.graph.stateBytes(id, index).size() + (field.holdsValues() ? 0 : 8);
    else if (field.shape == codelet::FieldShape::Scalar)
      bytes += 4;
    else
      bytes +=
          8 * (context_.graph.numRegions(id, index).value_or(0) + (field.hasManyRegions() ? 1 : 0));
  }
  return (bytes + 3) / 4 * 4;
}

POP_INLINE void TileMemoryPlan::vertices() {
  for (graph::ComputeSetId set : context_.computeSets)
    for (graph::VertexId vertex : context_.graph.computeSet(set).vertices)
      tiles_[context_.graph.vertex(vertex).tile].vertexState += vertexBytes(vertex);
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void planTileMemory(Context &context) {
  if (context.out.target.getTargetType() != poplar::TargetType::CPU)
    detail::TileMemoryPlan(context).run();
}

POP_INLINE std::string memoryShortage(ExecutableData const &executable,
                                      std::vector<std::uint64_t> const &preallocated) {
  std::vector<TileMemory> const &tiles = executable.tileMemory;
  if (!preallocated.empty() && preallocated.size() != tiles.size())
    base::fail<poplar::poplar_error>("compileGraph", "the preallocations are of a target with ",
                                     preallocated.size(), " tiles; this one has ", tiles.size());
  std::uint64_t const available = executable.target.getBytesPerTile();
  std::size_t fullest = 0, over = 0;
  std::uint64_t most = 0;
  for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
    std::uint64_t const bytes =
        tiles[tile].total() + (preallocated.empty() ? 0 : preallocated[tile]);
    over += bytes > available;
    if (bytes > most) {
      most = bytes;
      fullest = tile;
    }
  }
  if (over == 0)
    return {};
  return base::textOf("out of memory on ", over, " of ", tiles.size(), " tiles; tile ", fullest,
                      " needs ", tiles[fullest].total(), " bytes and has ", available,
                      preallocated.empty()
                          ? std::string()
                          : base::textOf(", of which other modules hold ", preallocated[fullest]),
                      "; map tensors to more tiles, or use a larger device");
}

} // namespace cottonwood::lower
