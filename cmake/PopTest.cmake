# pop_add_test(<binary> SOURCES <file>... [ALONE <file>...] [LIBS <target>...] LABELS <label>...
#              [ARGS <argument>...] [PROPERTIES <name> <value>...] [OPTIONS <compile option>...]
#              [VARIANTS <name>=<variable>=<value>...])
#
# A doctest binary whose cases each become a ctest entry `<binary>: <case>` with the given labels. All binaries share
# one precompiled main. For every label L the target tests-L builds the binaries carrying it. With variants, each case
# becomes an entry `<binary>-<name>: <case>` for every variant, with that variable in its environment.
# Sources are compiled several at a time (POP_UNITY), but for those of ALONE, whose helpers have the names of others'.
include_guard()

if(POP_TESTS)
  find_package(doctest REQUIRED)
  add_custom_target(tests)
endif()

function(pop_add_test binary)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;ALONE;LIBS;LABELS;ARGS;PROPERTIES;OPTIONS;VARIANTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pop_add_test(${binary}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  pop_test_main()
  add_executable(${binary} ${arg_SOURCES} ${arg_ALONE} $<TARGET_OBJECTS:pop_test_main>)
  pop_target_defaults(${binary})
  pop_unity(${binary})
  if(arg_ALONE)
    set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  set_target_properties(${binary} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  # Tests are many and small: -O0 compiles them twice as fast as -O1, where sanitizers watch and elsewhere. Binaries that
  # compute much by themselves ask for more in their OPTIONS.
  target_compile_options(${binary} PRIVATE -O0 ${arg_OPTIONS})
  target_link_libraries(${binary} PRIVATE doctest::doctest Threads::Threads)
  foreach(library IN LISTS arg_LIBS)
    if(TARGET ${library})
      target_link_libraries(${binary} PRIVATE ${library})
    endif()
  endforeach()
  pop_label_targets("${arg_LABELS}" ${binary})
  if(NOT arg_VARIANTS)
    pop_discover_tests(${binary} ${binary} "${arg_LABELS}" "${arg_ARGS}" "${arg_PROPERTIES}")
  endif()
  foreach(variant IN LISTS arg_VARIANTS)
    if(NOT variant MATCHES "^([^=]+)=([^=]+=.*)$")
      message(FATAL_ERROR "pop_add_test(${binary}): variant ${variant} is not <name>=<variable>=<value>")
    endif()
    set(properties ${arg_PROPERTIES} ENVIRONMENT ${CMAKE_MATCH_2})
    pop_discover_tests(${binary} ${binary}-${CMAKE_MATCH_1} "${arg_LABELS}" "${arg_ARGS}" "${properties}")
  endforeach()
endfunction()

# pop_add_test_kernels(<binary> <file>...): poplar_add_kernels, with checks out of line where a sanitizer asks for any.
function(pop_add_test_kernels binary)
  get_property(before DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  poplar_add_kernels(${binary} ${ARGN})
  get_property(kernels DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(REMOVE_ITEM kernels ${before})
  foreach(target IN LISTS kernels)
    pop_sanitize_kernels(${target})
  endforeach()
endfunction()

# tests, and tests-<label> for each label, depend on the target.
function(pop_label_targets labels target)
  add_dependencies(tests ${target})
  foreach(label IN LISTS labels)
    if(NOT TARGET tests-${label})
      add_custom_target(tests-${label})
    endif()
    add_dependencies(tests-${label} ${target})
  endforeach()
endfunction()

function(pop_test_main)
  if(NOT TARGET pop_test_main)
    add_library(pop_test_main OBJECT ${PROJECT_SOURCE_DIR}/test/main.cpp)
    pop_target_defaults(pop_test_main)
    target_link_libraries(pop_test_main PRIVATE doctest::doctest)
  endif()
endfunction()

# After each link, lists the binary's cases into a ctest include file (see PopDiscover.cmake), as `<name>: <case>`.
function(pop_discover_tests binary name labels args properties)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}_tests.cmake)
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake)
  string(REPLACE ";" "|" labels "${labels}")
  string(REPLACE ";" "|" args "${args}")
  string(REPLACE ";" "|" properties "${properties}")
  add_custom_command(
    TARGET ${binary} POST_BUILD
    BYPRODUCTS ${list}
    COMMAND ${CMAKE_COMMAND} -D BINARY=$<TARGET_FILE:${binary}> -D NAME=${name} "-DLABELS=${labels}"
            "-DARGS=${args}" "-DPROPERTIES=${properties}" -D OUTPUT=${list}
            -P ${POP_CMAKE_DIR}/PopDiscover.cmake
    VERBATIM)
  file(CONFIGURE OUTPUT ${include}
       CONTENT "if(EXISTS \"${list}\")\n  include(\"${list}\")\nelse()\n\
  add_test(${name}_NOT_BUILT ${name}_NOT_BUILT)\nendif()\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
