// The memory of tiles and what is live in steps, as text.
#pragma once

#include <poplar/impl/profile/SummaryText.hpp>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <numeric>
#include <ostream>

namespace cottonwood::profile::detail {

POP_INLINE void printHistogram(std::ostream &out, std::vector<std::uint64_t> const &tiles) {
  auto const [least, most] = std::minmax_element(tiles.begin(), tiles.end());
  // The smallest power of two KB that gives at most 16 rows.
  std::uint64_t bucket = 1024;
  while (*most / bucket - *least / bucket >= 16)
    bucket *= 2;
  std::map<std::uint64_t, std::uint64_t> rows;
  std::uint64_t fullest = 0;
  for (std::uint64_t const bytes : tiles)
    fullest = std::max(fullest, ++rows[bytes / bucket]);
  out << "  By Tile (Excluding Gaps):\n"
      << "    Range (KB) Histogram (Excluding Gaps)               Count (tiles)\n";
  for (auto const &[row, count] : rows) {
    auto const stars = static_cast<int>(std::max<std::uint64_t>(1, count * 40 / fullest));
    char text[128];
    std::snprintf(text, sizeof text, "    %6llu - %llu %-40.*s %6s\n",
                  static_cast<unsigned long long>(row * bucket / 1024),
                  static_cast<unsigned long long>((row + 1) * bucket / 1024), stars,
                  "****************************************", grouped(count).c_str());
    out << text;
  }
}

/// A range of tiles.
struct TileRange {
  std::uint64_t begin, end;
  std::uint64_t sum(Values const &list) const {
    Values::Vector const &all = list.asVector();
    std::uint64_t total = 0;
    for (std::uint64_t tile = begin; tile < end && tile < all.size(); ++tile)
      total += all[tile].asUint();
    return total;
  }
};

/// Lines of the report and categories of the profile.
inline constexpr std::pair<char const *, char const *> MEMORY_LINES[] = {
    {"Variables:", "variable"},
    {"Constants:", "constant"},
    {"Host Exchange Packet Headers:", "hostExchangePacketHeader"},
    {"Global Exchange Packet Headers:", "globalExchangePacketHeader"},
    {"Stack:", "stack"},
    {"Vertex Instances:", "vertexInstanceState"},
    {"Copy Descriptors:", "copyDescriptor"},
    {"VectorList Descriptors:", "vectorListDescriptor"},
    {"Vertex Field Data:", "vertexFieldData"},
    {"Control Table:", "controlTable"},
    {"Control Code:", "controlCode"},
    {"Vertex Code:", "vertexCode"},
    {"Internal Exchange Code:", "internalExchangeCode"},
    {"Host Exchange Code:", "hostExchangeCode"},
    {"Global Exchange Code:", "globalExchangeCode"},
    {"Instrumentation Results:", "instrumentationResults"},
    {"Shared Code Storage:", "sharedCodeStorage"},
    {"Shared Data Storage:", "sharedDataStorage"}};

/// Bytes of a region, and how many of them several variables share.
POP_INLINE void printRegions(std::ostream &out, Values const &categories, TileRange range) {
  static constexpr std::pair<char const *, char const *> REGIONS[] = {
      {"Non-interleaved:", "nonInterleaved"},
      {"Interleaved:", "interleaved"},
      {"Overflowed:", "overflowed"}};
  Rows rows("        ");
  for (auto const &[title, region] : REGIONS) {
    std::uint64_t bytes = 0;
    for (auto const &[name, category] : categories.asMap())
      bytes +=
          range.sum(category[region]["nonOverlapped"]) + range.sum(category[region]["overlapped"]);
    rows.add(title, grouped(bytes) + " B");
  }
  out << "      By Memory Region:\n";
  rows.print(out);
}

POP_INLINE void printCategories(std::ostream &out, Values const &categories, TileRange range) {
  Rows rows("          "), overlapping("          ");
  std::uint64_t shared = 0, alone = 0;
  for (auto const &[title, name] : MEMORY_LINES) {
    std::uint64_t ofOne = 0;
    for (char const *const region : {"nonInterleaved", "interleaved", "overflowed"}) {
      Values const &bytes = categories[name][region];
      std::uint64_t const here = range.sum(bytes["overlapped"]);
      shared += here;
      ofOne += here + range.sum(bytes["nonOverlapped"]);
    }
    alone += ofOne;
    rows.add(title, grouped(ofOne) + " B");
  }
  overlapping.add("Not Overlapping:", grouped(alone - shared) + " B");
  overlapping.add("Overlapping:", grouped(shared) + " B");
  out << "      By Data Type:\n";
  rows.print(out);
  out << "        Of these:\n";
  overlapping.print(out);
}

POP_INLINE void printTotals(std::ostream &out, Values const &memory, TileRange range) {
  Values const &byTile = memory["byTile"];
  out << "    Including Gaps:  " << grouped(range.sum(byTile["totalIncludingGaps"]))
      << " B\n    Excluding Gaps:  " << grouped(range.sum(byTile["total"])) << " B\n";
  printRegions(out, memory["byCategory"], range);
  printCategories(out, memory["byCategory"], range);
}

POP_INLINE void printVertexData(std::ostream &out, Values const &data, Values const &counts) {
  static constexpr std::pair<char const *, char const *> CATEGORIES[] = {
      {"Internal vertex state:", "internalState"},
      {"Edge pointers:", "edgePointers"},
      {"Copy pointers:", "copyPointers"},
      {"Padding:", "padding"},
      {"Descriptors:", "descriptors"}};
  std::uint64_t total = 0;
  Rows categories("            ");
  for (auto const &[title, name] : CATEGORIES) {
    total += data[name].asUint();
    categories.add(title, grouped(data[name].asUint()) + " B");
  }
  out << "        Vertex Data (" << grouped(total) << "B):\n          By Category:\n";
  categories.print(out);
  Rows types("            ");
  for (auto const &[name, bytes] : data["byType"].asMap()) {
    std::uint64_t const count = counts[name].asUint();
    types.add(name, grouped(bytes.asUint()) + " B in " + grouped(count) +
                        (count == 1 ? " instance" : " instances"));
  }
  out << "          By Type:\n";
  types.print(out);
}

/// Of the tiles with most bytes, if any is out of memory or they are unevenly used.
POP_INLINE void printWorstTiles(std::ostream &out, Values const &graph,
                                std::vector<std::uint64_t> const &bytes) {
  std::uint64_t const available = graph["target"]["bytesPerTile"].asUint();
  auto const [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  if (*most <= available && *most <= 2 * *least)
    return;
  std::vector<std::uint64_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return bytes[a] > bytes[b]; });
  for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()); ++i) {
    out << "\n  Tile # " << order[i] << " memory usage:\n";
    printTotals(out, graph["memory"], {order[i], order[i] + 1});
  }
}

