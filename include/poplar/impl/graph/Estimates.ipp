#pragma once
#include <poplar/Graph.hpp>

#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/codelet/Codelet.hpp>
#include <poplar/impl/graph/FieldHandle.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>
#include <poplar/impl/model/Machine.hpp>

// Performance estimates, and what estimators see of a vertex.

namespace cottonwood::graph {

struct IntrospectorAccess {
  static poplar::VertexIntrospector introspector(GraphData const &graph, VertexId vertex) {
    return {&graph, vertex};
  }
  static poplar::FieldData field(GraphData const &graph, VertexId vertex, unsigned field) {
    return {&graph, vertex, field};
  }
};

namespace viewdetail {
ConstantValue widen(poplar::Type type, std::byte const *bytes); // impl/graph/Tensor.ipp
}

namespace detail {

/// The values of a region that is all constant; nullopt otherwise.
POP_INLINE std::optional<std::vector<ConstantValue>>
constantValues(GraphData const &graph, Region const &region, poplar::Type type) {
  std::vector<ConstantValue> values;
  bool isConstant = true;
  std::size_t const size = base::sizeOf(type);
  region.forEachRun([&](Run const &run) {
    std::byte bytes[8];
    for (std::uint64_t i = 0; isConstant && i < run.size; ++i) {
      isConstant = graph.readConstant(run.var, run.begin + i, {bytes, size});
      values.push_back(viewdetail::widen(type, bytes));
    }
  });
  if (!isConstant)
    return std::nullopt;
  return values;
}

/// The values of state, or of one region of an edge field.
POP_INLINE std::vector<ConstantValue> fieldValues(GraphData const &graph, VertexId vertex,
                                                  unsigned fieldId, std::size_t region) {
  codelet::Field const &field = graph.codeletOf(vertex).fields[fieldId];
  char const *problem = "has no value";
  if (field.isEdge()) {
    if (graph.isConnected(vertex, fieldId))
      if (auto values = constantValues(graph, graph.region(vertex, fieldId, region), field.type))
        return *std::move(values);
    problem = "is not connected to a constant";
  } else if (graph.hasValue(vertex, fieldId)) {
    std::span<std::byte const> const bytes = graph.stateBytes(vertex, fieldId);
    std::size_t const size = base::sizeOf(field.type);
    std::vector<ConstantValue> values;
    for (std::size_t i = 0; i < bytes.size(); i += size)
      values.push_back(viewdetail::widen(field.type, bytes.data() + i));
    return values;
  }
  base::fail<poplar::poplar_error>("FieldData::getInitialValue", "the field '", field.name,
                                   "' of '", graph.codeletOf(vertex).name, "' ", problem);
}

/// What a codelet's own cost function sees.
class SizesOfVertex final : public codelet::VertexSizes {
public:
  SizesOfVertex(GraphData const &graph, VertexId vertex) : graph_(graph), vertex_(vertex) {}

  std::size_t regions(unsigned field) const override {
    return graph_.numRegions(vertex_, field).value_or(0);
  }
  std::size_t elements(unsigned field, std::size_t region) const override {
    codelet::Field const &f = graph_.codeletOf(vertex_).fields[field];
    if (f.isEdge())
      return region < regions(field) ? graph_.region(vertex_, field, region).numElements() : 0;
    return graph_.stateBytes(vertex_, field).size() / base::sizeOf(f.type);
  }
  std::int64_t stateInt(unsigned field) const override {
    std::span<std::byte const> const bytes = graph_.stateBytes(vertex_, field);
    poplar::Type const type = graph_.codeletOf(vertex_).fields[field].type;
    return bytes.empty() ? 0 : viewdetail::widen(type, bytes.data()).as<std::int64_t>();
  }

private:
  GraphData const &graph_;
  VertexId vertex_;
};

} // namespace detail

POP_INLINE void GraphData::setEstimate(VertexId id, poplar::VertexPerfEstimate estimate) {
  if (estimates_.size() < vertices_.size())
    estimates_.resize(vertices_.size());
  estimates_[id] = {estimate, true};
}

POP_INLINE void GraphData::registerEstimator(std::string_view vertexType,
                                             poplar::PerfEstimateFunc function) {
  estimators_.insert_or_assign(codelet::normaliseName(vertexType), std::move(function));
}

POP_INLINE std::optional<poplar::VertexPerfEstimate> GraphData::estimate(VertexId id) const {
  if (id < estimates_.size() && estimates_[id].set)
    return estimates_[id].value;
  codelet::Codelet const &codelet = codeletOf(id);
  if (auto const estimator = estimators_.find(codelet.name);
      estimator != estimators_.end() && estimator->second)
    return estimator->second(IntrospectorAccess::introspector(*this, id), target_);
  if (!codelet.cost)
    return std::nullopt;
  codelet::Cost const cost =
      codelet.cost(detail::SizesOfVertex(*this, id), model::machineOf(target_));
  return poplar::VertexPerfEstimate(cost.cycles, cost.flops);
}

} // namespace cottonwood::graph

