#include <bench/report/Profile.hpp>

#include <bench/report/Lifetimes.hpp>
#include <bench/report/Names.hpp>
#include <bench/report/TileRuns.hpp>

#include <pva/pva.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

namespace cottonwood::report {
namespace {

/// Of the runs of variables, and of those of steps: some hundred kilobytes of the page.
constexpr std::size_t MOST_RUNS = 100'000;

class Converter {
public:
  Converter(pva::Report const &report, std::string const &file)
      : report_(report), compilation_(report.compilation()) {
    data_.file = file;
  }

  PageData convert() {
    addMemory();
    addVariables();
    addLiveness();
    addSteps();
    addExecution();
    addComputeSets();
    addFacts();
    data_.names = names_.take();
    return std::move(data_);
  }

private:
  void addMemory();
  void addTile(std::size_t tile, pva::TileMemory const &memory);
  void addVariables();
  void addLiveness();
  void addSteps();
  void addStepRuns();
  void addExecution();
  void countControlSteps();
  void addComputeSets();
  void addVertexTypes(std::map<std::string, Number> const &places);
  void addFacts();
  void addTargetFacts();
  void addMemoryFacts();
  void addExecutionFacts();

  void add(std::string group, std::string name, double value, std::string unit = "") {
    data_.facts.push_back({std::move(group), std::move(name), std::move(unit), value});
  }
  void add(std::string group, std::string name, Number value, std::string unit = "") {
    add(std::move(group), std::move(name), static_cast<double>(value), std::move(unit));
  }
  void add(std::string group, std::string name, std::string text) {
    data_.facts.push_back({std::move(group), std::move(name), "", std::move(text)});
  }

