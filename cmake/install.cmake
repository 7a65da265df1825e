# cmake --install: the library, its public headers, the C interface and the command, so that find_package(ropewalk) works;
# --component library, c or command for one of them, for which the others need not be built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)

set(ROPEWALK_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ropewalk)

install(TARGETS ropewalk EXPORT ropewalk-targets COMPONENT library)
foreach(header ropewalk/all.h ${ROPEWALK_PUBLIC_HEADERS} ${ROPEWALK_PUBLIC_HEADERS_APART})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT library)
endforeach()
install(EXPORT ropewalk-targets NAMESPACE ropewalk:: DESTINATION ${ROPEWALK_CONFIG_DIR} COMPONENT library)

if(TARGET ropewalk_c)
  include(${CMAKE_CURRENT_LIST_DIR}/install_c.cmake)
endif()

configure_package_config_file(cmake/ropewalkConfig.cmake.in ${PROJECT_BINARY_DIR}/package/ropewalkConfig.cmake
                              INSTALL_DESTINATION ${ROPEWALK_CONFIG_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/ropewalkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
foreach(component library c)
  install(FILES ${PROJECT_BINARY_DIR}/package/ropewalkConfig.cmake ${PROJECT_BINARY_DIR}/package/ropewalkConfigVersion.cmake
                ${CMAKE_CURRENT_LIST_DIR}/FindSerialOpenBLAS.cmake
          DESTINATION ${ROPEWALK_CONFIG_DIR} COMPONENT ${component})
endforeach()

file(RELATIVE_PATH ROPEWALK_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/ropewalk.pc.in ${PROJECT_BINARY_DIR}/package/ropewalk.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/ropewalk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

foreach(component library c command)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
endforeach()
if(TARGET ropewalk_cli)
  install(TARGETS ropewalk_cli COMPONENT command)
endif()
