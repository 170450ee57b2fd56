// Planning a matrix product for the tiles of an IPU: every tile computes one block of some groups,
// rows, columns and a part of K; partial results of the parts of K are exchanged and added.
//
// Cost depends on a split almost only through the sizes of its parts, so every distinct size of
// rows, columns and groups and every split of K is tried; a bound on the arithmetic of a tile cuts
// most of them off.
#pragma once

#include "MatMulTypes.hpp"

namespace cottonwood::planner {

namespace detail {

/// Split counts of `size` up to `most`, one for each distinct size of the largest part, and next to
/// each odd count the even one: pairs of tiles receive at twice the rate.
inline std::vector<std::uint64_t> distinctSplits(std::uint64_t size, std::uint64_t most) {
  std::vector<std::uint64_t> splits;
  for (std::uint64_t parts = 1; parts <= std::min(size, most);) {
    splits.push_back(parts);
    std::uint64_t const part = ceilDiv(size, parts);
    if (part == 1)
      break;
    parts = std::max(parts + 1, ceilDiv(size, part - 1));
  }
  return splits;
}

/// Bytes and cycles of one plan for tiles.
class TileCost {
public:
  TileCost(MatMulProblem const &problem, MatMulTiles const &machine, MatMulPlan const &plan)
      : p_(problem), machine_(machine), plan_(plan), g_(ceilDiv(problem.g, plan.splitG)),
        m_(ceilDiv(problem.m, plan.splitM)), n_(ceilDiv(problem.n, plan.splitN)),
        k_(ceilDiv(problem.k, plan.splitK)) {}

  /// Operands and results that a tile holds beside its share of the variables.
  std::uint64_t bytes() const {
    std::uint64_t const operands = g_ * (m_ * k_ + k_ * n_) * bytesOf(p_.input);
    std::uint64_t const partials = separatePartials() ? g_ * m_ * n_ * partialBytes() : 0;
    return operands + partials + (plan_.splitK > 1 ? reducedBytes() : 0);
  }

  double cycles() const { return static_cast<double>(operandExchange() + compute() + reduction()); }

  std::uint64_t compute() const {
    return machine_.stepCycles + g_ * kernels::matMulTileCycles(machine_.tile, m_, n_, k_);
  }

private:
  static std::uint64_t bytesOf(MatMulType type) { return type == MatMulType::HALF ? 2 : 4; }
  std::uint64_t partialBytes() const { return bytesOf(p_.partials); }
  bool separatePartials() const { return plan_.splitK > 1 || p_.partials != p_.output; }

  /// An operand's block is spread over the tiles that use it, so one share of it is local already.
  std::uint64_t operandExchange() const {
    std::uint64_t const a = g_ * m_ * k_, b = g_ * k_ * n_;
    std::uint64_t const aBytes = (a - a / plan_.splitN) * bytesOf(p_.input);
    std::uint64_t const bBytes = (b - b / plan_.splitM) * bytesOf(p_.input);
    if (aBytes + bBytes == 0)
      return 0;
    // Columns are innermost among tiles: neighbours in a pair want the same block of A.
    bool const paired = machine_.sharedExchangeBus && plan_.splitN % 2 == 0;
    std::uint64_t const rate = machine_.exchangeBytesPerCycle;
    return machine_.stepCycles + machine_.exchangeStartCycles +
           ceilDiv(aBytes, paired ? 2 * rate : rate) + ceilDiv(bBytes, rate);
  }

  std::uint64_t reducedElements() const { return ceilDiv(g_ * m_ * n_, plan_.splitK); }
  std::uint64_t reducedBytes() const { return reducedElements() * plan_.splitK * partialBytes(); }

  /// Each tile adds its share of the elements of all parts of K.
  std::uint64_t reduction() const {
    if (plan_.splitK == 1)
      return separatePartials() ? machine_.stepCycles + ceilDiv(g_ * m_ * n_, 2) : 0;
    std::uint64_t const received = reducedBytes() - reducedElements() * partialBytes();
    return 2 * machine_.stepCycles + machine_.exchangeStartCycles +
           ceilDiv(received, machine_.exchangeBytesPerCycle) +
           kernels::matMulReduceCycles(machine_.tile, plan_.splitK, reducedElements(),
                                       p_.output == MatMulType::HALF);
  }

  MatMulProblem const &p_;
  MatMulTiles const &machine_;
  MatMulPlan plan_;
  std::uint64_t g_, m_, n_, k_;
};

/// Searches all splits for the cheapest plan within a number of bytes; keeps the best plan of each
/// split of K and g for the explanation, and the smallest of all.
class TileSearch {
public:
  /// \param limit  bytes of temporaries on a tile
  TileSearch(MatMulProblem const &problem, MatMulTiles const &machine, double limit,
             Constraints const &constraints)
      : p_(problem), machine_(machine), constraints_(constraints), limit_(limit) {}

  void run(Choice<MatMulPlan> &choice) {
    std::uint64_t const tiles = std::max<std::uint64_t>(machine_.tiles, 1);
    for (std::uint64_t g : distinctSplits(p_.g, tiles))
      for (std::uint64_t k : kSplits(tiles / g))
        searchBlock(g, k, tiles / g / k, choice);
  }

