// The search for plans on tiles. It is complete within its space: every kind of vertex, both orders
// of operands, and of every dimension each split that gives another size of the largest part (for
// output channels also the next even split, with which pairs of tiles share what they receive; for
// input channels every split, since stages of the addition depend on the number itself). Cost
// depends on a split through these alone, so nothing better is left out; a bound on the arithmetic
// of a block cuts most of the space off.
#pragma once

#include "TileCost.hpp"

#include <limits>
#include <map>

namespace cottonwood::planner {

/// One point of the curve of cycles against memory.
struct TilePoint {
  TilePlan plan;
  Cost cost;
};

namespace detail {

/// Split counts of `size` up to `most`, one for each distinct size of the largest part.
inline std::vector<std::uint64_t> distinctSplits(std::uint64_t size, std::uint64_t most) {
  std::vector<std::uint64_t> splits;
  for (std::uint64_t parts = 1; parts <= std::min(size, most);) {
    splits.push_back(parts);
    std::uint64_t const part = ceilDiv(size, parts);
    if (part == 1)
      break;
    parts = std::max(parts + 1, ceilDiv(size, part - 1));
  }
  return splits;
}

/// Every split count; but for published charges those alone that leave no part empty.
inline std::vector<std::uint64_t> allSplits(std::uint64_t size, std::uint64_t most,
                                            bool withEmpty) {
  std::vector<std::uint64_t> splits;
  for (std::uint64_t parts = 1; parts <= std::min(size, most); ++parts)
    if (withEmpty || realParts(size, parts) == parts)
      splits.push_back(parts);
  return splits;
}

/// The best plans found so far that fit in memory.
class BestPlans {
public:
  explicit BestPlans(std::size_t keep) : keep_(std::max<std::size_t>(keep, 1)) {}

