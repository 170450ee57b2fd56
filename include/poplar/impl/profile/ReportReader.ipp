// readReport() of ReportFile.hpp. Trusts nothing: what refers to something else is checked.
#pragma once

#include <poplar/impl/profile/ReportFile.hpp>

#if defined(POPLAR_WITH_SQLITE)

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/profile/Columns.hpp>
#include <poplar/impl/profile/Database.hpp>
#include <poplar/impl/profile/ReportTables.hpp>

#include <filesystem>
#include <fstream>
#include <type_traits>

namespace cottonwood::profile::detail {

/// What is wrong with a file.
struct Damaged {
  char const *what;
};

/// Longest list that is believed.
inline constexpr std::uint64_t MAX_LIST = std::uint64_t{1} << 26;
inline constexpr std::uint64_t MAX_TILES = std::uint64_t{1} << 24;

/// Columns of equal length; `number` of them.
POP_INLINE std::vector<std::vector<std::uint64_t>>
readColumns(std::string_view bytes, std::size_t number, std::uint64_t most) {
  std::vector<std::vector<std::uint64_t>> columns(number);
  for (std::vector<std::uint64_t> &column : columns)
    if (!unpack(bytes, most, column) || column.size() != columns[0].size())
      throw Damaged{"a list is damaged"};
  return columns;
}

POP_INLINE std::vector<std::uint32_t> readList(std::string_view bytes, std::uint64_t limit,
                                               char const *what) {
  std::vector<std::uint32_t> list;
  auto const columns = readColumns(bytes, 1, MAX_LIST);
  for (std::uint64_t const value : columns[0]) {
    if (value >= limit)
      throw Damaged{what};
    list.push_back(static_cast<std::uint32_t>(value));
  }
  return list;
}

/// Runs of tiles in ascending order.
POP_INLINE std::vector<lower::TileRun> readRuns(std::string_view bytes, std::uint64_t numTiles) {
  auto const columns = readColumns(bytes, 3, numTiles);
  std::vector<lower::TileRun> runs;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    std::uint64_t const tile = columns[0][i], count = columns[1][i];
    if (tile < end || count > numTiles || tile > numTiles - count)
      throw Damaged{"a tile does not exist"};
    end = tile + count;
    runs.push_back(
        {static_cast<std::uint32_t>(tile), static_cast<std::uint32_t>(count), columns[2][i]});
  }
  return runs;
}

POP_INLINE std::vector<lower::TileCost> readCosts(std::string_view bytes, std::uint64_t numTiles) {
  auto const columns = readColumns(bytes, 6, numTiles);
  std::vector<lower::TileCost> costs;
  auto const number = [&](std::size_t column, std::size_t i) {
    if (columns[column][i] > NONE)
      throw Damaged{"a cost is too large"};
    return static_cast<std::uint32_t>(columns[column][i]);
  };
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    if (columns[0][i] >= numTiles)
      throw Damaged{"a tile does not exist"};
    costs.push_back(
        {number(0, i), number(1, i), number(2, i), number(3, i), number(4, i), number(5, i)});
  }
  return costs;
}

[[noreturn]] POP_INLINE void refuse(char const *where, std::string const &path,
                                    std::string const &why) {
  base::fail<poplar::parse_error>(where, "the file ", base::quoted(path), " ", why);
}

/// Blocks as they are in the file, until somebody asks.
class FileCosts : public StepCosts {
public:
  FileCosts(std::string path, std::uint64_t numTiles)
      : path_(std::move(path)), numTiles_(numTiles) {}
  std::vector<std::string> blocks;
  std::vector<std::uint32_t> blockOf; ///< by step

  std::vector<lower::TileCost> of(std::uint32_t step) const override {
    try {
      return readCosts(blocks.at(blockOf.at(step)), numTiles_);
    } catch (Damaged const &damage) {
      refuse("pva", path_, base::textOf("is damaged: ", damage.what));
    }
  }

private:
  std::string path_;
  std::uint64_t numTiles_;
};

