// Body of memoryShortage().
#pragma once

#include <poplar/impl/lower/Lower.hpp>

#include <algorithm>
#include <vector>

namespace cottonwood::lower::detail {

/// Says for one tile what takes its memory.
class TileAccount {
public:
  TileAccount(ExecutableData const &executable, std::vector<std::uint64_t> const &preallocated)
      : executable_(executable), preallocated_(preallocated),
        limits_(memoryLimits(executable.target)) {}

  std::uint64_t held(std::size_t tile) const {
    return preallocated_.empty() ? 0 : preallocated_[tile];
  }
  /// Bytes for which there is no room.
  std::uint64_t missing(std::size_t tile) const {
    TileMemory const &memory = executable_.tileMemory[tile];
    TileRegions const regions = regionsOf(memory, limits_);
    // Below what must be interleaved there is room for others.
    std::uint64_t const gaps = memory.interleavedDemand == 0
                                   ? memory.gaps
                                   : memory.gapsInterleaved + memory.gapsOverflowed;
    std::uint64_t const used = memory.total() + gaps - regions.overflowed();
    std::uint64_t const left = limits_.total - std::min(limits_.total, used);
    return regions.overflowed() + (held(tile) > left ? held(tile) - left : 0);
  }
  /// Bytes that must be interleaved, and for which that region is too small.
  std::uint64_t missingInterleaved(std::size_t tile) const {
    std::uint64_t const demand = executable_.tileMemory[tile].interleavedDemand,
                        has = limits_.interleaved();
    return demand - std::min(demand, has);
  }
  std::string text(std::size_t tile) const;
  std::string advice(std::size_t tile) const;

private:
  std::vector<std::pair<std::uint64_t, VariableInfo const *>> largest(std::size_t tile) const;

  ExecutableData const &executable_;
  std::vector<std::uint64_t> const &preallocated_;
  MemoryLimits limits_;
};

/// At most three variables that take most there, as far as executables know.
POP_INLINE std::vector<std::pair<std::uint64_t, VariableInfo const *>>
TileAccount::largest(std::size_t tile) const {
  std::vector<std::pair<std::uint64_t, VariableInfo const *>> found;
  for (VariableInfo const &variable : executable_.variables) {
    std::uint64_t bytes = 0;
    for (std::uint64_t r = variable.firstRun; r < variable.firstRun + variable.numRuns; ++r) {
      TileRun const &run = executable_.tileRuns[r];
      if (run.tile <= tile && tile - run.tile < run.count)
        bytes += run.bytes;
    }
    if (bytes != 0)
      found.emplace_back(bytes, &variable);
  }
  std::size_t const most = std::min<std::size_t>(3, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                    [](auto const &a, auto const &b) { return a.first > b.first; });
  found.resize(most);
  return found;
}

POP_INLINE std::string TileAccount::text(std::size_t tile) const {
  TileMemory const &memory = executable_.tileMemory[tile];
  std::string text =
      base::textOf("tile ", tile, " needs ", memory.total() + memory.gaps + held(tile),
                   " bytes and has ", limits_.total, " (");
  std::pair<std::uint64_t, char const *> const parts[] = {
      {held(tile), " held by other modules"},
      {memory.alwaysLive, " variables that are always live"},
      {memory.notAlwaysLive, " other variables"},
      {memory.constants, " constants"},
      {memory.vertexState + memory.fieldData + memory.listDescriptors, " vertices"},
      {memory.codeBytes(), " code"},
      {memory.stack, " stack"},
      {memory.hostHeaders + memory.globalHeaders, " packet headers"},
      {memory.gaps, " gaps"}};
  char const *separator = "";
  for (auto const &[bytes, what] : parts)
    if (bytes != 0) {
      text += base::textOf(separator, bytes, what);
      separator = ", ";
    }
  text += ")";
  if (missingInterleaved(tile) != 0)
    text += base::textOf("; fields of vertices want ", memory.interleavedDemand,
                         " bytes of interleaved memory there, which has ", limits_.interleaved());
  separator = "; largest there: ";
  for (auto const &[bytes, variable] : largest(tile)) {
    text += base::textOf(separator, base::quoted(variable->name), " ", bytes,
                         variable->alwaysLive ? " always live" : "");
    separator = ", ";
  }
  return text;
}

/// What would help depends on what takes most.
POP_INLINE std::string TileAccount::advice(std::size_t tile) const {
  TileMemory const &memory = executable_.tileMemory[tile];
  if (memory.codeBytes() > limits_.nonInterleaved)
    return base::textOf("code must lie in the first ", limits_.nonInterleaved,
                        " bytes of a tile: use Repeat or Graph::addFunction for what occurs many "
                        "times, or fewer types of vertices");
  if (missingInterleaved(tile) != 0)
    return "map tensors that must lie in interleaved memory to more tiles, or use vertices that do "
           "not ask for it (use128BitConvUnitLoad=false of convolutions and matrix products)";
  std::uint64_t const vertices = memory.vertexState + memory.fieldData + memory.listDescriptors;
  std::uint64_t const variables = memory.alwaysLive + memory.constants;
  if (memory.notAlwaysLive > variables && memory.notAlwaysLive > vertices)
    return "map tensors to more tiles, do large operations in parts (the option "
           "availableMemoryProportion of convolutions and matrix products), or use a larger device";
  if (vertices > variables)
    return "use vertices that do more each, map them to more tiles, or use a larger device";
  return "map tensors to more tiles, keep in a remote buffer what is seldom used, or use a larger "
         "device";
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE std::string memoryShortage(ExecutableData const &executable,
                                      std::vector<std::uint64_t> const &preallocated) {
  constexpr std::size_t SHOWN = 5;
  std::vector<TileMemory> const &tiles = executable.tileMemory;
  if (!preallocated.empty() && preallocated.size() != tiles.size())
    base::fail<poplar::poplar_error>("compileGraph", "the preallocations are of a target with ",
                                     preallocated.size(), " tiles; this one has ", tiles.size());
  detail::TileAccount const account(executable, preallocated);
  std::vector<std::pair<std::uint64_t, std::size_t>> over; // (bytes, tile)
  for (std::size_t tile = 0; tile < tiles.size(); ++tile)
    if (account.missing(tile) != 0)
      over.emplace_back(tiles[tile].total() + tiles[tile].gaps + account.held(tile), tile);
  if (over.empty())
    return {};
  std::stable_sort(over.begin(), over.end(),
                   [](auto const &a, auto const &b) { return a.first > b.first; });
  std::string text = base::textOf("out of memory on ", over.size(), " of ", tiles.size(), " tiles");
  for (std::size_t i = 0; i < std::min(SHOWN, over.size()); ++i)
    text += base::textOf("; ", account.text(over[i].second));
  if (over.size() > SHOWN)
    text += base::textOf("; and ", over.size() - SHOWN, " more");
  return text + "; " + account.advice(over[0].second);
}

} // namespace cottonwood::lower
