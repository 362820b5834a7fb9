#!/usr/bin/env python3
"""Checks that the perceptron of perceptron.py is planned with bootstraps, and answers as its plaintext does.

    perceptron_test.py TACIT
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import perceptron
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

LAYERS = 12

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    perceptron.write(folder, LAYERS, 8)
    run = [sys.argv[1], "run", folder / "deep.onnx", "--calibrate", folder / "calibration.npy", "--input",
           folder / "inputs.npy", "--parameters", "S8", "--simulate", "--expect-agreement", "1", "--json"]
    report = json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True).stdout)
assert report["images"] == 10, report["images"]
assert len(report["approximations"]) == LAYERS, report["approximations"]
assert report["bootstraps"] == 10, report["bootstraps"]
assert report["max_abs_error"] < 2e-2, report["max_abs_error"]
