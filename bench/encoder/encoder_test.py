#!/usr/bin/env python3
"""Writes a small encoder and has the command plan it.

  encoder_test.py TACIT

Skipped without numpy and onnx.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
try:
    import numpy
    import onnx
except ImportError:
    print("skipped: numpy or onnx is not installed")
    sys.exit(SKIPPED)

SCRIPT = pathlib.Path(__file__).resolve().parent / "encoder.py"
TACIT = sys.argv.pop(1)
SMALL = ("--tokens", "4", "--width", "8", "--heads", "2", "--hidden", "16", "--layers", "1", "--samples", "16")


def written(folder, *options):
    return subprocess.run([sys.executable, SCRIPT, *options, "--output", folder], capture_output=True, text=True, check=False)


class Encoder(unittest.TestCase):
    def test_the_files_are_those_of_the_shape_and_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            for folder in (one, other):
                self.assertEqual(written(folder, *SMALL).returncode, 0)
            model = onnx.load(pathlib.Path(one) / "model.onnx")
            self.assertEqual([node.op_type for node in model.graph.node].count("LayerNormalization"), 2)
            self.assertEqual(numpy.load(pathlib.Path(one) / "train.npy").shape, (16, 4, 8))
            for name in ("model.onnx", "train.npy", "test.npy"):
                self.assertEqual((pathlib.Path(one) / name).read_bytes(), (pathlib.Path(other) / name).read_bytes(), name)

    def test_the_command_plans_it(self):
        with tempfile.TemporaryDirectory() as folder:
            written(folder, *SMALL)
            plan = subprocess.run([TACIT, "plan", f"{folder}/model.onnx", "--calibrate", f"{folder}/train.npy", "--json"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(plan.returncode, 0, plan.stderr)
            self.assertEqual(json.loads(plan.stdout)["scheme"], "ckks")

    def test_heads_that_do_not_divide_the_width_are_refused(self):
        refused = written("unused", "--heads", "3")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--heads 3 do not divide --width 128", refused.stderr)


if __name__ == "__main__":
    unittest.main()
