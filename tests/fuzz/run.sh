#!/usr/bin/env bash
# run.sh [SECONDS] [TARGET ...]: fuzzes every target (or those named) for so long, ten minutes by default, with address
# and undefined-behaviour sanitizers: by libFuzzer where clang is there, else by the targets' own driver under GCC. What
# libFuzzer finds is left in build/fuzz/findings; put it into corpus/TARGET, which the tests read, together with the fix.
# The driver puts its finds there itself. Each run is added to the table of README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=$PWD
seconds=${1:-600}
[ $# -eq 0 ] || shift

clang=
for name in clang++-{19,18,17,16} clang++; do
  if command -v "$name" >/dev/null; then clang=$name; break; fi
done
if [ -n "$clang" ]; then
  cmake -G Ninja -S . -B build/fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DCMAKE_CXX_COMPILER="$clang" -DTACIT_FUZZ=ON -DTACIT_UNITY=ON \
    --log-level=WARNING >/dev/null
else
  echo "run.sh: no clang; the driver mutates without guidance" >&2
  cmake --preset asan -B build/fuzz --log-level=WARNING >/dev/null
fi
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  mapfile -t targets < <(sed -n 's/^tacit_fuzz(\([a-z_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
fi
cmake --build build/fuzz --target "${targets[@]/%/_fuzz}"

mkdir -p build/fuzz/findings
cd build/fuzz/findings
export here seconds clang

fuzz() {
  local target=$1 past=() status=0
  local program=$here/build/fuzz/bin/${target}_fuzz
  if [ -n "$clang" ]; then
    mkdir -p "../corpus/$target"
    [ ! -d "$here/tests/fuzz/corpus/$target" ] || past=("$here/tests/fuzz/corpus/$target")
    # An input may take 5 s and 1 GiB; sanitizers multiply both.
    "$program" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -max_len=1048576 -print_final_stats=1 \
      -artifact_prefix="$target-" "../corpus/$target" "${past[@]}" >"$target.log" 2>&1 || status=$?
  else
    "$program" --seconds "$seconds" --seed "$(date +%s)" --corpus "$here/tests/fuzz/corpus" >"$target.log" 2>&1 || status=$?
  fi
  flock "$here/tests/fuzz/CMakeLists.txt" python3 "$here/tests/fuzz/update_table.py" "$target" \
    "$([ -n "$clang" ] && echo libfuzzer || echo driver)" "$seconds" "$([ "$status" -eq 0 ] && echo nothing || echo found)"
  echo "run.sh: $target: $([ "$status" -eq 0 ] && echo "nothing found" || echo "FOUND SOMETHING, see $target.log")"
  grep -a -E "number_of_executed_units|peak_rss_mb|slowest_unit" "$target.log" || true
  return "$status"
}
export -f fuzz

echo "run.sh: ${#targets[@]} targets, $seconds s each, $(nproc) at a time"
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}' ||
  { echo "run.sh: findings in build/fuzz/findings" >&2; exit 1; }
