# pop_add_example(<name> SOURCES <file>... [LIBS <target>...])
#
# A program a user would write: public headers only, linked with the compiled libraries, found in
# build/<preset>/examples/<name>.
include_guard()

function(pop_add_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pop_add_example(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  pop_warnings(${name})
  pop_sanitize(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
endfunction()