class ReportReader {
public:
  ReportReader(Database &database, std::string path)
      : database_(database), path_(std::move(path)), report_(std::make_shared<ReportData>()) {}
  std::shared_ptr<ReportData> run() {
    meta();
    memory();
    vertices();
    variables();
    programs();
    steps();
    execution();
    return report_;
  }

private:
  void meta();
  void memory();
  void vertices();
  void variables();
  void programs();
  void steps();
  void execution();
  /// The number of a row of another table. \param size  rows there.
  static std::uint32_t index(Statement const &row, int column, std::size_t size, char const *what) {
    if (row.number(column) >= size)
      throw Damaged{what};
    return static_cast<std::uint32_t>(row.number(column));
  }
  static std::uint32_t optional(Statement const &row, int column, std::size_t size,
                                char const *what) {
    return row.isNull(column) ? NONE : index(row, column, size, what);
  }
  static void checkId(Statement const &row, std::size_t expected) {
    if (row.number(0) != expected)
      throw Damaged{"rows of a table are missing"};
  }
  template <class E> static E enumerator(Statement const &row, int column, E last) {
    if (row.number(column) > static_cast<std::uint64_t>(last))
      throw Damaged{"a kind is unknown"};
    return static_cast<E>(row.number(column));
  }

  Database &database_;
  std::string path_;
  std::shared_ptr<ReportData> report_;
};

POP_INLINE void ReportReader::meta() {
  Statement row(database_, "SELECT value FROM meta WHERE name = ?");
  auto const find = [&](char const *name) {
    row.find(name);
    if (!row.next())
      throw Damaged{"a row of the table meta is missing"};
  };
  forEachText(*report_, [&](char const *name, std::string &text) {
    find(name);
    text = row.text(0);
  });
  forEachNumber(*report_, [&](char const *name, auto &number) {
    find(name);
    number = static_cast<std::remove_reference_t<decltype(number)>>(row.number(0));
  });
  find("clockFrequency");
  TargetFacts &target = report_->target;
  target.clockFrequency = row.real(0);
  if (target.numIPUs == 0 || target.tilesPerIPU == 0 || target.numIPUs > MAX_TILES ||
      target.tilesPerIPU > MAX_TILES / target.numIPUs || target.numReplicas == 0 ||
      target.numReplicas > MAX_TILES || target.numWorkerContexts == 0 ||
      !(target.clockFrequency > 0))
    throw Damaged{"there is no such target"};
  Statement option(database_, "SELECT name, value FROM option ORDER BY name");
  while (option.next())
    report_->options.emplace_back(option.text(0), option.text(1));
  Statement plan(database_, "SELECT name, text FROM plan ORDER BY id");
  while (plan.next())
    report_->plans.emplace_back(plan.text(0), plan.text(1));
}

POP_INLINE void ReportReader::memory() {
  std::size_t const tiles = report_->target.numTiles();
  report_->tiles.resize(tiles);
  Statement row(database_, "SELECT by_tile FROM tile_memory WHERE figure = ?");
  for (auto const &[name, figure] : TILE_FIGURES) {
    row.find(name);
    if (!row.next())
      throw Damaged{"a row of the table tile_memory is missing"};
    auto const columns = readColumns(row.bytes(0), 1, tiles);
    if (columns[0].size() != tiles)
      throw Damaged{"the memory of a tile is missing"};
    for (std::size_t tile = 0; tile < tiles; ++tile)
      report_->tiles[tile].*figure = columns[0][tile];
  }
  for (lower::TileMemory const &tile : report_->tiles)
    if (!tile.isConsistent())
      throw Damaged{"the memory of a tile is more than it holds"};
}

