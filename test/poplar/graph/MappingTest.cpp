#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

#include "GraphTestUtil.hpp"

using namespace poplar;
using Mapping = Graph::TileToTensorMapping;

TEST_SUITE_BEGIN("poplar/graph/mapping");

TEST_CASE("mapping a view maps its elements and nothing else") {
  Graph graph = test::graphWithTiles(4);
  Tensor t = graph.addVariable(FLOAT, {2, 3}, "t");
  graph.setTileMapping(t[0], 1);
  graph.setTileMapping(t.slice(2, 3, 1), 2); // column 2
  bool complete = true;
  CHECK(graph.getTileMapping(t, &complete) == Mapping{{}, {{0, 2}}, {{2, 3}, {5, 6}}, {}});
  CHECK_FALSE(complete);
  graph.setTileMapping(t, 3);
  CHECK(graph.getTileMapping(t) == Mapping{{}, {}, {}, {{0, 6}}});
}

TEST_CASE("the mapping of a view is in the order of the view") {
  Graph graph = test::graphWithTiles(3);
  Tensor t = graph.addVariable(FLOAT, {2, 3});
  graph.setTileMapping(t[0], 0);
  graph.setTileMapping(t[1], 1);
  CHECK(graph.getTileMapping(t.transpose()) ==
        Mapping{{{0, 1}, {2, 3}, {4, 5}}, {{1, 2}, {3, 4}, {5, 6}}, {}});
  CHECK(graph.getTileMapping(t.reverse(0)) == Mapping{{{3, 6}}, {{0, 3}}, {}});
  CHECK(graph.getTileMapping(t[1].reverse(0)) == Mapping{{}, {{0, 3}}, {}});
  CHECK(graph.getTileMapping(concat(t[1], t[0])) == Mapping{{{3, 6}}, {{0, 3}}, {}});
}

TEST_CASE("an aliased element's tile is repeated") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(FLOAT, {2});
  graph.setTileMapping(t[0], 0);
  graph.setTileMapping(t[1], 1);
  CHECK(graph.getTileMapping(t.broadcast(2, 0)) == Mapping{{{0, 1}, {2, 3}}, {{1, 2}, {3, 4}}});
}

TEST_CASE("random views: setting and getting agree with a list of tiles") {
  std::mt19937 random(11);
  Graph graph = test::graphWithTiles(5);
  std::uniform_int_distribution<unsigned> tiles(0, 4);
  for (unsigned turn = 0; turn < 200; ++turn) {
    CAPTURE(turn);
    Tensor t = graph.addVariable(FLOAT, {4, 3, 5});
    std::vector<unsigned> expected(60);
    for (unsigned change = 0; change < 12; ++change) {
      std::vector<std::size_t> elements;
      Tensor const view = test::randomView(t, random, elements);
      unsigned const tile = change == 0 ? 0 : tiles(random);
      graph.setTileMapping(change == 0 ? t : view, tile);
      if (change == 0)
        expected.assign(60, tile);
      else
        for (std::size_t const element : elements)
          expected[element] = tile;
    }
    std::vector<std::size_t> elements;
    Tensor const view = test::randomView(t, random, elements);
    std::vector<unsigned> actual(elements.size(), 99);
    Mapping const mapping = graph.getTileMapping(view);
    REQUIRE(mapping.size() == 5);
    for (unsigned tile = 0; tile < 5; ++tile) {
      for (std::size_t i = 0; i < mapping[tile].size(); ++i) {
        Interval const &interval = mapping[tile][i];
        CHECK(interval.size() != 0);
        CHECK((i == 0 || mapping[tile][i - 1].end() < interval.begin()));
        for (std::size_t e = interval.begin(); e < interval.end(); ++e)
          actual[e] = tile;
      }
    }
    std::vector<unsigned> wanted;
    for (std::size_t const element : elements)
      wanted.push_back(expected[element]);
    CHECK(actual == wanted);
  }
}

TEST_CASE("a mapping may be shorter than the number of tiles, unordered, and partial") {
  Graph graph = test::graphWithTiles(8);
  Tensor t = graph.addVariable(FLOAT, {3, 2});
  graph.setTileMapping(t, 7);
  graph.setTileMapping(t.transpose(), Mapping{{}, {{4, 5}, {0, 1}, {1, 2}}, {{2, 2}}});
  CHECK(graph.getTileMapping(t)[1] == std::vector<Interval>{{0, 1}, {2, 4}});
  CHECK(graph.getTileMapping(t)[7] == std::vector<Interval>{{1, 2}, {4, 6}});
}

TEST_CASE("a mapping round-trips through a copy") {
  Graph graph = test::graphWithTiles(3);
  Tensor t = graph.addVariable(FLOAT, {7}, VariableMappingMethod::LINEAR);
  CHECK(graph.getTileMapping(t) == Mapping{{{0, 3}}, {{3, 6}}, {{6, 7}}});
  Tensor u = graph.addVariable(HALF, {7});
  graph.setTileMapping(u, graph.getTileMapping(t));
  CHECK(graph.getTileMapping(u) == graph.getTileMapping(t));
}

TEST_CASE("tensors without elements are complete") {
  Graph graph = test::graphWithTiles(2);
  Tensor t = graph.addVariable(FLOAT, {0, 4});
  CHECK(graph.getTileMapping(t) == Mapping(2));
  graph.setTileMapping(t, 1);
  graph.setTileMapping(t, Mapping{});
}

