// What one plan for tiles costs: cycles of its parts and temporary bytes on a tile, by the charges
// of the model that runs emitted graphs, or by published ones.
#pragma once

#include "TileLinks.hpp"
#include "TilePublished.hpp"

namespace cottonwood::planner {

class TileCost : public TileSizes {
public:
  using TileSizes::TileSizes;

  TileTerms terms() const {
    return machine_.charges.published ? TilePublishedCost(p_, machine_, plan_).terms()
                                      : modelled(true);
  }
  /// The same but for what crosses from IPU to IPU, which takes the longest to find out: no plan is
  /// cheaper.
  TileTerms termsWithoutLinks() const {
    return machine_.charges.published ? terms() : modelled(false);
  }

  /// The largest operands and sums that a tile holds beside its share of the variables: a block's
  /// operands and sums, or what a tile adds up and the sums of its own; with input channels in turn
  /// the sums so far, before and after a turn.
  std::uint64_t bytes() const {
    if (machine_.charges.published)
      return TilePublishedCost(p_, machine_, plan_).bytes();
    std::uint64_t const inputs = block_.g * places() * receivedChannels();
    std::uint64_t const operands = (inputs + laidOut() + weights() + laidOutWeights()) * inBytes();
    std::uint64_t const partials = hasPartials() ? results() * sumBytes() : 0;
    std::uint64_t added = 0, share = results();
    forEachStage([&](std::uint64_t depth, std::uint64_t elements, bool) {
      added = std::max(added, elements * depth * sumBytes());
      share = elements;
    });
    std::uint64_t const soFar = plan_.serialI > 1 ? 2 * share * sumBytes() : 0;
    return partials + soFar + std::max(operands, hasPartials() ? added : 0);
  }

  /// True if the plan's tiles are on several IPUs.
  bool crosses() const {
    return machine_.tilesPerIPU != 0 && plan_.firstTile + plan_.parts() > machine_.tilesPerIPU;
  }

  Cost cost() const { return {static_cast<double>(terms().total()), bytes()}; }

  /// Cycles of a block.
  std::uint64_t vertices() const {
    return vertexCycles(p_, machine_.amp, plan_, block_, block_.units) +
           layOutCycles(laidOut(), together(p_, plan_), inBytes()) +
           layOutCycles(laidOutWeights(), weightsTogether(p_, plan_), inBytes());
  }

private:
  /// What of a plan's parts is innermost among tiles.
  enum class Neighbours { INPUT, WEIGHTS, NEITHER };
  /// What the two tiles of a pair have in common: the parts that are innermost among tiles and
  /// more than one say it, if they are even.
  Neighbours neighbours() const {
    std::string_view const order = EnumNames<TileOrder>::names[static_cast<int>(plan_.order)];
    for (std::size_t at = 3; at-- != 0;) {
      if (order[at] == 'n' && plan_.splitN > 1)
        return plan_.splitN % 2 == 0 ? Neighbours::INPUT : Neighbours::NEITHER;
      if (order[at] == 'i' && plan_.sums() > 1)
        return Neighbours::NEITHER;
      if (order[at] == 'y')
        for (std::uint64_t const split :
             {plan_.splitY2, plan_.splitY1, plan_.splitY0, plan_.splitB})
          if (split > 1)
            return split % 2 == 0 ? Neighbours::WEIGHTS : Neighbours::NEITHER;
    }
    return Neighbours::NEITHER;
  }
  bool hasPartials() const {
    return plan_.sums() > 1 || plan_.serialI > 1 || p_.partials != p_.output;
  }
  /// f(depth, elements, last): what the tile adds that adds the most. Rows are divided evenly among
  /// the sums that remain, and the elements of these among the tiles of the smallest number of
  /// rows.
  template <class F> void forEachStage(F &&f) const {
    std::uint64_t rows = plan_.sums(), elements = results();
    for (std::uint64_t const left : rowsAfterStages(rows, plan_.stages)) {
      elements = shareOf(elements, rows / left);
      f(detail::ceilDiv(rows, left), elements, left == 1);
      rows = left;
    }
  }
  std::uint64_t shareOf(std::uint64_t elements, std::uint64_t sharers) const {
    std::uint64_t const grain = 8 / sumBytes();
    return std::min(elements, detail::ceilDiv(detail::ceilDiv(elements, sharers), grain) * grain);
  }

