// What poplar/Engine.hpp prints from the files of ReportFile.hpp.
#pragma once

#include <poplar/impl/profile/ReportFile.hpp>

#include <poplar/Engine.hpp>
#include <poplar/impl/profile/Values.hpp>

namespace poplar {

POP_INLINE void printGraphSummary(std::ostream &out, std::string const &profilePath,
                                  OptionFlags const &opt) {
  namespace profile = cottonwood::profile;
  auto const report = profile::readReport("printGraphSummary", profilePath);
  printGraphSummary(out, profile::graphProfile(*report), opt);
}

POP_INLINE void printProfileSummary(std::ostream &out, std::string const &profilePath,
                                    OptionFlags const &opt) {
  namespace profile = cottonwood::profile;
  auto const report = profile::readReport("printProfileSummary", profilePath);
  printProfileSummary(out, profile::graphProfile(*report),
                      report->hasExecution ? profile::executionProfile(*report) : ProfileValue(),
                      opt);
}

} // namespace poplar
