// Plans of operations element by element against every plan there is, on few tiles.
#include <planners/popops/ElementWiseTiles.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>

using namespace cottonwood;
using namespace cottonwood::planner;

namespace {

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned operator()() { return static_cast<unsigned>(engine_()); }

private:
  std::mt19937 engine_;
};

std::uint64_t upTo(Random &random, std::uint64_t most) { return 1 + random() % most; }

/// `elements` in pieces of random sizes on random tiles.
IntervalLayout somewhere(Random &random, std::uint64_t elements, unsigned tiles,
                         std::uint64_t piece) {
  IntervalLayout layout;
  for (std::uint64_t begin = 0; begin < elements;) {
    std::uint64_t const end = std::min(elements, begin + upTo(random, piece));
    auto const tile = static_cast<unsigned>(random() % tiles);
    if (!layout.empty() && layout.back().tile == tile)
      layout.back().end = end;
    else
      layout.push_back({begin, end, tile});
    begin = end;
  }
  return layout;
}

/// In order, as many on each tile.
IntervalLayout inOrder(std::uint64_t elements, unsigned tiles, std::uint64_t grain) {
  std::uint64_t each = detail::ceilQuotient(elements, tiles);
  each = detail::ceilQuotient(each, grain) * grain;
  IntervalLayout layout;
  for (std::uint64_t begin = 0; begin < elements; begin += each)
    layout.push_back({begin, std::min(begin + each, elements), unsigned(layout.size())});
  return layout;
}

IntervalLayout anyLayout(Random &random, std::uint64_t elements, unsigned tiles) {
  switch (random() % 5) {
  case 0:
    return {{0, elements, static_cast<unsigned>(random() % tiles)}};
  case 1:
    return somewhere(random, elements, tiles, elements);
  case 2:
    return somewhere(random, elements, tiles, elements / tiles / 3 + 1);
  default:
    return inOrder(elements, tiles, upTo(random, 8));
  }
}

struct Problem {
  TileMapProblem problem;
  std::vector<TileMapOperand> operands;
  IntervalLayout result;
};

Problem anyProblem(Random &random, bool cast) {
  Problem r;
  TileMapProblem &p = r.problem;
  p.tiles = 16;
  p.tilesPerBus = 1 + random() % 2;
  std::uint64_t const period = upTo(random, 40), repeat = upTo(random, 40);
  p.elements = period * repeat * upTo(random, 10);
  p.vertex = cast ? ElementVertex::CAST : ElementVertex::MAP;
  p.cyclesPer8 = random() % 3 == 0 ? 4000 : 4 + random() % 100;
  p.cast =
      random() % 2 == 0 ? vertices::CastKind::HALF_TO_FLOAT : vertices::CastKind::FLOAT_TO_HALF;
  p.resultBytes = random() % 2 == 0 ? 2 : 4;
  p.places = random() % 2 == 0;
  p.inPlace = !p.places && random() % 2 == 0;
  if (random() % 6 == 0)
    p.bytesPerTile = 500 + random() % 4000;
  r.result = anyLayout(random, p.elements, p.tiles);
  std::size_t const count = cast ? 1 : random() % 3 + (p.inPlace ? 0 : 1);
  for (std::size_t o = 0; o != count; ++o) {
    TileMapOperand operand;
    operand.bytes = random() % 2 == 0 ? 2 : 4;
    operand.source = static_cast<unsigned>(o);
    std::uint64_t elements = p.elements;
    if (o != 0 && random() % 2 == 0) { // [there, repeated, there]
      operand.period = period, operand.repeat = repeat;
      elements = p.elements / repeat;
    } else if (o != 0 && random() % 4 == 0) {
      operand.period = 1, operand.repeat = p.elements;
      elements = 1;
    }
    if (random() % 8 != 0)
      operand.layout = random() % 3 == 0 && elements == p.elements
                           ? r.result
                           : anyLayout(random, elements, p.tiles);
    if (random() % 8 == 0)
      operand.run = upTo(random, 4);
    r.operands.push_back(operand);
  }
  return r;
}

/// The cheapest plan that leaves the result where it is, and of all others, of those that fit;
/// infinity if none does.
struct Cheapest {
  double here = std::numeric_limits<double>::infinity(), elsewhere = here;
};

