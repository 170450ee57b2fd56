// Profiles as trees of values: what Engine::getGraphProfile and getExecutionProfile give, and what
// the text of Summary.ipp is made of.
#pragma once

#include <poplar/ProfileValue.hpp>
#include <poplar/impl/profile/ReportData.hpp>

namespace cottonwood::profile {

namespace detail {
using Values = poplar::ProfileValue;
} // namespace detail

/// Lists by tile have one number a tile; bytes and cycles throughout.
poplar::ProfileValue graphProfile(ReportData const &report);

/// All zero if nothing was executed.
poplar::ProfileValue executionProfile(ReportData const &report);

} // namespace cottonwood::profile
