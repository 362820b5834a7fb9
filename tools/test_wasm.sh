#!/usr/bin/env bash
# test_wasm.sh TEST BIN: runs javascript/tacit-client/test/TEST.test.mjs with Node, on the module that tools/build_wasm.sh
# built and the programs in BIN. Without Node or the module it says so and ends with 77, which ctest counts as skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
test=$1 bin=$2
shift 2
wasm=build/wasm/bin/tacit_client.wasm
skip() { echo "test_wasm: SKIPPED, $1" >&2; exit 77; }
node=$(command -v node || command -v nodejs) || skip "there is no node: sudo apt install nodejs"
[ -f "$wasm" ] || skip "there is no $wasm: run tools/build_wasm.sh"
exec "$node" "javascript/tacit-client/test/$test.test.mjs" --bin "$bin" --wasm "$wasm" --examples examples "$@"