  /// The plan with the least temporaries; nothing if the constraints admit none.
  std::optional<Candidate<MatMulPlan>> const &smallest() const { return smallest_; }

private:
  std::vector<std::uint64_t> kSplits(std::uint64_t most) const {
    std::vector<std::uint64_t> splits;
    std::uint64_t last = 0;
    for (std::uint64_t parts = 1; parts <= std::min(p_.k, most); ++parts)
      if (std::uint64_t const real = realParts(p_.k, parts); real != last)
        splits.push_back(last = real);
    return splits;
  }

  void searchBlock(std::uint64_t g, std::uint64_t k, std::uint64_t tiles,
                   Choice<MatMulPlan> &choice) {
    std::optional<Candidate<MatMulPlan>> best, smallest;
    for (std::uint64_t m : distinctSplits(p_.m, tiles))
      for (std::uint64_t n : columnSplits(tiles / m)) {
        MatMulPlan plan;
        plan.splitG = g, plan.splitM = m, plan.splitN = n, plan.splitK = k;
        if (!constraints_.empty() && constraints_.refusal(plan))
          continue;
        TileCost const cost(p_, machine_, plan);
        keepSmaller(smallest, plan, cost);
        if (static_cast<double>(cost.bytes()) > limit_)
          continue;
        if (best_ > 0 && leastCycles(plan) > best_)
          continue;
        Cost const value{cost.cycles(), cost.bytes()};
        if (!best || value < best->cost)
          best = Candidate<MatMulPlan>::at(plan, value);
      }
    if (best) {
      best_ = best_ > 0 ? std::min(best_, best->cost.cycles) : best->cost.cycles;
      choice.consider(std::move(*best));
    } else if (smallest && static_cast<double>(smallest->cost.temporaryBytes) > limit_) {
      choice.consider(Candidate<MatMulPlan>::refused(
          smallest->plan, "needs " + std::to_string(smallest->cost.temporaryBytes) +
                              " bytes of temporaries on a tile; " +
                              std::to_string(static_cast<std::uint64_t>(limit_)) + " are allowed"));
    }
    if (smallest && (!smallest_ || isSmaller(smallest->cost, smallest_->cost)))
      smallest_ = std::move(smallest);
  }

  static bool isSmaller(Cost const &a, Cost const &b) {
    return a.temporaryBytes != b.temporaryBytes ? a.temporaryBytes < b.temporaryBytes
                                                : a.cycles < b.cycles;
  }

  static void keepSmaller(std::optional<Candidate<MatMulPlan>> &smallest, MatMulPlan const &plan,
                          TileCost const &cost) {
    if (smallest && cost.bytes() > smallest->cost.temporaryBytes)
      return;
    Cost const value{cost.cycles(), cost.bytes()};
    if (!smallest || isSmaller(value, smallest->cost))
      smallest = Candidate<MatMulPlan>::at(plan, value);
  }

  std::vector<std::uint64_t> columnSplits(std::uint64_t most) const {
    std::vector<std::uint64_t> splits = distinctSplits(p_.n, most);
    for (std::size_t i = 0, count = splits.size(); i < count; ++i)
      if (splits[i] % 2 == 1 && splits[i] < std::min(most, p_.n) &&
          realParts(p_.n, splits[i] + 1) == splits[i] + 1)
        splits.push_back(splits[i] + 1);
    return splits;
  }

  /// No plan of these parts is cheaper: arithmetic alone at the peak of the units.
  double leastCycles(MatMulPlan const &plan) const {
    double const macs =
        static_cast<double>(ceilDiv(p_.g, plan.splitG) * ceilDiv(p_.m, plan.splitM)) *
        static_cast<double>(ceilDiv(p_.n, plan.splitN) * ceilDiv(p_.k, plan.splitK));
    double const perCycle =
        static_cast<double>(machine_.tile.units) * (machine_.tile.halfInput ? 4 : 1);
    return macs / perCycle;
  }

  MatMulProblem const &p_;
  MatMulTiles const &machine_;
  Constraints const &constraints_;
  double limit_;
  double best_ = 0;
  std::optional<Candidate<MatMulPlan>> smallest_;
};

} // namespace detail

/// The cheapest partition over tiles whose temporaries fit in memoryProportion of a tile, or else
/// in twice of it; if nothing does, or the proportion is 0, the one with the least temporaries. The
/// explanation says which.
/// \throws PlanError  the constraints admit no plan.
inline MatMulChoice planMatMulTiles(MatMulProblem const &problem, MatMulTiles const &machine,
                                    Constraints const &constraints = {}) {
  std::string earlier;
  double const allowed = machine.memoryProportion * static_cast<double>(machine.bytesPerTile);
  std::optional<Candidate<MatMulPlan>> smallest;
  for (double limit : {allowed, 2 * allowed}) {
    Choice<MatMulPlan> choice(toText(problem), constraints);
    detail::TileSearch search(problem, machine, limit, constraints);
    search.run(choice);
    if (!search.smallest()) // what the constraints forbid, by the example of the best plan
      choice.consider(Candidate<MatMulPlan>::at(planMatMulTiles(problem, machine).plan, {}));
    if (choice.found() || !search.smallest())
      return {choice.best().plan, choice.best().cost, earlier + choice.explanation()};
    earlier += "no plan within " + std::to_string(static_cast<std::uint64_t>(limit)) +
               " bytes of a tile:\n" + choice.explanation();
    smallest = search.smallest();
    if (allowed <= 0)
      break;
  }
  earlier += "the plan with the least temporaries: " + toText(smallest->plan) + "\n";
  return {smallest->plan, smallest->cost, earlier};
}

} // namespace cottonwood::planner
