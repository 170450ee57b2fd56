// Vertices: their fields, connections, state, kinds and estimates.
#include "Conformance.hpp"

#include <cstdint>
#include <limits>
#include <poplar/Loops.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/VertexRegistration.hpp>
#include <poplar/exceptions.hpp>

namespace conformance {

/// sum = a[0] + a[1] + ...
class Sum : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> a;
  poplar::Output<float> sum;

  bool compute() {
    *sum = 0;
    for (auto v : a)
      *sum += v;
    return true;
  }
};

/// Adds to all elements, the workers taking turns; edges are private.
class AddToAll : public poplar::MultiVertex {
  poplar::InOut<poplar::Vector<int, poplar::VectorLayout::ONE_PTR, 8>> x;
  poplar::Input<unsigned> size;
  const int amount;

public:
  AddToAll();
  void compute(unsigned worker) {
    static_assert(numWorkers() == CTXT_WORKERS, "tables are made for this number");
    for (unsigned i = worker; i < size; i += numWorkers())
      x[i] += amount;
  }
};

/// Sums of jagged rows, and the largest element of each.
class Rows : public poplar::Vertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<int>>> rows;
  poplar::Vector<poplar::Output<int>, poplar::VectorLayout::ONE_PTR> sums;
  poplar::Output<poplar::VectorList<int, poplar::VectorListLayout::COMPACT_DELTAN>> copies;
  poplar::Vector<int> weights;
  int calls; // kept from one execution to the next

  void compute() {
    ++calls;
    for (unsigned i = 0; i < rows.size(); ++i) {
      int sum = 0;
      for (unsigned j = 0; j < rows[i].size(); ++j)
        sum += rows[i][j];
      sums[i] = sum * weights[i] * calls;
    }
    for (unsigned i = 0; i < copies.size(); ++i)
      for (unsigned j = 0; j < copies[i].size(); ++j)
        copies[i][j] = rows[i][j];
  }
};

/// out = a op b, in the element type
template <typename T, bool isMax> class Pick : public poplar::SupervisorVertex {
  static const bool needsAlignWorkers = false;

public:
  poplar::Input<T> a, b;
  poplar::Output<T> out;
  bool compute() {
    out = isMax == (a > b) ? T(a) : T(b);
    return true;
  }
};

// Compilers that do not know the attribute warn of it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes"
class [[poplar::constraint("elem(*in) != elem(*out)")]] Halve : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<half>> in;
  poplar::Output<poplar::Vector<half>> out;
  void compute() {
    for (rptsize_t i = 0; i < in.size(); ++i)
      out[i] = in[i] * 0.5f;
  }
};
#pragma GCC diagnostic pop

} // namespace conformance

POPLAR_VERTEX(conformance::Sum, a, sum)
POPLAR_VERTEX(conformance::AddToAll, x, size, amount)
POPLAR_VERTEX(conformance::Rows, rows, sums, copies, weights)
POPLAR_VERTEX_TEMPLATE((conformance::Pick<float, true>), a, b, out)
POPLAR_VERTEX_TEMPLATE((conformance::Pick<unsigned int, false>), a, b, out)
POPLAR_VERTEX(conformance::Halve, in, out)

using namespace poplar;
using namespace poplar::program;
using namespace conformance;

