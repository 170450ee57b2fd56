// Bodies of <poplar/exceptions.hpp>.
#pragma once

#include <array>
#include <ostream>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/DebugAccess.hpp>
#include <poplar/impl/base/Error.hpp>
#include <string_view>

namespace cottonwood::base::detail {

/// In the order of poplar::ErrorCode.
inline constexpr std::array<std::string_view, 19> kErrorCodeNames{
    "NONE",
    "UNKNOWN",
    "TRAP",
    "FLOATING_POINT_INVALID_OPERATION",
    "FLOATING_POINT_DIVIDE_BY_ZERO",
    "FLOATING_POINT_OVERFLOW",
    "TILE_MEMORY_BANK_CONFLICT",
    "INVALID_EXCHANGE_CONFIGURATION",
    "INVALID_ADDRESS",
    "INVALID_OPERAND",
    "INVALID_PROGRAM_COUNTER",
    "INVALID_INSTRUCTION",
    "EXCHANGE_ERROR",
    "MEMORY_ERROR",
    "IPUSOFTERR",
    "LINK_DOWN",
    "HOST_LINK_DOWN",
    "HOST_SYNC_TIMEOUT",
    "IPU_MEMORY_FAILURE",
};

/// In the order of poplar::RecoveryAction.
inline constexpr std::array<std::string_view, 4> kRecoveryActionNames{
    "IPU_RESET", "LINK_RESET", "PARTITION_RESET", "FULL_RESET"};

template <class Enum, std::size_t n>
std::string nameIn(std::array<std::string_view, n> const &names, Enum value,
                   std::string_view where) {
  auto const i = static_cast<std::size_t>(value);
  if (i >= n)
    fail<poplar::poplar_error>(where, "no enumerator has the value ", i, "; the last one is ",
                               names[n - 1], " = ", n - 1);
  return std::string(names[i]);
}

} // namespace cottonwood::base::detail

