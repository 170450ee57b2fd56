# poplar_add_kernels(<target> <file>...)
#
# Adds C++20 files to a target and compiles them once per instruction set, so that the functors they give to
# <poplin/Epilogue.hpp>, <popops/MapFunctor.hpp> and <popops/ReduceFunctor.hpp> run with the best instructions of the
# machine the program is started on. The rest of a file is part of the program once, compiled as the target is; the flags
# of the target should name no instruction set. To be called where the target is made; calls add to each other.
#
# How: besides the target's own object, each set gets a relocatable object of all files, in which every symbol but the
# functions that hand out vertices and kernels is made local. Without that the linker could take an inline function that
# was compiled with AVX-512 for code that runs everywhere. Initialisers are dropped from these objects: nothing of them
# runs before the machine is known to have the set. Needs GNU ld and objcopy; on machines other than x86-64 the files
# are just added.
#
# Part of the package and of this project's own build.
include_guard(GLOBAL)
cmake_policy(VERSION 3.20)

# The instruction sets that programs choose from, besides that of the target's own flags.
set_property(GLOBAL PROPERTY POPLAR_KERNEL_TAGS avx2 avx512)

# Compiler flags of a set.
function(poplar_isa_flags tag out)
  set(avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt)
  set(avx512 ${avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mprefer-vector-width=512)
  set(${out} ${${tag}} PARENT_SCOPE)
endfunction()

function(poplar_add_kernels target)
  _poplar_check_target(${target})
  _poplar_kernel_files(${target} files ${ARGN})
  get_property(before TARGET ${target} PROPERTY POPLAR_KERNEL_FILES)
  list(REMOVE_ITEM files "" ${before})
  if(NOT files)
    return()
  endif()
  set_property(TARGET ${target} APPEND PROPERTY POPLAR_KERNEL_FILES ${files})
  target_sources(${target} PRIVATE ${files})
  target_compile_features(${target} PRIVATE cxx_std_20)
  get_property(include GLOBAL PROPERTY POPLAR_KERNELS_INCLUDE)
  target_include_directories(${target} PRIVATE ${include})
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
  endif()
  _poplar_gnu_ld(${target} ld)
  get_property(tags GLOBAL PROPERTY POPLAR_KERNEL_TAGS)
  list(TRANSFORM tags TOUPPER OUTPUT_VARIABLE defines)
  list(TRANSFORM defines PREPEND POPLAR_KERNELS_)
  # Other targets may compile the same files without kernels.
  set(here $<STREQUAL:$<TARGET_PROPERTY:NAME>,${target}>)
  set_property(SOURCE ${files} APPEND PROPERTY COMPILE_DEFINITIONS "$<${here}:${defines}>")
  set_property(SOURCE ${files} APPEND PROPERTY COMPILE_OPTIONS $<${here}:-ffp-contract=off>)
  list(LENGTH before number) # tells calls apart
  foreach(tag IN LISTS tags)
    _poplar_tagged_object(${target} ${tag} ${target}_kernels${number}_${tag} ${ld} "${files}")
  endforeach()
endfunction()

function(_poplar_check_target target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "poplar_add_kernels(${target}): there is no such target")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(imported ${target} IMPORTED)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "poplar_add_kernels(${target}): the target is no program or library that is compiled here")
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "poplar_add_kernels(${target}): call it in ${folder}/CMakeLists.txt, which makes the target; "
                        "the files may lie elsewhere")
  endif()
endfunction()

# Full paths of the files, which exist or will be generated.
function(_poplar_kernel_files target out)
  if(NOT ARGN)
    message(FATAL_ERROR "poplar_add_kernels(${target}): no files are given")
  endif()
  set(files)
  foreach(file IN LISTS ARGN)
    get_filename_component(path "${file}" ABSOLUTE)
    get_source_file_property(generated "${path}" GENERATED)
    if(NOT generated AND (NOT EXISTS "${path}" OR IS_DIRECTORY "${path}"))
      message(FATAL_ERROR "poplar_add_kernels(${target}): there is no file ${path}")
    endif()
    list(APPEND files ${path})
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# The linker that CMake found, or, if that is another one than GNU ld, the one installed beside it.
function(_poplar_gnu_ld target out)
  if(NOT CMAKE_OBJCOPY)
    message(FATAL_ERROR "poplar_add_kernels(${target}): needs objcopy, which was not found; CMAKE_OBJCOPY names it")
  endif()
  find_program(POPLAR_GNU_LD NAMES ld.bfd ld DOC "GNU ld, for poplar_add_kernels, where CMAKE_LINKER is another linker")
  mark_as_advanced(POPLAR_GNU_LD)
  foreach(ld IN ITEMS ${CMAKE_LINKER} ${POPLAR_GNU_LD})
    execute_process(COMMAND ${ld} --version OUTPUT_VARIABLE version ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND version MATCHES "^GNU ld")
      set(${out} ${ld} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "poplar_add_kernels(${target}): needs GNU ld; neither CMAKE_LINKER, '${CMAKE_LINKER}', nor "
                      "POPLAR_GNU_LD, '${POPLAR_GNU_LD}', is one")
endfunction()

function(_poplar_tagged_object target tag name ld files)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${files})
  foreach(kind IN ITEMS include_directories:INCLUDE_DIRECTORIES compile_definitions:COMPILE_DEFINITIONS
                        compile_options:COMPILE_OPTIONS compile_features:COMPILE_FEATURES)
    string(REPLACE ":" ";" pair ${kind})
    list(GET pair 0 command)
    list(GET pair 1 property)
    cmake_language(CALL target_${command} ${name} PRIVATE $<TARGET_PROPERTY:${target},${property}>)
  endforeach()
  # What is linked says which directories hold headers of others, and what must be generated first.
  target_link_libraries(${name} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  set(standard $<TARGET_PROPERTY:${target},CXX_STANDARD>)
  target_compile_features(${name} PRIVATE $<$<BOOL:${standard}>:cxx_std_${standard}>)
  # The target's own object shows the warnings. Symbols cannot be made local in objects for link time optimisation.
  poplar_isa_flags(${tag} flags)
  target_compile_options(${name} PRIVATE -O2 -ffp-contract=off -fno-math-errno ${flags} -w -fno-lto
                                         $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_compile_definitions(${name} PRIVATE POPLAR_KERNELS_TAG=${tag})
  set_target_properties(
    ${name} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF INTERPROCEDURAL_OPTIMIZATION OFF)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}_$<CONFIG>.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${ld} -r --force-group-allocation -o ${object}.all $<TARGET_OBJECTS:${name}>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=*TaggedCode* --remove-section=.init_array*
            --remove-section=.fini_array* --remove-section=.ctors* ${object}.all ${object}
    DEPENDS $<TARGET_OBJECTS:${name}>
    COMMENT "Kernels of ${target} for ${tag}"
    COMMAND_EXPAND_LISTS VERBATIM)
  target_sources(${target} PRIVATE ${object})
  add_dependencies(${target} ${name}) # Makefiles know no objects of other targets
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "OBJECT_LIBRARY") # what links it gets the objects that were compiled alone
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${object})
  endif()
endfunction()
