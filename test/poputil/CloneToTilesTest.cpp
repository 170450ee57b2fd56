#include "Graphs.hpp"

#include <poplar/Engine.hpp>
#include <poputil/TileMapping.hpp>

TEST_SUITE_BEGIN("poputil/cloneToTiles");

using namespace graphs;
using poplar::FLOAT;
using poplar::Tensor;
using Method = poplar::TensorCloneMethod;

namespace {

/// Two IPUs of three tiles.
struct Fixture {
  poplar::Device device = modelOf(2, 3);
  poplar::Graph graph{device};
  poplar::program::Sequence prog;

  Tensor variable(std::size_t n) {
    Tensor const t = graph.addVariable(FLOAT, {n});
    for (std::size_t i = 0; i != n; ++i)
      graph.setInitialValue(t[i], static_cast<float>(i));
    return t;
  }
  std::vector<float> read(Tensor const &t) {
    graph.createHostRead("out", t);
    poplar::Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    std::vector<float> values(t.numElements());
    engine.readTensor("out", gccs::ArrayRef<float>(values));
    return values;
  }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "a clone on an IPU keeps the tile within the IPU") {
  Tensor const t = variable(6);
  graph.setTileMapping(t, {{{0, 1}}, {}, {{1, 3}}, {{3, 4}}, {{4, 6}}, {}});
  CHECK(graph.getTileMapping(poputil::cloneToIpu(graph, t, 1)) ==
        Mapping{{}, {}, {}, {{0, 1}, {3, 4}}, {{4, 6}}, {{1, 3}}});
  CHECK(graph.getTileMapping(poputil::cloneToIpu(graph, t, 0)) ==
        Mapping{{{0, 1}, {3, 4}}, {{4, 6}}, {{1, 3}}, {}, {}, {}});
}

TEST_CASE_FIXTURE(Fixture, "copies on an IPU have the values") {
  Tensor const t = variable(6);
  graph.setTileMapping(t, 1);
  Tensor const view = poplar::concat(t.reverse(0), t.slice(0, 2));
  Tensor const copy = poputil::copyToIpu(graph, view, prog, 1);
  CHECK(graph.getTileMapping(copy) == Mapping{{}, {}, {}, {}, {{0, 8}}, {}});
  CHECK_FALSE(copy.containsAliases());
  CHECK(read(copy) == std::vector<float>{5, 4, 3, 2, 1, 0, 0, 1});
}

TEST_CASE_FIXTURE(Fixture, "copies with aliases write each element once") {
  Tensor const t = variable(3);
  graph.setTileMapping(t, 0);
  Tensor const view = t.expand({0}).broadcast(4, 0);
  Tensor source, destination;
  Tensor const copy = poputil::createIpuCopy(graph, view, 1, source, destination);
  CHECK(copy.shape() == Shape{4, 3});
  CHECK(copy.containsAliases());
  CHECK(destination.shape() == Shape{3});
  CHECK(source.shape() == Shape{3});
  prog.add(poplar::program::Copy(source, destination));
  Tensor const again =
      poputil::copyToIpu(graph, view, prog, 1, {}, Method::PRESERVE_ORDER_AND_ALIASES);
  CHECK(again.containsAliases());
  CHECK(read(poplar::concat(copy.flatten(), again.flatten())) ==
        std::vector<float>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2});
}

TEST_CASE_FIXTURE(Fixture, "clones of nothing are nothing") {
  Tensor const t = graph.addVariable(FLOAT, {0, 3});
  CHECK(poputil::copyToIpu(graph, t, prog, 1).shape() == Shape{0, 3});
  CHECK(poputil::cloneAndExpandAliasing(graph, t, 2).second == 2);
}

TEST_CASE_FIXTURE(Fixture, "a clone in a virtual graph has its tile numbers") {
  Tensor const t = variable(4);
  poplar::Graph low = graph.createVirtualGraph(0, 3), high = graph.createVirtualGraph(3, 6);
  low.setTileMapping(t, {{{0, 1}}, {{1, 4}}, {}});
  Tensor const clone = poputil::cloneToGraph(low, high, t);
  CHECK(graph.getTileMapping(clone) == Mapping{{}, {}, {}, {{0, 1}}, {{1, 4}}, {}});
  poplar::Graph one = graph.createVirtualGraph(0, 1);
  CHECK(messageOf([&] { poputil::cloneToGraph(low, one, t); }) ==
        "poputil::cloneToGraph: the tensor is on tile 1; the destination has 1 tiles");
}

