// What impl/engine/Reports.hpp writes, and what poplar/Engine.hpp tells of executed programs.
#pragma once

#include <poplar/Engine.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/engine/Reports.hpp>
#include <poplar/impl/engine/Session.hpp>
#include <poplar/impl/profile/Intervals.hpp>
#include <poplar/impl/profile/ReportFile.hpp>
#include <poplar/impl/profile/Values.hpp>

namespace cottonwood::profile::detail {

POP_INLINE lower::ExecutableData const &profiled(engine::Session const &session) {
  if (session.executable().target.getTargetType() == poplar::TargetType::CPU)
    throw poplar::profiling_disabled();
  return session.executable();
}

} // namespace cottonwood::profile::detail

namespace cottonwood::engine {

POP_INLINE void writeReport(Reports const &reports, Session const &session) {
  auto report = profile::reportOf(session, reports.withExecution() && session.recorder());
  if (!reports.withVariables()) {
    report->hasLoweredVariables = false;
    report->variables.clear();
  }
  profile::writeReport(reports.path(), *report);
}

POP_INLINE void reportShortage(poplar::graph_memory_allocation_error &error,
                               lower::ExecutableData const &executable) {
  auto const report = profile::makeReport(executable);
  error.graphProfile = profile::graphProfile(*report);
  Reports const reports(executable, executable.options);
  if (!reports.wanted())
    return;
  try { // whatever else is wanted, the variables tell what takes the memory
    if (profile::writeReport(reports.path(), *report))
      error.profilePath = reports.path();
  } catch (poplar::poplar_error const &failure) { // the shortage is what counts
    base::logLine("PROFILER", base::LogLevel::Err, failure.what());
  }
}

} // namespace cottonwood::engine

namespace poplar {

POP_INLINE ProfileValue Engine::getGraphProfile() const {
  return cottonwood::profile::graphProfile(
      *cottonwood::profile::reportOf(sessionOf(session_, __func__), false));
}

POP_INLINE ProfileValue Engine::getExecutionProfile() const {
  return cottonwood::profile::executionProfile(
      *cottonwood::profile::reportOf(sessionOf(session_, __func__), true));
}

POP_INLINE ProfileValue Engine::getProfile() const {
  auto const report = cottonwood::profile::reportOf(sessionOf(session_, __func__), true);
  ProfileValue::Map map;
  map["graphProfile"] = cottonwood::profile::graphProfile(*report);
  map["executionProfile"] = cottonwood::profile::executionProfile(*report);
  return map;
}

POP_INLINE void Engine::reportIntervals(std::ostream &out) const {
  auto const &session = sessionOf(session_, __func__);
  auto const &executable = cottonwood::profile::detail::profiled(session);
  auto const *recorder = session.recorder();
  if (!recorder)
    cottonwood::base::fail<missing_profile_data>(
        "Engine::reportIntervals", "nothing was executed; call load(device) and run() first");
  if (!recorder->isTracing())
    cottonwood::base::fail<missing_profile_data>(
        "Engine::reportIntervals",
        "the order of steps is not recorded; set the engine option debug.instrument to true");
  cottonwood::profile::printIntervals(out, executable, *recorder);
}

} // namespace poplar
