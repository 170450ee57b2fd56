// The orders in which plans for tiles lay channels out in memory.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>

#include <vector>

namespace cottonwood::poplin {

using ::poplar::Tensor;

/// A tensor [groups, ..., channels] as one row in the order [groups, groups of channels, ...,
/// channels of a group], or with several groups at a time [groups / convGroup, ..., convGroup,
/// channels].
Tensor inChannelOrder(Tensor const &t, std::size_t group, std::size_t convGroup);
/// Weights [groups, N, ...kernel, I] as one row in the order [groups, groups of N, groups of I,
/// ...kernel, N of a group, I of a group].
Tensor inWeightOrder(Tensor const &t, std::size_t outGroup, std::size_t inGroup);

/// New variables in these orders, in the shape that their callers use.
Tensor channelVariable(::poplar::Graph &graph, ::poplar::Type const &type,
                       std::vector<std::size_t> const &shape, std::size_t group,
                       std::size_t convGroup, ::poplar::DebugContext const &debugContext);
Tensor weightVariable(::poplar::Graph &graph, ::poplar::Type const &type,
                      std::vector<std::size_t> const &shape, std::size_t outGroup,
                      std::size_t inGroup, ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::poplin
