// Planning products and convolutions for tiles.
#pragma once

#include "TileConvLayout.hpp"
#include "TileSearch.hpp"

#include <functional>
#include <utility>

namespace cottonwood::planner {

namespace detail {

/// Operands of at most this many elements: tiles hold less by far, and of so many the
/// multiply-adds, sqrt(a b c) of a product, fit into 64 bits.
inline constexpr double TILE_MOST_ELEMENTS = 0x1p40;

/// \throws PlanError  an operand has more elements.
inline void checkTileSizes(TileProblem const &p) {
  double in = 1, weights = 1, out = 1;
  for (auto const size : {p.g, p.b, p.i})
    in *= static_cast<double>(size);
  for (auto const size : {p.g, p.n, p.i})
    weights *= static_cast<double>(size);
  for (auto const size : {p.g, p.b, p.n})
    out *= static_cast<double>(size);
  for (TileField const &f : p.field) {
    in *= static_cast<double>(f.inputs);
    weights *= static_cast<double>(f.taps);
    out *= static_cast<double>(f.outputs);
  }
  for (auto const &[name, elements] :
       {std::pair("the input", in), std::pair("the weights", weights),
        std::pair("the result", out)})
    if (elements > TILE_MOST_ELEMENTS)
      throw PlanError("no plan for " + toText(p) + ": " + name +
                      " would have more than 2^40 elements");
}

/// Keeps the cheapest plans within a number of bytes.
class LimitedSink {
public:
  /// What plans cost besides, from 0.
  using More = std::function<double(TilePlan const &)>;

