// What one plan for tiles costs: cycles of its parts and temporary bytes on a tile.
#pragma once

#include "TileLinks.hpp"
#include "TileReduce.hpp"
#include "TileTypes.hpp"

#include <codelets/poplin/MacCost.hpp>

namespace cottonwood::planner {

/// Units that a plan cuts: largest parts of everything.
struct TileBlock {
  std::uint64_t g = 1, b = 1, n = 1, i = 1; ///< channels without padding
  std::uint64_t inGroups = 1, outGroups = 1;
  std::uint64_t units = 1; ///< groups of TilePlan::convGroup groups
  std::array<std::uint64_t, 3> outputs{1, 1, 1}, taps{1, 1, 1};

  std::uint64_t positions() const { return b * outputs[0] * outputs[1] * outputs[2]; }
  std::uint64_t allTaps() const { return taps[0] * taps[1] * taps[2]; }
};

namespace detail {

inline std::uint64_t bytesOf(MatMulType type) { return type == MatMulType::HALF ? 2 : 4; }

/// The problem as a plan sees it: operands swapped, taps laid out as channels. Where windows lie
/// side by side that is a matter of order; elsewhere tiles lay out what they receive.
inline TileProblem seenBy(TileProblem problem, TilePlan const &plan) {
  if (plan.swap)
    std::swap(problem.n, problem.field[0].outputs);
  if (plan.swap)
    problem.field[0].inputs = problem.field[0].outputs;
  if (plan.expand != 0) {
    if (!problem.expands || plan.expand != problem.windows())
      problem.gatheredI = problem.i, problem.gathered = problem.field;
    for (std::uint32_t d = 0; d != 3; ++d)
      if (plan.expand >> d & 1U) {
        TileField &f = problem.field[d];
        problem.i *= f.taps;
        f = {f.outputs, 1, f.outputs};
      }
  }
  return problem;
}

/// The groups of a block, and those of its channels. Groups at a time are like one with the
/// channels of all.
inline TileBlock channelsOf(TileProblem const &seen, TilePlan const &plan) {
  TileBlock block;
  block.units = ceilDiv(ceilDiv(seen.g, plan.convGroup), plan.splitG);
  block.inGroups =
      ceilDiv(ceilDiv(seen.i * plan.convGroup, plan.inGroup), plan.splitI * plan.serialI);
  block.outGroups =
      ceilDiv(ceilDiv(seen.n * plan.convGroup, plan.outGroup), plan.splitN * plan.serialN);
  return block;
}

/// The matrix unit as a plan uses it.
inline kernels::AmpUnit unitsOf(kernels::AmpUnit amp, TilePlan const &plan) {
  if (plan.units != 0)
    amp.units = plan.units;
  return amp;
}

/// Cycles a byte of laying out what a tile received, by the bytes that lie together: a regression
/// over copies on hardware.
constexpr double layOutCyclesPerByte(std::uint64_t together) {
  return together >= 64 ? 0.125 : together % 8 == 0 ? 0.4404 : together % 4 == 0 ? 3.125 : 5.1484;
}
inline constexpr std::uint64_t LAY_OUT_START = 83;

} // namespace detail

class TileCost {
public:
  /// \param seen  detail::seenBy(problem, plan)
  TileCost(TileProblem const &seen, TileMachine const &machine, TilePlan const &plan)
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

  TileTerms terms() const {
    TileTerms terms;
    if (machine_.charges.published)
      published(terms);
    else
      modelled(terms);
    return terms;
  }

  /// The largest operands and sums that a tile holds beside its share of the variables: a block's
  /// operands and sums, or what a tile adds up and the sums of its own; with input channels in turn
  /// the sums so far, before and after a turn.
  std::uint64_t bytes() const {
    if (machine_.charges.published)
      return (paddedInput() + paddedWeights()) * inBytes() + sums() * sumBytes();
    std::uint64_t const inputs = block_.g * places() * receivedChannels();
    std::uint64_t const operands = (inputs + laidOut() + weights()) * inBytes();
    std::uint64_t const partials = hasPartials() ? results() * sumBytes() : 0;
    std::uint64_t added = 0, share = results();
    forEachStage([&](std::uint64_t depth, std::uint64_t elements, bool) {
      added = std::max(added, elements * depth * sumBytes());
      share = elements;
    });
    std::uint64_t const soFar = plan_.serialI > 1 ? 2 * share * sumBytes() : 0;
    return partials + soFar + std::max(operands, hasPartials() ? added : 0);
  }

  Cost cost() const { return {static_cast<double>(terms().total()), bytes()}; }

  /// Cycles of a block.
  std::uint64_t vertices() const {
    return vertexCycles(p_, machine_.amp, plan_, block_, block_.units) +
           layOutCycles(laidOut(), together(p_, plan_), inBytes());
  }

