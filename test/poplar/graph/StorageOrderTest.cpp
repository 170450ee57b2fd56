#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include "GraphTestUtil.hpp"

#include <algorithm>
#include <map>

using namespace poplar;
using Runs = std::vector<std::vector<Interval>>;

namespace {

using Place = std::pair<std::size_t, std::size_t>; // variable, element

std::vector<Place> placesOf(Tensor const &t) {
  std::vector<Place> places;
  for (VariableInterval const &region : t.getVarRegions())
    for (std::size_t i = region.interval.begin(); i < region.interval.end(); ++i)
      places.emplace_back(region.var.hash(), i);
  return places;
}

} // namespace

TEST_SUITE_BEGIN("poplar/graph/storageOrder");

TEST_CASE("regions come in the order of storage") {
  Graph graph = test::graphWithTiles(2);
  Tensor a = graph.addVariable(FLOAT, {4});
  Tensor b = graph.addVariable(FLOAT, {4});
  Tensor t = concat({b, a.slice(2, 4), a.slice(0, 2)});
  CHECK(graph.getSortedContiguousRegions(t, {{0, 8}}) == Runs{{{6, 8}, {4, 6}}, {{0, 4}}});
  CHECK(graph.getSortedContiguousRegions(t, {{1, 2}, {6, 7}, {5, 5}}) == Runs{{{6, 7}}, {{1, 2}}});
  CHECK(graph.getSortedContiguousRegions(t, {}) == Runs{});
  test::checkThrows<index_error>([&] { graph.getSortedContiguousRegions(t, {{0, 9}}); }, "[0, 9)");
}

TEST_CASE("aliases are kept, removed, or traced to their first occurrence") {
  Graph graph = test::graphWithTiles(2);
  Tensor a = graph.addVariable(FLOAT, {4});
  Tensor t = concat({a.slice(1, 3), a, a.slice(0, 1)});
  std::vector<std::size_t> aliases;
  CHECK(graph.getSortedContiguousRegions(t, {{0, 7}}, true) == Runs{{{2, 3}, {0, 2}, {5, 6}}});
  Runs const all = graph.getSortedContiguousRegions(t, {{0, 7}}, false, &aliases);
  std::size_t total = 0, index = 0;
  std::vector<Place> const places = placesOf(t);
  for (auto const &run : all)
    for (Interval const &interval : run) {
      REQUIRE(index < aliases.size());
      for (std::size_t i = 0; i < interval.size(); ++i) {
        auto const first =
            std::find(places.begin(), places.end(), places[interval.begin() + i]) - places.begin();
        CHECK(aliases[index] + i == static_cast<std::size_t>(first));
      }
      total += interval.size();
      ++index;
    }
  CHECK(total == 7);
  CHECK(index == aliases.size());
}

TEST_CASE("random views: every element once, in storage order, in maximal runs") {
  std::mt19937 random(5);
  Graph graph = test::graphWithTiles(2);
  Tensor const a = graph.addVariable(FLOAT, {4, 3, 5});
  for (unsigned turn = 0; turn < 300; ++turn) {
    CAPTURE(turn);
    std::vector<std::size_t> elements;
    Tensor const t = test::randomView(a, random, elements);
    for (bool const remove : {false, true}) {
      Runs const runs = graph.getSortedContiguousRegions(t, {{0, t.numElements()}}, remove);
      std::vector<std::size_t> storage;
      std::map<std::size_t, unsigned> timesSeen;
      for (auto const &run : runs) {
        std::size_t const runStart = storage.size();
        for (Interval const &interval : run)
          for (std::size_t i = interval.begin(); i < interval.end(); ++i) {
            ++timesSeen[i];
            storage.push_back(elements[i]);
          }
        for (std::size_t i = runStart + 1; i < storage.size(); ++i)
          REQUIRE(storage[i] == storage[i - 1] + 1);
      }
      std::vector<std::size_t> expected = elements;
      std::sort(expected.begin(), expected.end());
      if (remove) {
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        CHECK(storage == expected);
        std::size_t numRuns = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
          numRuns += i == 0 || expected[i] != expected[i - 1] + 1;
        CHECK(runs.size() == numRuns);
      } else {
        CHECK(timesSeen.size() == t.numElements());
        std::sort(storage.begin(), storage.end());
        CHECK(storage == expected);
      }
    }
  }
}

