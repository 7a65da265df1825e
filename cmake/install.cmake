# cmake --install: the library, its public headers, the C interface and the command, so that find_package(ropewalk) works;
# --component library, c, mpi or command for one of them, for which the others need not be built.
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

if(TARGET ropewalk_mpi)
  install(TARGETS ropewalk_mpi EXPORT ropewalk-mpi-targets COMPONENT mpi)
  install(EXPORT ropewalk-mpi-targets NAMESPACE ropewalk:: DESTINATION ${ROPEWALK_CONFIG_DIR} COMPONENT mpi)
  install(FILES ${ROPEWALK_MPI_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ropewalk/parallel COMPONENT mpi)
endif()

# In a folder of its own: find_package looks into the parents of what is on PATH, and must not take a build for an installation.
set(package ${PROJECT_BINARY_DIR}/package)
configure_package_config_file(cmake/ropewalkConfig.cmake.in ${package}/ropewalkConfig.cmake
                              INSTALL_DESTINATION ${ROPEWALK_CONFIG_DIR} PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${package}/ropewalkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
foreach(component library c)
  install(FILES ${package}/ropewalkConfig.cmake ${package}/ropewalkConfigVersion.cmake ${CMAKE_CURRENT_LIST_DIR}/FindSerialOpenBLAS.cmake
          DESTINATION ${ROPEWALK_CONFIG_DIR} COMPONENT ${component})
endforeach()

# A static library has its program link what it uses: there is no other, so that it needs no --static of pkg-config.
get_target_property(library_type ropewalk TYPE)
set(blas "-L${ROPEWALK_BLAS_LIBDIR} -Wl,-rpath,${ROPEWALK_BLAS_LIBDIR} -lopenblas")
if(library_type STREQUAL "STATIC_LIBRARY")
  set(ROPEWALK_PC_REQUIRES "nlohmann_json fmt libhwy")
  set(ROPEWALK_PC_LIBS " ${blas} -pthread -lm")
  set(ROPEWALK_PC_PRIVATE_LIBS "-lstdc++")
else()
  set(ROPEWALK_PC_REQUIRES "nlohmann_json")
  set(ROPEWALK_PC_PRIVATE_REQUIRES "fmt libhwy")
  set(ROPEWALK_PC_PRIVATE_LIBS "${blas} -pthread -lstdc++ -lm")
endif()
file(RELATIVE_PATH ROPEWALK_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/ropewalk.pc.in ${package}/ropewalk.pc @ONLY)
install(FILES ${package}/ropewalk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

foreach(component library c command)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
endforeach()
if(TARGET ropewalk_cli)
  install(TARGETS ropewalk_cli COMPONENT command)
endif()
if(ROPEWALK_MANUAL)
  install(FILES ${ROPEWALK_MANUAL}/ropewalk.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(FILES ${ROPEWALK_MANUAL}/ropewalk DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
  install(FILES ${ROPEWALK_MANUAL}/_ropewalk DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
endif()
