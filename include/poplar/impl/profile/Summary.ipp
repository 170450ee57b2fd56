// Body of Summary.hpp.
#pragma once

#include <poplar/impl/profile/Summary.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>

namespace cottonwood::profile::detail {

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

POP_INLINE void printTarget(std::ostream &out, poplar::Target const &target, unsigned numReplicas) {
  double const bytesPerTile = target.getBytesPerTile();
  double const perReplica = bytesPerTile * target.getNumTiles();
  Rows rows("  ");
  rows.add("Number of IPUs:", grouped(target.getNumIPUs() * numReplicas));
  rows.add("Tiles per IPU:", grouped(target.getTilesPerIPU()));
  rows.add("Total Tiles:", grouped(std::uint64_t{target.getNumTiles()} * numReplicas));
  rows.add("Memory Per-Tile:", real(bytesPerTile / 1024) + " kB");
  rows.add("Total Memory:", real(perReplica * numReplicas / 1048576) + " MB");
  rows.add("Clock Speed (approx):", real(target.getTileClockFrequency() / 1e6) + " MHz");
  rows.add("Number of Replicas:", grouped(numReplicas));
  rows.add("IPUs per Replica:", grouped(target.getNumIPUs()));
  rows.add("Tiles per Replica:", grouped(target.getNumTiles()));
  rows.add("Memory per Replica:", real(perReplica / 1048576) + " MB");
  out << "Target:\n";
  rows.print(out, false);
  out << (target.getTargetType() == poplar::TargetType::IPU
              ? "  The IPU is emulated: all figures below are estimates of a model, not "
                "measurements.\n\n"
              : "\n");
}

POP_INLINE void printGraph(std::ostream &out, lower::ExecutableData const &executable) {
  Rows rows("  ");
  rows.add("Number of vertices:", grouped(executable.numVertices));
  rows.add("Number of edges:", grouped(executable.numEdges));
  rows.add("Number of variables:", grouped(executable.numVariables));
  rows.add("Number of compute sets:", grouped(executable.numComputeSets));
  out << "Graph:\n";
  rows.print(out);
  if (executable.bsp.verticesByDefaultRule != 0)
    out << "  " << grouped(executable.bsp.verticesByDefaultRule) << " of "
        << grouped(executable.numVertices)
        << " vertices have no cycle estimate: the default rule is used for them\n";
  out << '\n';
}

POP_INLINE void printHistogram(std::ostream &out, std::vector<lower::TileMemory> const &tiles) {
  std::uint64_t most = 0, least = ~std::uint64_t{0};
  for (lower::TileMemory const &tile : tiles) {
    most = std::max(most, tile.total());
    least = std::min(least, tile.total());
  }
  // The smallest power of two KB that gives at most 16 rows.
  std::uint64_t bucket = 1024;
  while (most / bucket - least / bucket >= 16)
    bucket *= 2;
  std::map<std::uint64_t, std::uint64_t> rows;
  std::uint64_t fullest = 0;
  for (lower::TileMemory const &tile : tiles)
    fullest = std::max(fullest, ++rows[tile.total() / bucket]);
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

POP_INLINE void printMemory(std::ostream &out, lower::ExecutableData const &executable) {
  std::vector<lower::TileMemory> const &tiles = executable.tileMemory;
  lower::TileMemory sum;
  std::size_t fullest = 0, over = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    sum.alwaysLive += tiles[i].alwaysLive;
    sum.notAlwaysLive += tiles[i].notAlwaysLive;
    sum.constants += tiles[i].constants;
    sum.vertexState += tiles[i].vertexState;
    over += tiles[i].total() > executable.target.getBytesPerTile();
    if (tiles[i].total() > tiles[fullest].total())
      fullest = i;
  }
  out << "Memory Usage:\n  Total:\n    Including Gaps:  " << grouped(sum.total())
      << " B\n    Excluding Gaps:\n"
      << "      By Data Type:\n";
  Rows types("          ");
  types.add("Variables:", grouped(sum.alwaysLive + sum.notAlwaysLive) + " B");
  types.add("Constants:", grouped(sum.constants) + " B");
  types.add("Vertex Instances:", grouped(sum.vertexState) + " B");
  types.print(out);
  std::map<std::string, std::uint64_t> byType;
  for (lower::VertexCall const &call : executable.calls)
    ++byType[executable.codelets[call.codelet].name];
  out << "        Vertex Data (" << grouped(sum.vertexState) << "B):\n          By Type:\n";
  Rows vertices("            ");
  for (auto const &[name, count] : byType)
    vertices.add(name, grouped(count) + (count == 1 ? " instance" : " instances"));
  vertices.print(out);
  out << '\n';
  if (!tiles.empty()) {
    printHistogram(out, tiles);
    std::uint64_t const most = tiles[fullest].total();
    out << "\n    Maximum (Including Gaps): " << grouped(most) << " ("
        << real(static_cast<double>(most) / 1024) << " K) on tile " << fullest << "\n    " << over
        << " tile(s) out of memory\n";
  }
  out << "\n\n";
}

struct ExecutionTotals {
  std::uint64_t cycles = 0;
  double computeIdle = 0, computeBusy = 0, exchange = 0, host = 0, sync = 0; ///< summed over tiles
};

POP_INLINE ExecutionTotals addUp(lower::ExecutableData const &executable,
                                 engine::StepRecorder const &recorder) {
  using lower::StepKind;
  ExecutionTotals totals;
  unsigned const contexts = executable.target.getNumWorkerContexts();
  double const tiles = executable.target.getNumTiles();
  for (std::uint32_t i = 0; i < executable.bsp.steps.size(); ++i) {
    lower::BspStep const &step = executable.bsp.steps[i];
    auto const times = static_cast<double>(recorder.executions(i));
    totals.cycles += step.maxCycles * recorder.executions(i);
    double sum = 0;
    for (std::uint64_t c = step.firstCost; c < step.firstCost + step.numCosts; ++c)
      sum += executable.bsp.costs[c].cycles;
    if (step.kind == StepKind::Compute) {
      totals.computeIdle += times * sum;
      totals.computeBusy += times * static_cast<double>(step.activeThreadCycles) / contexts;
    } else if (step.kind == StepKind::Exchange || step.kind == StepKind::OnTileCopy) {
      totals.exchange += times * sum;
    } else if (step.kind == StepKind::StreamIn || step.kind == StepKind::StreamOut) {
      totals.host += times * tiles * static_cast<double>(step.maxCycles - step.syncCycles);
    }
  }
  double const all = static_cast<double>(totals.cycles) * tiles;
  totals.sync = std::max(0.0, all - totals.computeIdle - totals.exchange - totals.host);
  return totals;
}

POP_INLINE void printVertexTypes(std::ostream &out, lower::ExecutableData const &executable,
                                 engine::StepRecorder const &recorder) {
  struct Sum {
    std::uint64_t instances = 0, cycles = 0;
  };
  std::map<std::string, Sum> types;
  for (lower::VertexTypeCycles const &entry : executable.bsp.byType) {
    std::uint64_t const times = recorder.executions(entry.step);
    if (times == 0)
      continue;
    Sum &sum = types[executable.codelets[entry.codelet].name];
    sum.instances += entry.instances;
    sum.cycles += entry.cycles * times;
  }
  if (types.empty())
    return;
  out << "\n  Cycles by vertex type:\n";
  Rows rows("    ");
  for (auto const &[name, sum] : types)
    rows.add(name + "  (" + grouped(sum.instances) + " instances):", grouped(sum.cycles));
  rows.print(out);
}

POP_INLINE void printSteps(std::ostream &out, lower::ExecutableData const &executable,
                           engine::StepRecorder const &recorder) {
  static constexpr char const *KINDS[] = {"OnTileExecute", "DoExchange", "OnTileCopy", "StreamCopy",
                                          "StreamCopy",    "Sync",       "Control"};
  out << "\n  Execution steps:\n";
  for (std::uint32_t i = 0; i < executable.bsp.steps.size(); ++i) {
    lower::BspStep const &step = executable.bsp.steps[i];
    if (recorder.executions(i) == 0 || step.kind == lower::StepKind::Control)
      continue;
    out << "    " << KINDS[static_cast<std::size_t>(step.kind)];
    if (!step.name.empty())
      out << ": " << step.name;
    out << " (" << grouped(recorder.executions(i)) << " x " << grouped(step.maxCycles)
        << " cycles)\n";
  }
}

POP_INLINE void printExecution(std::ostream &out, lower::ExecutableData const &executable,
                               engine::StepRecorder const &recorder,
                               std::vector<std::string> const &runNames,
                               SummaryOptions const &options) {
  ExecutionTotals const totals = addUp(executable, recorder);
  double const tiles = executable.target.getNumTiles();
  out << "Execution:\n\nPrograms executed:\n\n";
  for (std::size_t i = 0; i < runNames.size(); ++i)
    out << (i == 0 ? "" : ", ") << (runNames[i].empty() ? "<anonymous>" : runNames[i]);
  out << (runNames.empty() ? "none.\n\n" : ".\n\n");
  double const micros =
      static_cast<double>(totals.cycles) / executable.target.getTileClockFrequency() * 1e6;
  auto const share = [&](double sum) {
    double const average = sum / tiles;
    double const percent =
        totals.cycles == 0 ? 0 : 100 * average / static_cast<double>(totals.cycles);
    return real(average) + " (" + real(percent) + "% of total)";
  };
  Rows rows("  ");
  rows.add("Total cycles:", grouped(totals.cycles) + " (approx " + real(micros) + " microseconds)");
  rows.add("Tile average compute cycles (including idle threads):", share(totals.computeIdle));
  rows.add("Tile average compute cycles (excluding idle threads):", share(totals.computeBusy));
  rows.add("Tile average IPU exchange cycles:", share(totals.exchange));
  rows.add("Tile average global exchange cycles:", share(0));
  rows.add("Tile average host exchange cycles:", share(totals.host));
  rows.add("Tile average sync cycles:", share(totals.sync));
  rows.print(out, false);
  printVertexTypes(out, executable, recorder);
  if (options.executionSteps)
    printSteps(out, executable, recorder);
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE void printSummary(std::ostream &out, lower::ExecutableData const &executable,
                             engine::StepRecorder const *recorder,
                             std::vector<std::string> const &runNames,
                             SummaryOptions const &options) {
  detail::printTarget(out, executable.target, executable.numReplicas);
  detail::printGraph(out, executable);
  detail::printMemory(out, executable);
  if (recorder)
    detail::printExecution(out, executable, *recorder, runNames, options);
  if (!options.varStorage)
    return;
  out << "\nVariable storage:\n";
  detail::Rows rows("  ");
  for (lower::VariableInfo const &variable : executable.variables)
    rows.add(variable.name.empty() ? "<anonymous>" : variable.name,
             detail::grouped(variable.bytes) + (variable.alwaysLive ? " B, always live" : " B"));
  rows.print(out, false);
}

} // namespace cottonwood::profile
