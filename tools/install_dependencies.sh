#!/usr/bin/env bash
# install_dependencies.sh [demo | --tests | --checkers]: installs the Debian packages that Tacit needs, and only those that
# are missing. Without a word: those of the command, the C++ library and the Python package. With `demo` those of the command
# and the demonstration alone. With --tests also those of all tests. With --checkers also what looks at the form of sources:
# clang-format, and clang-tidy, ruff and codespell in build/checkers. Tests of the form are skipped where a checker is missing.
set -euo pipefail

packages=(
  cmake ninja-build g++                        # build
  libtbb-dev libssl-dev                        # threads; secure randomness and hashing
  libcpp-httplib-dev                           # HTTP of the service
  libfmt-dev nlohmann-json3-dev libcli11-dev   # text, JSON, command line
  libjs-chart.js                               # plots of the report pages
  libonnx-dev libprotobuf-dev protobuf-compiler  # ONNX models
  python3 python3-numpy dataset-fashion-mnist  # the images of the demonstration
)
of_python=(
  python3-dev pybind11-dev python3-venv        # the Python package, and an environment for its wheel
)
of_tests=(
  ccache                                       # a second build
  libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev libboost-dev  # tests and benchmarks
  libopenmpi-dev openmpi-bin                   # ranks on several machines
  ocl-icd-opencl-dev opencl-headers pocl-opencl-icd  # OpenCL, with a device on the processor
  chromium                                     # tests of the report pages
  chromium-driver python3-selenium             # the test that draws a digit
  python3-pytest python3-onnx mypy             # tests of the Python package
  python3-nbclient python3-ipykernel           # notebooks
  nodejs                                       # the client as WebAssembly (its compiler: tools/build_wasm.sh)
  mkdocs dpkg-dev                              # the documentation as a site; Debian packages
)

checkers=false
case "${1:-}" in
  demo) ;;
  '') packages+=("${of_python[@]}") ;;
  --tests) packages+=("${of_python[@]}" "${of_tests[@]}") ;;
  --checkers) checkers=true packages+=("${of_python[@]}" "${of_tests[@]}" git clang-format-14) ;;
  *) echo "usage: tools/install_dependencies.sh [demo | --tests | --checkers]" >&2; exit 2 ;;
esac

# The checkers that Debian 12 lacks or has in an older version: from PyPI, into an environment of their own.
install_checkers() {
  local folder wanted
  wanted=$(realpath "$(dirname "${BASH_SOURCE[0]}")/checkers.txt")
  folder=$(dirname "$wanted")/../build/checkers
  if cmp -s "$wanted" "$folder/installed.txt"; then return; fi
  python3 -m venv "$folder" && "$folder/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 20 -r "$wanted" &&
    cp "$wanted" "$folder/installed.txt" || echo "install: clang-tidy, ruff and codespell could not be installed: their tests are skipped" >&2
}
finish() {
  ! $checkers || install_checkers
  exit 0
}

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install: all ${#packages[@]} packages are there"
  finish
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install: needs root for: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" </dev/null; }

echo "install: missing: ${missing[*]}"
for package in "${missing[@]}"; do
  # A package without a candidate version means that the package lists were never fetched.
  if ! apt-cache policy "$package" | grep -q 'Candidate: [^(]'; then
    apt update
    break
  fi
done
# Stale lists name versions that the mirror no longer has: then fetch them and try once more.
apt install --no-install-recommends "${missing[@]}" || { apt update && apt install --no-install-recommends "${missing[@]}"; }
finish
