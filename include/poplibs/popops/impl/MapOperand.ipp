#pragma once

#include <popops/impl/ElementWiseTiles.hpp>
#include <popops/impl/MapOperand.hpp>
#include <poputil/Broadcast.hpp>

#include <limits>

namespace cottonwood::popops {

namespace detail {

/// Neighbouring dimensions of one kind, as one.
struct BroadcastRun {
  bool repeats; ///< the tensor has extent 1 here
  std::size_t size;
};

POP_INLINE std::vector<BroadcastRun> broadcastRuns(Tensor const &t,
                                                   std::vector<std::size_t> const &shape) {
  std::vector<BroadcastRun> runs;
  for (unsigned d = 0; d != shape.size(); ++d) {
    if (shape[d] == 1)
      continue;
    bool const repeats = t.dim(d) != shape[d];
    if (!runs.empty() && runs.back().repeats == repeats)
      runs.back().size *= shape[d];
    else
      runs.push_back({repeats, shape[d]});
  }
  return runs;
}

// Repeats the outermost run of broadcast dimensions, which patterns with an inner repetition cannot
// express.
POP_INLINE Tensor expandLeading(Tensor t, std::vector<std::size_t> const &shape) {
  for (unsigned d = 0; d != shape.size(); ++d) {
    if (shape[d] == 1)
      continue;
    if (t.dim(d) == shape[d])
      break;
    t = t.broadcast(static_cast<unsigned>(shape[d]), d);
  }
  return t;
}

} // namespace detail

POP_INLINE MapOperand::MapOperand(Tensor const &t, std::vector<std::size_t> const &shape,
                                  MapType type, bool expandBroadcasts)
    : type_(type), expanded_(t) {
  ::poputil::broadcastToMatch(expanded_, shape);
  expanded_ = expanded_.flatten();
  auto runs = detail::broadcastRuns(t, shape);
  isFull_ = runs.empty() || (runs.size() == 1 && !runs[0].repeats);
  isScalar_ = !isFull_ && runs.size() == 1;
  flat_ = t.flatten();
  if (isFull_ || isScalar_)
    return;
  if (runs.size() == 2 && runs[0].repeats) { // a row under rows
    period_ = runs[1].size;
    repeat_ = runs[0].size;
  } else {
    if (runs[0].repeats) {
      flat_ = detail::expandLeading(t, shape).flatten();
      distinct_ = t.numElements();
      runs.erase(runs.begin());
    }
    // Now [there, repeated] or [there, repeated, there].
    repeat_ = runs[1].size;
    period_ = runs.size() > 2 ? runs[2].size : 1;
    isFull_ = runs.size() > 3;
  }
  if (isFull_ || expandBroadcasts) {
    flat_ = expanded_;
    isFull_ = true;
  }
}

POP_INLINE OperandRegion MapOperand::region(Share const &share, bool laidOut) const {
  if (isFull_)
    return {partOf(flat_, share), {}};
  if (isScalar_)
    return {flat_, vertices::MapPattern::scalar()};
  if (laidOut || share.intervals.size() > 1)
    return {partOf(expanded_, share), {}};
  return patternRegion(share.intervals.front());
}

POP_INLINE planner::TileMapOperand MapOperand::planned(::poplar::Graph const &graph) const {
  planner::TileMapOperand operand = tileMapOperand(graph, flat_);
  if (!isFull_) {
    operand.period = isScalar_ ? 1 : period_;
    operand.repeat = isScalar_ ? expanded_.numElements() : repeat_;
    operand.distinct = distinct_;
  }
  return operand;
}

POP_INLINE OperandRegion MapOperand::patternRegion(Interval const &range) const {
  using vertices::MapPattern;
  std::size_t const block = period_ * repeat_;
  std::size_t const firstBlock = range.begin() / block, lastBlock = (range.end() - 1) / block;
  std::size_t const inBlock = range.begin() % block;
  std::size_t const first = firstBlock * period_;
  if (firstBlock == lastBlock) {
    std::size_t const phase = inBlock % period_;
    if (phase + range.size() <= period_) // within one repetition: plain elements, or one of them
      return {flat_.slice(first + phase, first + phase + range.size()), {}};
    if (period_ == 1)
      return {flat_.slice(first, first + 1), MapPattern::scalar()};
    if (period_ <= std::numeric_limits<std::uint32_t>::max() / 2)
      return {flat_.slice(first, first + period_),
              {static_cast<std::uint32_t>(period_), MapPattern::ONCE,
               static_cast<std::uint32_t>(phase)}};
  } else if (block <= std::numeric_limits<std::uint32_t>::max() / 4) {
    return {flat_.slice(first, (lastBlock + 1) * period_),
            {static_cast<std::uint32_t>(period_), static_cast<std::uint32_t>(repeat_),
             static_cast<std::uint32_t>(inBlock)}};
  }
  return {expanded_.slice(range), {}};
}

} // namespace cottonwood::popops