  /// What the tile receives that receives the most: elements of a block that are divided among
  /// tiles in whole groups, without the smallest share.
  struct Received {
    std::uint64_t bytes = 0, messages = 0;
    std::uint64_t shared = 0; ///< bytes that its neighbour receives as well
  };
  /// \param runs    pieces of memory that the block consists of
  /// \param paired  the neighbour uses the same block
  Received received(std::uint64_t elements, std::uint64_t sharers, std::uint64_t runs,
                    bool paired) const {
    Received r;
    if (sharers <= 1)
      return r;
    std::uint64_t const grain = plan_.inGroup;
    std::uint64_t const each = detail::ceilDiv(detail::ceilDiv(elements, sharers), grain) * grain;
    std::uint64_t const shares = detail::ceilDiv(elements, each);
    std::uint64_t const last = shares < sharers ? 0 : elements - (shares - 1) * each;
    std::uint64_t const previous = shares + 1 < sharers ? 0
                                   : last == 0          ? elements - (shares - 1) * each
                                                        : each;
    r.bytes = (elements - last) * inBytes();
    r.messages = shares - (last == 0 ? 0 : 1) + runs - 1;
    if (paired && machine_.sharedExchangeBus)
      r.shared = (elements - last - previous) * inBytes();
    return r;
  }

  Received receivedInput() const {
    bool const paired = neighbours() == Neighbours::INPUT;
    std::uint64_t const elements = block_.g * places() * receivedChannels();
    std::uint64_t const groups = block_.units * detail::ceilDiv(receivedChannels(), plan_.inGroup);
    if (flat())
      return received(elements, plan_.splitN,
                      plan_.splitY0 > 1 ? block_.units * block_.inGroups : 1, paired);
    // Inputs are divided as outputs are; the rest of what a block needs lies with its neighbours.
    std::uint64_t const sharers =
        plan_.splitN * (p_.gatheredI == 0 ? plan_.sums() / plan_.splitI : plan_.sums());
    std::uint64_t const channels = p_.gatheredI == 0 ? block_.i : p_.gatheredI;
    std::uint64_t own = block_.g * block_.b * channels;
    std::uint64_t rows = groups * block_.b, neighbours = 1;
    std::uint64_t const splits[] = {plan_.splitY0, plan_.splitY1, plan_.splitY2};
    for (std::size_t d = 0; d != 3; ++d) {
      std::uint64_t const inputs = p_.gatheredI == 0 ? p_.field[d].inputs : p_.gathered[d].inputs;
      std::uint64_t const owned = std::min(needed(d), detail::ceilDiv(inputs, splits[d]));
      own *= owned;
      if (splits[d] > 1 && needed(d) > owned)
        neighbours *= std::min<std::uint64_t>(3, 1 + detail::ceilDiv(needed(d) - owned, owned));
    }
    bool const third = p_.field[2].outputs > 1;
    if (splits[1] > 1 || third)
      rows *= needed(0);
    if (splits[2] > 1)
      rows *= needed(1);
    Received r;
    own = std::min(elements, own / sharers);
    r.bytes = (elements - own) * inBytes();
    if (r.bytes == 0)
      return r;
    r.messages = std::min(rows * neighbours + sharers * neighbours, elements / plan_.inGroup);
    if (paired && machine_.sharedExchangeBus)
      r.shared = (elements - std::min(elements, 2 * own)) * inBytes();
    return r;
  }

  Received receivedWeights() const {
    std::uint64_t const runs = block_.g * (cutsInput() ? block_.outGroups : 1);
    if (repeatsWeights()) { // some tile holds none of its weights
      std::uint64_t const groups =
          detail::ceilDiv(std::min(block_.n, p_.flattenedN), plan_.outGroup) *
          detail::ceilDiv(std::min(block_.i, p_.flattenedI), plan_.inGroup);
      Received r;
      r.bytes = weights() * inBytes();
      r.messages = std::min(plan_.parts(), groups * runs);
      return r;
    }
    return received(weights(), weightUsers(), runs, neighbours() == Neighbours::WEIGHTS);
  }

