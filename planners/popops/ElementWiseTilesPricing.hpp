// How one plan of an operation element by element is priced: what each tile receives, lays together
// and computes.
#pragma once

#include "ElementWiseTilesCost.hpp"

#include <poplar/impl/model/Traffic.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace cottonwood::planner {

/// One plan.
struct TileMapCost::Pricing {
  static constexpr std::uint64_t RESULT = ~std::uint64_t{0}; ///< as a variable in ledgers

  TileMapCost const &cost;
  TileMapPlan const &plan;
  TileMapProblem const &p = cost.p_;
  model::TrafficLedger brought{}, taken{};
  struct OnTile {
    std::uint64_t arrives = 0; ///< bytes, with those that are laid together
    double gather = 0, scatter = 0;
  };
  std::vector<OnTile> tiles = std::vector<OnTile>(p.tiles);

  /// What a vertex reads (or writes) of a tensor, where it lies.
  struct Need {
    std::vector<Range> ranges;  ///< of its own elements
    std::uint64_t elements = 0; ///< as the vertex sees them, repeated ones each time
    std::uint64_t pieces = 0;   ///< runs of these; 0: as many as `ranges` on a tile
    double cycles = 0;          ///< of copying these runs together
  };

  Priced run() {
    bool const moves = p.places && plan.place != MapPlace::RESULT;
    TileMapTerms terms;
    std::uint64_t compute = 0, resultBytes = 0;
    for (TileMapShare const &share : cost.shares(plan)) {
      std::uint64_t cycles = 0, elements = 0;
      for (Range const &interval : share.intervals)
        elements += interval.second - interval.first;
      if (plan.together) {
        vertexOf(share.tile, share.intervals, elements, moves);
        cycles = cost.vertex(elements);
      } else {
        for (Range const &interval : share.intervals) {
          vertexOf(share.tile, {interval}, interval.second - interval.first, moves);
          cycles += cost.vertex(interval.second - interval.first);
        }
      }
      compute = std::max(compute, cycles);
      resultBytes = std::max(resultBytes, moves ? elements * p.resultBytes : 0);
    }
    terms.compute = cost.charges_.compute(compute);
    terms.exchange = settled(brought, true);
    terms.home = settled(taken, false);
    double gather = 0, scatter = 0;
    Priced priced;
    for (OnTile const &tile : tiles) {
      gather = std::max(gather, tile.gather);
      scatter = std::max(scatter, tile.scatter);
      priced.bytes = std::max(priced.bytes, tile.arrives);
    }
    terms.gather = static_cast<std::uint64_t>(std::llround(gather));
    terms.home += static_cast<std::uint64_t>(std::llround(scatter));
    priced.terms = terms;
    priced.required = priced.bytes + resultBytes;
    return priced;
  }

  std::uint64_t settled(model::TrafficLedger &ledger, bool arrives) {
    if (ledger.empty())
      return 0;
    std::uint64_t links = 0;
    if (p.tilesPerIPU != 0) {
      std::map<std::pair<unsigned, unsigned>, std::uint64_t> crossing;
      ledger.forEachCrossing(p.tilesPerIPU, [&](unsigned from, unsigned to, std::uint64_t bytes) {
        crossing[{from, to}] += bytes;
      });
      std::uint64_t most = 0;
      for (auto const &[way, bytes] : crossing)
        most = std::max(most, bytes);
      if (most != 0)
        links = p.globalSyncCycles;
      if (p.linkBytesPerCycle > 0)
        links += static_cast<std::uint64_t>(static_cast<double>(most) / p.linkBytesPerCycle);
    }
    std::vector<model::TileTraffic> traffics(p.tiles);
    ledger.settle(p.tilesPerBus, [&](unsigned tile, model::TileTraffic const &traffic) {
      model::TileTraffic &all = traffics[tile];
      all.out += traffic.out, all.in += traffic.in;
      all.messages += traffic.messages, all.shared += traffic.shared;
    });
    std::uint64_t longest = 0;
    for (unsigned tile = 0; tile != p.tiles; ++tile) {
      model::TileTraffic const &traffic = traffics[tile];
      longest = std::max(longest,
                         cost.charges_.exchange(std::max<std::uint64_t>(1, traffic.transferred()),
                                                traffic.messages));
      if (arrives)
        tiles[tile].arrives += traffic.in;
    }
    return longest + links;
  }