TEST_SUITE("conformance/vertices") {
  TEST_CASE("a vertex reads a vector from several tiles and writes a scalar") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const a = variable(graph, FLOAT, {2, 3}, "a"),
                   sum = variable(graph, FLOAT, {1}, "sum");
      ComputeSet const cs = graph.addComputeSet("cs");
      VertexRef const v =
          graph.addVertex(cs, "conformance::Sum", {{"a", a.flatten()}, {"sum", sum[0]}});
      graph.setTileMapping(v, 0);
      graph.setPerfEstimate(v, 20);
      Engine engine(graph, Execute(cs));
      engine.load(device);
      put<float>(engine, "a", {1, 2, 3, 4, 5, 0.5f});
      engine.run();
      CHECK(get<float>(engine, "sum", 1) == std::vector<float>{15.5f});
    });
  }

  TEST_CASE("all workers of a multi vertex run, on private edges and constant state") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {4, 5}, "x");
      ComputeSet const cs = graph.addComputeSet("cs");
      VertexRef const v =
          graph.addVertex(cs, "conformance::AddToAll", {{"x", x.transpose().flatten()}});
      graph.connect(v["size"], x.numElements());
      graph.setInitialValue(v["amount"], 10u);
      graph.setTileMapping(v, 0);
      Engine engine(graph, Execute(cs));
      engine.load(device);
      put(engine, "x", counting(20));
      engine.run();
      std::vector<int> expected = counting(20);
      for (int &value : expected)
        value += 10;
      CHECK(get<int>(engine, "x", 20) == expected);
    });
  }

  TEST_CASE("jagged rows, lists of scalars, list edges, and state that is kept") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, INT, {6}, "x"), copies = variable(graph, INT, {6}, "copies");
      Tensor const sums = variable(graph, INT, {2}, "sums");
      std::vector<Interval> const cuts = {{0, 4}, {4, 6}};
      ComputeSet const cs = graph.addComputeSet("cs");
      VertexRef const v = graph.addVertex(
          cs, "conformance::Rows", {{"rows", x.slices(cuts)}, {"copies", copies.slices(cuts)}});
      graph.setFieldSize(v["sums"], 2);
      graph.connect(v["sums"][0], sums[0]);
      graph.connect(v["sums"][1], sums[1]);
      graph.setInitialValue(v["weights"], std::vector<int>{1, -1});
      graph.setTileMapping(v, 0);
      CHECK(graph.getFieldSize(v["rows"]) == 2);
      CHECK_THROWS_AS(graph.connect(v["sums"][2], sums[0]), index_error);
      Engine engine(graph, Execute(cs));
      engine.load(device);
      put(engine, "x", counting(6));
      engine.run();
      CHECK(get<int>(engine, "sums", 2) == std::vector<int>{6, -9});
      CHECK(get<int>(engine, "copies", 6) == counting(6));
      engine.run();
      CHECK(get<int>(engine, "sums", 2) == std::vector<int>{12, -18});
    });
  }

  TEST_CASE("templates are named by their arguments") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const f = variable(graph, FLOAT, {3}, "f"),
                   u = variable(graph, UNSIGNED_INT, {3}, "u");
      ComputeSet const cs = graph.addComputeSet("cs");
      std::string const name =
          std::string("conformance::Pick<") + UNSIGNED_INT.toString() + ",false>";
      graph.setTileMapping(graph.addVertex(cs, "conformance::Pick<float,true>",
                                           {{"a", f[0]}, {"b", f[1]}, {"out", f[2]}}),
                           0);
      graph.setTileMapping(graph.addVertex(cs, name, {{"a", u[0]}, {"b", u[1]}, {"out", u[2]}}), 0);
      CHECK(graph.hasCodelet(name));
      CHECK_FALSE(graph.hasCodelet("conformance::Pick<int,true>"));
      try {
        graph.addVertex(cs, "conformance::Pick<int,true>");
        FAIL("no such vertex");
      } catch (unknown_vertex_type const &e) {
        CHECK(std::string(e.what()).find("conformance::Pick<int,true>") != std::string::npos);
      }
      Engine engine(graph, Execute(cs));
      engine.load(device);
      put<float>(engine, "f", {2, -3, 0});
      put<unsigned>(engine, "u", {7, 4, 0});
      engine.run();
      CHECK(get<float>(engine, "f", 3)[2] == 2);
      CHECK(get<unsigned>(engine, "u", 3)[2] == 4);
    });
  }

  TEST_CASE("halves are stored as halves and computed as floats") {
    onDevices([](Device const &device) {
      Graph graph(device);
      Tensor const x = variable(graph, HALF, {3}, "x"), y = variable(graph, HALF, {3}, "y");
      ComputeSet const cs = graph.addComputeSet("cs");
      graph.setTileMapping(graph.addVertex(cs, "conformance::Halve", {{"in", x}, {"out", y}}), 0);
      Engine engine(graph, Execute(cs));
      engine.load(device);
      std::vector<float> values = {3.0f, -0.125f, 65504.0f};
      std::vector<std::uint16_t> bits(3);
      copyFloatToDeviceHalf(device.getTarget(), values.data(), bits.data(), 3);
      put(engine, "x", bits);
      engine.run();
      bits = get<std::uint16_t>(engine, "y", 3);
      copyDeviceHalfToFloat(device.getTarget(), bits.data(), values.data(), 3);
      CHECK(values == std::vector<float>{1.5f, -0.0625f, 32752.0f});
    });
  }

  TEST_CASE("what does not fit a field is an error of its kind") {
    Graph graph(smallModel());
    Tensor const f = graph.addVariable(FLOAT, {2, 2}, VariableMappingMethod::LINEAR);
    Tensor const c = graph.addConstant(FLOAT, {}, 1.0f);
    ComputeSet const cs = graph.addComputeSet();
    VertexRef const v = graph.addVertex(cs, "conformance::Sum");
    CHECK_THROWS_AS(v["none"], unknown_field);
    CHECK_THROWS_AS(graph.connect(v["a"], f), graph_connection_error);
    CHECK_THROWS_AS(graph.connect(v["a"], f.flatten().reinterpret(INT)), poplar_error);
    CHECK_THROWS_AS(graph.connect(v["sum"], f[0]), graph_connection_error);
    CHECK_THROWS_AS(graph.connect(v["sum"], c), graph_connection_error);
    graph.connect(v["a"], f[0]);
    CHECK_THROWS_AS(graph.connect(v["a"], f[1]), graph_connection_error);
    graph.setTileMapping(v, 0);
    CHECK_THROWS_AS(Engine(graph, Execute(cs)), graph_connection_error); // sum is not connected
    graph.connect(v["sum"], f[1][0]);
    CHECK_NOTHROW(Engine(graph, Execute(cs)));
    VertexRef const w = graph.addVertex(cs, "conformance::AddToAll");
    CHECK_THROWS_AS(graph.setInitialValue(w["amount"], 1e10), overflow_error);
    CHECK(graph.getMaxVertexFieldValueAs<std::int64_t>("conformance::AddToAll", "amount") ==
          std::numeric_limits<int>::max());
    CHECK(graph.getMaxFieldDim("conformance::Sum", "a", 0) > 1000000);
    CHECK_THROWS_AS(graph.addVertex(ComputeSet(), "conformance::Sum"), poplar_error);
  }

  TEST_CASE("vertices of a compute set may not depend on one another") {
    Graph graph(smallModel());
    Tensor const x = graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR, "x");
    ComputeSet const cs = graph.addComputeSet();
    graph.setTileMapping(
        graph.addVertex(cs, "conformance::Sum", {{"a", x.slice(0, 2)}, {"sum", x[2]}}), 0);
    graph.setTileMapping(
        graph.addVertex(cs, "conformance::Sum", {{"a", x.slice(0, 3)}, {"sum", x[3]}}), 1);
    CHECK_THROWS_AS(Engine(graph, Execute(cs)), graph_cycle_error);
  }

  TEST_CASE("estimates of a vertex come from itself, its type, or nowhere") {
    Graph graph(smallModel());
    Tensor const x = graph.addVariable(FLOAT, {5}, VariableMappingMethod::LINEAR);
    ComputeSet const cs = graph.addComputeSet();
    VertexRef const v =
        graph.addVertex(cs, "conformance::Sum", {{"a", x.slice(0, 4)}, {"sum", x[4]}});
    CHECK_THROWS_AS(graph.getPerfEstimate(v), missing_perf_estimate);
    graph.registerPerfEstimator(
        "conformance::Sum", [](VertexIntrospector const &vertex, Target const &target) {
          auto const a = vertex.getFieldInfo("a");
          CHECK(a.rank() == 1);
          CHECK(a.getProfilerVectorLayout(0) == layout::Vector::Span);
          return VertexPerfEstimate(10 + a.size() / target.getFloatVectorWidth(), a.size());
        });
    CHECK(graph.getPerfEstimate(v).cycles == 12);
    CHECK(graph.getPerfEstimate(v).flops == 4);
    graph.setPerfEstimate(v, 99, 1);
    CHECK(graph.getPerfEstimate(v).cycles == 99);
    graph.setCycleEstimate(v, 7); // an older name
    CHECK(graph.getCycleEstimate(v) == 7);
    CHECK(layout::to_string(layout::VectorList::DeltaN) == "DeltaN");
  }

  TEST_CASE("codelets convert quarters") {
    quarter_metadata const md = {quarter_metadata::f143, 1};
    MetadataType const byte = packMetadata(md.fmt, md.scale);
    CHECK(unpackMetadata(&byte).scale == 1);
    CHECK(quarterToFloat(toQuarter(3.0f, md), md) == 3.0f);
    CHECK(toFloat(toQuarter(1000.0f, md, false), md) == 480.0f);
    CHECK(toQuarter(1000.0f, md, true).value == 0x80);
    CHECK(float(toHalf(quarter(0x7f), md)) == 480.0f);
    CHECK(sizeof(quarter) == 1);
  }
}
