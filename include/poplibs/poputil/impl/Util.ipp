#pragma once

#include <poputil/Util.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Half.hpp>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace cottonwood::poputil::detail {

using ::cottonwood::base::fail;
using ::poplar::Interval;
using ::poputil::poplibs_error;

struct SplitLimits {
  unsigned grainSize, maxPartitions, minElements, maxElements, maxRegion;
};

/// In grains, at least one; the largest number is no limit.
POP_INLINE std::size_t mostGrains(unsigned elements, unsigned grainSize) {
  return elements == UINT_MAX ? std::numeric_limits<std::size_t>::max() / grainSize
                              : std::max(1U, elements / grainSize);
}

/// Partitions that `grains` grains are split into.
POP_INLINE std::size_t numPartitions(std::size_t grains, SplitLimits const &limits) {
  std::size_t perPart = ceilDiv(grains, limits.maxPartitions);
  perPart = std::min(perPart, mostGrains(limits.maxElements, limits.grainSize));
  if (limits.minElements != 0) {
    std::size_t minGrains = ceilDiv(limits.minElements, limits.grainSize);
    perPart = std::max(perPart, ceilDiv(grains, std::max<std::size_t>(1, grains / minGrains)));
  }
  return ceilDiv(grains, perPart);
}

// Walks sequences of intervals, handing out runs of elements.
class SequenceSplitter {
public:
  SequenceSplitter(std::vector<std::vector<Interval>> const &sequences, std::size_t maxRegion)
      : sequences_(sequences), maxRegion_(maxRegion) {}

  // The next `count` elements, as pieces of sequences of at most maxRegion elements.
  std::vector<std::vector<Interval>> take(std::size_t count) {
    std::vector<std::vector<Interval>> result;
    bool fresh = true;
    std::size_t inRegion = 0;
    while (count != 0) {
      if (interval_ == sequences_[sequence_].size()) {
        ++sequence_;
        interval_ = 0;
        fresh = true;
        continue;
      }
      Interval const &whole = sequences_[sequence_][interval_];
      std::size_t begin = whole.begin() + offset_;
      if (begin == whole.end()) {
        ++interval_;
        offset_ = 0;
        continue;
      }
      if (inRegion == maxRegion_)
        fresh = true;
      if (fresh) {
        result.emplace_back();
        inRegion = 0;
        fresh = false;
      }
      std::size_t size = std::min({count, whole.end() - begin, maxRegion_ - inRegion});
      result.back().emplace_back(begin, begin + size);
      offset_ += size;
      inRegion += size;
      count -= size;
    }
    return result;
  }

private:
  std::vector<std::vector<Interval>> const &sequences_;
  std::size_t maxRegion_;
  std::size_t sequence_ = 0, interval_ = 0, offset_ = 0;
};

POP_INLINE void checkLimits(SplitLimits const &limits) {
  if (limits.grainSize == 0 || limits.maxPartitions == 0)
    fail<poplibs_error>("poputil::splitRegions", "grainSize = ", limits.grainSize,
                        " and maxPartitions = ", limits.maxPartitions, "; both must be at least 1");
}

POP_INLINE std::vector<std::vector<std::vector<Interval>>>
splitSequences(std::vector<std::vector<Interval>> const &sequences, SplitLimits const &limits) {
  checkLimits(limits);
  std::size_t total = ::poputil::intervalSequenceNumElements(sequences);
  if (total == 0)
    return {};
  std::size_t grains = ceilDiv(total, limits.grainSize);
  std::size_t parts = numPartitions(grains, limits);
  std::size_t maxRegion = mostGrains(limits.maxRegion, limits.grainSize) * limits.grainSize;
  SequenceSplitter splitter(sequences, maxRegion);
  std::vector<std::vector<std::vector<Interval>>> result;
  result.reserve(parts);
  for (std::size_t i = 0, begin = 0; i != parts; ++i) {
    std::size_t end = std::min(total, (i + 1) * grains / parts * limits.grainSize);
    result.push_back(splitter.take(end - begin));
    begin = end;
  }
  return result;
}

POP_INLINE ::poplar::QuarterMetadata
quarterMetadata(char const *where, ::poplar::QuarterMetadata::Format format, int scale) {
  constexpr int low = ::poplar::QUARTER_METADATA_SCALE_BIAS_MIN;
  constexpr int high = ::poplar::QUARTER_METADATA_SCALE_BIAS_MAX;
  if (scale < low || scale > high)
    fail<poplibs_error>(where, "fp8Scale = ", scale, "; it must be in [", low, ", ", high, "]");
  return ::poplar::QuarterMetadata(format, static_cast<signed char>(scale));
}

} // namespace cottonwood::poputil::detail

