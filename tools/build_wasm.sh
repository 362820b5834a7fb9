#!/usr/bin/env bash
# build_wasm.sh [FOLDER [TARGET ...]]: builds the client's half as a WebAssembly module, FOLDER/bin/tacit_client.wasm (default:
# build/wasm), and the npm package around it, FOLDER/package. The compiler is that of tools/zig_tools.sh. No path of this machine
# is in the module.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/zig_tools.sh
folder=$(realpath -m "${1:-build/wasm}")
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(tacit_client_wasm)

zig_tools "$folder"
cmake -G Ninja -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DTACIT_CLIENT_ONLY=ON --log-level=WARNING \
  -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasm/toolchain.cmake" -DTACIT_ZIG="$folder/zig" \
  -DTACIT_ZIG_LIB="$zig_lib" >/dev/null
cmake --build "$folder" --target "${targets[@]}"

# The npm package with the module: `npm pack FOLDER/package`.
module=$folder/bin/tacit_client.wasm
if [ -f "$module" ]; then
  rm -rf "$folder/package"
  mkdir -p "$folder/package"
  cp javascript/tacit-client/*.js javascript/tacit-client/*.ts javascript/tacit-client/*.md javascript/tacit-client/package.json \
    LICENSE "$module" "$folder/package"
  chmod 644 "$folder"/package/*
  sha256sum "$module" | cut -d ' ' -f 1 >"$folder/package/tacit_client.wasm.sha256"
  # The page examples/browser beside the package: any web server of files hosts FOLDER/page.
  rm -rf "$folder/page"
  mkdir -p "$folder/page/tacit-client"
  cp examples/browser/*.html examples/browser/*.js examples/browser/*.css "$folder/page"
  cp "$folder"/package/*.js "$folder"/package/tacit_client.wasm* "$folder/page/tacit-client"
  echo "build_wasm: $module, SHA-256 $(cat "$folder/package/tacit_client.wasm.sha256")"
fi
