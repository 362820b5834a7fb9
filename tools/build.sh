#!/usr/bin/env bash
# build.sh PRESET [TARGET [CMAKE_OPTION ...]]: configures and builds, with no more compilers at once than the memory holds (2 GiB each).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1 target=${2:-all}
[ $# -lt 2 ] && shift || shift 2
jobs=$(nproc)
fitting=$(awk '/^MemAvailable/ {n = int($2 / 2097152); print n < 1 ? 1 : n}' /proc/meminfo)
[ "$jobs" -le "$fitting" ] || jobs=$fitting
cmake --preset "$preset" "$@" --log-level=WARNING >/dev/null  # what goes wrong is on standard error
cmake --build --preset "$preset" --target "$target" --parallel "$jobs"
