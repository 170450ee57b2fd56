// What published planners charge for a plan: no synchronisation, every block as large as the
// largest and padded to whole groups, operands laid out anew by a rule of thumb.
#pragma once

#include "TileReduce.hpp"
#include "TileSizes.hpp"

#include <algorithm>

namespace cottonwood::planner {

class TilePublishedCost : public TileSizes {
public:
  using TileSizes::TileSizes;

  TileTerms terms() const {
    using detail::ceilDiv;
    TileTerms terms;
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
    return terms;
  }

  std::uint64_t bytes() const {
    return (paddedInput() + paddedWeights()) * inBytes() + sums() * sumBytes();
  }

private:
  std::uint64_t inputRate() const {
    // Output channels are innermost among tiles: neighbours in a pair want the same inputs.
    bool const paired = machine_.sharedExchangeBus && plan_.splitN % 2 == 0;
    return machine_.exchangeBytesPerCycle * (paired ? 2 : 1);
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
};

} // namespace cottonwood::planner
