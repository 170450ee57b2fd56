# pop_add_bench(<binary> SOURCES <file>... [LIBS <target>...] [PRIVATE_LIBS <target>...])
#
# A program under bench/, optimised as a release build, with Google Benchmark linked in. LIBS that do not exist are
# left out, so that a peer library is optional.
include_guard()

if(POP_BENCH)
  find_package(benchmark REQUIRED)
endif()

function(pop_add_bench binary)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;PRIVATE_LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pop_add_bench(${binary}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${binary} ${arg_SOURCES})
  pop_target_defaults(${binary})
  target_link_libraries(${binary} PRIVATE benchmark::benchmark Threads::Threads ${arg_PRIVATE_LIBS})
  foreach(library IN LISTS arg_LIBS)
    if(TARGET ${library})
      target_link_libraries(${binary} PRIVATE ${library})
    endif()
  endforeach()
  set_target_properties(${binary} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endfunction()
