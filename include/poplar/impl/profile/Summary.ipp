// The text of profiles: bodies of poplar/ProfileValue.hpp, and of Engine::printProfileSummary.
// Everything is modelled: estimates of a tiled machine, not measurements.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/ProfileValue.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/OptionReader.hpp>
#include <poplar/impl/engine/Session.hpp>
#include <poplar/impl/profile/Values.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>

namespace cottonwood::profile::detail {

struct SummaryOptions {
  bool executionSteps = false; ///< one line for each step that was executed
  bool varStorage = false;     ///< variables with their sizes
};

POP_INLINE SummaryOptions summaryOptions(char const *consumer, poplar::OptionFlags const &flags) {
  SummaryOptions options;
  bool ignored = false;
  base::OptionReader reader(consumer, flags);
  reader.flag("showExecutionSteps", options.executionSteps);
  reader.flag("showVarStorage", options.varStorage);
  for (char const *const name : {"showPerIpuMemoryUsage", "showOptimizations", "colours"})
    reader.flag(name, ignored);
  reader.finish();
  return options;
}

/// 1234567 as 1,234,567
POP_INLINE std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, 1, ',');
  return text;
}

/// One decimal: 1,234.5
POP_INLINE std::string real(double value) {
  auto const tenths = static_cast<std::uint64_t>(value * 10 + 0.5);
  return grouped(tenths / 10) + "." + std::to_string(tenths % 10);
}

/// A list of `name: value` lines, values right-aligned to one column.
class Rows {
public:
  explicit Rows(std::string indent) : indent_(std::move(indent)) {}
  void add(std::string name, std::string value) {
    rows_.emplace_back(std::move(name), std::move(value));
  }
  void print(std::ostream &out, bool alignRight = true) const {
    std::size_t names = 0, values = 0;
    for (auto const &[name, value] : rows_) {
      names = std::max(names, name.size());
      values = std::max(values, value.size());
    }
    for (auto const &[name, value] : rows_)
      out << indent_ << name
          << std::string(names - name.size() + 2 + (alignRight ? values - value.size() : 0), ' ')
          << value << '\n';
  }

private:
  std::string indent_;
  std::vector<std::pair<std::string, std::string>> rows_;
};

POP_INLINE void printTarget(std::ostream &out, Values const &target) {
  std::uint64_t const replicas = target["numReplicas"].asUint(), ipus = target["numIPUs"].asUint(),
                      tiles = target["numTiles"].asUint();
  double const bytesPerTile = target["bytesPerTile"].asDouble();
  double const perReplica = bytesPerTile * static_cast<double>(tiles);
  Rows rows("  ");
  rows.add("Number of IPUs:", grouped(ipus * replicas));
  rows.add("Tiles per IPU:", grouped(target["tilesPerIPU"].asUint()));
  rows.add("Total Tiles:", grouped(tiles * replicas));
  rows.add("Memory Per-Tile:", real(bytesPerTile / 1024) + " kB");
  rows.add("Total Memory:", real(perReplica * static_cast<double>(replicas) / 1048576) + " MB");
  rows.add("Clock Speed (approx):", real(target["clockFrequency"].asDouble() / 1e6) + " MHz");
  rows.add("Number of Replicas:", grouped(replicas));
  rows.add("IPUs per Replica:", grouped(ipus));
  rows.add("Tiles per Replica:", grouped(tiles));
  rows.add("Memory per Replica:", real(perReplica / 1048576) + " MB");
  out << "Target:\n";
  rows.print(out, false);
  out << (target["type"].asString() == "IPU"
              ? "  The IPU is emulated: all figures below are estimates of a model, not "
                "measurements.\n\n"
              : "\n");
}

POP_INLINE void printGraph(std::ostream &out, Values const &graph) {
  Rows rows("  ");
  rows.add("Number of vertices:", grouped(graph["numVertices"].asUint()));
  rows.add("Number of edges:", grouped(graph["numEdges"].asUint()));
  rows.add("Number of variables:", grouped(graph["numVars"].asUint()));
  rows.add("Number of compute sets:", grouped(graph["numComputeSets"].asUint()));
  out << "Graph:\n";
  rows.print(out);
  if (std::uint64_t const byDefault = graph["numVerticesByDefaultRule"].asUint(); byDefault != 0)
    out << "  " << grouped(byDefault) << " of " << grouped(graph["numVertices"].asUint())
        << " vertices have no cycle estimate: the default rule is used for them\n";
  out << '\n';
}

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

POP_INLINE void printMemory(std::ostream &out, Values const &profile) {
  Values const &byTile = profile["memory"]["byTile"];
  std::uint64_t const vertexState = byTile["vertexState"].sumUint();
  out << "Memory Usage:\n  Total:\n    Including Gaps:  " << grouped(byTile["total"].sumUint())
      << " B\n    Excluding Gaps:\n"
      << "      By Data Type:\n";
  Rows types("          ");
  types.add("Variables:",
            grouped(byTile["alwaysLive"].sumUint() + byTile["notAlwaysLive"].sumUint()) + " B");
  types.add("Constants:", grouped(byTile["constants"].sumUint()) + " B");
  types.add("Vertex Instances:", grouped(vertexState) + " B");
  types.print(out);
  out << "        Vertex Data (" << grouped(vertexState) << "B):\n          By Type:\n";
  Rows vertices("            ");
  for (auto const &[name, count] : profile["vertexTypes"].asMap())
    vertices.add(name,
                 grouped(count.asUint()) + (count.asUint() == 1 ? " instance" : " instances"));
  vertices.print(out);
  out << '\n';
  std::vector<std::uint64_t> const tiles = byTile["total"].toUintVector();
  if (!tiles.empty()) {
    printHistogram(out, tiles);
    std::uint64_t const available = profile["target"]["bytesPerTile"].asUint();
    auto const fullest = std::max_element(tiles.begin(), tiles.end());
    auto const over = std::count_if(tiles.begin(), tiles.end(),
                                    [&](std::uint64_t bytes) { return bytes > available; });
    out << "\n    Maximum (Including Gaps): " << grouped(*fullest) << " ("
        << real(static_cast<double>(*fullest) / 1024) << " K) on tile " << fullest - tiles.begin()
        << "\n    " << over << " tile(s) out of memory\n";
  }
  out << "\n\n";
}