POP_INLINE void ReportReader::vertices() {
  Statement type(database_, "SELECT id, name, instances, state_bytes, code_bytes, by_tile FROM "
                            "vertex_type ORDER BY id");
  while (type.next()) {
    checkId(type, report_->vertexTypes.size());
    report_->vertexTypes.push_back({type.text(1), type.number(2), type.number(3), type.number(4),
                                    readRuns(type.bytes(5), report_->target.numTiles())});
  }
  Statement set(database_, "SELECT id, name FROM compute_set ORDER BY id");
  while (set.next()) {
    checkId(set, report_->computeSets.size());
    report_->computeSets.push_back({set.text(1), {}});
  }
  Statement entry(database_, "SELECT compute_set, vertex_type, instances, cycles FROM "
                             "compute_set_vertices ORDER BY compute_set, vertex_type");
  while (entry.next())
    report_->computeSets[index(entry, 0, report_->computeSets.size(), "a compute set is missing")]
        .types.push_back({index(entry, 1, report_->vertexTypes.size(), "a vertex type is missing"),
                          entry.number(2), entry.number(3)});
}

POP_INLINE void ReportReader::variables() {
  Statement row(database_, "SELECT id, name, type, bytes, always_live, constant, life_begin, "
                           "life_end, by_tile FROM variable ORDER BY id");
  while (row.next()) {
    checkId(row, report_->variables.size());
    report_->variables.push_back({row.text(1), row.text(2), row.number(3), row.number(4) != 0,
                                  row.number(5) != 0, static_cast<std::uint32_t>(row.number(6)),
                                  static_cast<std::uint32_t>(row.number(7)),
                                  readRuns(row.bytes(8), report_->target.numTiles())});
  }
}

POP_INLINE void ReportReader::programs() {
  Statement count(database_, "SELECT (SELECT count(*) FROM program), (SELECT count(*) FROM step)");
  count.next();
  std::uint64_t const numPrograms = count.number(0), numSteps = count.number(1);
  Statement row(database_, "SELECT id, kind, name, parent, callee, count, is_function, steps, "
                           "variables FROM program ORDER BY id");
  while (row.next()) {
    auto const number = static_cast<std::uint32_t>(report_->programs.size());
    checkId(row, number);
    ProgramFacts program;
    program.kind = enumerator(row, 1, program::NodeKind::Block);
    program.name = row.text(2);
    program.parent = optional(row, 3, number, "a program comes before the one it is in");
    program.callee = optional(row, 4, numPrograms, "a function is missing");
    program.count = row.number(5);
    program.steps = readList(row.bytes(7), numSteps, "a step is missing");
    program.variables = readList(row.bytes(8), report_->variables.size(), "a variable is missing");
    if (program.parent != NONE)
      report_->programs[program.parent].children.push_back(number);
    else
      (row.number(6) != 0 ? report_->functions : report_->entryPoints).push_back(number);
    report_->programs.push_back(std::move(program));
  }
}

POP_INLINE void ReportReader::steps() {
  auto costs = std::make_shared<FileCosts>(path_, report_->target.numTiles());
  Statement block(database_, "SELECT id, by_tile FROM cost ORDER BY id");
  while (block.next()) {
    checkId(block, costs->blocks.size());
    costs->blocks.push_back(block.text(1));
  }
  Statement row(database_, "SELECT id, kind, name, compute_set, program, cycles, sync_cycles, "
                           "thread_cycles, active_tiles, min_cycles, max_cycles, sum_cycles, "
                           "bytes_out, bytes_in, live_position, live_bytes, cost, executions "
                           "FROM step ORDER BY id");
  while (row.next()) {
    checkId(row, report_->steps.size());
    StepFacts step;
    step.kind = enumerator(row, 1, lower::StepKind::GlobalExchange);
    step.name = row.text(2);
    step.computeSet = optional(row, 3, report_->computeSets.size(), "a compute set is missing");
    if (step.computeSet == NONE && step.kind == lower::StepKind::Compute)
      throw Damaged{"a compute set is missing"};
    step.program = optional(row, 4, report_->programs.size(), "a program is missing");
    step.cycles = row.number(5);
    step.syncCycles = std::min(row.number(6), step.cycles);
    step.threadCycles = row.number(7);
    step.activeTiles = row.number(8);
    step.minCycles = row.number(9);
    step.maxCycles = row.number(10);
    step.sumCycles = row.number(11);
    step.bytesOut = row.number(12);
    step.bytesIn = row.number(13);
    step.liveness = {optional(row, 14, NONE, "a position is too large"), row.number(15)};
    costs->blockOf.push_back(index(row, 16, costs->blocks.size(), "a step has no costs"));
    if (report_->hasExecution)
      report_->execution.executions.push_back(row.number(17));
    report_->steps.push_back(std::move(step));
  }
  for (ProgramFacts const &program : report_->programs)
    for (std::uint32_t const step : program.steps)
      if (step >= report_->steps.size())
        throw Damaged{"a step is missing"};
  report_->costs = std::move(costs);
}

