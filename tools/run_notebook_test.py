#!/usr/bin/env python3
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from run_notebook import SKIPPED, absent, cells_with_outputs

CLEAN = {"cell_type": "code", "outputs": [], "execution_count": None, "source": []}


class RunNotebook(unittest.TestCase):
    def run_with(self, cells, needs):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "n.ipynb"
            path.write_text(json.dumps({"cells": cells, "metadata": {"tacit": {"needs": needs}}}), encoding="utf-8")
            script = pathlib.Path(__file__).with_name("run_notebook.py")
            return subprocess.run([sys.executable, script, path, "--bin", folder, "--package", folder],
                                  capture_output=True, text=True, check=False)

    def test_outputs_are_not_kept(self):
        run = dict(CLEAN, execution_count=3)
        self.assertEqual(cells_with_outputs({"cells": [CLEAN, {"cell_type": "markdown"}, run]}), [3])
        refused = self.run_with([run], [])
        self.assertEqual(refused.returncode, 1)
        self.assertIn("cells [1] have outputs", refused.stderr)

    def test_what_is_not_installed_is_named_and_skipped(self):
        self.assertEqual(absent(["json", "no_such_module"]), ["no_such_module"])
        skipped = self.run_with([CLEAN], ["no_such_module"])
        self.assertEqual(skipped.returncode, SKIPPED)
        self.assertIn("no_such_module", skipped.stdout)


if __name__ == "__main__":
    unittest.main()
