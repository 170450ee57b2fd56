#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

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

// Variable, offset and tile.
using Place = std::tuple<poplar::VariableRef, std::size_t, std::size_t>;

std::vector<Place> placesOf(poplar::Graph const &g, Tensor const &t) {
  std::vector<Place> places;
  for (auto const &region : t.getVarRegions())
    for (std::size_t i = region.interval.begin(); i != region.interval.end(); ++i)
      places.emplace_back(region.var, i, ~std::size_t(0));
  auto const mapping = g.getTileMapping(t, false);
  for (std::size_t tile = 0; tile != mapping.size(); ++tile)
    for (auto const &interval : mapping[tile])
      for (std::size_t i = interval.begin(); i != interval.end(); ++i)
        std::get<2>(places[i]) = tile;
  return places;
}

// Whether the elements of each group follow one another, on one tile.
bool lieTogether(std::vector<Place> const &places, Shape const &shape, Groupings const &groupings) {
  std::map<Shape, Place> starts;
  for (std::size_t e = 0; e != places.size(); ++e) {
    Shape index(shape.size());
    for (std::size_t d = shape.size(), rest = e; d-- != 0; rest /= shape[d])
      index[d] = rest % shape[d];
    std::size_t at = 0, weight = 1;
    for (auto const &[dim, size] : groupings) {
      at += weight * (index[dim] % size);
      weight *= size;
      index[dim] /= size;
    }
    Place start = places[e];
    std::get<1>(start) -= at; // may wrap
    if (starts.emplace(index, start).first->second != start)
      return false;
  }
  return true;
}

Groupings groupingsByTrial(std::vector<Place> const &places, Shape const &shape) {
  Groupings groupings;
  Shape rest = shape;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t d = shape.size(); d-- != 0 && !found;)
      for (std::size_t size = rest[d]; size > 1 && !found; --size) {
        if (rest[d] % size != 0)
          continue;
        groupings.emplace_back(d, size);
        found = lieTogether(places, shape, groupings);
        if (found)
          rest[d] /= size;
        else
          groupings.pop_back();
      }
  }
  return groupings;
}

void checkGroupings(poplar::Graph const &g, Tensor const &t) {
  CAPTURE(t.shape());
  auto const places = placesOf(g, t);
  CHECK(poputil::detectDimGroupings(g, t) == groupingsByTrial(places, t.shape()));
  unsigned const last = t.rank() - 1;
  auto group = static_cast<unsigned>(t.dim(last));
  while (t.dim(last) % group != 0 || !lieTogether(places, t.shape(), {{last, group}}))
    --group;
  CHECK(poputil::detectInnermostGrouping(g, t) == group);
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
  // The last row differs from the first, and one in the middle from both.
  Tensor const mixed = poplar::concat(
      g.addVariable(FLOAT, {1, 8}),
      g.addVariable(FLOAT, {4, 2}).transpose().slice(0, 1).reshape({1, 4}).broadcast(2, 1));
  CHECK(poputil::detectInnermostGrouping(g, mixed) == 1);
  Tensor const row = g.addVariable(FLOAT, {1, 8});
  CHECK(poputil::detectInnermostGrouping(g, poplar::concat({row, mixed, row})) == 1);
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

TEST_CASE("tiles that change within rows cut groups") {
  poplar::Graph g = smallGraph();
  Tensor const t = g.addVariable(FLOAT, {9, 2}), u = g.addVariable(FLOAT, {10, 6});
  g.setTileMapping(t.flatten().slice(0, 9), 0);
  g.setTileMapping(t.flatten().slice(9, 18), 1);
  CHECK(poputil::detectInnermostGrouping(g, t) == 1);
  CHECK(poputil::detectDimGroupings(g, t).empty());
  g.setTileMapping(u.flatten().slice(0, 15), 0);
  g.setTileMapping(u.flatten().slice(15, 60), 1);
  CHECK(poputil::detectInnermostGrouping(g, u) == 3);
  CHECK(poputil::detectDimGroupings(g, u) == Groupings{{1, 3}});
  for (std::size_t rows = 1; rows != 40; ++rows)
    for (std::size_t columns : {2, 4, 12, 16, 48}) {
      Tensor const linear = g.addVariable(FLOAT, {rows, columns});
      poputil::mapTensorLinearly(g, linear);
      checkGroupings(g, linear);
      checkGroupings(g, linear.transpose());
    }
}

TEST_CASE("groupings of random boundaries are those found by trying all") {
  std::mt19937 random(7);
  auto const below = [&](std::size_t n) { return random() % n; };
  constexpr std::size_t SIZES[] = {1, 2, 3, 4, 6, 8, 12};
  for (unsigned round = 0; round != 400; ++round) {
    CAPTURE(round);
    poplar::Graph g = smallGraph();
    Shape shape(1 + below(3));
    for (std::size_t &size : shape)
      size = SIZES[below(7)];
    std::size_t n = 1;
    for (std::size_t size : shape)
      n *= size;
    // Boundaries anywhere, or at multiples of 2 or 4.
    std::size_t const grain = std::size_t(1) << below(3);
    auto const boundary = [&] { return std::min(n, below(n / grain + 1) * grain); };
    std::size_t const cut = below(2) * boundary();
    Tensor const flat =
        poplar::concat(g.addVariable(FLOAT, {n - cut}), g.addVariable(FLOAT, {cut}));
    if (below(4) != 0) // not all have a mapping
      g.setTileMapping(flat, 0);
    for (std::size_t i = below(4); i-- != 0;)
      g.setTileMapping(flat.slice(boundary(), n), static_cast<unsigned>(below(4)));
    Tensor t = flat.reshape(shape);
    t = t.dimRoll(static_cast<unsigned>(below(t.rank())), static_cast<unsigned>(below(t.rank())));
    checkGroupings(g, t);
  }
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
  CHECK_THROWS_WITH_AS(poputil::iterateTensorPartitions(g.addVariable(FLOAT, {4}), {2}, {}),
                       "poputil::iterateTensorPartitions: 'f' is empty; it must be a function of a "
                       "partition",
                       poplibs_error);
  CHECK_THROWS_AS(poputil::iterateTensorPartitions(g.addVariable(FLOAT, {4}), {0},
                                                   [](Shape const &, Tensor const &) {}),
                  poplibs_error);
}

TEST_SUITE_END();