Cheapest cheapest(Problem const &r) {
  TileMapCost const cost(r.problem, r.operands, r.result);
  Cheapest best;
  auto const consider = [&](TileMapPlan plan) {
    for (unsigned way = 0; way != 4; ++way) {
      plan.together = way % 2 != 0;
      plan.broadcasts = way / 2 != 0;
      auto const priced = cost.price(plan);
      if (priced.required > r.problem.bytesPerTile)
        continue;
      double &least = plan.place == MapPlace::RESULT ? best.here : best.elsewhere;
      least = std::min(least, static_cast<double>(priced.terms.total()));
    }
  };
  TileMapPlan plan;
  consider(plan);
  plan.place = MapPlace::OPERAND;
  for (plan.operand = 0; plan.operand != r.operands.size(); ++plan.operand)
    if (r.operands[plan.operand].isFull() && !r.operands[plan.operand].layout.empty())
      consider(plan);
  plan = {};
  plan.place = MapPlace::EVEN;
  for (unsigned parts = 1; parts <= r.problem.tiles; ++parts) {
    std::uint64_t const grains = detail::ceilQuotient(r.problem.elements, cost.grain());
    plan.onTile = detail::ceilQuotient(grains, parts) * cost.grain();
    consider(plan);
  }
  return best;
}

void checkAll(unsigned seed, int trials, bool cast) {
  Random random(seed);
  for (int trial = 0; trial != trials; ++trial) {
    Problem const r = anyProblem(random, cast);
    CAPTURE(trial);
    CAPTURE(toText(r.problem));
    TileMapChoice const choice = planTileMap(r.problem, r.operands, r.result);
    CAPTURE(toText(choice.plan));
    Cheapest const best = cheapest(r);
    if (std::isinf(best.here) && std::isinf(best.elsewhere)) {
      CHECK(choice.exceedsMemory);
      continue;
    }
    CHECK_FALSE(choice.exceedsMemory);
    bool const moves = best.elsewhere <= (r.problem.places ? CLEARLY_CHEAPER : 1) * best.here &&
                       best.elsewhere < best.here;
    CHECK(choice.cost.cycles == (moves ? best.elsewhere : best.here));
  }
}

/// Every word of every tile, counted one by one.
std::uint64_t exchangeByElements(Problem const &r, std::vector<TileMapShare> const &shares) {
  auto const tileOf = [](IntervalLayout const &layout, std::uint64_t element) {
    for (LaidInterval const &interval : layout)
      if (element < interval.end)
        return interval.tile;
    return ~0U;
  };
  std::vector<std::uint64_t> in(r.problem.tiles), out(r.problem.tiles);
  for (TileMapOperand const &operand : r.operands) {
    std::vector<std::vector<bool>> wanted(r.problem.tiles);
    for (TileMapShare const &share : shares)
      for (auto const &[begin, end] : share.intervals)
        for (std::uint64_t i = begin; i != end; ++i) {
          std::uint64_t const block = operand.period * operand.repeat;
          std::uint64_t const own =
              operand.isFull() ? i : i / block * operand.period + i % block % operand.period;
          auto &mine = wanted[share.tile];
          mine.resize(std::max<std::size_t>(mine.size(), own + 1));
          mine[own] = true;
        }
    std::vector<bool> sent;
    for (unsigned tile = 0; tile != r.problem.tiles; ++tile)
      for (std::size_t own = 0; own != wanted[tile].size(); ++own)
        if (unsigned const home = tileOf(operand.layout, own); wanted[tile][own] && home != tile) {
          in[tile] += operand.bytes;
          sent.resize(std::max(sent.size(), own + 1));
          out[home] += sent[own] ? 0 : operand.bytes;
          sent[own] = true;
        }
  }
  return std::max(*std::max_element(in.begin(), in.end()),
                  *std::max_element(out.begin(), out.end()));
}

} // namespace

TEST_SUITE_BEGIN("planner-bruteforce");

TEST_CASE("no plan of 200 random maps is cheaper than the chosen one") { checkAll(23, 200, false); }

TEST_CASE("no plan of 100 random casts is cheaper than the chosen one") { checkAll(24, 100, true); }

TEST_SUITE_END();

TEST_SUITE_BEGIN("planners/popops/elementwise-tiles");

