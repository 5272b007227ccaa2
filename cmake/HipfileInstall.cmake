# SPDX-License-Identifier: MIT
# What `cmake --install` puts where, and the Debian packages.
# Components: runtime (libhipfile), hiplite (libhiplite), dev, tools, docs, and rocm-stand-in, which
# is never installed unless it is asked for by name, since it would lie over ROCm.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(packages ${CMAKE_INSTALL_LIBDIR}/cmake)
file(RELATIVE_PATH HIPFILE_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

install(TARGETS hipfile EXPORT hipfile-targets
        LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS hiplite EXPORT hiplite-targets
        LIBRARY COMPONENT hiplite NAMELINK_COMPONENT dev INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hiplite)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(DIRECTORY hiplite/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hiplite COMPONENT dev)
foreach(tool ${HIPFILE_TOOLS})
  install(TARGETS ${tool} RUNTIME COMPONENT tools)
endforeach()
if(TARGET man)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT docs)
endif()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs FILES_MATCHING PATTERN *.md
        PATTERN man EXCLUDE)

# find_package(hipfile) gives hip::hipfile, find_package(hiplite) gives hiplite::hiplite.
install(EXPORT hipfile-targets NAMESPACE hip:: DESTINATION ${packages}/hipfile COMPONENT dev)
install(EXPORT hiplite-targets NAMESPACE hiplite:: DESTINATION ${packages}/hiplite COMPONENT dev)
foreach(package hipfile hiplite)
  configure_package_config_file(cmake/${package}-config.cmake.in ${package}-config.cmake
                                INSTALL_DESTINATION ${packages}/${package})
  write_basic_package_version_file(${package}-config-version.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/${package}-config.cmake
                ${PROJECT_BINARY_DIR}/${package}-config-version.cmake
          DESTINATION ${packages}/${package} COMPONENT dev)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()

# A prefix that looks like ROCm's: include/hip, lib/libamdhip64.so.7, and the CMake package hip.
install(TARGETS amdhip64 EXPORT hip-targets LIBRARY DESTINATION lib COMPONENT rocm-stand-in
        EXCLUDE_FROM_ALL INCLUDES DESTINATION include)
install(DIRECTORY hiplite/include/ DESTINATION include COMPONENT rocm-stand-in EXCLUDE_FROM_ALL)
install(EXPORT hip-targets NAMESPACE hip:: DESTINATION lib/cmake/hip COMPONENT rocm-stand-in
        EXCLUDE_FROM_ALL)
write_basic_package_version_file(hip-config-version.cmake VERSION 7.2.0 COMPATIBILITY SameMajorVersion)
install(FILES cmake/hip-config.cmake ${PROJECT_BINARY_DIR}/hip-config-version.cmake
        DESTINATION lib/cmake/hip COMPONENT rocm-stand-in EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hipfile)
set(CPACK_PACKAGE_CONTACT "The hipFile in C authors <hipfile@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL runtime hiplite dev tools docs)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib) # ais-bench links libhipfile
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libhipfile0)
set(CPACK_DEBIAN_HIPLITE_PACKAGE_NAME libhiplite0)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libhipfile-dev)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME hipfile-tools)
set(CPACK_DEBIAN_DOCS_PACKAGE_NAME hipfile-doc)
set(CPACK_DEBIAN_DOCS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "hip-runtime-amd | libhiplite0")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libhipfile0 (= ${PROJECT_VERSION}), libhiplite0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libhipfile0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "GPU file I/O, compatible with AMD hipFile 0.5")
set(CPACK_DEBIAN_HIPLITE_DESCRIPTION "small HIP runtime for storage programs without ROCm")
set(CPACK_DEBIAN_DEV_DESCRIPTION "headers, CMake packages and pkg-config files of hipFile and hiplite")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "tools of hipFile")
set(CPACK_DEBIAN_DOCS_DESCRIPTION "manual pages and documents of hipFile and hiplite")
include(CPack)
