# Release builds are hardened: checked copies and indices, guarded stacks, addresses that nobody can guess, tables of
# functions that nobody can write to. Debug builds have their own checks, and builds with a sanitizer have the
# sanitizer's, which these would hide errors from.
include(CheckCXXSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

set(TACIT_HARDENED OFF)
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(TACIT_HARDENED ON)
  # Where level 3 is not supported the C library warns and takes it for 2.
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_cxx_source_compiles("#include <cstring>\nint main() { return 0; }" TACIT_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  set(fortify_level 2)
  if(TACIT_FORTIFY_3)
    set(fortify_level 3)
  endif()
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${fortify_level} -fstack-protector-strong
                      -D_GLIBCXX_ASSERTIONS)
  add_link_options(LINKER:-z,relro,-z,now)
endif()

# tacit_inner_loops(simd/avx2.cpp): sources of the directory's library that hold inner loops and nothing else. Their
# bounds are their callers' contracts, which debug builds check; a check at every word would cost more than the word.
function(tacit_inner_loops)
  if(TACIT_HARDENED)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -U_GLIBCXX_ASSERTIONS -fno-stack-protector)
  endif()
endfunction()