  /// Elements that lie side by side where a tile lays taps out as channels.
  static std::uint64_t together(TileProblem const &seen, TilePlan const &plan) {
    std::uint64_t elements = seen.gatheredI;
    // Taps of the last dimension follow one another.
    std::size_t const last = rowsAlong(seen);
    if (plan.expand >> last & 1U && seen.gathered[last].tapStep == 1 &&
        seen.gathered[last].inputStep == 1)
      elements *= seen.gathered[last].taps;
    return elements;
  }
  static std::uint64_t layOutCycles(std::uint64_t elements, std::uint64_t together,
                                    std::uint64_t elementBytes) {
    if (elements == 0)
      return 0;
    double const cycles = static_cast<double>(elements * elementBytes) *
                          detail::layOutCyclesPerByte(together * elementBytes);
    return detail::LAY_OUT_START + static_cast<std::uint64_t>(std::ceil(cycles));
  }

  /// Cycles of so many groups of a block: of a vertex each, or `together` of one for all, as
  /// published planners have it.
  static std::uint64_t vertexCycles(TileProblem const &seen, kernels::AmpUnit const &all,
                                    TilePlan const &plan, TileBlock const &block,
                                    std::uint64_t units, bool together = false) {
    kernels::AmpUnit const amp = detail::unitsOf(all, plan);
    kernels::AmpBlock const ampBlock{together ? units : 1, block.inGroups, block.outGroups,
                                     plan.outGroup};
    std::uint64_t const times = together ? 1 : units;
    if (plan.method == TileMethod::AMP_1X1)
      return times * kernels::amp1x1Cycles(amp, block.positions(), ampBlock);
    // The last dimension that is not of one output is the one along which rows run.
    std::size_t const along = plan.flat ? 0 : rowsAlong(seen);
    std::uint64_t const width = block.outputs[along], rows = block.positions() / width;
    if (plan.method == TileMethod::AMP_NX1)
      return times * kernels::ampNx1Cycles(amp, rows, width, block.taps[0],
                                           block.taps[1] * block.taps[2], plan.filterHeight,
                                           ampBlock);
    if (plan.method == TileMethod::SLIC) {
      std::uint64_t const windows =
          block.allTaps() / block.taps[along] * detail::ceilDiv(block.taps[along], 4);
      return kernels::slicCycles(amp, rows, width, seen.field[along].stride, windows,
                                 plan.convGroup, units);
    }
    kernels::MacBlock const mac{rows,
                                width,
                                block.allTaps(),
                                units,
                                block.inGroups,
                                block.outGroups,
                                plan.inGroup,
                                plan.outGroup,
                                amp.halfInput,
                                amp.halfPartials,
                                amp.workers};
    return plan.method == TileMethod::HMAC   ? kernels::hmacCycles(mac)
           : plan.method == TileMethod::VMAC ? kernels::vmacCycles(mac)
                                             : kernels::outerProductCycles(mac);
  }
  /// True if one vertex computes all groups of a block.
  static bool isForAllGroups(TilePlan const &plan) { return !plan.onAmp(); }
  static std::size_t rowsAlong(TileProblem const &seen) {
    return seen.field[2].outputs > 1 ? 2 : seen.field[1].outputs > 1 ? 1 : 0;
  }

private:
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
  std::uint64_t inputRate() const {
    // Output channels are innermost among tiles: neighbours in a pair want the same inputs.
    bool const paired = machine_.sharedExchangeBus && plan_.splitN % 2 == 0;
    return machine_.exchangeBytesPerCycle * (paired ? 2 : 1);
  }

  // ---- charges of published planners ------------------------------------------------------------
  void published(TileTerms &terms) const {
    using detail::ceilDiv;
    std::uint64_t const in = paddedInput(), w = paddedWeights();
    std::uint64_t const rate = machine_.exchangeBytesPerCycle;
    terms.exchange = ceilDiv((in - in / plan_.splitN) * inBytes(), inputRate()) +
                     ceilDiv((w - w / weightUsers()) * inBytes(), rate);
    terms.reduction = ceilDiv(sums() * sumBytes(), rate) + publishedReduction();
    std::uint64_t const tiles = plan_.parts(), times = plan_.serialN;
    if (times > 1) {
      terms.slice = times * sliceCycles(ceilDiv(p_.g * p_.n * p_.i * p_.taps(), times * tiles));
      terms.update = times * sliceCycles(ceilDiv(p_.g * p_.n * p_.positions(), times * tiles));
    }
    terms.exchange *= times;
    terms.compute = times * vertexCycles(p_, machine_.amp, plan_, block_, block_.g, true);
    terms.reduction *= times;
    terms.transform = transforms(tiles);
  }

  std::uint64_t publishedReduction() const {
    using detail::ceilDiv;
    if (plan_.sums() == 1)
      return 0;
    std::uint64_t cycles = 0, elements = sums();
    std::vector<std::uint64_t> const stages = reduceStages(plan_.sums());
    for (std::size_t s = 0; s != stages.size(); ++s) {
      if (s != 0)
        cycles += ceilDiv(elements * sumBytes(), machine_.exchangeBytesPerCycle);
      elements = ceilDiv(elements, stages[s]);
      bool const last = s + 1 == stages.size();
      cycles += addCycles(stages[s], elements, last);
    }
    return cycles;
  }

