// Fields that are arrays or hold short vectors: what they may be given, and what sizes say.
#include <poplar/Graph.hpp>
#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

#include "GraphTestUtil.hpp"

#include <cstring>

using namespace poplar;
using cottonwood::graph::GraphData;
using cottonwood::graph::HandleAccess;

namespace values_test {

class Values : public Vertex {
public:
  unsigned short counts[4];
  float2 pair;
  float2 pairs[3];
  std::size_t size;
  long offset;
  Vector<int2> table;
  Input<float2> one;
  Input<Vector<float2>> in;
  Output<Vector<half4, VectorLayout::SHORT_SPAN>> out;
  Vector<Input<Vector<float2>>> rows;
  Vector<Input<float2>> ones;
  Input<VectorList<float2, VectorListLayout::DELTAN>> list;
  void compute() {}
};

} // namespace values_test

POPLAR_VERTEX(values_test::Values, counts, pair, pairs, size, offset, table, one, in, out, rows,
              ones, list)

namespace {

char const *const kName = "values_test::Values";

struct Fixture {
  Graph graph = test::graphWithTiles(2);
  ComputeSet cs = graph.addComputeSet("values");
  VertexRef v = graph.addVertex(cs, kName);
  Tensor floats = graph.addVariable(FLOAT, {4, 5}, "f");
  Tensor halves = graph.addVariable(HALF, {8192}, "h");

