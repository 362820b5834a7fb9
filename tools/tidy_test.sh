#!/usr/bin/env bash
# tidy_test.sh BUILD_FOLDER: tools/tidy finds a planted fault, and nothing in the same code without it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
planted() {
  printf '#include <string>\n#include <utility>\nstd::string both(std::string a) {\n  std::string b = std::move(a);\n  return b + %s;\n}\n' \
    "$1" >"$folder/planted.cpp"
}
fail() { cat "$folder/said"; echo "tidy_test: $1" >&2; exit 1; }

status=0
planted b
"$here/tidy" --build "$1" "$folder/planted.cpp" >"$folder/said" 2>&1 || status=$?
[ $status -ne 77 ] || { cat "$folder/said"; exit 77; }
[ $status -eq 0 ] || fail "right code was refused with $status"
planted a
"$here/tidy" --build "$1" "$folder/planted.cpp" >"$folder/said" 2>&1 || status=$?
[ $status -eq 1 ] || fail "a string that is used after a move: exit status $status"
grep -q bugprone-use-after-move "$folder/said" || fail "the fault has no name"
