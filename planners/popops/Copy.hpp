// Planning of copies between given layouts on tiles, with matrices transposed or not.
#pragma once

#include "CopyTypes.hpp"
#include "Rearrange.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cottonwood::planner {

/// Prices copies from one layout to another, as the model does: by the runs that lie together on
/// both sides.
class CopyCost {
public:
  /// Keeps references. \param source  of the input in its order
  /// \param result  of the output in its own
  CopyCost(CopyProblem const &problem, IntervalLayout const &source, IntervalLayout const &result,
           StepCharges const &charges = {})
      : p_(problem), s_(problem.shape), source_(source), result_(result), charges_(charges) {}

  std::uint64_t direct() const {
    bool const isPlain = !p_.transposed || s_.rows == 1 || s_.columns == 1;
    return isPlain ? plain(source_) : apart();
  }

  /// From a layout of the output's elements in their order.
  std::uint64_t plain(IntervalLayout const &from) const {
    std::vector<OnTile> tiles(s_.tiles);
    auto source = from.begin();
    for (LaidInterval const &interval : result_)
      for (std::uint64_t at = interval.begin; at < interval.end;) {
        while (source->end <= at)
          ++source;
        std::uint64_t const end = std::min(interval.end, source->end);
        std::uint64_t const bytes = (end - at) * s_.elementBytes;
        if (source->tile == interval.tile)
          tiles[interval.tile].copy(bytes, bytes);
        else
          send(tiles, source->tile, interval.tile, bytes, 1);
        at = end;
      }
    return step(tiles);
  }

  /// The results of a plan of transposing, in their order.
  IntervalLayout transposed(TransposePlan const &plan) const {
    IntervalLayout layout;
    std::uint64_t const size = s_.rows * s_.columns;
    auto const add = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t tile) {
      layout.push_back({begin, end, static_cast<unsigned>(tile)});
    };
    if (plan.home) {
      for (HomeMatrices const &home : TransposeCost(s_, source_, charges_).homes())
        add(home.begin * size, home.end * size, home.tile);
      return layout;
    }
    std::uint64_t const across = detail::ceilQuotient(s_.columns, plan.columns);
    std::uint64_t const ofMatrix = detail::ceilQuotient(s_.rows, plan.rows) * across;
    if (ofMatrix == 1) {
      for (std::uint64_t m = 0; m < s_.matrices; m += plan.matrices)
        add(m * size, std::min(m + plan.matrices, s_.matrices) * size, m / plan.matrices);
      return layout;
    }
    for (std::uint64_t m = 0; m != s_.matrices; ++m)
      for (std::uint64_t c = 0; c != s_.columns; ++c)
        for (std::uint64_t r = 0; r < s_.rows; r += plan.rows)
          add(m * size + c * s_.rows + r, m * size + c * s_.rows + std::min(r + plan.rows, s_.rows),
              m * ofMatrix + r / plan.rows * across + c / plan.columns);
    return layout;
  }

  /// Vertices where the result lies. `bytes`: that arrive on the fullest tile.
  std::uint64_t moveFirst(std::uint64_t &bytes) const {
    TransposeCost const cost(s_, source_, charges_);
    struct Vertices {
      std::uint64_t elements = 0, runs = 0, compute = 0;
    };
    std::vector<Vertices> tiles(s_.tiles);
    for (LaidInterval const &interval : result_) {
      Vertices &tile = tiles[interval.tile];
      std::uint64_t whole = 0, parts = 0; // rows of the input that are touched, by boxes of each
      for (MatrixBox const &box : boxesOf(interval.begin, interval.end, s_.columns, s_.rows)) {
        bool const isWhole = box.columns() == s_.rows;
        (isWhole ? whole : parts) += box.matrices() * box.columns();
        tile.compute += cost.vertex(box.matrices(), box.columns(), box.rows());
      }
      tile.elements += interval.end - interval.begin;
      tile.runs += whole != 0 ? whole : parts; // parts lie next to these
    }
    std::uint64_t elements = 0, runs = 0, compute = 0;
    for (Vertices const &tile : tiles) {
      elements = std::max(elements, tile.elements);
      runs = std::max(runs, tile.runs);
      compute = std::max(compute, tile.compute);
    }
    bytes = elements * s_.elementBytes;
    return cost.exchange(elements, runs) + charges_.compute(compute);
  }

