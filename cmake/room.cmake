# A room: one folder of src/, one library, one namespace. Unit tests (*_test.cpp) sit beside the sources.

# Warnings are errors in everything that is ours.
function(tacit_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
endfunction()

# Compiles the files of a folder together, at most this many at once: parsing the same headers for each file takes most
# of a build. Names in the anonymous namespaces of a folder are unique for that reason.
set(TACIT_FILES_OF_UNIT 24)
function(tacit_compile_together target)
  set(folder "")
  set(unit 0)
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH of_source)
    if(NOT of_source STREQUAL folder OR files EQUAL TACIT_FILES_OF_UNIT)
      set(folder ${of_source})
      set(files 0)
      math(EXPR unit "${unit} + 1")
    endif()
    math(EXPR files "${files} + 1")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # There a type of an anonymous namespace seems to be of a header, and GCC 12 takes members of an optional for read before
  # they are set. The preset `dev` has both warnings.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-maybe-uninitialized)
endfunction()

# A program of tests, of these sources: compiled together, and at level 1, for it takes longer to compile than to run.
function(tacit_test_program target)
  add_executable(${target} ${ARGN})
  tacit_warnings(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(TACIT_UNITY)
    tacit_compile_together(${target} ${ARGN})
  endif()
  target_link_libraries(${target} PRIVATE GTest::gtest_main GTest::gmock)
endfunction()

# tacit_room(ring HOT DEPENDS base LINK OpenSSL::Crypto). HOT: evaluation spends its time here, so that the compiler may take
# longer. COLD: calls of other rooms alone take time here, and the room is optimised at level 1. Other rooms are at level 2.
function(tacit_room name)
  cmake_parse_arguments(ROOM "HOT;COLD" "" "DEPENDS;LINK;LINK_PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  # A folder of the room that has a list of its own is a library of its own.
  file(GLOB_RECURSE nested CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt)
  foreach(list_file ${nested})
    get_filename_component(folder ${list_file} DIRECTORY)
    if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
      list(FILTER sources EXCLUDE REGEX "^${folder}/")
    endif()
  endforeach()
  # Files in folders `plain` take the place of others in the client's half alone.
  list(FILTER sources EXCLUDE REGEX "/plain/[^/]*$")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    add_library(tacit_${name} INTERFACE)
    return()
  endif()
  add_library(tacit_${name} STATIC ${sources})
  target_include_directories(tacit_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  tacit_warnings(tacit_${name})
  if(ROOM_COLD)
    target_compile_options(tacit_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  elseif(NOT ROOM_HOT)
    target_compile_options(tacit_${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  if(TACIT_UNITY)
    tacit_compile_together(tacit_${name} ${sources})
  endif()
  target_link_libraries(tacit_${name} PRIVATE ${ROOM_LINK_PRIVATE} PUBLIC ${ROOM_LINK})
  foreach(dependency ${ROOM_DEPENDS})
    target_link_libraries(tacit_${name} PUBLIC tacit_${dependency})
  endforeach()
  if(TACIT_TESTS AND tests)
    tacit_test_program(tacit_${name}_test ${tests})
    target_link_libraries(tacit_${name}_test PRIVATE tacit_${name})
    gtest_discover_tests(tacit_${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit)
    add_dependencies(unit_tests tacit_${name}_test)
  endif()
endfunction()

# tacit_hot_sources(passes/calibrate.cpp): sources of the directory's library in which planning spends its time, of a room at
# level 2. Level 3 keeps sums in registers and unrolls loops: a convolution of samples takes half as long.
function(tacit_hot_sources)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
endfunction()
