find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
include(GoogleTest)

# One test program per folder of the library, from its *_test.cc files; none where there are none yet.
function(ropewalk_test_folder folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_test ${sources})
  target_link_libraries(${folder}_test PRIVATE ropewalk fmt::fmt hwy::hwy GTest::gtest GTest::gmock GTest::gtest_main rapidcheck PkgConfig::MPFR)
  target_compile_definitions(${folder}_test PRIVATE ROPEWALK_TESTDATA="${PROJECT_SOURCE_DIR}/testdata")
  # A test compiles a fifth faster so; the library that it calls is as optimized as ever.
  target_compile_options(${folder}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  gtest_discover_tests(${folder}_test TEST_PREFIX ${folder}. DISCOVERY_TIMEOUT 120)
endfunction()
