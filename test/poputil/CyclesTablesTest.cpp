#include "Graphs.hpp"

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>
#include <poputil/cyclesTables.hpp>

namespace cyclesTest {

template <class T> class Sum : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> in;
  poplar::Output<T> out;
  unsigned factor;
  poplar::Vector<unsigned> weights;
  bool compute() { return true; }
};

} // namespace cyclesTest

POPLAR_VERTEX_TEMPLATE((cyclesTest::Sum<float>), in, out, factor, weights);

namespace {

poplar::VertexPerfEstimate MAKE_PERF_ESTIMATOR_NAME(Sum)(poplar::VertexIntrospector const &vertex,
                                                         poplar::Target const &target,
                                                         poplar::Type const &type) {
  CODELET_FIELD(in);
  CODELET_SCALAR_VAL(factor, unsigned);
  CODELET_VECTOR_VALS(weights, unsigned);
  return {in.size() * factor + weights[1] +
              poputil::internal::getUnpackCost(in.getProfilerVectorLayout(0)),
          type == poplar::FLOAT ? 1U : 0U};
}

poplar::VertexPerfEstimate MAKE_PERF_ESTIMATOR_NAME(Other)(poplar::VertexIntrospector const &,
                                                           poplar::Target const &) {
  return {7};
}

} // namespace

TEST_SUITE_BEGIN("poputil/cyclesTables");

using namespace graphs;
using poputil::internal::getUnpackCost;
using poputil::internal::getVectorListDeltaUnpackCost;

TEST_CASE("estimators of a table see the fields of a vertex") {
  poplar::Graph graph(poplar::Target::createCPUTarget());
  poputil::internal::PerfEstimatorTable const table{
      CYCLE_ESTIMATOR_ENTRY(cyclesTest, Sum, poplar::FLOAT),
      CYCLE_ESTIMATOR_ENTRY_NOPARAMS(cyclesTest, Other)};
  CHECK(table[0].first == "cyclesTest::Sum<float>");
  CHECK(table[1].first == "cyclesTest::Other");
  poputil::internal::registerPerfFunctions(graph, table);
  auto const v = graph.addVertex(graph.addComputeSet(), "cyclesTest::Sum<float>",
                                 {{"in", graph.addVariable(poplar::FLOAT, {10})},
                                  {"out", graph.addVariable(poplar::FLOAT, {})}});
  graph.setInitialValue(v["factor"], 3);
  graph.setInitialValue(v["weights"], std::vector<unsigned>{1, 2});
  CHECK(graph.getPerfEstimate(v).cycles == 32);
  CHECK(graph.getPerfEstimate(v).flops == 1);
}

TEST_CASE("layouts that need unpacking cost more") {
  using poplar::layout::Vector;
  using poplar::layout::VectorList;
  CHECK(getUnpackCost(Vector::Span) == 0);
  CHECK(getUnpackCost(Vector::ScaledPtr64) > getUnpackCost(Vector::OnePtr));
  CHECK(getUnpackCost(VectorList::DeltaN) > getUnpackCost(VectorList::OnePtr));
  CHECK(getVectorListDeltaUnpackCost(VectorList::DeltaNElements) >
        getVectorListDeltaUnpackCost(VectorList::DeltaN));
  CHECK(messageOf([] { getUnpackCost(Vector::NotAVector); }).find("it must be a vector") !=
        std::string::npos);
  CHECK(messageOf([] {
          getVectorListDeltaUnpackCost(VectorList::OnePtr);
        }).find("the layout is OnePtr; it must be DeltaN or DeltaNElements") != std::string::npos);
}

TEST_SUITE_END();