  std::uint64_t addCycles(std::uint64_t depth, std::uint64_t elements, bool last) const {
    MatMulType const out = last ? p_.output : p_.partials;
    return kernels::addPartialsCycles(machine_.amp.workers, depth, elements,
                                      p_.partials == MatMulType::HALF, out == MatMulType::HALF);
  }

  /// A dynamic slice or update of one region, by all workers of a tile.
  std::uint64_t sliceCycles(std::uint64_t elements) const {
    std::uint64_t const vector = p_.input == MatMulType::HALF ? 4 : 2, w = machine_.amp.workers;
    return 25 + w * (39 + 24 + 2 * (detail::ceilDiv(elements, w) / vector));
  }

  /// Operands and results that do not lie as the plan wants them are laid out anew: each moves once
  /// to another tile and once within one.
  std::uint64_t transforms(std::uint64_t tiles) const {
    using detail::ceilDiv;
    bool const anew = p_.isMatMul && !plan_.swap;
    bool const strided = flat() && std::any_of(p_.field.begin(), p_.field.end(),
                                               [](TileField const &f) { return f.stride != 1; });
    bool const moves = machine_.charges.paddingMoves;
    bool const padsIn = moves && p_.i % plan_.inGroup != 0;
    bool const padsOut = moves && p_.n % plan_.outGroup != 0;
    std::uint64_t const channels = ceilDiv(p_.i, plan_.inGroup) * plan_.inGroup;
    std::uint64_t cycles = 0;
    auto const layOut = [&](std::uint64_t elements, MatMulType type) {
      std::uint64_t const bytes = ceilDiv(elements, tiles) * detail::bytesOf(type);
      cycles += ceilDiv(bytes * 5, 4 * detail::bytesOf(type)) +
                ceilDiv(bytes, machine_.exchangeBytesPerCycle);
    };
    std::uint64_t inputs = p_.g * p_.b * channels;
    for (TileField const &f : p_.field)
      inputs *= flat() ? f.outputs : f.inputs;
    if (anew || strided || padsIn || plan_.expand)
      layOut(inputs, p_.input);
    if (anew || strided || padsIn || padsOut || plan_.expand)
      layOut(p_.g * p_.n * channels * p_.taps(), p_.input);
    if (anew || padsOut)
      layOut(p_.g * p_.n * p_.positions(), p_.output);
    return cycles;
  }

  // ---- charges of the model -----------------------------------------------------------------
  std::uint64_t weights() const { return block_.g * block_.n * block_.i * block_.allTaps(); }
  std::uint64_t results() const { return block_.g * block_.positions() * block_.n; }
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
    return received(weights(), weightUsers(), runs, neighbours() == Neighbours::WEIGHTS);
  }

  /// True if the plan's tiles are on several IPUs.
  bool crosses() const {
    return machine_.tilesPerIPU != 0 && plan_.firstTile + plan_.parts() > machine_.tilesPerIPU;
  }

  std::uint64_t exchange(std::uint64_t bytes, std::uint64_t shared, std::uint64_t messages) const {
    if (bytes == 0)
      return 0;
    TileCharges const &c = machine_.charges;
    return c.syncCycles + c.exchangeStartCycles +
           detail::ceilDiv(bytes - shared / 2, machine_.exchangeBytesPerCycle) +
           messages * c.messageCycles;
  }

  void modelled(TileTerms &terms) const {
    TileCharges const &c = machine_.charges;
    Received const in = receivedInput(), w = receivedWeights();
    terms.exchange = exchange(in.bytes + w.bytes, in.shared + w.shared, in.messages + w.messages);
    if (crosses() && terms.exchange != 0) {
      TileCrossing crossing(machine_, plan_);
      crossing.share('n', block_.g * places() * receivedChannels() * inBytes());
      crossing.share('y', weights() * inBytes());
      terms.exchange += crossing.cycles();
    }
    terms.compute = c.syncCycles + vertices();
    terms.reduction = addition(0, plan_.serialI == 1);
    if (plan_.serialI > 1) // turns add to the sums so far
      terms.reduction += (plan_.serialI - 2) * addition(1, false) + addition(1, true);
    terms.exchange *= plan_.serialParts();
    terms.compute *= plan_.serialParts();
    terms.reduction *= plan_.serialN;
  }

  /// Adding up after a turn. \param soFar  0 on the first turn, then 1: earlier sums are added
  /// where they lie. \param end  results come out, not sums
  std::uint64_t addition(std::uint64_t soFar, bool end) const {
    std::uint64_t cycles = 0;
    if (plan_.sums() > 1 && crosses()) {
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

  TileProblem const &p_;
  TileMachine const &machine_;
  TilePlan plan_;
  TileBlock block_;
};

} // namespace cottonwood::planner
