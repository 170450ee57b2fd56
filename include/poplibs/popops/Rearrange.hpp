#include <popops/impl/Config.hpp>
#ifndef POPOPS_REARRANGE_HPP
#define POPOPS_REARRANGE_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poputil/VarStructure.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

// Changes of layout: the elements stay, where they lie changes.

namespace popops {
namespace rearrange {

/// Whether addTransposeVertices is the fast way to transpose matrices of that type and size: for
/// elements of 2 bytes multiples of 4 each way, for those of 1 byte of 8, for those of 4 of 2.
/// False for other types and if there is nothing to transpose.
POP_API bool canUseFastTranspose(poplar::Target const &target, poplar::Type const &type,
                                 unsigned numRows, unsigned numColumns, unsigned numTranspositions);

/// Adds vertices that transpose matrices.
/// \param dType    of all tensors.
/// \param rows, cols  of the matrices before.
/// \param mapping  for each tile the numbers of the matrices that it transposes.
/// \param getInOut for the number of a matrix: what to read, of rows x cols elements in row-major
/// order, and what to write, of as many.
/// \throws poputil::poplibs_error  a tensor has another type or number of elements, or getInOut is
/// empty.
POP_API void addTransposeVertices(
    poplar::Graph &graph, poplar::ComputeSet const &cs, poplar::Type const &dType, unsigned rows,
    unsigned cols, poplar::Graph::TileToTensorMapping const &mapping,
    std::function<std::pair<poplar::Tensor const, poplar::Tensor const>(std::size_t)> getInOut,
    poplar::DebugContext const &debugContext = {});

/// A new tensor with the two innermost dimensions swapped, whatever the view: [..., r, c] to
/// [..., c, r]; written by vertices added to cs.
/// \throws poputil::poplibs_error  an invalid tensor or a rank below 2.
POP_API poplar::Tensor partialTranspose(poplar::Graph &graph, poplar::Tensor const &in,
                                        poplar::ComputeSet const &cs,
                                        poplar::DebugContext const &debugContext = {});

/// Groups smaller than this are not worth regrouping: 8 for QUARTER, 4 for types of 2 bytes, 2 for
/// FLOAT, INT and UNSIGNED_INT, else 1.
POP_API unsigned getMinimumRegroupGrainSize(poplar::Type const &type);

/// The elements of t in a layout in which groups of to.second neighbours along dimension to.first
/// lie together. `from` is the grouping of t. The copies are appended to `copies`; nothing is added
/// to transposeCS, which the caller executes after them.
/// \returns  of the shape of t.
/// \throws poputil::poplibs_error  t is invalid; a grouping is of no dimension of it or does not
/// divide it.
POP_API poplar::Tensor
regroupTensor(poplar::Graph &graph, poplar::Tensor const &t, poplar::program::Sequence &copies,
              poplar::ComputeSet const &transposeCS, poputil::GroupingInfo const &from,
              poputil::GroupingInfo const &to, poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor regroupTensor(poplar::Graph &graph, poplar::Tensor const &t,
                                     std::vector<poplar::program::Copy> &copies,
                                     poplar::ComputeSet const &transposeCS,
                                     poputil::GroupingInfo const &from,
                                     poputil::GroupingInfo const &to,
                                     poplar::DebugContext const &debugContext = {});

/// The same if `to` fits t and t is not in that layout yet; else t.
/// \throws poputil::poplibs_error  t is invalid.
POP_API poplar::Tensor regroupIfPossible(poplar::Graph &graph, poplar::Tensor const &t,
                                         poplar::program::Sequence &prog,
                                         poputil::GroupingInfo const &to,
                                         poplar::DebugContext const &debugContext = {});

/// Regroups `in` as `ref` is grouped if that makes copies from one to the other faster: both have
/// groups of at least the minimum grain size, along different dimensions; else returns `in`.
/// \param ref  of the shape of `in`.
/// \throws poputil::poplibs_error  `in` or `ref` is invalid.
POP_API poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, poplar::Tensor const &in,
                                           poplar::Tensor const &ref,
                                           poplar::program::Sequence &prog,
                                           poplar::DebugContext const &debugContext = {});
POP_API poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, poplar::Tensor const &in,
                                           poplar::Tensor const &ref,
                                           std::vector<poplar::program::Copy> &copies,
                                           poplar::ComputeSet transposeCS,
                                           poplar::DebugContext const &debugContext = {});
/// The same for groups of preferredGrouping along the innermost dimension.
POP_API poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, poplar::Tensor const &in,
                                           std::size_t preferredGrouping,
                                           poplar::program::Sequence &prog,
                                           poplar::DebugContext const &debugContext = {});

} // namespace rearrange
} // namespace popops

#endif
