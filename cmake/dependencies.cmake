# Every library is found here, with the oldest version that is tested. script/bootstrap installs them.
# A project that holds this one may have made a target of the same name by itself, which then serves; and whatever links
# ropewalk there must see those found here.
if(NOT PROJECT_IS_TOP_LEVEL)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
endif()
if(NOT TARGET hwy::hwy)
  find_package(hwy 1.0.3 QUIET)
  if(NOT hwy_FOUND)
    message(FATAL_ERROR "Highway 1.0.3 or newer is needed (found: ${hwy_CONSIDERED_VERSIONS}). Debian 12 and Ubuntu 24.04 have it "
                        "as libhwy-dev; that of Ubuntu 22.04 is too old: install one from https://github.com/google/highway")
  endif()
endif()
if(NOT TARGET fmt::fmt)
  find_package(fmt 9 REQUIRED)
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  find_package(nlohmann_json 3.9 REQUIRED)
endif()
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/FindSerialOpenBLAS.cmake)
if(NOT ROPEWALK_BLAS_LIBDIR MATCHES "serial")
  message(STATUS "No serial OpenBLAS (Debian: libopenblas-serial-dev): one with threads of its own serves, which starts them "
                 "with every program and cannot end it where memory runs out (docs/decisions/0008-threads.md)")
endif()

# Of the command alone.
if(ROPEWALK_CLI)
  find_package(CLI11 2.1 QUIET)
endif()
if(ROPEWALK_CLI AND ROPEWALK_PLOTS)
  pkg_check_modules(CAIRO IMPORTED_TARGET cairo>=1.16)
  if(NOT CAIRO_FOUND)
    message(STATUS "cairo not found: pictures (--plot, the figures of demo) are switched off")
    set(ROPEWALK_PLOTS OFF)
  endif()
endif()
