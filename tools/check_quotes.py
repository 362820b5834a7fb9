#!/usr/bin/env python3
"""Checks that the code which pages quote is the code of this repository.

    tools/check_quotes.py [--write] PAGE ...

A block that follows a line `<!-- from PATH: NAME -->` must be the lines between `// guide: NAME` and `// guide: end` of
PATH. A block that follows `<!-- from PATH -->` must be consecutive lines of PATH; a line `// …` in it leaves some out.
Indentation that all lines of a block share does not count. A block of C++ that follows neither is an error. `--write`
puts named regions into the pages. Prints one line a finding, `page:line: what is wrong`.
"""
import argparse
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARK = re.compile(r"<!-- from (?P<path>\S+?)(?:: (?P<name>.+))? -->")
REGION = re.compile(r"\s*(?://|#) guide: (?P<name>.+)")
LEFT_OUT = "// …"


class Wrong(ValueError):
    pass


def dedented(lines):
    return textwrap.dedent("\n".join(lines)).strip("\n").split("\n")


def region(text, name):
    """The lines between the marks of this name."""
    found, inside = None, None
    for line in text.splitlines():
        mark = REGION.fullmatch(line)
        if not mark:
            if inside is not None:
                inside.append(line)
        elif mark["name"] == "end":
            found = inside if inside is not None else found
            inside = None
        elif mark["name"] == name:
            if found is not None:
                raise Wrong(f"the region '{name}' begins twice")
            inside = []
    if found is None:
        raise Wrong(f"there is no region '{name}'" if inside is None else f"the region '{name}' never ends")
    return dedented(found)


def parts_of(block):
    """The block cut at the lines that leave something out."""
    parts = [[]]
    for line in block:
        if line.strip() == LEFT_OUT:
            parts.append([])
        else:
            parts[-1].append(line)
    return [dedented(part) for part in parts if any(part)]


def check_lines(text, block):
    """Raises unless the parts of the block stand in the text, each in one piece and in this order."""
    lines, at = text.splitlines(), 0
    for part in parts_of(block):
        while dedented(lines[at:at + len(part)]) != part:
            at += 1
            if at + len(part) > len(lines):
                raise Wrong(f"there are no such lines in this order; the first is '{part[0].strip()}'")
        at += len(part)


def check_page(text, read):
    """Findings (line number, what is wrong) and the page with its named regions as they are. `read` gives a file."""
    findings, lines, result = [], text.splitlines(), []
    mark, i = None, 0
    while i < len(lines):
        if not lines[i].startswith("```"):
            if mark:
                findings.append((i, "no block follows the mark"))
            mark = MARK.fullmatch(lines[i].strip())
            result.append(lines[i])
            i += 1
            continue
        end = next((k for k in range(i + 1, len(lines)) if lines[k] == "```"), None)
        if end is None:
            findings.append((i + 1, "the block never ends"))
            result += lines[i:]
            break
        block = lines[i + 1:end]
        if mark:
            try:
                source = read(mark["path"])
                if mark["name"]:
                    wanted = region(source, mark["name"])
                    if dedented(block) != wanted:
                        findings.append((i + 1, f"differs from region '{mark['name']}' of {mark['path']}"))
                        block = wanted
                else:
                    check_lines(source, block)
            except Wrong as error:
                findings.append((i + 1, f"{mark['path']}: {error}"))
        elif lines[i] == "```cpp":
            findings.append((i + 1, "C++ that is quoted from no file"))
        result += [lines[i], *block, lines[end]]
        mark, i = None, end + 1
    if mark:
        findings.append((len(lines), "no block follows the mark"))
    return findings, "\n".join(result) + "\n"


def read_source(path):
    file = (ROOT / path).resolve()
    if not file.is_relative_to(ROOT) or not file.is_file():
        raise Wrong("no such file in the repository")
    return file.read_text(encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put named regions into the pages")
    parser.add_argument("pages", type=pathlib.Path, nargs="+", help="pages, or folders of them")
    arguments = parser.parse_args()
    failed = 0
    for given in arguments.pages:
        for page in sorted(given.rglob("*.md")) if given.is_dir() else [given]:
            text = page.read_text(encoding="utf-8")
            findings, corrected = check_page(text, read_source)
            if arguments.write and corrected != text:
                page.write_text(corrected, encoding="utf-8")
                findings, corrected = check_page(corrected, read_source)
            failed += len(findings)
            for line, what in findings:
                print(f"{page}:{line}: {what}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
