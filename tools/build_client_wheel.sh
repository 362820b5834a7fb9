#!/usr/bin/env bash
# build_client_wheel.sh [FOLDER]: builds the wheel of the Python package tacit-client in FOLDER (default: build/client). The wheel
# holds the client's half as a shared library and Python modules over it, and serves every Python from 3.9 on. The compiler is that
# of tools/zig_tools.sh. No path of this machine is in the library.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/zig_tools.sh
folder=$(realpath -m "${1:-build/client}")
zig_tools "$folder"
cmake -G Ninja -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DTACIT_CLIENT_ONLY=ON -DTACIT_CLIENT_SHARED=ON --log-level=WARNING \
  -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/client/toolchain.cmake" -DTACIT_ZIG="$folder/zig" \
  -DTACIT_CLIENT_TARGET=x86_64-linux-gnu.2.28 >/dev/null
cmake --build "$folder" --target tacit_client_shared
rm -f "$folder"/tacit_client-*.whl
python3 tools/client_wheel.py "$folder/lib/libtacit_client.so" manylinux_2_28_x86_64 "$folder"
