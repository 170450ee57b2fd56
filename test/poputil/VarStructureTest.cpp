#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

#include <map>

using poplar::FLOAT;
using poplar::Tensor;
using poputil::GroupingInfo;
using poputil::poplibs_error;
using Shape = std::vector<std::size_t>;
using Groupings = std::vector<GroupingInfo>;

TEST_SUITE_BEGIN("poputil/varstructure");

namespace {
poplar::Graph smallGraph() {
  poplar::IPUModel ipu;
  ipu.numIPUs = 1;
  ipu.tilesPerIPU = 4;
  return poplar::Graph(ipu.createDevice().getTarget());
}
} // namespace

TEST_CASE("the innermost grouping is what lies together on one tile") {
  poplar::Graph g = smallGraph();
  Tensor const t = g.addVariable(FLOAT, {4, 12});
  g.setTileMapping(t, 0);
  CHECK(poputil::detectInnermostGrouping(g, t) == 12);
  CHECK(poputil::detectInnermostGrouping(g, t.transpose()) == 1);
  CHECK(poputil::detectInnermostGrouping(g, t.slice(2, 8, 1)) == 6);
  CHECK(poputil::detectInnermostGrouping(g, t.flatten()) == 48);
  CHECK(poputil::detectInnermostGrouping(g, t.reverse(1)) == 1);
  CHECK(poputil::detectInnermostGrouping(
            g, t.reshape({4, 3, 4}).dimShuffle({1, 0, 2}).reshape({3, 16})) == 4);
  CHECK(poputil::detectInnermostGrouping(g, t.slice(0, 0, 1)) == 1);
  for (unsigned i = 0; i != 3; ++i)
    g.setTileMapping(t.slice(4 * i, 4 * i + 4, 1), i);
  CHECK(poputil::detectInnermostGrouping(g, t) == 4);
  CHECK(poputil::detectInnermostGrouping(g, g.addVariable(FLOAT, {6})) == 6);
  // The last row differs from the first.
  Tensor const mixed = poplar::concat(
      g.addVariable(FLOAT, {1, 8}),
      g.addVariable(FLOAT, {4, 2}).transpose().slice(0, 1).reshape({1, 4}).broadcast(2, 1));
  CHECK(poputil::detectInnermostGrouping(g, mixed) == 1);
  CHECK_THROWS_WITH_AS(poputil::detectInnermostGrouping(g, t[0][0]),
                       "poputil::detectInnermostGrouping: 't' has rank 0; it must have a dimension",
                       poplibs_error);
}

TEST_CASE("groupings of all dimensions, from the innermost") {
  poplar::Graph g = smallGraph();
  Tensor const t = g.addVariable(FLOAT, {4, 6});
  g.setTileMapping(t, 1);
  CHECK(poputil::detectDimGroupings(g, t) == Groupings{{1, 6}, {0, 4}});
  CHECK(poputil::detectDimGroupings(g, t.transpose()) == Groupings{{0, 6}, {1, 4}});
  CHECK(poputil::detectDimGroupings(g, t.slice(0, 3, 1)) == Groupings{{1, 3}});
  CHECK(poputil::detectDimGroupings(g, t.slice(0, 1, 1)).empty());
  CHECK(poputil::detectDimGroupings(g, t[0][0]).empty());
  CHECK(poputil::detectDimGroupings(g, t.slice(0, 0, 0)).empty());
  // [6, 8] in blocks of 2 x 4 elements.
  Tensor const blocks = g.addVariable(FLOAT, {3, 2, 2, 4});
  for (unsigned i = 0; i != 3; ++i)
    for (unsigned j = 0; j != 2; ++j)
      g.setTileMapping(blocks[i][j], i + j);
  Tensor const blocked = blocks.dimShuffle({0, 2, 1, 3}).reshape({6, 8});
  CHECK(poputil::detectDimGroupings(g, blocked) == Groupings{{1, 4}, {0, 2}});
}

TEST_CASE("partitions are contiguous and cover the tensor") {
  poplar::Graph g = smallGraph();
  for (auto const &[shape, parts] : std::vector<std::pair<Shape, Shape>>{{{7, 5}, {3, 2}},
                                                                         {{4, 4}, {2, 2}},
                                                                         {{5}, {4}},
                                                                         {{3, 0}, {2, 2}},
                                                                         {{}, {}},
                                                                         {{2, 3, 4}, {5, 1, 3}}}) {
    Tensor const t = poputil::createPartitionableTensor(g, FLOAT, shape, parts);
    CHECK(t.shape() == shape);
    CHECK(!t.containsAliases());
    std::size_t calls = 0, elements = 0, expected = 1;
    for (std::size_t p : parts)
      expected *= p;
    poputil::iterateTensorPartitions(t, parts, [&](Shape const &i, Tensor const &s) {
      CHECK(i.size() == parts.size());
      CHECK(s.rank() == t.rank());
      CHECK(s.isContiguous());
      elements += s.numElements();
      ++calls;
    });
    CHECK(calls == expected);
    CHECK(elements == t.numElements());
  }
  Tensor const t = g.addVariable(FLOAT, {5, 3});
  std::map<Shape, Shape> shapes;
  poputil::iterateTensorPartitions(t, {2, 2},
                                   [&](Shape const &i, Tensor const &s) { shapes[i] = s.shape(); });
  CHECK(shapes == std::map<Shape, Shape>{
                      {{0, 0}, {3, 2}}, {{0, 1}, {3, 1}}, {{1, 0}, {2, 2}}, {{1, 1}, {2, 1}}});
}

TEST_CASE("numbers of partitions must fit") {
  poplar::Graph g = smallGraph();
  CHECK_THROWS_WITH_AS(poputil::createPartitionableTensor(g, FLOAT, {4, 4}, {2}),
                       "poputil::createPartitionableTensor: 'nPartitions' has 1 elements; for the "
                       "shape [4, 4] it must have 2",
                       poplibs_error);
  CHECK_THROWS_AS(poputil::iterateTensorPartitions(g.addVariable(FLOAT, {4}), {0},
                                                   [](Shape const &, Tensor const &) {}),
                  poplibs_error);
}

TEST_SUITE_END();
