// Plans of transposes and copies against every plan there is, on few tiles.
#include <planners/popops/Copy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>

using namespace cottonwood::planner;

namespace {

constexpr unsigned TILES = 16;

class Random {
public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned upTo(unsigned most) { return 1 + static_cast<unsigned>(engine_()) % most; }

private:
  std::mt19937 engine_;
};

/// In pieces of about that size on random tiles, or in order.
IntervalLayout anyLayout(Random &random, std::uint64_t elements) {
  IntervalLayout layout;
  bool const inOrder = random.upTo(2) == 1;
  std::uint64_t const each = detail::ceilQuotient(elements, inOrder ? TILES : random.upTo(40));
  for (std::uint64_t begin = 0; begin < elements; begin += each) {
    unsigned const tile = inOrder ? static_cast<unsigned>(layout.size()) : random.upTo(TILES) - 1;
    std::uint64_t const end = std::min(begin + each, elements);
    if (!layout.empty() && layout.back().tile == tile)
      layout.back().end = end;
    else
      layout.push_back({begin, end, tile});
  }
  return layout;
}

TransposeProblem anyTranspose(Random &random) {
  TransposeProblem p;
  p.matrices = random.upTo(3) == 1 ? 1 : random.upTo(40);
  p.rows = random.upTo(50), p.columns = random.upTo(50);
  p.tiles = TILES;
  p.elementBytes = 1U << (random.upTo(4) - 1);
  p.tilesPerBus = random.upTo(2);
  if (random.upTo(6) == 1)
    p.bytesPerTile = 1000 + random.upTo(20000);
  return p;
}

unsigned tileOf(IntervalLayout const &layout, std::uint64_t element) {
  for (LaidInterval const &interval : layout)
    if (element < interval.end)
      return interval.tile;
  return ~0U;
}

/// A direct copy, counted element by element: those of a run between the same tiles are together.
std::uint64_t directByElements(CopyProblem const &p, IntervalLayout const &source,
                               IntervalLayout const &result) {
  struct OnTile {
    std::uint64_t in = 0, out = 0, messages = 0;
    double cycles = 0;
  };
  std::vector<OnTile> tiles(TILES);
  TransposeProblem const &s = p.shape;
  bool exchanges = false;
  std::uint64_t run = 0;
  unsigned lastFrom = ~0U, lastTo = ~0U;
  auto const flush = [&] {
    if (run == 0)
      return;
    std::uint64_t const bytes = run * s.elementBytes;
    if (lastFrom == lastTo) {
      OnTile &tile = tiles[lastTo];
      double const perByte = bytes >= 64      ? 0.125
                             : bytes % 8 == 0 ? 0.4404
                             : bytes % 4 == 0 ? 3.125
                                              : 5.1484;
      tile.cycles += (tile.cycles == 0 ? 83 : 0) + static_cast<double>(bytes) * perByte;
    } else {
      tiles[lastFrom].out += bytes;
      tiles[lastTo].in += bytes;
      ++tiles[lastTo].messages;
      exchanges = true;
    }
    run = 0;
  };
  bool const isPlain = !p.transposed || s.rows == 1 || s.columns == 1;
  for (std::uint64_t i = 0; i != s.elements(); ++i) { // in the order of the result
    std::uint64_t const m = i / (s.rows * s.columns), c = i / s.rows % s.columns, r = i % s.rows;
    std::uint64_t const from = p.transposed ? (m * s.rows + r) * s.columns + c : i;
    unsigned const tileFrom = tileOf(source, from), tileTo = tileOf(result, i);
    if (tileFrom != lastFrom || tileTo != lastTo || !isPlain)
      flush();
    lastFrom = tileFrom, lastTo = tileTo;
    ++run;
  }
  flush();
  std::uint64_t longest = 0;
  for (OnTile const &tile : tiles)
    longest = std::max(longest, (std::max(tile.in, tile.out) + 3) / 4 + tile.messages +
                                    static_cast<std::uint64_t>(tile.cycles + 0.5));
  return 83 + (exchanges ? 100 : 0) + longest;
}

} // namespace

TEST_SUITE_BEGIN("planner-bruteforce");

