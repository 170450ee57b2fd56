// What transposing matrices on tiles costs.
#pragma once

#include "RearrangeTypes.hpp"

#include <codelets/popops/TransposeCost.hpp>
#include <poplar/impl/model/Traffic.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace cottonwood::planner {

/// Matrices [begin, end) that begin on a tile.
struct HomeMatrices {
  std::uint64_t begin, end;
  unsigned tile;
};

class TransposeCost {
public:
  /// Keeps references. \param layout  of the input; empty: anywhere
  TransposeCost(TransposeProblem const &problem, IntervalLayout const &layout,
                StepCharges const &charges = {})
      : p_(problem), layout_(layout), charges_(charges), held_(problem.tiles) {
    for (LaidInterval const &interval : layout)
      held_[interval.tile] += interval.end - interval.begin;
    mostHeld_ = held_.empty() ? 0 : *std::max_element(held_.begin(), held_.end());
  }

  struct Priced {
    TransposeTerms terms;
    std::uint64_t bytes = 0;    ///< that arrive on the fullest tile
    std::uint64_t required = 0; ///< with its results
  };

  /// Rows and columns of blocks are multiples, so that vertices move whole words.
  std::uint64_t grain() const { return std::max(1U, 8 / std::max(1U, p_.elementBytes)); }

  std::uint64_t vertex(std::uint64_t matrices, std::uint64_t rows, std::uint64_t columns) const {
    return vertices::transposeCycles(p_.elementBytes, rows, columns, matrices, p_.workers);
  }

  std::uint64_t numBlocks(TransposePlan const &plan) const {
    return detail::ceilQuotient(p_.matrices, plan.matrices) *
           detail::ceilQuotient(p_.rows, plan.rows) *
           detail::ceilQuotient(p_.columns, plan.columns);
  }

  /// Matrices by the tile that they begin on; of a known layout.
  std::vector<HomeMatrices> homes() const {
    std::vector<HomeMatrices> homes;
    std::uint64_t const size = p_.rows * p_.columns;
    for (LaidInterval const &interval : layout_) {
      std::uint64_t const begin = detail::ceilQuotient(interval.begin, size),
                          end = detail::ceilQuotient(interval.end, size);
      if (begin != end)
        homes.push_back({begin, end, interval.tile});
    }
    return homes;
  }

  Priced price(TransposePlan const &plan) const { return plan.home ? atHome() : inBlocks(plan); }

  /// Messages in which `elements` of a region of `runs` runs arrive: each is cut where the source
  /// tile changes.
  std::uint64_t messages(std::uint64_t runs, std::uint64_t elements) const {
    std::uint64_t const length =
        layout_.empty() ? 1 : std::max<std::uint64_t>(1, p_.elements() / layout_.size());
    return std::min(elements, runs + elements / length);
  }
  /// An exchange of which the busiest tile receives so many elements.
  std::uint64_t exchange(std::uint64_t elements, std::uint64_t runs) const {
    return elements == 0 ? 0
                         : charges_.exchange(std::max(elements, mostHeld_) * p_.elementBytes,
                                             messages(runs, elements));
  }

private:
  Priced atHome() const {
    Tiles tiles(p_.tiles);
    model::TrafficLedger ledger;
    for (HomeMatrices const &home : homes()) {
      std::uint64_t const size = p_.rows * p_.columns;
      OnTile &tile = tiles[home.tile];
      tile.compute += vertex(home.end - home.begin, p_.rows, p_.columns);
      tile.elements += (home.end - home.begin) * size;
      bring(ledger, home.tile, home.begin * size, home.end * size);
    }
    return settled(ledger, tiles);
  }

