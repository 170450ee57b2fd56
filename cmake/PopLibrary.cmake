# pop_add_library(<name> IPP <file>... [SOURCES <file>...] [OBJECTS <object library>...]
#                 [DEPENDS <library>...] [PRIVATE_LIBS <target>...])
#
# A compiled library of this project. IPP files are named relative to the library's include folder (include/poplar, or
# include/poplibs/<name>); each becomes one translation unit `#include <name/file>` in the build tree, so that bodies
# live beside their headers and serve header-only mode too. DEPENDS names libraries of this project whose headers ours
# include; OBJECTS object libraries to link in (codelets); PRIVATE_LIBS anything else.
include_guard()

set_property(GLOBAL PROPERTY POP_LIBRARIES)

function(pop_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "IPP;SOURCES;OBJECTS;DEPENDS;PRIVATE_LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pop_add_library(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  pop_library_root(${name} root)
  set(units)
  foreach(ipp IN LISTS arg_IPP)
    pop_translation_unit(${name} ${root} ${ipp} unit)
    list(APPEND units ${unit})
  endforeach()
  if(NOT units AND NOT arg_SOURCES)
    message(STATUS "pop_add_library(${name}): no source files, library left out")
    return()
  endif()

  add_library(${name} ${units} ${arg_SOURCES})
  add_library(poplar::${name} ALIAS ${name})
  pop_target_defaults(${name})
  pop_unity(${name}) # bodies go together in header-only mode anyway
  set_target_properties(
    ${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                       INSTALL_RPATH "$ORIGIN" POP_DEPENDS "${arg_DEPENDS}"
                       LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
                       ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  target_include_directories(
    ${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include/poplibs>)
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(dependency IN LISTS arg_DEPENDS)
    if(TARGET ${dependency})
      target_link_libraries(${name} PUBLIC ${dependency})
    endif()
  endforeach()
  foreach(objects IN LISTS arg_OBJECTS)
    if(TARGET ${objects})
      pop_link_objects(${name} ${objects})
    endif()
  endforeach()
  target_link_libraries(${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} ${arg_PRIVATE_LIBS})
  set_property(GLOBAL APPEND PROPERTY POP_LIBRARIES ${name})
endfunction()

# Links in an object library, and the per-ISA parts that pop_add_codelets hung on it.
function(pop_link_objects name objects)
  get_target_property(parts ${objects} POP_ISA_PARTS)
  if(NOT parts)
    set(parts)
  endif()
  foreach(part IN ITEMS ${objects} ${parts})
    get_target_property(type ${part} TYPE) # an interface library where there is no baseline code
    if(type STREQUAL "OBJECT_LIBRARY")
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:${part}>)
    endif()
  endforeach()
endfunction()

# The folder whose name is the library's include prefix.
function(pop_library_root name out)
  if(name STREQUAL "poplar")
    set(${out} ${PROJECT_SOURCE_DIR}/include/poplar PARENT_SCOPE)
  else()
    set(${out} ${PROJECT_SOURCE_DIR}/include/poplibs/${name} PARENT_SCOPE)
  endif()
endfunction()

# Writes the one-line source of a body; the file is touched only when its text changes.
function(pop_translation_unit name root ipp out)
  if(NOT EXISTS ${root}/${ipp})
    message(FATAL_ERROR "pop_add_library(${name}): no file ${root}/${ipp}")
  endif()
  string(REGEX REPLACE "\\.ipp$" "" stem ${ipp})
  string(REPLACE "/" "_" stem ${stem})
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}/${stem}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include <${name}/${ipp}>\n" @ONLY)
  set(${out} ${unit} PARENT_SCOPE)
endfunction()
