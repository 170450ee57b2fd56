#pragma once
#include <poplar/impl/graph/Checks.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/graph/ViewText.hpp>

namespace cottonwood::graph {

POP_INLINE View const &checkedView(std::string_view where, std::string_view what,
                                   poplar::Tensor const &tensor) {
  View const &view = viewOf(tensor);
  if (!view.valid())
    base::fail<poplar::poplar_error>(where, "the tensor '", what,
                                     "' is invalid (default-constructed or moved from)");
  return view;
}

POP_INLINE View const &checkedView(std::string_view where, std::string_view what,
                                   poplar::Tensor const &tensor, GraphData const &graph) {
  View const &view = checkedView(where, what, tensor);
  if (view.graph() != graph.id())
    base::fail<poplar::poplar_error>(where, "the tensor '", what, "' of shape ",
                                     base::shapeText(view.shape()), " belongs to another graph");
  return view;
}

POP_INLINE void checkVariableType(std::string_view where, poplar::Type type) {
  if (type == poplar::Type())
    base::fail<poplar::tensor_creation_error>(where, "the element type is unset");
}

namespace detail {

/// The names of the variables behind a view.
POP_INLINE std::string variablesOf(View const &view) {
  std::string const names = namesText(view);
  return names.empty() ? std::string() : " (" + names + ")";
}

} // namespace detail

POP_INLINE void checkWriteable(std::string_view where, std::string_view what, View const &view) {
  if (view.containsConstant())
    base::fail<poplar::poplar_error>(where, "'", what, "' of shape ", base::shapeText(view.shape()),
                                     detail::variablesOf(view),
                                     " has elements of a constant, which cannot be written");
  if (view.containsAliases())
    base::fail<poplar::poplar_error>(
        where, "'", what, "' of shape ", base::shapeText(view.shape()), detail::variablesOf(view),
        " has the same element more than once, so it cannot be written in parallel");
}

POP_INLINE void requireMethod(std::string_view where, poplar::TensorCloneMethod method) {
  base::requireEnumerator<poplar::poplar_error>(where, "TensorCloneMethod", method,
                                                {"PRESERVE_ORDER_AND_ALIASES", "CREATE_NEW_ORDER",
                                                 "PRESERVE_ORDER_UNLESS_ALIASES",
                                                 "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES"});
}

POP_INLINE void requireMethod(std::string_view where, poplar::TensorCloneDuplicationMethod method) {
  base::requireEnumerator<poplar::poplar_error>(
      where, "TensorCloneDuplicationMethod", method,
      {"DUPLICATE_BY_OUTER_DIMENSION", "DUPLICATE_BY_TILE_CONTIGUOUS_REGION"});
}

POP_INLINE void requireFormat(std::string_view where, poplar::SerializationFormat format) {
  base::requireEnumerator<poplar::poplar_error>(where, "SerializationFormat", format,
                                                {"Binary", "JSON"});
}

} // namespace cottonwood::graph
