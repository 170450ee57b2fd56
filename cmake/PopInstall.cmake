# Install rules: headers, libraries, the CMake package `poplar` and one pkg-config file a library. The installed tree
# may be moved: nothing in it names its prefix.
include_guard()
include(CMakePackageConfigHelpers)

function(pop_install_packages)
  get_property(libraries GLOBAL PROPERTY POP_LIBRARIES)
  if(NOT libraries)
    return()
  endif()
  pop_install_headers()
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/poplar)
  install(
    TARGETS ${libraries}
    EXPORT poplarTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT poplarTargets DESTINATION ${package_dir})

  string(REPLACE ";" " " POP_COMPONENTS "${libraries}")
  configure_package_config_file(
    ${POP_CMAKE_DIR}/poplarConfig.cmake.in ${PROJECT_BINARY_DIR}/package/poplarConfig.cmake
    INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/package/poplarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/package/poplarConfig.cmake
                ${PROJECT_BINARY_DIR}/package/poplarConfigVersion.cmake ${POP_CMAKE_DIR}/PoplarKernels.cmake
          DESTINATION ${package_dir})
  configure_file(${POP_CMAKE_DIR}/enable.sh.in ${PROJECT_BINARY_DIR}/package/enable.sh @ONLY)
  if(PROJECT_IS_TOP_LEVEL)
    install(FILES ${PROJECT_BINARY_DIR}/package/enable.sh DESTINATION .)
  endif()
  foreach(library IN LISTS libraries)
    pop_install_pkgconfig(${library})
  endforeach()
endfunction()

# <prefix>/include/<library>, so that a plain -I<prefix>/include serves; what only header-only mode needs goes below
# <prefix>/include/cottonwood.
function(pop_install_headers)
  set(headers FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp" PATTERN "*.h" PATTERN "ipu_*")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/poplar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${headers})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/poplibs/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${headers})
  foreach(folder codelets planners)
    if(EXISTS ${PROJECT_SOURCE_DIR}/${folder})
      install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}
              DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cottonwood ${headers})
    endif()
  endforeach()
endfunction()

function(pop_install_pkgconfig library)
  get_target_property(depends ${library} POP_DEPENDS)
  string(REPLACE ";" " " POP_REQUIRES "${depends}")
  set(POP_LIBRARY ${library})
  set(POP_LIBS_PRIVATE)
  if(POP_WITH_SQLITE AND library STREQUAL "poplar")
    set(POP_LIBS_PRIVATE -lsqlite3)
  endif()
  file(RELATIVE_PATH POP_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" POP_PREFIX_FROM_PC "${POP_PREFIX_FROM_PC}")
  set(file ${PROJECT_BINARY_DIR}/package/${library}.pc)
  configure_file(${POP_CMAKE_DIR}/library.pc.in ${file} @ONLY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