POP_INLINE void ReportReader::execution() {
  ExecutionFacts &execution = report_->execution;
  Statement list(database_, "SELECT list FROM trace WHERE figure = ?");
  auto const read = [&](char const *name) {
    list.find(name);
    if (!list.next())
      throw Damaged{"a row of the table trace is missing"};
    return readColumns(list.bytes(0), 1, MAX_LIST)[0];
  };
  auto const steps = read("steps"), counts = read("counts"), firsts = read("firsts"),
             lengths = read("lengths"), repeats = read("repeats");
  if (counts.size() != steps.size() || lengths.size() != firsts.size() ||
      repeats.size() != firsts.size())
    throw Damaged{"lists of the table trace are of different lengths"};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] >= report_->steps.size() || counts[i] > NONE)
      throw Damaged{"a step of the trace is missing"};
    execution.trace.runs.push_back(
        {static_cast<std::uint32_t>(steps[i]), static_cast<std::uint32_t>(counts[i])});
  }
  for (std::size_t g = 0; g < firsts.size(); ++g) {
    if (lengths[g] > steps.size() || firsts[g] > steps.size() - lengths[g] || repeats[g] > NONE)
      throw Damaged{"a group of the trace is damaged"};
    execution.trace.groups.push_back({firsts[g], static_cast<std::uint32_t>(lengths[g]),
                                      static_cast<std::uint32_t>(repeats[g])});
  }
  Statement run(database_,
                "SELECT id, name, begin_cycle, end_cycle, first_group, num_groups FROM run "
                "ORDER BY id");
  while (run.next()) {
    checkId(run, execution.runs.size());
    RunFacts const facts{run.text(1), run.number(2), run.number(3), run.number(4), run.number(5)};
    if (facts.numGroups > firsts.size() || facts.firstGroup > firsts.size() - facts.numGroups)
      throw Damaged{"a run is damaged"};
    execution.runs.push_back(facts);
  }
}

/// \throws poplar::parse_error  it is no profile of this version.
POP_INLINE void checkFormat(Database &database, char const *where, std::string const &path) {
  Statement row(database, "SELECT value FROM meta WHERE name = ?");
  row.find("format");
  if (!row.next() || row.text(0) != REPORT_FORMAT)
    refuse(where, path, "is no profile that an engine wrote");
  row.find("version");
  if (!row.next() || row.number(0) != FILE_VERSION)
    refuse(where, path,
           base::textOf("is a profile of version ", row.text(0),
                        " of the format; this library reads version ", FILE_VERSION));
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE std::shared_ptr<ReportData> readReport(char const *where, std::string const &path) {
  if (!std::ifstream(path, std::ios::binary) || std::filesystem::is_directory(path))
    throw poplar::file_load_error(path);
  try {
    Database database(path, Database::Mode::Read);
    detail::checkFormat(database, where, path);
    return detail::ReportReader(database, path).run();
  } catch (detail::Damaged const &damage) {
    detail::refuse(where, path, base::textOf("is damaged: ", damage.what));
  } catch (DatabaseError const &error) {
    detail::refuse(
        where, path,
        base::textOf("is no profile that an engine wrote, or a damaged one: ", error.what()));
  }
}

} // namespace cottonwood::profile

#endif
