#include <popops/impl/Config.hpp>
#ifndef POPOPS_SCATTER_HPP
#define POPOPS_SCATTER_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <functional>
#include <vector>

// Writing slices at indices into an operand, as XLA's Scatter:
//
//     operand[start(b) + w] = f(operand[start(b) + w], updates at batch position b and window w)
//
// for all b one after another in row-major order, where start(b)[scatterDimsToOperandDims[k]] is
// element k of the index vector at b.
//
//   operand           updated in place
//   indices           INT or UNSIGNED_INT: batch dimensions, and index vectors along
//   indexVectorDim;
//                     with indexVectorDim = indices.rank() each element is a vector of its own
//   updates           the dimensions updateWindowDims are those of a window, in order; the others
//                     are the batch dimensions of the indices, in order. Without elements nothing
//                     happens.
//   insertWindowDims  dimensions of the operand in which windows have size 1 and updates no
//                     dimension
//
// An index that is out of range changes nothing, nor does a window that is partly out of range;
// with remapOutOfBoundIndices either goes to 0. Updates and indices may overlap the operand: they
// are read before it is written. Options are those of popops/DynamicSlice.hpp:
// remapOutOfBoundIndices, paddingIndexUsed and validateIndices have a meaning here.
//
// Both throw poputil::poplibs_error on shapes, dimensions and types that do not fit, and
// poplar::invalid_option on bad options.

namespace popops {

/// f is the update: of windows that overlap the last one stays.
POP_API void scatter(poplar::Graph &graph, poplar::Tensor const &operand,
                     poplar::Tensor const &indices, poplar::Tensor const &updates,
                     std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
                     std::vector<std::size_t> insertWindowDims,
                     std::vector<unsigned> scatterDimsToOperandDims,
                     poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},
                     poplar::OptionFlags const &optionFlags = {});

/// f(graph, slice of the operand, slice of the updates, program): both have the operand's rank; f
/// appends to the program and returns a tensor of the same shape.
using UpdateComputationFunc = std::function<poplar::Tensor(
    poplar::Graph &, poplar::Tensor &, poplar::Tensor &, poplar::program::Sequence &)>;

/// \param updateComputation  not empty; called once, if there are updates
POP_API void scatter(poplar::Graph &graph, poplar::Tensor const &operand,
                     poplar::Tensor const &indices, poplar::Tensor const &updates,
                     std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
                     std::vector<std::size_t> insertWindowDims,
                     std::vector<unsigned> scatterDimsToOperandDims,
                     UpdateComputationFunc &updateComputation, poplar::program::Sequence &prog,
                     poplar::DebugContext const &debugContext = {},
                     poplar::OptionFlags const &optionFlags = {});

} // namespace popops

#endif
