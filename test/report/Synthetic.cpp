#include "Synthetic.hpp"

#include <bench/report/Names.hpp>

#include <algorithm>
#include <cmath>

namespace cottonwood::report {
namespace {

/// Reproducible; [0, limit).
class Random {
public:
  Number operator()(Number limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % limit;
  }

private:
  Number state_ = 1;
};

std::string pathOf(Number step) {
  return "model/block" + std::to_string(step / 500) + "/layer" + std::to_string(step / 50 % 10) +
         "/operation" + std::to_string(step / 5 % 10) + "/step" + std::to_string(step);
}

void addMemory(PageData &data, Number numTiles, Random &random) {
  constexpr std::pair<char const *, Number> CATEGORIES[] = {{"variable", 200'000},
                                                            {"constant", 6'000},
                                                            {"stack", 3'168},
                                                            {"vertex instance state", 9'000},
                                                            {"vertex field data", 2'000},
                                                            {"control code", 11'000},
                                                            {"vertex code", 52'000},
                                                            {"internal exchange code", 28'000},
                                                            {"gaps", 500}};
  Memory &memory = data.memory;
  memory.limit = 638'976;
  memory.total.resize(numTiles);
  for (auto const &[name, bytes] : CATEGORIES) {
    Category category{name, {}};
    for (Number tile = 0; tile < numTiles; ++tile) {
      double const wave = 1 + 0.4 * std::sin(static_cast<double>(tile) / 100);
      category.bytes.push_back(static_cast<Number>(static_cast<double>(bytes) * wave) +
                               random(bytes / 4 + 1));
      memory.total[tile] += category.bytes.back();
    }
    memory.categories.push_back(std::move(category));
  }
  memory.regions.push_back({"interleaved", memory.total});
  for (Number const bytes : memory.total)
    memory.alwaysLive.push_back(bytes / 2);
}

void addSteps(PageData &data, Number numTiles, Number numSteps, Names &names, Random &random) {
  constexpr Kind KINDS[] = {Kind::Exchange, Kind::Compute, Kind::Copy, Kind::Compute, Kind::Host};
  for (Number step = 0; step < numSteps; ++step) {
    Number const most = 200 + random(20'000), least = random(most);
    data.steps.push_back({.kind = static_cast<Number>(KINDS[step % 5]),
                          .name = names(pathOf(step)),
                          .cycles = most + 150,
                          .syncCycles = 150,
                          .minCycles = least,
                          .meanCycles = (least + most) / 2,
                          .maxCycles = most,
                          .activeTiles = 1 + random(numTiles),
                          .bytesIn = random(1'000'000),
                          .bytesOut = random(1'000'000),
                          .executions = 1});
    data.execution.push_back({step, 1});
    for (Number tile = 0; step < 20 && tile < numTiles; ++tile)
      data.stepRuns.push_back({step, tile, 1, least + random(most - least)});
  }
  data.groups.push_back({numSteps, 1});
  Number end = 0;
  for (Step const &step : data.steps)
    end += step.cycles;
  data.runs = {{"first", 0, end / 2}, {"second", end / 2, end}};
}

void addLiveness(PageData &data, Number numTiles, Number numSteps, Names &names, Random &random) {
  std::vector<Number> change(numSteps + 1);
  for (Number i = 0; i < std::max<Number>(1, numSteps / 8); ++i) {
    Number const from = random(numSteps), to = std::min(numSteps, from + 1 + random(60));
    Number const name = names(pathOf(from) + "/out"), each = 8 * (1 + random(4'000));
    Number const bytes = each * numTiles;
    data.lifetimes.push_back({name, bytes, from, to});
    data.variableRuns.push_back({data.variables.size(), 0, numTiles, each});
    data.variables.push_back({name, bytes, i % 4 == 0});
    change[from] += bytes;
    change[to] -= bytes;
  }
  Number live = 0;
  for (Number step = 0; step < numSteps; ++step)
    data.liveness.push_back({data.steps[step].kind, data.steps[step].name, live += change[step]});
}

void addVertices(PageData &data, Names &names, Random &random) {
  for (char const *type : {"poplin::ConvPartial1x1Out<half,float>", "popops::Reduce<float>",
                           "popops::Cast2D<float,half>", "poprand::Uniform<half>"})
    data.vertexTypes.push_back({names(type), 1'000 + random(90'000), 100 * (1 + random(30)),
                                random(900'000), random(1u << 30)});
  for (Step const &step : data.steps)
    if (step.kind == static_cast<Number>(Kind::Compute)) {
      Number const vertices = 1 + random(10'000), set = data.computeSets.size();
      data.computeSets.push_back({step.name, vertices, step.executions, step.cycles});
      data.setVertices.push_back({set, set % 4, vertices, vertices * 100});
    }
}

} // namespace

PageData synthetic(Number numTiles, Number numSteps) {
  PageData data;
  Names names;
  Random random;
  data.file = "synthetic/profile.pop";
  addMemory(data, numTiles, random);
  addSteps(data, numTiles, numSteps, names, random);
  addLiveness(data, numTiles, numSteps, names, random);
  addVertices(data, names, random);
  data.facts = {{"Target", "tiles", "", static_cast<double>(numTiles)},
                {"Target", "type", "", "IPU_MODEL"},
                {"Cycles", "all runs", "cycles", static_cast<double>(data.runs.back().end)}};
  data.names = names.take();
  return data;
}

PageData named(std::string const &text) {
  PageData data = synthetic(8, 10);
  data.file = text;
  for (Fact &fact : data.facts)
    fact = {text, text, text, text};
  for (std::string &name : data.names)
    name = text;
  for (Category &category : data.memory.categories)
    category.name = text;
  for (Run &run : data.runs)
    run.name = text;
  data.plans = {{text, text}};
  return data;
}

} // namespace cottonwood::report
