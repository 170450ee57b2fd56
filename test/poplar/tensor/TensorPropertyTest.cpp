// Random compositions of all operations against lists of indices.

#include "Composer.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <numeric>
#include <poplar/Tensor.hpp>
#include <poplar/impl/graph/Relocation.hpp>
#include <poplar/impl/graph/View.hpp>
#include <poplar/impl/graph/ViewPieces.hpp>
#include <random>
#include <string>

using namespace cottonwood;
using naive::Composer;
using naive::kGraph;
using naive::Twin;

namespace {

/// POP_TEST_SEED repeats a run, POP_TEST_CHAINS lengthens it.
unsigned long fromEnvironment(char const *name, unsigned long byDefault) {
  char const *const text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : byDefault;
}

graph::View const &view(Twin const &twin) { return graph::viewOf(twin.real); }

void checkElements(Twin const &twin) {
  CHECK(twin.real.shape() == twin.model.shape);
  REQUIRE(twin.real.numElements() == twin.model.places.size());
  bool same = true;
  for (std::size_t k = 0; k != twin.model.places.size(); ++k) {
    graph::Location const where = view(twin).locate(k);
    same = same && naive::Place(where.var, where.offset) == twin.model.places[k];
  }
  CHECK(same);
}

void checkRuns(Twin const &twin) {
  std::vector<naive::Run> const expected = naive::runs(twin.model);
  std::vector<poplar::Interval> intervals;
  std::vector<poplar::VariableInterval> regions;
  for (naive::Run const &run : expected) {
    intervals.emplace_back(run.begin, run.end);
    regions.emplace_back(
        poplar::VariableRef(run.first.first),
        poplar::Interval(run.first.second, run.first.second + (run.end - run.begin)));
  }
  CHECK(twin.real.getContiguousRegions() == intervals);
  CHECK(twin.real.getVarRegions() == regions);
  CHECK(twin.real.isContiguous() == (expected.size() <= 1));
  std::optional<graph::Run> const run = view(twin).asRun();
  CHECK(run.has_value() == (expected.size() == 1));
  if (run && !expected.empty())
    CHECK(naive::Place(run->var, run->begin) == expected[0].first);
}

/// The places a block shows, in its order.
void appendBlock(graph::StridedBlock const &block, std::vector<naive::Place> &places) {
  std::vector<std::size_t> const sizes(block.sizes.begin(), block.sizes.end());
  for (std::size_t flat = 0; flat != naive::numElements(sizes); ++flat) {
    naive::Index const idx = naive::indexOf(sizes, flat);
    std::int64_t offset = static_cast<std::int64_t>(block.offset);
    for (std::size_t k = 0; k != idx.size(); ++k)
      offset += static_cast<std::int64_t>(idx[k]) * block.strides[k];
    places.emplace_back(block.var, static_cast<std::uint64_t>(offset));
  }
}

void checkBlocks(Twin const &twin) {
  std::vector<naive::Place> ordered, unordered;
  std::vector<graph::View> views;
  view(twin).forEachBlock([&](graph::StridedBlock const &block) {
    appendBlock(block, ordered);
    views.push_back(graph::View::ofBlock(kGraph, poplar::FLOAT, block));
  });
  CHECK(ordered == twin.model.places);
  if (!views.empty())
    CHECK(graph::View::concat(views, 0) == graph::viewOf(twin.real.flatten()));
  view(twin).forEachBlockUnordered(
      [&](graph::StridedBlock const &block) { appendBlock(block, unordered); });
  CHECK(std::set<naive::Place>(unordered.begin(), unordered.end()) ==
        std::set<naive::Place>(ordered.begin(), ordered.end()));
}

std::vector<naive::Place> placesOf(graph::View const &view) {
  std::vector<naive::Place> places;
  view.forEachBlock([&](graph::StridedBlock const &block) { appendBlock(block, places); });
  return places;
}

/// Parts pair the elements as the views do. \returns how many parts there are
std::size_t checkParts(graph::View const &a, graph::View const &b) {
  using Pair = std::pair<naive::Place, naive::Place>;
  auto const zip = [](graph::View const &x, graph::View const &y, std::vector<Pair> &pairs) {
    auto const placesX = placesOf(x), placesY = placesOf(y);
    REQUIRE(placesX.size() == placesY.size());
    for (std::size_t i = 0; i != placesX.size(); ++i)
      pairs.emplace_back(placesX[i], placesY[i]);
  };
  std::vector<Pair> expected, pairs;
  zip(a, b, expected);
  std::size_t parts = 0;
  graph::forEachPart(a, b, [&](graph::View const &x, graph::View const &y) {
    zip(x, y, pairs);
    ++parts;
  });
  std::sort(expected.begin(), expected.end());
  std::sort(pairs.begin(), pairs.end());
  CHECK(pairs == expected);
  return parts;
}

/// The same view of other variables, of which each has a place for each element in use.
void checkRelocated(Twin const &twin) {
  if (twin.model.places.empty())
    return;
  std::vector<graph::Relocated> places = graph::usedStorage(view(twin));
  graph::VarId next = 100;
  for (graph::Relocated &place : places)
    place.newVar = next++, place.newBegin = 7;
  graph::View const moved = graph::relocate(view(twin), poplar::INT, places);
  std::vector<naive::Place> expected;
  for (auto const &[var, offset] : twin.model.places)
    for (graph::Relocated const &place : places)
      if (place.var == var && offset >= place.begin && offset < place.begin + place.size)
        expected.emplace_back(place.newVar, offset - place.begin + 7);
  CHECK(placesOf(moved) == expected);
  CHECK(std::equal(moved.shape().begin(), moved.shape().end(), twin.model.shape.begin(),
                   twin.model.shape.end()));
}

void checkPredicates(Twin const &twin) {
  bool const aliases = naive::containsAliases(twin.model);
  bool const constant =
      std::any_of(twin.model.places.begin(), twin.model.places.end(),
                  [](naive::Place const &p) { return graph::isConstant(p.first); });
  CHECK(twin.real.containsAliases() == aliases);
  CHECK(twin.real.containsConstant() == constant);
  CHECK(twin.real.isParallelWriteable() == !(aliases || constant));
}

void checkPair(Twin const &a, Twin const &b) {
  CHECK(a.real.intersectsWith(b.real) == naive::intersects(a.model, b.model));
  bool const equal = a.model.shape == b.model.shape && a.model.places == b.model.places;
  CHECK((a.real == b.real) == equal);
  if (a.model.places.size() == b.model.places.size()) {
    // The same comparison, more often between equal shapes.
    poplar::Tensor const flatA = a.real.flatten(), flatB = b.real.flatten();
    CHECK((flatA == flatB) == (a.model.places == b.model.places));
  }
}

/// The same locations, put together element by element or row by row in another way.
poplar::Tensor rebuilt(Twin const &twin) {
  std::vector<poplar::Tensor> rows;
  for (std::size_t i = 0; i != twin.model.places.size(); ++i)
    rows.push_back(twin.real.flatten().slice(i, i + 1));
  return poplar::concat(rows).reshape(twin.model.shape);
}

TEST_SUITE("poplar/tensor") {

  TEST_CASE("compositions of all operations agree with lists of indices") {
    unsigned long const seed = fromEnvironment("POP_TEST_SEED", 20240611);
    unsigned long const numChains = fromEnvironment("POP_TEST_CHAINS", 20000);
    MESSAGE("seed ", seed);
    Composer composer(seed);
    Twin previous = composer.chain();
    std::size_t numElements = 0, numStages = 0, numEmpty = 0, numCut = 0;
    for (unsigned long n = 0; n != numChains; ++n) {
      Twin twin = composer.chain();
      CAPTURE(n);
      CAPTURE(twin.story);
      CAPTURE(previous.story);
      checkElements(twin);
      checkRuns(twin);
      checkBlocks(twin);
      checkPredicates(twin);
      checkPair(twin, previous);
      if (view(twin).box().node) {
        checkRelocated(twin);
        std::size_t const shape[] = {twin.model.places.size()};
        numCut += checkParts(view(twin), graph::View::whole(kGraph, 0, poplar::FLOAT, shape)) > 1;
        if (n % 4 == 0)
          checkParts(graph::viewOf(twin.real.flatten().reverse(0)), view(twin));
      }
      if (!twin.model.places.empty()) {
        poplar::Tensor const again = rebuilt(twin);
        CHECK(again == twin.real);
        CHECK(again.getVarStr() == twin.real.getVarStr());
      }
      numElements += twin.model.places.size();
      numEmpty += twin.model.places.empty() ? 1 : 0;
      numStages += view(twin).box().node ? 1 : 0;
      previous = std::move(twin);
    }
    // The chains must stay worth their time.
    CHECK(numElements > 50 * numChains);
    CHECK(numEmpty < numChains / 8);
    CHECK(numStages > numChains / 6);
    CHECK(numCut > numChains / 40);
  }

} // TEST_SUITE

} // namespace
