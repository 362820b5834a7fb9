"""The table of README.md has a row for every target, and counts; the driver keeps what breaks a promise.

    fuzz_table_test.py COMPILE_FUZZ
"""

import pathlib
import subprocess
import sys
import tempfile

import update_table

TEXT = "| target | a | b | c |\n| `npy` | 10 | 20 | never |\n| `onnx` | 1 | 2 | 2026-11-01 |\n"


def test_runs_are_added_and_a_find_begins_anew():
    added = update_table.updated(TEXT, "npy", "driver", 5, False, "2026-11-29")
    assert "| `npy` | 10 | 25 | 2026-11-29 |" in added and "| `onnx` | 1 | 2 | 2026-11-01 |" in added
    assert "| `npy` | 40 | 20 | d |" in update_table.updated(TEXT, "npy", "libfuzzer", 30, False, "d")
    assert "| `onnx` | 0 | 0 | d, a find |" in update_table.updated(TEXT, "onnx", "driver", 30, True, "d")


def test_a_find_is_kept_beside_past_crashes(program):
    """No seed of this target can be read in no memory."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = pathlib.Path(folder, "corpus")
        corpus.mkdir()
        command = [program, "--memory", "0", "--seed", "5", "--corpus", corpus]
        first = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert first.returncode != 0 and first.stdout == "compile: seed 5\n", first
        kept = corpus / "compile" / "found_5.bin"
        assert kept.stat().st_size > 0 and str(kept) in first.stderr, first
        again = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert again.returncode != 0 and "compile-crash.bin" in again.stderr, again


if __name__ == "__main__":
    sys.argv, program = [sys.argv[0], "--check"], sys.argv[1]
    update_table.main()
    test_runs_are_added_and_a_find_begins_anew()
    test_a_find_is_kept_beside_past_crashes(program)
