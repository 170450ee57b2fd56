# Defaults of the whole build: language, warnings, compiler cache, sanitizers, the header-only target.
include_guard()
include(GNUInstallDirs)
find_package(Threads REQUIRED)

set(POP_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
endif()

# ccache with paths relative to the source tree and without the build folder in the key: presets share objects. It asks
# the compiler's list of headers what a source depends on; to preprocess for that would be a second time.
find_program(POP_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND POP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      ${POP_CCACHE})
endif()

# GCC collects its garbage from 128 MB on, again and again while it compiles most of what is here.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=1000000) # kilobytes
endif()

# The include paths of everything in this tree: published headers, libraries' headers, and the root for
# <codelets/...> and <planners/...>.
add_library(pop_includes INTERFACE)
target_include_directories(
  pop_includes INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/poplibs
                         ${PROJECT_SOURCE_DIR})

# Warnings, for targets of this project only; -Werror only where POP_WERROR asks for it.
function(pop_warnings target)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # counts signs to -Wconversion, as GCC does not
    target_compile_options(${target} PRIVATE -Wno-sign-conversion)
  endif()
  if(POP_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Sanitizers of POP_SANITIZE, compile and link. Instrumented code makes GCC warn falsely, so -Werror ends there.
function(pop_sanitize target)
  if(NOT POP_SANITIZE)
    return()
  endif()
  foreach(tag IN LISTS POP_UNSANITIZED_TAGS)
    if(target MATCHES "_codelets_${tag}$" AND NOT target MATCHES "^simdprobe")
      return()
    endif()
  endforeach()
  # The register tiles of products and convolutions are one template; instrumented at the longest vectors they take the
  # compiler as long as everything else together, so the scalar set, whose tiles are small, stands for all.
  if(target MATCHES "^poplin_codelets_avx")
    return()
  endif()
  # Checks of each pointer for null and alignment cost a quarter of the time to compile. Null pointers fault anyway, and so
  # do vectors that are not aligned as their instructions ask for; scalars that are not go unseen. Checks of arithmetic on
  # pointers and of sizes of objects cost another third: what such pointers reach is checked where it is read or written.
  set(flags -fsanitize=${POP_SANITIZE} -fno-omit-frame-pointer
            -fno-sanitize=null,alignment,pointer-overflow,object-size)
  if(target MATCHES "_codelets")
    pop_sanitize_kernels(${target})
  endif()
  if(NOT POP_SANITIZE MATCHES "thread")
    list(APPEND flags -fno-sanitize-recover=all)
  endif()
  target_compile_options(${target} PRIVATE ${flags} -Wno-error)
  target_link_options(${target} PRIVATE ${flags})
endfunction()

# Unrolled kernels take the compiler minutes at -O2, with checks in line, and where it asks what pointers may point to.
# Vectors live in scopes of their own by the thousand, and nothing points to them from outside: when a scope or a function
# is over is not watched. (Stacks in place of the real one, to see the latter, do not hold aligned vectors with GCC 12.)
function(pop_sanitize_kernels target)
  if(POP_SANITIZE)
    target_compile_options(
      ${target}
      PRIVATE -O1 -g1 -fno-sanitize-address-use-after-scope
              $<$<CXX_COMPILER_ID:GNU>:--param=asan-use-after-return=0
              --param=asan-instrumentation-with-call-threshold=0 -fno-tree-pta>)
  endif()
endfunction()

# Compiles the sources of a target eight at a time, where POP_UNITY asks for it: most of them include the same headers.
function(pop_unity target)
  if(POP_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# What every target made by our functions gets.
function(pop_target_defaults target)
  pop_warnings(${target})
  pop_sanitize(${target})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:pop_includes>)
endfunction()

# Flags of codelet objects: -O2 in every preset, no contraction of a*b+c behind the author's back. Lines of kernels, each
# inlined from many places, would be nine tenths of a library: only where a sanitizer reports them are they known. Else
# the presets of tests have the same flags, so that a cache of compilations serves them all.
macro(pop_codelet_scope)
  foreach(config DEBUG RELEASE RELWITHDEBINFO MINSIZEREL)
    set(CMAKE_CXX_FLAGS_${config} "-O2 -DNDEBUG -ffp-contract=off")
  endforeach()
  # The thread sanitizer watches the engine, not the kernels, which own no synchronisation.
  if(POP_SANITIZE MATCHES "thread")
    set(POP_SANITIZE "")
  endif()
  # Instrumenting what this machine cannot run, the software twin of what it can, or the middle one of three vector
  # lengths would only cost time.
  set(POP_UNSANITIZED_TAGS avx512fp16_soft amxfp16_soft)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    foreach(pair avx2=avx2 avx512=avx512vl avx512fp16=avx512_fp16 amx=amx_bf16 amxfp16=amx_fp16)
      string(REGEX MATCH "^(.*)=(.*)$" match ${pair})
      if(flags AND NOT flags MATCHES " ${CMAKE_MATCH_2}( |$)")
        string(REGEX REPLACE "=.*" "" tag ${pair})
        list(APPEND POP_UNSANITIZED_TAGS ${tag})
      endif()
    endforeach()
    if(NOT "avx512" IN_LIST POP_UNSANITIZED_TAGS)
      list(APPEND POP_UNSANITIZED_TAGS avx2)
    endif()
  endif()
endmacro()

# One header brings in the whole library; needs C++20. Installed, poplarConfig.cmake defines the same target.
add_library(poplar_header_only INTERFACE)
add_library(poplar::header_only ALIAS poplar_header_only)
target_compile_definitions(poplar_header_only INTERFACE POPLAR_HEADER_ONLY)
target_compile_features(poplar_header_only INTERFACE cxx_std_20)
target_link_libraries(poplar_header_only INTERFACE pop_includes Threads::Threads ${CMAKE_DL_LIBS})
