// The text of profiles: bodies of poplar/ProfileValue.hpp, and of Engine::printProfileSummary.
// Everything is modelled: estimates of a tiled machine, not measurements.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/ProfileValue.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/OptionReader.hpp>
#include <poplar/impl/engine/Session.hpp>
#include <poplar/impl/profile/SummaryText.hpp>

#include <algorithm>
#include <ostream>

namespace cottonwood::profile::detail {

POP_INLINE SummaryOptions summaryOptions(char const *consumer, poplar::OptionFlags const &flags) {
  SummaryOptions options;
  bool ignored = false;
  base::OptionReader reader(consumer, flags);
  reader.flag("showExecutionSteps", options.executionSteps);
  reader.flag("showVarStorage", options.varStorage);
  reader.flag("showPerIpuMemoryUsage", options.perIpuMemory);
  for (char const *const name : {"showOptimizations", "colours"})
    reader.flag(name, ignored);
  reader.finish();
  return options;
}

POP_INLINE std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, 1, ',');
  return text;
}

POP_INLINE std::string real(double value) {
  constexpr double MOST = 1e18; // what a damaged file may say need not fit an integer
  auto const tenths = static_cast<std::uint64_t>(
      value >= 0 && value < MOST / 10 ? value * 10 + 0.5 : (value > 0 ? MOST : 0));
  return grouped(tenths / 10) + "." + std::to_string(tenths % 10);
}

POP_INLINE void Rows::print(std::ostream &out, bool alignRight) const {
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

POP_INLINE void printSummary(std::ostream &out, Values const &graph, Values const &execution,
                             SummaryOptions const &options) {
  printTarget(out, graph["target"]);
  printGraph(out, graph["graph"]);
  printMemory(out, graph, options);
  if (execution != Values())
    printExecution(out, graph, execution, options);
  if (options.varStorage)
    printVariableStorage(out, graph["memory"]["liveness"]);
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
  auto const &session = sessionOf(session_, __func__);
  auto const report = cottonwood::profile::reportOf(session, true);
  detail::printSummary(out, cottonwood::profile::graphProfile(*report),
                       session.recorder() ? cottonwood::profile::executionProfile(*report)
                                          : ProfileValue(),
                       options);
}

} // namespace poplar
