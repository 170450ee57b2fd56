#include <popops/impl/Config.hpp>
#ifndef POPOPS_SEQUENCE_SLICE_HPP
#define POPOPS_SEQUENCE_SLICE_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// Copies runs of rows: for each i, one after another,
///
///     tOut[tOutOffset[i] + j] = tIn[tInOffset[i] + j]   for j in [0, tN[i])
///
/// Rows before or behind a tensor's end are left out.
/// \param tIn, tOut  of rank 2 or more and the same type, with as many elements in a row
/// \param tN, tInOffset, tOutOffset  [n] UNSIGNED_INT or INT; runs of length 0 may stand anywhere
/// \param zeroUnused  rows of tOut that no run covers become zeros; else they stay.
/// \throws poplar::graph_connection_error  other ranks, shapes or types; tOut has aliases or
///         constants
POP_API void sequenceSlice(poplar::Graph &graph, poplar::Tensor const &tIn,
                           poplar::Tensor const &tOut, poplar::Tensor const &tN,
                           poplar::Tensor const &tInOffset, poplar::Tensor const &tOutOffset,
                           bool zeroUnused, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
