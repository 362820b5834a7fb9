#!/usr/bin/env bash
# install_dependencies.sh [demo]: installs the Debian packages that building, testing and demonstrating Tacit need, and
# only those that are missing. With `demo` those of the command and the demonstration alone.
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
of_tests=(
  ccache                                       # a second build
  libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev libboost-dev  # tests and benchmarks
  libopenmpi-dev openmpi-bin                   # ranks on several machines
  ocl-icd-opencl-dev opencl-headers pocl-opencl-icd  # OpenCL, with a device on the processor
  chromium                                     # tests of the report pages
  chromium-driver python3-selenium             # the test that draws a digit
  python3-dev pybind11-dev                     # the Python package
  python3-pytest python3-onnx mypy             # its tests
  python3-venv                                 # environments for its wheel
  python3-nbclient python3-ipykernel           # notebooks
  mkdocs dpkg-dev                              # the documentation as a site; Debian packages
)
[ "${1:-}" = demo ] || packages+=("${of_tests[@]}")

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install: all ${#packages[@]} packages are there"
  exit 0
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
