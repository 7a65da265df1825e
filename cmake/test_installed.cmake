# Installs the library of BUILD alone into a fresh folder, builds EXAMPLES against what was installed, and runs each; then
# tries the components, pkg-config, and what must not be found.
set(prefix ${BUILD}/examples/prefix)
set(consumer ${BUILD}/examples/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer} ${consumer}-components ${consumer}-build-folder)

if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component library OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
foreach(file share/doc/ropewalk/LICENSE include/ropewalk/base/version.h)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "expected ${file} among what is installed, found ${installed}")
  endif()
endforeach()
foreach(file IN LISTS installed)
  if(file MATCHES "^(bin|share/man)/|_test|-inl[.]h|[.](cc|inc)$")
    message(FATAL_ERROR "expected the library and its public headers alone, found ${file}")
  endif()
endforeach()

# The folder of the build is on PATH, as that of a command which was not installed, and before the other prefix: neither counts.
set(ENV{PATH} "${BUILD}:$ENV{PATH}")
set(compilers -G ${GENERATOR} -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} ${flags})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${EXAMPLES} -B ${consumer} "-DCMAKE_PREFIX_PATH=${BUILD};${prefix}" ${compilers}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${consumer} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB outputs ${EXAMPLES}/*.out)
foreach(EXPECTED ${outputs})
  cmake_path(GET EXPECTED STEM example)
  set(PROGRAM ${consumer}/${example})
  include(${CMAKE_CURRENT_LIST_DIR}/expect_output.cmake)
endforeach()

function(try_components command)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumers/components -B ${consumer}-components
                          -DCMAKE_PREFIX_PATH=${prefix} -DEXPECTED_PREFIX=${prefix} -DWITH_COMMAND=${command} ${compilers}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
try_components(OFF)

# Given by name, the build says why it does not serve.
file(WRITE ${consumer}-build-folder/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(build_folder LANGUAGES NONE)
find_package(ropewalk REQUIRED)
")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${consumer}-build-folder -B ${consumer}-build-folder/build -Dropewalk_DIR=${BUILD}/package
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE message)
if(result EQUAL 0 OR NOT message MATCHES "belongs to a[ \n]+build[ \n]+of[ \n]+ropewalk")
  message(FATAL_ERROR "expected an error about a folder of a build, found ${result} ${message}")
endif()

# With pkg-config and the compiler alone.
file(GLOB_RECURSE pc ${prefix}/*/ropewalk.pc)
cmake_path(GET pc PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${folder})
find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ropewalk OUTPUT_VARIABLE flags_of_pc OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags_of_pc UNIX_COMMAND "${flags_of_pc}")
if(SANITIZE)
  list(PREPEND flags_of_pc -fsanitize=${SANITIZE})
endif()
set(PROGRAM ${prefix}/rotate)
execute_process(COMMAND ${CXX} -std=c++20 -o ${PROGRAM} ${EXAMPLES}/rotate.cc ${flags_of_pc} -Wl,-rpath,${prefix}/lib
                COMMAND_ERROR_IS_FATAL ANY)
set(EXPECTED ${EXAMPLES}/rotate.out)
include(${CMAKE_CURRENT_LIST_DIR}/expect_output.cmake)

if(WITH_COMMAND)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component command OUTPUT_QUIET
                  COMMAND_ERROR_IS_FATAL ANY)
  foreach(file bin/ropewalk share/man/man1/ropewalk.1 share/bash-completion/completions/ropewalk share/zsh/site-functions/_ropewalk)
    if(NOT EXISTS ${prefix}/${file})
      message(FATAL_ERROR "expected ${file} of component command, found none")
    endif()
  endforeach()
  try_components(ON)
endif()
