# pop_use_sqlite(<library> <ipp>...): profile files, which these bodies read and write. Without SQLite the library warns
# instead of writing them.
include_guard()

if(POP_SQLITE)
  if(POP_SQLITE STREQUAL "AUTO" AND NOT POP_TESTS) # the tests read and write profiles
    find_package(SQLite3 QUIET)
  else()
    find_package(SQLite3 REQUIRED)
  endif()
endif()
if(POP_TESTS AND NOT SQLite3_FOUND)
  message(FATAL_ERROR "POP_SQLITE=OFF goes with POP_TESTS=OFF: the tests read and write profiles")
endif()
set(POP_WITH_SQLITE OFF)
if(SQLite3_FOUND)
  set(POP_WITH_SQLITE ON)
endif()

function(pop_use_sqlite library)
  if(NOT POP_WITH_SQLITE)
    return()
  endif()
  pop_library_root(${library} root)
  foreach(ipp IN LISTS ARGN) # not all of the library, whose other objects are the same with and without
    pop_translation_unit(${library} ${root} ${ipp} unit)
    set_property(SOURCE ${unit} APPEND PROPERTY COMPILE_DEFINITIONS POPLAR_WITH_SQLITE)
  endforeach()
  target_link_libraries(${library} PRIVATE SQLite::SQLite3)
endfunction()