  /// A tensor that vertices use.
  struct Used {
    IntervalLayout const &layout;
    Ranks const &ranks;
    std::uint64_t what; ///< in ledgers
    unsigned bytes;
    std::uint64_t run, distinct;
    bool reads, writes;
  };

  void vertexOf(unsigned tile, std::vector<Range> const &intervals, std::uint64_t elements,
                bool moves) {
    for (std::size_t o = 0; o != cost.operands_.size(); ++o) {
      TileMapOperand const &operand = cost.operands_[o];
      use({operand.layout, cost.ranks_[o], operand.source, operand.bytes, operand.run,
           operand.distinct, true, false},
          tile, needOf(operand, intervals, elements));
    }
    if (!moves)
      use({cost.result_, cost.resultRanks_, RESULT, p.resultBytes, p.resultRun, 0, p.inPlace, true},
          tile, {intervals, elements, 0, 0});
  }

  /// Books what a vertex on a tile reads or writes of a tensor.
  void use(Used const &used, unsigned tile, Need const &need) {
    if (used.layout.empty())
      return anywhere(used, tile, need);
    std::uint64_t all = 0, local = 0, pieces = 0, piece = 0, end = ~std::uint64_t{0};
    double cycles = 0; // of copying the pieces together
    auto const close = [&] {
      cycles += copyCycles(piece, used.run == 0 ? piece : used.run, used.bytes);
      piece = 0;
    };
    for (Range const &range : need.ranges)
      forEachPart(used.layout, range, [&](std::size_t i, std::uint64_t from, std::uint64_t to) {
        all += to - from;
        if (used.layout[i].tile != tile)
          return send(used, tile, used.layout[i].tile, from, to);
        std::uint64_t const rank = used.ranks[i] + from - used.layout[i].begin;
        if (rank != end) {
          close();
          ++pieces;
        }
        piece += to - from;
        local += to - from;
        end = rank + to - from;
      });
    if (local == 0)
      return;
    close();
    if (used.run != 0)
      pieces = std::max(pieces, detail::ceilQuotient(local, used.run));
    if (local == all && need.pieces > pieces) { // what repeats lies together with what arrives
      pieces = need.pieces;
      cycles = need.cycles;
    }
    if (pieces <= 1)
      return;
    if (local != all) { // laid with what arrives
      for (Range const &range : need.ranges)
        forEachPart(used.layout, range, [&](std::size_t i, std::uint64_t from, std::uint64_t to) {
          if (used.layout[i].tile == tile)
            send(used, tile, tile, from, to);
        });
      return;
    }
    OnTile &copied = tiles[tile];
    auto const charge = [&](double &to) { to += cycles + (to == 0 ? StepCharges::COPY_START : 0); };
    copied.arrives += need.elements * used.bytes;
    if (used.reads)
      charge(copied.gather);
    if (used.writes)
      charge(copied.scatter);
  }

  /// Elements [from, to) of its layout go to (or come from) another tile.
  void send(Used const &used, unsigned tile, unsigned other, std::uint64_t from, std::uint64_t to) {
    std::uint64_t const distinct = used.distinct;
    if (distinct == 0)
      return sendOnce(used, tile, other, from, to);
    std::uint64_t const begin = from % distinct, end = begin + to - from;
    if (to - from >= distinct)
      return sendOnce(used, tile, other, 0, distinct);
    sendOnce(used, tile, other, begin, std::min(end, distinct));
    if (end > distinct)
      sendOnce(used, tile, other, 0, end - distinct);
  }

  void sendOnce(Used const &used, unsigned tile, unsigned other, std::uint64_t from,
                std::uint64_t to) {
    std::uint64_t const n = to - from;
    bool const isOneRun = used.run == 0 || used.run >= n;
    auto const add = [&](model::TrafficLedger &ledger, unsigned at, unsigned source) {
      if (isOneRun)
        ledger.add(at, source, used.what, from * used.bytes, to * used.bytes, n * used.bytes, 1);
      else // bytes that lie apart
        ledger.add(at, source, used.what, 0, ~std::uint64_t{0}, n * used.bytes,
                   detail::ceilQuotient(n, used.run));
    };
    if (used.reads)
      add(brought, tile, other);
    if (used.writes)
      add(taken, other, tile);
  }

