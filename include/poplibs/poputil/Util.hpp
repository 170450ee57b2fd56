#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_UTIL_HPP
#define POPUTIL_UTIL_HPP

#include <poputil/exceptions.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>

#include <climits>
#include <cstddef>
#include <string>
#include <vector>

namespace poputil {

/// Sorts, joins regions that touch or overlap, and drops empty ones.
POP_API void mergeAdjacentRegions(std::vector<poplar::Interval> &regions);
/// The same for the regions of each tile.
POP_API void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>> &mapping);

/// All regions in one list, in order.
POP_API std::vector<poplar::Interval>
flattenIntervals(std::vector<std::vector<poplar::Interval>> const &intervals);

/// Splits regions into at most `maxPartitions` lists of about equal numbers of grains.
/// \param grainSize  partitions end at multiples of this many elements (the last one excepted).
/// \param minElementsPerPartition  fewer partitions are made rather than smaller ones.
/// \param maxElementsPerPartition  more than `maxPartitions` are made rather than larger ones.
/// \param maxElementsPerRegion  longer regions are cut, at multiples of grainSize.
///        UINT_MAX is no limit for either.
/// \throws poplibs_error  grainSize or maxPartitions is 0.
POP_API std::vector<std::vector<poplar::Interval>>
splitRegions(std::vector<poplar::Interval> const &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

/// splitRegions into as many partitions as a tile has worker contexts.
POP_API std::vector<std::vector<poplar::Interval>> splitRegionsBetweenWorkers(
    poplar::Target const &target, std::vector<poplar::Interval> const &regions, unsigned grainSize,
    unsigned minElementsPerPartition = 0, unsigned maxElementsPerPartition = UINT_MAX,
    unsigned maxElementsPerRegion = UINT_MAX);

/// splitRegions for sequences of regions that belong together (contiguous in memory, say): the
/// intervals of a sequence stay in one inner list, unless a partition ends within it.
POP_API std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegions(std::vector<std::vector<poplar::Interval>> const &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition = 0,
             unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

POP_API std::vector<std::vector<std::vector<poplar::Interval>>> splitRegionsBetweenWorkers(
    poplar::Target const &target, std::vector<std::vector<poplar::Interval>> const &regions,
    unsigned grainSize, unsigned minElementsPerPartition = 0,
    unsigned maxElementsPerPartition = UINT_MAX, unsigned maxElementsPerRegion = UINT_MAX);

/// Multi-dimensional index of a row-major position. \throws poplibs_error  the index is out of
/// range.
template <class T> std::vector<T> unflattenIndex(std::vector<T> const &shape, std::size_t index) {
  std::vector<T> indices(shape.size());
  std::size_t rest = index;
  for (std::size_t i = shape.size(); i-- != 0;) {
    std::size_t dim = static_cast<std::size_t>(shape[i]);
    if (dim == 0)
      throw poplibs_error("poputil::unflattenIndex: index " + std::to_string(index) +
                          " into a shape of 0 elements");
    indices[i] = static_cast<T>(rest % dim);
    rest /= dim;
  }
  if (rest != 0)
    throw poplibs_error("poputil::unflattenIndex: index " + std::to_string(index) +
                        " is beyond the shape's elements");
  return indices;
}

/// Row-major position of a multi-dimensional index. \throws poplibs_error  the ranks differ.
template <class T>
std::size_t flattenIndex(std::vector<T> const &shape, std::vector<T> const &indices) {
  if (shape.size() != indices.size())
    throw poplibs_error("poputil::flattenIndex: " + std::to_string(indices.size()) +
                        " indices for a shape of rank " + std::to_string(shape.size()));
  std::size_t index = 0;
  for (std::size_t i = 0; i != shape.size(); ++i)
    index = index * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(indices[i]);
  return index;
}

/// Total number of elements.
POP_API std::size_t
intervalSequenceNumElements(std::vector<std::vector<poplar::Interval>> const &seq);

/// A new tensor of the same shape, type and tile mapping, and a copy into it appended to `p`.
POP_API poplar::Tensor duplicate(
    poplar::Graph &graph, poplar::Tensor const &in, poplar::program::Sequence &p,
    poplar::DebugContext const &debugContext = {},
    poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// N independent clones of t, joined in a new outermost dimension: [N] + t.shape().
POP_API poplar::Tensor
cloneN(poplar::Graph &graph, poplar::Tensor const &t, unsigned N,
       poplar::DebugContext const &debugContext = {},
       poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

/// splitCount numbers that sum to rangeUpperBound and differ by at most 1, larger ones first.
/// \throws poplibs_error  a negative range or no parts.
POP_API std::vector<int> balancedPartition(int rangeUpperBound, int splitCount);

/// The value nearest to `input` that a half of the target holds.
POP_API double castToDeviceHalfValue(poplar::Target const &target, double input);

/// Whether `input` survives a conversion: |converted - input| < tolerance * |input|.
/// \throws poplibs_error  types other than FLOAT to HALF and HALF to FLOAT.
POP_API bool checkAccuracyWhenCast(poplar::Target const &target, double input,
                                   poplar::Type inputType, poplar::Type outputType,
                                   double tolerance);

/// Splits each dimension startDim + i into (dim / factors[i], factors[i]); all quotients come
/// first, then all factors. \throws poplibs_error  a factor does not divide its dimension.
POP_API poplar::Tensor factorDims(poplar::Tensor const &t, std::vector<std::size_t> const &factors,
                                  unsigned startDim = 0);
/// Inverse of factorDims with `numDims` factors.
POP_API poplar::Tensor unfactorDims(poplar::Tensor const &t, unsigned numDims,
                                    unsigned startDim = 0);

/// Format and scale of 8-bit floating point tensors as a tensor [1] QUARTER_METADATA on tile 0; the
/// variable holds them when a program is loaded. (Deprecated.)
/// \throws poplibs_error  the scale is not in [-32, 31]
POP_API poplar::Tensor createConstantMetadataTensor(poplar::Graph &graph,
                                                    poplar::QuarterMetadata::Format fp8Format,
                                                    int fp8Scale);
POP_API poplar::Tensor createVariableMetadataTensor(poplar::Graph &graph,
                                                    poplar::QuarterMetadata::Format fp8Format,
                                                    int fp8Scale);

/// For intervals that cover [0, n) in some order: where each position has gone, as intervals of the
/// reordered sequence, in the order of the original one.
POP_API std::vector<poplar::Interval>
calculateUnshufflingIntervals(std::vector<poplar::Interval> const &intervals);

} // namespace poputil

#endif
