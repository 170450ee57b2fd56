// What the largest block of a plan has: inputs, weights, sums, with and without padding.
#pragma once

#include "TileVertices.hpp"

namespace cottonwood::planner {

class TileSizes : public TileVertices {
public:
  /// \param seen  detail::seenBy(problem, plan)
  TileSizes(TileProblem const &seen, TileMachine const &machine, TilePlan const &plan)
      : p_(seen), machine_(machine), plan_(plan) {
    using detail::ceilDiv;
    block_ = detail::channelsOf(p_, plan);
    block_.g = std::min(block_.units * plan.convGroup, p_.g);
    block_.i = std::min<std::uint64_t>(block_.inGroups * plan.inGroup, p_.i);
    block_.n = std::min<std::uint64_t>(block_.outGroups * plan.outGroup, p_.n);
    if (flat()) {
      std::uint64_t const grains = ceilDiv(ceilDiv(p_.positions(), plan.grain), plan.splitY0);
      block_.outputs = {std::min(grains * plan.grain, p_.positions()), 1, 1};
      return;
    }
    block_.b = ceilDiv(p_.b, plan.splitB);
    std::uint64_t const y[] = {plan.splitY0, plan.splitY1, plan.splitY2};
    std::uint64_t const k[] = {plan.splitK0, plan.splitK1, plan.splitK2};
    for (std::size_t d = 0; d != 3; ++d) {
      block_.outputs[d] = ceilDiv(p_.field[d].outputs, y[d]);
      block_.taps[d] = ceilDiv(p_.field[d].taps, k[d]);
    }
  }

  TileBlock const &block() const { return block_; }

protected:
  bool flat() const { return plan_.flat; }
  std::uint64_t inBytes() const { return detail::bytesOf(p_.input); }
  std::uint64_t sumBytes() const { return detail::bytesOf(p_.partials); }

  /// Inputs of one channel.
  std::uint64_t places() const {
    if (flat())
      return block_.positions();
    return block_.b * needed(0) * needed(1) * needed(2);
  }
  /// Inputs of a block in one dimension.
  std::uint64_t needed(std::size_t d) const {
    if (p_.gatheredI == 0 || (plan_.expand >> d & 1U) == 0)
      return p_.field[d].inputsFor(block_.outputs[d], block_.taps[d]);
    // Of taps that are channels a block has some, those of the last dimension first.
    std::uint64_t taps = detail::ceilDiv(block_.i, p_.gatheredI) + (cutsInput() ? 1 : 0);
    for (std::size_t later = 2; later != d; --later)
      if (plan_.expand >> later & 1U)
        taps = detail::ceilDiv(taps, p_.gathered[later].taps) + (cutsInput() ? 1 : 0);
    return p_.gathered[d].inputsFor(block_.outputs[d], std::min(taps, p_.gathered[d].taps));
  }
  bool cutsInput() const { return plan_.splitI * plan_.serialI > 1; }
  /// Channels of these.
  std::uint64_t receivedChannels() const {
    return p_.gatheredI == 0 ? block_.i : std::min(block_.i, p_.gatheredI);
  }
  /// Elements that a tile lays out where taps become channels.
  std::uint64_t laidOut() const {
    return p_.gatheredI == 0 ? 0 : block_.g * block_.positions() * block_.i * block_.allTaps();
  }
  std::uint64_t paddedInput() const {
    return block_.g * places() * block_.inGroups * plan_.inGroup;
  }
  std::uint64_t paddedWeights() const {
    return block_.g * block_.outGroups * plan_.outGroup * block_.inGroups * plan_.inGroup *
           block_.allTaps();
  }
  std::uint64_t sums() const {
    return block_.g * block_.positions() * block_.outGroups * plan_.outGroup;
  }
  /// Tiles that use the same weights.
  std::uint64_t weightUsers() const { return plan_.places(); }
  /// Weights of a block. Where outputs are channels several products have the same one.
  std::uint64_t weights() const {
    if (p_.flattenedN == 0)
      return block_.g * block_.n * block_.i * block_.allTaps();
    std::uint64_t const pairs = periods(block_.n, p_.flattenedN, p_.n / p_.flattenedN) *
                                periods(block_.i, p_.flattenedI, p_.i / p_.flattenedI);
    return block_.g * std::min(block_.n, p_.flattenedN) * std::min(block_.i, p_.flattenedI) *
           std::min(pairs, p_.flattenedTaps) * block_.allTaps();
  }
  /// Those that a tile lays out.
  std::uint64_t laidOutWeights() const {
    return laysOutWeights(p_, plan_) ? block_.g * block_.n * block_.i * block_.allTaps() : 0;
  }
  /// True if blocks of different channels have weights in common.
  bool repeatsWeights() const {
    return p_.flattenedN != 0 && p_.n / p_.flattenedN * (p_.i / p_.flattenedI) > p_.flattenedTaps;
  }
  /// How many of `all` periods of some length a part of `size` touches.
  static std::uint64_t periods(std::uint64_t size, std::uint64_t length, std::uint64_t all) {
    if (length % size == 0 || size % length == 0)
      return std::max<std::uint64_t>(size / length, 1);
    return std::min(all, (size - 1) / length + 2);
  }
  std::uint64_t results() const { return block_.g * block_.positions() * block_.n; }

  std::uint64_t addCycles(std::uint64_t depth, std::uint64_t elements, bool last) const {
    MatMulType const out = last ? p_.output : p_.partials;
    return kernels::addPartialsCycles(machine_.amp.workers, depth, elements,
                                      p_.partials == MatMulType::HALF, out == MatMulType::HALF);
  }

  TileProblem const &p_;
  TileMachine const &machine_;
  TilePlan plan_;
  TileBlock block_;
};

} // namespace cottonwood::planner
