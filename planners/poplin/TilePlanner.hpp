// Planning products and convolutions for tiles.
#pragma once

#include "TileSearch.hpp"

namespace cottonwood::planner {

namespace detail {

/// Keeps the cheapest plans within a number of bytes.
class LimitedSink {
public:
  LimitedSink(double limit, std::size_t keep) : limit_(limit), best_(keep) {}
  double limit() const { return limit_; }
  double bound(std::uint64_t) const { return best_.bound(); }
  void consider(TilePlan const &plan, Cost const &cost) { best_.consider(plan, cost); }
  std::vector<Candidate<TilePlan>> const &plans() const { return best_.plans(); }

private:
  double limit_;
  BestPlans best_;
};

class FrontierSink {
public:
  double limit() const { return std::numeric_limits<double>::infinity(); }
  double bound(std::uint64_t bytes) const { return frontier_.bound(bytes); }
  void consider(TilePlan const &plan, Cost const &cost) { frontier_.consider(plan, cost); }
  std::vector<TilePoint> points() const { return frontier_.points(); }

private:
  Frontier frontier_;
};

} // namespace detail

/// All plans that no other one beats in both cycles and temporary bytes, by bytes.
inline std::vector<TilePoint> tileFrontier(TileProblem const &problem, TileMachine const &machine,
                                           Constraints const &constraints = {}) {
  constraints.check<TilePlan>();
  detail::FrontierSink sink;
  detail::TileWalk walk(problem, machine, constraints, sink);
  walk.run();
  return sink.points();
}

/// The cheapest plan whose temporaries fit in memoryProportion of a tile, or else in twice of it;
/// if nothing does, or the proportion is 0, the one with the least temporaries. The explanation
/// says which.
/// \param keep  plans of which the result tells, the chosen one included
/// \throws PlanError  the constraints admit no plan.
inline TileChoice planTiles(TileProblem const &problem, TileMachine const &machine,
                            Constraints const &constraints = {}, std::size_t keep = 1) {
  constraints.check<TilePlan>();
  double const allowed = machine.allowedBytes();
  TileChoice choice;
  auto const choose = [&](Candidate<TilePlan> const &candidate) {
    choice.plan = candidate.plan;
    choice.cost = candidate.cost;
    TileProblem const seen = detail::seenBy(problem, candidate.plan);
    choice.terms = TileCost(seen, machine, candidate.plan).terms();
  };
  for (double const limit : {allowed, 2 * allowed}) {
    if (limit <= 0)
      break;
    detail::LimitedSink sink(limit, keep);
    detail::TileWalk walk(problem, machine, constraints, sink);
    walk.run();
    choice.considered += walk.considered();
    std::string const bytes = std::to_string(static_cast<std::uint64_t>(limit));
    if (sink.plans().empty()) {
      choice.explanation += "no plan within " + bytes + " bytes of a tile\n";
      continue;
    }
    choose(sink.plans().front());
    choice.others.assign(sink.plans().begin() + 1, sink.plans().end());
    choice.explanation += "the fastest plan within " + bytes + " bytes of a tile (" +
                          std::to_string(choice.considered) + " were priced)\n";
    return choice;
  }
  std::vector<TilePoint> const points = tileFrontier(problem, machine, constraints);
  if (points.empty())
    throw PlanError("no plan for " + toText(problem) +
                    ": the constraints admit none; without them it is " +
                    toText(planTiles(problem, machine).plan));
  choose(Candidate<TilePlan>::at(points.front().plan, points.front().cost));
  choice.explanation +=
      "the plan with the least temporaries: " + std::to_string(choice.cost.temporaryBytes) +
      " bytes of a tile\n";
  return choice;
}

/// The explanation, and one line for each plan of which the choice tells.
inline std::string candidatesOf(TileChoice const &choice) {
  auto const line = [](TilePlan const &plan, Cost const &cost) {
    return std::to_string(static_cast<std::uint64_t>(cost.cycles)) + " cycles, " +
           std::to_string(cost.temporaryBytes) + " bytes: " + toText(plan) + "\n";
  };
  std::string text = choice.explanation + line(choice.plan, choice.cost);
  for (Candidate<TilePlan> const &other : choice.others)
    text += line(other.plan, other.cost);
  return text;
}

} // namespace cottonwood::planner
