# Compiles the shared library of the client's half with the compiler of the PyPI package `ziglang`, for machines with
# TACIT_CLIENT_TARGET, such as x86_64-linux-gnu.2.28. tools/build_client_wheel.sh makes the four commands of the compiler in TACIT_ZIG.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TACIT_ZIG TACIT_CLIENT_TARGET)
foreach(tool cc c++ ar ranlib)
  if(NOT EXISTS ${TACIT_ZIG}/${tool})
    message(FATAL_ERROR "TACIT_ZIG=${TACIT_ZIG}: there is no ${tool}; build with tools/build_client_wheel.sh")
  endif()
endforeach()
set(CMAKE_C_COMPILER ${TACIT_ZIG}/cc)
set(CMAKE_CXX_COMPILER ${TACIT_ZIG}/c++)
set(CMAKE_AR ${TACIT_ZIG}/ar)
set(CMAKE_RANLIB ${TACIT_ZIG}/ranlib)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Equal bytes from every folder: no debugging information, and no path of this machine.
set(CMAKE_CXX_FLAGS_INIT "-target ${TACIT_CLIENT_TARGET} -g0 -fno-ident -ffile-prefix-map=${CMAKE_SOURCE_DIR}=tacit")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-target ${TACIT_CLIENT_TARGET}")
