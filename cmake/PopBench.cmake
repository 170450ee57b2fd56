# pop_add_bench(<binary> SOURCES <file>... [LIBS <target>...] [PRIVATE_LIBS <target>...])
#
# A program under bench/, optimised as a release build, with Google Benchmark linked in. LIBS that do not exist are
# left out.
#
# pop_find_peers() looks for the libraries that benchmarks compare with.
#
# pop_add_peer(<name> [TARGET <library>] SOURCES <file>...)
#
# The program poplar-bench-peer-<name>, built for this machine and with OpenMP, which the driver starts as a process of
# its own. Without the library there is no program, and so no peer.
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

# A library found by its files: peer::<name>. HEADER is searched before the general include folders in SUFFIXES, where
# Debian keeps the variants of a library that several packages provide.
function(pop_find_peer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER;LIBRARY" "SUFFIXES")
  find_library(POP_PEER_${name}_LIBRARY ${arg_LIBRARY} PATH_SUFFIXES ${arg_SUFFIXES})
  find_path(POP_PEER_${name}_INCLUDE ${arg_HEADER} PATH_SUFFIXES ${arg_SUFFIXES})
  mark_as_advanced(POP_PEER_${name}_LIBRARY POP_PEER_${name}_INCLUDE)
  if(POP_PEER_${name}_LIBRARY AND POP_PEER_${name}_INCLUDE AND NOT TARGET peer::${name})
    add_library(peer::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(
      peer::${name} PROPERTIES IMPORTED_LOCATION ${POP_PEER_${name}_LIBRARY}
                               INTERFACE_INCLUDE_DIRECTORIES ${POP_PEER_${name}_INCLUDE})
  endif()
endfunction()

macro(pop_find_peers)
  find_package(OpenMP COMPONENTS CXX)
  find_package(Eigen3 NO_MODULE QUIET)
  pop_find_peer(openblas HEADER openblas_config.h LIBRARY openblas SUFFIXES openblas-pthread openblas-openmp openblas)
  pop_find_peer(blis HEADER blis.h LIBRARY blis SUFFIXES blis-openmp blis-pthread blis)
  pop_find_peer(onednn HEADER dnnl.hpp LIBRARY dnnl)
  # Its header includes that of its thread pool, a package of its own.
  find_library(POP_PEER_pthreadpool_LIBRARY pthreadpool)
  find_path(POP_PEER_pthreadpool_INCLUDE pthreadpool.h)
  mark_as_advanced(POP_PEER_pthreadpool_LIBRARY POP_PEER_pthreadpool_INCLUDE)
  if(POP_PEER_pthreadpool_LIBRARY AND POP_PEER_pthreadpool_INCLUDE)
    pop_find_peer(xnnpack HEADER xnnpack.h LIBRARY XNNPACK)
    if(TARGET peer::xnnpack)
      set_property(TARGET peer::xnnpack PROPERTY INTERFACE_LINK_LIBRARIES ${POP_PEER_pthreadpool_LIBRARY})
    endif()
  endif()
endmacro()

function(pop_add_peer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET" "SOURCES")
  if(arg_TARGET AND NOT TARGET ${arg_TARGET})
    message(STATUS "pop_add_peer(${name}): library not found, no such peer")
    return()
  endif()
  set(binary poplar-bench-peer-${name})
  add_executable(${binary} ${arg_SOURCES})
  pop_target_defaults(${binary})
  # GCC 12 warns inside its own AVX-512 intrinsics.
  target_compile_options(${binary} PRIVATE -O3 -march=native -ffp-contract=fast -Wno-maybe-uninitialized -Wno-uninitialized)
  target_link_libraries(${binary} PRIVATE ${arg_TARGET} Threads::Threads)
  if(OpenMP_CXX_FOUND)
    target_link_libraries(${binary} PRIVATE OpenMP::OpenMP_CXX)
  endif()
  set_target_properties(${binary} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  add_dependencies(poplar-bench ${binary})
endfunction()
