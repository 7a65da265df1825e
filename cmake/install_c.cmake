# The C interface: libropewalk_c, include/ropewalk.h and the headers that it includes, ropewalk_c.pc.
install(TARGETS ropewalk_c EXPORT ropewalk-c-targets COMPONENT c)
install(EXPORT ropewalk-c-targets NAMESPACE ropewalk:: DESTINATION ${ROPEWALK_CONFIG_DIR} COMPONENT c)

install(FILES ropewalk/capi/ropewalk.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT c)
foreach(header ${ROPEWALK_C_HEADERS})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT c)
endforeach()

file(RELATIVE_PATH ROPEWALK_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/ropewalk_c.pc.in ${PROJECT_BINARY_DIR}/package/ropewalk_c.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/ropewalk_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT c)
