// Choosing among candidates: the cheapest feasible one wins, every refusal keeps its reason.
#pragma once

#include "Constraints.hpp"

#include <cmath>

namespace cottonwood::planner {

/// What a candidate would cost. Cycles decide; bytes break ties; the earlier candidate wins a full
/// tie, so that the choice is a function of the problem alone.
struct Cost {
  double cycles = 0;
  std::uint64_t temporaryBytes = 0;

  friend bool operator<(Cost const &a, Cost const &b) {
    return a.cycles != b.cycles ? a.cycles < b.cycles : a.temporaryBytes < b.temporaryBytes;
  }
};

/// A plan that works at a cost, or a plan that was refused for a reason.
template <PlanLike P> struct Candidate {
  P plan;
  Cost cost;
  std::string refusal; ///< empty when feasible

  bool feasible() const { return refusal.empty(); }
  static Candidate at(P plan, Cost cost) { return {std::move(plan), cost, {}}; }
  static Candidate refused(P plan, std::string reason) {
    return {std::move(plan), {}, std::move(reason)};
  }
};

/// Collects candidates one by one; keeps the best and an account of the others.
template <PlanLike P> class Choice {
public:
  /// \param problem  one line that names the problem in messages.
  /// \param linesKept  candidates beyond this number are counted, not listed, by explanation().
  explicit Choice(std::string problem, Constraints constraints = {}, std::size_t linesKept = 64)
      : problem_(std::move(problem)), constraints_(std::move(constraints)), linesKept_(linesKept) {
    constraints_.template check<P>();
  }

  void consider(Candidate<P> candidate) {
    if (candidate.feasible())
      if (auto reason = constraints_.refusal(candidate.plan))
        candidate.refusal = *reason;
    if (candidate.feasible() && !std::isfinite(candidate.cost.cycles))
      candidate.refusal = "its modelled cost is not a finite number";
    if (++considered_ <= linesKept_)
      kept_.push_back(candidate);
    if (candidate.feasible() && (!best_ || candidate.cost < best_->cost))
      best_ = std::move(candidate);
  }

  bool found() const { return best_.has_value(); }

  /// \throws PlanError  no candidate was feasible; the message lists each with its reason.
  Candidate<P> const &best() const {
    if (!best_)
      throw PlanError("no plan for " + problem_ + ":\n" + explanation());
    return *best_;
  }

  /// One line a candidate: `12 cycles, 0 bytes: reduce rows=8` or `refused (reason): reduce
  /// rows=9`.
  std::string explanation() const {
    if (considered_ == 0)
      return "no candidate was considered";
    std::string text;
    for (Candidate<P> const &candidate : kept_)
      text += line(candidate);
    if (considered_ > kept_.size())
      text += "and " + std::to_string(considered_ - kept_.size()) + " more\n";
    return text;
  }

private:
  static std::string line(Candidate<P> const &candidate) {
    std::string verdict = "refused (" + candidate.refusal + ")";
    if (candidate.feasible())
      verdict = std::to_string(static_cast<std::uint64_t>(candidate.cost.cycles)) + " cycles, " +
                std::to_string(candidate.cost.temporaryBytes) + " bytes";
    return verdict + ": " + toText(candidate.plan) + "\n";
  }

  std::string problem_;
  Constraints constraints_;
  std::size_t linesKept_;
  std::size_t considered_ = 0;
  std::vector<Candidate<P>> kept_; // formatted only when somebody asks
  std::optional<Candidate<P>> best_;
};

} // namespace cottonwood::planner
