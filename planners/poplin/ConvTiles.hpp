// Planning a convolution for the tiles of an IPU: every tile computes a block of some groups, batch
// elements, outputs of the field and channels from a part of the input channels and taps; partial
// results are exchanged and added.
#pragma once

#include "ConvTypes.hpp"
#include "MatMulTiles.hpp"

namespace cottonwood::planner {

namespace detail {

/// Bytes and cycles of one plan for tiles, by its largest part.
class ConvTileCost {
public:
  ConvTileCost(ConvProblem const &problem, MatMulTiles const &machine, ConvPlan const &plan)
      : p_(problem), machine_(machine), plan_(plan), g_(ceilDiv(p_.g, plan.splitG)),
        b_(ceilDiv(p_.b, plan.splitB)), n_(ceilDiv(p_.n, plan.splitN)),
        i_(ceilDiv(p_.i, plan.splitI)), outputs_{ceilDiv(p_.field[0].outputs, plan.splitY0),
                                                 ceilDiv(p_.field[1].outputs, plan.splitY1)},
        taps0_(ceilDiv(p_.field[0].taps, plan.splitK0)) {}

  std::uint64_t bytes() const {
    std::uint64_t const operands = (input() + weights()) * bytesOf(p_.input);
    std::uint64_t const partials = separatePartials() ? results() * bytesOf(p_.partials) : 0;
    return operands + partials + (sums() > 1 ? reduced() * sums() * bytesOf(p_.partials) : 0);
  }

  double cycles() const { return static_cast<double>(exchange() + compute() + reduction()); }

  std::uint64_t compute() const {
    return machine_.stepCycles +
           g_ * kernels::convTileCycles(machine_.tile, pixels(), n_, i_, taps());
  }

  /// A block is spread over the tiles that use it, so one share of it is local already.
  std::uint64_t exchange() const {
    std::uint64_t const in = input() - input() / plan_.splitN;
    std::uint64_t const users = plan_.splitB * plan_.splitY0 * plan_.splitY1;
    std::uint64_t const w = weights() - weights() / users;
    if (in + w == 0)
      return 0;
    // Channels are innermost among tiles: neighbours in a pair want the same inputs.
    bool const paired = machine_.sharedExchangeBus && plan_.splitN % 2 == 0;
    std::uint64_t const rate = machine_.exchangeBytesPerCycle;
    return machine_.stepCycles + machine_.exchangeStartCycles +
           ceilDiv(in * bytesOf(p_.input), paired ? 2 * rate : rate) +
           ceilDiv(w * bytesOf(p_.input), rate);
  }

  std::uint64_t reduction() const {
    if (sums() == 1)
      return separatePartials() ? machine_.stepCycles + ceilDiv(results(), 2) : 0;
    std::uint64_t const received = reduced() * (sums() - 1) * bytesOf(p_.partials);
    return 2 * machine_.stepCycles + machine_.exchangeStartCycles +
           ceilDiv(received, machine_.exchangeBytesPerCycle) +
           kernels::matMulReduceCycles(machine_.tile, sums(), reduced(),
                                       p_.output == MatMulType::HALF);
  }

private:
  static std::uint64_t bytesOf(MatMulType type) { return type == MatMulType::HALF ? 2 : 4; }

  std::uint64_t pixels() const { return b_ * outputs_[0] * outputs_[1] * p_.rest.outputs; }
  std::uint64_t taps() const { return taps0_ * p_.field[1].taps * p_.rest.taps; }
  std::uint64_t sums() const { return plan_.splitI * plan_.splitK0; }
  bool separatePartials() const { return sums() > 1 || p_.partials != p_.output; }
  std::uint64_t results() const { return g_ * n_ * pixels(); }
  std::uint64_t weights() const { return g_ * n_ * i_ * taps(); }

  /// Inputs that some outputs of a dimension need: their share, and what the taps reach beyond.
  static std::uint64_t inputsFor(ConvFieldDim const &dim, std::uint64_t outputs,
                                 std::uint64_t taps) {
    std::uint64_t const share = ceilDiv(dim.inputs * outputs, dim.outputs);
    return std::min(dim.inputs, share + taps - 1);
  }
  std::uint64_t input() const {
    return g_ * b_ * i_ * p_.rest.inputs * inputsFor(p_.field[0], outputs_[0], taps0_) *
           inputsFor(p_.field[1], outputs_[1], p_.field[1].taps);
  }

  std::uint64_t reduced() const { return ceilDiv(results(), sums()); }

  ConvProblem const &p_;
  MatMulTiles const &machine_;
  ConvPlan plan_;
  std::uint64_t g_, b_, n_, i_;
  std::uint64_t outputs_[2];
  std::uint64_t taps0_;
};

/// Searches splits for the cheapest plan within a number of bytes; keeps the smallest of all, too.
/// Splits tried are 2^k and 3 * 2^k and those that leave parts of 1, 2 or 3.
class ConvTileSearch {
public:
  ConvTileSearch(ConvProblem const &problem, MatMulTiles const &machine, double limit,
                 Constraints const &constraints)
      : p_(problem), machine_(machine), constraints_(constraints), limit_(limit) {}

