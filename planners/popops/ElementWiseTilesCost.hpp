// What an operation element by element costs on tiles.
#pragma once

#include "ElementWiseTilesTypes.hpp"

#include <algorithm>
#include <vector>

namespace cottonwood::planner {

/// Prices plans of one problem as the model would what they emit.
class TileMapCost {
public:
  /// Keeps references. \param result  where the result lies, or usually would; not empty
  TileMapCost(TileMapProblem const &problem, std::vector<TileMapOperand> const &operands,
              IntervalLayout const &result, StepCharges const &charges = {})
      : p_(problem), operands_(operands), result_(result), charges_(charges),
        resultRanks_(ranksOf(result)) {
    for (TileMapOperand const &operand : operands)
      ranks_.push_back(ranksOf(operand.layout));
  }

  struct Priced {
    TileMapTerms terms;
    std::uint64_t bytes = 0;    ///< of temporaries on the fullest tile
    std::uint64_t required = 0; ///< of these and of results that the plan places
  };

  std::uint64_t vertex(std::uint64_t elements) const {
    return p_.vertex == ElementVertex::CAST
               ? vertices::castCycles(p_.cast, elements, p_.workers)
               : vertices::mapCycles(elements, p_.cyclesPer8, p_.workers);
  }
  /// No plan with so many elements on some tile costs less.
  std::uint64_t leastWith(std::uint64_t elements) const {
    return charges_.compute(vertex(elements));
  }
  std::uint64_t leastOfAll() const {
    return leastWith(detail::ceilQuotient(p_.elements, p_.tiles));
  }

  /// Elements that stay together, so that no word of a tile holds another tile's.
  std::uint64_t grain() const {
    unsigned smallest = p_.resultBytes;
    for (TileMapOperand const &operand : operands_)
      smallest = std::min(smallest, operand.bytes);
    return std::max(1U, 8 / std::max(1U, smallest));
  }

  /// What each tile computes by the plan, by tile.
  std::vector<TileMapShare> shares(TileMapPlan const &plan) const {
    switch (plan.place) {
    case MapPlace::RESULT:
      return byTile(result_);
    case MapPlace::OPERAND:
      return byTile(operands_[plan.operand].layout);
    case MapPlace::EVEN:
      break;
    }
    std::vector<TileMapShare> shares;
    for (std::uint64_t begin = 0; begin < p_.elements; begin += plan.onTile)
      shares.push_back({static_cast<unsigned>(shares.size()),
                        {{begin, std::min(begin + plan.onTile, p_.elements)}}});
    return shares;
  }

  Priced price(TileMapPlan const &plan) const;

  /// No plan with EVEN's elements on a tile costs less: computing them, bringing those operands of
  /// which each element is used once, and taking home a result that has its place.
  std::uint64_t leastEven(std::uint64_t onTile) const {
    Flow brought(p_.tiles), taken(p_.tiles);
    for (std::size_t o = 0; o != operands_.size(); ++o) {
      TileMapOperand const &operand = operands_[o];
      bool known = operand.isFull() && operand.run == 0 && operand.distinct == 0;
      for (std::size_t before = 0; before != o; ++before)
        known = known && operands_[before].source != operand.source;
      if (known)
        forEachMoved(operand.layout, onTile, [&](unsigned home, unsigned tile, std::uint64_t n) {
          brought.add(home, tile, n * operand.bytes);
        });
    }
    if (!p_.places && p_.resultRun == 0)
      forEachMoved(result_, onTile, [&](unsigned home, unsigned tile, std::uint64_t n) {
        taken.add(tile, home, n * p_.resultBytes);
        if (p_.inPlace)
          brought.add(home, tile, n * p_.resultBytes);
      });
    return brought.cycles(charges_) + leastWith(std::min(onTile, p_.elements)) +
           taken.cycles(charges_);
  }

private:
  /// What tiles send and receive in one exchange.
  struct Flow {
    explicit Flow(unsigned tiles) : in(tiles), out(tiles), messages(tiles) {}
    void add(unsigned from, unsigned to, std::uint64_t bytes) {
      in[to] += bytes;
      out[from] += bytes;
      ++messages[to];
    }
    std::uint64_t cycles(StepCharges const &charges) const {
      std::uint64_t most = 0;
      for (std::size_t tile = 0; tile != in.size(); ++tile)
        most = std::max(most, charges.exchange(std::max(in[tile], out[tile]), messages[tile]));
      return most;
    }
    std::vector<std::uint64_t> in, out, messages;
  };

  /// f(where they lie, tile that computes them, elements) for what EVEN moves of a layout.
  template <class F>
  static void forEachMoved(IntervalLayout const &layout, std::uint64_t onTile, F &&f) {
    for (LaidInterval const &interval : layout)
      for (std::uint64_t at = interval.begin; at < interval.end;) {
        auto const tile = static_cast<unsigned>(at / onTile);
        std::uint64_t const end = std::min(interval.end, (tile + 1) * onTile);
        if (tile != interval.tile)
          f(interval.tile, tile, end - at);
        at = end;
      }
  }

  using Ranks = std::vector<std::uint64_t>; ///< elements of its tile before each interval
  using Range = std::pair<std::uint64_t, std::uint64_t>;

  Ranks ranksOf(IntervalLayout const &layout) const {
    std::vector<std::uint64_t> held(p_.tiles);
    Ranks ranks;
    ranks.reserve(layout.size());
    for (LaidInterval const &interval : layout) {
      std::uint64_t &before = held[interval.tile];
      ranks.push_back(before);
      before += interval.end - interval.begin;
    }
    return ranks;
  }

  static std::vector<TileMapShare> byTile(IntervalLayout const &layout) {
    std::vector<LaidInterval> sorted = layout;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](LaidInterval const &a, LaidInterval const &b) { return a.tile < b.tile; });
    std::vector<TileMapShare> shares;
    for (LaidInterval const &interval : sorted) {
      if (shares.empty() || shares.back().tile != interval.tile)
        shares.push_back({interval.tile, {}});
      shares.back().intervals.emplace_back(interval.begin, interval.end);
    }
    return shares;
  }

  /// f(index of interval, begin, end) for the parts of a range.
  template <class F>
  static void forEachPart(IntervalLayout const &layout, Range const &range, F &&f) {
    auto at =
        std::upper_bound(layout.begin(), layout.end(), range.first,
                         [](std::uint64_t begin, LaidInterval const &x) { return begin < x.end; });
    for (; at != layout.end() && at->begin < range.second; ++at)
      f(static_cast<std::size_t>(at - layout.begin()), std::max(range.first, at->begin),
        std::min(range.second, at->end));
  }

  struct Pricing;

  TileMapProblem const &p_;
  std::vector<TileMapOperand> const &operands_;
  IntervalLayout const &result_;
  StepCharges charges_;
  Ranks resultRanks_;
  std::vector<Ranks> ranks_;
};

} // namespace cottonwood::planner
