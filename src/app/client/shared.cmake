# The library libtacit_client.so of the Python package tacit-client, by the compiler of tools/zig_tools.sh. It needs glibc 2.28
# or newer, and no other library.
add_library(tacit_client_shared SHARED ${sources})
tacit_client_options(tacit_client_shared)
target_include_directories(tacit_client_shared SYSTEM PRIVATE ${header_folder})
target_compile_options(tacit_client_shared PRIVATE -O2 -fvisibility=hidden -ffunction-sections -fdata-sections
  -ffile-prefix-map=${header_folder}=headers)
target_link_options(tacit_client_shared PRIVATE -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now -s
  -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/shared.map)
set_target_properties(tacit_client_shared PROPERTIES OUTPUT_NAME tacit_client
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/shared.map)
