// writeReport() of ReportFile.hpp.
#pragma once

#include <poplar/impl/profile/ReportFile.hpp>

#if defined(POPLAR_WITH_SQLITE)

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Files.hpp>
#include <poplar/impl/profile/Columns.hpp>
#include <poplar/impl/profile/Database.hpp>
#include <poplar/impl/profile/ReportTables.hpp>

#include <filesystem>
#include <map>
#include <system_error>

namespace cottonwood::profile::detail {

[[noreturn]] POP_INLINE void cannotWrite(std::string const &path, std::string const &why) {
  base::fail<poplar::poplar_error>("Engine", "cannot write the report ", base::quoted(path), ": ",
                                   why,
                                   "; the option autoReport.directory must name a folder that is "
                                   "writable or can be made");
}

/// One column after another: `of` gives a column's number of an element.
template <class List, class... F> Blob columns(List const &list, F &&...of) {
  std::string bytes;
  auto const column = [&](auto &&number) {
    ColumnWriter writer;
    for (auto const &element : list)
      writer.add(number(element));
    bytes += writer.finish();
  };
  (column(of), ...);
  return {std::move(bytes)};
}

POP_INLINE Blob runColumns(std::vector<lower::TileRun> const &runs) {
  return columns(
      runs, [](auto const &run) { return run.tile; }, [](auto const &run) { return run.count; },
      [](auto const &run) { return run.bytes; });
}

POP_INLINE Blob costColumns(std::vector<lower::TileCost> const &costs) {
  return columns(
      costs, [](auto const &cost) { return cost.tile; },
      [](auto const &cost) { return cost.cycles; }, [](auto const &cost) { return cost.bytesOut; },
      [](auto const &cost) { return cost.bytesIn; }, [](auto const &cost) { return cost.runsOut; },
      [](auto const &cost) { return cost.runsIn; });
}

class ReportWriter {
public:
  ReportWriter(Database &database, ReportData const &report)
      : database_(database), report_(report) {}
  void run() {
    database_.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;");
    database_.execute(REPORT_TABLES);
    meta();
    memory();
    vertices();
    variables();
    steps();
    programs();
    execution();
    database_.execute("COMMIT;");
  }

private:
  void meta();
  void memory();
  void vertices();
  void variables();
  void steps();
  void programs();
  void execution();
  /// The number of a step's costs in the table of distinct ones.
  std::uint32_t costOf(std::uint32_t step, Statement &insert);

