// Measuring cycles from inside a program.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_CYCLECOUNT_HPP
#define POPLAR_CYCLECOUNT_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace poplar {

class Graph;

/// Wraps prog: it will do what it does, and store the cycles that took.
/// A SyncType of GLOBAL waits for all replicas before each reading.
/// Cycles come from the modelled clock on IPU and IPU_MODEL targets, from host time on CPU targets.
/// \returns [2] UNSIGNED_INT on `tile`: the low and the high half of the 64-bit count.
POP_API Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType syncType,
                          DebugContext const &debugContext = {});

/// Appends a reading of a free-running 64-bit cycle counter to prog.
/// \returns [2] UNSIGNED_INT on `tile`: its low and high half. Differences between stamps are
/// meaningful.
POP_API Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile, SyncType syncType,
                          DebugContext const &debugContext = {});
/// One stamp a tile, in the order of `tiles`.
POP_API std::vector<Tensor> cycleStamp(Graph &graph, program::Sequence &prog,
                                       std::vector<unsigned> const &tiles, SyncType syncType,
                                       DebugContext const &debugContext = {});

} // namespace poplar

#endif