  pva::Report const &report_;
  pva::CompilationReport compilation_;
  PageData data_{};
  Names names_{};
};

/// "internalExchangeCode" as "internal exchange code"
std::string spelledOut(std::string const &name) {
  std::string text;
  for (char const letter : name) {
    bool const isUpper = letter >= 'A' && letter <= 'Z';
    if (isUpper)
      text += ' ';
    text += isUpper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return text;
}

Kind kindOf(std::string const &type) {
  constexpr std::pair<std::string_view, Kind> KINDS[] = {{"OnTileExecute", Kind::Compute},
                                                         {"DoExchange", Kind::Exchange},
                                                         {"GlobalExchange", Kind::Exchange},
                                                         {"OnTileCopy", Kind::Copy},
                                                         {"StreamCopyBegin", Kind::Host},
                                                         {"StreamCopyMid", Kind::Host},
                                                         {"StreamCopyEnd", Kind::Host},
                                                         {"Sync", Kind::Sync},
                                                         {"SyncAns", Kind::Sync}};
  for (auto const &[name, kind] : KINDS)
    if (name == type)
      return kind;
  return Kind::Control;
}

void Converter::addMemory() {
  auto const tiles = compilation_.tiles();
  Memory &memory = data_.memory;
  memory.limit = compilation_.target().bytesPerTile();
  for (char const *name : {"not interleaved", "interleaved", "overflowed", "gaps"})
    memory.regions.push_back({name, std::vector<Number>(tiles.size())});
  if (!tiles.empty())
    for (auto const &category : tiles[0].memory().category().all())
      memory.categories.push_back({spelledOut(category.name()), std::vector<Number>(tiles.size())});
  memory.categories.push_back({"gaps", std::vector<Number>(tiles.size())});
  for (std::size_t tile = 0; tile < tiles.size(); ++tile)
    addTile(tile, tiles[tile].memory());
}

void Converter::addTile(std::size_t tile, pva::TileMemory const &tileMemory) {
  Memory &memory = data_.memory;
  auto const total = tileMemory.total();
  Number const gaps = total.includingGaps() - total.excludingGaps();
  memory.total.push_back(total.includingGaps());
  memory.alwaysLive.push_back(tileMemory.alwaysLiveBytes());
  auto const categories = tileMemory.category().all();
  for (std::size_t i = 0; i < categories.size(); ++i) {
    pva::MemoryCategory const &category = categories[i];
    memory.categories[i].bytes[tile] = category.total();
    memory.regions[0].bytes[tile] += category.nonInterleaved().total();
    memory.regions[1].bytes[tile] += category.interleaved().total();
    memory.regions[2].bytes[tile] += category.overflowed().total();
  }
  memory.categories.back().bytes[tile] = gaps;
  memory.regions.back().bytes[tile] = gaps;
}

void Converter::addVariables() {
  if (compilation_.tilesWithLivenessInfo().empty())
    return;
  auto variables = compilation_.loweredVariables().allBriefVars();
  std::stable_sort(variables.begin(), variables.end(),
                   [](auto const &a, auto const &b) { return a.bytes() > b.bytes(); });
  for (auto const &variable : variables) {
    Number const place = data_.variables.size();
    data_.variables.push_back({names_(variable.name()), variable.bytes(), variable.alwaysLive()});
    if (data_.variableRuns.size() >= MOST_RUNS)
      continue;
    for (TileRun const &run : runsOf(variable.bytesByTile()))
      data_.variableRuns.push_back({place, run.tile, run.length, run.value});
  }
}

void Converter::addLiveness() {
  Lifetimes lifetimes;
  for (auto const &step : compilation_.livenessProgramSteps()) {
    auto const live = step.notAlwaysLiveMemory();
    auto const program = step.program();
    data_.liveness.push_back(
        {static_cast<Number>(kindOf(program.type())), names_(program.name()), live.bytes()});
    std::vector<Lifetimes::Key> alive;
    for (auto const &variable : live.variables())
      alive.emplace_back(names_(variable.name()), variable.size());
    lifetimes.addStep(alive);
  }
  data_.lifetimes = lifetimes.take();
}

void Converter::addSteps() {
  for (auto const &step : compilation_.steps())
    data_.steps.push_back({.kind = static_cast<Number>(kindOf(step.type())),
                           .name = names_(step.name()),
                           .cycles = step.cycles(),
                           .syncCycles = step.syncCycles(),
                           .minCycles = step.minCycles(),
                           .meanCycles = static_cast<Number>(std::llround(step.meanCycles())),
                           .maxCycles = step.maxCycles(),
                           .activeTiles = step.activeTiles(),
                           .bytesIn = step.bytesIn(),
                           .bytesOut = step.bytesOut()});
  if (!report_.hasExecution())
    return;
  for (auto const &step : report_.execution().steps())
    if (step.type() != "Control")
      data_.steps.at(step.index()).executions = step.executions();
  addStepRuns();
}

/// Of the steps that take longest in all, as far as there is room.
void Converter::addStepRuns() {
  std::vector<std::size_t> order(data_.steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const total = [&](std::size_t i) {
    return data_.steps[i].cycles * data_.steps[i].executions;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return total(a) > total(b); });
  auto const steps = compilation_.steps();
  for (std::size_t const step : order) {
    if (data_.stepRuns.size() >= MOST_RUNS || total(step) == 0)
      return;
    for (TileRun const &run : runsOf(steps[step].cyclesByTile()))
      data_.stepRuns.push_back({step, run.tile, run.length, run.value});
  }
}

void Converter::addExecution() {
  if (!report_.hasExecution())
    return;
  auto const execution = report_.execution();
  for (auto const &run : execution.runs())
    data_.runs.push_back({run.name(), run.cycles().start(), run.cycles().end()});
  for (auto const &group : execution.trace()) {
    data_.groups.push_back({group.entries().size(), group.repeats()});
    for (auto const &entry : group.entries())
      data_.execution.push_back({entry.step, entry.count});
  }
  data_.executionIsCut = execution.isTraceCut();
  countControlSteps();
}

/// The report counts all others.
void Converter::countControlSteps() {
  std::size_t at = 0;
  for (Group const &group : data_.groups)
    for (Number end = at + group.entries; at < end; ++at) {
      Step &step = data_.steps.at(data_.execution[at].step);
      if (step.kind == static_cast<Number>(Kind::Control))
        step.executions += data_.execution[at].count * group.repeats;
    }
}

/// Steps and compute sets of one name belong together; no more is known of them.
void Converter::addComputeSets() {
  std::map<std::string, Number> places, types;
  for (auto const &type : compilation_.vertexTypes())
    types.emplace(type.name(), types.size());
  for (auto const &set : compilation_.computeSets()) {
    auto const [place, isNew] = places.try_emplace(set.name(), data_.computeSets.size());
    if (isNew)
      data_.computeSets.push_back({.name = names_(set.name())});
    for (auto const &vertices : set.vertices()) {
      data_.computeSets[place->second].vertices += vertices.count();
      data_.setVertices.push_back({place->second, types.at(vertices.type().name()),
                                   vertices.count(), vertices.estimatedCycles()});
    }
  }
  std::map<Number, Number> placeOfName;
  for (std::size_t i = 0; i < data_.computeSets.size(); ++i)
    placeOfName[data_.computeSets[i].name] = i;
  for (Step const &step : data_.steps) {
    auto const place = placeOfName.find(step.name);
    if (step.kind != static_cast<Number>(Kind::Compute) || place == placeOfName.end())
      continue;
    data_.computeSets[place->second].executions += step.executions;
    data_.computeSets[place->second].cycles += step.executions * step.cycles;
  }
  addVertexTypes(types);
}

void Converter::addVertexTypes(std::map<std::string, Number> const &places) {
  for (auto const &type : compilation_.vertexTypes())
    data_.vertexTypes.push_back({.name = names_(type.name()),
                                 .count = type.instances(),
                                 .codeBytes = type.codeBytes(),
                                 .stateBytes = type.stateBytes()});
  if (report_.hasExecution())
    for (auto const &type : report_.execution().vertexTypes())
      data_.vertexTypes.at(places.at(type.type().name())).cycles = type.cycles();
}

void Converter::addFacts() {
  addTargetFacts();
  auto const graph = compilation_.graph();
  add("Graph", "vertices", graph.numVertices());
  add("Graph", "vertices without an estimate of their own", graph.numVerticesByDefaultRule());
  add("Graph", "edges", graph.numEdges());
  add("Graph", "variables", graph.numVars());
  add("Graph", "compute sets", graph.numComputeSets());
  add("Graph", "steps", data_.steps.size());
  addMemoryFacts();
  if (report_.hasExecution())
    addExecutionFacts();
  for (auto const &[name, value] : report_.options())
    add("Options", name, value);
  for (auto const &[name, text] : report_.plans())
    data_.plans.push_back({name, text});
}

void Converter::addTargetFacts() {
  auto const target = compilation_.target();
  if (!report_.name().empty())
    add("Target", "engine", report_.name());
  add("Target", "type", target.type() == "IPU" ? "IPU (emulated)" : target.type());
  add("Target", "architecture", target.architecture());
  add("Target", "replicas", target.numReplicas());
  add("Target", "IPUs", target.numIPUs());
  add("Target", "tiles", target.numTiles());
  add("Target", "memory of a tile", target.bytesPerTile(), "bytes");
  add("Target", "memory", target.totalMemory(), "bytes");
  add("Target", "clock", target.clockFrequency(), "hertz");
  add("Target", "worker contexts", target.numWorkerContexts());
  add("Target", "library", report_.poplarVersion().string());
}

void Converter::addMemoryFacts() {
  Memory const &memory = data_.memory;
  auto const sum = [](std::vector<Number> const &values) {
    return std::accumulate(values.begin(), values.end(), Number{0});
  };
  add("Memory", "in use, all tiles", sum(memory.total), "bytes");
  add("Memory", "of these gaps", sum(memory.categories.back().bytes), "bytes");
  add("Memory", "always live, all tiles", sum(memory.alwaysLive), "bytes");
  if (memory.total.empty())
    return;
  auto const peak = std::max_element(memory.total.begin(), memory.total.end());
  add("Memory", "fullest tile", static_cast<Number>(peak - memory.total.begin()));
  add("Memory", "in use on it", *peak, "bytes");
  add("Memory", "tiles over the limit",
      static_cast<Number>(std::count_if(memory.total.begin(), memory.total.end(),
                                        [&](Number bytes) { return bytes > memory.limit; })));
}

void Converter::addExecutionFacts() {
  auto const execution = report_.execution();
  Number const cycles = execution.totalCycles().total();
  add("Cycles", "all runs", cycles, "cycles");
  add("Cycles", "at the clock",
      static_cast<double>(cycles) / compilation_.target().clockFrequency(), "seconds");
  auto const averages = execution.tileAverages();
  add("Cycles", "compute, mean tile", averages.computeExcludingIdle, "cycles");
  add("Cycles", "the same with idle workers", averages.computeIncludingIdle, "cycles");
  add("Cycles", "exchange, mean tile", averages.exchange, "cycles");
  add("Cycles", "exchange between IPUs, mean tile", averages.globalExchange, "cycles");
  add("Cycles", "host exchange, mean tile", averages.hostExchange, "cycles");
  add("Cycles", "sync, mean tile", averages.sync, "cycles");
}

} // namespace

PageData dataOf(pva::Report const &report, std::string const &file) {
  return Converter(report, file).convert();
}

PageData readProfile(std::string const &file) { return dataOf(pva::openReport(file), file); }

} // namespace cottonwood::report
