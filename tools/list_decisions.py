#!/usr/bin/env python3
"""Makes docs/decisions/README.md: an index of all decisions by topic.

    tools/list_decisions.py [--write]

`TOPICS` below puts the number of every decision under a topic. Ends with 1 if a page of docs/decisions/ has no topic
or two, if a topic names no page, if a page has another form, or if the index differs. `--write` writes the index.

The form of a page: `# 0031: Title`, an empty line, the date as `2026-11-23.`, an empty line, the text.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "decisions"
HEAD = re.compile(r"# (?P<number>\d{4}): (?P<title>[^\n]+)\n\n(?P<date>\d{4}-\d\d-\d\d)\.\n\n")

TOPICS = {
    "From a model to a network": ["0003", "0012", "0014", "0023", "0032", "0042", "0051", "0058", "0060"],
    "Precision and ranges": ["0004", "0030", "0036", "0045"],
    "Layouts, batches and shardings": ["0001", "0019", "0031", "0033", "0035", "0038", "0043", "0048", "0072"],
    "Levels and bootstraps": ["0002", "0005", "0006", "0024", "0026", "0050", "0068", "0069"],
    "Parameters, primes and keys": ["0007", "0008", "0009", "0010", "0011", "0063", "0066", "0071", "0074", "0076"],
    "Integers": ["0034", "0037", "0046", "0047", "0055", "0073"],
    "Prices and plans": ["0013", "0017", "0027", "0052", "0056", "0057"],
    "Kernels and memory": ["0016", "0018", "0025", "0028", "0029", "0049"],
    "Programs, sessions and services": ["0015", "0021", "0022", "0039", "0040", "0044", "0059", "0064", "0065", "0067", "0070", "0075"],
    "Tests and code": ["0020", "0053", "0054"],
}


class Wrong(ValueError):
    pass


def heads(pages):
    """(file name, title, date) by number, of (file name, text)."""
    result = {}
    for name, text in pages:
        head = HEAD.match(text)
        if not head or head["number"] != name[:4]:
            raise Wrong(f"{name}: a decision begins with '# NUMBER: TITLE' and the date as 'YYYY-MM-DD.'")
        if head["number"] in result:
            raise Wrong(f"{name}: {result[head['number']][0]} has the same number")
        result[head["number"]] = (name, head["title"], head["date"])
    return result


def index(pages, topics):
    found, listed = heads(pages), [number for numbers in topics.values() for number in numbers]
    for number in sorted(set(found) | set(listed)):
        if number not in found or listed.count(number) != 1:
            raise Wrong(f"decision {number}: {listed.count(number)} topics and {int(number in found)} pages; it needs "
                        "one of each")
    lines = ["# Decisions", "",
             "A decision states the choice, its measurements and the alternatives. A later decision may replace a part",
             "of an earlier one, and then links to it. Figures in a decision are of its date. The latest figures are",
             "in [the measurements](../bench.md).", "",
             "A new decision takes the next number, the form of the others, and a topic in `tools/list_decisions.py`.",
             "`tools/list_decisions.py --write` makes this index.", ""]
    for topic, numbers in topics.items():
        lines += [f"## {topic}", "", "| | decision | date |", "| --- | --- | --- |"]
        lines += [f"| {n} | [{found[n][1]}]({found[n][0]}) | {found[n][2]} |" for n in numbers] + [""]
    return "\n".join(lines[:-1]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the index")
    arguments = parser.parse_args()
    pages = [(page.name, page.read_text(encoding="utf-8")) for page in sorted(FOLDER.glob("[0-9]*.md"))]
    try:
        wanted = index(pages, TOPICS)
    except Wrong as wrong:
        sys.exit(str(wrong))
    there = FOLDER / "README.md"
    if arguments.write:
        there.write_text(wanted, encoding="utf-8")
    elif not there.is_file() or there.read_text(encoding="utf-8") != wanted:
        sys.exit("docs/decisions/README.md is out of date: run tools/list_decisions.py --write")


if __name__ == "__main__":
    main()
