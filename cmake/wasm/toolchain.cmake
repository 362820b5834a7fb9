# Compiles for WebAssembly with the compiler of the PyPI package `ziglang`. tools/build_wasm.sh makes the four commands
# of the compiler in ${CMAKE_BINARY_DIR}/zig, and sets TACIT_ZIG_LIB to the sources of the C and C++ libraries.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TACIT_ZIG TACIT_ZIG_LIB)
foreach(tool cc c++ ar ranlib)
  if(NOT EXISTS ${TACIT_ZIG}/${tool})
    message(FATAL_ERROR "TACIT_ZIG=${TACIT_ZIG}: there is no ${tool}; build with tools/build_wasm.sh")
  endif()
endforeach()
set(CMAKE_C_COMPILER ${TACIT_ZIG}/cc)
set(CMAKE_CXX_COMPILER ${TACIT_ZIG}/c++)
set(CMAKE_AR ${TACIT_ZIG}/ar)
set(CMAKE_RANLIB ${TACIT_ZIG}/ranlib)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

# Equal bytes from every folder: no debugging information, and no path of this machine.
set(tacit_wasm_flags "-target wasm32-wasi -mcpu=generic+exception_handling -fwasm-exceptions -g0 \
-fno-ident -ffile-prefix-map=${TACIT_ZIG_LIB}=zig -ffile-prefix-map=${CMAKE_SOURCE_DIR}=tacit")
# The C++ library of `zig c++` has neither exceptions nor mutexes nor files. cmake/wasm/CMakeLists.txt builds its sources
# with them; these are the choices that its headers ask for.
set(tacit_cxx_choices "-nostdinc++ -I${TACIT_ZIG_LIB}/libcxx/include -I${TACIT_ZIG_LIB}/libcxxabi/include \
-D_LIBCPP_ABI_VERSION=1 -D_LIBCPP_ABI_NAMESPACE=__1 -D_LIBCPP_HAS_THREADS=1 -D_LIBCPP_HAS_THREAD_API_PTHREAD=1 \
-D_LIBCPP_HAS_MONOTONIC_CLOCK=1 -D_LIBCPP_HAS_TERMINAL=0 -D_LIBCPP_HAS_MUSL_LIBC=1 -D_LIBCPP_HAS_FILESYSTEM=1 \
-D_LIBCPP_HAS_RANDOM_DEVICE=0 -D_LIBCPP_HAS_LOCALIZATION=1 -D_LIBCPP_HAS_UNICODE=1 -D_LIBCPP_HAS_WIDE_CHARACTERS=1 \
-D_LIBCPP_HAS_TIME_ZONE_DATABASE=0 -D_LIBCPP_HAS_NO_STD_MODULES -D_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 \
-D_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS -D_LIBCPP_PSTL_BACKEND_SERIAL \
-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE \
-D_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_ENFORCE")
set(CMAKE_C_FLAGS_INIT "${tacit_wasm_flags}")
set(CMAKE_CXX_FLAGS_INIT "${tacit_wasm_flags} ${tacit_cxx_choices}")
