#!/usr/bin/env python3
"""Runs the shell blocks of a page that follow a line `<!-- tested -->`, so that documentation cannot drift.

    tools/run_documentation.py PAGE --bin build/release/bin

All marked blocks of the page run in order in one shell that stops at the first failing command, in a scratch folder
where `examples/` is this checkout's and the commands of the build are on the path.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

MARK = "<!-- tested -->"


def marked_blocks(text):
    """The contents of the ```sh blocks that follow a mark. Throws ValueError for a mark without one."""
    lines = text.splitlines()
    blocks = []
    for number, line in enumerate(lines):
        if line.strip() != MARK:
            continue
        if number + 1 == len(lines) or lines[number + 1].strip() != "```sh":
            raise ValueError(f"line {number + 1}: no ```sh block follows the mark")
        try:
            end = next(i for i in range(number + 2, len(lines)) if lines[i].strip() == "```")
        except StopIteration:
            raise ValueError(f"line {number + 2}: the block never ends") from None
        blocks.append("\n".join(lines[number + 2:end]))
    return blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the built commands")
    arguments = parser.parse_args()
    blocks = marked_blocks(arguments.page.read_text(encoding="utf-8"))
    if not blocks:
        sys.exit(f"{arguments.page}: no block is marked with {MARK}")
    root = pathlib.Path(__file__).resolve().parent.parent
    environment = dict(os.environ, PATH=f"{arguments.bin.resolve()}:{os.environ['PATH']}")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        environment["XDG_CACHE_HOME"] = cache
        os.symlink(root / "examples", pathlib.Path(folder) / "examples")
        result = subprocess.run(["bash", "-euxo", "pipefail", "-c", "\n".join(blocks)], cwd=folder, env=environment,
                                stdin=subprocess.DEVNULL, check=False)
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
