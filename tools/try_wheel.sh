#!/usr/bin/env bash
# try_wheel.sh [PYTHON]: builds a wheel from the checkout as pip does it, in an environment of its own, installs it into
# another empty one, and runs the examples of README.md and docs/start/first-answer.md there. Takes ten minutes the first
# time, and the network for pip. With auditwheel (pip install auditwheel) it also says which libraries the wheel expects of a system.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${1:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The compiler by the name that other builds call it by, whose objects ccache keeps.
export CXX=${CXX:-c++}
! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

"$python" -m venv "$work/builder"
"$work/builder/bin/pip" wheel --quiet --no-deps --wheel-dir "$work/wheel" .
wheel=$(echo "$work"/wheel/tacit-*.whl)
echo "wheel: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
! command -v auditwheel >/dev/null || auditwheel show "$wheel"

"$python" -m venv "$work/user"
"$work/user/bin/pip" install --quiet "$wheel[sklearn]"
# The examples of two pages, in a folder that has nothing of the checkout but the model and two pictures.
mkdir "$work/tried"
ln -s "$PWD/examples" "$work/tried/examples"
examples/fashion/convert.py --count 2 --out "$work/tried/images" >/dev/null
"$work/user/bin/python" - "$PWD" >"$work/tried/example.py" <<'PROGRAM'
import pathlib, sys
checkout = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(checkout / "tools"))
from run_documentation import marked_blocks
for page in ("README.md", "docs/start/first-answer.md"):
    print("\n".join(content for language, content in marked_blocks((checkout / page).read_text()) if language == "python"))
PROGRAM
(cd "$work/tried" && "$work/user/bin/python" -I example.py)
"$work/user/bin/python" -I -c 'import sys, numpy, tacit
print("wheel: tacit", tacit.__version__, "with Python", sys.version.split()[0], "and NumPy", numpy.__version__)'