TEST_CASE("virtual graphs translate tiles both ways") {
  Graph graph = test::graphWithTiles(8);
  Graph upper = graph.createVirtualGraph(4, 8);
  Graph nested = upper.createVirtualGraph(1, 3);
  Graph listed = graph.createVirtualGraph(std::vector<unsigned>{6, 2});
  Tensor t = upper.addVariable(FLOAT, {8}, VariableMappingMethod::LINEAR);
  CHECK(graph.getTileMapping(t)[4] == std::vector<Interval>{{0, 2}});
  CHECK(upper.getTileMapping(t)[3] == std::vector<Interval>{{6, 8}});
  nested.setTileMapping(t, 1);
  CHECK(graph.getTileMapping(t)[6] == std::vector<Interval>{{0, 8}});
  CHECK(listed.getTileMapping(t)[0] == std::vector<Interval>{{0, 8}});
  CHECK(nested.convertTileToTopLevelGraphTile(1) == 6);
  CHECK(listed.convertTopLevelGraphTileToTile(2) == 1);
  CHECK(listed.getTopLevelGraph().getTarget().getNumTiles() == 8);
  test::checkThrows<poplar_error>([&] { listed.convertTopLevelGraphTileToTile(3); }, "tile 3");
  graph.setTileMapping(t[0], 0);
  test::checkThrows<invalid_tile_mapping>([&] { upper.getTileMapping(t); },
                                          "element 0 is on tile 0");
  CHECK(upper.getTileMapping(t, true, true)[2] == std::vector<Interval>{{1, 8}});
}

TEST_CASE("virtual graphs keep tiles of every IPU") {
  Graph graph = test::graphWithTiles(4, 2);
  Graph two = graph.createVirtualGraph(2);
  CHECK(two.getTarget().getNumTiles() == 4);
  CHECK(two.getTarget().getNumIPUs() == 2);
  CHECK(two.convertTileToTopLevelGraphTile(2) == 4);
  Graph second = graph.createVirtualGraph(4, 8);
  CHECK(second.getTarget().getNumIPUs() == 1);
  CHECK(second.getTarget().getTilesPerIPU() == 4);
  Graph across = graph.createVirtualGraph(2, 6);
  CHECK(across.getTarget().getNumTiles() == 4);
  CHECK(graph.convertPhysicalTileToVirtualTile(1, 3) == 7);
}

TEST_CASE("bad mappings name their values") {
  Graph graph = test::graphWithTiles(4);
  Tensor t = graph.addVariable(FLOAT, {2, 3}, "weights");
  test::checkThrows<invalid_tile_mapping>([&] { graph.setTileMapping(t, 4); },
                                          "tile 4 does not exist; the graph has 4 tiles (0 to 3)");
  test::checkThrows<invalid_tile_mapping>(
      [&] {
        graph.setTileMapping(t, Mapping{{{0, 7}}});
      },
      "[0, 7)");
  test::checkThrows<invalid_tile_mapping>(
      [&] {
        graph.setTileMapping(t, Mapping{{}, {}, {}, {}, {{0, 1}}});
      },
      "tile 4");
  test::checkThrows<invalid_tile_mapping>(
      [&] {
        graph.setTileMapping(t, Mapping{{{0, 4}}, {{3, 6}}});
      },
      "element 3 is mapped to tile 0 and to tile 1");
  graph.setTileMapping(t[0], 0);
  test::checkThrows<invalid_tile_mapping>([&] { graph.getTileMapping(t); }, "element 3");
  test::checkThrows<invalid_tile_mapping>([&] { graph.getTileMapping(t); }, "weights");
  test::checkThrows<invalid_tile_mapping>([&] { graph.getTileMapping(t); }, "setTileMapping");
  test::checkThrows<poplar_error>([&] { graph.setTileMapping(Tensor(), 0); }, "invalid");
  Graph other = test::graphWithTiles(4);
  test::checkThrows<poplar_error>([&] { other.setTileMapping(t, 0); }, "belongs to another graph");
  test::checkThrows<poplar_error>([&] { graph.createVirtualGraph(2, 2); }, "[2, 2)");
  test::checkThrows<poplar_error>([&] { graph.createVirtualGraph(5); }, "5");
  test::checkThrows<poplar_error>(
      [&] {
        graph.createVirtualGraph(std::vector<unsigned>{1, 1});
      },
      "tile 1 is listed twice");
  test::checkThrows<graph_replication_error>(
      [&] { Graph(graph.getTarget(), replication_factor(2)); }, "2");
  test::checkThrows<poplar_error>([&] { Graph().addVariable(FLOAT, {1}); }, "the graph is empty");
}

TEST_CASE("large uniform views are mapped without touching their elements") {
  Graph graph = test::graphWithTiles(1472);
  Tensor t = graph.addVariable(FLOAT, {1u << 15, 1u << 15});
  Tensor transposed = t.transpose();
  graph.setTileMapping(transposed, 5);
  CHECK(graph.getTileMapping(transposed)[5] == std::vector<Interval>{{0, std::size_t{1} << 30}});
  for (unsigned row = 0; row < 1472; ++row)
    graph.setTileMapping(t[row], row);
  CHECK(graph.getTileMapping(t[1471].broadcast(1000, 0))[1471].size() == 1);
}

TEST_SUITE_END();
