#!/usr/bin/env bash
# build.sh PRESET [TARGET ...] [-DOPTION=VALUE ...]: configures and builds, with no more compilers at once than the memory
# holds (2 GiB each).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
targets=() options=()
for word in "${@:2}"; do
  case "$word" in -D*) options+=("$word") ;; *) targets+=("$word") ;; esac
done
[ ${#targets[@]} -gt 0 ] || targets=(all)
jobs=$(nproc)
fitting=$(awk '/^MemAvailable/ {n = int($2 / 2097152); print n < 1 ? 1 : n}' /proc/meminfo)
[ "$jobs" -le "$fitting" ] || jobs=$fitting
cmake --preset "$preset" "${options[@]}" --log-level=WARNING >/dev/null  # what goes wrong is on standard error
cmake --build --preset "$preset" --target "${targets[@]}" --parallel "$jobs"