TEST_CASE("bytes that are exchanged are those that tiles do not have, each once") {
  Random random(25);
  for (int trial = 0; trial != 60; ++trial) {
    Problem r = anyProblem(random, false);
    r.problem.tilesPerBus = 1;
    r.problem.inPlace = false;
    for (TileMapOperand &operand : r.operands) {
      operand.run = 0;
      if (operand.layout.empty())
        operand.layout = inOrder(
            operand.isFull() ? r.problem.elements : r.problem.elements / operand.repeat, 16, 1);
    }
    StepCharges charges;
    charges.messageCycles = 0;
    charges.exchangeBytesPerCycle = 1;
    TileMapCost const cost(r.problem, r.operands, r.result, charges);
    TileMapPlan plan;
    plan.place = MapPlace::EVEN; // neighbours only: nothing is sent for order
    plan.broadcasts = true;
    plan.onTile = upTo(random, r.problem.elements / 16 + 1) + r.problem.elements / 16;
    bool scattered = false; // what is in several pieces on its own tile goes the same way
    for (TileMapOperand const &operand : r.operands)
      scattered = scattered || !operand.isFull() || operand.layout.size() > r.problem.tiles;
    CAPTURE(trial);
    std::uint64_t const least = exchangeByElements(r, cost.shares(plan));
    std::uint64_t const priced = cost.price(plan).terms.exchange;
    CHECK(priced >= (least == 0 ? 0 : least + 183));
    if (!scattered)
      CHECK(priced == (least == 0 ? 0 : least + 183));
  }
}

TEST_CASE("elements that lie evenly are computed where they are, and nothing is exchanged") {
  TileMapProblem p;
  p.elements = 1000000, p.tiles = 1472, p.places = true;
  IntervalLayout const layout = inOrder(p.elements, p.tiles, 2);
  std::vector<TileMapOperand> const operands(2, {4, 0, 0, 0, layout, 0});
  TileMapChoice const choice = planTileMap(p, operands, layout);
  CHECK(choice.plan == TileMapPlan());
  CHECK(choice.terms.exchange == 0);
  CHECK(choice.considered == 1);
}

TEST_CASE("what one tile holds is spread if computing takes longer than exchange") {
  TileMapProblem p;
  p.elements = 10000, p.tiles = 1472, p.places = true, p.cyclesPer8 = 8;
  IntervalLayout const onOne{{0, p.elements, 7}};
  std::vector<TileMapOperand> const operands{{4, 0, 0, 0, onOne, 0}};
  CHECK(planTileMap(p, operands, onOne).plan.place == MapPlace::RESULT);
  p.cyclesPer8 = 18400; // as a sine
  CHECK(planTileMap(p, operands, onOne).plan.place == MapPlace::EVEN);
  // Results that have their place are taken there.
  p.places = false;
  TileMapChoice const home = planTileMap(p, operands, onOne);
  CHECK(home.plan.place == MapPlace::EVEN);
  CHECK(home.terms.home > 0);
}

TEST_CASE("many pieces of one tile share a vertex") {
  TileMapProblem p;
  p.elements = 1600, p.tiles = 16;
  IntervalLayout layout;
  for (unsigned i = 0; i != 160; ++i)
    layout.push_back({i * 10U, i * 10U + 10, i % 16});
  std::vector<TileMapOperand> const operands{{4, 0, 0, 0, layout, 0}};
  TileMapChoice const choice = planTileMap(p, operands, layout);
  CHECK(choice.plan.together);
  CHECK(choice.terms.gather == 0); // they lie side by side there
}

TEST_CASE("a cast takes place on the side that moves fewer bytes") {
  TileMapProblem p;
  p.vertex = ElementVertex::CAST, p.elements = 100000, p.tiles = 1472;
  IntervalLayout const here = inOrder(p.elements, 1000, 4);
  IntervalLayout there = here;
  for (LaidInterval &interval : there)
    interval.tile += 400;
  p.cast = vertices::CastKind::HALF_TO_FLOAT;
  TileMapChoice const wider = planTileMap(p, {{2, 0, 0, 0, here, 0}}, there);
  CHECK(wider.plan.place == MapPlace::RESULT);
  p.cast = vertices::CastKind::FLOAT_TO_HALF, p.resultBytes = 2;
  TileMapChoice const narrower = planTileMap(p, {{4, 0, 0, 0, here, 0}}, there);
  CHECK(narrower.plan.place == MapPlace::OPERAND);
}

TEST_CASE("plans of maps print, parse and can be forced") {
  TileMapProblem p;
  p.elements = 1000, p.tiles = 16;
  IntervalLayout const layout = inOrder(1000, 16, 2);
  std::vector<TileMapOperand> const operands{{4, 0, 0, 0, layout, 0}};
  TileMapPlan const plan =
      planTileMap(p, operands, layout, Constraints::parse("place=even,onTile=500")).plan;
  CHECK(plan.onTile == 500);
  CHECK(fromText<TileMapPlan>(toText(plan)) == plan);
  CHECK_THROWS_AS(planTileMap(p, operands, layout, Constraints::parse("place=nowhere")), PlanError);
  CHECK_THROWS_AS(planTileMap(p, operands, layout, Constraints::parse("place=even,onTile=3")),
                  PlanError);
}

TEST_SUITE_END();