  void run() {
    ConvPlan plan;
    walk(plan, 0, std::max<std::uint64_t>(machine_.tiles, 1));
  }

  std::optional<Candidate<ConvPlan>> const &best() const { return best_; }
  std::optional<Candidate<ConvPlan>> const &smallest() const { return smallest_; }
  std::uint64_t tried() const { return tried_; }

private:
  struct Dim {
    std::string_view key;
    std::uint64_t ConvPlan::*split;
    std::uint64_t size;
  };

  std::array<Dim, 7> dims() const {
    return {{{"splitG", &ConvPlan::splitG, p_.g},
             {"splitB", &ConvPlan::splitB, p_.b},
             {"splitY0", &ConvPlan::splitY0, p_.field[0].outputs},
             {"splitY1", &ConvPlan::splitY1, p_.field[1].outputs},
             {"splitN", &ConvPlan::splitN, p_.n},
             {"splitI", &ConvPlan::splitI, p_.i},
             {"splitK0", &ConvPlan::splitK0, p_.field[0].taps}}};
  }

  static std::vector<std::uint64_t> splits(std::uint64_t size, std::uint64_t most) {
    std::vector<std::uint64_t> result;
    auto const add = [&](std::uint64_t parts) {
      if (parts >= 1 && parts <= std::min(size, most) && realParts(size, parts) == parts)
        result.push_back(parts);
    };
    for (std::uint64_t two = 1; two <= std::min(size, most); two *= 2) {
      add(two);
      if (two > 1)
        add(two / 2 * 3);
    }
    for (std::uint64_t part = 1; part <= 3; ++part)
      add(ceilDiv(size, part));
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  void walk(ConvPlan &plan, std::size_t d, std::uint64_t tiles) {
    if (d == dims().size())
      return consider(plan);
    Dim const dim = dims()[d];
    for (std::uint64_t parts : candidates(dim, tiles)) {
      plan.*dim.split = parts;
      walk(plan, d + 1, tiles / parts);
    }
    plan.*dim.split = 1;
  }

  /// A split that is forced is the only one tried.
  std::vector<std::uint64_t> candidates(Dim const &dim, std::uint64_t tiles) const {
    auto const text = constraints_.value(dim.key);
    if (!text)
      return splits(dim.size, tiles);
    std::uint64_t const forced = std::stoull(*text);
    if (forced == 0 || forced > std::min(dim.size, tiles))
      return {};
    return {forced};
  }

  void consider(ConvPlan const &plan) {
    if (!constraints_.empty() && constraints_.refusal(plan))
      return;
    ++tried_;
    ConvTileCost const cost(p_, machine_, plan);
    Cost const value{cost.cycles(), cost.bytes()};
    if (!smallest_ || isSmaller(value, smallest_->cost))
      smallest_ = Candidate<ConvPlan>::at(plan, value);
    if (static_cast<double>(value.temporaryBytes) <= limit_ && (!best_ || value < best_->cost))
      best_ = Candidate<ConvPlan>::at(plan, value);
  }

  static bool isSmaller(Cost const &a, Cost const &b) {
    return a.temporaryBytes != b.temporaryBytes ? a.temporaryBytes < b.temporaryBytes
                                                : a.cycles < b.cycles;
  }

  ConvProblem const &p_;
  MatMulTiles const &machine_;
  Constraints const &constraints_;
  double limit_;
  std::uint64_t tried_ = 0;
  std::optional<Candidate<ConvPlan>> best_, smallest_;
};

} // namespace detail

/// The cheapest partition over tiles whose temporaries fit in memoryProportion of a tile, or else
/// in twice of it; if nothing does, or the proportion is 0, the one with the least temporaries. The
/// explanation says which.
/// \throws PlanError  the constraints admit no plan.
inline ConvChoice planConvTiles(ConvProblem const &problem, MatMulTiles const &machine,
                                Constraints const &constraints = {}) {
  constraints.check<ConvPlan>();
  double const allowed = machine.memoryProportion * static_cast<double>(machine.bytesPerTile);
  std::string text;
  auto const chosen = [&](Candidate<ConvPlan> const &candidate) -> ConvChoice {
    return {candidate.plan, candidate.cost, text + toText(candidate.plan) + "\n"};
  };
  for (double limit : {allowed, 2 * allowed}) {
    detail::ConvTileSearch search(problem, machine, limit, constraints);
    search.run();
    if (!search.smallest())
      break;
    std::string const bytes = std::to_string(static_cast<std::uint64_t>(limit));
    if (search.best()) {
      text += "the fastest of " + std::to_string(search.tried()) + " plans within " + bytes +
              " bytes of a tile: ";
      return chosen(*search.best());
    }
    text += "no plan within " + bytes + " bytes of a tile\n";
    if (limit > allowed || allowed <= 0) {
      text += "the plan with the least temporaries: ";
      return chosen(*search.smallest());
    }
  }
  // What the constraints forbid, by the example of the plan without them.
  Choice<ConvPlan> choice(toText(problem), constraints);
  choice.consider(Candidate<ConvPlan>::at(planConvTiles(problem, machine).plan, {}));
  return {choice.best().plan, choice.best().cost, choice.explanation()};
}

} // namespace cottonwood::planner
