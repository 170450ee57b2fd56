# pop_add_codelets(<library> <family>... [BYTES <family>...] [HALVES <family>...] [TILES <file>...] [BASELINE <file>...])
#
# The codelets of a library, once per instruction set. Family F is codelets/<library>/F.cpp, compiled with POP_ISA
# defined as the tag and the tag's instructions named one by one, so that objects do not depend on the machine that
# builds them, into the object library <library>_codelets_<tag>:
#   plain families  for POP_ISA_TAGS; the sets that only add half arithmetic or matrix tiles use avx512's objects
#   HALVES          for POP_ISA_HALF_TAGS: families with kernels of half arithmetic (HALF_ARITHMETIC in the family), or
#                   files with nothing else
#   TILES           for POP_ISA_TILE_TAGS alone: files with kernels on matrix tiles
#   BYTES           for scalar alone: families that move bytes, where vectors gain nothing (MOVES_BYTES in the family)
#   BASELINE        once, without special instructions and POP_ISA, into <library>_codelets
# Naming <library>_codelets in the OBJECTS of pop_add_library links all of it.
#
# The global property POP_ISA_TARGETS lists <tag>=<target> of every such object library, for the hygiene test.
include_guard()
include(CheckCXXCompilerFlag)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(POP_ISA_TAGS scalar avx2 avx512)
  set(POP_ISA_HALF_TAGS avx512fp16 avx512fp16_soft)
  set(POP_ISA_TILE_TAGS amx amxfp16 amx_soft amxfp16_soft)
else()
  set(POP_ISA_TAGS scalar)
  set(POP_ISA_HALF_TAGS)
  set(POP_ISA_TILE_TAGS)
endif()

set(POP_ISA_FLAGS_scalar)
set(POP_ISA_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt)
set(POP_ISA_FLAGS_avx512 ${POP_ISA_FLAGS_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd
                         -mprefer-vector-width=512)
set(POP_ISA_FLAGS_avx512fp16 ${POP_ISA_FLAGS_avx512} -mavx512fp16)
set(POP_ISA_FLAGS_avx512fp16_soft ${POP_ISA_FLAGS_avx512})
# Compilers of 2022 do not know AMX-FP16: arch/Amx.hpp writes its one instruction as bytes.
set(POP_ISA_FLAGS_amx ${POP_ISA_FLAGS_avx512fp16} -mamx-tile -mamx-bf16)
set(POP_ISA_FLAGS_amxfp16 ${POP_ISA_FLAGS_amx})
# Twins of tiles run wherever tests do, not only where there is AVX-512.
set(POP_ISA_FLAGS_amx_soft ${POP_ISA_FLAGS_avx2})
set(POP_ISA_FLAGS_amxfp16_soft ${POP_ISA_FLAGS_avx2})

# What every kernel file gets besides its instructions, in every preset. GCC 12 warns about its own AVX-512 headers
# without the two -Wno flags; clang does not know the first of them.
set(POP_KERNEL_FLAGS -ffp-contract=off -fno-math-errno -Wdouble-promotion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND POP_KERNEL_FLAGS -Wno-maybe-uninitialized -Wno-uninitialized)
  # In loops with more pointers than registers GCC keeps some in vector registers, and each move back takes a slot of
  # the units that multiply (4% of a convolution's tile on Zen 4); loads from the stack take none.
  check_cxx_compiler_flag(-mtune-ctrl=^inter_unit_moves_from_vec POP_CXX_HAS_MTUNE_CTRL)
  if(POP_CXX_HAS_MTUNE_CTRL)
    list(APPEND POP_KERNEL_FLAGS -mtune-ctrl=^inter_unit_moves_from_vec)
  endif()
endif()

function(pop_add_codelets library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "BYTES;HALVES;TILES;BASELINE")
  foreach(kind UNPARSED_ARGUMENTS BYTES HALVES)
    list(TRANSFORM arg_${kind} REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/codelets/${library}/\\1.cpp")
  endforeach()
  foreach(kind TILES BASELINE)
    list(TRANSFORM arg_${kind} PREPEND "${PROJECT_SOURCE_DIR}/codelets/${library}/")
  endforeach()
  set(parts)
  foreach(tag IN LISTS POP_ISA_TAGS POP_ISA_HALF_TAGS POP_ISA_TILE_TAGS)
    if(tag IN_LIST POP_ISA_TAGS)
      set(sources ${arg_UNPARSED_ARGUMENTS})
    elseif(tag IN_LIST POP_ISA_HALF_TAGS)
      set(sources ${arg_HALVES})
    else()
      set(sources ${arg_TILES})
    endif()
    if(tag STREQUAL "scalar")
      list(APPEND sources ${arg_BYTES})
    endif()
    if(sources)
      pop_add_isa_object(${library}_codelets ${tag} ${sources})
      list(APPEND parts ${library}_codelets_${tag})
    endif()
  endforeach()
  if(arg_BASELINE)
    add_library(${library}_codelets OBJECT ${arg_BASELINE})
    pop_target_defaults(${library}_codelets)
  else()
    add_library(${library}_codelets INTERFACE)
  endif()
  set_target_properties(${library}_codelets PROPERTIES POP_ISA_PARTS "${parts}")
endfunction()

# pop_add_isa_object(<prefix> <tag> <file>...): the object library <prefix>_<tag> of the files.
function(pop_add_isa_object prefix tag)
  set(target ${prefix}_${tag})
  add_library(${target} OBJECT ${ARGN})
  pop_target_defaults(${target})
  target_compile_options(${target} PRIVATE ${POP_KERNEL_FLAGS} ${POP_ISA_FLAGS_${tag}})
  target_compile_definitions(${target} PRIVATE POP_ISA=${tag} POP_NO_MODE_SYMBOL)
  set_property(GLOBAL APPEND PROPERTY POP_ISA_TARGETS ${tag}=${target})
endfunction()
