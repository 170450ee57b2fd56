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
      bytes += context_.graph.stateBytes(id, index).size() +
               (field.shape == codelet::FieldShape::Scalar ? 0 : 8);
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

POP_INLINE void checkTileMemory(Context const &context) {
  std::uint64_t const available = context.out.target.getBytesPerTile();
  std::vector<TileMemory> const &tiles = context.out.tileMemory;
  auto const fullest =
      std::max_element(tiles.begin(), tiles.end(), [](TileMemory const &a, TileMemory const &b) {
        return a.total() < b.total();
      });
  if (fullest == tiles.end() || fullest->total() <= available)
    return;
  auto const over = std::count_if(tiles.begin(), tiles.end(),
                                  [&](TileMemory const &tile) { return tile.total() > available; });
  std::string const text =
      base::textOf("Engine: out of memory on ", over, " of ", tiles.size(), " tiles; tile ",
                   fullest - tiles.begin(), " needs ", fullest->total(), " bytes and has ",
                   available, "; map tensors to more tiles, or use a larger device");
  throw poplar::graph_memory_allocation_error(text);
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void planTileMemory(Context &context) {
  poplar::TargetType const type = context.out.target.getTargetType();
  if (type == poplar::TargetType::CPU)
    return;
  detail::TileMemoryPlan(context).run();
  // A model only reports what does not fit.
  if (type == poplar::TargetType::IPU && !context.options.allowOutOfMemory)
    detail::checkTileMemory(context);
}

} // namespace cottonwood::lower