  /// No plan that costs more would be kept.
  double bound() const {
    return plans_.size() < keep_ ? std::numeric_limits<double>::infinity()
                                 : plans_.back().cost.cycles;
  }
  void consider(TilePlan const &plan, Cost const &cost) {
    if (plans_.size() == keep_ && !(cost < plans_.back().cost))
      return;
    for (Candidate<TilePlan> const &known : plans_)
      if (known.plan == plan)
        return;
    auto const place =
        std::upper_bound(plans_.begin(), plans_.end(), cost,
                         [](Cost const &a, Candidate<TilePlan> const &b) { return a < b.cost; });
    plans_.insert(place, Candidate<TilePlan>::at(plan, cost));
    if (plans_.size() > keep_)
      plans_.pop_back();
  }
  std::vector<Candidate<TilePlan>> const &plans() const { return plans_; }

private:
  std::size_t keep_;
  std::vector<Candidate<TilePlan>> plans_;
};

/// The plans that no other one beats in both cycles and bytes.
class Frontier {
public:
  /// Cycles that a plan of so many bytes has to beat.
  double bound(std::uint64_t bytes) const {
    auto const next = points_.upper_bound(bytes);
    return next == points_.begin() ? std::numeric_limits<double>::infinity()
                                   : std::prev(next)->second.cost.cycles;
  }
  void consider(TilePlan const &plan, Cost const &cost) {
    if (cost.cycles >= bound(cost.temporaryBytes))
      return;
    auto const first = points_.lower_bound(cost.temporaryBytes);
    auto last = first;
    while (last != points_.end() && last->second.cost.cycles >= cost.cycles)
      ++last;
    points_.erase(first, last);
    points_.emplace(cost.temporaryBytes, TilePoint{plan, cost});
  }
  std::vector<TilePoint> points() const {
    std::vector<TilePoint> points;
    for (auto const &entry : points_)
      points.push_back(entry.second);
    return points;
  }

private:
  std::map<std::uint64_t, TilePoint> points_; ///< by bytes; cycles fall
};

/// Walks through all plans of a problem. `Sink` decides what is worth computing:
///   sink.limit()                     no plan of more bytes counts
///   sink.bound(bytes)                nor one of at least so many cycles
///   sink.consider(plan, cost)
template <class Sink> class TileWalk {
public:
  TileWalk(TileProblem const &problem, TileMachine const &machine, Constraints const &constraints,
           Sink &sink)
      : problem_(problem), machine_(machine), constraints_(constraints), sink_(sink),
        tiles_(std::max<std::uint64_t>(machine.tiles, 1)) {}

  /// A quick walk along powers of two finds plans that are good enough to cut most of the space
  /// off; then comes all of it.
  void run() {
    for (bool const quick : {true, false}) {
      quick_ = quick;
      for (bool const swap : {true, false})
        if (problem_.isMatMul || !swap)
          for (bool const expand : {false, true})
            if (!expand || problem_.expands)
              forms(swap, expand);
    }
  }

  std::uint64_t considered() const { return considered_; }

private:
  void forms(bool swap, bool expand) {
    TilePlan plan;
    plan.swap = swap;
    plan.expand = expand;
    TileProblem const seen = seenBy(problem_, plan);
    plan.outGroup = groupFor("splitN", seen.n, 16);
    std::uint32_t const whole = groupFor("splitI", seen.i, machine_.amp.inputsPerGroup);
    plan.inGroup = whole;
    if (problem_.flattens || expand) {
      plan.method = TileMethod::AMP_1X1;
      return combinations(seen, plan);
    }
    plan.method = TileMethod::AMP_NX1;
    for (std::uint32_t const height : {1U, 2U, 4U}) {
      plan.inGroup = std::max(whole / height, 1U);
      plan.filterHeight = height;
      // Fewer channels at a time pay where they are few, or taps in that dimension many.
      if (height == 1 || seen.field[0].taps > 1)
        combinations(seen, plan);
    }
    slic(seen, plan);
  }

  /// Groups of few channels are computed several at a time; what is not theirs is multiplied with
  /// zeros.
  void combinations(TileProblem const &seen, TilePlan plan) {
    splits(seen, plan);
    for (plan.convGroup = 2; !published() && plan.convGroup <= seen.g; plan.convGroup *= 2) {
      if (seen.i * plan.convGroup > plan.inGroup)
        break;
      splits(seen, plan);
    }
  }

  /// Windows that slide: half, groups of at most 4 channels in and out, short strides.
  void slic(TileProblem const &seen, TilePlan plan) {
    TileField const &along = seen.field[TileCost::rowsAlong(seen)];
    if (published() || !machine_.amp.halfInput || along.stride > 2 || along.inputStep != 1 ||
        along.tapStep != 1)
      return;
    plan.method = TileMethod::SLIC;
    plan.filterHeight = 1;
    for (auto const &[groups, channels] : {std::pair(1U, 4U), std::pair(2U, 2U), std::pair(4U, 1U),
                                           std::pair(8U, 1U), std::pair(16U, 1U)}) {
      if (seen.i > channels || seen.n > channels || (groups > 1 && groups > seen.g))
        continue;
      plan.convGroup = groups;
      plan.inGroup = plan.outGroup = groups * channels;
      splits(seen, plan);
    }
  }

  /// The channels of a group: fewer where constraints force more parts than there are groups.
  std::uint32_t groupFor(std::string_view key, std::uint64_t channels, std::uint64_t group) const {
    std::uint64_t parts = 1;
    if (auto const text = constraints_.empty() ? std::nullopt : constraints_.value(key))
      parseField(key, *text, parts);
    while (group > 1 && ceilDiv(channels, group) < parts)
      group /= 2;
    return static_cast<std::uint32_t>(group);
  }

  bool admits(TilePlan const &plan) const {
    return constraints_.empty() || !constraints_.refusal(plan);
  }

  void splits(TileProblem const &seen, TilePlan plan) {
    std::uint64_t const outGroups = ceilDiv(seen.n * plan.convGroup, plan.outGroup);
    std::uint64_t const units = ceilDiv(seen.g, plan.convGroup);
    for (std::uint64_t g : list("splitG", units, tiles_, distinct(units))) {
      plan.splitG = g;
      for (std::uint64_t serial : list("serialN", outGroups, outGroups, serialSplits(outGroups))) {
        plan.serialN = serial;
        channels(seen, plan, tiles_ / g);
      }
    }
  }

  void channels(TileProblem const &seen, TilePlan plan, std::uint64_t tiles) {
    // Groups at a time are cut between them alone.
    bool const alone = plan.convGroup == 1 && plan.method != TileMethod::SLIC;
    std::uint64_t const outGroups =
        alone ? ceilDiv(ceilDiv(seen.n, plan.outGroup), plan.serialN) : 1;
    std::uint64_t const inGroups = alone ? ceilDiv(seen.i, plan.inGroup) : 1;
    for (std::uint64_t i : list("splitI", inGroups, tiles, inSplits(inGroups))) {
      plan.splitI = i;
      for (std::uint64_t k :
           list("splitK0", seen.field[0].taps, tiles / i, distinct(seen.field[0].taps))) {
        plan.splitK0 = k;
        for (std::uint64_t n : list("splitN", outGroups, tiles / i / k, outSplits(outGroups))) {
          plan.splitN = n;
          std::uint64_t const left = tiles / i / k / n;
          if (!canBeat(seen, plan, ceilDiv(seen.positions(), left)))
            continue;
          if (plan.method == TileMethod::AMP_1X1)
            positions(seen, plan, left);
          else
            fields(seen, plan, left);
        }
      }
    }
  }

  void positions(TileProblem const &seen, TilePlan plan, std::uint64_t tiles) {
    for (std::uint64_t s : list("splitY0", seen.positions(), tiles, distinct(seen.positions()))) {
      plan.splitY0 = s;
      consider(seen, plan);
    }
  }

  void fields(TileProblem const &seen, TilePlan plan, std::uint64_t tiles) {
    std::uint64_t const h = seen.field[0].outputs, w = seen.field[1].outputs;
    for (std::uint64_t b : list("splitB", seen.b, tiles, distinct(seen.b))) {
      plan.splitB = b;
      for (std::uint64_t y0 : list("splitY0", h, tiles / b, distinct(h))) {
        plan.splitY0 = y0;
        std::uint64_t const rows = ceilDiv(seen.b, b) * ceilDiv(h, y0) * seen.field[2].outputs;
        if (!canBeat(seen, plan, rows * ceilDiv(w, tiles / b / y0)))
          continue;
        for (std::uint64_t y1 : list("splitY1", w, tiles / b / y0, distinct(w))) {
          plan.splitY1 = y1;
          consider(seen, plan);
        }
      }
    }
  }

  /// The splits to try of `units` into at most `most` parts: what constraints force, or those of
  /// `all`; on the quick walk few of these.
  std::vector<std::uint64_t> list(std::string_view key, std::uint64_t units, std::uint64_t most,
                                  std::vector<std::uint64_t> const &all) const {
    if (auto const text = constraints_.empty() ? std::nullopt : constraints_.value(key)) {
      std::uint64_t forced = 0;
      parseField(key, *text, forced);
      if (forced == 0 || forced > std::min(units, most))
        return {};
      return {forced};
    }
    std::vector<std::uint64_t> splits;
    std::uint64_t next = 0;
    for (std::uint64_t const split : all) {
      if (split > most)
        continue;
      if (quick_ && split < next)
        continue;
      next = 2 * split;
      splits.push_back(split);
    }
    return splits;
  }

  /// False if arithmetic alone makes every plan of these channels with at least so many positions a
  /// block too expensive.
  bool canBeat(TileProblem const &seen, TilePlan const &plan, std::uint64_t positions) const {
    TileBlock block = channelsOf(seen, plan);
    block.outputs[0] = positions;
    block.taps = {ceilDiv(seen.field[0].taps, plan.splitK0), seen.field[1].taps,
                  seen.field[2].taps};
    return leastCycles(block, plan) < sink_.bound(std::numeric_limits<std::uint64_t>::max());
  }

  void consider(TileProblem const &seen, TilePlan const &plan) {
    TileCost const cost(seen, machine_, plan);
    std::uint64_t const bytes = cost.bytes();
    if (static_cast<double>(bytes) > sink_.limit())
      return;
    if (leastCycles(cost.block(), plan) >= sink_.bound(bytes) || !admits(plan))
      return;
    ++considered_;
    sink_.consider(plan, {static_cast<double>(cost.terms().total()), bytes});
    // Fewer messages where many sums are added.
    for (std::uint64_t stages = 2;
         !published() && stages <= MAX_STAGES && plan.sums() >= 4 * stages; ++stages) {
      TilePlan staged = plan;
      staged.stages = stages;
      TileCost const other(seen, machine_, staged);
      if (static_cast<double>(other.bytes()) <= sink_.limit())
        sink_.consider(staged, other.cost());
    }
  }

  /// No plan of such blocks is cheaper: for each group of channels and each tap that is held at a
  /// time weights are loaded, workers started (at least 16 cycles each) and positions passed.
  double leastCycles(TileBlock const &block, TilePlan const &plan) const {
    kernels::AmpUnit const &amp = machine_.amp;
    if (plan.method == TileMethod::SLIC) // a cycle a position and window of four taps
      return static_cast<double>(block.units * block.positions() * ceilDiv(block.allTaps(), 4));
    std::uint64_t const held = ceilDiv(block.taps[0], plan.filterHeight) * block.taps[1] *
                               block.taps[2] * ceilDiv(plan.outGroup, amp.units);
    std::uint64_t const passes = block.units * block.inGroups * block.outGroups * held;
    std::uint64_t const each = amp.loadCycles() + 16 * amp.workers +
                               block.positions() * amp.inputsPerGroup / (amp.halfInput ? 4 : 1);
    return static_cast<double>(plan.serialN) * static_cast<double>(passes) *
           static_cast<double>(each);
  }

  std::vector<std::uint64_t> const &outSplits(std::uint64_t groups) {
    auto const [entry, isNew] = out_.try_emplace(groups);
    if (isNew) {
      std::vector<std::uint64_t> &splits = entry->second;
      splits = distinctSplits(groups, tiles_);
      for (std::size_t i = 0, count = splits.size(); i < count; ++i) {
        std::uint64_t const even = splits[i] + 1;
        if (even % 2 == 0 && (published() || realParts(groups, even) == even))
          splits.push_back(even);
      }
      std::sort(splits.begin(), splits.end());
      splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
    }
    return entry->second;
  }
  std::vector<std::uint64_t> const &inSplits(std::uint64_t groups) {
    auto const [entry, isNew] = in_.try_emplace(groups);
    if (isNew)
      entry->second = allSplits(groups, tiles_, published());
    return entry->second;
  }
  /// Published planners take tiles without work for granted.
  bool published() const { return machine_.charges.published; }

  /// Of the groups of output channels; each costs its own exchanges, so large numbers pay only
  /// where memory is short.
  static std::vector<std::uint64_t> serialSplits(std::uint64_t groups) {
    std::vector<std::uint64_t> splits;
    for (std::uint64_t s : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64})
      if (s <= groups)
        splits.push_back(s);
    return splits;
  }

  std::vector<std::uint64_t> const &distinct(std::uint64_t size) {
    auto const [entry, isNew] = distinct_.try_emplace(size);
    if (isNew)
      entry->second = distinctSplits(size, tiles_);
    return entry->second;
  }

  TileProblem const &problem_;
  TileMachine const &machine_;
  Constraints const &constraints_;
  Sink &sink_;
  std::uint64_t tiles_;
  bool quick_ = false;
  std::uint64_t considered_ = 0;
  std::map<std::uint64_t, std::vector<std::uint64_t>> distinct_, in_, out_;
};

} // namespace detail

} // namespace cottonwood::planner