namespace poplar {

POP_INLINE poplar_error::poplar_error(std::string const &text)
    : poplar_error("poplar_error", text) {}
POP_INLINE poplar_error::poplar_error(char const *text)
    : poplar_error("poplar_error", std::string(text)) {}
POP_INLINE poplar_error::poplar_error(char const *typeName, std::string const &text)
    : std::runtime_error(text), type(typeName), text_(text) {}

POP_INLINE char const *poplar_error::what() const noexcept { return text_.c_str(); }

POP_INLINE void poplar_error::attachSourceLocation(DebugContext const &context) {
  using cottonwood::base::DebugAccess;
  auto const &path = DebugAccess::path(context);
  if (!path.empty())
    text_ += cottonwood::base::textOf("\n  for ", cottonwood::base::quoted(path));
  if (auto const &at = DebugAccess::location(context); at.isValid())
    text_ += cottonwood::base::textOf("\n  from ", at.getFileName(), ':', at.getLineNumber(), " (",
                                      at.getFunctionName(), ')');
}

#define POP_DEFINE_ERROR(NAME, BASE)                                                               \
  POP_INLINE NAME::NAME(std::string const &text) : BASE(#NAME, text) {}                            \
  POP_INLINE NAME::NAME(char const *text) : BASE(#NAME, std::string(text)) {}                      \
  POP_INLINE NAME::NAME(char const *typeName, std::string const &text) : BASE(typeName, text) {}

POP_DEFINE_ERROR(graph_program_compilation_error, poplar_error)
POP_DEFINE_ERROR(graph_object_creation_error, poplar_error)
POP_DEFINE_ERROR(no_environment, poplar_error)
POP_DEFINE_ERROR(control_program_error, poplar_error)
POP_DEFINE_ERROR(type_error, poplar_error)
POP_DEFINE_ERROR(graph_connection_error, poplar_error)
POP_DEFINE_ERROR(graph_cycle_error, poplar_error)
POP_DEFINE_ERROR(graph_recursion_error, poplar_error)
POP_DEFINE_ERROR(graph_replication_error, poplar_error)
POP_DEFINE_ERROR(missing_profile_data, poplar_error)
POP_DEFINE_ERROR(missing_graph_profile, poplar_error)
POP_DEFINE_ERROR(invalid_tile_mapping, poplar_error)
POP_DEFINE_ERROR(tensor_creation_error, poplar_error)
POP_DEFINE_ERROR(tensor_io_state_error, poplar_error)
POP_DEFINE_ERROR(tensor_metadata_error, poplar_error)
POP_DEFINE_ERROR(stream_connection_error, poplar_error)
POP_DEFINE_ERROR(overflow_error, poplar_error)
POP_DEFINE_ERROR(memory_elem_constraints_error, poplar_error)
POP_DEFINE_ERROR(stream_memory_allocation_error, poplar_error)
POP_DEFINE_ERROR(invalid_machine_model, poplar_error)
POP_DEFINE_ERROR(invalid_option, poplar_error)
POP_DEFINE_ERROR(runtime_error, poplar_error)
POP_DEFINE_ERROR(application_runtime_error, runtime_error)
POP_DEFINE_ERROR(system_runtime_error, runtime_error)
POP_DEFINE_ERROR(unrecoverable_runtime_error, system_runtime_error)
POP_DEFINE_ERROR(unknown_runtime_error, system_runtime_error)
POP_DEFINE_ERROR(parse_error, poplar_error)
#undef POP_DEFINE_ERROR

POP_INLINE graph_object_load_error::graph_object_load_error(std::string const &path,
                                                            std::string const &error)
    : poplar_error("graph_object_load_error",
                   "cannot load the codelet object '" + path + "': " + error) {}

POP_INLINE unknown_vertex_type::unknown_vertex_type(std::string const &name)
    : poplar_error("unknown_vertex_type", "unknown vertex type '" + name + "'") {}
POP_INLINE unknown_vertex_type::unknown_vertex_type(std::string const &name,
                                                    std::string const &help)
    : poplar_error("unknown_vertex_type", "unknown vertex type '" + name + "'; " + help) {}

POP_INLINE unknown_field::unknown_field(std::string const &text)
    : poplar_error("unknown_field", text) {}
POP_INLINE unknown_field::unknown_field(char const *text) : unknown_field(std::string(text)) {}
POP_INLINE unknown_field::unknown_field(std::string const &fieldName,
                                        std::string const &vertexTypeName)
    : unknown_field("the vertex type '" + vertexTypeName + "' has no field '" + fieldName + "'") {}

POP_INLINE index_error::index_error(std::string const &text) : poplar_error("index_error", text) {}
POP_INLINE index_error::index_error(char const *text) : index_error(std::string(text)) {}
POP_INLINE index_error::index_error(std::string const &vertexDotField, std::size_t index)
    : index_error("index " + std::to_string(index) + " is out of range for the field '" +
                  vertexDotField + "'") {}

POP_INLINE no_size_specified::no_size_specified(std::string const &text)
    : poplar_error("no_size_specified", text) {}
POP_INLINE no_size_specified::no_size_specified(char const *text)
    : no_size_specified(std::string(text)) {}
POP_INLINE no_size_specified::no_size_specified(std::string const &fieldName,
                                                std::string const &vertexName)
    : no_size_specified("the field '" + fieldName + "' of '" + vertexName +
                        "' has no size; call Graph::setFieldSize or connect the whole field") {}

POP_INLINE profiling_disabled::profiling_disabled()
    : poplar_error("profiling_disabled",
                   "a CPU has no model of cycles or tile memory; use an IPU Model. "
                   "Profiling is disabled for current device type.") {}

POP_INLINE missing_perf_estimate::missing_perf_estimate(std::string const &vertexName)
    : poplar_error("missing_perf_estimate",
                   "the vertex type '" + vertexName +
                       "' has no performance estimate; call Graph::setPerfEstimate or "
                       "Graph::registerPerfEstimators") {}

POP_INLINE graph_memory_allocation_error::graph_memory_allocation_error(std::string const &text)
    : poplar_error("graph_memory_allocation_error", text) {}
POP_INLINE graph_memory_allocation_error::graph_memory_allocation_error(char const *text)
    : graph_memory_allocation_error(std::string(text)) {}

POP_INLINE link_error::link_error(std::string const &text, std::string const &out)
    : poplar_error("link_error", text), output(out) {}
POP_INLINE link_error::link_error(char const *text, char const *out)
    : link_error(std::string(text), std::string(out)) {}

POP_INLINE recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action,
                                                                std::string const &text)
    : system_runtime_error("recoverable_runtime_error", text), action_(action) {}
POP_INLINE recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action,
                                                                char const *text)
    : recoverable_runtime_error(action, std::string(text)) {}

POP_INLINE symbol_error::symbol_error(std::string const &name, unsigned tile)
    : poplar_error("symbol_error", "no symbol '" + name + "' on tile " + std::to_string(tile)) {}

POP_INLINE file_load_error::file_load_error(std::string const &path)
    : poplar_error("file_load_error", "cannot read the file '" + path + "'") {}

POP_INLINE std::string toString(RecoveryAction action) {
  return cottonwood::base::detail::nameIn(cottonwood::base::detail::kRecoveryActionNames, action,
                                          "poplar::toString(RecoveryAction)");
}
POP_INLINE std::ostream &operator<<(std::ostream &stream, RecoveryAction action) {
  return stream << toString(action);
}

POP_INLINE std::string errorCodeToString(ErrorCode code) {
  return cottonwood::base::detail::nameIn(cottonwood::base::detail::kErrorCodeNames, code,
                                          "poplar::errorCodeToString");
}
POP_INLINE ErrorCode errorCodeFromString(StringRef name) {
  auto const &names = cottonwood::base::detail::kErrorCodeNames;
  for (std::size_t i = 0; i != names.size(); ++i)
    if (name == StringRef(names[i].data(), names[i].size()))
      return static_cast<ErrorCode>(i);
  cottonwood::base::fail<poplar_error>("poplar::errorCodeFromString", "no error code is called ",
                                       cottonwood::base::quoted(name));
}

} // namespace poplar
