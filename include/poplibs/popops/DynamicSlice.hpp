#include <popops/impl/Config.hpp>
#ifndef POPOPS_DYNAMIC_SLICE_HPP
#define POPOPS_DYNAMIC_SLICE_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poputil/DebugInfo.hpp>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

// Slices at offsets that are known only when the program runs.
//
// Of a tensor t, `dims` are the sliced dimensions and sizes[k] the extent of a slice in dims[k].
// With offsets o[k] a slice is
//
//     s[i...] = t[i'...],  i'[dims[k]] = (o[k] + i[dims[k]]) mod t.dim(dims[k]),  i' = i elsewhere
//
// Offsets are UNSIGNED_INT, or INT, which is taken for UNSIGNED_INT. An offset that is not below
// the size of its dimension is out of range: slicing gives zeros for it, updating leaves t alone.
//
// Tensors of any mapping do. What the create functions lay out needs least exchange: a tile holds
// whole sliced dimensions, or with a plan, the part that the plan gives it.
//
// Functions that take a SlicePlan return the same with and without one. Options of all functions
// that take options:
//
//   usedForSlice, usedForUpdate     bool, true          what a plan is for; not both false
//   operationForUpdate              none|add|max|mul, add
//   partialType                     half|float|none, none: float adds up rows of halves in FLOAT
//                                   and rounds each once, at the price of a copy of the table
//   availableMemoryProportion       number above 0 and at most 1, 0.6: of a tile's memory, for
//                                   temporary data of a plan
//   indicesDistribution             uniform|onePoint, uniform: what a plan for updates expects,
//                                   rows used alike or one row used by all offsets
//   indicesAreSorted                bool, false: no effect, see docs/options.md
//   validateIndices                 bool, false: stop the program when an offset is out of range:
//                                   Engine::run throws poplar::application_runtime_error with the
//                                   largest offset; ignored with remapOutOfBoundIndices
//   remapOutOfBoundIndices          bool, false: offsets out of range are taken for 0
//   paddingIndexUsed                bool, false: an offset equal to the size of the dimension
//                                   reads zeros and updates nothing, even when others are remapped
//   planConstraints                 JSON object, {}: forces fields of a plan; unsigned
//                                   lookupSerialSplit, lookupParallelSplit, slicedDimSplit,
//                                   unslicedDimSplit, unslicedGrainSize, groupSplit,
//                                   precopyBaseWhenSerialSlice; boolean useOrderingInfo
//   internal.alwaysIncludeBaseRearrangementCost   bool, true
//
// All throw poplar::invalid_option on an unknown option or a bad value, poputil::poplibs_error on
// an unknown constraint, on dims and sizes of different lengths and on what the functions name, and
// poplar::graph_connection_error on a dimension that is listed twice or does not exist, and on a
// size above that of its dimension.

namespace poplar {
class Tensor;
} // namespace poplar

namespace popops {

class SlicePlanInternal;
class SlicePlan;

} // namespace popops

namespace poputil {
template <> POP_API poplar::ProfileValue toProfileValue(popops::SlicePlan const &p);
} // namespace poputil

namespace popops {

/// How lookups in a table, and its updates, are spread over tiles: what embedding::plan returns. A
/// default-constructed one is the null plan, which leaves the choice to the functions.
class POP_API SlicePlan {
public:
  SlicePlan();
  ~SlicePlan();
  SlicePlan(SlicePlan const &other);
  SlicePlan(SlicePlan &&other);
  SlicePlan &operator=(SlicePlan const &other);
  SlicePlan &operator=(SlicePlan &&other);

  friend POP_API std::ostream &operator<<(std::ostream &o, SlicePlan const &p);
  friend POP_API bool operator<(SlicePlan const &a, SlicePlan const &b) noexcept;
  friend POP_API bool operator==(SlicePlan const &a, SlicePlan const &b) noexcept;
  friend poplar::ProfileValue poputil::toProfileValue<>(SlicePlan const &p);