  /// What blocks need of inputs that belong to their neighbours, half from either side.
  void halos(TileCrossing &crossing) const {
    std::uint64_t const splits[] = {plan_.splitY0, plan_.splitY1, plan_.splitY2};
    std::uint64_t stride = 1;
    for (std::size_t d = 3; d-- != 0; stride *= splits[d]) {
      if (flat() || splits[d] == 1)
        continue;
      std::uint64_t const inputs = p_.gatheredI == 0 ? p_.field[d].inputs : p_.gathered[d].inputs;
      std::uint64_t const all = needed(d),
                          owned = std::min(all, detail::ceilDiv(inputs, splits[d]));
      double const elements = static_cast<double>(block_.g * places() * receivedChannels());
      if (all > owned)
        crossing.halo(splits[d], stride,
                      elements * static_cast<double>(inBytes() * (all - owned)) /
                          static_cast<double>(2 * all));
    }
  }

  std::uint64_t exchange(std::uint64_t bytes, std::uint64_t shared, std::uint64_t messages) const {
    if (bytes == 0)
      return 0;
    TileCharges const &c = machine_.charges;
    return c.syncCycles + c.exchangeStartCycles +
           detail::ceilDiv(bytes - shared / 2, machine_.exchangeBytesPerCycle) +
           messages * c.messageCycles;
  }

  /// \param links  whether to charge what crosses from IPU to IPU
  TileTerms modelled(bool links) const {
    TileTerms terms;
    TileCharges const &c = machine_.charges;
    Received const in = receivedInput(), w = receivedWeights();
    terms.exchange = exchange(in.bytes + w.bytes, in.shared + w.shared, in.messages + w.messages);
    if (links && crosses() && terms.exchange != 0) {
      TileCrossing crossing(machine_, plan_);
      std::uint64_t const inputParts = // that have the same inputs
          flat() || p_.gatheredI == 0 ? plan_.sums() / plan_.splitI : plan_.sums();
      crossing.shareInputs(inputParts, block_.g * places() * receivedChannels() * inBytes());
      halos(crossing);
      if (repeatsWeights())
        crossing.gather(p_.g * p_.flattenedN * p_.flattenedI * p_.flattenedTaps * p_.taps() *
                            inBytes(),
                        weights() * inBytes());
      else
        crossing.share('y', weights() * inBytes());
      terms.exchange += crossing.cycles();
    }
    terms.compute = c.syncCycles + vertices();
    terms.reduction = addition(0, plan_.serialI == 1, links);
    if (plan_.serialI > 1) // turns add to the sums so far
      terms.reduction += (plan_.serialI - 2) * addition(1, false, links) + addition(1, true, links);
    terms.exchange *= plan_.serialParts();
    terms.compute *= plan_.serialParts();
    terms.reduction *= plan_.serialN;
    return terms;
  }

  /// Adding up after a turn. \param soFar  0 on the first turn, then 1: earlier sums are added
  /// where they lie. \param end  results come out, not sums
  std::uint64_t addition(std::uint64_t soFar, bool end, bool links) const {
    std::uint64_t cycles = 0;
    if (links && plan_.sums() > 1 && crosses()) {
      TileCrossing crossing(machine_, plan_);
      crossing.scatter('i', results() * sumBytes());
      cycles += crossing.cycles();
    }
    if (plan_.sums() > 1)
      forEachStage([&](std::uint64_t depth, std::uint64_t elements, bool last) {
        cycles += exchange(elements * (depth - 1) * sumBytes(), 0, depth - 1) +
                  machine_.charges.syncCycles +
                  addCycles(depth + (last ? soFar : 0), elements, last && end);
      });
    else if (soFar != 0)
      cycles = machine_.charges.syncCycles + addCycles(2, results(), end);
    else if (end && p_.partials != p_.output)
      cycles =
          machine_.charges.syncCycles + kernels::castPartialsCycles(machine_.amp.workers, results(),
                                                                    p_.partials == MatMulType::HALF,
                                                                    p_.output == MatMulType::HALF);
    return cycles;
  }
};

} // namespace cottonwood::planner
