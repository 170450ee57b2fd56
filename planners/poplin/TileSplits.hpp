// All splits of one kind of plan: of every dimension each split that gives another size of the
// largest part (for output channels also the next even split, with which pairs of tiles share what
// they receive; for input channels every split, since stages of the addition depend on the number
// itself). Cost depends on a split through these alone, so nothing better is left out; bounds on
// what a block takes cut most of the space off. Parts in turn cost more than the same parts at
// once, so that they are tried only where memory is short.
#pragma once

#include "TileBounds.hpp"
#include "TileConstraints.hpp"
#include "TileSplitLists.hpp"

#include <limits>

namespace cottonwood::planner::detail {

/// `Sink` decides what is worth computing:
///   sink.limit()                     no plan of more bytes counts
///   sink.bound(bytes)                nor one of at least so many cycles
///   sink.consider(plan, cost)
template <class Sink> class TileSplits {
public:
  /// \param inTurn  parts of channels may be computed one after another
  TileSplits(TileMachine const &machine, TileConstraints const &constraints, Sink &sink,
             bool inTurn)
      : machine_(machine), constraints_(constraints), sink_(sink), inTurn_(inTurn),
        bounds_(machine), tiles_(std::max<std::uint64_t>(machine.tiles, 1)),
        lists_(tiles_, machine.charges.published) {}

  /// \param tiles  the most that plans may have
  void setTiles(std::uint64_t tiles) { tiles_ = tiles; }
  /// On a quick walk few splits of each dimension are tried.
  void setQuick(bool quick) { quick_ = quick; }

  /// Tries all splits of a kind of plan.
  void walk(TileProblem const &seen, TilePlan plan) {
    // Groups at a time are cut between them alone.
    bool const alone = plan.convGroup == 1 && plan.method != TileMethod::SLIC;
    std::uint64_t const outGroups = alone ? ceilDiv(seen.n, plan.outGroup) : 1;
    std::uint64_t const inGroups = alone ? ceilDiv(seen.i, plan.inGroup) : 1;
    if (!canBeatOnAllTiles(seen, plan))
      return;
    std::uint64_t const units = ceilDiv(seen.g, plan.convGroup);
    auto const turnsN = turns(outGroups), turnsI = turns(published() ? 1 : inGroups);
    each("splitG", units, tiles_, lists_.distinct(units), [&](std::uint64_t g) {
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

  std::uint64_t considered() const { return considered_; }
  /// Cycles of what would be the cheapest plan if more memory were allowed, or more than those of
  /// the cheapest one. Of walks without turns.
  double cheapestTooLarge() const { return cheapestTooLarge_; }

private:
  void channels(TileProblem const &seen, TilePlan plan, std::uint64_t tiles,
                std::uint64_t outGroups, std::uint64_t inGroups) {
    each("splitI", inGroups, tiles, lists_.inChannels(inGroups), [&](std::uint64_t i) {
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
    each(KEYS[d], size, tiles, lists_.distinct(size), [&](std::uint64_t k) {
      split = k;
      if (canBeatWith(seen, plan, tiles / k, outGroups, d))
        taps(seen, plan, tiles / k, outGroups, d + 1);
    });
  }

  void outputs(TileProblem const &seen, TilePlan plan, std::uint64_t tiles,
               std::uint64_t outGroups) {
    each("splitN", outGroups, tiles, lists_.outChannels(outGroups), [&](std::uint64_t n) {
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
    each("splitY0", seen.positions(), tiles, lists_.distinct(seen.positions()),
         [&](std::uint64_t s) {
           plan.splitY0 = s;
           if (canBeat(seen, plan, ceilDiv(seen.positions(), s)))
             consider(seen, plan);
         });
  }

  void fields(TileProblem const &seen, TilePlan plan, std::uint64_t tiles) {
    std::uint64_t const h = seen.field[0].outputs, w = seen.field[1].outputs;
    bool const cut = !published() && !seen.lastIsMany;
    std::uint64_t const third = seen.field[2].outputs, thirdParts = cut ? third : 1;
    each("splitB", seen.b, tiles, lists_.distinct(seen.b), [&](std::uint64_t b) {
      plan.splitB = b;
      std::uint64_t const some = ceilDiv(seen.b, b);
      each("splitY0", h, tiles / b, lists_.distinct(h), [&](std::uint64_t y0) {
        plan.splitY0 = y0;
        std::uint64_t const rows = some * ceilDiv(h, y0), left = tiles / b / y0;
        if (!canBeat(seen, plan, rows * ceilDiv(w * third, left)))
          return;
        each("splitY1", w, left, lists_.distinct(w), [&](std::uint64_t y1) {
          plan.splitY1 = y1;
          each("splitY2", thirdParts, left / y1, lists_.distinct(thirdParts),
               [&](std::uint64_t y2) {
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
    double const least = bounds_.leastCycles(seen, block, plan, 0) / static_cast<double>(tiles_);
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
    double const cycles = bounds_.leastCycles(seen, block, plan);
    double const results = static_cast<double>(seen.positions() * seen.n * block.units) /
                           static_cast<double>(tiles * plan.serialN);
    block.outputs[0] = ceilDiv(seen.positions(), tiles);
    double const bytes = bounds_.leastBytes(seen, block, plan, results);
    return isWorthwhile(bytes, cycles + bounds_.leastTraffic(seen, block, plan, results));
  }
  /// False if arithmetic alone makes every plan of these channels with at least so many positions a
  /// block too expensive.
  bool canBeat(TileProblem const &seen, TilePlan const &plan, std::uint64_t positions) const {
    TileBlock block = channelsOf(seen, plan);
    block.outputs[0] = positions;
    block.taps = {ceilDiv(seen.field[0].taps, plan.splitK0),
                  ceilDiv(seen.field[1].taps, plan.splitK1),
                  ceilDiv(seen.field[2].taps, plan.splitK2)};
    double const cycles = bounds_.leastCycles(seen, block, plan);
    if (cycles >= sink_.bound(0)) // fewer bytes, more cycles
      return false;
    double const results = bounds_.resultsOf(seen, block, plan);
    double const bytes = bounds_.leastBytes(seen, block, plan, results);
    return isWorthwhile(bytes, cycles + bounds_.leastTraffic(seen, block, plan, results));
  }
  /// False if no plan of at least so many bytes and cycles counts. What does not fit counts on
  /// walks without turns, if it is the cheapest of its kind and cheaper than what fits.
  bool isWorthwhile(double bytes, double cycles) const {
    double const bound = sink_.bound(static_cast<std::uint64_t>(bytes));
    if (bytes <= sink_.limit())
      return cycles < bound;
    return !inTurn_ && cycles < std::min(bound, cheapestTooLarge_);
  }

  void consider(TileProblem const &seen, TilePlan const &plan) {
    TileCost const cost(seen, machine_, plan);
    std::uint64_t const bytes = cost.bytes();
    TileBlock const &block = cost.block();
    double const least =
        bounds_.leastCycles(seen, block, plan) +
        bounds_.leastTraffic(seen, block, plan, bounds_.resultsOf(seen, block, plan));
    if (!isWorthwhile(static_cast<double>(bytes), least))
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
        price(plan, cost);
        continue;
      }
      TileCost const other(seen, machine_, staged);
      if (static_cast<double>(other.bytes()) <= sink_.limit())
        price(staged, other);
    }
  }

  /// What crosses from IPU to IPU is found out only where the rest is cheap enough.
  void price(TilePlan const &plan, TileCost const &cost) {
    std::uint64_t const bytes = cost.bytes();
    if (!cost.crosses() ||
        static_cast<double>(cost.termsWithoutLinks().total()) < sink_.bound(bytes))
      sink_.consider(plan, {static_cast<double>(cost.terms().total()), bytes});
  }

  std::vector<std::uint64_t> turns(std::uint64_t groups) const {
    return inTurn_ ? lists_.turns(groups) : std::vector<std::uint64_t>{1};
  }
  bool published() const { return machine_.charges.published; }

  TileMachine const &machine_;
  TileConstraints const &constraints_;
  Sink &sink_;
  bool inTurn_;
  TileBounds bounds_;
  std::uint64_t tiles_;
  TileSplitLists lists_;
  bool quick_ = false;
  std::uint64_t considered_ = 0;
  double cheapestTooLarge_ = std::numeric_limits<double>::infinity();
};

} // namespace cottonwood::planner::detail
