# cmake -DSOURCE=... -DOUT=... -P write_commit.cmake: writes the commit of SOURCE as a header, if it changed.
set(commit unknown)
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --abbrev=12 --exclude=* --dirty=+ WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#pragma once\n\n#define TACIT_COMMIT \"${commit}\"\n")
