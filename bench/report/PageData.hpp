// What the page shows of one profile. Page.cpp writes it as JSON; page/src/report.js reads it. Both
// follow this file:
//
//   - a struct is an object, its members have the names they have here;
//   - a vector of structs of numbers is a *table*: an object with a *column* a member, which is
//   text (see Column.hpp);
//   - a vector of numbers is a column;
//   - names are numbers: places in `names`;
//   - a vector of any other kind is an array.
//
// The object begins with "format": PAGE_FORMAT; whoever changes what a field means counts it up,
// here and in report.js.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace cottonwood::report {

constexpr int PAGE_FORMAT = 1;

using Number = std::uint64_t;

/// A line of the summary.
struct Fact {
  std::string group{}; ///< its heading, for example "Target"
  std::string name{};
  std::string unit{}; ///< "bytes", "cycles", "hertz", "seconds"; else a plain number or text
  std::variant<std::string, double> value{};
};

/// Bytes of each tile.
struct Category {
  std::string name{};
  std::vector<Number> bytes{};
};

/// Of the tiles of one replica. Categories add up to the total, as do regions.
struct Memory {
  Number limit = 0; ///< bytes of a tile
  std::vector<Number> total{}, alwaysLive{};
  std::vector<Category> categories{}, regions{};
};

/// Where variables lie, if the profile has them; bytes are of all tiles.
struct Variable {
  Number name = 0, bytes = 0, alwaysLive = 0;
};

/// Tiles [tile, tile + length) hold `bytes` each of a variable.
struct VariableRun {
  Number variable = 0, tile = 0, length = 0, bytes = 0;
};

/// The page knows them by these numbers (KINDS in report.js).
enum class Kind : Number { Compute, Exchange, Copy, Host, Sync, Control };

/// A step of the programs in depth-first order; bytes of what is not always live, in all tiles.
struct LiveStep {
  Number kind = 0, name = 0, bytes = 0;
};

/// A variable that is not always live, and is in [from, to) of the steps of `liveness`.
struct Lifetime {
  Number name = 0, bytes = 0, from = 0, to = 0;
};

/// What one execution of a step costs. Sync cycles are part of its cycles; least, mean and most are
/// over active tiles, without sync.
struct Step {
  Number kind = 0, name = 0, cycles = 0, syncCycles = 0;
  Number minCycles = 0, meanCycles = 0, maxCycles = 0, activeTiles = 0;
  Number bytesIn = 0, bytesOut = 0, executions = 0;
};

/// Tiles [tile, tile + length) take `cycles` each for a step.
struct StepRun {
  Number step = 0, tile = 0, length = 0, cycles = 0;
};

/// A call of Engine::run, from cycle to cycle.
struct Run {
  std::string name{};
  Number begin = 0, end = 0;
};

/// Step `step` ran `count` times in a row.
struct Entry {
  Number step = 0, count = 0;
};

/// The next `entries` of the execution ran `repeats` times in a row.
struct Group {
  Number entries = 0, repeats = 0;
};

/// Those of one name. `cycles` are of all executions.
struct ComputeSet {
  Number name = 0, vertices = 0, executions = 0, cycles = 0;
};

/// `cycles` are of all executions of all vertices.
struct VertexType {
  Number name = 0, count = 0, codeBytes = 0, stateBytes = 0, cycles = 0;
};

/// So many vertices of a type in a compute set, both places in their tables; `cycles` of all in one
/// execution.
struct SetVertices {
  Number set = 0, type = 0, count = 0, cycles = 0;
};

/// What a planner chose for an operation.
struct Plan {
  std::string name{}, text{};
};

struct PageData {
  std::string file{};
  std::vector<Fact> facts{};
  std::vector<std::string> names{};
  Memory memory{};
  std::vector<Variable> variables{};
  std::vector<VariableRun> variableRuns{}; ///< of the first variables; later ones may have none
  std::vector<LiveStep> liveness{};
  std::vector<Lifetime> lifetimes{};
  std::vector<Step> steps{};
  std::vector<StepRun> stepRuns{}; ///< of some steps
  std::vector<Run> runs{};
  std::vector<Entry> execution{};
  std::vector<Group> groups{};
  bool executionIsCut = false; ///< whether more was executed than `execution` tells
  std::vector<ComputeSet> computeSets{};
  std::vector<SetVertices> setVertices{};
  std::vector<VertexType> vertexTypes{};
  std::vector<Plan> plans{};
};

} // namespace cottonwood::report
