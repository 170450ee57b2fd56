// The BSP program of tiled targets: steps with their costs. Nothing here changes what the host
// executes.
#pragma once

#include <poplar/impl/lower/Context.hpp>

#include <string_view>

namespace cottonwood::lower {

/// Adds the step of a copy from `src` to `dst` and returns its number; NONE on a CPU.
std::uint32_t addCopyStep(Context &context, graph::View const &src, graph::View const &dst,
                          std::string_view name);

/// Adds the step in which all replicas send `src` to another one's `dst`; NONE on a CPU.
std::uint32_t addCrossReplicaStep(Context &context, graph::View const &src, graph::View const &dst,
                                  std::string_view name);

/// Adds the step of a transfer between the host and `view`; NONE on a CPU.
std::uint32_t addStreamStep(Context &context, graph::View const &view, bool toDevice,
                            std::string_view name);

/// Adds the step of a Sync program; NONE on a CPU.
std::uint32_t addSyncStep(Context &context, std::string_view name);

/// The step that a branch or a turn of a loop costs, one for the whole program; NONE on a CPU.
std::uint32_t controlStep(Context &context);

} // namespace cottonwood::lower
