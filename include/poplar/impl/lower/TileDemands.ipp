// Body of TileDemands.hpp, and of collectTileDemands().
#pragma once

#include <poplar/impl/lower/TileDemands.hpp>

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Memory.hpp>
#include <poplar/impl/lower/Passes.hpp>
#include <poplar/impl/lower/TileOrder.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace cottonwood::lower {

POP_INLINE PlaceDemand demandOf(codelet::Field const &field) {
  PlaceDemand demand;
  if (field.minAlign > base::sizeOf(field.type))
    demand.alignment = std::bit_ceil(field.minAlign);
  demand.interleaved = field.interleaved;
  return demand;
}

namespace detail {

/// Adds a part to one that does not begin behind it, if they lie side by side anyway.
POP_INLINE bool joinPart(TilePart &last, TilePart const &part) {
  bool const overlap = part.begin < last.end;
  bool const goesOn = part.begin == last.end && part.demand.alignment == 1 &&
                      part.demand.interleaved == last.demand.interleaved;
  if (last.var != part.var || last.tile != part.tile || part.begin < last.begin ||
      !(overlap || goesOn))
    return false;
  last.end = std::max(last.end, part.end);
  last.demand.join(part.demand);
  return true;
}

} // namespace detail

POP_INLINE void TileDemands::add(TilePart const &part) {
  if (part.begin == part.end || (!parts_.empty() && detail::joinPart(parts_.back(), part)))
    return;
  if (part.var >= has_.size())
    has_.resize(part.var + 1);
  has_[part.var] = true;
  parts_.push_back(part);
}

POP_INLINE void TileDemands::settle() {
  std::sort(parts_.begin(), parts_.end(), [](TilePart const &a, TilePart const &b) {
    return std::tie(a.var, a.tile, a.begin) < std::tie(b.var, b.tile, b.begin);
  });
  std::size_t joined = 0;
  for (TilePart const &part : parts_)
    if (joined == 0 || !detail::joinPart(parts_[joined - 1], part))
      parts_[joined++] = part;
  parts_.resize(joined);
  first_.assign(has_.size() + 1, 0);
  for (TilePart const &part : parts_)
    ++first_[part.var + 1];
  for (std::size_t var = 1; var < first_.size(); ++var)
    first_[var] += first_[var - 1];
}

POP_INLINE std::span<TilePart const> TileDemands::of(std::uint32_t var) const {
  if (!has(var))
    return {};
  return std::span(parts_).subspan(first_[var], first_[var + 1] - first_[var]);
}

POP_INLINE TileBlocks TileBlocks::of(std::uint64_t elements, std::uint64_t elementBytes,
                                     std::span<TilePart const> parts,
                                     std::vector<PlacedPart> *placed) {
  TileBlocks blocks;
  auto const append = [&](std::uint64_t begin, std::uint64_t end, PlaceDemand const &demand) {
    if (begin == end)
      return;
    TileBlock &block = demand.interleaved ? blocks.interleaved : blocks.anywhere;
    std::uint64_t const bytes = (end - begin) * elementBytes;
    std::uint64_t const at =
        alignUp(block.space, std::max<std::uint64_t>(demand.alignment, elementBytes));
    block.bytes += bytes;
    block.space = at + bytes;
    block.demand.join(demand);
    if (placed)
      placed->push_back({begin, end, demand.interleaved, at});
  };
  std::uint64_t at = 0;
  for (TilePart const &part : parts) {
    append(at, part.begin, {});
    append(part.begin, part.end, part.demand);
    at = part.end;
  }
  append(at, elements, {});
  return blocks;
}

/// Edges that ask for nothing keep their elements side by side, too.
POP_INLINE void collectTileDemands(Context &context) {
  TileDemands &demands = context.demands;
  if (demands.empty())
    return;
  std::unordered_map<graph::VarId, TileOrder> orders;
  graph::GraphData const &graph = context.graph;
  auto const bind = [&](graph::Run const &run, std::uint32_t here) {
    auto const var = static_cast<std::uint32_t>(context.vars.of(run.var));
    if (run.size < 2 || !demands.has(var))
      return;
    graph::TileMap const &tiles = graph.variable(run.var).tiles;
    TileOrder const &order = orders.try_emplace(run.var, tiles).first->second;
    std::uint64_t const begin = order.rank(here, run.begin),
                        end = order.rank(here, run.begin + run.size);
    demands.bind({var, here, begin, end, {}});
  };
  for (graph::ComputeSetId const id : context.computeSets)
    for (graph::VertexId const vertex : graph.computeSet(id).vertices)
      graph.forEachRegion(vertex, [&](unsigned field, std::size_t, graph::Region const &region) {
        if (demandOf(graph.codeletOf(vertex).fields[field]) != PlaceDemand())
          return; // it is there
        if (!region.view)
          bind(region.run, graph.vertex(vertex).tile);
        else if (std::optional<graph::Run> const run = region.view->asRun())
          bind(*run, graph.vertex(vertex).tile);
      });
  demands.settle();
}

} // namespace cottonwood::lower