namespace poputil {

POP_INLINE void mergeAdjacentRegions(std::vector<poplar::Interval> &regions) {
  std::sort(regions.begin(), regions.end());
  std::vector<poplar::Interval> merged;
  for (poplar::Interval const &region : regions) {
    if (region.size() == 0)
      continue;
    if (!merged.empty() && merged.back().end() >= region.begin())
      merged.back() =
          poplar::Interval(merged.back().begin(), std::max(merged.back().end(), region.end()));
    else
      merged.push_back(region);
  }
  regions = std::move(merged);
}

POP_INLINE void mergeAdjacentRegions(std::vector<std::vector<poplar::Interval>> &mapping) {
  for (auto &regions : mapping)
    mergeAdjacentRegions(regions);
}

POP_INLINE std::vector<poplar::Interval>
flattenIntervals(std::vector<std::vector<poplar::Interval>> const &intervals) {
  std::vector<poplar::Interval> flat;
  for (auto const &list : intervals)
    flat.insert(flat.end(), list.begin(), list.end());
  return flat;
}

POP_INLINE std::vector<std::vector<poplar::Interval>>
splitRegions(std::vector<poplar::Interval> const &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition,
             unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  std::vector<std::vector<poplar::Interval>> sequences;
  for (poplar::Interval const &region : regions)
    sequences.push_back({region});
  std::vector<std::vector<poplar::Interval>> result;
  for (auto const &part : splitRegions(sequences, grainSize, maxPartitions, minElementsPerPartition,
                                       maxElementsPerPartition, maxElementsPerRegion))
    result.push_back(flattenIntervals(part));
  return result;
}

POP_INLINE std::vector<std::vector<poplar::Interval>>
splitRegionsBetweenWorkers(poplar::Target const &target,
                           std::vector<poplar::Interval> const &regions, unsigned grainSize,
                           unsigned minElementsPerPartition, unsigned maxElementsPerPartition,
                           unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                      maxElementsPerPartition, maxElementsPerRegion);
}

POP_INLINE std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegions(std::vector<std::vector<poplar::Interval>> const &regions, unsigned grainSize,
             unsigned maxPartitions, unsigned minElementsPerPartition,
             unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  return cottonwood::poputil::detail::splitSequences(
      regions, {grainSize, maxPartitions, minElementsPerPartition, maxElementsPerPartition,
                maxElementsPerRegion});
}

POP_INLINE std::vector<std::vector<std::vector<poplar::Interval>>>
splitRegionsBetweenWorkers(poplar::Target const &target,
                           std::vector<std::vector<poplar::Interval>> const &regions,
                           unsigned grainSize, unsigned minElementsPerPartition,
                           unsigned maxElementsPerPartition, unsigned maxElementsPerRegion) {
  return splitRegions(regions, grainSize, target.getNumWorkerContexts(), minElementsPerPartition,
                      maxElementsPerPartition, maxElementsPerRegion);
}

POP_INLINE std::size_t
intervalSequenceNumElements(std::vector<std::vector<poplar::Interval>> const &seq) {
  std::size_t total = 0;
  for (auto const &list : seq)
    for (poplar::Interval const &interval : list)
      total += interval.size();
  return total;
}

POP_INLINE poplar::Tensor duplicate(poplar::Graph &graph, poplar::Tensor const &in,
                                    poplar::program::Sequence &p,
                                    poplar::DebugContext const &debugContext,
                                    poplar::TensorCloneMethod method) {
  poplar::Tensor copy = graph.clone(in, debugContext, method);
  p.add(poplar::program::Copy(in, copy, false, debugContext));
  return copy;
}

POP_INLINE poplar::Tensor cloneN(poplar::Graph &graph, poplar::Tensor const &t, unsigned N,
                                 poplar::DebugContext const &debugContext,
                                 poplar::TensorCloneMethod method) {
  return graph.cloneN(t, N, debugContext, method);
}

POP_INLINE std::vector<int> balancedPartition(int rangeUpperBound, int splitCount) {
  if (rangeUpperBound < 0 || splitCount <= 0)
    cottonwood::base::fail<poplibs_error>(
        "poputil::balancedPartition", "a range of ", rangeUpperBound, " in ", splitCount,
        " parts; the range must not be negative, the parts at least 1");
  std::vector<int> parts(static_cast<std::size_t>(splitCount), rangeUpperBound / splitCount);
  for (int i = 0; i != rangeUpperBound % splitCount; ++i)
    ++parts[static_cast<std::size_t>(i)];
  return parts;
}

POP_INLINE double castToDeviceHalfValue(poplar::Target const &, double input) {
  return static_cast<double>(cottonwood::base::halfToFloat(cottonwood::base::doubleToHalf(input)));
}

