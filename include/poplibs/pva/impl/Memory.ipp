// Body of <pva/Memory.hpp>.
#pragma once

#include <pva/Memory.hpp>

#include <poplar/impl/profile/ReportData.hpp>

#include <algorithm>

namespace pva::detail {

/// A part of a kind's bytes, of which as many as `overlapped` says share their addresses.
POP_INLINE MemoryBytes splitBytes(std::uint64_t bytes, std::uint64_t &overlapped) {
  std::uint64_t const shared = std::min(bytes, overlapped);
  overlapped -= shared;
  return {bytes - shared, shared};
}

} // namespace pva::detail

namespace pva {

POP_INLINE TileMemoryTotal TileMemory::total() const {
  cottonwood::lower::TileMemory const &tile = report_->tiles[tile_];
  return {tile.total() + tile.gaps, tile.total()};
}
POP_INLINE std::uint64_t TileMemory::alwaysLiveBytes() const {
  return report_->tiles[tile_].alwaysLiveTotal();
}
POP_INLINE std::uint64_t TileMemory::notAlwaysLiveBytes() const {
  return report_->tiles[tile_].notAlwaysLive;
}
POP_INLINE std::uint64_t TileMemory::overflowedBytes() const {
  return cottonwood::lower::regionsOf(report_->tiles[tile_], report_->target.limits()).overflowed();
}
POP_INLINE MemoryCategories TileMemory::category() const {
  using namespace cottonwood::lower;
  TileRegions const regions = regionsOf(report_->tiles[tile_], report_->target.limits());
  std::vector<MemoryCategory> all;
  for (std::size_t k = 0; k < NUM_MEMORY_KINDS; ++k) {
    auto const kind = static_cast<MemoryKind>(k);
    std::uint64_t overlapped =
        kind == MemoryKind::Variable ? report_->tiles[tile_].overlapped() : 0;
    auto const &bytes = regions.bytes[k];
    // Variables that share memory are placed last, so at the upper end.
    MemoryBytes const over = detail::splitBytes(bytes[2], overlapped);
    MemoryBytes const inter = detail::splitBytes(bytes[1], overlapped);
    MemoryBytes const non = detail::splitBytes(bytes[0], overlapped);
    all.emplace_back(cottonwood::profile::nameOf(kind), non, inter, over);
  }
  return MemoryCategories(std::move(all));
}

POP_INLINE std::vector<TileVertices> Tile::vertices() const {
  std::vector<TileVertices> vertices;
  for (cottonwood::profile::VertexTypeFacts const &type : report_->vertexTypes) {
    auto const &runs = type.instancesByTile;
    auto const found = std::find_if(runs.begin(), runs.end(), [&](auto const &run) {
      return run.tile <= tile_ && tile_ - run.tile < run.count;
    });
    if (found != runs.end())
      vertices.emplace_back(type.name, type.codeBytes, found->bytes);
  }
  return vertices;
}

} // namespace pva
