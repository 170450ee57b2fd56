#include <filesystem>
#include <fstream>
#include <poplar/Graph.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <unistd.h>

#include "GraphTestUtil.hpp"

#include <cstring>
#include <limits>

using namespace poplar;
using cottonwood::graph::GraphData;
using cottonwood::graph::HandleAccess;

namespace vertex_test {

enum class Mode : unsigned char { Slow, Fast };

class AllShapes : public Vertex {
public:
  Input<float> scalar;
  Output<Vector<float>> vector;
  Vector<Input<Vector<half, VectorLayout::ONE_PTR>>> rows;
  Vector<InOut<int>, VectorLayout::ONE_PTR> scalars;
  Input<VectorList<unsigned short, VectorListLayout::DELTAN>> list;
  Input<Vector<float, VectorLayout::SHORT_SPAN>> brief;
  unsigned short count;
  bool flag;
  half scale;
  Mode mode;
  float factor;
  Vector<int> table;
  void compute() {}
};

} // namespace vertex_test

POPLAR_VERTEX(vertex_test::AllShapes, scalar, vector, rows, scalars, list, brief, count, flag,
              scale, mode, factor, table)

namespace {

char const *const kName = "vertex_test::AllShapes";

struct Fixture {
  Graph graph = test::graphWithTiles(4);
  ComputeSet cs = graph.addComputeSet("sum");
  VertexRef v = graph.addVertex(cs, kName);
  Tensor floats = graph.addVariable(FLOAT, {4, 3}, "f");
  Tensor halves = graph.addVariable(HALF, {2, 5}, "h");
  Tensor ints = graph.addVariable(INT, {6}, "i");
  Tensor shorts = graph.addVariable(UNSIGNED_SHORT, {2, 2}, "u");