TEST_CASE("no plan of 120 random transposes is cheaper than the chosen one") {
  Random random(41);
  for (int trial = 0; trial != 120; ++trial) {
    TransposeProblem const p = anyTranspose(random);
    IntervalLayout const layout =
        random.upTo(6) == 1 ? IntervalLayout() : anyLayout(random, p.elements());
    CAPTURE(toText(p));
    TransposeChoice const choice = planTranspose(p, layout);
    CAPTURE(toText(choice.plan));
    TransposeCost const cost(p, layout);
    double const none = std::numeric_limits<double>::infinity();
    double home = none, blocks = none;
    auto const consider = [&](TransposePlan const &plan, double &least) {
      auto const priced = cost.price(plan);
      if (priced.required <= p.bytesPerTile)
        least = std::min(least, static_cast<double>(priced.terms.total()));
    };
    if (!layout.empty())
      consider({}, home);
    auto const cut = [&](std::uint64_t n, std::uint64_t parts, std::uint64_t grain) {
      return std::min(n, detail::ceilQuotient(detail::ceilQuotient(n, grain), parts) * grain);
    };
    for (unsigned m = 1; m <= TILES; ++m)
      consider({false, cut(p.matrices, m, 1), p.rows, p.columns}, blocks);
    for (unsigned r = 1; r <= TILES; ++r)
      for (unsigned c = 1; c <= TILES; ++c) {
        TransposePlan const plan{false, 1, cut(p.rows, r, cost.grain()),
                                 cut(p.columns, c, cost.grain())};
        if (cost.numBlocks(plan) <= TILES)
          consider(plan, blocks);
      }
    if (home == none && blocks == none) {
      CHECK(choice.exceedsMemory);
      continue;
    }
    CHECK_FALSE(choice.exceedsMemory);
    CHECK(choice.cost.cycles ==
          (blocks <= BLOCKS_CLEARLY_CHEAPER * home || home == none ? blocks : home));
  }
}

TEST_CASE("direct copies of 80 random layouts cost what their elements do one by one") {
  Random random(42);
  for (int trial = 0; trial != 80; ++trial) {
    CopyProblem p;
    p.shape = anyTranspose(random);
    p.shape.matrices = random.upTo(4);
    p.transposed = trial % 2 == 0;
    IntervalLayout const source = anyLayout(random, p.shape.elements()),
                         result = anyLayout(random, p.shape.elements());
    CAPTURE(toText(p));
    std::uint64_t const direct = CopyCost(p, source, result).direct();
    CHECK(direct == directByElements(p, source, result));
    CopyChoice const choice = planCopy(p, source, result);
    CHECK(choice.cost.cycles <= static_cast<double>(direct));
    for (auto const &other : choice.others)
      if (other.cost.temporaryBytes <= p.shape.bytesPerTile)
        CHECK(other.cost.cycles >= choice.cost.cycles);
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("planners/popops/rearrange");

TEST_CASE("a matrix on many tiles is cut into blocks, many small ones stay") {
  TransposeProblem p;
  p.rows = p.columns = 4096, p.tiles = 1472, p.elementBytes = 2;
  IntervalLayout layout;
  for (unsigned tile = 0; tile != 1024; ++tile)
    layout.push_back({tile * 16384ULL, (tile + 1) * 16384ULL, tile});
  TransposePlan const large = planTranspose(p, layout).plan;
  CHECK_FALSE(large.home);
  CHECK(large.rows * large.columns < 16384 * 2);
  p.matrices = 1024, p.rows = 128, p.columns = 128;
  CHECK(planTranspose(p, layout).plan.home);
}

TEST_CASE("intervals are boxes of rows and columns, each element once") {
  Random random(43);
  for (int trial = 0; trial != 200; ++trial) {
    std::uint64_t const rows = random.upTo(5), columns = random.upTo(5);
    std::uint64_t const begin = random.upTo(60) - 1, end = begin + random.upTo(60);
    std::vector<std::uint64_t> found;
    for (MatrixBox const &box : boxesOf(begin, end, rows, columns))
      for (std::uint64_t m = box.m0; m != box.m1; ++m)
        for (std::uint64_t r = box.r0; r != box.r1; ++r)
          for (std::uint64_t c = box.c0; c != box.c1; ++c)
            found.push_back((m * rows + r) * columns + c);
    REQUIRE(found.size() == end - begin);
    for (std::uint64_t i = 0; i != found.size(); ++i)
      CHECK(found[i] == begin + i);
  }
}

TEST_CASE("plans of transposes and copies print, parse and can be forced") {
  TransposeProblem p;
  p.rows = 64, p.columns = 64, p.tiles = 16;
  TransposePlan const plan =
      planTranspose(p, {{0, 4096, 0}}, Constraints::parse("home=false,rows=16,columns=16")).plan;
  CHECK(plan == TransposePlan{false, 1, 16, 16});
  CHECK(fromText<TransposePlan>(toText(plan)) == plan);
  CHECK_THROWS_AS(planTranspose(p, {}, Constraints::parse("rows=3")), PlanError);
  CopyProblem copy;
  copy.shape = p, copy.transposed = true;
  CopyPlan const way =
      planCopy(copy, {{0, 4096, 0}}, {{0, 4096, 1}}, Constraints::parse("way=move-first")).plan;
  CHECK(way.way == CopyWay::MOVE_FIRST);
  CHECK(fromText<CopyPlan>(toText(way)) == way);
}

TEST_SUITE_END();