  // Opaque.
  SlicePlan(std::unique_ptr<SlicePlanInternal> internal);
  SlicePlanInternal &getImpl() const { return *internal; }

private:
  std::unique_ptr<SlicePlanInternal> internal;
};

/// Some order of plans; the null plan comes first.
POP_API bool operator<(SlicePlan const &a, SlicePlan const &b) noexcept;
POP_API bool operator==(SlicePlan const &a, SlicePlan const &b) noexcept;
POP_API bool operator!=(SlicePlan const &a, SlicePlan const &b) noexcept;
/// One line.
POP_API std::ostream &operator<<(std::ostream &o, SlicePlan const &p);

// Creating operands

/// A tensor to be sliced in `dims`: each tile holds these dimensions whole, for its share of the
/// other dimensions. Without `dims`, or without elements, the mapping is linear.
/// \param minGrainSize  elements of the other dimensions that stay together on a tile; 0: 8 bytes.
/// \returns `shape`
POP_API poplar::Tensor createSliceableTensor(poplar::Graph &graph, poplar::Type const &type,
                                             std::vector<std::size_t> const &shape,
                                             std::vector<std::size_t> const &dims,
                                             std::vector<std::size_t> const &sizes,
                                             std::size_t minGrainSize = 0,
                                             poplar::DebugContext const &debugContext = {});
/// The same as the plan lays it out: parts of the sliced dimension may be on different tiles.
/// \throws poputil::poplibs_error  `plan` is for other than one sliced dimension, of another size
POP_API poplar::Tensor createSliceableTensor(poplar::Graph &graph, poplar::Type const &type,
                                             std::vector<std::size_t> const &shape,
                                             std::vector<std::size_t> const &dims,
                                             std::vector<std::size_t> const &sizes,
                                             SlicePlan const &plan,
                                             poplar::OptionFlags const &options,
                                             poplar::DebugContext const &debugContext = {});
/// \returns [groupSize] + shape
/// \throws poputil::poplibs_error  the plan is null or for another number of groups
POP_API poplar::Tensor createGroupedSliceableTensor(
    poplar::Graph &graph, poplar::Type const &type, std::size_t const groupSize,
    std::vector<std::size_t> const &shape, std::vector<std::size_t> const &dims,
    std::vector<std::size_t> const &sizes, SlicePlan const &plan,
    poplar::OptionFlags const &options, poplar::DebugContext const &debugContext = {});

/// Slices of t, mapped where t is.
/// \returns [numIndices] + the shape of a slice
POP_API poplar::Tensor createSliceTensor(poplar::Graph &graph, poplar::Tensor const &t,
                                         std::vector<std::size_t> const &dims,
                                         std::vector<std::size_t> const &sizes,
                                         std::size_t numIndices,
                                         poplar::DebugContext const &debugContext = {});
/// Slices of a tensor of that shape that the plan lays out.
POP_API poplar::Tensor createSliceTensor(poplar::Graph &graph, poplar::Type const &type,
                                         std::vector<std::size_t> const &shape,
                                         std::vector<std::size_t> const &dims,
                                         std::vector<std::size_t> const &sizes,
                                         std::size_t numIndices, SlicePlan const &plan,
                                         poplar::OptionFlags const &options,
                                         poplar::DebugContext const &debugContext = {});
/// \returns [groupSize, numIndices] + the shape of a slice
POP_API poplar::Tensor createGroupedSliceTensor(
    poplar::Graph &graph, poplar::Type const &type, std::size_t const groupSize,
    std::vector<std::size_t> const &shape, std::vector<std::size_t> const &dims,
    std::vector<std::size_t> const &sizes, std::size_t const numIndices, SlicePlan const &plan,
    poplar::OptionFlags const &options, poplar::DebugContext const &debugContext = {});

/// \returns [numIndices, dims.size()] UNSIGNED_INT
POP_API poplar::Tensor createIndicesTensor(poplar::Graph &graph,
                                           std::vector<std::size_t> const &dims,
                                           std::size_t numIndices, SlicePlan const &plan,
                                           poplar::OptionFlags const &options,
                                           poplar::DebugContext const &debugContext = {});
/// \returns [groupSize, numIndices, dims.size()] UNSIGNED_INT
POP_API poplar::Tensor createGroupedIndicesTensor(poplar::Graph &graph, std::size_t const groupSize,
                                                  std::vector<std::size_t> const &dims,
                                                  std::size_t const numIndices,
                                                  SlicePlan const &plan,
                                                  poplar::OptionFlags const &options,
                                                  poplar::DebugContext const &debugContext = {});

/// A tensor of which s is one slice: dimension dims[k] has numSlices[k] times the size of s. Mapped
/// so that all slices lie where s does.
POP_API poplar::Tensor createSliceableTensorFromSlice(
    poplar::Graph &graph, poplar::Tensor const &s, std::vector<std::size_t> const &dims,
    std::vector<std::size_t> const &numSlices, poplar::DebugContext const &debugContext = {});

// One slice

/// \param offset  [dims.size()] or [dims.size(), n], of which column 0 counts.
/// \returns a new tensor, t's shape with sizes[k] at dims[k]; without dims, t itself.
/// \throws poputil::poplibs_error  offset.dim(0) is not dims.size(), or its type is not an integer
POP_API poplar::Tensor
dynamicSlice(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &offset,
             std::vector<std::size_t> const &dims, std::vector<std::size_t> const &sizes,
             poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {},
             poplar::OptionFlags const &options = {});
/// A tensor for dynamicSliceWithOutput.
POP_API poplar::Tensor createDynamicSliceOutput(poplar::Graph &graph, poplar::Tensor const &t,
                                                poplar::Tensor const &offset,
                                                std::vector<std::size_t> const &dims,
                                                std::vector<std::size_t> const &sizes,
                                                poplar::DebugContext const &debugContext = {},
                                                poplar::OptionFlags const &options = {});
/// \throws poplar::graph_connection_error  `output` has another shape or type than the slice
/// \throws poputil::poplibs_error  elements of `output` are constant or the same
POP_API void dynamicSliceWithOutput(poplar::Graph &graph, poplar::Tensor const &output,
                                    poplar::Tensor const &t, poplar::Tensor const &offset,
                                    std::vector<std::size_t> const &dims,
                                    std::vector<std::size_t> const &sizes,
                                    poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext = {},
                                    poplar::OptionFlags const &options = {});
/// The tile mapping of what dynamicSlice returns.
POP_API poplar::Graph::TileToTensorMapping getSliceMapping(poplar::Graph &graph,
                                                           poplar::Tensor const &t,
                                                           std::vector<std::size_t> const &dims,
                                                           std::vector<std::size_t> const &sizes);
/// Writes s to the slice of t at `offset`.
/// \param s  the shape of the slice. Without dims all of t is overwritten; with a size of 0
///           nothing happens.
/// \throws poplar::graph_connection_error  s has another shape or type than the slice
/// \throws poputil::poplibs_error  elements of t are constant or the same
POP_API void dynamicUpdate(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,
                           poplar::Tensor const &offset, std::vector<std::size_t> const &dims,
                           std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,
                           poplar::DebugContext const &debugContext = {},
                           poplar::OptionFlags const &options = {});

// Several slices
//
// All of them: \throws poputil::poplibs_error  offsets is not of rank 2 (grouped: 3), its last
// dimension is not dims.size(), its type is not INT or UNSIGNED_INT, shapes do not fit, a plan is
// for a table of other sizes; grouped: the plan is null or for another number of groups; updates:
// elements of t are constant or the same.

/// \param offsets  [N, dims.size()]
/// \returns [N] + the shape of a slice: result[n] is the slice at offsets[n].
POP_API poplar::Tensor
multiSlice(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &offsets,
           std::vector<std::size_t> const &dims, std::vector<std::size_t> const &sizes,
           poplar::program::Sequence &prog, SlicePlan const &plan,
           poplar::OptionFlags const &options, poplar::DebugContext const &debugContext = {});
/// \param t        [G] + shape, `dims` count the dimensions of the shape
/// \param offsets  [G, N, dims.size()]
/// \returns [G, N] + the shape of a slice
POP_API poplar::Tensor groupedMultiSlice(poplar::Graph &graph, poplar::Tensor const &t,
                                         poplar::Tensor const &offsets,
                                         std::vector<std::size_t> const &dims,
                                         std::vector<std::size_t> const &sizes,
                                         poplar::program::Sequence &prog, SlicePlan const &plan,
                                         poplar::OptionFlags const &options,
                                         poplar::DebugContext const &debugContext = {});
/// Slices of one index of dimension `dim`, at offsets known now.
/// \returns a new tensor, [offsets.size()] + t's shape with 1 at dim
/// \throws poputil::poplibs_error  an offset is out of range and is neither remapped nor padding
POP_API poplar::Tensor multiSlice(poplar::Graph &graph, poplar::Tensor const &t,
                                  poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext = {},
                                  poplar::OptionFlags const &optionFlags = {});

/// Writes s[n] to the slice of t at offsets[n]; where slices overlap the last one stays.
/// \param s  [N] + the shape of a slice
/// \throws poputil::poplibs_error  the plan was made for updates with an operation and splits the
///         lookups
POP_API void multiUpdate(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,
                         poplar::Tensor const &offsets, std::vector<std::size_t> const &dims,
                         std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,
                         SlicePlan const &plan, poplar::OptionFlags const &options,
                         poplar::DebugContext const &debugContext = {});
/// \param t, s, offsets  with a first dimension of groups, as in groupedMultiSlice
POP_API void groupedMultiUpdate(poplar::Graph &graph, poplar::Tensor const &t,
                                poplar::Tensor const &s, poplar::Tensor const &offsets,
                                std::vector<std::size_t> const &dims,
                                std::vector<std::size_t> const &sizes,
                                poplar::program::Sequence &prog, SlicePlan const &plan,
                                poplar::OptionFlags const &options,
                                poplar::DebugContext const &debugContext = {});

// Rows combined with slices, one after another in the order of the offsets:
//
//     Add: t[o[n]] += scale * s[n]    Max: t[o[n]] = max(t[o[n]], s[n])    Mul: t[o[n]] *= s[n]
//
// t is [entries, columns] (grouped: [G, entries, columns]) of type FLOAT, HALF, INT or
// UNSIGNED_INT, s [N, 1, columns] of the same type, dims {0} and sizes {1}. The scale is one
// element of t's type, or FLOAT for HALF. HALF is computed in float and rounded once an offset.
// \throws poputil::poplibs_error  other types, ranks, dims or sizes

POP_API void multiUpdateAdd(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,
                            poplar::Tensor const &offsets, poplar::Tensor const &scale,
                            std::vector<std::size_t> const &dims,
                            std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,
                            SlicePlan const &plan, poplar::OptionFlags const &options,
                            poplar::DebugContext const &debugContext = {});
POP_API void groupedMultiUpdateAdd(poplar::Graph &graph, poplar::Tensor const &t,
                                   poplar::Tensor const &s, poplar::Tensor const &offsets,
                                   poplar::Tensor const &scale,
                                   std::vector<std::size_t> const &dims,
                                   std::vector<std::size_t> const &sizes,
                                   poplar::program::Sequence &prog, SlicePlan const &plan,
                                   poplar::OptionFlags const &options,
                                   poplar::DebugContext const &debugContext = {});
/// At offsets known now, in dimension `dim` of a t of any rank.
/// \param s  [offsets.size()] + t's shape with 1 at dim
/// \throws poputil::poplibs_error  an offset is out of range and is neither remapped nor padding
POP_API void multiUpdateAdd(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,
                            poplar::ArrayRef<unsigned> offsets, poplar::Tensor const &scale,
                            std::size_t dim, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext = {},
                            poplar::OptionFlags const &optionFlags = {});
POP_API void multiUpdateMax(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,
                            poplar::Tensor const &offsets, std::vector<std::size_t> const &dims,
                            std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,
                            SlicePlan const &plan, poplar::OptionFlags const &options,
                            poplar::DebugContext const &debugContext = {});
POP_API void groupedMultiUpdateMax(poplar::Graph &graph, poplar::Tensor const &t,
                                   poplar::Tensor const &s, poplar::Tensor const &offsets,
                                   std::vector<std::size_t> const &dims,
                                   std::vector<std::size_t> const &sizes,
                                   poplar::program::Sequence &prog, SlicePlan const &plan,
                                   poplar::OptionFlags const &options,
                                   poplar::DebugContext const &debugContext = {});
POP_API void multiUpdateMul(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,
                            poplar::Tensor const &offsets, std::vector<std::size_t> const &dims,
                            std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,
                            SlicePlan const &plan, poplar::OptionFlags const &options,
                            poplar::DebugContext const &debugContext = {});
POP_API void groupedMultiUpdateMul(poplar::Graph &graph, poplar::Tensor const &t,
                                   poplar::Tensor const &s, poplar::Tensor const &offsets,
                                   std::vector<std::size_t> const &dims,
                                   std::vector<std::size_t> const &sizes,
                                   poplar::program::Sequence &prog, SlicePlan const &plan,
                                   poplar::OptionFlags const &options,
                                   poplar::DebugContext const &debugContext = {});

namespace embedding {

/// A plan for lookups in tables [numEntries, outputSize], with dims {0} and sizes {1}, and for
/// updates of such tables.
/// \param numLookups  the numbers of offsets to expect: the largest counts; empty: 1.
/// \throws poputil::poplibs_error  neither usedForSlice nor usedForUpdate; partialType half with
///         FLOAT; lookupSerialSplit above 1 forced for overwriting updates; more than 2^40 elements
POP_API SlicePlan plan(poplar::Graph const &graph, poplar::Type const &dataType,
                       std::size_t const numEntries, std::size_t const outputSize,
                       std::vector<std::size_t> const &numLookups,
                       poplar::OptionFlags const &options);
/// For groupSize tables side by side.
POP_API SlicePlan plan(poplar::Graph const &graph, poplar::Type const &dataType,
                       std::size_t const groupSize, std::size_t const numEntries,
                       std::size_t const outputSize, std::vector<std::size_t> const &numLookups,
                       poplar::OptionFlags const &options);

/// Arguments of plan().
struct SlicePlanningParameters {
  poplar::Graph const &graph;
  poplar::Type const dataType;
  std::size_t const groupSize = 1;
  std::size_t const numEntries;
  std::size_t const outputSize;
  std::vector<std::size_t> const numLookups;
  poplar::OptionFlags const optionFlags;

  SlicePlanningParameters(poplar::Graph const &graph_, poplar::Type const &dataType_,
                          std::size_t const groupSize_, std::size_t const numEntries_,
                          std::size_t const outputSize_,
                          std::vector<std::size_t> const &numLookups_,
                          poplar::OptionFlags const &optionFlags_)
      : graph(graph_), dataType(dataType_), groupSize(groupSize_), numEntries(numEntries_),
        outputSize(outputSize_), numLookups(numLookups_), optionFlags(optionFlags_) {}
  SlicePlanningParameters(poplar::Graph const &graph_, poplar::Type const &dataType_,
                          std::size_t const numEntries_, std::size_t const outputSize_,
                          std::vector<std::size_t> const &numLookups_,
                          poplar::OptionFlags const &optionFlags_)
      : graph(graph_), dataType(dataType_), numEntries(numEntries_), outputSize(outputSize_),
        numLookups(numLookups_), optionFlags(optionFlags_) {}
};

/// plan() of each, in order.
POP_API std::vector<SlicePlan> planMultiple(std::vector<SlicePlanningParameters> const &spds);

} // namespace embedding

} // namespace popops

#endif
