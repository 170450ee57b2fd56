// Graphs as pictures and lists, tensors as files.
#include "GraphTestUtil.hpp"

#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

#include <cstdint>
#include <map>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

Graph::TileToTensorMapping mappingOf(Graph const &graph, Tensor const &t) {
  return graph.getTileMapping(t, false);
}

/// What tensors look like: which of their elements share storage, and where these lie.
void checkSame(Graph const &from, Tensor const &a, Graph const &to, Tensor const &b) {
  CHECK(a.shape() == b.shape());
  CHECK(a.elementType() == b.elementType());
  CHECK(a.containsAliases() == b.containsAliases());
  CHECK(a.getContiguousRegions() == b.getContiguousRegions());
  CHECK(mappingOf(from, a) == mappingOf(to, b));
  std::vector<Interval> const all{{0, a.numElements()}};
  if (a.numElements() != 0)
    CHECK(from.getSortedContiguousRegions(a.flatten(), all) ==
          to.getSortedContiguousRegions(b.flatten(), all));
}

std::vector<Tensor> roundTrip(Graph const &from, Graph &to, std::vector<Tensor> const &tensors,
                              SerializationFormat format) {
  std::stringstream file;
  from.serializeTensors(file, tensors, format);
  return to.deserializeTensors(file, format);
}

} // namespace

TEST_SUITE_BEGIN("poplar/graph/export");

TEST_CASE("tensors come back from a file with shape, order, aliases and tiles") {
  for (SerializationFormat const format :
       {SerializationFormat::JSON, SerializationFormat::Binary}) {
    std::uint32_t const seed = 20;
    CAPTURE(seed);
    std::mt19937 random(seed);
    Graph graph = test::graphWithTiles(4);
    Tensor const x = graph.addVariable(FLOAT, {3, 4, 5}, VariableMappingMethod::LINEAR);
    Tensor const half = graph.addVariable(HALF, {8}, VariableMappingMethod::NONE);
    graph.setTileMapping(half.slice(2, 5), 3); // the rest stays unmapped
    Tensor const constant = graph.addConstant(INT, {2}, 7);
    std::vector<Tensor> tensors{x,
                                x.dimShuffle({2, 0, 1}),
                                half,
                                half.reverse(0).subSample(3, 0),
                                constant.broadcast(3, 0),
                                concat(half.slice(1, 3), half.slice(0, 4)),
                                x.reinterpret(INT),
                                graph.addVariable(INT, {3, 0}),
                                x[0][0][0]};
    std::vector<std::size_t> ignored;
    for (int i = 0; i < 20; ++i)
      tensors.push_back(test::randomView(x, random, ignored));
    Graph other = test::graphWithTiles(4);
    other.addVariable(INT, {3});
    std::vector<Tensor> const back = roundTrip(graph, other, tensors, format);
    REQUIRE(back.size() == tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      CAPTURE(i);
      checkSame(graph, tensors[i], other, back[i]);
    }
    CHECK(back[0].intersectsWith(back[1])); // the same variable for both
    CHECK_FALSE(back[4].containsConstant());
    CHECK_NOTHROW(Copy(tensors[0], tensors[1]));
  }
}

TEST_CASE("no tensors and an empty file give no tensors") {
  for (SerializationFormat const format :
       {SerializationFormat::JSON, SerializationFormat::Binary}) {
    Graph graph = test::graphWithTiles(2);
    CHECK(roundTrip(graph, graph, {}, format).empty());
    std::stringstream empty;
    CHECK(graph.deserializeTensors(empty, format).empty());
  }
}

TEST_CASE("files that cannot be are refused, whatever is wrong with them") {
  Graph graph = test::graphWithTiles(2);
  auto const read = [&](std::string const &text,
                        SerializationFormat format = SerializationFormat::JSON) {
    return [&graph, text, format] {
      std::stringstream file(text);
      graph.deserializeTensors(file, format);
    };
  };
  auto const file = [](std::string const &tiles, std::string const &shape,
                       std::string const &blocks) {
    return R"({"version": 1, "variables": [{"type": "float", "elements": 4, "tiles": [)" + tiles +
           R"(]}], "tensors": [{"type": "float", "shape": [)" + shape + R"(], "blocks": [)" +
           blocks + "]}]}";
  };
  CHECK_NOTHROW(read(file("[0, 4, 1]", "2, 2", "[0, 0, 4, 1]"))());
  test::checkThrows<parse_error>(read("hello"), "'{' is missing");
  test::checkThrows<parse_error>(read(R"({"version": 2})"), "version 2 is not known");
  test::checkThrows<parse_error>(read(R"({"tensors": [])"), "'version' is missing");
  test::checkThrows<parse_error>(read(file("", "4", "[0, 0, 5, 1]")), "beyond its variable");
  test::checkThrows<parse_error>(read(file("", "4", "[0, 1, 4, 1]")), "beyond its variable");
  test::checkThrows<parse_error>(read(file("", "4", "[0, 0, 4, 18446744073709551615]")),
                                 "beyond its variable");
  test::checkThrows<parse_error>(read(file("", "4", "[0, 0, 4, 9223372036854775807]")),
                                 "beyond its variable");
  test::checkThrows<parse_error>(read(file("", "4", "[1, 0, 4, 1]")), "names no variable");
  test::checkThrows<parse_error>(read(file("", "5", "[0, 0, 4, 1]")), "has not the elements");
  test::checkThrows<parse_error>(read(file("", "4", "")), "no blocks");
  test::checkThrows<parse_error>(read(file("[0, 4, 2]", "4", "[0, 0, 4, 1]")), "no such tile");
  test::checkThrows<parse_error>(read(file("[0, 5, 1]", "4", "[0, 0, 4, 1]")), "intervals");
  test::checkThrows<parse_error>(read(file("", "4", "[0, 0, 4, 99999999999999999999]")),
                                 "a number is too large");
  test::checkThrows<parse_error>(read("cwten", SerializationFormat::Binary),
                                 "not a file of tensors");
  std::stringstream whole;
  Tensor const t = graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR);
  graph.serializeTensors(whole, {t}, SerializationFormat::Binary);
  std::string const text = whole.str();
  for (std::size_t size = 1; size < text.size(); ++size)
    CHECK_THROWS_AS(read(text.substr(0, size), SerializationFormat::Binary)(), parse_error);
  Graph other = test::graphWithTiles(2);
  std::stringstream out;
  CHECK_THROWS_AS(other.serializeTensors(out, {t}, SerializationFormat::JSON), poplar_error);
}

