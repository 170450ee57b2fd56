// Body of planTileMemory().
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Passes.hpp>
#include <poplar/impl/lower/TilePlaces.hpp>

#include <algorithm>
#include <array>
#include <queue>
#include <utility>
#include <vector>

namespace cottonwood::lower::detail {

/// What a variable has on a tile side by side. A variable has two of them where vertices ask for
/// interleaved memory for some of its elements.
struct TilePiece {
  std::uint32_t tile;
  TileBlock block;
  std::uint64_t at = 0; ///< its place
};

using RegionBytes = std::array<std::uint64_t, NUM_MEMORY_REGIONS>;

/// A tile with what lies on it at some moment.
class TileNow {
public:
  TileNow() = default;
  TileNow(TileMemory const &memory, MemoryLimits const &limits)
      : limits_(limits),
        begin_(std::min(memory.codeBytes(), limits.nonInterleaved) + memory.fixedDataBytes()),
        places_(begin_, limits.nonInterleaved) {}

  /// Gives the piece its place.
  void add(TilePiece &piece) {
    piece.at = places_.take(piece.block.space, piece.block.demand);
    count(piece, 1);
  }
  void remove(TilePiece const &piece) {
    places_.give(piece.at, piece.block.space);
    count(piece, ~std::uint64_t{0});
  }
  RegionBytes const &bytes() const { return bytes_; }
  std::uint64_t interleaved() const { return interleaved_; } ///< of these: what must be so
  void forget() { bytes_ = {}, interleaved_ = 0; }

  /// How far a region is used by all that ever was there, and by code and vertices. What lies
  /// behind the begin of a region uses up all before it.
  RegionBytes used() const { return cut(0, std::max(begin_, places_.mostBytes())); }
  RegionBytes usedBefore() const { return cut(0, begin_); }

private:
  /// The parts of [begin, end) in each region.
  RegionBytes cut(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t const ends[] = {limits_.nonInterleaved, limits_.total, ~std::uint64_t{0}};
    RegionBytes parts{};
    for (std::size_t r = 0; r != NUM_MEMORY_REGIONS; ++r) {
      std::uint64_t const to = std::min(end, ends[r]);
      if (begin < to) {
        parts[r] = to - begin;
        begin = to;
      }
    }
    return parts;
  }
  /// \param sign  1, or -1 modulo 2^64
  void count(TilePiece const &piece, std::uint64_t sign) {
    RegionBytes const parts = cut(piece.at, piece.at + piece.block.bytes);
    for (std::size_t r = 0; r != NUM_MEMORY_REGIONS; ++r)
      bytes_[r] += sign * parts[r];
    if (piece.block.demand.interleaved)
      interleaved_ += sign * piece.block.bytes;
  }

  MemoryLimits limits_;
  std::uint64_t begin_ = 0; ///< behind code and vertices
  TilePlaces places_;
  RegionBytes bytes_{};
  std::uint64_t interleaved_ = 0;
};

class TileMemoryPlan {
public:
  explicit TileMemoryPlan(Context &context) : context_(context), tiles_(context.out.tileMemory) {
    MemoryLimits const limits = memoryLimits(context.out.target);
    for (TileMemory const &tile : tiles_)
      now_.emplace_back(tile, limits);
  }
  void run() {
    keepers(false);
    if (!context_.demands.empty())
      keepers(true);
    for (std::size_t tile = 0; tile != tiles_.size(); ++tile) {
      tiles_[tile].interleavedDemand = now_[tile].interleaved();
      now_[tile].forget();
    }
    passers();
    gaps();
  }

private:
  std::vector<TilePiece> piecesOf(std::size_t index);
  class Passage;
  void keepers(bool interleaved);
  void passers();
  void gaps();

  Context &context_;
  std::vector<TileMemory> &tiles_;
  std::vector<TileNow> now_;              ///< by tile
  std::vector<std::uint64_t> elementsOn_; ///< by tile; 0 but within piecesOf()
};

POP_INLINE std::vector<TilePiece> TileMemoryPlan::piecesOf(std::size_t index) {
  graph::Variable const &variable = context_.graph.variable(context_.vars.id(index));
  std::uint64_t const size = base::sizeOf(variable.type);
  std::vector<std::uint32_t> touched;
  elementsOn_.resize(tiles_.size());
  variable.tiles.forEach(0, variable.numElements,
                         [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                           if (elementsOn_[tile] == 0)
                             touched.push_back(tile);
                           elementsOn_[tile] += end - begin;
                         });
  auto const parts = context_.demands.of(static_cast<std::uint32_t>(index));
  std::vector<TilePiece> pieces;
  for (std::uint32_t const tile : touched) {
    std::uint64_t const elements = std::exchange(elementsOn_[tile], 0);
    auto const [first, last] =
        std::equal_range(parts.begin(), parts.end(), TilePart{0, tile, 0, 0, {}},
                         [](TilePart const &a, TilePart const &b) { return a.tile < b.tile; });
    TileBlocks const blocks =
        TileBlocks::of(elements, size, std::span<TilePart const>(first, last));
    for (TileBlock const &block : {blocks.anywhere, blocks.interleaved})
      if (block.bytes != 0)
        pieces.push_back({tile, block});
  }
  return pieces;
}

/// Variables that keep their places. What asks for interleaved memory comes last: the rest may lie
/// across the begin of that region then.
POP_INLINE void TileMemoryPlan::keepers(bool interleaved) {
  for (std::size_t index = 0; index < context_.vars.size(); ++index)
    if (context_.usedVars[index] && context_.lifetimes[index].alwaysLive &&
        (!interleaved || context_.demands.has(static_cast<std::uint32_t>(index))))
      for (TilePiece &piece : piecesOf(index)) {
        if (piece.block.demand.interleaved != interleaved)
          continue;
        TileNow &now = now_[piece.tile];
        RegionBytes const before = now.bytes();
        now.add(piece);
        TileMemory &tile = tiles_[piece.tile];
        bool const constant = context_.vars.isConstant(index);
        (constant ? tile.constants : tile.alwaysLive) += piece.block.bytes;
        (constant ? tile.constantsInterleaved : tile.alwaysLiveInterleaved) +=
            now.bytes()[1] - before[1];
        (constant ? tile.constantsOverflowed : tile.alwaysLiveOverflowed) +=
            now.bytes()[2] - before[2];
      }
}

/// The places of passing variables, and of data that arrives for one step, on the tiles as programs
/// go on: first come, first placed.
class TileMemoryPlan::Passage {
public:
  Passage(Context const &context, std::vector<TileMemory> &tiles, std::vector<TileNow> &now)
      : context_(context), tiles_(tiles), now_(now), laidTogether_(tiles.size()),
        kept_(tiles.size()) {
    for (std::size_t tile = 0; tile != tiles.size(); ++tile)
      kept_[tile] = tiles[tile].interleavedDemand;
  }

