#include <planners/popops/Slice.hpp>

#include <doctest/doctest.h>

#include <random>

TEST_SUITE_BEGIN("planners/popops/slice");

using namespace cottonwood::planner;

namespace {
SliceProblem tableOn(unsigned tiles, std::uint64_t entries, std::uint64_t columns,
                     std::uint64_t lookups) {
  SliceProblem p;
  p.numEntries = entries;
  p.outputSize = columns;
  p.numLookups = lookups;
  p.tiles = tiles;
  p.bytesPerTile = 380000;
  return p;
}
} // namespace

TEST_CASE("on a CPU tables are whole") {
  CHECK(planSlice(tableOn(0, 1000000, 128, 100000)) == SlicePlan());
}

TEST_CASE("a table is spread over many tiles, and as much of its columns as there are") {
  SlicePlan const plan = planSlice(tableOn(1472, 50000, 768, 512));
  CHECK(plan.slicedDimSplit * plan.unslicedDimSplit > 700);
  SlicePlan const narrow = planSlice(tableOn(1472, 1000000, 4, 512));
  CHECK(narrow.slicedDimSplit * narrow.unslicedDimSplit >= 43); // 16 MB in pieces of 380 kB
}

TEST_CASE("plans fit: no more tiles than there are, and temporary data within the bytes given") {
  std::mt19937 engine(1);
  auto const random = [&] { return static_cast<unsigned>(engine()); };
  for (int i = 0; i != 40; ++i) {
    auto p = tableOn(1 + random() % 1472, 1 + random() % 100000, 1 + random() % 1000,
                     1 + random() % 5000);
    p.elementBytes = 1U << random() % 3;
    p.groupSize = 1 + random() % 3;
    p.usedForUpdate = random() % 2 != 0;
    p.operation = random() % 2 != 0 ? SliceUpdate::ADD : SliceUpdate::NONE;
    SlicePlan const plan = planSlice(p);
    CAPTURE(toText(p));
    CAPTURE(toText(plan));
    CHECK(plan.groupSplit * plan.slicedDimSplit * plan.unslicedDimSplit *
              plan.lookupParallelSplit <=
          p.tiles);
    if (p.usedForUpdate && p.operation == SliceUpdate::NONE)
      CHECK(plan.lookupSerialSplit == 1);
  }
}

TEST_CASE("less memory splits the lookups into steps") {
  auto p = tableOn(64, 1000, 64, 20000);
  p.bytesPerTile = 200000;
  SlicePlan const plan = planSlice(p);
  CHECK(plan.lookupSerialSplit > 1);
  CHECK(cottonwood::planner::detail::sliceBytes(p, plan) <= p.bytesPerTile);
  p.bytesPerTile = 1 << 30;
  CHECK(planSlice(p).lookupSerialSplit == 1);
}

TEST_CASE("updates that may all be of one row do not split the rows") {
  auto p = tableOn(64, 1000, 16, 5000);
  p.usedForSlice = false;
  SlicePlan const spread = planSlice(p);
  p.onePoint = true;
  SlicePlan const narrow = planSlice(p);
  CHECK(spread.slicedDimSplit > 1);
  CHECK(narrow.slicedDimSplit == 1);
  CHECK(narrow.unslicedDimSplit >= spread.unslicedDimSplit);
}

TEST_CASE("constraints are obeyed, also values that are no power of two") {
  auto const forced = [](unsigned tiles, char const *text) {
    return planSlice(tableOn(tiles, 1000, 64, 300), Constraints::parse(text));
  };
  CHECK(forced(100, "slicedDimSplit=7").slicedDimSplit == 7);
  CHECK(forced(100, "unslicedDimSplit=5,lookupSerialSplit=3").unslicedDimSplit == 5);
  CHECK(forced(100, "unslicedDimSplit=5,lookupSerialSplit=3").lookupSerialSplit == 3);
  CHECK(forced(100, "unslicedGrainSize=16").unslicedGrainSize == 16);
  CHECK(forced(100, "lookupParallelSplit=6,groupSplit=1").lookupParallelSplit == 6);
  CHECK(forced(0, "slicedDimSplit=4").slicedDimSplit == 4);
  CHECK(forced(100, "useOrderingInfo=true").useOrderingInfo);
  CHECK_THROWS_AS(forced(100, "rowSplit=4"), PlanError);
  auto overwriting = tableOn(100, 1000, 64, 300);
  overwriting.operation = SliceUpdate::NONE;
  CHECK_THROWS_AS(planSlice(overwriting, Constraints::parse("lookupSerialSplit=2")), PlanError);
}

TEST_CASE("plans of slices print and parse") {
  SlicePlan const plan = planSlice(tableOn(64, 1000, 64, 300));
  CHECK(fromText<SlicePlan>(toText(plan)) == plan);
  CHECK(toText(plan).starts_with("slice groupSplit=1 "));
}

TEST_SUITE_END();