TEST_CASE("a virtual graph writes and reads tiles by its own numbers") {
  Graph graph = test::graphWithTiles(4);
  Graph upper = graph.createVirtualGraph(2, 4);
  Tensor const t = upper.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR);
  std::vector<Tensor> const back = roundTrip(upper, graph, {t}, SerializationFormat::JSON);
  CHECK(graph.getTileMapping(back[0]) == Graph::TileToTensorMapping{{{0, 2}}, {{2, 4}}, {}, {}});
  Graph const lower = graph.createVirtualGraph(0, 2);
  std::stringstream out;
  test::checkThrows<invalid_tile_mapping>(
      [&] { lower.serializeTensors(out, {t}, SerializationFormat::JSON); }, "is on tile 2");
}

TEST_CASE("pictures name compute sets in the order in which programs execute them") {
  Graph graph = test::graphWithTiles(2);
  Tensor const a = graph.addVariable(FLOAT, {2}, "a \"quoted\""),
               b = graph.addVariable(FLOAT, {2}, "b");
  std::map<std::string, ComputeSet> sets;
  for (char const *const name : {"first", "second", "third", "unused"})
    sets.emplace(name, graph.addComputeSet(name));
  Function const f = graph.addFunction(Execute(sets["second"]));
  Sequence const program({Copy(a, b, false, "move"), Execute(sets["third"]),
                          Repeat(3, Sequence({Call(f), Call(f)})), Execute(sets["first"])});
  auto const check = [&](auto const &write) {
    std::ostringstream out;
    write(out);
    std::string const text = out.str();
    std::size_t const third = text.find("third"), second = text.find("second"),
                      first = text.find("first");
    CHECK(text.rfind("digraph", 0) == 0);
    CHECK(text.substr(text.size() - 2) == "}\n");
    CHECK(third < second);
    CHECK(second < first);
    CHECK(first != std::string::npos);
    CHECK(text.find("second", second + 1) == std::string::npos);
    CHECK(text.find("unused") == std::string::npos);
    return text;
  };
  std::string const text =
      check([&](std::ostream &out) { graph.outputComputeGraph(out, {program}); });
  CHECK(text.find("Copy move") != std::string::npos);
  CHECK(text.find("a \\\"quoted\\\"") != std::string::npos);
  CHECK(text.find("t0 -> s0;") != std::string::npos);
  CHECK(text.find("s0 -> t1;") != std::string::npos);
  check([&](std::ostream &out) { graph.outputVertexGraph(out, {program}); });
  std::ostringstream all;
  graph.outputVertexGraph(all);
  CHECK(all.str().find("unused") != std::string::npos);
  Graph other = test::graphWithTiles(2);
  test::checkThrows<poplar_error>([&] { other.outputComputeGraph(all, {program}); },
                                  "belongs to another graph");
}

TEST_CASE("a graph as a list names what there is") {
  Graph graph = test::graphWithTiles(2);
  Tensor const a = graph.addVariable(FLOAT, {2, 3}, "weights"),
               b = graph.addVariable(FLOAT, {2, 3});
  graph.addComputeSet("sums");
  std::ostringstream text, binary;
  graph.serialize(text, {Copy(a, b)}, SerializationFormat::JSON);
  graph.serialize(binary, {Copy(a, b)}, SerializationFormat::Binary);
  for (char const *const part : {"weights", "sums", "Copy"}) {
    CHECK(text.str().find(part) != std::string::npos);
    CHECK(binary.str().find(part) != std::string::npos);
  }
}

TEST_CASE("what is not available says what serves instead") {
  Graph graph = test::graphWithTiles(2);
  Tensor const t = graph.addVariable(FLOAT, {2});
  std::stringstream stream;
  test::checkThrows<poplar_error>([&] { graph.addExternalVariable(FLOAT, {2}, "there", {"x"}); },
                                  "use addVariable");
  test::checkThrows<poplar_error>(
      [&] { graph.addExternalExchangeVertex(graph.addComputeSet(), "V", 1, true, false); },
      "CrossReplicaCopy");
  test::checkThrows<poplar_error>(
      [&] {
        graph.setInitialValue(t, std::map<unsigned, unsigned>{{0, 1}});
      },
      "ArrayRef");
  test::checkThrows<poplar_error>([&] { graph.addCodeletPlaceholder(stream); }, "POPLAR_VERTEX");
}

TEST_SUITE_END();
