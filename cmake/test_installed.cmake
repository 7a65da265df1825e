# Installs the library of BUILD alone into a fresh folder, builds EXAMPLES against what was installed, and runs each.
set(prefix ${BUILD}/examples/prefix)
set(consumer ${BUILD}/examples/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer})

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
if(EXISTS ${prefix}/bin)
  message(FATAL_ERROR "expected the library alone, found ${installed}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -S ${EXAMPLES} -B ${consumer} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
                        -DCMAKE_C_COMPILER=${C} -DCMAKE_CXX_COMPILER=${CXX} ${flags} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${consumer} COMMAND_ERROR_IS_FATAL ANY)

file(GLOB outputs ${EXAMPLES}/*.out)
foreach(EXPECTED ${outputs})
  cmake_path(GET EXPECTED STEM example)
  set(PROGRAM ${consumer}/${example})
  include(${CMAKE_CURRENT_LIST_DIR}/expect_output.cmake)
endforeach()