  void add(TilePiece &piece) {
    now_[piece.tile].add(piece);
    tiles_[piece.tile].passing += piece.block.bytes;
    note(piece.tile);
  }
  void remove(TilePiece const &piece) { now_[piece.tile].remove(piece); }
  /// Elements of other tiles that the vertices of a compute set read are there while it runs, and
  /// those of their own tiles that are laid together for them.
  void arrive(program::Node const &node) {
    if (node.kind != program::NodeKind::Execute)
      return;
    std::uint32_t const set = context_.computeSetIndex[node.id];
    std::vector<GatheredBytes> const &gathered = context_.gathered[set];
    for (GatheredBytes const &here : gathered)
      laidTogether_[here.tile] = here;
    BspProgram const &bsp = context_.out.bsp;
    if (std::uint32_t const step = context_.computeSetSteps[set].before; step != NONE)
      for (std::uint64_t c = 0; c != bsp.steps[step].numCosts; ++c) {
        TileCost const &cost = bsp.costs[bsp.steps[step].firstCost + c];
        GatheredBytes const here = std::exchange(laidTogether_[cost.tile], {});
        hold(cost.tile, cost.bytesIn + here.bytes, here.interleaved);
      }
    for (GatheredBytes const &here : gathered) {
      GatheredBytes const left = std::exchange(laidTogether_[here.tile], {});
      hold(here.tile, left.bytes, left.interleaved);
    }
  }

private:
  /// For a moment. \param interleaved  of the bytes
  void hold(std::uint32_t tile, std::uint64_t bytes, std::uint64_t interleaved) {
    interleaved = std::min(interleaved, bytes);
    bytes -= interleaved;
    TilePiece pieces[] = {{tile, {bytes, bytes, {}}},
                          {tile, {interleaved, interleaved, {TilePlaces::ALIGN, true}}}};
    for (TilePiece &piece : pieces)
      now_[tile].add(piece);
    note(tile);
    for (TilePiece const &piece : pieces)
      now_[tile].remove(piece);
  }
  void note(std::uint32_t tile) {
    TileMemory &memory = tiles_[tile];
    auto const &[non, interleaved, over] = now_[tile].bytes();
    if (non + interleaved + over > memory.notAlwaysLive) {
      memory.notAlwaysLive = non + interleaved + over;
      memory.notAlwaysLiveInterleaved = interleaved;
      memory.notAlwaysLiveOverflowed = over;
    }
    memory.interleavedDemand =
        std::max(memory.interleavedDemand, kept_[tile] + now_[tile].interleaved());
  }

  Context const &context_;
  std::vector<TileMemory> &tiles_;
  std::vector<TileNow> &now_;
  std::vector<GatheredBytes> laidTogether_; ///< 0 but within arrive()
  std::vector<std::uint64_t> kept_;         ///< interleaved bytes of what is always live
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
  Passage passage(context_, tiles_, now_);
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
}

/// What the ends of pieces and holes between them leave unused, up to the highest place ever taken.
POP_INLINE void TileMemoryPlan::gaps() {
  for (std::size_t tile = 0; tile < tiles_.size(); ++tile) {
    TileMemory &memory = tiles_[tile];
    RegionBytes const used = now_[tile].used(), before = now_[tile].usedBefore(),
                      variables = memory.variablesByRegion();
    memory.gapsInterleaved = used[1] - before[1] - variables[1];
    memory.gapsOverflowed = used[2] - before[2] - variables[2];
    memory.gaps =
        used[0] - before[0] - variables[0] + memory.gapsInterleaved + memory.gapsOverflowed;
    memory.passing = std::max(memory.passing, memory.notAlwaysLive);
  }
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void planTileMemory(Context &context) {
  if (context.out.target.getTargetType() != poplar::TargetType::CPU)
    detail::TileMemoryPlan(context).run();
}

} // namespace cottonwood::lower
