// Body of planTileMemory().
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Memory.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <queue>
#include <vector>

namespace cottonwood::lower::detail {

/// What a variable has on a tile ends at a multiple of this: types want at least 4, and PopLibs
/// asks for 8, the width of a load.
inline constexpr std::uint64_t TILE_ALIGN = 8;

class TileMemoryPlan {
public:
  explicit TileMemoryPlan(Context &context) : context_(context), tiles_(context.out.tileMemory) {
    tiles_.assign(context.out.target.getNumTiles(), {});
  }
  void run() {
    keepers();
    passers();
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
  class Passage;
  void keepers();
  void passers();

  Context &context_;
  std::vector<TileMemory> &tiles_;
};

POP_INLINE void TileMemoryPlan::keepers() {
  for (std::size_t index = 0; index < context_.vars.size(); ++index)
    if (context_.usedVars[index] && context_.lifetimes[index].alwaysLive)
      forEachPiece(index, [&](std::uint32_t tile, std::uint64_t bytes) {
        (context_.vars.isConstant(index) ? tiles_[tile].constants : tiles_[tile].alwaysLive) +=
            bytes;
        tiles_[tile].gaps += alignUp(bytes, TILE_ALIGN) - bytes;
      });
}

/// What passing variables, and data that arrives for one step, occupy on the tiles as programs go
/// on.
class TileMemoryPlan::Passage {
public:
  Passage(Context const &context, std::vector<TileMemory> &tiles)
      : context_(context), tiles_(tiles), now_(tiles.size()) {}

  void add(std::uint32_t tile, std::uint64_t bytes) {
    change(tile, bytes);
    tiles_[tile].passing += bytes;
    note(tile, now_[tile]);
  }
  void remove(std::uint32_t tile, std::uint64_t bytes) {
    now_[tile].bytes -= bytes;
    now_[tile].aligned -= alignUp(bytes, TILE_ALIGN);
  }
  /// Elements of other tiles that the vertices of a compute set read are there while it runs.
  void arrive(program::Node const &node) {
    if (node.kind != program::NodeKind::Execute)
      return;
    std::uint32_t const step = context_.computeSetSteps[context_.computeSetIndex[node.id]].before;
    if (step == NONE)
      return;
    BspProgram const &bsp = context_.out.bsp;
    BspStep const &exchange = bsp.steps[step];
    for (std::uint64_t c = exchange.firstCost; c < exchange.firstCost + exchange.numCosts; ++c) {
      TileCost const &cost = bsp.costs[c];
      Now at = now_[cost.tile];
      at.bytes += cost.bytesIn;
      at.aligned += alignUp(std::uint64_t{cost.bytesIn}, TILE_ALIGN);
      note(cost.tile, at);
    }
  }
  void finish() {
    for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
      tiles_[tile].gaps += now_[tile].mostAligned - tiles_[tile].notAlwaysLive;
      tiles_[tile].passing = std::max(tiles_[tile].passing, tiles_[tile].notAlwaysLive);
    }
  }

private:
  struct Now {
    std::uint64_t bytes = 0, aligned = 0, mostAligned = 0;
  };
  void change(std::uint32_t tile, std::uint64_t bytes) {
    now_[tile].bytes += bytes;
    now_[tile].aligned += alignUp(bytes, TILE_ALIGN);
  }
  void note(std::uint32_t tile, Now const &at) {
    now_[tile].mostAligned = std::max(now_[tile].mostAligned, at.aligned);
    tiles_[tile].notAlwaysLive = std::max(tiles_[tile].notAlwaysLive, at.bytes);
  }

  Context const &context_;
  std::vector<TileMemory> &tiles_;
  std::vector<Now> now_;
};

/// The most that is there at one position of the programs, tile by tile.
POP_INLINE void TileMemoryPlan::passers() {
  std::vector<std::size_t> order;
  for (std::size_t index = 0; index < context_.vars.size(); ++index)
    if (context_.usedVars[index] && !context_.lifetimes[index].alwaysLive &&
        context_.lifetimes[index].used())
      order.push_back(index);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return context_.lifetimes[a].begin < context_.lifetimes[b].begin;
  });
  Passage passage(context_, tiles_);
  using Ending = std::pair<std::uint32_t, std::size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> living;
  auto const expire = [&](std::uint32_t position) {
    for (; !living.empty() && living.top().first < position; living.pop())
      forEachPiece(living.top().second,
                   [&](std::uint32_t tile, std::uint64_t bytes) { passage.remove(tile, bytes); });
  };
  auto leaf = context_.leafPositions.begin(); // positions ascend
  auto const arrive = [&](std::uint32_t end) {
    for (; leaf != context_.leafPositions.end() && leaf->second < end; ++leaf) {
      expire(leaf->second);
      passage.arrive(*leaf->first);
    }
  };
  for (std::size_t index : order) {
    arrive(context_.lifetimes[index].begin);
    expire(context_.lifetimes[index].begin);
    forEachPiece(index, [&](std::uint32_t tile, std::uint64_t bytes) { passage.add(tile, bytes); });
    living.emplace(context_.lifetimes[index].end, index);
  }
  arrive(NONE);
  passage.finish();
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void planTileMemory(Context &context) {
  if (context.out.target.getTargetType() != poplar::TargetType::CPU)
    detail::TileMemoryPlan(context).run();
}

} // namespace cottonwood::lower