  GraphData &data() { return *HandleAccess::data(graph); }
  unsigned field(char const *name) {
    return static_cast<unsigned>(data().codeletOf(v.getId()).findField(name));
  }
  template <class T> T state(char const *name) {
    T value;
    auto const bytes = data().stateBytes(v.getId(), field(name));
    REQUIRE(bytes.size() == sizeof value);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
};

} // namespace

TEST_SUITE_BEGIN("poplar/graph/vertex");

TEST_CASE_FIXTURE(Fixture, "contiguous regions are stored as runs, others as views") {
  graph.connect(v["scalar"], floats[1][2]);
  graph.connect(v["vector"], floats.transpose()[0]);
  auto const scalar = data().region(v.getId(), field("scalar"));
  CHECK(scalar.view == nullptr);
  CHECK(scalar.run == cottonwood::graph::Run{0, 5, 1});
  auto const column = data().region(v.getId(), field("vector"));
  REQUIRE(column.view != nullptr);
  CHECK(column.numElements() == 4);
}

TEST_CASE_FIXTURE(Fixture, "scalar fields take one element of any rank") {
  graph.connect(v["scalar"], floats.slice({0, 0}, {1, 1}));
  CHECK(data().isConnected(v.getId(), field("scalar")));
  VertexRef w = graph.addVertex(cs, kName);
  test::checkThrows<graph_connection_error>([&] { graph.connect(w["scalar"], floats[0]); },
                                            "takes one element, the tensor has shape [3]");
  test::checkThrows<graph_connection_error>([&] { graph.connect(w["scalar"], floats.slice(0, 0)); },
                                            "one element");
}

TEST_CASE_FIXTURE(Fixture, "vector fields take rank 1, rank 0 and no elements") {
  graph.connect(v["vector"], floats.slice(0, 0).flatten());
  CHECK(data().isConnected(v.getId(), field("vector")));
  CHECK(graph.getFieldSize(v["vector"]) == 0);
  VertexRef w = graph.addVertex(cs, kName);
  graph.connect(w["vector"], floats[0][0]);
  CHECK(graph.getFieldSize(w["vector"]) == 1);
  VertexRef x = graph.addVertex(cs, kName);
  test::checkThrows<graph_connection_error>([&] { graph.connect(x["vector"], floats); },
                                            "rank 1, this one has shape [4, 3]; flatten it");
  graph.connect(x["vector"], std::vector<Tensor>{floats[0], floats[2]});
  CHECK(graph.getFieldSize(x["vector"]) == 6);
}

TEST_CASE_FIXTURE(Fixture, "fields of several regions take rows, lists and single regions") {
  graph.connect(v["rows"], halves);
  CHECK(data().numRegions(v.getId(), field("rows")) == 2);
  CHECK(data().region(v.getId(), field("rows"), 1).run == cottonwood::graph::Run{1, 5, 5});
  graph.connect(v["list"], std::vector<Tensor>{shorts[0], shorts[1].slice(0, 1)});
  CHECK(data().region(v.getId(), field("list"), 1).numElements() == 1);
  graph.connect(v["scalars"], ints);
  CHECK(data().numRegions(v.getId(), field("scalars")) == 6);

  VertexRef w = graph.addVertex(cs, kName);
  graph.setFieldSize(w["rows"], 2);
  graph.connect(w["rows"][1], halves[0]);
  CHECK_FALSE(data().isConnected(w.getId(), field("rows")));
  graph.connect(w["rows"][0], halves[1].slice(0, 0));
  CHECK(data().isConnected(w.getId(), field("rows")));
  CHECK(graph.getFieldSize(w["rows"]) == 2);
  CHECK(graph.getFieldSize(w["rows"][1]) == 5);
  VertexRef x = graph.addVertex(cs, kName);
  graph.connect(x["rows"], halves.slice(0, 0));
  CHECK(data().isConnected(x.getId(), field("rows")));
}

TEST_CASE_FIXTURE(Fixture, "a vector field may be connected element by element") {
  graph.setFieldSize(v["vector"], 3);
  graph.connect(v["vector"][2], floats[0][2]);
  graph.connect(v["vector"][0], floats[0][0]);
  CHECK_FALSE(data().isConnected(v.getId(), field("vector")));
  graph.connect(v["vector"][1], floats[0][1]);
  CHECK(data().isConnected(v.getId(), field("vector")));
  CHECK(data().region(v.getId(), field("vector")).run == cottonwood::graph::Run{0, 0, 3});
}

TEST_CASE_FIXTURE(Fixture, "values given to inputs become constants on the vertex's tile") {
  graph.connect(v["scalar"], 3);
  auto const region = data().region(v.getId(), field("scalar"));
  CHECK(GraphData::isConstant(region.run.var));
  graph.setTileMapping(v, 2);
  CHECK(data().variable(region.run.var).tiles.at(0) == 2);
  graph.setTileMapping(v, 3);
  CHECK(data().variable(region.run.var).tiles.at(0) == 3);
  float value = 0;
  REQUIRE(data().readConstant(region.run.var, 0,
                              {reinterpret_cast<std::byte *>(&value), sizeof value}));
  CHECK(value == 3.0f);
  graph.setInitialValue(v["brief"], std::vector<int>{1, 2});
  CHECK(graph.getFieldSize(v["brief"]) == 2);
  test::checkThrows<graph_connection_error>([&] { graph.connect(v["vector"], 1.0f); },
                                            "is written");
}

TEST_CASE_FIXTURE(Fixture, "state takes values of any arithmetic type that fit") {
  CHECK(state<unsigned short>("count") == 0);
  graph.setInitialValue(v["count"], std::size_t{65535});
  CHECK(state<unsigned short>("count") == 65535);
  graph.setInitialValue(v["count"], 7.0f);
  CHECK(state<unsigned short>("count") == 7);
  graph.setInitialValue(v["flag"], 5);
  CHECK(state<unsigned char>("flag") == 1);
  graph.setInitialValue(v["scale"], 1.5);
  CHECK(state<std::uint16_t>("scale") == 0x3e00);
  graph.setInitialValueHalf(v["scale"], 0x3c01);
  CHECK(state<std::uint16_t>("scale") == 0x3c01);
  graph.setInitialValue(v["mode"], static_cast<unsigned>(vertex_test::Mode::Fast));
  CHECK(state<unsigned char>("mode") == 1);
  graph.setInitialValue(v["factor"], true);
  CHECK(state<float>("factor") == 1.0f);
  graph.connect(v["factor"], 2); // a scalar state field takes a value like an input
  CHECK(state<float>("factor") == 2.0f);
  graph.setInitialValue(v["table"], std::vector<unsigned>{1, 2, 3});
  CHECK(graph.getFieldSize(v["table"]) == 3);
  graph.setInitialValue(v["table"][1], 9);
  CHECK(data().stateBytes(v.getId(), field("table"))[4] == std::byte{9});

  test::checkThrows<overflow_error>(
      [&] { graph.setInitialValue(v["count"], 65536); },
      "'vertex_test::AllShapes.count': the value 65536 does not fit in unsigned short");
  test::checkThrows<overflow_error>([&] { graph.setInitialValue(v["count"], -1); }, "-1");
  test::checkThrows<overflow_error>(
      [&] { graph.setInitialValue(v["count"], std::numeric_limits<float>::quiet_NaN()); }, "nan");
  test::checkThrows<overflow_error>(
      [&] { graph.setInitialValue(v["table"], std::vector<long>{1L << 40}); }, "int");
  test::checkThrows<poplar_error>([&] { graph.setInitialValue(v["count"], std::vector<int>{1}); },
                                  "takes one value");
  test::checkThrows<poplar_error>([&] { graph.setInitialValue(v["table"], 1); },
                                  "give it an array");
  test::checkThrows<index_error>([&] { graph.setInitialValue(v["table"][3], 1); },
                                 "index 3 is out of range; the field has size 3");
  test::checkThrows<type_error>([&] { graph.setInitialValueHalf(v["factor"], 1); },
                                "float, not half");
}

TEST_CASE_FIXTURE(Fixture, "wrong connections name the field and the values") {
  test::checkThrows<unknown_field>(
      [&] { v["nosuch"]; },
      "'vertex_test::AllShapes' has no field 'nosuch'; it has scalar, vector");
  test::checkThrows<type_error>(
      [&] { graph.connect(v["scalar"], halves[0][0]); },
      "'vertex_test::AllShapes.scalar' has elements of type float, the tensor of type half");
  test::checkThrows<graph_connection_error>([&] { graph.connect(v["count"], shorts[0][0]); },
                                            "is state, not an edge");
  graph.connect(v["vector"], floats[0]);
  test::checkThrows<graph_connection_error>([&] { graph.connect(v["vector"], floats[1]); },
                                            "is connected already");
  VertexRef w = graph.addVertex(cs, kName);
  test::checkThrows<graph_connection_error>(
      [&] { graph.connect(w["vector"], floats[0].broadcast(2, 0)); },
      "has the same element more than once");
  Tensor c = graph.addConstant(FLOAT, {2}, 1.0f);
  test::checkThrows<graph_connection_error>([&] { graph.connect(w["vector"], c); },
                                            "has constant elements");
  test::checkThrows<graph_connection_error>([&] { graph.connect(w["rows"], halves[0]); }, "rank 2");
  test::checkThrows<no_size_specified>([&] { graph.connect(w["rows"][0], halves[0]); },
                                       "setFieldSize");
  test::checkThrows<no_size_specified>([&] { graph.getFieldSize(w["rows"]); }, "rows");
  graph.setFieldSize(w["rows"], 2);
  graph.setFieldSize(w["rows"], 2);
  test::checkThrows<poplar_error>([&] { graph.setFieldSize(w["rows"], 3); },
                                  "has size 2 already; it cannot become 3");
  test::checkThrows<index_error>([&] { graph.connect(w["rows"][2], halves[0]); },
                                 "index 2 is out of range; the field has size 2");
  test::checkThrows<index_error>([&] { w["rows"][0][1]; }, "index 0 already");
  test::checkThrows<index_error>([&] { graph.connect(w["scalar"][0], floats[0][0]); },
                                 "scalar field");
  test::checkThrows<graph_connection_error>(
      [&] { graph.connect(w["rows"], std::vector<Tensor>{halves[0]}); },
      "has size 2, but is given 1");
  Tensor large = graph.addVariable(FLOAT, {2048});
  test::checkThrows<graph_connection_error>([&] { graph.connect(w["brief"], large); },
                                            "2048 elements; its layout allows 2047");
  Graph other = test::graphWithTiles(1);
  test::checkThrows<poplar_error>([&] { graph.connect(w["scalar"], other.addVariable(FLOAT, {})); },
                                  "belongs to another graph");
  test::checkThrows<poplar_error>([&] { other.setTileMapping(w, 0); }, "belongs to another graph");
  test::checkThrows<poplar_error>([&] { other.addVertex(cs, kName); }, "belongs to another graph");
  test::checkThrows<poplar_error>([&] { graph.addVertex(ComputeSet(), kName); }, "compute set");
  test::checkThrows<poplar_error>([&] { graph.setTileMapping(VertexRef(), 0); },
                                  "default-constructed");
  test::checkThrows<poplar_error>([&] { VertexRef()["x"]; }, "default-constructed");
  test::checkThrows<invalid_tile_mapping>([&] { graph.setTileMapping(w, 4); }, "tile 4");
}

TEST_CASE_FIXTURE(Fixture, "limits of fields") {
  CHECK(graph.getMaxFieldDim(kName, "vector", 0) == 0xffffffffu);
  CHECK(graph.getMaxFieldDim(kName, "brief", 0) == 2047);
  CHECK(graph.getMaxFieldDim(kName, "rows", 1) == 0xffffffffu);
  test::checkThrows<poplar_error>([&] { graph.getMaxFieldDim(kName, "vector", 1); },
                                  "dimIndex = 1");
  CHECK(graph.getMaxVertexFieldValue(kName, "count") == 65535);
  CHECK(graph.getMaxVertexFieldValueAs<std::uint64_t>(kName, "count") == 65535);
  CHECK(graph.getMaxVertexFieldValueAs<std::int64_t>(kName, "mode") == 255);
  test::checkThrows<poplar_error>(
      [&] { graph.getMaxVertexFieldValueAs<std::uint64_t>(kName, "factor"); }, "factor");
  test::checkThrows<unknown_field>([&] { graph.getMaxVertexFieldValue(kName, "x"); }, "'x'");
}

TEST_CASE_FIXTURE(Fixture, "files that hold no codelets are refused before anything is compiled") {
  std::string const stem =
      (std::filesystem::temp_directory_path() / ("codelets" + std::to_string(getpid()))).string();
  for (char const *ending : {"", ".cpp", ".s"})
    std::ofstream(stem + ending) << "class V {};";
  test::checkThrows<file_load_error>([&] { graph.addCodelets("no/such/file.cpp"); },
                                     "no/such/file.cpp");
  test::checkThrows<file_load_error>(
      [&] {
        graph.addCodelets({stem + ".cpp", "b.cpp"}, "-O3");
      },
      "b.cpp");
  test::checkThrows<graph_object_load_error>(
      [&] { graph.addCodelets(stem + ".cpp", CodeletFileType::Object); },
      "this is no file of codelets; popc makes them");
  test::checkThrows<graph_program_compilation_error>([&] { graph.addCodelets(stem + ".s"); },
                                                     "assembly of the IPU has no meaning");
  test::checkThrows<poplar_error>([&] { graph.addCodelets(stem); }, "has no ending");
  test::checkThrows<file_load_error>([&] { graph.addCodelets("/dev/null"); }, "/dev/null");
  test::checkThrows<poplar_error>([] { Graph().addCodelets("x.cpp"); }, "empty");
  for (char const *ending : {"", ".cpp", ".s"})
    std::filesystem::remove(stem + ending);
}

TEST_CASE_FIXTURE(Fixture, "unknown vertex types say what is near and what to call") {
  test::checkThrows<unknown_vertex_type>([&] { graph.addVertex(cs, "vertex_test::AllShape"); },
                                         "'vertex_test::AllShapes'");
  test::checkThrows<unknown_vertex_type>([&] { graph.addVertex(cs, "other::AllShapes"); },
                                         "'vertex_test::AllShapes'");
  test::checkThrows<unknown_vertex_type>([&] { graph.addVertex(cs, "popops::Reduce<float>"); },
                                         "call popops::addCodelets(graph) first");
  test::checkThrows<unknown_vertex_type>([&] { graph.addVertex(cs, "Zzzzzzzzz"); },
                                         "POPLAR_VERTEX");
  CHECK(graph.hasCodelet(kName));
  CHECK(graph.hasCodelet("::vertex_test::AllShapes"));
  CHECK_FALSE(graph.hasCodelet("AllShapes"));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("poplar/graph/estimates");

TEST_CASE_FIXTURE(Fixture, "a vertex's own estimate wins over its type's") {
  test::checkThrows<missing_perf_estimate>([&] { graph.getPerfEstimate(v); }, kName);
  graph.registerPerfEstimator(
      kName, [](VertexIntrospector const &, Target const &) { return VertexPerfEstimate(1, 2); });
  CHECK(graph.getPerfEstimate(v).flops == 2);
  graph.registerCycleEstimator(kName,
                               [](VertexIntrospector const &, Target const &) { return 4u; });
  CHECK(graph.getCycleEstimate(v) == 4);
  graph.setPerfEstimate(v, 5);
  CHECK(graph.getPerfEstimate(v).cycles == 5);
  graph.registerPerfEstimator("nosuch", nullptr);
}

TEST_CASE_FIXTURE(Fixture, "estimators see sizes, layouts and values") {
  graph.connect(v["vector"], floats[0]);
  graph.connect(v["rows"], halves);
  graph.connect(v["list"], std::vector<Tensor>{shorts[0], shorts[1].slice(0, 1)});
  graph.connect(v["scalar"], 2.5f);
  graph.setInitialValue(v["count"], 7);
  graph.setInitialValue(v["scale"], 0.5f);
  graph.setInitialValue(v["table"], std::vector<int>{4, -5});
  bool ran = false;
  graph.registerPerfEstimator(kName, [&](VertexIntrospector const &vertex, Target const &target) {
    ran = true;
    auto const info = [&](char const *name) { return vertex.getFieldInfo(name); };
    CHECK(info("scalar").rank() == 0);
    CHECK(info("scalar").size() == 1);
    CHECK(info("scalar").getInitialValue<float>(target) == 2.5f);
    CHECK(info("vector").rank() == 1);
    CHECK(info("vector").size() == 3);
    CHECK(info("vector").getProfilerVectorLayout(0) == layout::Vector::Span);
    CHECK(info("vector").getProfilerVectorLayout(1) == layout::Vector::NotAVector);
    CHECK(info("rows").rank() == 2);
    CHECK(info("rows").size() == 2);
    CHECK(info("rows")[1].size() == 5);
    CHECK(info("rows").getProfilerVectorLayout(1) == layout::Vector::OnePtr);
    CHECK(info("list").getProfilerVectorListLayout() == layout::VectorList::DeltaN);
    CHECK(info("list").getSizeAtIndex(1) == 1);
    CHECK(info("count").getInitialValue<unsigned>(target) == 7);
    CHECK(info("scale").getInitialValue<float>(target) == 0.5f);
    CHECK(info("table").getInitialValues<int>(target) == std::vector<int>{4, -5});
    test::checkThrows<poplar_error>([&] { info("vector").getInitialValues<float>(target); },
                                    "not connected to a constant");
    test::checkThrows<poplar_error>([&] { info("factor").getInitialValue<float>(target); },
                                    "has no value");
    test::checkThrows<poplar_error>([&] { info("rows").getInitialValue<float>(target); },
                                    "rank 2, not 0");
    test::checkThrows<index_error>([&] { info("rows").getSizeAtIndex(2); }, "index 2");
    test::checkThrows<unknown_field>([&] { info("nosuch"); }, "nosuch");
    return std::uint64_t{9};
  });
  CHECK(graph.getPerfEstimate(v).cycles == 9);
  CHECK(ran);
}

TEST_SUITE_END();
