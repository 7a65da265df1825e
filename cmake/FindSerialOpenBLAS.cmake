# PkgConfig::ROPEWALK_BLAS: the serial OpenBLAS where Debian and Ubuntu have it beside others, else whatever openblas is.
# Used by the build and by find_package(ropewalk).
find_package(PkgConfig REQUIRED QUIET)
set(ropewalk_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
set(ENV{PKG_CONFIG_PATH} "${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial/pkgconfig:${ropewalk_pkg_config_path}")
pkg_check_modules(ROPEWALK_BLAS REQUIRED QUIET IMPORTED_TARGET GLOBAL openblas)
set(ENV{PKG_CONFIG_PATH} "${ropewalk_pkg_config_path}")
