#!/usr/bin/env python3
"""Executes a notebook from its first cell to its last, and fails where a cell does.

    tools/run_notebook.py NOTEBOOK --bin build/release/bin --package build/release/python

The kernel is this interpreter's. It runs in a scratch folder, finds the command of the build on its path and `import tacit`
in the build. A notebook lists under `tacit: needs` of its metadata the modules that it imports besides; where one of
them, nbclient or ipykernel is not installed, this ends with 77 and says so. Notebooks are kept without outputs: one that has
some is refused.
"""
import argparse
import importlib.util
import os
import pathlib
import json
import sys
import tempfile
import time

SKIPPED = 77
CELL_SECONDS = 120
RUNNERS = ("nbclient", "nbformat", "ipykernel")


def absent(modules):
    return [name for name in modules if importlib.util.find_spec(name) is None]


def cells_with_outputs(content):
    """Numbers of cells that were run and not cleared, from 1."""
    return [number for number, cell in enumerate(content["cells"], 1)
            if cell.get("outputs") or cell.get("execution_count") is not None]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebook", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the built commands")
    parser.add_argument("--package", type=pathlib.Path, required=True, help="folder of the built Python package")
    arguments = parser.parse_args()
    content = json.loads(arguments.notebook.read_text(encoding="utf-8"))
    kept = cells_with_outputs(content)
    if kept:
        sys.exit(f"{arguments.notebook}: cells {kept} have outputs; clear them before the notebook is kept")
    missing = absent([*RUNNERS, *content["metadata"]["tacit"]["needs"]])
    if missing:
        print(f"skipped: {arguments.notebook.name} was not run, for {sys.executable} has no {', '.join(missing)}")
        sys.exit(SKIPPED)

    import nbclient
    import nbformat

    os.environ["PATH"] = f"{arguments.bin.resolve()}:{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = str(arguments.package.resolve())
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = os.environ["IPYTHONDIR"] = os.environ["XDG_CACHE_HOME"] = folder
        notebook = nbformat.read(arguments.notebook, as_version=4)
        client = nbclient.NotebookClient(notebook, timeout=CELL_SECONDS, kernel_name="python3",
                                         resources={"metadata": {"path": folder}})
        try:
            client.execute()
        except nbclient.exceptions.CellExecutionError as error:
            sys.exit(f"{arguments.notebook}: {error}")
    print(f"{arguments.notebook.name}: {sum(c.cell_type == 'code' for c in notebook.cells)} cells in "
          f"{time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