TEST_CASE("reorderToSimplify sorts a tensor and takes others along") {
  std::mt19937 random(9);
  Graph graph = test::graphWithTiles(2);
  Tensor const a = graph.addVariable(FLOAT, {4, 3, 5});
  for (unsigned turn = 0; turn < 200; ++turn) {
    CAPTURE(turn);
    std::vector<std::size_t> elements;
    Tensor t = test::randomView(a, random, elements).flatten();
    Tensor other = graph.addVariable(INT, {t.numElements()});
    std::vector<Place> const before = placesOf(t);
    graph.reorderToSimplify(&t, {&other});
    std::vector<Place> const after = placesOf(t), others = placesOf(other);
    if (!t.containsAliases()) // else whole regions are sorted
      CHECK(std::is_sorted(after.begin(), after.end()));
    for (std::size_t i = 0; i < after.size(); ++i)
      CHECK(after[i] == before[others[i].second]);
  }
  Tensor large = graph.addVariable(FLOAT, {1u << 14, 1u << 14}).transpose().flatten();
  graph.reorderToSimplify(&large, {});
  CHECK(large.isContiguous());
  Tensor three = graph.addVariable(FLOAT, {3}), four = graph.addVariable(FLOAT, {4}),
         matrix = four.reshape({2, 2});
  test::checkThrows<poplar_error>([&] { graph.reorderToSimplify(&four, {&three}); },
                                  "[3], but 't' has shape [4]");
  test::checkThrows<poplar_error>([&] { graph.reorderToSimplify(&matrix, {}); }, "rank 1");
}

TEST_CASE("a rearranger gives the order of storage, takes it back, and maps intervals") {
  Graph graph = test::graphWithTiles(2);
  std::mt19937 random(20);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    std::vector<std::size_t> elements;
    Tensor t = test::randomView(graph.addVariable(INT, {4, 3, 5}), random, elements);
    if (round % 3 == 0)
      t = concat(t.flatten(), graph.addVariable(INT, {7}).reverse(0));
    TensorRearranger const order = graph.getSimplifyingRearranger(t);
    REQUIRE(order.valid());
    Tensor const numbers = graph.addVariable(INT, t.shape());
    Tensor const sorted = order.rearrange(t), back = order.undoRearrangement(sorted);
    CHECK(sorted.getContiguousRegions().size() <= t.getContiguousRegions().size());
    CHECK(placesOf(back) == placesOf(t));
    // Other tensors of as many elements take the same order.
    std::vector<Place> const moved = placesOf(order.rearrange(numbers));
    std::vector<Place> const before = placesOf(t), after = placesOf(sorted);
    REQUIRE(moved.size() == before.size());
    for (std::size_t i = 0; i < moved.size(); ++i)
      CHECK(after[i] == before[moved[i].second]);
    // The interval forms say where elements go.
    std::size_t const begin = t.numElements() / 3, end = begin + (t.numElements() + 1) / 2;
    std::vector<bool> wanted(t.numElements()), got(t.numElements());
    for (std::size_t i = 0; i < moved.size(); ++i)
      wanted[i] = moved[i].second >= begin && moved[i].second < end;
    std::vector<Interval> const places = order.rearrange({{begin, end}});
    for (Interval const &place : places)
      for (std::size_t i = place.begin(); i < place.end(); ++i)
        got[i] = true;
    CHECK(got == wanted);
    CHECK(order.undoRearrangement(places) == std::vector<Interval>{{begin, end}});
  }
  Tensor const empty = graph.addVariable(INT, {0, 3});
  CHECK(graph.getSimplifyingRearranger(empty).rearrange(empty).numElements() == 0);
}

