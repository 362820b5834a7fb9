"""Keeps the table of README.md: how long each target has run without a find.

    update_table.py TARGET libfuzzer|driver SECONDS found|nothing     adds a run; a find sets the target's times to 0
    update_table.py --check                                           compares the rows with the targets that are built
"""

import datetime
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROW = re.compile(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (.*?) \|$", re.MULTILINE)
COLUMNS = {"libfuzzer": 0, "driver": 1}


def targets():
    text = (HERE / "CMakeLists.txt").read_text(encoding="utf-8")
    return sorted(re.findall(r"^tacit_fuzz\((\w+) ", text, re.MULTILINE))


def updated(text, target, kind, seconds, found, day):
    """The page with a run added to a row."""

    def row(match):
        if match.group(1) != target:
            return match.group(0)
        times = [0, 0] if found else [int(match.group(2)), int(match.group(3))]
        if not found:
            times[COLUMNS[kind]] += seconds
        return f"| `{target}` | {times[0]} | {times[1]} | {day}{', a find' if found else ''} |"

    return ROW.sub(row, text)


def main():
    page = HERE / "README.md"
    text = page.read_text(encoding="utf-8")
    if sys.argv[1:] == ["--check"]:
        rows = [match.group(1) for match in ROW.finditer(text)]
        assert rows == targets(), f"rows of README.md and targets differ: {sorted(set(rows) ^ set(targets()))}"
        return
    target, kind, seconds, ending = sys.argv[1:]
    assert target in targets(), f"{target} is no target"
    day = datetime.date.today().isoformat()
    page.write_text(updated(text, target, kind, int(seconds), ending == "found", day), encoding="utf-8")


if __name__ == "__main__":
    main()
