// Plans of reductions against every plan there is, on few tiles.
#include <planners/popops/ReduceTiles.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <tuple>

using namespace cottonwood::planner;

namespace {

/// `elements` in order, as many on each tile.
IntervalLayout inOrder(std::uint64_t elements, unsigned tiles, std::uint64_t grain) {
  std::uint64_t each = detail::ceilQuotient(elements, tiles);
  each = detail::ceilQuotient(each, grain) * grain;
  IntervalLayout layout;
  for (std::uint64_t begin = 0; begin < elements; begin += each)
    layout.push_back({begin, std::min(begin + each, elements), unsigned(layout.size())});
  return layout;
}

/// Prices all sizes of blocks of the first stage, and of one in the middle, and all places of
/// results.
class AllPlans {
public:
  AllPlans(TileReduceProblem const &problem, IntervalLayout const &layout)
      : p_(problem), hasLayout_(!layout.empty()), cost_(problem, layout) {}

  std::uint64_t cheapest() {
    ReduceOperands const in = cost_.operands();
    std::uint64_t best = last(in);
    if (hasLayout_) {
      if (p_.outputsOnTile == 0)
        best = std::min(best, cost_.whole());
      TileReduceCost::Home const home = cost_.home();
      best = std::min(best, home.cycles + (home.even ? rest(home.behind) : uneven(home.behind)));
    }
    eachBlocks(in, [&](ReduceBlocks const &b) {
      best = std::min(best, cost_.blocks(in, b) + rest(cost_.behind(in, b)));
    });
    return best;
  }

private:
  template <class F> void eachBlocks(ReduceOperands const &in, F &&f) const {
    ReduceBlocks b;
    for (b.outer = 1; b.outer <= in.outer; ++b.outer)
      for (b.inner = 1; b.inner <= in.inner; ++b.inner)
        for (b.parts = 1; b.parts <= p_.workers; ++b.parts)
          for (b.part = 1; b.part < in.reduced; ++b.part)
            if (detail::ceilQuotient(in.reduced, b.part) >= b.parts &&
                TileReduceCost::numBlocks(in, b) <= p_.tiles)
              f(b);
  }
  template <class F> std::uint64_t eachPlace(F &&cycles) const {
    if (p_.outputsOnTile != 0)
      return cycles(p_.outputsOnTile);
    std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
    for (std::uint64_t size = 1; size < p_.inner; ++size)
      if (p_.outer * detail::ceilQuotient(p_.inner, size) <= p_.tiles)
        best = std::min(best, cycles(size));
    for (std::uint64_t rows = 1; rows <= p_.outer; ++rows)
      if (detail::ceilQuotient(p_.outer, rows) <= p_.tiles)
        best = std::min(best, cycles(rows * p_.inner));
    return best;
  }
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  std::uint64_t last(ReduceOperands const &in) {
    auto const [known, isNew] = lasts_.try_emplace(Key(in.reduced, in.parts, in.cut));
    if (isNew)
      known->second = eachPlace([&](std::uint64_t outputs) { return cost_.last(in, outputs); });
    return known->second;
  }
  std::uint64_t uneven(ReduceOperands const &in) const {
    return eachPlace([&](std::uint64_t outputs) { return cost_.lastUneven(in, outputs); });
  }
  std::uint64_t rest(ReduceOperands const &in) {
    auto const [known, isNew] = rests_.try_emplace(Key(in.reduced, in.parts, in.cut));
    if (!isNew)
      return known->second;
    std::uint64_t best = last(in);
    eachBlocks(in, [&](ReduceBlocks const &b) {
      best = std::min(best, cost_.blocks(in, b) + last(cost_.behind(in, b)));
    });
    return known->second = best;
  }

  TileReduceProblem const &p_;
  bool hasLayout_;
  TileReduceCost cost_;
  std::map<Key, std::uint64_t> lasts_, rests_;
};

} // namespace

TEST_SUITE_BEGIN("planner-bruteforce");

TEST_CASE("no plan of 120 random reductions is cheaper than the chosen one") {
  std::mt19937 random(21);
  auto const upTo = [&](std::uint64_t most) { return 1 + random() % most; };
  for (int trial = 0; trial != 120; ++trial) {
    TileReduceProblem p;
    p.outer = trial % 3 == 0 ? upTo(4) : 1;
    p.inner = trial % 3 == 1 ? 1 : upTo(6);
    p.reduced = upTo(trial % 10 == 0 ? 3000 : 60);
    if (p.reduced > 60)
      p.outer = p.inner = 1;
    p.tiles = 16;
    p.inputBytes = random() % 2 == 0 ? 2 : 4;
    p.logAdd = random() % 8 == 0;
    p.outputsOnTile = random() % 3 == 0 ? upTo(p.outer * p.inner) : 0;
    IntervalLayout const layout = random() % 4 == 0
                                      ? IntervalLayout()
                                      : inOrder(p.outer * p.reduced * p.inner, p.tiles, upTo(8));
    CAPTURE(toText(p));
    CAPTURE(layout.size());
    TileReduceChoice const choice = planTileReduce(p, layout);
    CAPTURE(toText(choice.plan));
    if (p.reduced > 1)
      CHECK(choice.cost.cycles == double(AllPlans(p, layout).cheapest()));
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("planners/popops/reduce-tiles");

TEST_CASE("where operands lie in order, tiles reduce what they have") {
  TileReduceProblem p;
  p.reduced = 1000000, p.tiles = 1472;
  TileReduceChoice const choice = planTileReduce(p, inOrder(1000000, 1472, 2));
  CHECK(choice.plan.first == ReduceFirst::HOME);
  CHECK(choice.plan.middle.part != 0);
  // Operands that lie anywhere have to be brought.
  CHECK(planTileReduce(p, {}).plan.first == ReduceFirst::BLOCKS);
  CHECK(planTileReduce(p, {}).cost.cycles > choice.cost.cycles);
}

TEST_CASE("sums of rows that are whole on tiles take one stage") {
  TileReduceProblem p;
  p.outer = 100000, p.reduced = 1000, p.tiles = 1472;
  CHECK(planTileReduce(p, inOrder(100000000, 1472, 2)).plan.first == ReduceFirst::WHOLE);
  p.outputsOnTile = 68; // they are elsewhere
  CHECK(planTileReduce(p, inOrder(100000000, 1472, 2)).plan.first != ReduceFirst::WHOLE);
}

TEST_CASE("plans keep to the memory of tiles, or say that they do not") {
  TileReduceProblem p;
  p.reduced = 4000, p.inner = 500, p.tiles = 64, p.bytesPerTile = 160000;
  TileReduceChoice const choice = planTileReduce(p, {});
  CHECK(choice.cost.temporaryBytes <= p.bytesPerTile);
  CHECK_FALSE(choice.exceedsMemory);
  p.bytesPerTile = 100;
  CHECK(planTileReduce(p, {}).exceedsMemory);
}

TEST_CASE("plans of reductions print, parse and can be forced") {
  TileReduceProblem p;
  p.reduced = 1000, p.inner = 100, p.tiles = 64;
  auto const plan = planTileReduce(p, {}, Constraints::parse("first=blocks,part=50")).plan;
  CHECK(plan.blocks.part == 50);
  CHECK(fromText<TileReducePlan>(toText(plan)) == plan);
  CHECK_THROWS_AS(planTileReduce(p, {}, Constraints::parse("first=nowhere")), PlanError);
  CHECK_THROWS_AS(planTileReduce(p, {}, Constraints::parse("first=blocks,part=5000")), PlanError);
}

TEST_SUITE_END();
