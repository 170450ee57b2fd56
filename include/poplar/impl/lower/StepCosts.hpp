// The costs of one step of the BSP program while it is put together.
#pragma once

#include <poplar/impl/lower/BspCosts.hpp>
#include <poplar/impl/lower/Context.hpp>
#include <poplar/impl/lower/Exchange.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace cottonwood::lower::detail {

inline bool isTiled(Context const &context) {
  return context.out.target.getTargetType() != poplar::TargetType::CPU;
}

/// Bytes, messages and cycles of one step by tile.
class StepCosts {
public:
  explicit StepCosts(Context const &context)
      : cost_(context.out.target.getNumTiles()),
        tilesPerIPU_(std::max(1u, context.out.target.getTilesPerIPU())) {}

  struct Entry {
    std::uint64_t out = 0, in = 0, messages = 0;
    std::uint64_t shared = 0; ///< of `in`: what a neighbour on the bus receives as well
    std::uint64_t sends = 0;  ///< contiguous runs; `messages` are what arrives
    double cycles = 0;
    bool used = false;
  };
  Entry &at(std::uint32_t tile) {
    Entry &entry = cost_[tile];
    if (!entry.used) {
      entry.used = true;
      tiles_.push_back(tile);
    }
    return entry;
  }
  bool empty() const { return tiles_.empty(); }
  /// \param again  another tile receives the same words at the same time
  void send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t messages,
            bool again) {
    if (!again) {
      at(from).out += bytes;
      at(from).sends += messages;
    }
    at(to).in += bytes;
    at(to).messages += messages;
    if (from / tilesPerIPU_ != to / tilesPerIPU_)
      crossing_[{from / tilesPerIPU_, to / tilesPerIPU_}] += bytes;
  }

  void add(ExchangeLedger &ledger, poplar::Target const &target) {
    unsigned const bus =
        target.supportsExchangeBusSharing() ? target.getTilesPerSharedExchangeBus() : 1;
    if (target.getNumIPUs() > 1)
      ledger.traffic().forEachCrossing(
          tilesPerIPU_, [&](std::uint32_t src, std::uint32_t dst, std::uint64_t bytes) {
            crossing_[{src, dst}] += bytes;
          });
    ledger.traffic().settle(bus, [&](std::uint32_t tile, model::TileTraffic const &traffic) {
      Entry &entry = at(tile);
      entry.out += traffic.out;
      entry.in += traffic.in;
      entry.messages += traffic.messages;
      entry.sends += traffic.sends;
      entry.shared += traffic.shared;
    });
  }

  /// Appends the step and forgets its costs. `bytesPerCycle` is the exchange's.
  std::uint32_t finish(Context &context, BspStep step, std::uint64_t start,
                       std::uint64_t bytesPerCycle, std::uint64_t syncCycles = cost::SYNC);

private:
  std::uint64_t linkCycles(poplar::Target const &target) const;

  std::vector<Entry> cost_;
  std::vector<std::uint32_t> tiles_;
  std::uint32_t tilesPerIPU_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      crossing_; ///< bytes by source and destination IPU
};

} // namespace cottonwood::lower::detail
