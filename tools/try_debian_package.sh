#!/usr/bin/env bash
# try_debian_package.sh [BUILD]: makes the Debian packages of a build folder (default: build/release), and installs them
# with apt into a bare Debian 12 that has nothing else. The command alone evaluates a model there; then the library and
# its headers build examples/consumer. Needs what tools/bare_debian.sh needs. Where lintian is there, it has its say.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/packages"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/made" >"$work/log" || { cat "$work/log" >&2; exit 1; }
mv "$work"/made/*.deb "$work/packages/"
for package in "$work"/packages/*.deb; do
  echo "package: $(basename "$package"), $(stat -c %s "$package") bytes, needs: $(dpkg-deb -f "$package" Depends)"
done
! command -v lintian >/dev/null || lintian --allow-root --fail-on error "$work"/packages/*.deb

install='DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends'
tools/bare_debian.sh --copy "$work/packages" \
  --command "apt-get -q update && $install ../packages/tacit_*.deb && cd / && tacit --version" \
  --command 'tacit run examples/trees/boosted.onnx --scheme tfhe --bits 4 --calibrate examples/trees/train.npy \
    --input examples/trees/test.npy --labels examples/trees/labels.npy --count 3 --expect-agreement 1' \
  --command "$install ../packages/libtacit*.deb cmake g++ make && cmake -S examples/consumer -B /tmp/consumer &&
    cmake --build /tmp/consumer && /tmp/consumer/consumer"
