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
  struct Now {
    std::uint64_t bytes = 0, aligned = 0, mostAligned = 0;
  };
  std::vector<Now> now(tiles_.size());
  using Ending = std::pair<std::uint32_t, std::size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> living;
  for (std::size_t index : order) {
    for (; !living.empty() && living.top().first < context_.lifetimes[index].begin; living.pop())
      forEachPiece(living.top().second, [&](std::uint32_t tile, std::uint64_t bytes) {
        now[tile].bytes -= bytes;
        now[tile].aligned -= alignUp(bytes, TILE_ALIGN);
      });
    forEachPiece(index, [&](std::uint32_t tile, std::uint64_t bytes) {
      Now &at = now[tile];
      at.bytes += bytes;
      at.aligned += alignUp(bytes, TILE_ALIGN);
      at.mostAligned = std::max(at.mostAligned, at.aligned);
      tiles_[tile].passing += bytes;
      tiles_[tile].notAlwaysLive = std::max(tiles_[tile].notAlwaysLive, at.bytes);
    });
    living.emplace(context_.lifetimes[index].end, index);
  }
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile)
    tiles_[tile].gaps += now[tile].mostAligned - tiles_[tile].notAlwaysLive;
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void planTileMemory(Context &context) {
  if (context.out.target.getTargetType() != poplar::TargetType::CPU)
    detail::TileMemoryPlan(context).run();
}

} // namespace cottonwood::lower