  Database &database_;
  ReportData const &report_;
  std::map<std::string, std::uint32_t> costs_; ///< distinct blocks
};

POP_INLINE void ReportWriter::meta() {
  Statement insert(database_, "INSERT INTO meta VALUES(?, ?)");
  insert.insert(std::string("format"), std::string(REPORT_FORMAT));
  insert.insert(std::string("version"), FILE_VERSION);
  forEachText(report_,
              [&](std::string const &name, std::string const &text) { insert.insert(name, text); });
  forEachNumber(report_, [&](std::string const &name, auto const &number) {
    insert.insert(name, static_cast<std::uint64_t>(number));
  });
  insert.insert(std::string("clockFrequency"), report_.target.clockFrequency);
  Statement option(database_, "INSERT OR REPLACE INTO option VALUES(?, ?)");
  for (auto const &[name, value] : report_.options)
    option.insert(name, value);
  Statement plan(database_, "INSERT INTO plan VALUES(?, ?, ?)");
  std::uint64_t id = 0;
  for (auto const &[name, text] : report_.plans)
    plan.insert(id++, name, text);
}

POP_INLINE void ReportWriter::memory() {
  Statement insert(database_, "INSERT INTO tile_memory VALUES(?, ?)");
  for (auto const &[name, figure] : TILE_FIGURES)
    insert.insert(std::string(name), columns(report_.tiles, [figure = figure](auto const &tile) {
                    return tile.*figure;
                  }));
}

POP_INLINE void ReportWriter::vertices() {
  Statement type(database_, "INSERT INTO vertex_type VALUES(?, ?, ?, ?, ?, ?)");
  for (std::uint32_t i = 0; i < report_.vertexTypes.size(); ++i) {
    VertexTypeFacts const &facts = report_.vertexTypes[i];
    type.insert(i, facts.name, facts.instances, facts.stateBytes, facts.codeBytes,
                runColumns(facts.instancesByTile));
  }
  Statement set(database_, "INSERT INTO compute_set VALUES(?, ?)");
  Statement entry(database_, "INSERT INTO compute_set_vertices VALUES(?, ?, ?, ?)");
  for (std::uint32_t i = 0; i < report_.computeSets.size(); ++i) {
    set.insert(i, report_.computeSets[i].name);
    for (TypeCount const &count : report_.computeSets[i].types)
      entry.insert(i, count.type, count.instances, count.cycles);
  }
}

POP_INLINE void ReportWriter::variables() {
  Statement insert(database_, "INSERT INTO variable VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::uint32_t i = 0; i < report_.variables.size(); ++i) {
    VariableFacts const &facts = report_.variables[i];
    insert.insert(i, facts.name, facts.type, facts.bytes, facts.alwaysLive, facts.constant,
                  facts.lifeBegin, facts.lifeEnd, runColumns(facts.runs));
  }
}

POP_INLINE std::uint32_t ReportWriter::costOf(std::uint32_t step, Statement &insert) {
  Blob block = costColumns(report_.costs->of(step));
  auto const [at, isNew] =
      costs_.emplace(std::move(block.bytes), static_cast<std::uint32_t>(costs_.size()));
  if (isNew)
    insert.insert(at->second, Blob{at->first});
  return at->second;
}

POP_INLINE void ReportWriter::steps() {
  Statement cost(database_, "INSERT INTO cost VALUES(?, ?)");
  Statement insert(database_, "INSERT INTO step VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                              "?, ?, ?, ?, ?)");
  for (std::uint32_t i = 0; i < report_.steps.size(); ++i) {
    StepFacts const &step = report_.steps[i];
    insert.insert(i, static_cast<std::uint32_t>(step.kind), std::string(nameOf(step.kind)),
                  step.name, Optional{step.computeSet}, Optional{step.program}, step.cycles,
                  step.syncCycles, step.threadCycles, step.activeTiles, step.minCycles,
                  step.maxCycles, step.sumCycles, step.bytesOut, step.bytesIn,
                  Optional{step.liveness.position}, step.liveness.bytes, costOf(i, cost),
                  report_.hasExecution ? report_.execution.executions[i] : 0);
  }
}

POP_INLINE void ReportWriter::programs() {
  std::vector<bool> isFunction(report_.programs.size());
  for (std::uint32_t const index : report_.functions)
    isFunction[index] = true;
  Statement insert(database_, "INSERT INTO program VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::uint32_t i = 0; i < report_.programs.size(); ++i) {
    ProgramFacts const &program = report_.programs[i];
    insert.insert(i, static_cast<std::uint32_t>(program.kind),
                  std::string(program::kindName(program.kind)), program.name,
                  Optional{program.parent}, Optional{program.callee}, program.count,
                  bool{isFunction[i]}, Blob{packed(program.steps)},
                  Blob{report_.hasLoweredVariables ? packed(program.variables)
                                                   : packed(std::vector<std::uint32_t>())});
  }
}

POP_INLINE void ReportWriter::execution() {
  ExecutionFacts const &execution = report_.execution;
  Statement run(database_, "INSERT INTO run VALUES(?, ?, ?, ?, ?, ?)");
  for (std::uint32_t i = 0; i < execution.runs.size(); ++i) {
    RunFacts const &facts = execution.runs[i];
    run.insert(i, facts.name, facts.beginCycle, facts.endCycle, facts.firstGroup, facts.numGroups);
  }
  Statement trace(database_, "INSERT INTO trace VALUES(?, ?)");
  auto const list = [&](char const *name, auto const &elements, auto &&number) {
    trace.insert(std::string(name), columns(elements, number));
  };
  list("steps", execution.trace.runs, [](auto const &entry) { return entry.step; });
  list("counts", execution.trace.runs, [](auto const &entry) { return entry.count; });
  list("firsts", execution.trace.groups, [](auto const &group) { return group.first; });
  list("lengths", execution.trace.groups, [](auto const &group) { return group.length; });
  list("repeats", execution.trace.groups, [](auto const &group) { return group.repeats; });
}

} // namespace cottonwood::profile::detail

namespace cottonwood::profile {

POP_INLINE bool writeReport(std::string const &path, ReportData const &report) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error)
    detail::cannotWrite(path, error.message());
  // Whoever reads the file meanwhile sees the old one or the new one.
  std::string const unfinished = base::unfinishedName(path);
  try {
    Database database(unfinished, Database::Mode::Create);
    detail::ReportWriter(database, report).run();
  } catch (DatabaseError const &failure) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    detail::cannotWrite(path, failure.what());
  }
  fs::rename(unfinished, path, error);
  if (error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    detail::cannotWrite(path, error.message());
  }
  return true;
}

} // namespace cottonwood::profile

#endif
