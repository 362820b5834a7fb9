#!/usr/bin/env bash
# try_wheel.sh [PYTHON]: builds a wheel from the checkout as pip does it, in an environment of its own, installs it into
# another empty one, and evaluates a model there. Takes ten minutes the first time, and the network for pip. With
# auditwheel (pip install auditwheel) it also says which libraries the wheel expects of a system.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${1:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

"$python" -m venv "$work/builder"
"$work/builder/bin/pip" wheel --quiet --no-deps --wheel-dir "$work/wheel" .
wheel=$(echo "$work"/wheel/tacit-*.whl)
echo "wheel: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
! command -v auditwheel >/dev/null || auditwheel show "$wheel"

"$python" -m venv "$work/user"
"$work/user/bin/pip" install --quiet "$wheel"
"$work/user/bin/python" -I - "$PWD/examples/fashion/model.onnx" <<'PROGRAM'
import sys
import numpy, tacit
model = tacit.compile(sys.argv[1], input_range=(-1, 1))
scores = model.run(numpy.sin(0.05 * numpy.arange(784)).reshape(1, 1, 28, 28))
assert scores.shape == (1, 10) and scores.argmax() == 8, scores
print("wheel: tacit", tacit.__version__, "with NumPy", numpy.__version__, "answers", scores.round(3))
PROGRAM
