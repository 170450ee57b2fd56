#include <popops/impl/Config.hpp>
#ifndef POPOPS_OPERATION_DEF_UTIL_HPP
#define POPOPS_OPERATION_DEF_UTIL_HPP

#include <popops/OperationDef.hpp>
#include <poputil/VertexTemplates.hpp>

#include <string>

namespace poputil {

/// "popops::Operation::ADD" and so on, as vertex names spell them.
template <> struct POP_API VertexTemplateToString<popops::Operation> {
  static std::string to_string(popops::Operation const &op);
};

/// "Add", "Square Add" and so on, for people.
POP_API char const *asString(popops::Operation const &op);

} // namespace poputil

#endif
