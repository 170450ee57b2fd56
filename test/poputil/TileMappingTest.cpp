#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/IPUModel.hpp>

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("poputil/tileMapping");

using poplar::FLOAT;
using poplar::Interval;
using poplar::Tensor;
using Mapping = poplar::Graph::TileToTensorMapping;

namespace {

struct Fixture {
  poplar::Graph graph;
  Fixture() {
    poplar::IPUModel model;
    model.numIPUs = 1;
    model.tilesPerIPU = 4;
    graph = poplar::Graph(model.createDevice());
  }
};

} // namespace

TEST_CASE_FIXTURE(Fixture, "blocks of whole grains, in order") {
  CHECK(poputil::calcLinearTileMapping(graph, {5, 4}, 1, 2) ==
        Mapping{{{0, 4}}, {{4, 10}}, {{10, 14}}, {{14, 20}}});
  CHECK(poputil::calcLinearTileMapping(graph, {6}, 4, 1) == Mapping{{{0, 6}}});
  CHECK(poputil::calcLinearTileMapping(graph, {0, 3}, 1, 1).empty());
  CHECK(poputil::calcLinearTileMapping(graph, std::vector<std::size_t>{}, 1, 1) ==
        Mapping{{{0, 1}}});
}

TEST_CASE_FIXTURE(Fixture, "offsets turn around the tiles, in either direction") {
  CHECK(poputil::calcLinearTileMapping(graph, {4}, 2, 1, 3) == Mapping{{{2, 4}}, {}, {}, {{0, 2}}});
  CHECK(poputil::calcLinearTileMapping(graph, {4}, 2, 1, 0, false) ==
        Mapping{{}, {}, {{2, 4}}, {{0, 2}}});
  for (bool ascending : {true, false})
    for (unsigned tile = 0; tile != 4; ++tile)
      CHECK(poputil::transformTileIndex(poputil::invTransformTileIndex(tile, 4, 3, ascending), 4, 3,
                                        ascending) == tile);
  for (bool ascending : {true, false}) {
    CHECK_THROWS_WITH_AS(poputil::transformTileIndex(3, 0, 1, ascending),
                         "poputil::transformTileIndex: numTiles = 0; there must be at least one "
                         "tile",
                         poputil::poplibs_error);
    CHECK_THROWS_AS(poputil::invTransformTileIndex(3, 0, 1, ascending), poputil::poplibs_error);
  }
}

TEST_CASE("more elements than an unsigned counts lie on the one tile of a CPU") {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  std::size_t const many = std::size_t{5} << 31U;
  Tensor const t = graph.addVariable(poplar::UNSIGNED_CHAR, {many});
  poputil::mapTensorLinearly(graph, t);
  CHECK(graph.getTileMapping(t) == Mapping{{{0, many}}});
}

TEST_CASE_FIXTURE(Fixture, "mapTensorLinearly maps every element") {
  Tensor const t = graph.addVariable(FLOAT, {1000}), small = graph.addVariable(FLOAT, {3});
  poputil::mapTensorLinearly(graph, t);
  poputil::mapTensorLinearly(graph, small);
  CHECK(graph.getTileMapping(t) == Mapping{{{0, 250}}, {{250, 500}}, {{500, 750}}, {{750, 1000}}});
  CHECK(graph.getTileMapping(small)[0].size() == 1);
  CHECK(poputil::getTileImbalance(graph, t) == 0);
  CHECK(poputil::getTileImbalance(graph, small) == 2);
  CHECK(poputil::getTileImbalance(graph, small, 3) == 0);
  auto const [mapping, next] = poputil::calcLinearTileMappingAndNewOffset(graph, small, 3);
  CHECK(mapping[3] == std::vector<Interval>{{0, 3}});
  CHECK(next == 0);
  poputil::mapTensorLinearlyWithOffset(graph, t.slice(0, 8), 4, 4, 2);
  CHECK(graph.getTileMapping(t.slice(0, 8)) == Mapping{{}, {}, {{0, 4}}, {{4, 8}}});
}

TEST_CASE_FIXTURE(Fixture, "dimensions that are split over tiles") {
  Tensor const t = graph.addVariable(FLOAT, {4, 6});
  for (unsigned row = 0; row != 4; ++row)
    graph.setTileMapping(t[row], row);
  CHECK(poputil::dimIsSplitOverTiles(graph, t, 0));
  CHECK_FALSE(poputil::dimIsSplitOverTiles(graph, t, 1));
  CHECK_THROWS_AS(poputil::dimIsSplitOverTiles(graph, t, 2), poputil::poplibs_error);
}

TEST_CASE("the offset for a shape is below the number of tiles and needs one") {
  CHECK(poputil::chooseMappingOffset(7, {3, 4}) < 7);
  CHECK(poputil::chooseMappingOffset(7, {3, 4}) == poputil::chooseMappingOffset(7, {3, 4}));
  CHECK_THROWS_AS(poputil::chooseMappingOffset(0, {3}), poputil::poplibs_error);
}

TEST_SUITE_END();