  template <class T> std::vector<T> state(char const *name) {
    GraphData &data = *HandleAccess::data(graph);
    int const field = data.codeletOf(v.getId()).findField(name);
    auto const bytes = data.stateBytes(v.getId(), static_cast<unsigned>(field));
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

} // namespace

TEST_SUITE_BEGIN("poplar/graph/values");

TEST_CASE_FIXTURE(Fixture, "arrays take all their elements, or one by its index") {
  CHECK(state<unsigned short>("counts") == std::vector<unsigned short>{0, 0, 0, 0});
  graph.setInitialValue(v["counts"][2], 9);
  CHECK(state<unsigned short>("counts") == std::vector<unsigned short>{0, 0, 9, 0});
  graph.setInitialValue(v["counts"], std::vector<float>{1, 2, 3, 65535});
  CHECK(state<unsigned short>("counts") == std::vector<unsigned short>{1, 2, 3, 65535});
  graph.setInitialValue(v["counts"], {4u, 5u, 6u, 7u}); // repeating replaces
  graph.setInitialValue(v["counts"][0], 1);
  CHECK(state<unsigned short>("counts") == std::vector<unsigned short>{1, 5, 6, 7});
  CHECK(graph.getFieldSize(v["counts"]) == 4);
  CHECK(graph.getMaxFieldDim(kName, "counts", 0) == 4);
  CHECK(graph.getMaxVertexFieldValue(kName, "counts") == 65535);
}

TEST_CASE_FIXTURE(Fixture, "short vectors take their elements as an array") {
  graph.setInitialValue(v["pair"], {1.5, 2.5});
  CHECK(state<float>("pair") == std::vector<float>{1.5F, 2.5F});
  graph.setInitialValue(v["pairs"], {1, 2, 3, 4, 5, 6});
  graph.setInitialValue(v["pairs"][1], {7, 8});
  CHECK(state<float>("pairs") == std::vector<float>{1, 2, 7, 8, 5, 6});
  graph.setInitialValue(v["table"], {1, 2, 3, 4});
  graph.setInitialValue(v["table"][1], {5, 6});
  CHECK(state<int>("table") == std::vector<int>{1, 2, 5, 6});
  CHECK(graph.getFieldSize(v["pair"]) == 1);
  CHECK(graph.getFieldSize(v["pairs"]) == 3);
  CHECK(graph.getFieldSize(v["table"]) == 2);
}

TEST_CASE_FIXTURE(Fixture, "integers of 64 bits keep all of them") {
  graph.setInitialValue(v["size"], ~std::size_t{0});
  graph.setInitialValue(v["offset"], -(1L << 62));
  CHECK(state<std::size_t>("size")[0] == ~std::size_t{0});
  CHECK(state<long>("offset")[0] == -(1L << 62));
  graph.setInitialValue(v["size"], 5); // as any integer type
  CHECK(state<std::size_t>("size")[0] == 5);
  test::checkThrows<overflow_error>([&] { graph.setInitialValue(v["size"], -1); },
                                    "'values_test::Values.size': the value -1 does not fit");
}

TEST_CASE_FIXTURE(Fixture, "wrong values for arrays name both sizes and change nothing") {
  auto const refused = [&](auto &&f, char const *text) {
    test::checkThrows<poplar_error>(f, text);
  };
  graph.setInitialValue(v["counts"], {1, 2, 3, 4});
  refused(
      [&] {
        graph.setInitialValue(v["counts"], std::vector<int>{1, 2, 3});
      },
      "'values_test::Values.counts' has 4 elements; the array has 3");
  refused([&] { graph.setInitialValue(v["counts"], std::vector<int>(5)); },
          "has 4 elements; the array has 5");
  refused([&] { graph.setInitialValue(v["counts"], 1); }, "give it an array, not 1 value");
  refused([&] { graph.setInitialValue(v["counts"][0], {1, 2}); }, "takes one value, not an array");
  refused(
      [&] {
        graph.setInitialValue(v["pair"], {1, 2, 3});
      },
      "'values_test::Values.pair' has 2 elements; the array has 3");
  refused([&] { graph.setInitialValue(v["pair"], 1); }, "give it an array");
  refused([&] { graph.setInitialValue(v["pairs"], {1, 2}); }, "has 6 elements; the array has 2");
  refused([&] { graph.setInitialValue(v["pairs"][1], {1}); },
          "'values_test::Values.pairs[1]' has 2 elements; the array has 1");
  test::checkThrows<index_error>([&] { graph.setInitialValue(v["counts"][4], 1); },
                                 "index 4 is out of range; the field has size 4");
  test::checkThrows<index_error>(
      [&] {
        graph.setInitialValue(v["pairs"][3], {1, 2});
      },
      "index 3 is out of range; the field has size 3");
  test::checkThrows<index_error>([&] { graph.setInitialValue(v["pair"][0], 1); }, "scalar field");
  test::checkThrows<graph_connection_error>(
      [&] {
        graph.setInitialValue(v["table"], {1, 2, 3});
      },
      "'values_test::Values.table' holds vectors of 2 elements; the array has 3");
  test::checkThrows<overflow_error>(
      [&] {
        graph.setInitialValue(v["counts"], {9, 9, 9, -9});
      },
      "-9");
  CHECK(state<unsigned short>("counts") == std::vector<unsigned short>{1, 2, 3, 4});
  refused([&] { graph.connect(v["counts"], 7); }, "give it an array");
}

TEST_CASE_FIXTURE(Fixture, "arrays are neither connected nor sized") {
  test::checkThrows<graph_connection_error>(
      [&] { graph.connect(v["counts"], graph.addVariable(UNSIGNED_SHORT, {4})); },
      "is state, not an edge; give it a value with setInitialValue");
  test::checkThrows<graph_connection_error>(
      [&] { graph.connect(v["pairs"][0], floats[0].slice(0, 2)); }, "is state, not an edge");
  test::checkThrows<poplar_error>(
      [&] { graph.setFieldSize(v["counts"], 4); },
      "'values_test::Values.counts' is an array of 4 by its type; it has no size to set");
  test::checkThrows<poplar_error>([&] { graph.setFieldSize(v["pair"], 2); }, "no size to set");
  test::checkThrows<index_error>([&] { graph.getFieldSize(v["counts"][1]); }, "without a size");
}

TEST_CASE_FIXTURE(Fixture, "members that a graph cannot set say so") {
  cottonwood::codelet::Codelet codelet;
  codelet.name = "WithDouble";
  codelet.stateSize = 8;
  codelet.others = {"scratch"};
  cottonwood::codelet::addToGraph(graph, {&codelet, 1});
  VertexRef const w = graph.addVertex(cs, "WithDouble");
  test::checkThrows<unknown_field>(
      [&] { graph.setInitialValue(w["scratch"], 1.0); },
      "the member 'scratch' of the vertex type 'WithDouble' is no field: its type (double, a "
      "pointer, a class) is not one of elements or edges; it starts as zero");
  test::checkThrows<unknown_field>([&] { w["scratc"]; }, "has no field 'scratc'");
}

TEST_CASE_FIXTURE(Fixture, "edges of short vectors take whole vectors") {
  auto const refused = [&](auto &&f, char const *text) {
    test::checkThrows<graph_connection_error>(f, text);
  };
  refused([&] { graph.connect(v["in"], floats[0]); },
          "'values_test::Values.in' holds vectors of 2 elements; the tensor has 5");
  refused([&] { graph.connect(v["one"], floats[0].slice(0, 4)); },
          "'values_test::Values.one' holds one vector of 2 elements; the tensor has 4");
  refused([&] { graph.connect(v["one"], floats[0][0]); }, "the tensor has 1");
  refused([&] { graph.setInitialValue(v["one"], 1.0f); }, "the tensor has 1");
  refused([&] { graph.connect(v["rows"], floats); },
          "'values_test::Values.rows[0]' holds vectors of 2 elements; the tensor has 5");
  VertexRef const w = graph.addVertex(cs, kName);
  refused(
      [&] {
        graph.connect(w["rows"], std::vector<Tensor>{floats[0].slice(0, 2), floats[1]});
      },
      "rows[1]' holds vectors of 2 elements; the tensor has 5");
  refused([&] { graph.connect(w["ones"], floats[0]); }, "the tensor has 5");
  refused([&] { graph.connect(w["ones"], floats); },
          "'values_test::Values.ones[0]' holds one vector of 2 elements; the tensor has 5");
  refused([&] { graph.connect(w["list"], std::vector<Tensor>{floats[0]}); }, "the tensor has 5");
  refused([&] { graph.connect(w["out"], halves.slice(0, 6)); },
          "holds vectors of 4 elements; the tensor has 6");
  test::checkThrows<type_error>([&] { graph.connect(w["in"], halves.slice(0, 2)); },
                                "elements of type float, the tensor of type half");
  graph.setFieldSize(w["in"], 2);
  refused([&] { graph.connect(w["in"][0], floats[0][0]); },
          "'values_test::Values.in[0]' holds one vector of 2 elements; the tensor has 1");
}

TEST_CASE_FIXTURE(Fixture, "sizes of fields count short vectors") {
  graph.connect(v["in"], floats.flatten());
  CHECK(graph.getFieldSize(v["in"]) == 10);
  graph.setFieldSize(v["in"], 10);
  test::checkThrows<poplar_error>([&] { graph.setFieldSize(v["in"], 20); },
                                  "has size 10 already; it cannot become 20");
  graph.connect(v["out"], halves.slice(0, 4 * 2047)); // what SHORT_SPAN allows
  CHECK(graph.getFieldSize(v["out"]) == 2047);
  VertexRef const w = graph.addVertex(cs, kName);
  test::checkThrows<graph_connection_error>([&] { graph.connect(w["out"], halves); },
                                            "gets 2048 elements; its layout allows 2047");
  graph.connect(w["ones"], floats[0].slice(1, 5));
  CHECK(graph.getFieldSize(w["ones"]) == 2);
  CHECK(graph.getFieldSize(w["ones"][0]) == 1);
  graph.connect(w["rows"], floats.slice(0, 4, 1));
  CHECK(graph.getFieldSize(w["rows"]) == 4);
  CHECK(graph.getFieldSize(w["rows"][3]) == 2);
  CHECK(graph.getMaxFieldDim(kName, "out", 0) == 2047);
}

TEST_CASE_FIXTURE(Fixture, "pairs connected one by one become the region that they are") {
  graph.setFieldSize(v["in"], 3);
  for (std::size_t const i : {2u, 0u, 1u})
    graph.connect(v["in"][i], floats.flatten().slice(2 * i + 1, 2 * i + 3));
  GraphData &data = *HandleAccess::data(graph);
  int const field = data.codeletOf(v.getId()).findField("in");
  CHECK(data.region(v.getId(), static_cast<unsigned>(field)).run ==
        cottonwood::graph::Run{0, 1, 6});
  // Of pairs that are not contiguous, too.
  VertexRef const w = graph.addVertex(cs, kName);
  graph.setFieldSize(w["in"], 2);
  graph.connect(w["in"][0], floats.transpose()[0].slice(0, 2));
  graph.connect(w["in"][1], floats.transpose()[3].slice(2, 4));
  std::vector<std::uint64_t> elements;
  data.region(w.getId(), static_cast<unsigned>(field))
      .forEachRun([&](cottonwood::graph::Run const &run) {
        for (std::uint64_t i = 0; i < run.size; ++i)
          elements.push_back(run.begin + i);
      });
  CHECK(elements == std::vector<std::uint64_t>{0, 5, 13, 18});
}

TEST_CASE_FIXTURE(Fixture, "estimators see sizes and values of arrays and short vectors") {
  graph.setInitialValue(v["counts"], {1, 2, 3, 4});
  graph.setInitialValue(v["pair"], {0.5, 1.5});
  graph.setInitialValue(v["pairs"], {1, 2, 3, 4, 5, 6});
  graph.connect(v["in"], floats.flatten());
  graph.setInitialValue(v["one"], {8, 9});
  graph.connect(v["rows"], floats.slice(0, 4, 1));
  bool ran = false;
  graph.registerPerfEstimator(kName, [&](VertexIntrospector const &vertex, Target const &target) {
    ran = true;
    auto const info = [&](char const *name) { return vertex.getFieldInfo(name); };
    CHECK(info("counts").rank() == 1);
    CHECK(info("counts").size() == 4);
    CHECK(info("counts").getProfilerVectorLayout(0) == layout::Vector::NotAVector);
    CHECK(info("counts").getInitialValues<int>(target) == std::vector<int>{1, 2, 3, 4});
    CHECK(info("pair").rank() == 0);
    CHECK(info("pair").size() == 1);
    CHECK(info("pair").getInitialValues<float>(target) == std::vector<float>{0.5F, 1.5F});
    CHECK(info("pairs").size() == 3);
    CHECK(info("pairs").getInitialValues<int>(target) == std::vector<int>{1, 2, 3, 4, 5, 6});
    CHECK(info("in").size() == 10);
    CHECK(info("one").getInitialValues<int>(target) == std::vector<int>{8, 9});
    CHECK(info("rows").size() == 4);
    CHECK(info("rows")[2].size() == 2);
    test::checkThrows<poplar_error>([&] { info("pair").getInitialValue<float>(target); },
                                    "is a vector of 2 elements: call getInitialValues");
    test::checkThrows<poplar_error>([&] { info("counts").getInitialValue<int>(target); },
                                    "rank 1, not 0");
    test::checkThrows<poplar_error>([&] { info("size").getInitialValues<int>(target); },
                                    "rank 0, not 1");
    test::checkThrows<poplar_error>([&] { info("table").getInitialValues<int>(target); },
                                    "has no value");
    return VertexPerfEstimate(3);
  });
  CHECK(graph.getPerfEstimate(v).cycles == 3);
  CHECK(ran);
}

TEST_SUITE_END();
