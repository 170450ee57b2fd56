// Body of the reports of poplar/Engine.hpp.
#pragma once

#include <poplar/Engine.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/OptionReader.hpp>
#include <poplar/impl/engine/Session.hpp>
#include <poplar/impl/profile/Summary.hpp>

namespace poplar {

POP_INLINE void Engine::printProfileSummary(std::ostream &out, OptionFlags const &opt) {
  cottonwood::profile::SummaryOptions options;
  bool ignored = false;
  cottonwood::base::OptionReader reader("Engine::printProfileSummary", opt);
  reader.flag("showExecutionSteps", options.executionSteps);
  reader.flag("showVarStorage", options.varStorage);
  for (char const *const name : {"showPerIpuMemoryUsage", "showOptimizations", "colours"})
    reader.flag(name, ignored);
  reader.finish();
  cottonwood::lower::ExecutableData const &executable = session_->executable();
  if (executable.target.getTargetType() == TargetType::CPU)
    throw profiling_disabled();
  cottonwood::profile::printSummary(out, executable, session_->recorder(), session_->runNames(),
                                    options);
}

} // namespace poplar