  /// Of a tensor that lies anywhere, all arrives.
  void anywhere(Used const &used, unsigned tile, Need const &need) {
    std::uint64_t n = 0;
    for (Range const &range : need.ranges)
      n += range.second - range.first;
    unsigned const other = (tile + 1) % p.tiles;
    brought.add(tile, other, used.what, 0, ~std::uint64_t{0}, n * used.bytes,
                detail::ceilQuotient(n, std::max<std::uint64_t>(1, used.run)));
  }

  Need needOf(TileMapOperand const &operand, std::vector<Range> const &intervals,
              std::uint64_t elements) const {
    if (operand.isFull())
      return {intervals, elements, 0, 0};
    if (operand.isScalar(p.elements))
      return {{{0, 1}}, 1, 0, 0};
    if (!plan.broadcasts && intervals.size() == 1)
      return stepped(operand, intervals.front());
    Need need{{}, elements, 0, 0};
    for (Range const &interval : intervals)
      laidOut(operand, interval, need);
    std::sort(need.ranges.begin(), need.ranges.end());
    std::vector<Range> once; // each element arrives once
    for (Range const &range : need.ranges)
      if (!once.empty() && range.first <= once.back().second)
        once.back().second = std::max(once.back().second, range.second);
      else
        once.push_back(range);
    need.ranges = std::move(once);
    return need;
  }

  /// Of elements in pieces of a length.
  static double copyCycles(std::uint64_t elements, std::uint64_t piece, unsigned bytes) {
    return static_cast<double>(elements * bytes) * StepCharges::copyCyclesPerByte(piece * bytes);
  }

  /// Whole periods, which the vertex repeats; less within one.
  static Need stepped(TileMapOperand const &operand, Range const &interval) {
    std::uint64_t const block = operand.period * operand.repeat;
    std::uint64_t const first = interval.first / block, last = (interval.second - 1) / block;
    std::uint64_t const begin = first * operand.period;
    std::uint64_t const phase = interval.first % block % operand.period;
    std::uint64_t const size = interval.second - interval.first;
    if (first == last && phase + size <= operand.period)
      return {{{begin + phase, begin + phase + size}}, size, 0, 0};
    std::uint64_t const end = (last + 1) * operand.period;
    return {{{begin, end}}, end - begin, 0, 0};
  }

  /// Each element of the interval by itself.
  static void laidOut(TileMapOperand const &operand, Range const &interval, Need &need) {
    std::uint64_t const period = operand.period, block = period * operand.repeat;
    for (std::uint64_t at = interval.first; at < interval.second;) {
      if (at % block == 0 && interval.second - at >= 2 * block) { // whole blocks, all at once
        std::uint64_t const blocks = (interval.second - at) / block;
        need.ranges.emplace_back(at / block * period, (at / block + blocks) * period);
        need.pieces += blocks * operand.repeat;
        need.cycles += copyCycles(blocks * block, period, operand.bytes);
        at += blocks * block;
        continue;
      }
      std::uint64_t const inBlock = at % block, begin = at / block * period;
      std::uint64_t const end = std::min(interval.second, at - inBlock + block), n = end - at;
      std::uint64_t const phase = inBlock % period;
      if (phase + n <= period) {
        need.ranges.emplace_back(begin + phase, begin + phase + n);
      } else if (n >= period) {
        need.ranges.emplace_back(begin, begin + period);
      } else {
        need.ranges.emplace_back(begin, begin + phase + n - period);
        need.ranges.emplace_back(begin + phase, begin + period);
      }
      need.pieces += (phase + n + period - 1) / period;
      std::uint64_t const head = std::min(n, (period - phase) % period), tail = (n - head) % period;
      need.cycles += copyCycles(head, head, operand.bytes) + copyCycles(tail, tail, operand.bytes) +
                     copyCycles(n - head - tail, period, operand.bytes);
      at = end;
    }
  }
};

inline TileMapCost::Priced TileMapCost::price(TileMapPlan const &plan) const {
  Pricing pricing{*this, plan};
  return pricing.run();
}

} // namespace cottonwood::planner
