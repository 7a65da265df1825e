# Writes OUTPUT, a C++ file with the commit of SOURCE: cmake -DSOURCE=... -DOUTPUT=... -P commit.cmake
# Empty where SOURCE is not the top of a git checkout (a tarball, also one unpacked inside another checkout) or git is not there.
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
                  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} source)
  if(top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
# Written only where it differs.
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#include \"cli/version.h\"

const std::string_view ropewalk::cli::kCommit = \"@commit@\";
")
