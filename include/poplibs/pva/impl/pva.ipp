// Bodies of <pva/pva.hpp>, and of Engine::getReport.
#pragma once

#include <pva/pva.hpp>

#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/profile/ReportData.hpp>
#include <poplar/impl/profile/ReportFile.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

namespace pva::detail {

/// Empty if there is no such option.
POP_INLINE std::string optionOf(ReportHandle const &report, char const *name) {
  for (auto const &option : report->options)
    if (option.first == name)
      return option.second;
  return {};
}

} // namespace pva::detail

namespace pva {

POP_INLINE PoplarVersion::PoplarVersion(std::string text, std::string packageHash)
    : text_(std::move(text)), packageHash_(std::move(packageHash)), numbers_{} {
  std::sscanf(text_.c_str(), "%u.%u.%u", &numbers_[0], &numbers_[1], &numbers_[2]);
}

POP_INLINE PoplarVersion Report::poplarVersion() const {
  return PoplarVersion(report_->poplarVersion, report_->packageHash);
}
POP_INLINE ProfileReportVersion Report::version() const {
  return ProfileReportVersion(cottonwood::profile::FILE_VERSION, 0, 0);
}
POP_INLINE InstrumentationSettings Report::instrumentationSettings() const {
  using Compute = InstrumentationSettings::Compute;
  using External = InstrumentationSettings::ExternalExchange;
  bool const all = detail::optionOf(report_, "debug.instrument") == "true";
  auto const isOn = [&](char const *name) {
    return all || detail::optionOf(report_, name) == "true";
  };
  static constexpr std::pair<char const *, Compute> LEVELS[] = {{"vertex", Compute::Vertex},
                                                                {"tile", Compute::Tile},
                                                                {"ipu", Compute::Ipu},
                                                                {"device", Compute::Device}};
  Compute compute = Compute::Off;
  if (isOn("debug.instrumentCompute")) {
    compute = Compute::Unknown;
    for (auto const &[name, level] : LEVELS)
      if (detail::optionOf(report_, "debug.computeInstrumentationLevel") == name)
        compute = level;
  }
  return {compute, isOn("debug.instrumentExternalExchange") ? External::Tile : External::Off};
}
POP_INLINE std::string Report::name() const { return report_->engineName; }
POP_INLINE std::vector<std::pair<std::string, std::string>> Report::plans() const {
  return report_->plans;
}

POP_INLINE std::vector<std::pair<std::string, std::string>> Report::options() const {
  return report_->options;
}
POP_INLINE bool Report::hasExecution() const { return report_->hasExecution; }
POP_INLINE ExecutionReport Report::execution() const {
  if (!report_->hasExecution)
    cottonwood::base::fail<poplar::missing_profile_data>(
        "pva::Report::execution",
        "the report tells of the graph alone; the engine option "
        "autoReport.outputExecutionProfile adds what was executed, and so "
        "does Engine::getReport(true)");
  return ExecutionReport(report_);
}

POP_INLINE OperationAnalysis::OperationAnalysis(Report const &report) {
  std::map<std::string, std::vector<Step>> byName;
  for (Step const &step : report.compilation().steps()) {
    std::string const name = step.name();
    std::size_t const slash = name.rfind('/');
    byName[slash == std::string::npos ? name : name.substr(0, slash)].push_back(step);
  }
  for (auto &[name, steps] : byName)
    operations_.emplace_back(name, std::move(steps));
}

POP_INLINE Report openReport(std::string const &filename) {
  return Report(cottonwood::profile::readReport("pva::openReport", filename));
}

POP_INLINE Report openReport(std::string const &filename, std::string const &) {
  return openReport(filename);
}

} // namespace pva

namespace poplar {

POP_INLINE pva::Report Engine::getReport(bool reportExecution) const {
  return pva::Report(cottonwood::profile::reportOf(*session_, reportExecution));
}

} // namespace poplar