private:
  struct OnTile {
    std::uint64_t in = 0, out = 0, messages = 0;
    double cycles = 0;
    void copy(std::uint64_t bytes, std::uint64_t run) {
      if (cycles == 0)
        cycles = StepCharges::COPY_START;
      cycles += static_cast<double>(bytes) * StepCharges::copyCyclesPerByte(run);
    }
  };

  static void send(std::vector<OnTile> &tiles, unsigned from, unsigned to, std::uint64_t bytes,
                   std::uint64_t messages) {
    tiles[from].out += bytes;
    tiles[to].in += bytes;
    tiles[to].messages += messages;
  }

  std::uint64_t step(std::vector<OnTile> const &tiles) const {
    std::uint64_t longest = 0;
    bool exchanges = false;
    for (OnTile const &tile : tiles) {
      std::uint64_t const transfer =
          detail::ceilQuotient(std::max(tile.in, tile.out), charges_.exchangeBytesPerCycle);
      exchanges = exchanges || transfer != 0;
      longest = std::max(longest, transfer + tile.messages * charges_.messageCycles +
                                      static_cast<std::uint64_t>(std::llround(tile.cycles)));
    }
    return charges_.syncCycles + (exchanges ? charges_.exchangeStartCycles : 0) + longest;
  }

  /// Transposed: every element by itself.
  std::uint64_t apart() const {
    std::vector<std::vector<MatrixBox>> held(s_.tiles), wanted(s_.tiles);
    std::vector<OnTile> tiles(s_.tiles);
    auto const boxes = [&](IntervalLayout const &layout, std::uint64_t rows, std::uint64_t columns,
                           std::vector<std::vector<MatrixBox>> &of) {
      for (LaidInterval const &interval : layout) {
        auto const some = boxesOf(interval.begin, interval.end, rows, columns);
        of[interval.tile].insert(of[interval.tile].end(), some.begin(), some.end());
      }
    };
    boxes(source_, s_.rows, s_.columns, held);
    boxes(result_, s_.columns, s_.rows, wanted);
    for (unsigned tile = 0; tile != s_.tiles; ++tile) {
      std::uint64_t has = 0, wants = 0, both = 0;
      for (MatrixBox const &a : held[tile])
        has += a.elements();
      for (MatrixBox const &b : wanted[tile]) {
        wants += b.elements();
        for (MatrixBox const &a : held[tile])
          both += overlap(a.m0, a.m1, b.m0, b.m1) * overlap(a.r0, a.r1, b.c0, b.c1) *
                  overlap(a.c0, a.c1, b.r0, b.r1);
      }
      OnTile &now = tiles[tile];
      now.out += (has - both) * s_.elementBytes;
      now.in += (wants - both) * s_.elementBytes;
      now.messages += wants - both;
      if (both != 0)
        now.copy(both * s_.elementBytes, s_.elementBytes);
    }
    return step(tiles);
  }

  static std::uint64_t overlap(std::uint64_t a0, std::uint64_t a1, std::uint64_t b0,
                               std::uint64_t b1) {
    std::uint64_t const begin = std::max(a0, b0), end = std::min(a1, b1);
    return begin < end ? end - begin : 0;
  }

  CopyProblem const &p_;
  TransposeProblem const &s_;
  IntervalLayout const &source_, &result_;
  StepCharges charges_;
};

/// The plan of a copy on more than one tile between layouts that are known. \throws PlanError
/// constraints that no plan obeys.
inline CopyChoice planCopy(CopyProblem const &problem, IntervalLayout const &source,
                           IntervalLayout const &result, Constraints const &constraints = {},
                           StepCharges const &charges = {}) {
  Choice<CopyPlan> choice(toText(problem), constraints);
  CopyCost const cost(problem, source, result, charges);
  CopyChoice found;
  std::optional<Candidate<CopyPlan>> least; // of those that do not fit
  std::vector<std::pair<Candidate<CopyPlan>, CopyTerms>> all;
  auto const consider = [&](CopyPlan const &plan, CopyTerms const &terms, std::uint64_t bytes) {
    auto const candidate =
        Candidate<CopyPlan>::at(plan, {static_cast<double>(terms.total()), bytes});
    all.emplace_back(candidate, terms);
    if (bytes <= problem.shape.bytesPerTile)
      choice.consider(candidate);
    else if (!constraints.refusal(plan) && (!least || bytes < least->cost.temporaryBytes))
      least = candidate;
  };
  consider({}, {cost.direct(), 0}, 0);
  if (problem.transposed && problem.shape.rows > 1 && problem.shape.columns > 1) {
    TransposeChoice const transpose = planTranspose(problem.shape, source, {}, charges);
    consider({CopyWay::TRANSPOSE_FIRST, transpose.plan},
             {cost.plain(cost.transposed(transpose.plan)), transpose.terms.total()},
             TransposeCost(problem.shape, source, charges).price(transpose.plan).required);
    std::uint64_t bytes = 0;
    std::uint64_t const cycles = cost.moveFirst(bytes);
    consider({CopyWay::MOVE_FIRST, {}}, {0, cycles}, bytes);
  }
  found.exceedsMemory = !choice.found() && least;
  Candidate<CopyPlan> const best = found.exceedsMemory ? *least : choice.best();
  found.plan = best.plan;
  found.cost = best.cost;
  found.considered = all.size();
  for (auto const &[candidate, terms] : all)
    if (candidate.plan == found.plan)
      found.terms = terms;
    else
      found.others.push_back(candidate);
  return found;
}

} // namespace cottonwood::planner
