#include "Graphs.hpp"

#include <poputil/TileMapping.hpp>

#include <random>

TEST_SUITE_BEGIN("poputil/tensorUseTracker");

using namespace graphs;
using poplar::FLOAT;
using poplar::Tensor;
using poputil::TensorUseTracker;
using Method = TensorUseTracker::MappingMethod;

namespace {

struct Fixture {
  poplar::Graph graph{modelOf(1, 6)};
  Tensor t = graph.addVariable(FLOAT, {12});
  TensorUseTracker tracker{6};

  void use(unsigned tile, std::size_t begin, std::size_t end) {
    tracker.add(graph, tile, t.slice(begin, end));
  }
  Mapping mapping() { return graph.getTileMapping(t, false); }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "what one tile uses goes there, whatever the grain") {
  CHECK(tracker.empty());
  use(3, 0, 5);
  use(1, 5, 12);
  use(1, 6, 7); // again
  CHECK_FALSE(tracker.empty());
  tracker.mapTensorsByUse(graph, 4, 8);
  CHECK(mapping() == Mapping{{}, {{5, 12}}, {}, {{0, 5}}, {}, {}});
}

TEST_CASE_FIXTURE(Fixture, "what several tiles use is spread over them in grains") {
  use(2, 0, 12);
  use(4, 0, 12);
  tracker.mapTensorsByUse(graph, 4, 1);
  CHECK(mapping() == Mapping{{}, {}, {{0, 4}}, {}, {{4, 12}}, {}});
}

TEST_CASE_FIXTURE(Fixture, "too few elements for all tiles stay on fewer") {
  use(2, 0, 12);
  use(4, 0, 12);
  use(5, 0, 12);
  tracker.mapTensorsByUse(graph, 1, 6);
  CHECK(mapping() == Mapping{{}, {}, {{0, 6}}, {}, {{6, 12}}, {}});
}

TEST_CASE_FIXTURE(Fixture, "the less loaded tile gets what is shared") {
  use(2, 0, 6);
  use(2, 6, 12);
  use(4, 6, 12);
  tracker.mapTensorsByUse(graph, 1, 6);
  CHECK(mapping() == Mapping{{}, {}, {{0, 6}}, {}, {{6, 12}}, {}});
}

TEST_CASE_FIXTURE(Fixture, "equally loaded tiles get it from the start tile on") {
  for (unsigned tile : {1, 4})
    use(tile, 0, 12);
  TensorUseTracker from(6, 3), down(6, 0, false);
  from.add(tracker);
  down.add(tracker);
  from.mapTensorsByUse(graph, 1, 12);
  CHECK(mapping()[4].size() == 1);
  down.mapTensorsByUse(graph, 1, 12);
  CHECK(mapping()[4].size() == 1);
  tracker.mapTensorsByUse(graph, 1, 12);
  CHECK(mapping()[1].size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "elements without use keep their tile, or extend the use beside them") {
  graph.setTileMapping(t, 5);
  use(1, 2, 4);
  use(2, 6, 8);
  TensorUseTracker extended = tracker;
  tracker.mapTensorsByUse(graph, 1, 1);
  CHECK(mapping() == Mapping{{}, {{2, 4}}, {{6, 8}}, {}, {}, {{0, 2}, {4, 6}, {8, 12}}});
  extended.mapTensorsByUse(graph, 1, 1, true);
  CHECK(mapping() == Mapping{{}, {{0, 6}}, {{6, 12}}, {}, {}, {}});
}

TEST_CASE_FIXTURE(Fixture, "halos go to the longer neighbour that shares their tile") {
  use(1, 0, 5); // 0..3 alone, 3..5 with tile 2, 5..12 tile 2 alone
  use(2, 3, 12);
  tracker.mapTensorsByUse(graph, 1, 1, false, Method::OptimizeHaloRegions);
  CHECK(mapping() == Mapping{{}, {{0, 3}}, {{3, 12}}, {}, {}, {}});
}

TEST_CASE_FIXTURE(Fixture, "resolving leaves one user for each element") {
  use(1, 0, 12);
  use(2, 0, 12);
  tracker.resolve(graph, 1, 1);
  TensorUseTracker other(6);
  other.add(tracker);
  other.add(graph, 3, t.slice(0, 1)); // of what tile 1 has now
  other.mapTensorsByUse(graph, 1, 1, false, Method::ConstrainMappingToUsedTiles);
  CHECK(mapping() == Mapping{{}, {{1, 6}}, {{6, 12}}, {{0, 1}}, {}, {}});
}

TEST_CASE_FIXTURE(Fixture, "copies are independent, moves take all") {
  use(1, 0, 12);
  TensorUseTracker copy(tracker), assigned(6);
  assigned = tracker;
  assigned.add(graph, 2, t);
  copy.mapTensorsByUse(graph, 1, 1);
  CHECK(mapping()[1].size() == 1);
  CHECK(mapping()[2].empty());
  TensorUseTracker moved(std::move(copy));
  assigned = std::move(moved);
  assigned.mapTensorsByUse(graph, 1, 1);
  CHECK(mapping()[2].empty());
}

TEST_CASE("every used element gets one of its users") {
  std::mt19937 random(5);
  for (int round = 0; round != 40; ++round) {
    poplar::Graph graph(modelOf(1, 5));
    Tensor const a = graph.addVariable(FLOAT, {30}), b = graph.addVariable(FLOAT, {6, 7});
    Tensor const views[] = {a, b.transpose().flatten(), poplar::concat(a, b.flatten())};
    TensorUseTracker tracker(5);
    std::vector<std::vector<bool>> used(5, std::vector<bool>(72));
    for (int i = 0; i != 8; ++i) {
      Tensor const &view = views[random() % 3];
      std::size_t const begin = random() % view.numElements();
      std::size_t const end = begin + random() % (view.numElements() - begin) + 1;
      auto const tile = static_cast<unsigned>(random() % 5);
      tracker.add(graph, tile, view.slice(begin, end));
      for (auto const &region : view.slice(begin, end).getVarRegions())
        for (std::size_t k = region.interval.begin(); k != region.interval.end(); ++k)
          used[tile][k + (region.var == a.getVarRegions()[0].var ? 0 : 30)] = true;
    }
    Method const method = round % 2 ? Method::None : Method::OptimizeHaloRegions;
    unsigned const grain = 1 + static_cast<unsigned>(random() % 4);
    tracker.mapTensorsByUse(graph, grain, static_cast<unsigned>(random() % 9), false, method);
    auto const mapping = graph.getTileMapping(poplar::concat(a, b.flatten()), false);
    std::vector<int> times(72);
    for (std::size_t tile = 0; tile != 5; ++tile)
      for (auto const &interval : mapping[tile])
        for (std::size_t k = interval.begin(); k != interval.end(); ++k) {
          ++times[k];
          REQUIRE(used[tile][k]);
        }
    for (std::size_t k = 0; k != 72; ++k) {
      bool any = false;
      for (auto const &tile : used)
        any = any || tile[k];
      REQUIRE(times[k] == (any ? 1 : 0));
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "errors name the values") {
  CHECK(messageOf([&] { tracker.add(graph, 6, t); }) ==
        "poputil::TensorUseTracker::add: there is no tile 6; the tracker has 6");
  CHECK(messageOf([&] { tracker.add(TensorUseTracker(5)); }) ==
        "poputil::TensorUseTracker::add: a tracker of 5 tiles to one of 6; the numbers must be "
        "equal");
  CHECK(messageOf([&] { tracker.resolve(graph, 0, 1); }).find("grainSize = 0") !=
        std::string::npos);
  CHECK(messageOf([&] { TensorUseTracker none(0); }).find("numTiles = 0") != std::string::npos);
}

TEST_SUITE_END();