POP_INLINE void printMaximum(std::ostream &out, char const *title,
                             std::vector<std::uint64_t> const &bytes) {
  auto const fullest = std::max_element(bytes.begin(), bytes.end());
  out << "    Maximum (" << title << "): " << grouped(*fullest) << " ("
      << real(static_cast<double>(*fullest) / 1024) << " K) on tile " << fullest - bytes.begin()
      << '\n';
}

POP_INLINE void printTiles(std::ostream &out, Values const &graph) {
  Values const &byTile = graph["memory"]["byTile"];
  std::vector<std::uint64_t> const tiles = byTile["total"].toUintVector(),
                                   withGaps = byTile["totalIncludingGaps"].toUintVector(),
                                   over = byTile["overflowed"].toUintVector(),
                                   interleaved = byTile["interleavedDemand"].toUintVector();
  if (tiles.empty())
    return;
  printHistogram(out, tiles);
  auto const [least, most] = std::minmax_element(tiles.begin(), tiles.end());
  double const mean =
      static_cast<double>(std::accumulate(tiles.begin(), tiles.end(), std::uint64_t{0})) /
      static_cast<double>(tiles.size());
  out << "\n    From " << grouped(*least) << " B to " << grouped(*most) << " B, mean " << real(mean)
      << " B\n";
  printMaximum(out, "Including Gaps", withGaps);
  printMaximum(out, "Excluding Gaps", tiles);
  if (std::any_of(interleaved.begin(), interleaved.end(), [](auto bytes) { return bytes != 0; }))
    printMaximum(out, "Must Be Interleaved", interleaved);
  out << "    "
      << std::count_if(over.begin(), over.end(), [](std::uint64_t bytes) { return bytes != 0; })
      << " tile(s) out of memory\n";
  printWorstTiles(out, graph, withGaps);
}

POP_INLINE void printMemory(std::ostream &out, Values const &graph, SummaryOptions const &options) {
  Values const &memory = graph["memory"];
  std::uint64_t const tiles = graph["target"]["numTiles"].asUint();
  out << "Memory Usage:\n  Total:\n";
  printTotals(out, memory, {0, tiles});
  printVertexData(out, memory["vertexData"], graph["vertexTypes"]);
  out << '\n';
  std::uint64_t const perIpu = graph["target"]["tilesPerIPU"].asUint();
  for (std::uint64_t ipu = 0; options.perIpuMemory && ipu * perIpu < tiles; ++ipu) {
    out << "  IPU # " << ipu << ":\n";
    printTotals(out, memory, {ipu * perIpu, (ipu + 1) * perIpu});
    out << '\n';
  }
  printTiles(out, graph);
  out << "\n\n";
}

POP_INLINE std::string shownName(std::string const &name) {
  return name.empty() ? "<anonymous>" : name;
}

POP_INLINE void printVariableStorage(std::ostream &out, Values const &liveness) {
  out << "\nVariable Storage Liveness:\n  Always live: "
      << grouped(liveness["alwaysLiveBytes"].asUint()) << " B\n";
  Rows always("    ");
  for (Values const &variable : liveness["alwaysLiveVariables"].asVector())
    always.add(shownName(variable["name"].asString()), grouped(variable["bytes"].asUint()) + " B");
  always.print(out, false);
  out << "  Not always live, by step:\n";
  for (Values const &step : liveness["steps"].asVector()) {
    out << "    " << step["type"].asString();
    if (std::string const &name = step["name"].asString(); !name.empty())
      out << ": " << name;
    out << ": " << grouped(step["notAlwaysLiveBytes"].asUint()) << " B";
    char const *separator = " (";
    for (Values const &variable : step["variables"].asVector()) {
      out << separator << shownName(variable["name"].asString()) << ' '
          << grouped(variable["bytes"].asUint()) << " B";
      separator = ", ";
    }
    out << (*separator == ',' ? ")\n" : "\n");
  }
}

} // namespace cottonwood::profile::detail
