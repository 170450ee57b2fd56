#pragma once
// A field of a vertex as the bodies of Graph see it.

#include <cstddef>
#include <string>
#include <string_view>

#include <poplar/GraphElements.hpp>
#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/graph/GraphData.hpp>

namespace cottonwood::graph {

struct FieldHandle {
  GraphData *graph;
  VertexId vertex;
  unsigned fieldId;
  bool isIndexed;
  std::size_t index;

  codelet::Field const &field() const { return graph->codeletOf(vertex).fields[fieldId]; }
  EdgeSlot &slot() const { return graph->slot(vertex, fieldId); }
  FieldHandle at(std::size_t i) const { return {graph, vertex, fieldId, true, i}; }
  /// For messages: `'popops::Fill<float>.out[3]'`
  std::string text() const;
};

/// \throws poplar_error  the handle is default-constructed or of another graph.
VertexId checkedVertex(std::string_view where, poplar::VertexRef const &vertex,
                       GraphData const &graph);
FieldHandle checkedField(std::string_view where, poplar::FieldRef const &field, GraphData &graph);

} // namespace cottonwood::graph
