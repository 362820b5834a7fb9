#!/usr/bin/env python3
"""Tests what needs no exporter: the command line, the skipping of families, and going on after a refusal."""
import contextlib
import io
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

import export_models


class Planted:
    def __init__(self, name):
        self.name = name

    def export(self):
        if self.name == "refused":
            raise ValueError("no converter")
        return self.name


def planted_modules():
    """A family of two models, and a folder that writes their names."""
    folder = types.ModuleType("model_zoo.folder")
    folder.one_line = lambda error: str(error)
    folder.write = lambda exported, out: None if out.name == exported else "wrong folder"
    table = types.ModuleType("model_zoo.table")
    table.MODELS = [Planted("refused"), Planted("plain")]
    package = types.ModuleType("model_zoo")
    package.folder = folder
    return {"model_zoo": package, "model_zoo.folder": folder, "model_zoo.table": table}


class ExportModels(unittest.TestCase):
    def run_main(self, *arguments):
        """Status, standard output and error of a run with two families, one of which is not installed."""
        out, err = io.StringIO(), io.StringIO()
        families = mock.patch.dict(export_models.FAMILIES, {"planted": ["table"], "missing": ["nowhere"]}, clear=True)
        with mock.patch.dict(sys.modules, planted_modules()), families:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = export_models.main(list(arguments))
        return status, out.getvalue(), err.getvalue()

    def test_lists_what_is_installed_and_says_what_is_not(self):
        status, out, err = self.run_main("--list")
        self.assertEqual((status, out), (0, "planted/refused\nplanted/plain\n"))
        self.assertIn("missing: skipped, ", err)

    def test_goes_on_after_a_refusal(self):
        with tempfile.TemporaryDirectory() as out:
            status, text, _ = self.run_main("--out", str(pathlib.Path(out)))
        self.assertEqual(status, 0)
        self.assertRegex(text, r"planted/refused: no converter .*\nplanted/plain: written .*\n1 of 2 models written\n")

    def test_takes_patterns(self):
        self.assertEqual(self.run_main("--list", "pl*")[1], "planted/plain\n")

    def test_a_name_that_no_model_has_is_an_error(self):
        self.assertEqual(self.run_main("--list", "nobody")[0], 1)

    def test_wants_a_folder(self):
        with self.assertRaises(SystemExit):
            self.run_main()


if __name__ == "__main__":
    unittest.main()