TEST_CASE("a rearranger checks what it is given") {
  Graph graph = test::graphWithTiles(2);
  Tensor const t = graph.addVariable(INT, {4, 2}).transpose();
  TensorRearranger const order = graph.getSimplifyingRearranger(t), none;
  CHECK_FALSE(none.valid());
  test::checkThrows<poplar_error>([&] { none.rearrange(t); }, "the TensorRearranger is empty");
  test::checkThrows<poplar_error>([&] { order.rearrange(t[0]); },
                                  "the tensor has 4 elements; this order is for 8");
  test::checkThrows<poplar_error>([&] { order.undoRearrangement(Tensor()); }, "invalid");
  test::checkThrows<index_error>([&] { order.rearrange({{0, 9}}); }, "[0, 9) is out of range");
  // A view of any size costs by its structure.
  Tensor const large = graph.addVariable(INT, {40000, 50000}).transpose();
  CHECK(graph.getSimplifyingRearranger(large).rearrange(large).isContiguous());
}

TEST_CASE("broadcast dimensions are found") {
  Graph graph = test::graphWithTiles(2);
  Tensor a = graph.addVariable(FLOAT, {3, 1, 2});
  Tensor t = a.broadcast(4, 1);
  CHECK(graph.findUnbroadcastTensor(t) == a);
  CHECK(graph.findUnbroadcastTensor(a) == a);
  CHECK(graph.findUnbroadcastTensor(a[0][0][0].reshape({1}).broadcast(5, 0)).shape() ==
        std::vector<std::size_t>{1});
}

TEST_CASE("variables behind a view") {
  Graph graph = test::graphWithTiles(2);
  Tensor a = graph.addVariable(FLOAT, {2, 3});
  Tensor c = graph.addConstant(FLOAT, {2}, 0);
  auto const region = a[1].getVarRegions()[0];
  CHECK(graph.getVariable(region.var) == a.flatten());
  CHECK(graph.getVariable(region.var).slice(region.interval) == a[1]);
  CHECK_FALSE(graph.isConstant(region.var));
  CHECK(graph.isConstant(c.getVarRegions()[0].var));
  test::checkThrows<poplar_error>([&] { graph.getVariable(VariableRef(17)); }, "no variable");
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("poplar/graph/hostAccess");

TEST_CASE("streams know what they were made with") {
  Graph graph = test::graphWithTiles(2);
  DataStream s = graph.addHostToDeviceFIFO("in", HALF, 12, ReplicatedStreamMode::BROADCAST);
  CHECK(s.handle() == "in");
  CHECK(s.numElements() == 12);
  CHECK(s.elementType() == HALF);
  CHECK(s.type() == DataStreamType::HostToDeviceFIFO);
  CHECK(s.replicatedMode() == ReplicatedStreamMode::BROADCAST);
  CHECK(s.replicationFactor() == 1);
  CHECK(graph.addHostToDeviceFIFO("in", HALF, 12, ReplicatedStreamMode::BROADCAST).numElements() ==
        12);
  test::checkThrows<poplar_error>(
      [&] { graph.addHostToDeviceFIFO("in", HALF, 13); },
      "the handle 'in' is taken by a stream of 12 elements of type half");
  test::checkThrows<poplar_error>([&] { graph.addDeviceToHostFIFO("in", HALF, 12); },
                                  "device to host");
  test::checkThrows<poplar_error>([&] { DataStream().handle(); }, "default-constructed");
  test::checkThrows<invalid_option>(
      [&] {
        graph.addDeviceToHostFIFO("x", INT, 1, {{"bufferingDepth", "0"}});
      },
      "bufferingDepth");
  test::checkThrows<invalid_option>(
      [&] {
        graph.addDeviceToHostFIFO("x", INT, 1, {{"buferingDepth", "1"}});
      },
      "bufferingDepth");
}

TEST_CASE("host handles are unique per direction; writes need writeable tensors") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(FLOAT, {2}, "t");
  Tensor c = graph.addConstant(FLOAT, {2}, 1.0f, "c");
  graph.createHostWrite("a b", t);
  graph.createHostRead("a b", t.broadcast(2, 0));
  graph.createHostRead("c", c);
  test::checkThrows<poplar_error>([&] { graph.createHostWrite("a b", t); },
                                  "the handle 'a b' is taken");
  test::checkThrows<poplar_error>([&] { graph.createHostRead("c", t); }, "the handle 'c' is taken");
  test::checkThrows<poplar_error>([&] { graph.createHostWrite("w", c); }, "constant");
  test::checkThrows<poplar_error>([&] { graph.createHostWrite("w", t.broadcast(2, 0)); },
                                  "more than once");
}

TEST_SUITE_END();
