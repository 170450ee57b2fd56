// Plans of lookups against every plan there is, on few tiles.
#include <planners/popops/Slice.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <random>

using namespace cottonwood::planner;

namespace {

/// The cycles of the cheapest of all splits; infinity if none fits.
double cheapest(SliceProblem const &p) {
  double best = std::numeric_limits<double>::infinity();
  SlicePlan plan;
  plan.unslicedGrainSize = std::max(1U, 8U / p.elementBytes);
  detail::SliceCost const cost(p);
  for (plan.groupSplit = 1; plan.groupSplit <= p.groupSize; ++plan.groupSplit)
    for (plan.slicedDimSplit = 1; plan.slicedDimSplit <= p.tiles; ++plan.slicedDimSplit)
      for (plan.unslicedDimSplit = 1; plan.unslicedDimSplit <= p.tiles; ++plan.unslicedDimSplit)
        for (plan.lookupParallelSplit = 1; plan.lookupParallelSplit <= p.tiles;
             ++plan.lookupParallelSplit)
          for (plan.lookupSerialSplit = 1; plan.lookupSerialSplit <= 64; ++plan.lookupSerialSplit) {
            // No part may be empty.
            auto const isEven = [](std::uint64_t n, std::uint64_t parts) {
              return detail::ceilQuotient(n, detail::ceilQuotient(n, parts)) == parts;
            };
            if (plan.lookupParallelSplit > 1 && !p.usedForSlice)
              break;
            if (isEven(p.groupSize, plan.groupSplit) && isEven(p.numEntries, plan.slicedDimSplit) &&
                isEven(detail::ceilQuotient(p.outputSize, plan.unslicedGrainSize),
                       plan.unslicedDimSplit) &&
                isEven(p.numLookups, plan.lookupParallelSplit) &&
                isEven(p.numLookups, plan.lookupSerialSplit) &&
                detail::sliceRefusal(p, plan).empty())
              best = std::min(best, static_cast<double>(cost.terms(plan).total()));
          }
  return best;
}

} // namespace

TEST_SUITE_BEGIN("planner-bruteforce");

TEST_CASE("no plan of 120 random tables is cheaper than the chosen one") {
  std::mt19937 random(22);
  auto const upTo = [&](std::uint64_t most) { return 1 + random() % most; };
  for (int trial = 0; trial != 120; ++trial) {
    SliceProblem p;
    p.groupSize = trial % 4 == 0 ? upTo(3) : 1;
    p.numEntries = upTo(2000), p.outputSize = upTo(100), p.numLookups = upTo(300);
    p.elementBytes = 1U << random() % 3;
    p.usedForSlice = trial % 3 != 0;
    p.usedForUpdate = !p.usedForSlice || random() % 2 == 0;
    p.operation = random() % 3 == 0 ? SliceUpdate::NONE : SliceUpdate::ADD;
    p.tiles = 16;
    p.bytesPerTile = 2000 + random() % 100000;
    CAPTURE(toText(p));
    SliceChoice const choice = chooseSlice(p);
    CAPTURE(toText(choice.plan));
    double const best = cheapest(p);
    if (std::isfinite(best))
      CHECK(choice.cost.cycles <= best);
    else
      CHECK(choice.exceedsMemory);
  }
}

TEST_SUITE_END();