  /// Blocks of whole rows are looked at one by one; others receive all that they have, by rule.
  Priced inBlocks(TransposePlan const &plan) const {
    std::uint64_t const elements = plan.matrices * plan.rows * plan.columns;
    if (plan.columns == p_.columns && !layout_.empty()) {
      Tiles tiles(p_.tiles);
      model::TrafficLedger ledger;
      unsigned tile = 0;
      std::uint64_t const size = p_.rows * p_.columns;
      for (std::uint64_t m = 0; m < p_.matrices; m += plan.matrices)
        for (std::uint64_t r = 0; r < p_.rows; r += plan.rows, ++tile) {
          std::uint64_t const matrices = std::min(plan.matrices, p_.matrices - m),
                              rows = std::min(plan.rows, p_.rows - r);
          std::uint64_t const begin = m * size + r * p_.columns;
          tiles[tile].compute = vertex(matrices, rows, p_.columns);
          tiles[tile].elements = matrices * rows * p_.columns;
          bring(ledger, tile, begin, begin + tiles[tile].elements);
        }
      return settled(ledger, tiles);
    }
    std::uint64_t const runs = plan.columns == p_.columns ? 1 : plan.matrices * plan.rows;
    Priced priced;
    priced.terms.exchange = exchange(elements, runs);
    priced.terms.compute = charges_.compute(slowest(plan));
    priced.bytes = elements * p_.elementBytes;
    priced.required = 2 * priced.bytes;
    return priced;
  }

  /// Blocks at the edges are smaller, but may have no whole words.
  std::uint64_t slowest(TransposePlan const &plan) const {
    std::uint64_t cycles = 0;
    for (std::uint64_t const rows : {plan.rows, p_.rows % plan.rows})
      for (std::uint64_t const columns : {plan.columns, p_.columns % plan.columns})
        if (rows != 0 && columns != 0)
          cycles = std::max(cycles, vertex(plan.matrices, rows, columns));
    return cycles;
  }

  struct OnTile {
    std::uint64_t compute = 0, elements = 0;
  };
  using Tiles = std::vector<OnTile>;

  /// Elements [begin, end) to a tile.
  void bring(model::TrafficLedger &ledger, unsigned tile, std::uint64_t begin,
             std::uint64_t end) const {
    auto at = std::upper_bound(
        layout_.begin(), layout_.end(), begin,
        [](std::uint64_t element, LaidInterval const &x) { return element < x.end; });
    for (; at != layout_.end() && at->begin < end; ++at)
      if (at->tile != tile) {
        std::uint64_t const from = std::max(begin, at->begin) * p_.elementBytes,
                            to = std::min(end, at->end) * p_.elementBytes;
        ledger.add(tile, at->tile, 0, from, to, to - from, 1);
      }
  }

  Priced settled(model::TrafficLedger &ledger, Tiles const &tiles) const {
    Priced priced;
    bool const exchanges = !ledger.empty();
    std::vector<model::TileTraffic> traffics(p_.tiles);
    ledger.settle(p_.tilesPerBus, [&](unsigned tile, model::TileTraffic const &traffic) {
      model::TileTraffic &all = traffics[tile];
      all.out += traffic.out, all.in += traffic.in;
      all.messages += traffic.messages, all.shared += traffic.shared;
    });
    std::uint64_t compute = 0;
    for (unsigned tile = 0; tile != p_.tiles; ++tile) {
      model::TileTraffic const &traffic = traffics[tile];
      if (exchanges)
        priced.terms.exchange = std::max(
            priced.terms.exchange,
            charges_.exchange(std::max<std::uint64_t>(1, traffic.transferred()), traffic.messages));
      compute = std::max(compute, tiles[tile].compute);
      priced.bytes = std::max(priced.bytes, traffic.in);
      priced.required =
          std::max(priced.required, traffic.in + tiles[tile].elements * p_.elementBytes);
    }
    priced.terms.compute = charges_.compute(compute);
    return priced;
  }

  TransposeProblem const &p_;
  IntervalLayout const &layout_;
  StepCharges charges_;
  std::vector<std::uint64_t> held_;
  std::uint64_t mostHeld_ = 0;
};

} // namespace cottonwood::planner
