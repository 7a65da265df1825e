# cmake --install: the library, its public headers and the command, so that find_package(ropewalk) works.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)

set(ROPEWALK_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ropewalk)

install(TARGETS ropewalk EXPORT ropewalk-targets)
foreach(header ropewalk/all.h ${ROPEWALK_PUBLIC_HEADERS} ${ROPEWALK_PUBLIC_HEADERS_APART})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(EXPORT ropewalk-targets NAMESPACE ropewalk:: DESTINATION ${ROPEWALK_CONFIG_DIR})

configure_package_config_file(cmake/ropewalkConfig.cmake.in ${PROJECT_BINARY_DIR}/ropewalkConfig.cmake
                              INSTALL_DESTINATION ${ROPEWALK_CONFIG_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ropewalkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ropewalkConfig.cmake ${PROJECT_BINARY_DIR}/ropewalkConfigVersion.cmake
        DESTINATION ${ROPEWALK_CONFIG_DIR})

if(TARGET ropewalk_cli)
  install(TARGETS ropewalk_cli)
endif()
