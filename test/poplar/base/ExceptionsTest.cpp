#include <doctest/doctest.h>
#include <poplar/DebugContext.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

using namespace poplar;

namespace {

template <class E> std::string typeOf() {
  E const fromLiteral("text");
  E const fromString(std::string("text"));
  CHECK(std::string(fromLiteral.what()) == "text");
  CHECK(fromString.type == fromLiteral.type);
  CHECK(std::is_base_of_v<std::runtime_error, E>);
  // Whoever catches the base class sees the same.
  try {
    throw E("text");
  } catch (poplar_error const &caught) {
    CHECK(caught.type == fromLiteral.type);
  }
  return fromLiteral.type;
}

} // namespace

TEST_SUITE("poplar/base/exceptions") {
  TEST_CASE("the type of an exception is the name of its class") {
#define CHECK_TYPE(NAME) CHECK(typeOf<NAME>() == #NAME)
    CHECK_TYPE(poplar_error);
    CHECK_TYPE(graph_program_compilation_error);
    CHECK_TYPE(graph_object_creation_error);
    CHECK_TYPE(no_environment);
    CHECK_TYPE(unknown_field);
    CHECK_TYPE(control_program_error);
    CHECK_TYPE(type_error);
    CHECK_TYPE(index_error);
    CHECK_TYPE(no_size_specified);
    CHECK_TYPE(graph_connection_error);
    CHECK_TYPE(graph_cycle_error);
    CHECK_TYPE(graph_recursion_error);
    CHECK_TYPE(graph_replication_error);
    CHECK_TYPE(missing_profile_data);
    CHECK_TYPE(missing_graph_profile);
    CHECK_TYPE(invalid_tile_mapping);
    CHECK_TYPE(tensor_creation_error);
    CHECK_TYPE(tensor_io_state_error);
    CHECK_TYPE(tensor_metadata_error);
    CHECK_TYPE(stream_connection_error);
    CHECK_TYPE(memory_elem_constraints_error);
    CHECK_TYPE(graph_memory_allocation_error);
    CHECK_TYPE(stream_memory_allocation_error);
    CHECK_TYPE(invalid_machine_model);
    CHECK_TYPE(invalid_option);
    CHECK_TYPE(link_error);
    CHECK_TYPE(application_runtime_error);
    CHECK_TYPE(system_runtime_error);
    CHECK_TYPE(unrecoverable_runtime_error);
    CHECK_TYPE(unknown_runtime_error);
    CHECK_TYPE(parse_error);
#undef CHECK_TYPE
    CHECK(typeOf<poplar::runtime_error>() == "runtime_error");
    CHECK(typeOf<poplar::overflow_error>() == "overflow_error");
    CHECK(graph_object_load_error("file.gp", "damaged").type == "graph_object_load_error");
    CHECK(unknown_vertex_type("V").type == "unknown_vertex_type");
    CHECK(profiling_disabled().type == "profiling_disabled");
    CHECK(missing_perf_estimate("V").type == "missing_perf_estimate");
    CHECK(recoverable_runtime_error(RecoveryAction::IPU_RESET, "x").type ==
          "recoverable_runtime_error");
    CHECK(symbol_error("s", 3).type == "symbol_error");
    CHECK(file_load_error("f").type == "file_load_error");
  }

  TEST_CASE("texts made from names say what is wrong") {
    CHECK(std::string(unknown_vertex_type("ns::V").what()) == "unknown vertex type 'ns::V'");
    CHECK(std::string(unknown_vertex_type("V", "call addCodelets").what()) ==
          "unknown vertex type 'V'; call addCodelets");
    CHECK(std::string(unknown_field("f", "V").what()) == "the vertex type 'V' has no field 'f'");
    CHECK(std::string(index_error("V.f", 7).what()) ==
          "index 7 is out of range for the field 'V.f'");
    CHECK(std::string(symbol_error("main", 3).what()) == "no symbol 'main' on tile 3");
  }

  TEST_CASE("failures while running are runtime errors with their action") {
    CHECK(std::is_base_of_v<poplar::runtime_error, application_runtime_error>);
    CHECK(std::is_base_of_v<system_runtime_error, recoverable_runtime_error>);
    recoverable_runtime_error const error(RecoveryAction::PARTITION_RESET, std::string("lost"));
    CHECK((error.getRecoveryAction() == RecoveryAction::PARTITION_RESET));
    std::ostringstream stream;
    stream << error.getRecoveryAction();
    CHECK(stream.str() == "PARTITION_RESET");
    CHECK(link_error("failed", "undefined: f").output == "undefined: f");
  }

  TEST_CASE("error codes have names, and names have codes") {
    for (int i = 0; i <= static_cast<int>(ErrorCode::IPU_MEMORY_FAILURE); ++i) {
      auto const code = static_cast<ErrorCode>(i);
      CHECK((errorCodeFromString(errorCodeToString(code)) == code));
    }
    CHECK(errorCodeToString(ErrorCode::IPUSOFTERR) == "IPUSOFTERR");
    CHECK_THROWS_AS(errorCodeFromString("NO_SUCH"), poplar_error);
    CHECK_THROWS_AS(errorCodeToString(static_cast<ErrorCode>(99)), poplar_error);
    poplar::runtime_error::ErrorInfo const info{ErrorCode::TRAP, ErrorLocation(4)};
    CHECK(info.location.getTile() == 4);
  }

  TEST_CASE("a source location is appended to the text") {
    poplar_error error("bad");
    error.attachSourceLocation({"a/b", SourceLocation("build", "model.cpp", 12)});
    CHECK(std::string(error.what()) == "bad\n  for 'a/b'\n  from model.cpp:12 (build)");
  }

  TEST_CASE("internal errors are built from texts, numbers, types and shapes") {
    std::vector<std::size_t> const shape{8, 16, 3};
    CHECK_THROWS_WITH_AS(
        cottonwood::base::fail<index_error>("popops::reduce", "dims[1] = ", 4,
                                            " is out of range for ", cottonwood::base::quoted("in"),
                                            " of shape ", cottonwood::base::shapeText(shape)),
        "popops::reduce: dims[1] = 4 is out of range for 'in' of shape [8, 16, 3]", index_error);
    CHECK(cottonwood::base::textOf(-1, 'c', 2.5, true, FLOAT, std::string("s"), StringRef("r")) ==
          "-1c2.5truefloatsr");
    CHECK(cottonwood::base::shapeText({}) == "[]");
  }
}
