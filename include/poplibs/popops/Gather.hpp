#include <popops/impl/Config.hpp>
#ifndef POPOPS_GATHER_HPP
#define POPOPS_GATHER_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <vector>

// Gathering slices. Options are those of popops/DynamicSlice.hpp, of which these have a meaning
// here: remapOutOfBoundIndices, paddingIndexUsed, validateIndices. Indices out of range that are
// not remapped give zeros; a slice that goes beyond the end of its dimension continues at the
// beginning.
//
// All throw poplar::invalid_option on bad options and poputil::poplibs_error on arguments that do
// not fit.

namespace popops {

struct POP_API GatherParams {
  std::size_t maxElementsPerTile = 65535; ///< no effect: nothing here is limited by it

  GatherParams() = default;
  GatherParams(std::size_t maxElementsPerTile_) : maxElementsPerTile(maxElementsPerTile_) {}
};

/// An input for gather() along `axis`. \returns operandShape
POP_API poplar::Tensor createGatherInput(poplar::Graph &graph, poplar::Type const &type,
                                         std::vector<std::size_t> const &operandShape,
                                         unsigned axis, GatherParams params = {},
                                         poplar::DebugContext const &debugContext = {});

/// result[.., k, ..] = input[.., indices[k], ..] at dimension `axis`.
/// \param indices  UNSIGNED_INT of any shape; counted in row-major order.
/// \returns the shape of the input with indices.numElements() at axis
/// \throws poputil::poplibs_error  indices of another type, axis out of range
POP_API poplar::Tensor gather(poplar::Graph &graph, poplar::Tensor const &input,
                              poplar::Tensor const &indices, unsigned axis,
                              poplar::program::Sequence &prog, GatherParams params,
                              poplar::DebugContext const &debugContext = {},
                              poplar::OptionFlags const &optionFlags = {});

/// An input for gather() of slices. \returns inputShape
POP_API poplar::Tensor createGatherInput(poplar::Graph &graph, poplar::Type const &type,
                                         std::vector<std::size_t> const &inputShape,
                                         std::vector<std::size_t> const &sliceSizes,
                                         std::vector<unsigned> startIndexMap,
                                         poplar::DebugContext const &debugContext = {});

/// Slices of the input at index vectors, as XLA's Gather:
///
///     result[b.., o..] = input[start(b) + w(o)]
///
/// where start(b)[startIndexMap[k]] is element k of the index vector at batch position b, and w(o)
/// runs through a slice of sliceSizes.
/// \param indices             INT or UNSIGNED_INT: batch dimensions, and index vectors along
///                            indexVectorDim. With indexVectorDim = indices.rank() each element is
///                            an index vector of its own.
/// \param offsetDims          the dimensions of the result that are dimensions of the slice, in
///                            order; the others are those of the batch.
/// \param sliceSizes          one a dimension of the input
/// \param collapsedSliceDims  dimensions of the slice that are left out; their size is 1.
/// \param startIndexMap       the dimension of the input that each element of an index vector is
///                            for
/// \returns a tensor of rank offsetDims.size() + the number of batch dimensions
/// \throws poputil::poplibs_error  a slice size above its dimension, ranks and lengths that differ
POP_API poplar::Tensor
gather(poplar::Graph &graph, poplar::Tensor const &input, poplar::Tensor const &indices,
       std::size_t indexVectorDim, std::vector<std::size_t> const &offsetDims,
       std::vector<std::size_t> const &sliceSizes,
       std::vector<std::size_t> const &collapsedSliceDims,
       std::vector<unsigned> const &startIndexMap, poplar::program::Sequence &prog,
       poplar::DebugContext const &debugContext = {}, poplar::OptionFlags const &optionFlags = {});

} // namespace popops

#endif
