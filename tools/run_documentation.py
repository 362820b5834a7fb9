#!/usr/bin/env python3
"""Runs the shell and Python blocks of a page that follow a line `<!-- tested -->`, so that documentation cannot drift.

    tools/run_documentation.py PAGE --bin build/release/bin [--python INTERPRETER --package build/release/python]

All marked blocks of the page run in order in one shell that stops at the first failing command, in a scratch folder
where `examples/` is this checkout's and the commands of the build are on the path. A Python block is a program of its
own, for which `import tacit` finds the package of the build; without --package such blocks are left out. A block that
follows a line `<!-- tested with MODULE ... -->` is left out where one of these modules of Python is not installed. Where such
a line stands alone, the whole page needs the modules: it ends with 77, and says so, without them.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MARK = "<!-- tested -->"
NEEDS = re.compile(r"<!-- tested with ([\w. ]+) -->")
NEEDS_OF_PAGE = re.compile(rf"{NEEDS.pattern}$(?!\n```)", re.M)
SKIPPED = 77

END_OF_PROGRAM = "end_of_the_python_block"
LANGUAGES = ("sh", "python")


def marked_blocks(text, absent=lambda names: []):
    """(language, content) of the ```sh and ```python blocks that follow a mark. A block is left out if `absent` returns
    any of the modules that its mark names. Throws ValueError for a mark without a block."""
    lines = text.splitlines()
    blocks = []
    for number, line in enumerate(lines):
        fence = lines[number + 1].strip() if number + 1 < len(lines) else ""
        needs = NEEDS.fullmatch(line.strip()) if fence.startswith("```") else None
        if line.strip() != MARK and not needs:
            continue
        language = fence.removeprefix("```")
        if not fence.startswith("```") or language not in LANGUAGES:
            raise ValueError(f"line {number + 1}: no ```sh or ```python block follows the mark")
        try:
            end = next(i for i in range(number + 2, len(lines)) if lines[i].strip() == "```")
        except StopIteration:
            raise ValueError(f"line {number + 2}: the block never ends") from None
        missing = absent(needs[1].split()) if needs else []
        if missing:
            print(f"left out: the block of line {number + 2}, because there is no {', '.join(missing)}")
        else:
            blocks.append((language, "\n".join(lines[number + 2:end])))
    return blocks


def shell_script(blocks, python):
    """All blocks as one script. `python` runs the Python ones; None leaves them out."""
    parts = []
    for language, content in blocks:
        if language == "sh":
            parts.append(content)
        elif python:
            parts.append(f"{shlex.quote(python)} - <<'{END_OF_PROGRAM}'\n{content}\n{END_OF_PROGRAM}")
        else:
            parts.append("echo 'left out: a Python block, for there is no package'")
    return "\n".join(parts)


def absent_of(names, python):
    """The modules that the interpreter does not have."""
    return [name for name in names
            if subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False).returncode != 0]


def absent_modules(text, python):
    """The modules that the whole page needs and the interpreter does not have."""
    return absent_of([name for names in NEEDS_OF_PAGE.findall(text) for name in names.split()], python)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the built commands")
    parser.add_argument("--python", default=sys.executable, help="interpreter of Python blocks")
    parser.add_argument("--package", type=pathlib.Path, help="folder of the built Python package")
    arguments = parser.parse_args()
    text = arguments.page.read_text(encoding="utf-8")
    if not marked_blocks(text):
        sys.exit(f"{arguments.page}: no block is marked with {MARK}")
    absent = absent_modules(text, arguments.python)
    if absent:
        print(f"skipped: {arguments.page.name} was not run, for {arguments.python} has no {', '.join(absent)}")
        sys.exit(SKIPPED)
    blocks = marked_blocks(text, lambda names: absent_of(names, arguments.python))
    root = pathlib.Path(__file__).resolve().parent.parent
    environment = dict(os.environ, PATH=f"{arguments.bin.resolve()}:{os.environ['PATH']}")
    if arguments.package:
        environment["PYTHONPATH"] = str(arguments.package.resolve())
    script = shell_script(blocks, arguments.python if arguments.package else None)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        environment["XDG_CACHE_HOME"] = cache
        os.symlink(root / "examples", pathlib.Path(folder) / "examples")
        result = subprocess.run(["bash", "-euxo", "pipefail", "-c", script], cwd=folder, env=environment,
                                stdin=subprocess.DEVNULL, check=False)
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
