// The search for plans on tiles. It is complete within its space: every kind of vertex, both orders
// of operands, and of every dimension each split that gives another size of the largest part (for
// output channels also the next even split, with which pairs of tiles share what they receive; for
// input channels every split, since stages of the addition depend on the number itself). Cost
// depends on a split through these alone, so nothing better is left out; a bound on the arithmetic
// of a block cuts most of the space off. Parts in turn cost more than the same parts at once, so
// that they are tried only where memory is short.
#pragma once

#include "TileBest.hpp"
#include "TileBounds.hpp"
#include "TileConstraints.hpp"

#include <limits>
#include <map>

namespace cottonwood::planner {

namespace detail {

/// Walks through all plans of a problem. `Sink` decides what is worth computing:
///   sink.limit()                     no plan of more bytes counts
///   sink.bound(bytes)                nor one of at least so many cycles
///   sink.consider(plan, cost)
template <class Sink> class TileWalk {
public:
  /// \param inTurn  parts of channels may be computed one after another
  TileWalk(TileProblem const &problem, TileMachine const &machine, Constraints const &constraints,
           Sink &sink, bool inTurn = true)
      : problem_(problem), machine_(machine),
        constraints_(constraints, problem.partials == MatMulType::HALF), sink_(sink),
        inTurn_(inTurn || constraints_.cuts("serialN") || constraints_.cuts("serialI")),
        bounds_(machine, inTurn_), tiles_(std::max<std::uint64_t>(machine.tiles, 1)) {}

  /// A quick walk along powers of two finds plans that are good enough to cut most of the space
  /// off; then comes all of it.
  void run() {
    for (bool const quick : {true, false}) {
      quick_ = quick;
      for (bool const swap : {true, false})
        if ((problem_.isMatMul || !swap) && constraints_.allows("swap", swap))
          for (std::uint32_t const dims : expansions())
            forms(swap, dims);
    }
  }

  std::uint64_t considered() const { return considered_; }
  /// Cycles of what would be the cheapest plan if more memory were allowed, or more than those of
  /// the cheapest one. Of walks without turns.
  double cheapestTooLarge() const { return cheapestTooLarge_; }

private:
  /// Sets of dimensions whose taps may become channels; published planners know those alone whose
  /// windows lie side by side. Places without an input would be zeros, which infinite weights make
  /// NaN: such dimensions have to be forced.
  std::vector<std::uint32_t> expansions() const {
    std::vector<std::uint32_t> sets;
    std::uint32_t const all = problem_.windows();
    std::uint32_t const windows =
        constraints_.constrains("expand") ? all : all & ~problem_.padded();
    for (std::uint32_t dims = 0; dims <= all; ++dims)
      if ((dims & ~windows) == 0 && constraints_.allows("expand", dims) &&
          (dims == 0 || (problem_.expands && dims == windows) ||
           (!published() && !(dims >> 2 & 1U && problem_.lastIsMany))))
        sets.push_back(dims);
    return sets;
  }

  void forms(bool swap, std::uint32_t dims) {
    TilePlan plan;
    plan.swap = swap;
    plan.expand = dims;
    TileProblem const seen = seenBy(problem_, plan);
    bool const rows = problem_.flattens || (dims != 0 && seen.gatheredI == 0);
    for (bool const flat : {true, false})
      if (flat ? rows : !rows || wantsFields())
        if (constraints_.allows("flat", flat)) {
          plan.flat = flat;
          methods(seen, plan);
        }
  }
  /// What lies in rows is cut along dimensions of the field only if that is asked for.
  bool wantsFields() const {
    if (constraints_.empty() || problem_.isMatMul)
      return false;
    bool wants =
        constraints_.constrains("flat") || !constraints_.allows("method", TileMethod::AMP_1X1);
    for (char const *key : {"splitB", "splitY1", "splitY2"})
      wants = wants || constraints_.cuts(key);
    return wants;
  }

  void methods(TileProblem const &seen, TilePlan plan) {
    for (TileMethod const method : {TileMethod::AMP_1X1, TileMethod::AMP_NX1, TileMethod::SLIC,
                                    TileMethod::HMAC, TileMethod::VMAC, TileMethod::OUTER}) {
      plan.method = method;
      if (!constraints_.allows("method", method) ||
          !constraints_.allows("unit", traitsOf(plan, false).unit))
        continue;
      if (plan.onAmp())
        amp(seen, plan);
      else if (published())
        return;
      else if (method == TileMethod::SLIC)
        slic(seen, plan);
      else if (method == TileMethod::HMAC)
        hmac(seen, plan);
      else if (method == TileMethod::VMAC)
        vmac(seen, plan);
      else
        outer(seen, plan);
    }
  }

  void amp(TileProblem const &seen, TilePlan plan) {
    if (plan.method == TileMethod::AMP_1X1 ? !plan.flat && seen.taps() != 1 : plan.flat)
      return;
    if (plan.method == TileMethod::AMP_NX1 && seen.gatheredI != 0 && seen.taps() == 1)
      return; // rows of a product are quicker
    auto const all = static_cast<std::uint32_t>(machine_.amp.units);
    for (std::uint32_t const units : {all, 8U}) {
      // Fewer units are loaded more quickly; that pays where there are no more output channels.
      bool const few =
          units < all && !published() && (seen.n <= 8 || constraints_.constrains("convUnits"));
      if ((units != all && !few) || !constraints_.allows("convUnits", std::uint64_t{units}))
        continue;
      plan.units = units;
      for (std::uint32_t const outGroup :
           groups("partialChansPerGroup", "splitN", seen.n, few ? 8 : 16)) {
        plan.outGroup = outGroup;
        for (std::uint32_t const height : {1U, 2U, 4U}) {
          // Fewer channels at a time pay where they are few, or taps in that dimension many.
          if (height > 1 && (plan.method == TileMethod::AMP_1X1 || seen.field[0].taps == 1))
            break;
          plan.filterHeight = height;
          auto const held = static_cast<std::uint32_t>(machine_.amp.inputsPerGroup);
          for (std::uint32_t const inGroup :
               groups("inChansPerGroup", "splitI", seen.i, held, height)) {
            plan.inGroup = inGroup;
            combinations(seen, plan);
          }
        }
      }
    }
  }

  /// Groups of few channels are computed several at a time; what is not theirs is multiplied with
  /// zeros.
  void combinations(TileProblem const &seen, TilePlan plan) {
    if (constraints_.allows("combine", std::uint64_t{1}))
      splits(seen, plan);
    for (plan.convGroup = 2; !published() && plan.convGroup <= seen.g; plan.convGroup *= 2) {
      if (seen.i * plan.convGroup > plan.inGroup)
        break;
      if (constraints_.allows("combine", std::uint64_t{plan.convGroup}))
        splits(seen, plan);
    }
  }

  /// Windows that slide: half, groups of at most 4 channels in and out, short strides.
  void slic(TileProblem const &seen, TilePlan plan) {
    TileField const &along = seen.field[TileCost::rowsAlong(seen)];
    if (plan.flat || seen.gatheredI != 0 || !machine_.amp.halfInput || along.stride > 2 ||
        along.inputStep != 1 || along.tapStep != 1)
      return;
    for (auto const &[groups, channels] : {std::pair(1U, 4U), std::pair(2U, 2U), std::pair(4U, 1U),
                                           std::pair(8U, 1U), std::pair(16U, 1U)}) {
      if (seen.i > channels || seen.n > channels || (groups > 1 && groups > seen.g))
        continue;
      plan.convGroup = groups;
      plan.inGroup = plan.outGroup = groups * channels;
      splits(seen, plan);
    }
  }

  void hmac(TileProblem const &seen, TilePlan plan) {
    bool const half = machine_.amp.halfInput;
    plan.outGroup = static_cast<std::uint32_t>(
        kernels::hmacOutputs(half, problem_.partials == MatMulType::HALF));
    std::uint32_t const whole = half ? 4 : 2; // vectors of a word
    std::vector<std::uint32_t> inGroups{
        static_cast<std::uint32_t>(std::min<std::uint64_t>(ceilDiv(seen.i, whole) * whole, 16)),
        static_cast<std::uint32_t>(std::min<std::uint64_t>(seen.i, 16))};
    if (inGroups[0] == inGroups[1])
      inGroups.pop_back();
    if (auto const forced = constraints_.numbers("inChansPerGroup"))
      inGroups.assign(forced->begin(), forced->end());
    for (std::uint32_t const inGroup : inGroups) {
      plan.inGroup = groupFor("splitI", seen.i, inGroup);
      splits(seen, plan);
    }
  }

  void vmac(TileProblem const &seen, TilePlan plan) {
    if (!machine_.amp.halfInput || seen.i != 1 || seen.n != 1 || seen.gatheredI != 0)
      return;
    for (plan.convGroup = 4; plan.convGroup <= 16 && plan.convGroup / 2 < seen.g;
         plan.convGroup *= 2) {
      plan.inGroup = plan.outGroup = plan.convGroup;
      splits(seen, plan);
    }
  }

  void outer(TileProblem const &seen, TilePlan plan) {
    if (seen.i != 1 || !plan.flat)
      return;
    plan.inGroup = 1;
    for (std::uint32_t const outGroup : groups("partialChansPerGroup", "splitN", seen.n, 16)) {
      plan.outGroup = outGroup;
      splits(seen, plan);
    }
  }

  /// The numbers of channels of a group to try: what constraints force, or `most`, and fewer where
  /// they force more parts than there are groups. \param height  of the filters that are held
  std::vector<std::uint32_t> groups(std::string_view key, std::string_view splitKey,
                                    std::uint64_t channels, std::uint32_t most,
                                    std::uint32_t height = 1) const {
    if (auto const forced = constraints_.numbers(key)) {
      std::vector<std::uint32_t> result;
      for (std::uint64_t const group : *forced)
        if (group != 0 && group * height <= most)
          result.push_back(static_cast<std::uint32_t>(group));
      return result;
    }
    return {std::max(groupFor(splitKey, channels, most) / height, 1U)};
  }
  /// The channels of a group: fewer where constraints force more parts than there are groups.
  std::uint32_t groupFor(std::string_view key, std::uint64_t channels, std::uint64_t group) const {
    std::uint64_t parts = 1;
    if (auto const forced = constraints_.numbers(key); forced && !forced->empty())
      parts = forced->front();
    if (auto const turns = constraints_.numbers(key == "splitN" ? "serialN" : "serialI");
        turns && !turns->empty())
      parts *= turns->front();
    while (group > 1 && ceilDiv(channels, group) < parts)
      group /= 2;
    return static_cast<std::uint32_t>(group);
  }

  void splits(TileProblem const &seen, TilePlan plan) {
    // Groups at a time are cut between them alone.
    bool const alone = plan.convGroup == 1 && plan.method != TileMethod::SLIC;
    std::uint64_t const outGroups = alone ? ceilDiv(seen.n, plan.outGroup) : 1;
    std::uint64_t const inGroups = alone ? ceilDiv(seen.i, plan.inGroup) : 1;
    if (!canBeatOnAllTiles(seen, plan))
      return;
    std::uint64_t const units = ceilDiv(seen.g, plan.convGroup);
    auto const turnsN = turns(outGroups), turnsI = turns(published() ? 1 : inGroups);
    each("splitG", units, tiles_, distinct(units), [&](std::uint64_t g) {
      plan.splitG = g;
      each("serialN", outGroups, outGroups, turnsN, [&](std::uint64_t n) {
        plan.serialN = n;
        each("serialI", inGroups, inGroups, turnsI, [&](std::uint64_t i) {
          plan.serialI = i;
          channels(seen, plan, tiles_ / g, ceilDiv(outGroups, n), ceilDiv(inGroups, i));
        });
      });
    });
  }

  void channels(TileProblem const &seen, TilePlan plan, std::uint64_t tiles,
                std::uint64_t outGroups, std::uint64_t inGroups) {
    each("splitI", inGroups, tiles, inSplits(inGroups), [&](std::uint64_t i) {
      plan.splitI = i;
      taps(seen, plan, tiles / i, outGroups, 0);
    });
  }

  /// Splits of the kernel, dimension by dimension. Published planners know that of the first.
  void taps(TileProblem const &seen, TilePlan plan, std::uint64_t tiles, std::uint64_t outGroups,
            std::size_t d) {
    if (d == 3)
      return outputs(seen, plan, tiles, outGroups);
    static constexpr std::string_view KEYS[] = {"splitK0", "splitK1", "splitK2"};
    bool const cut = (d == 0 || !published()) && !(d == 2 && seen.lastIsMany);
    std::uint64_t const size = cut ? seen.field[d].taps : 1;
    std::uint64_t &split = d == 0 ? plan.splitK0 : d == 1 ? plan.splitK1 : plan.splitK2;
    each(KEYS[d], size, tiles, distinct(size), [&](std::uint64_t k) {
      split = k;
      if (canBeatWith(seen, plan, tiles / k, outGroups, d))
        taps(seen, plan, tiles / k, outGroups, d + 1);
    });
  }

  void outputs(TileProblem const &seen, TilePlan plan, std::uint64_t tiles,
               std::uint64_t outGroups) {
    each("splitN", outGroups, tiles, outSplits(outGroups), [&](std::uint64_t n) {
      plan.splitN = n;
      std::uint64_t const left = tiles / n;
      if (!canBeat(seen, plan, ceilDiv(seen.positions(), left)))
        return;
      if (plan.flat)
        positions(seen, plan, left);
      else
        fields(seen, plan, left);
    });
  }

  void positions(TileProblem const &seen, TilePlan plan, std::uint64_t tiles) {
    each("splitY0", seen.positions(), tiles, distinct(seen.positions()), [&](std::uint64_t s) {
      plan.splitY0 = s;
      if (canBeat(seen, plan, ceilDiv(seen.positions(), s)))
        consider(seen, plan);
    });
  }

  void fields(TileProblem const &seen, TilePlan plan, std::uint64_t tiles) {
    std::uint64_t const h = seen.field[0].outputs, w = seen.field[1].outputs;
    bool const cut = !published() && !seen.lastIsMany;
    std::uint64_t const third = seen.field[2].outputs, thirdParts = cut ? third : 1;
    each("splitB", seen.b, tiles, distinct(seen.b), [&](std::uint64_t b) {
      plan.splitB = b;
      std::uint64_t const some = ceilDiv(seen.b, b);
      each("splitY0", h, tiles / b, distinct(h), [&](std::uint64_t y0) {
        plan.splitY0 = y0;
        std::uint64_t const rows = some * ceilDiv(h, y0), left = tiles / b / y0;
        if (!canBeat(seen, plan, rows * ceilDiv(w * third, left)))
          return;
        each("splitY1", w, left, distinct(w), [&](std::uint64_t y1) {
          plan.splitY1 = y1;
          each("splitY2", thirdParts, left / y1, distinct(thirdParts), [&](std::uint64_t y2) {
            plan.splitY2 = y2;
            if (canBeat(seen, plan, rows * ceilDiv(w, y1) * ceilDiv(third, y2)))
              consider(seen, plan);
          });
        });
      });
    });
  }

  /// f(split) for the splits to try of `units` into at most `most` parts: what constraints force,
  /// or those of `all`, which ascend; on the quick walk few of these.
  template <class F>
  void each(std::string_view key, std::uint64_t units, std::uint64_t most,
            std::vector<std::uint64_t> const &all, F const &f) const {
    if (auto const forced = constraints_.empty() ? std::nullopt : constraints_.numbers(key)) {
      for (std::uint64_t const split : *forced)
        if (split != 0 && split <= std::min(units, most))
          f(split);
      return;
    }
    std::uint64_t next = 0;
    for (std::uint64_t const split : all) {
      if (split > most)
        return;
      if (quick_ && split < next)
        continue;
      next = 2 * split;
      f(split);
    }
  }

  /// False if arithmetic alone makes every plan of a method too expensive, on however many tiles.
  bool canBeatOnAllTiles(TileProblem const &seen, TilePlan const &plan) const {
    TileBlock block = channelsOf(seen, plan);
    for (std::size_t d = 0; d != 3; ++d)
      block.taps[d] = seen.field[d].taps;
    block.outputs[0] = seen.positions();
    // Loads and starts of passes are not divided where positions are.
    double const least = bounds_.leastCycles(block, plan, 0) / static_cast<double>(tiles_);
    return least < sink_.bound(0);
  }
  /// The same for splits of sums up to dimension `d` of the kernel: so many tiles share the rest of
  /// the work, however they divide positions and output channels.
  bool canBeatWith(TileProblem const &seen, TilePlan const &plan, std::uint64_t tiles,
                   std::uint64_t outGroups, std::size_t d) const {
    TileBlock block = channelsOf(seen, plan);
    std::uint64_t const splits[] = {plan.splitK0, plan.splitK1, plan.splitK2};
    for (std::size_t k = 0; k <= d; ++k)
      block.taps[k] = ceilDiv(seen.field[k].taps, splits[k]);
    // Of n groups and p positions a tile has at least n p / tiles pairs.
    block.outGroups = 1;
    block.outputs[0] = ceilDiv(outGroups * seen.positions(), tiles);
    double const cycles = bounds_.leastCycles(block, plan);
    double const results = static_cast<double>(seen.positions() * seen.n * block.units) /
                           static_cast<double>(tiles * plan.serialN);
    block.outputs[0] = ceilDiv(seen.positions(), tiles);
    double const bytes = bounds_.leastBytes(seen, block, plan, results);
    return bytes <= sink_.limit() && cycles + bounds_.leastTraffic(seen, block, plan, results) <
                                         sink_.bound(static_cast<std::uint64_t>(bytes));
  }
  /// False if arithmetic alone makes every plan of these channels with at least so many positions a
  /// block too expensive.
  bool canBeat(TileProblem const &seen, TilePlan const &plan, std::uint64_t positions) const {
    TileBlock block = channelsOf(seen, plan);
    block.outputs[0] = positions;
    block.taps = {ceilDiv(seen.field[0].taps, plan.splitK0),
                  ceilDiv(seen.field[1].taps, plan.splitK1),
                  ceilDiv(seen.field[2].taps, plan.splitK2)};
    double const results = bounds_.resultsOf(seen, block, plan);
    double const bytes = bounds_.leastBytes(seen, block, plan, results);
    return bytes <= sink_.limit() &&
           bounds_.leastCycles(block, plan) + bounds_.leastTraffic(seen, block, plan, results) <
               sink_.bound(static_cast<std::uint64_t>(bytes));
  }

  void consider(TileProblem const &seen, TilePlan const &plan) {
    TileCost const cost(seen, machine_, plan);
    std::uint64_t const bytes = cost.bytes();
    TileBlock const &block = cost.block();
    if (bounds_.leastCycles(block, plan) +
            bounds_.leastTraffic(seen, block, plan, bounds_.resultsOf(seen, block, plan)) >=
        sink_.bound(bytes))
      return;
    if (static_cast<double>(bytes) <= sink_.limit())
      stages(seen, plan, cost);
    else if (!inTurn_ && (constraints_.empty() || constraints_.admits(plan)))
      cheapestTooLarge_ = std::min(cheapestTooLarge_, static_cast<double>(cost.terms().total()));
  }

  /// Fewer messages where many sums are added.
  void stages(TileProblem const &seen, TilePlan const &plan, TileCost const &cost) {
    for (std::uint64_t stages = 1; stages <= MAX_STAGES; ++stages) {
      if (stages > 1 && (published() || !machine_.multiStage || plan.sums() < 4 * stages))
        return;
      TilePlan staged = plan;
      staged.stages = stages;
      if (!constraints_.empty() && !constraints_.admits(staged))
        continue;
      ++considered_;
      if (stages == 1) {
        sink_.consider(plan, {static_cast<double>(cost.terms().total()), cost.bytes()});
        continue;
      }
      TileCost const other(seen, machine_, staged);
      if (static_cast<double>(other.bytes()) <= sink_.limit())
        sink_.consider(staged, other.cost());
    }
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

  /// How many turns to compute groups of channels in; each costs its own exchanges, so large
  /// numbers pay only where memory is short.
  std::vector<std::uint64_t> turns(std::uint64_t groups) const {
    if (!inTurn_)
      return {1};
    std::vector<std::uint64_t> splits;
    if (!published() && groups <= 16)
      return distinctSplits(groups, groups);
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
  TileConstraints constraints_;
  Sink &sink_;
  bool inTurn_;
  TileBounds bounds_;
  std::uint64_t tiles_;
  bool quick_ = false;
  std::uint64_t considered_ = 0;
  double cheapestTooLarge_ = std::numeric_limits<double>::infinity();
  std::map<std::uint64_t, std::vector<std::uint64_t>> distinct_, in_, out_;
};

} // namespace detail

} // namespace cottonwood::planner
