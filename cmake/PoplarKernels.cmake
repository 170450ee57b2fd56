# poplar_add_kernels(<target> <file>...)
#
# Adds C++20 files to a target and compiles them once per instruction set, so that the functors they give to
# <poplin/Epilogue.hpp>, <popops/MapFunctor.hpp> and <popops/ReduceFunctor.hpp> run with the best instructions of the
# machine the program is started on. The rest of a file is part of the program once, compiled as the target is; the flags
# of the target should name no instruction set.
#
# How: besides the target's own object, each set gets a relocatable object of all files, in which every symbol but the
# functions that hand out vertices and kernels is made local. Without that the linker could take an inline function that
# was compiled with AVX-512 for code that runs everywhere. Initialisers are dropped from these objects: nothing of them
# runs before the machine is known to have the set. Needs GNU ld and objcopy; on machines other than x86-64 the files
# are just added.
#
# Part of the package and of this project's own build.
include_guard(GLOBAL)

# The instruction sets that programs choose from, besides that of the target's own flags.
set_property(GLOBAL PROPERTY POPLAR_KERNEL_TAGS avx2 avx512)

# Compiler flags of a set.
function(poplar_isa_flags tag out)
  set(avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt)
  set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mprefer-vector-width=512)
  set(${out} ${${tag}} PARENT_SCOPE)
endfunction()

function(poplar_add_kernels target)
  set(files)
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    list(APPEND files ${path})
  endforeach()
  target_sources(${target} PRIVATE ${files})
  target_compile_features(${target} PRIVATE cxx_std_20)
  get_property(include GLOBAL PROPERTY POPLAR_KERNELS_INCLUDE)
  target_include_directories(${target} PRIVATE ${include})
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT CMAKE_OBJCOPY)
    return()
  endif()
  get_property(tags GLOBAL PROPERTY POPLAR_KERNEL_TAGS)
  list(TRANSFORM tags TOUPPER OUTPUT_VARIABLE defines)
  list(TRANSFORM defines PREPEND POPLAR_KERNELS_)
  set_property(SOURCE ${files} APPEND PROPERTY COMPILE_DEFINITIONS ${defines})
  set_property(SOURCE ${files} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
  list(GET files 0 first)
  get_filename_component(stem ${first} NAME_WE)
  foreach(tag IN LISTS tags)
    _poplar_tagged_object(${target} ${tag} ${target}_${stem}_${tag} "${files}")
  endforeach()
endfunction()

function(_poplar_tagged_object target tag name files)
  add_library(${name} OBJECT ${files})
  foreach(kind IN ITEMS include_directories:INCLUDE_DIRECTORIES compile_definitions:COMPILE_DEFINITIONS
                        compile_options:COMPILE_OPTIONS compile_features:COMPILE_FEATURES)
    string(REPLACE ":" ";" pair ${kind})
    list(GET pair 0 command)
    list(GET pair 1 property)
    cmake_language(CALL target_${command} ${name} PRIVATE $<TARGET_PROPERTY:${target},${property}>)
  endforeach()
  poplar_isa_flags(${tag} flags)
  target_compile_options(
    ${name} PRIVATE -O2 -fno-math-errno ${flags} $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
                    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
  target_compile_definitions(${name} PRIVATE POPLAR_KERNELS_TAG=${tag})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${object}.all $<TARGET_OBJECTS:${name}>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=*TaggedCode* --remove-section=.init_array*
            --remove-section=.fini_array* --remove-section=.ctors* ${object}.all ${object}
    DEPENDS $<TARGET_OBJECTS:${name}>
    COMMENT "Kernels of ${target} for ${tag}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_property(SOURCE ${object} PROPERTY EXTERNAL_OBJECT TRUE)
  target_sources(${target} PRIVATE ${object})
endfunction()