POP_INLINE bool checkAccuracyWhenCast(poplar::Target const &target, double input,
                                      poplar::Type inputType, poplar::Type outputType,
                                      double tolerance) {
  if (inputType == poplar::HALF && outputType == poplar::FLOAT)
    return true;
  if (inputType != poplar::FLOAT || outputType != poplar::HALF)
    cottonwood::base::fail<poplibs_error>("poputil::checkAccuracyWhenCast", "from ", inputType,
                                          " to ", outputType,
                                          "; allowed: float to half, half to float");
  return std::fabs(input) * tolerance > std::fabs(castToDeviceHalfValue(target, input) - input);
}

POP_INLINE poplar::Tensor factorDims(poplar::Tensor const &t,
                                     std::vector<std::size_t> const &factors, unsigned startDim) {
  auto const n = static_cast<unsigned>(factors.size());
  std::vector<std::size_t> const shape = t.shape();
  if (startDim + n > shape.size())
    cottonwood::base::fail<poplibs_error>("poputil::factorDims", n, " factors from dimension ",
                                          startDim, " for a tensor of shape ",
                                          cottonwood::base::shapeText(shape));
  std::vector<std::size_t> split;
  std::vector<unsigned> outer, inner;
  for (unsigned i = 0; i != n; ++i) {
    std::size_t dim = shape[startDim + i];
    if (factors[i] == 0 || dim % factors[i] != 0)
      cottonwood::base::fail<poplibs_error>(
          "poputil::factorDims", "factor ", factors[i], " of dimension ", startDim + i,
          " of shape ", cottonwood::base::shapeText(shape), "; it must divide the dimension");
    split.insert(split.end(), {dim / factors[i], factors[i]});
    outer.push_back(startDim + 2 * i);
    inner.push_back(startDim + 2 * i + 1);
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  std::vector<unsigned> destination(2 * n);
  std::iota(destination.begin(), destination.end(), startDim);
  return t.reshapePartial(startDim, startDim + n, split).dimShufflePartial(outer, destination);
}

POP_INLINE poplar::Tensor unfactorDims(poplar::Tensor const &t, unsigned numDims,
                                       unsigned startDim) {
  std::vector<std::size_t> const shape = t.shape();
  if (startDim + 2 * numDims > shape.size())
    cottonwood::base::fail<poplibs_error>(
        "poputil::unfactorDims", numDims, " pairs of dimensions from ", startDim,
        " for a tensor of shape ", cottonwood::base::shapeText(shape));
  std::vector<unsigned> source, destination;
  std::vector<std::size_t> joined;
  for (unsigned i = 0; i != numDims; ++i) {
    source.insert(source.end(), {startDim + i, startDim + numDims + i});
    destination.insert(destination.end(), {startDim + 2 * i, startDim + 2 * i + 1});
    joined.push_back(shape[startDim + i] * shape[startDim + numDims + i]);
  }
  return t.dimShufflePartial(source, destination)
      .reshapePartial(startDim, startDim + 2 * numDims, joined);
}

POP_INLINE poplar::Tensor createConstantMetadataTensor(poplar::Graph &graph,
                                                       poplar::QuarterMetadata::Format fp8Format,
                                                       int fp8Scale) {
  poplar::QuarterMetadata const metadata = cottonwood::poputil::detail::quarterMetadata(
      "poputil::createConstantMetadataTensor", fp8Format, fp8Scale);
  poplar::Tensor const t = graph.addConstant(poplar::QUARTER_METADATA, {1}, metadata.getBinary());
  graph.setTileMapping(t, 0);
  return t;
}

POP_INLINE poplar::Tensor createVariableMetadataTensor(poplar::Graph &graph,
                                                       poplar::QuarterMetadata::Format fp8Format,
                                                       int fp8Scale) {
  poplar::QuarterMetadata const metadata = cottonwood::poputil::detail::quarterMetadata(
      "poputil::createVariableMetadataTensor", fp8Format, fp8Scale);
  poplar::Tensor const t = graph.addVariable(poplar::QUARTER_METADATA, {1}, "metadata");
  graph.setTileMapping(t, 0);
  graph.setInitialValue(t, metadata.getBinary());
  return t;
}

POP_INLINE std::vector<poplar::Interval>
calculateUnshufflingIntervals(std::vector<poplar::Interval> const &intervals) {
  std::vector<std::pair<poplar::Interval, std::size_t>> placed;
  std::size_t position = 0;
  for (poplar::Interval const &interval : intervals) {
    placed.emplace_back(interval, position);
    position += interval.size();
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](auto const &a, auto const &b) { return a.first < b.first; });
  std::vector<poplar::Interval> result;
  for (auto const &[interval, begin] : placed)
    result.emplace_back(begin, begin + interval.size());
  return result;
}

} // namespace poputil
