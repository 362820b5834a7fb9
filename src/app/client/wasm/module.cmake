# The module tacit_client.wasm.
add_subdirectory(${PROJECT_SOURCE_DIR}/cmake/wasm ${PROJECT_BINARY_DIR}/cxx)

# The planes of the bit-sliced cipher are vectors. All engines that have exceptions in WebAssembly have vectors.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/base/cipher/sliced_aes.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "-msimd128;-O2")
# Speed where keys and ciphertexts are made; size elsewhere, because a browser loads the module.
set(kernels base/random.cpp ring/limb.cpp ring/negacyclic_fft.cpp ring/ntt.cpp ring/sampler.cpp ring/simd/portable.cpp
  ring/simd/portable_fft.cpp ring/torus_products.cpp ring/two_pass_tables.cpp ring/uniform_row.cpp
  scheme/tfhe/bootstrap_key.cpp scheme/tfhe/glwe_rows.cpp scheme/tfhe/key_switch_key.cpp)
list(TRANSFORM kernels PREPEND ${PROJECT_SOURCE_DIR}/src/)
set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -O2)
add_executable(tacit_client_wasm ${sources})
tacit_client_options(tacit_client_wasm)
target_include_directories(tacit_client_wasm SYSTEM PRIVATE ${header_folder})
target_compile_options(tacit_client_wasm PRIVATE -Os -ffile-prefix-map=${header_folder}=headers)
target_link_libraries(tacit_client_wasm PRIVATE tacit_wasm_cxx)
# A reactor has no main: the host calls _initialize once, and then the exported functions.
target_link_options(tacit_client_wasm PRIVATE -mexec-model=reactor -nostdlib++ -Wl,--gc-sections -Wl,--strip-all
  -Wl,-z,stack-size=1048576 -Wl,--initial-memory=8388608 -Wl,--fatal-warnings)
set_target_properties(tacit_client_wasm PROPERTIES OUTPUT_NAME tacit_client SUFFIX .wasm
  POSITION_INDEPENDENT_CODE OFF)