POP_INLINE void printVariables(std::ostream &out, Values const &variables) {
  out << "\nVariable storage:\n";
  Rows rows("  ");
  for (Values const &variable : variables.asVector()) {
    std::string const &name = variable["name"].asString();
    rows.add(name.empty() ? "<anonymous>" : name,
             grouped(variable["bytes"].asUint()) +
                 (variable["alwaysLive"].asBool() ? " B, always live" : " B"));
  }
  rows.print(out, false);
}

POP_INLINE void printVertexTypes(std::ostream &out, Values const &types) {
  if (types.size() == 0)
    return;
  out << "\n  Cycles by vertex type:\n";
  Rows rows("    ");
  for (auto const &[name, sum] : types.asMap())
    rows.add(name + "  (" + grouped(sum["instances"].asUint()) + " instances):",
             grouped(sum["cycles"].asUint()));
  rows.print(out);
}

POP_INLINE void printSteps(std::ostream &out, Values const &steps) {
  out << "\n  Execution steps:\n";
  for (Values const &step : steps.asVector()) {
    out << "    " << step["type"].asString();
    if (std::string const &name = step["name"].asString(); !name.empty())
      out << ": " << name;
    out << " (" << grouped(step["executions"].asUint()) << " x " << grouped(step["cycles"].asUint())
        << " cycles)\n";
  }
}

POP_INLINE void printExecution(std::ostream &out, Values const &graph, Values const &execution,
                               SummaryOptions const &options) {
  std::uint64_t const cycles = execution["cycles"].asUint();
  double const micros =
      static_cast<double>(cycles) / graph["target"]["clockFrequency"].asDouble() * 1e6;
  Values::Vector const &programs = execution["programs"].asVector();
  out << "Execution:\n\nPrograms executed:\n\n";
  for (std::size_t i = 0; i < programs.size(); ++i) {
    std::string const &name = programs[i].asString();
    out << (i == 0 ? "" : ", ") << (name.empty() ? "<anonymous>" : name);
  }
  out << (programs.empty() ? "none.\n\n" : ".\n\n");
  auto const share = [&](char const *kind) {
    double const average = execution["tileAverages"][kind].asDouble();
    double const percent = cycles == 0 ? 0 : 100 * average / static_cast<double>(cycles);
    return real(average) + " (" + real(percent) + "% of total)";
  };
  Rows rows("  ");
  rows.add("Total cycles:", grouped(cycles) + " (approx " + real(micros) + " microseconds)");
  rows.add("Tile average compute cycles (including idle threads):", share("computeIncludingIdle"));
  rows.add("Tile average compute cycles (excluding idle threads):", share("computeExcludingIdle"));
  rows.add("Tile average IPU exchange cycles:", share("exchange"));
  rows.add("Tile average global exchange cycles:", share("globalExchange"));
  rows.add("Tile average host exchange cycles:", share("hostExchange"));
  rows.add("Tile average sync cycles:", share("sync"));
  rows.print(out, false);
  printVertexTypes(out, execution["vertexTypes"]);
  if (options.executionSteps)
    printSteps(out, execution["steps"]);
}

POP_INLINE void printSummary(std::ostream &out, Values const &graph, Values const &execution,
                             SummaryOptions const &options) {
  printTarget(out, graph["target"]);
  printGraph(out, graph["graph"]);
  printMemory(out, graph);
  if (execution != Values())
    printExecution(out, graph, execution, options);
  if (options.varStorage)
    printVariables(out, graph["variables"]);
}

} // namespace cottonwood::profile::detail

namespace poplar {

POP_INLINE void printGraphSummary(std::ostream &stream, ProfileValue const &graphProfile,
                                  OptionFlags const &opts) {
  namespace detail = cottonwood::profile::detail;
  detail::printSummary(stream, graphProfile, ProfileValue(),
                       detail::summaryOptions("printGraphSummary", opts));
}

POP_INLINE void printExecutionSummary(std::ostream &stream, ProfileValue const &graphProfile,
                                      ProfileValue const &executionProfile,
                                      OptionFlags const &opts) {
  namespace detail = cottonwood::profile::detail;
  detail::printExecution(stream, graphProfile, executionProfile,
                         detail::summaryOptions("printExecutionSummary", opts));
}

POP_INLINE void printProfileSummary(std::ostream &stream, ProfileValue const &graphProfile,
                                    ProfileValue const &executionProfile, OptionFlags const &opts) {
  namespace detail = cottonwood::profile::detail;
  detail::printSummary(stream, graphProfile, executionProfile,
                       detail::summaryOptions("printProfileSummary", opts));
}

POP_INLINE void printProfileSummary(std::ostream &stream, ProfileValue const &graphProfile,
                                    ProfileValue const &executionProfile) {
  printProfileSummary(stream, graphProfile, executionProfile, OptionFlags());
}

POP_INLINE void Engine::printProfileSummary(std::ostream &out, OptionFlags const &opt) {
  namespace detail = cottonwood::profile::detail;
  auto const options = detail::summaryOptions("Engine::printProfileSummary", opt);
  detail::printSummary(out, getGraphProfile(),
                       session_->recorder() ? getExecutionProfile() : ProfileValue(), options);
}

} // namespace poplar