  LimitedSink(double limit, std::size_t keep, More more = {})
      : limit_(limit), best_(keep), more_(std::move(more)) {}
  double limit() const { return limit_; }
  double bound(std::uint64_t) const { return best_.bound(); }
  void consider(TilePlan const &plan, Cost cost) {
    if (more_ && cost.cycles < best_.bound())
      cost.cycles += more_(plan);
    best_.consider(plan, cost);
  }
  std::vector<Candidate<TilePlan>> const &plans() const { return best_.plans(); }

private:
  double limit_;
  BestPlans best_;
  More more_;
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

namespace detail {

/// True if a constraint alone admits a plan, however much memory it takes.
inline bool admitsAny(TileProblem const &problem, TileMachine const &machine,
                      std::string const &key, std::string const &value) {
  LimitedSink sink(std::numeric_limits<double>::infinity(), 1);
  Constraints const one = Constraints::parse(key + "=" + value);
  TileWalk walk(problem, machine, one, sink);
  walk.run();
  return !sink.plans().empty();
}

/// What a key may be, as text.
inline std::string allowedValues(TileProblem const &problem, TileMachine const &machine,
                                 std::string const &key) {
  auto const of = [&](std::initializer_list<char const *> values) {
    std::string text;
    for (char const *value : values)
      if (admitsAny(problem, machine, key, value))
        text += (text.empty() ? "" : ", ") + std::string(value);
    return text;
  };
  auto const upTo = [](std::uint64_t most) { return "1 to " + std::to_string(most); };
  auto const &field = problem.field;
  std::uint64_t const rows = std::max(problem.positions(), problem.n);
  if (key == "unit")
    return of({"amp", "slic", "hmac", "vmac", "outer_product"});
  if (key == "swap" || key == "flat")
    return of({"true", "false"});
  if (key == "expand" || key == "flatten")
    return of({"0", "1", "2", "3", "4", "5", "6", "7"}) + " (bits of dimensions)";
  if (key == "splitG")
    return upTo(problem.g);
  if (key == "splitB")
    return upTo(problem.b);
  for (std::size_t d = 0; d != 3; ++d) {
    if (key == "splitY" + std::to_string(d))
      return upTo(d == 0 && problem.flattens ? rows : field[d].outputs);
    if (key == "splitK" + std::to_string(d))
      return upTo(field[d].taps);
  }
  if (key == "splitN" || key == "serialN")
    return upTo(problem.isMatMul ? rows : problem.n);
  if (key == "splitI" || key == "serialI")
    return upTo(problem.i);
  if (key == "otherSplits" || key == "firstTile")
    return key == "otherSplits" ? "1" : "0";
  return of({"0", "1", "2", "3", "4", "8", "16", "32", "64"});
}

/// The constraints that admit nothing by themselves, with what would.
inline std::string blamed(TileProblem const &problem, TileMachine const &machine,
                          Constraints const &constraints) {
  std::string text;
  for (std::string const &key : constraints.keys()) {
    std::string const value = *constraints.value(key);
    if (!admitsAny(problem, machine, key, value))
      text += " (" + key + " = " + value +
              " is not possible; allowed: " + allowedValues(problem, machine, key) + ")";
  }
  return text.empty() ? " together, each alone is possible" : text;
}

} // namespace detail

/// All plans that no other one beats in both cycles and temporary bytes, by bytes.
inline std::vector<TilePoint> tileFrontier(TileProblem const &problem, TileMachine const &machine,
                                           Constraints const &constraints = {}) {
  detail::FrontierSink sink;
  detail::TileWalk walk(problem, machine, constraints, sink);
  walk.run();
  return sink.points();
}

/// The cheapest plan whose temporaries fit in memoryProportion of a tile, or else in twice of it;
/// if nothing does, or the proportion is 0, the one with the least temporaries. The explanation
/// says which.
/// \param keep  plans of which the result tells, the chosen one included
/// \param more  what plans cost besides, from 0; null: nothing
/// \throws PlanError  the constraints admit no plan, or an operand has more elements than can be
///                    counted
inline TileChoice planTilesWith(TileProblem const &problem, TileMachine const &machine,
                                Constraints const &constraints, std::size_t keep,
                                detail::LimitedSink::More const &more) {
  detail::checkTileSizes(problem);
  double const allowed = machine.allowedBytes();
  TileChoice choice;
  auto const choose = [&](Candidate<TilePlan> const &candidate) {
    choice.plan = candidate.plan;
    choice.cost = candidate.cost;
    TileProblem const seen = detail::seenBy(problem, candidate.plan);
    choice.terms = TileCost(seen, machine, candidate.plan).terms();
    if (more)
      choice.terms.transform += static_cast<std::uint64_t>(more(candidate.plan));
  };
  for (double const limit : {allowed, 2 * allowed}) {
    if (limit <= 0)
      break;
    detail::LimitedSink sink(limit, keep, more);
    auto const walk = [&](bool inTurn) {
      detail::TileWalk some(problem, machine, constraints, sink, inTurn);
      some.run();
      choice.considered += some.considered();
      return some.cheapestTooLarge();
    };
    // What is computed at once is cheaper, if it fits. Published charges have other rules.
    bool const published = machine.charges.published;
    double const tooLarge = walk(published);
    if (!published && (sink.plans().empty() || tooLarge < sink.plans().front().cost.cycles))
      walk(true);
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
    throw PlanError("no plan for " + toText(problem) + ": the constraints admit none" +
                    detail::blamed(problem, machine, constraints) + "; without them it is " +
                    toText(planTilesWith(problem, machine, {}, 1, {}).plan));
  choose(Candidate<TilePlan>::at(points.front().plan, points.front().cost));
  choice.explanation +=
      "the plan with the least temporaries: " + std::to_string(choice.cost.temporaryBytes) +
      " bytes of a tile\n";
  return choice;
}

/// The same. \param given  operands that lie somewhere; what their layouts cost is charged
inline TileChoice planTiles(TileProblem const &problem, TileMachine const &machine,
                            Constraints const &constraints = {}, std::size_t keep = 1,
                            std::vector<TileGiven> const &given = {}) {
  detail::LimitedSink::More more;
  if (!given.empty())
    more = [&](TilePlan const &plan) {
      double cycles = 0;
      for (TileGiven const &operand : given)
        cycles += problem.isMatMul
                      ? givenCycles(problem, machine, plan, operand.matrix, operand.held)
                      : givenCycles(problem, machine, plan,
                                    operand.matrix == TileMatrix::LEFT ? TileOperand::INPUT
                                                                       : TileOperand::WEIGHTS,
                                    operand.held);
      return cycles;
    };
  return planTilesWith(problem, machine, constraints, keep, more);
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
