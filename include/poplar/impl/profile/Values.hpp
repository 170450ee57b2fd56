// Profiles as trees of values: what Engine::getGraphProfile and getExecutionProfile give, what the
// text of Summary.ipp is made of, and what a profile file holds.
#pragma once

#include <poplar/ProfileValue.hpp>
#include <poplar/impl/engine/StepRecorder.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <string>
#include <vector>

namespace cottonwood::profile {

namespace detail {
using Values = poplar::ProfileValue;
} // namespace detail

poplar::ProfileValue graphProfile(lower::ExecutableData const &executable);

/// \param recorder  null: nothing was executed.
poplar::ProfileValue executionProfile(lower::ExecutableData const &executable,
                                      engine::StepRecorder const *recorder,
                                      std::vector<std::string> const &runNames);

} // namespace cottonwood::profile
