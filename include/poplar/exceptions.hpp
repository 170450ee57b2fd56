// Every exception the library throws. All derive from poplar::poplar_error; its member `type` holds
// the class name.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_EXCEPTIONS_HPP
#define POPLAR_EXCEPTIONS_HPP

#include <cstddef>
#include <iosfwd>
#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>
#include <stdexcept>
#include <string>

namespace poplar {

class DebugContext;

struct POP_API poplar_error : std::runtime_error {
  explicit poplar_error(std::string const &text);
  explicit poplar_error(char const *text);

  char const *what() const noexcept override;
  /// Appends the place in the source that `context` knows, and its path, to the text.
  void attachSourceLocation(DebugContext const &context);

  /// The name of the class, e.g. "unknown_vertex_type".
  std::string type;

protected:
  poplar_error(char const *typeName, std::string const &text);

private:
  std::string text_;
};

// An exception without members of its own. Users may throw and derive from these as well.
#define POP_DECLARE_ERROR(NAME, BASE)                                                              \
  struct POP_API NAME : BASE {                                                                     \
    explicit NAME(std::string const &text);                                                        \
    explicit NAME(char const *text);                                                               \
                                                                                                   \
  protected:                                                                                       \
    NAME(char const *typeName, std::string const &text);                                           \
  }

/// The source of a vertex failed to compile.
POP_DECLARE_ERROR(graph_program_compilation_error, poplar_error);
/// A codelet object could not be made.
POP_DECLARE_ERROR(graph_object_creation_error, poplar_error);

/// A codelet object could not be loaded.
struct POP_API graph_object_load_error : poplar_error {
  graph_object_load_error(std::string const &path, std::string const &error);
};

/// Something the library needs is missing from the environment.
POP_DECLARE_ERROR(no_environment, poplar_error);

/// No codelet of that name is known.
struct POP_API unknown_vertex_type : poplar_error {
  explicit unknown_vertex_type(std::string const &name);
  /// The text ends with `help`: what to call to make the name known.
  unknown_vertex_type(std::string const &name, std::string const &help);
};

/// A vertex has no field of that name.
struct POP_API unknown_field : poplar_error {
  explicit unknown_field(std::string const &text);
  explicit unknown_field(char const *text);
  unknown_field(std::string const &fieldName, std::string const &vertexTypeName);
};

/// A control program was put together wrongly.
POP_DECLARE_ERROR(control_program_error, poplar_error);
/// Element types do not match.
POP_DECLARE_ERROR(type_error, poplar_error);

/// An index into a field is out of range.
struct POP_API index_error : poplar_error {
  explicit index_error(std::string const &text);
  explicit index_error(char const *text);
  index_error(std::string const &vertexDotField, std::size_t index);
};

/// A vector field whose size is needed has none.
struct POP_API no_size_specified : poplar_error {
  explicit no_size_specified(std::string const &text);
  explicit no_size_specified(char const *text);
  no_size_specified(std::string const &fieldName, std::string const &vertexName);
};

/// A field has no edge, or more than it takes.
POP_DECLARE_ERROR(graph_connection_error, poplar_error);
/// Vertices of one compute set depend on one another.
POP_DECLARE_ERROR(graph_cycle_error, poplar_error);
/// Functions call one another in a circle.
POP_DECLARE_ERROR(graph_recursion_error, poplar_error);
/// A graph cannot be replicated as asked.
POP_DECLARE_ERROR(graph_replication_error, poplar_error);

/// A profile was asked for while profiling was off.
struct POP_API profiling_disabled : poplar_error {
  profiling_disabled();
};

/// A profile lacks what was asked for.
POP_DECLARE_ERROR(missing_profile_data, poplar_error);
/// There is no graph profile.
POP_DECLARE_ERROR(missing_graph_profile, poplar_error);

/// A codelet has no cycle estimate.
struct POP_API missing_perf_estimate : poplar_error {
  explicit missing_perf_estimate(std::string const &vertexName);
};
using missing_cycle_estimate = missing_perf_estimate;

/// A variable or vertex is mapped to no tile, or to one that does not exist.
POP_DECLARE_ERROR(invalid_tile_mapping, poplar_error);
/// A tensor could not be made.
POP_DECLARE_ERROR(tensor_creation_error, poplar_error);
/// A read, write or connection in the wrong state of the engine.
POP_DECLARE_ERROR(tensor_io_state_error, poplar_error);
/// A QUARTER tensor without metadata, or metadata where none belong.
POP_DECLARE_ERROR(tensor_metadata_error, poplar_error);
/// An unknown stream, or one that is connected wrongly or not at all.
POP_DECLARE_ERROR(stream_connection_error, poplar_error);
/// A value does not fit.
POP_DECLARE_ERROR(overflow_error, poplar_error);
/// Constraints on memory elements cannot be met.
POP_DECLARE_ERROR(memory_elem_constraints_error, poplar_error);

/// The program does not fit into tile memory.
struct POP_API graph_memory_allocation_error : poplar_error {
  explicit graph_memory_allocation_error(std::string const &text);
  explicit graph_memory_allocation_error(char const *text);

