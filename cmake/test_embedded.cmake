# Configures a project that takes SOURCE in with FetchContent, and builds its program with the library of BUILD in the place of
# the one that it would compile.
set(consumer ${BUILD}/examples/embedded)
file(REMOVE_RECURSE ${consumer})
if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/cmake/consumers/embedded -B ${consumer} -G ${GENERATOR} -DROPEWALK_SOURCE=${SOURCE}
                        -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} ${flags}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${consumer} --prefix ${consumer}/prefix COMMAND_ERROR_IS_FATAL ANY)
if(EXISTS ${consumer}/prefix)
  message(FATAL_ERROR "expected nothing to install, found ${consumer}/prefix")
endif()
if(NOT GENERATOR STREQUAL "Ninja")
  return()
endif()

# The commands by which Ninja would compile and link the program, without those of the library.
file(COPY ${LIBRARY} DESTINATION ${consumer}/_deps/ropewalk-build/lib)
execute_process(COMMAND ninja -C ${consumer} -t commands -s rotate OUTPUT_VARIABLE link COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ninja -C ${consumer} -t commands rotate OUTPUT_VARIABLE all COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[^\n]*/rotate[.]cc[.]o -c [^\n]*" compile "${all}")
foreach(command compile link)
  string(REGEX REPLACE "^ninja: [^\n]*\n" "" ${command} "${${command}}")
  execute_process(COMMAND sh -c "${${command}}" WORKING_DIRECTORY ${consumer} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(PROGRAM ${consumer}/rotate)
set(EXPECTED ${SOURCE}/examples/rotate.out)
include(${CMAKE_CURRENT_LIST_DIR}/expect_output.cmake)
