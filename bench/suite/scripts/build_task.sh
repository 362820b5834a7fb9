#!/usr/bin/env bash
# build_task.sh FOLDER: builds the submission in FOLDER. The harness calls it.
set -euo pipefail
cmake -S "$1" -B "$1/build"
cmake --build "$1/build" --parallel "$(nproc)"
