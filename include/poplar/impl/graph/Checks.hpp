#pragma once
// Checks that many members of Graph and the programs begin with. `where` begins the text of the
// error.

#include <string_view>

#include <poplar/SerializationFormat.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/graph/View.hpp>

namespace cottonwood::graph {

class GraphData;

/// The view of a tensor that is valid.
/// \param what  what the tensor is to the caller, e.g. "src"
View const &checkedView(std::string_view where, std::string_view what,
                        poplar::Tensor const &tensor);

/// The view of a tensor that is valid and belongs to the graph.
View const &checkedView(std::string_view where, std::string_view what, poplar::Tensor const &tensor,
                        GraphData const &graph);

/// \throws tensor_creation_error  no variable can have elements of that type.
void checkVariableType(std::string_view where, poplar::Type type);

/// \throws poplar_error  the view has elements of constants, or the same element twice.
void checkWriteable(std::string_view where, std::string_view what, View const &view);

/// \throws poplar_error  there is no such method.
void requireMethod(std::string_view where, poplar::TensorCloneMethod method);
void requireMethod(std::string_view where, poplar::TensorCloneDuplicationMethod method);

/// \throws poplar_error  there is no such format.
void requireFormat(std::string_view where, poplar::SerializationFormat format);

} // namespace cottonwood::graph
