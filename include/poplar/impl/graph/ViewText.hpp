#pragma once
// What views need to know of their graph: names of variables, values of constants, metadata.

#include <cstddef>
#include <poplar/impl/graph/View.hpp>
#include <span>
#include <string>

namespace cottonwood::graph {

/// A graph implements this and registers itself while it lives. Calls may come from any thread.
struct GraphNames {
  /// Debug path of a variable or constant.
  virtual std::string nameOf(VarId var) const = 0;
  /// Copies the value of element `offset` of a constant. \returns false for a variable.
  virtual bool readConstant(VarId var, std::uint64_t offset, std::span<std::byte> value) const = 0;
  /// The tensor behind the metadata of QUARTER elements.
  virtual View metadataView(MetadataId id) const = 0;

protected:
  ~GraphNames() = default;
};

POP_API void registerGraphNames(GraphId graph, GraphNames const *names);
/// Waits for calls under way.
POP_API void forgetGraphNames(GraphId graph);

/// Debug path of a variable; `variable 3` or `constant 3` if it has none or the graph is gone.
std::string variableName(GraphId graph, VarId var);
/// The value of a view's only element, if it lies in a constant of a graph that lives.
bool readConstantElement(View const &view, std::span<std::byte> value);

/// The metadata of a view that has some, as one element of their variable; invalid if the graph is
/// gone.
View metadataView(View const &view);

/// `{2,3}`
std::string shapeBraces(ShapeSpan shape);
/// Type, shape and the first regions by variable number; equal views have equal texts.
std::string regionText(View const &view);
/// The names of the variables of the first regions, once each.
std::string namesText(View const &view);
/// Type, shape and the first blocks with their names, e.g. `float {4,2}: weights[3; 4 by 8, 2 by
/// -1]`.
std::string blockText(View const &view);
/// The first regions with their names, e.g. `weights[0:6) bias[2:3)`.
std::string regionList(View const &view);

} // namespace cottonwood::graph
