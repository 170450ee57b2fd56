// Body of TiledData.hpp.
#pragma once

#include <poplar/impl/lower/TiledData.hpp>

#include <poplar/Target.hpp>

#include <algorithm>

namespace cottonwood::lower {

POP_INLINE std::uint64_t TileMemory::of(MemoryKind kind) const {
  switch (kind) {
  case MemoryKind::Variable:
    return alwaysLive + notAlwaysLive;
  case MemoryKind::Constant:
    return constants;
  case MemoryKind::HostExchangePacketHeader:
    return hostHeaders;
  case MemoryKind::GlobalExchangePacketHeader:
    return globalHeaders;
  case MemoryKind::Stack:
    return stack;
  case MemoryKind::VertexInstanceState:
    return vertexState;
  case MemoryKind::CopyDescriptor:
    return copyDescriptors;
  case MemoryKind::VectorListDescriptor:
    return listDescriptors;
  case MemoryKind::VertexFieldData:
    return fieldData;
  case MemoryKind::ControlCode:
    return controlCode;
  case MemoryKind::VertexCode:
    return vertexCode;
  case MemoryKind::InternalExchangeCode:
    return exchangeCode;
  case MemoryKind::HostExchangeCode:
    return hostExchangeCode;
  case MemoryKind::GlobalExchangeCode:
    return globalExchangeCode;
  case MemoryKind::ControlTable:           // vertices are started by code
  case MemoryKind::InstrumentationResults: // nothing is measured
  case MemoryKind::SharedCodeStorage:
  case MemoryKind::SharedDataStorage:
    break;
  }
  return 0;
}

POP_INLINE std::uint64_t TileMemory::total() const {
  std::uint64_t total = 0;
  for (std::size_t kind = 0; kind < NUM_MEMORY_KINDS; ++kind)
    total += of(static_cast<MemoryKind>(kind));
  return total;
}

POP_INLINE bool TileMemory::isConsistent() const {
  auto const fit = [](std::uint64_t a, std::uint64_t b, std::uint64_t whole) {
    return a <= whole && b <= whole - a;
  };
  return fit(alwaysLiveInterleaved, alwaysLiveOverflowed, alwaysLive) &&
         fit(notAlwaysLiveInterleaved, notAlwaysLiveOverflowed, notAlwaysLive) &&
         fit(constantsInterleaved, constantsOverflowed, constants) &&
         fit(gapsInterleaved, gapsOverflowed, gaps) && notAlwaysLive <= passing;
}

POP_INLINE std::array<std::uint64_t, 3> TileMemory::variablesByRegion() const {
  std::uint64_t const interleaved =
      alwaysLiveInterleaved + notAlwaysLiveInterleaved + constantsInterleaved;
  std::uint64_t const over = alwaysLiveOverflowed + notAlwaysLiveOverflowed + constantsOverflowed;
  return {alwaysLive + notAlwaysLive + constants - interleaved - over, interleaved, over};
}

POP_INLINE std::uint64_t TileRegions::of(MemoryRegion region) const {
  std::uint64_t total = 0;
  for (auto const &kind : bytes)
    total += kind[static_cast<std::size_t>(region)];
  return total;
}

POP_INLINE TileRegions regionsOf(TileMemory const &tile, MemoryLimits const &limits) {
  static constexpr MemoryKind CODE[] = {
      MemoryKind::ControlCode, MemoryKind::VertexCode, MemoryKind::InternalExchangeCode,
      MemoryKind::HostExchangeCode, MemoryKind::GlobalExchangeCode};
  static constexpr MemoryKind DATA[] = {MemoryKind::Stack,
                                        MemoryKind::VertexInstanceState,
                                        MemoryKind::VertexFieldData,
                                        MemoryKind::VectorListDescriptor,
                                        MemoryKind::CopyDescriptor,
                                        MemoryKind::HostExchangePacketHeader,
                                        MemoryKind::GlobalExchangePacketHeader};
  TileRegions regions;
  std::uint64_t nonInterleaved = limits.nonInterleaved, interleaved = limits.interleaved();
  auto const take = [](std::uint64_t &bytes, std::uint64_t &space) {
    std::uint64_t const taken = std::min(bytes, space);
    bytes -= taken;
    space -= taken;
    return taken;
  };
  for (MemoryKind const kind : CODE) {
    std::uint64_t bytes = tile.of(kind);
    auto &to = regions.bytes[static_cast<std::size_t>(kind)];
    to[0] = take(bytes, nonInterleaved);
    to[2] = bytes;
  }
  for (MemoryKind const kind : DATA) {
    std::uint64_t bytes = tile.of(kind);
    auto &to = regions.bytes[static_cast<std::size_t>(kind)];
    to[0] = take(bytes, nonInterleaved);
    to[1] = take(bytes, interleaved);
    to[2] = bytes;
  }
  auto const placed = [](std::uint64_t bytes, std::uint64_t inInterleaved, std::uint64_t over) {
    return std::array{bytes - inInterleaved - over, inInterleaved, over};
  };
  regions.bytes[static_cast<std::size_t>(MemoryKind::Constant)] =
      placed(tile.constants, tile.constantsInterleaved, tile.constantsOverflowed);
  regions.bytes[static_cast<std::size_t>(MemoryKind::Variable)] =
      placed(tile.alwaysLive + tile.notAlwaysLive,
             tile.alwaysLiveInterleaved + tile.notAlwaysLiveInterleaved,
             tile.alwaysLiveOverflowed + tile.notAlwaysLiveOverflowed);
  regions.gaps = placed(tile.gaps, tile.gapsInterleaved, tile.gapsOverflowed);
  return regions;
}

POP_INLINE MemoryLimits memoryLimits(poplar::Target const &target) {
  MemoryLimits limits{target.getBytesPerTile(), target.getBytesPerTile()};
  auto const &offsets = target.getMemoryElementOffsets();
  if (target.getInterleavedMemoryElementIndex() < offsets.size())
    limits.nonInterleaved =
        std::min<std::uint64_t>(limits.total, offsets[target.getInterleavedMemoryElementIndex()]);
  return limits;
}

} // namespace cottonwood::lower
