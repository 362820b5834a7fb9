#!/usr/bin/env python3
"""Checks that the refusals which pages explain are refusals of this repository.

    tools/check_refusals.py PAGE ...

Words in double quotes in a row of a table that quotes a refusal must occur in a text of the sources: in src/, include/, python/ or a
CMake file. A row quotes a refusal if its first cell, or its first cell after a number, begins with a double quote. Prints one line per
finding, `page:line: what is wrong`.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = (".cpp", ".h", ".py")
ROW = re.compile(r"\| (?:\d[\d, ]*\| )?\"")
QUOTED = re.compile(r'"([^"]+)"')
JOINT = re.compile(r'"\s*\n\s*"')  # between two literals that the compiler joins


def texts_of(root):
    """The sources as one text, in which literals of several lines are whole."""
    files = [f for folder in ("src", "include", "python") for f in sorted((root / folder).rglob("*")) if f.suffix in SOURCES]
    files += [f for f in sorted(root.rglob("CMakeLists.txt")) if "build" not in f.relative_to(root).parts]
    return "\n".join(JOINT.sub("", f.read_text(encoding="utf-8")) for f in files if "_test" not in f.name)


def findings(page, texts):
    """(line, words) of every quoted refusal that no source has."""
    for number, line in enumerate(page.splitlines(), 1):
        if ROW.match(line):
            cells = line.split(" | ")
            quoting = cells[1] if cells[0].lstrip("| ")[:1].isdigit() else cells[0]
            yield from ((number, words) for words in QUOTED.findall(quoting) if words not in texts)


def main(pages):
    texts = texts_of(ROOT)
    wrong = [f"{page}:{line}: no refusal has the words '{words}'" for page in pages
             for line, words in findings(pathlib.Path(page).read_text(encoding="utf-8"), texts)]
    print("\n".join(wrong) if wrong else f"refusals: {len(pages)} pages quote what the sources say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
