#pragma once
// The private side of the published handles: what is behind a Graph, a VertexRef, a DataStream.

#include <poplar/DataStream.hpp>
#include <poplar/Graph.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/impl/graph/GraphData.hpp>

namespace cottonwood::graph {

struct HandleAccess {
  static std::shared_ptr<GraphData> const &data(poplar::Graph const &graph) { return graph.data_; }

  static poplar::VertexRef vertex(GraphData *graph, VertexId id) { return {graph, id}; }
  static GraphData *graph(poplar::VertexRef const &vertex) { return vertex.graph_; }

  static poplar::FieldRef field(poplar::VertexRef const &vertex, unsigned fieldId) {
    return {vertex, fieldId, false, 0};
  }
  static poplar::VertexRef const &vertex(poplar::FieldRef const &field) { return field.vertex_; }
  static unsigned fieldId(poplar::FieldRef const &field) { return field.fieldId_; }

  static poplar::ComputeSet computeSet(GraphId graph, ComputeSetId id) {
    poplar::ComputeSet cs(id);
    cs.graph_ = graph;
    return cs;
  }
  /// 0 if the handle was made from a number.
  static GraphId graph(poplar::ComputeSet const &cs) { return cs.graph_; }
  static poplar::Function function(GraphId graph, FunctionId id) {
    poplar::Function f(id);
    f.graph_ = graph;
    return f;
  }
  static GraphId graph(poplar::Function const &f) { return f.graph_; }

  static poplar::DataStream stream(std::shared_ptr<StreamData const> data) {
    poplar::DataStream stream;
    stream.data_ = std::move(data);
    return stream;
  }
  static StreamData const *data(poplar::DataStream const &stream) { return stream.data_.get(); }

  static poplar::RemoteBuffer remoteBuffer(std::shared_ptr<RemoteBufferData const> data) {
    poplar::RemoteBuffer buffer;
    buffer.data_ = std::move(data);
    return buffer;
  }
  static RemoteBufferData const *data(poplar::RemoteBuffer const &buffer) {
    return buffer.data_.get();
  }
  static poplar::HostFunction hostFunction(GraphId graph, HostFunctionId id) {
    poplar::HostFunction f(id);
    f.graph_ = graph;
    return f;
  }
  static GraphId graph(poplar::HostFunction const &f) { return f.graph_; }
  static poplar::FunctionBuffer functionBuffer(GraphId graph, unsigned id) {
    poplar::FunctionBuffer buffer(id);
    buffer.graph_ = graph;
    return buffer;
  }
  static GraphId graph(poplar::FunctionBuffer const &buffer) { return buffer.graph_; }
};

} // namespace cottonwood::graph
