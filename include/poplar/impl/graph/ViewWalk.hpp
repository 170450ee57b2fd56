#pragma once
// Enumerating what a box shows in variables: in order, or in any order.

#include <poplar/impl/graph/ViewNode.hpp>

namespace cottonwood::graph {

/// Hands boxes over variables to `sink`, whose concatenation is the sequence of `box`. As few as
/// the structure allows without looking ahead. \returns false if the sink stopped.
POP_API bool walk(Box const &box, BoxSink &sink);

/// Hands boxes over variables to `sink` that together show the locations of `box`, in any order.
/// Their strides are positive and do not increase; a box is far more than a run: rows and columns
/// of stages are not enumerated. Sets `repeats` if a stride of 0 was left out, so that the boxes
/// show each location less often than `box`. \returns false if the sink stopped.
POP_API bool cover(Box box, BoxSink &sink, bool &repeats);

/// Equal sequences of locations; both have `count` > 0 elements.
bool sameSequence(Box const &a, Box const &b, std::uint64_t count);

} // namespace cottonwood::graph