TEST_CASE_FIXTURE(Fixture, "a clone in an unrelated graph belongs to it") {
  Tensor const t = variable(4);
  graph.setTileMapping(t, 2);
  poplar::Graph other(modelOf(1, 4));
  Tensor const clone = poputil::cloneToGraph(graph, other, t.reshape({2, 2}).transpose());
  CHECK(clone.shape() == Shape{2, 2});
  CHECK(other.getTileMapping(clone)[2].size() == 1);
}

TEST_CASE_FIXTURE(Fixture, "repeated elements get storage of their own, spread from the offset") {
  Tensor const t = variable(40);
  graph.setTileMapping(t, 5);
  CHECK(poputil::cloneAndExpandAliasing(graph, t, 3).second == 3);
  Tensor const view = poplar::concat({t.slice(0, 20), t, t.slice(10, 30)}).reshape({8, 10});
  auto const [clone, next] = poputil::cloneAndExpandAliasing(graph, view, 1);
  CHECK(clone.shape() == Shape{8, 10});
  CHECK_FALSE(clone.containsAliases());
  CHECK(next == 2); // 40 elements fill one tile: two would have less than 32 each
  auto const mapping = graph.getTileMapping(clone);
  CHECK(mapping[5] == std::vector<poplar::Interval>{{0, 20}, {40, 60}});
  CHECK(mapping[1] == std::vector<poplar::Interval>{{20, 40}, {60, 80}});
}

TEST_CASE_FIXTURE(Fixture, "dimensions that are split over IPUs") {
  Tensor const t = graph.addVariable(FLOAT, {6, 4});
  for (unsigned row = 0; row != 6; ++row)
    graph.setTileMapping(t[row], row);
  CHECK(poputil::dimIsSplitOverIPUs(graph, t, 0));
  CHECK_FALSE(poputil::dimIsSplitOverIPUs(graph, t, 1));
  Tensor const half = t.slice(0, 3);
  CHECK(poputil::dimIsSplitOverTiles(graph, half, 0));
  CHECK_FALSE(poputil::dimIsSplitOverIPUs(graph, half, 0));
  CHECK_FALSE(poputil::dimIsSplitOverTiles(graph, graph.addVariable(FLOAT, {0, 4}), 1));
  CHECK(messageOf([&] { poputil::dimIsSplitOverIPUs(graph, t, 2); }) ==
        "poputil::dimIsSplitOverIPUs: dimension 2 of a tensor of shape [6, 4]");
}

TEST_CASE_FIXTURE(Fixture, "a broadcast operand is where its dimension is used") {
  Tensor const t = graph.addVariable(FLOAT, {2, 60, 5});
  for (unsigned part = 0; part != 6; ++part)
    graph.setTileMapping(t.slice(10 * part, 10 * part + 10, 1), 5 - part);
  Tensor const bias = poputil::createBroadcastOperand(graph, t, poplar::HALF, 1);
  CHECK(bias.shape() == Shape{60});
  CHECK(bias.elementType() == poplar::HALF);
  CHECK(graph.getTileMapping(bias) ==
        Mapping{{{50, 60}}, {{40, 50}}, {{30, 40}}, {{20, 30}}, {{10, 20}}, {{0, 10}}});
  auto const turned =
      graph.getTileMapping(poputil::createBroadcastOperand(graph, t, poplar::HALF, 1, true));
  std::size_t const offset = poputil::chooseMappingOffset(6, {2, 60, 5});
  CHECK(turned[offset] == std::vector<poplar::Interval>{{50, 60}});
  // Used by all: spread over them.
  Tensor const rows = graph.addVariable(FLOAT, {6, 600});
  for (unsigned row = 0; row != 6; ++row)
    graph.setTileMapping(rows[row], row);
  Tensor const shared = poputil::createBroadcastOperand(graph, rows, FLOAT, 1);
  CHECK(poputil::getTileImbalance(graph, shared, 0, 2) == 0);
  CHECK(messageOf([&] { poputil::createBroadcastOperand(graph, t, FLOAT, 3); }) ==
        "poputil::createBroadcastOperand: dimension 3 of a tensor of shape [2, 60, 5]");
}

TEST_CASE_FIXTURE(Fixture, "there must be such an IPU") {
  Tensor const t = variable(2);
  graph.setTileMapping(t, 0);
  Tensor a, b;
  CHECK(messageOf([&] { poputil::cloneToIpu(graph, t, 2); }) ==
        "poputil::cloneToIpu: there is no IPU 2; the graph has 2");
  CHECK(messageOf([&] { poputil::copyToIpu(graph, t, prog, 2); }) ==
        "poputil::copyToIpu: there is no IPU 2; the graph has 2");
  CHECK(messageOf([&] { poputil::createIpuCopy(graph, t, 2, a, b); }) ==
        "poputil::createIpuCopy: there is no IPU 2; the graph has 2");
}

TEST_SUITE_END();