namespace poplar {

namespace layout {

POP_INLINE std::string to_string(Vector layout) {
  static constexpr char const *kNames[] = {"NotAVector",  "Span",        "ShortSpan",   "OnePtr",
                                           "ScaledPtr32", "ScaledPtr64", "ScaledPtr128"};
  return kNames[static_cast<unsigned>(layout)];
}

POP_INLINE std::string to_string(VectorList layout) {
  static constexpr char const *kNames[] = {"NotAVector",   "OnePtr", "ScaledPtr32",   "ScaledPtr64",
                                           "ScaledPtr128", "DeltaN", "DeltaNElements"};
  return kNames[static_cast<unsigned>(layout)];
}

} // namespace layout

// ---- Introspection

POP_INLINE FieldData::FieldData(cottonwood::graph::GraphData const *graph, unsigned vertex,
                                unsigned field)
    : graph_(graph), vertex_(vertex), field_(field) {}
POP_INLINE FieldData::FieldData(FieldData &&other) noexcept = default;
POP_INLINE FieldData::~FieldData() = default;

POP_INLINE unsigned FieldData::rank() const {
  return graph_->codeletOf(vertex_).fields[field_].rank();
}
POP_INLINE std::string FieldData::name() const {
  return graph_->codeletOf(vertex_).fields[field_].name;
}

POP_INLINE std::size_t FieldData::size() const { return graph_->fieldSize(vertex_, field_); }

POP_INLINE void FieldData::checkRank(char const *query, unsigned expected) const {
  if (rank() != expected)
    cottonwood::base::fail<poplar_error>(std::string("FieldData::") + query, "the field '", name(),
                                         "' has rank ", rank(), ", not ", expected);
}

POP_INLINE std::size_t FieldData::getSizeAtIndex(std::size_t i) const {
  checkRank("getSizeAtIndex", 2);
  if (i >= size())
    cottonwood::base::fail<index_error>("FieldData::getSizeAtIndex", "index ", i,
                                        " is out of range for the field '", name(), "' of size ",
                                        size());
  return graph_->region(vertex_, field_, i).numElements() /
         graph_->codeletOf(vertex_).fields[field_].lanes;
}

POP_INLINE layout::Vector FieldData::getProfilerVectorLayout(std::size_t nestingLevel) const {
  cottonwood::codelet::Field const &field = graph_->codeletOf(vertex_).fields[field_];
  VectorLayout const layout = nestingLevel == 0   ? field.outer
                              : nestingLevel == 1 ? field.inner
                                                  : VectorLayout::NOT_A_VECTOR;
  switch (layout) {
  case VectorLayout::NOT_A_VECTOR:
    return layout::Vector::NotAVector;
  case VectorLayout::SPAN:
    return layout::Vector::Span;
  case VectorLayout::SHORT_SPAN:
    return layout::Vector::ShortSpan;
  case VectorLayout::SCALED_PTR32:
    return layout::Vector::ScaledPtr32;
  case VectorLayout::SCALED_PTR64:
    return layout::Vector::ScaledPtr64;
  case VectorLayout::SCALED_PTR128:
    return layout::Vector::ScaledPtr128;
  case VectorLayout::ONE_PTR:
  case VectorLayout::COMPACT_PTR: // resolves to a full pointer
    break;
  }
  return layout::Vector::OnePtr;
}

POP_INLINE layout::VectorList FieldData::getProfilerVectorListLayout() const {
  switch (graph_->codeletOf(vertex_).fields[field_].list) {
  case VectorListLayout::NOT_A_VECTOR:
    return layout::VectorList::NotAVector;
  case VectorListLayout::ONE_PTR:
    return layout::VectorList::OnePtr;
  case VectorListLayout::SCALED_PTR32:
    return layout::VectorList::ScaledPtr32;
  case VectorListLayout::SCALED_PTR64:
    return layout::VectorList::ScaledPtr64;
  case VectorListLayout::SCALED_PTR128:
    return layout::VectorList::ScaledPtr128;
  case VectorListLayout::DELTAN:
    return layout::VectorList::DeltaN;
  case VectorListLayout::DELTANELEMENTS:
  case VectorListLayout::COMPACT_DELTAN:
    break;
  }
  return layout::VectorList::DeltaNElements;
}

POP_INLINE cottonwood::graph::ConstantValue FieldData::scalarValue() const {
  checkRank("getInitialValue", 0);
  if (unsigned const lanes = graph_->codeletOf(vertex_).fields[field_].lanes; lanes > 1)
    cottonwood::base::fail<poplar_error>("FieldData::getInitialValue", "the field '", name(),
                                         "' is a vector of ", lanes,
                                         " elements: call getInitialValues");
  return cottonwood::graph::detail::fieldValues(*graph_, vertex_, field_, 0)[0];
}

POP_INLINE std::vector<cottonwood::graph::ConstantValue> FieldData::vectorValues() const {
  cottonwood::codelet::Field const &field = graph_->codeletOf(vertex_).fields[field_];
  if (field.rank() != 0 || field.lanes == 1)
    checkRank("getInitialValues", 1);
  std::vector<cottonwood::graph::ConstantValue> values;
  bool const isEdge = field.isEdge();
  std::size_t const numRegions = isEdge ? graph_->numRegions(vertex_, field_).value_or(0) : 1;
  for (std::size_t i = 0; i < numRegions; ++i) // several for a vector of scalar edges
    for (auto const &value : cottonwood::graph::detail::fieldValues(*graph_, vertex_, field_, i))
      values.push_back(value);
  return values;
}

POP_INLINE std::vector<cottonwood::graph::ConstantValue>
FieldData::subVectorValues(std::size_t i) const {
  return cottonwood::graph::detail::fieldValues(*graph_, vertex_, field_, i);
}

POP_INLINE FieldData VertexIntrospector::getFieldInfo(std::string const &name) const {
  cottonwood::codelet::Codelet const &codelet = graph_->codeletOf(vertex_);
  int const field = codelet.findField(name);
  if (field < 0)
    throw unknown_field(name, codelet.name);
  return cottonwood::graph::IntrospectorAccess::field(*graph_, vertex_,
                                                      static_cast<unsigned>(field));
}

POP_INLINE ComputeSet VertexIntrospector::getComputeSet() const {
  return cottonwood::graph::HandleAccess::computeSet(graph_->id(),
                                                     graph_->vertex(vertex_).computeSet);
}

// ---- Graph

POP_INLINE void Graph::setPerfEstimate(VertexRef const &v, std::uint64_t cycles,
                                       std::uint64_t flops) {
  setPerfEstimate(v, VertexPerfEstimate(cycles, flops));
}

POP_INLINE void Graph::setPerfEstimate(VertexRef const &v, VertexPerfEstimate const &estimate) {
  char const *const where = "Graph::setPerfEstimate";
  cottonwood::graph::GraphData &graph = data(where);
  cottonwood::graph::VertexId const vertex = cottonwood::graph::checkedVertex(where, v, graph);
  for (std::uint32_t k = 0; k < graph.vertexGroup(vertex).count; ++k)
    graph.setEstimate(vertex + k, estimate);
}

POP_INLINE VertexPerfEstimate Graph::getPerfEstimate(VertexRef const &v) const {
  char const *const where = "Graph::getPerfEstimate";
  cottonwood::graph::GraphData const &graph = data(where);
  cottonwood::graph::VertexId const vertex = cottonwood::graph::checkedVertex(where, v, graph);
  if (auto const estimate = graph.estimate(vertex))
    return *estimate;
  throw missing_perf_estimate(graph.codeletOf(vertex).name);
}

POP_INLINE void Graph::registerPerfEstimator(StringRef vertexTypeName, PerfEstimateFunc f) {
  data("Graph::registerPerfEstimator")
      .registerEstimator({vertexTypeName.data(), vertexTypeName.size()}, std::move(f));
}

POP_INLINE void Graph::setCycleEstimate(VertexRef const &v, std::uint64_t cycles) {
  setPerfEstimate(v, cycles);
}
POP_INLINE std::uint64_t Graph::getCycleEstimate(VertexRef const &v) const {
  return getPerfEstimate(v).cycles;
}

POP_INLINE void Graph::registerCycleEstimator(StringRef vertexTypeName, CycleEstimateFunc f) {
  registerPerfEstimator(vertexTypeName, [f](VertexIntrospector const &v, Target const &target) {
    return VertexPerfEstimate(f(v, target));
  });
}

} // namespace poplar
