// Where the tiles of plans have operands and results of products: what it takes to bring what one
// plan leaves to where another wants it.
#pragma once

#include "TileCost.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace cottonwood::planner {

/// A tile's part of matrices [groups, rows, columns], or of operands of convolutions
/// (TileConvLayout.hpp).
struct TileBox {
  std::uint64_t tile = 0;
  /// [first, second) of each dimension; {0, 0} is no dimension.
  std::array<std::pair<std::uint64_t, std::uint64_t>, 6> range{};
  double share = 1; ///< of the elements, which tiles of equal ranges divide among them

  double elements() const {
    double n = 1;
    for (auto const &[first, second] : range)
      if (second != 0)
        n *= static_cast<double>(second - first);
    return n;
  }
};
using TileLayout = std::vector<TileBox>;

/// Operands and result of a product.
enum class TileMatrix { LEFT, RIGHT, RESULT };

namespace detail {

/// What the tiles of a plan need of a matrix, or with `held` what they hold of it, in the plan's
/// own layout. Of products: plans whose positions are flat. What is computed in turns is needed as
/// a whole.
inline TileLayout layoutOf(TileProblem const &problem, TilePlan const &plan, TileMatrix matrix,
                           bool held) {
  TileProblem const seen = seenBy(problem, plan);
  struct Part {
    std::uint64_t size, grain, splits, parts, each;
    Part(std::uint64_t n, std::uint64_t group, std::uint64_t split)
        : size(n), grain(group), splits(split) {
      std::uint64_t const units = ceilDiv(size, grain);
      each = ceilDiv(units, splits);
      parts = ceilDiv(units, each);
    }
    std::pair<std::uint64_t, std::uint64_t> range(std::uint64_t part) const {
      return {std::min(part * each * grain, size), std::min((part + 1) * each * grain, size)};
    }
  };
  bool const together = plan.convGroup > 1;
  Part const g(seen.g, plan.convGroup, plan.splitG), y(seen.positions(), plan.grain, plan.splitY0),
      n(seen.n, together ? seen.n : plan.outGroup, plan.splitN),
      i(seen.i, together ? seen.i : plan.inGroup, plan.splitI);
  // Rows and columns of the matrix among positions, output and input channels.
  enum Role { Y, N, I };
  auto const roles = [&]() -> std::pair<Role, Role> {
    switch (matrix) {
    case TileMatrix::LEFT:
      return {plan.swap ? N : Y, I};
    case TileMatrix::RIGHT:
      return {I, plan.swap ? Y : N};
    default:
      return plan.swap ? std::pair(N, Y) : std::pair(Y, N);
    }
  }();
  std::uint64_t const counts[] = {y.parts, n.parts, i.parts};
  Role const third = static_cast<Role>(3 - roles.first - roles.second);
  double const share = held ? 1 / static_cast<double>(counts[third]) : 1;
  std::string_view const order = EnumNames<TileOrder>::names[static_cast<int>(plan.order)];
  TileLayout layout;
  std::uint64_t at[3];
  for (std::uint64_t group = 0; group != g.parts; ++group)
    for (at[Y] = 0; at[Y] != y.parts; ++at[Y])
      for (at[N] = 0; at[N] != n.parts; ++at[N])
        for (at[I] = 0; at[I] != i.parts; ++at[I]) {
          std::uint64_t tile = group;
          for (char const kind : order) {
            Role const role = kind == 'y' ? Y : kind == 'n' ? N : I;
            tile = tile * counts[role] + at[role];
          }
          std::pair<std::uint64_t, std::uint64_t> const ranges[] = {y.range(at[Y]), n.range(at[N]),
                                                                    i.range(at[I])};
          layout.push_back({plan.firstTile + tile,
                            {g.range(group), ranges[roles.first], ranges[roles.second]},
                            share});
        }
  return layout;
}

/// The matrices transposed.
inline TileLayout transposed(TileLayout layout) {
  for (TileBox &box : layout)
    std::swap(box.range[1], box.range[2]);
  return layout;
}

/// Elements that the tile receives that receives the most, when tiles need parts of what others
/// hold.
inline double elementsReceived(TileLayout const &needed, TileLayout const &held) {
  std::vector<std::vector<TileBox const *>> byTile;
  for (TileBox const &box : held) {
    byTile.resize(std::max<std::size_t>(byTile.size(), box.tile + 1));
    byTile[box.tile].push_back(&box);
  }
  // A tile's boxes of an operand follow one another.
  double most = 0, received = 0;
  std::uint64_t tile = ~std::uint64_t{0};
  for (TileBox const &need : needed) {
    double local = 0;
    if (need.tile < byTile.size())
      for (TileBox const *have : byTile[need.tile]) {
        double common = have->share;
        for (std::size_t d = 0; d != need.range.size() && common != 0; ++d) {
          if (need.range[d].second == 0)
            continue;
          auto const first = std::max(need.range[d].first, have->range[d].first);
          auto const second = std::min(need.range[d].second, have->range[d].second);
          common *= first < second ? static_cast<double>(second - first) : 0;
        }
        local += common;
      }
    if (need.tile != tile)
      tile = need.tile, received = 0;
    received += std::max(0.0, need.elements() * need.share - local);
    most = std::max(most, received);
  }
  return most;
}

/// Cycles of an exchange in which a tile receives so many elements; 0 of none.
inline std::uint64_t receiveCycles(TileMachine const &machine, MatMulType type, double elements) {
  auto const bytes = static_cast<std::uint64_t>(std::ceil(elements)) * bytesOf(type);
  if (bytes == 0)
    return 0;
  TileCharges const &c = machine.charges;
  return c.syncCycles + c.exchangeStartCycles + ceilDiv(bytes, machine.exchangeBytesPerCycle);
}

} // namespace detail

/// An operand of a product that lies somewhere already; LEFT is the input of a convolution, RIGHT
/// are its weights.
struct TileGiven {
  TileMatrix matrix = TileMatrix::LEFT;
  TileLayout held;
};

namespace detail {

/// Cycles that an exchange takes more if what tiles need lies as it is held, not as a plan would
/// have it.
inline double moreCycles(TileMachine const &machine, MatMulType type, TileLayout const &needed,
                         TileLayout const &asPlanned, TileLayout const &held) {
  double const own = elementsReceived(needed, asPlanned);
  double const given = elementsReceived(needed, held);
  if (given <= own * 1.0001 + 1) // rounding of shares is not a move
    return 0;
  return static_cast<double>(receiveCycles(machine, type, given)) -
         static_cast<double>(receiveCycles(machine, type, own));
}

} // namespace detail

/// Cycles that a plan's exchanges take more if an operand lies as it is held, not as the plan would
/// have it.
inline double givenCycles(TileProblem const &problem, TileMachine const &machine,
                          TilePlan const &plan, TileMatrix matrix, TileLayout const &held) {
  return detail::moreCycles(machine, problem.input, detail::layoutOf(problem, plan, matrix, false),
                            detail::layoutOf(problem, plan, matrix, true), held);
}

/// Cycles of moving a matrix from where it is held to where a plan wants it.
inline std::uint64_t relayCycles(TileProblem const &problem, TileMachine const &machine,
                                 TilePlan const &plan, TileMatrix matrix, TileLayout const &held) {
  TileLayout const wanted = detail::layoutOf(problem, plan, matrix, true);
  MatMulType const type = matrix == TileMatrix::RESULT ? problem.output : problem.input;
  return detail::receiveCycles(machine, type, detail::elementsReceived(wanted, held));
}

} // namespace cottonwood::planner
