// Body of planTileMemory().
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Memory.hpp>
#include <poplar/impl/lower/Passes.hpp>
#include <poplar/impl/lower/TileHeap.hpp>

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

namespace cottonwood::lower::detail {

/// What a variable has on a tile, side by side.
struct TilePiece {
  std::uint32_t tile;
  std::uint64_t bytes;
  std::uint64_t at = 0; ///< its place among what lives for a while
};

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
  std::vector<TilePiece> piecesOf(std::size_t index);
  class Passage;
  void keepers();
  void passers();

  Context &context_;
  std::vector<TileMemory> &tiles_;
  std::vector<std::uint64_t> bytesOn_; ///< by tile; 0 but within piecesOf()
};

POP_INLINE std::vector<TilePiece> TileMemoryPlan::piecesOf(std::size_t index) {
  graph::Variable const &variable = context_.graph.variable(context_.vars.id(index));
  std::uint64_t const size = base::sizeOf(variable.type);
  std::vector<TilePiece> pieces;
  bytesOn_.resize(tiles_.size());
  variable.tiles.forEach(0, variable.numElements,
                         [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                           if (bytesOn_[tile] == 0)
                             pieces.push_back({tile, 0});
                           bytesOn_[tile] += (end - begin) * size;
                         });
  for (TilePiece &piece : pieces)
    piece.bytes = std::exchange(bytesOn_[piece.tile], 0);
  return pieces;
}

POP_INLINE void TileMemoryPlan::keepers() {
  for (std::size_t index = 0; index < context_.vars.size(); ++index)
    if (context_.usedVars[index] && context_.lifetimes[index].alwaysLive)
      for (auto const &[tile, bytes, at] : piecesOf(index)) {
        (context_.vars.isConstant(index) ? tiles_[tile].constants : tiles_[tile].alwaysLive) +=
            bytes;
        tiles_[tile].gaps += TileHeap::rounded(bytes) - bytes;
      }
}

/// The places of passing variables, and of data that arrives for one step, on the tiles as programs
/// go on: first come, first placed.
class TileMemoryPlan::Passage {
public:
  Passage(Context const &context, std::vector<TileMemory> &tiles)
      : context_(context), tiles_(tiles), now_(tiles.size()), laidTogether_(tiles.size()) {}

  void add(TilePiece &piece) {
    Now &now = now_[piece.tile];
    piece.at = now.heap.take(piece.bytes);
    now.bytes += piece.bytes;
    tiles_[piece.tile].passing += piece.bytes;
    note(piece.tile, now.bytes);
  }
  void remove(TilePiece const &piece) {
    now_[piece.tile].bytes -= piece.bytes;
    now_[piece.tile].heap.give(piece.at, piece.bytes);
  }
  /// Elements of other tiles that the vertices of a compute set read are there while it runs, and
  /// those of their own tiles that are laid together for them.
  void arrive(program::Node const &node) {
    if (node.kind != program::NodeKind::Execute)
      return;
    std::uint32_t const set = context_.computeSetIndex[node.id];
    std::vector<GatheredBytes> const &gathered = context_.gathered[set];
    for (auto const &[tile, bytes] : gathered)
      laidTogether_[tile] = bytes;
    BspProgram const &bsp = context_.out.bsp;
    if (std::uint32_t const step = context_.computeSetSteps[set].before; step != NONE)
      for (std::uint64_t c = 0; c != bsp.steps[step].numCosts; ++c) {
        TileCost const &cost = bsp.costs[bsp.steps[step].firstCost + c];
        hold(cost.tile, cost.bytesIn + laidTogether_[cost.tile]);
        laidTogether_[cost.tile] = 0;
      }
    for (auto const &[tile, bytes] : gathered)
      hold(tile, std::exchange(laidTogether_[tile], 0));
  }
  void finish() {
    for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
      tiles_[tile].gaps += now_[tile].heap.mostBytes() - tiles_[tile].notAlwaysLive;
      tiles_[tile].passing = std::max(tiles_[tile].passing, tiles_[tile].notAlwaysLive);
    }
  }

private:
  struct Now {
    std::uint64_t bytes = 0;
    TileHeap heap;
  };
  /// For a moment.
  void hold(std::uint32_t tile, std::uint64_t bytes) {
    now_[tile].heap.touch(bytes);
    note(tile, now_[tile].bytes + bytes);
  }
  void note(std::uint32_t tile, std::uint64_t bytes) {
    tiles_[tile].notAlwaysLive = std::max(tiles_[tile].notAlwaysLive, bytes);
  }

  Context const &context_;
  std::vector<TileMemory> &tiles_;
  std::vector<Now> now_;
  std::vector<std::uint64_t> laidTogether_; ///< 0 but within arrive()
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
  struct Living {
    std::uint32_t end;
    std::vector<TilePiece> pieces;
    bool operator<(Living const &other) const { return end > other.end; } // the first to end on top
  };
  std::priority_queue<Living> living;
  auto const expire = [&](std::uint32_t position) {
    for (; !living.empty() && living.top().end < position; living.pop())
      for (TilePiece const &piece : living.top().pieces)
        passage.remove(piece);
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
    std::vector<TilePiece> pieces = piecesOf(index);
    for (TilePiece &piece : pieces)
      passage.add(piece);
    living.push({context_.lifetimes[index].end, std::move(pieces)});
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