  std::string profilePath;       ///< the profile that was written; empty if none was
  ProfileValue graphProfile;     ///< an empty map unless a graph profile was made
  ProfileValue executionProfile; ///< always an empty map: nothing was executed
};

/// Memory for streams could not be had.
POP_DECLARE_ERROR(stream_memory_allocation_error, poplar_error);
/// The description of a machine is wrong.
POP_DECLARE_ERROR(invalid_machine_model, poplar_error);
/// An unknown option, or a value that it does not take.
POP_DECLARE_ERROR(invalid_option, poplar_error);

/// Codelets could not be linked.
struct POP_API link_error : poplar_error {
  explicit link_error(std::string const &text, std::string const &out = "");
  explicit link_error(char const *text, char const *out = "");

  std::string output;      ///< what the linker said
  std::string profilePath; ///< the profile that was written; empty if none was
};

/// Any failure while a program runs.
struct POP_API runtime_error : poplar_error {
  struct ErrorInfo;
  explicit runtime_error(std::string const &text);
  explicit runtime_error(char const *text);

protected:
  runtime_error(char const *typeName, std::string const &text);
};

/// Caused by the program itself: an abort, a failed assertion, a floating-point exception.
POP_DECLARE_ERROR(application_runtime_error, runtime_error);
/// Caused by the system that the program runs on.
POP_DECLARE_ERROR(system_runtime_error, runtime_error);

enum class RecoveryAction { IPU_RESET, LINK_RESET, PARTITION_RESET, FULL_RESET };
/// The name of the enumerator.
POP_API std::string toString(RecoveryAction action);
POP_API std::ostream &operator<<(std::ostream &stream, RecoveryAction action);

struct POP_API recoverable_runtime_error : system_runtime_error {
  recoverable_runtime_error(RecoveryAction action, std::string const &text);
  recoverable_runtime_error(RecoveryAction action, char const *text);
  RecoveryAction getRecoveryAction() const noexcept { return action_; }

private:
  RecoveryAction action_;
};

POP_DECLARE_ERROR(unrecoverable_runtime_error, system_runtime_error);
POP_DECLARE_ERROR(unknown_runtime_error, system_runtime_error);

/// A tile's program lacks a symbol.
struct POP_API symbol_error : poplar_error {
  symbol_error(std::string const &name, unsigned tile);
};

/// A file could not be read.
struct POP_API file_load_error : poplar_error {
  explicit file_load_error(std::string const &path);
};

/// Text that should be read is malformed.
POP_DECLARE_ERROR(parse_error, poplar_error);

#undef POP_DECLARE_ERROR

enum class ErrorCode {
  NONE,
  UNKNOWN,
  TRAP,
  FLOATING_POINT_INVALID_OPERATION,
  FLOATING_POINT_DIVIDE_BY_ZERO,
  FLOATING_POINT_OVERFLOW,
  TILE_MEMORY_BANK_CONFLICT,
  INVALID_EXCHANGE_CONFIGURATION,
  INVALID_ADDRESS,
  INVALID_OPERAND,
  INVALID_PROGRAM_COUNTER,
  INVALID_INSTRUCTION,
  EXCHANGE_ERROR,
  MEMORY_ERROR,
  IPUSOFTERR,
  LINK_DOWN,
  HOST_LINK_DOWN,
  HOST_SYNC_TIMEOUT,
  IPU_MEMORY_FAILURE
};

/// The name of the enumerator.
POP_API std::string errorCodeToString(ErrorCode code);
/// \throws poplar_error  no code has that name.
POP_API ErrorCode errorCodeFromString(StringRef name);

/// Where on a device an error happened.
struct ErrorLocation {
  explicit ErrorLocation(unsigned tile) noexcept : tile_(tile) {}
  unsigned getTile() const noexcept { return tile_; }
  bool operator==(ErrorLocation const &other) const noexcept { return tile_ == other.tile_; }
  bool operator!=(ErrorLocation const &other) const noexcept { return tile_ != other.tile_; }

private:
  unsigned tile_;
};

struct ErrorLocationHash {
  std::size_t operator()(ErrorLocation const &location) const noexcept {
    return location.getTile();
  }
};

/// What is known of one failure on a device.
struct runtime_error::ErrorInfo {
  ErrorCode code;
  ErrorLocation location;
};

} // namespace poplar

#endif
