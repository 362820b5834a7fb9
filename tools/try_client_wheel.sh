#!/usr/bin/env bash
# try_client_wheel.sh BIN [PYTHON ...]: installs the wheel of build/client in an empty environment, and runs
# python/client/tests/round_test.py there, against the command in BIN. Without PYTHON it takes the system's Python and its NumPy, and
# needs no network. For each PYTHON it installs NumPy by pip. Without the wheel it says so and ends with 77, which ctest counts as skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$(realpath "$1")
shift
wheel=$(echo build/client/tacit_client-*.whl)
[ -f "$wheel" ] || { echo "try_client_wheel: SKIPPED, there is no wheel in build/client: run tools/build_client_wheel.sh" >&2; exit 77; }
[ "$(stat -c %s "$wheel")" -le 4000000 ] || { echo "try_client_wheel: $wheel has more than 4,000,000 bytes" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
pythons=("$@")
[ $# -gt 0 ] || pythons=(/usr/bin/python3)
for python in "${pythons[@]}"; do
  rm -rf "$work/user"
  if [ $# -gt 0 ]; then
    "$python" -m venv "$work/user"
    "$work/user/bin/pip" install --quiet --only-binary :all: numpy
  else
    "$python" -m venv --system-site-packages "$work/user"
  fi
  "$work/user/bin/pip" install --quiet --no-index --no-deps "$wheel"
  "$work/user/bin/python" -I python/client/tests/round_test.py "$bin/tacit" examples
done
echo "try_client_wheel: $(basename "$wheel"), $(stat -c %s "$wheel") bytes, ${#pythons[@]} versions of Python"
