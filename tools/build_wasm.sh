#!/usr/bin/env bash
# build_wasm.sh [FOLDER [TARGET ...]]: builds the client's half as a WebAssembly module, FOLDER/bin/tacit_client.wasm (default:
# build/wasm), and the npm package around it, FOLDER/package. The compiler is the PyPI package below, in build/zig. Its hash is
# checked, and it is installed if it is missing. No path of this machine is in the module.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly ziglang=0.17.1
readonly hash=ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54
folder=$(realpath -m "${1:-build/wasm}")
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(tacit_client_wasm)

package=$PWD/build/zig/$ziglang
if [ ! -f "$package/complete" ]; then
  rm -rf "$package"
  mkdir -p "$package"
  echo "ziglang==$ziglang --hash=sha256:$hash" >"$package/requirements.txt"
  python3 -m pip install -q --disable-pip-version-check --no-deps --no-compile --only-binary :all: --require-hashes \
    --target "$package" -r "$package/requirements.txt" ||
    { echo "build_wasm: ziglang==$ziglang could not be installed from the package registry; try again with a network" >&2; exit 1; }
  touch "$package/complete"
fi
zig=$package/ziglang/zig

mkdir -p "$folder/zig"
# Zig keeps what it compiled of the C library beside the build.
for tool in cc c++ ar ranlib; do
  printf '#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR=%q ZIG_LOCAL_CACHE_DIR=%q\nexec %q %s "$@"\n' \
    "$folder/zig/cache" "$folder/zig/cache" "$zig" "$tool" >"$folder/zig/$tool"
  chmod +x "$folder/zig/$tool"
done
cmake -G Ninja -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DTACIT_CLIENT_ONLY=ON --log-level=WARNING \
  -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasm/toolchain.cmake" -DTACIT_ZIG="$folder/zig" \
  -DTACIT_ZIG_LIB="$package/ziglang/lib" >/dev/null
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
  echo "build_wasm: $module, SHA-256 $(cat "$folder/package/tacit_client.wasm.sha256")"
fi
