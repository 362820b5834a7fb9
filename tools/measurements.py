#!/usr/bin/env python3
"""Makes the tables of figures in pages from the files of bench/results/.

    tools/measurements.py [--write]

A page marks the place of a whole table, which lists every row of the newest files and the runs that they are from:

    <!-- measurements: TABLE -->
    <!-- end of measurements -->

A page marks the place of single figures by the columns and one line a row. A column is a heading, or a heading and the
measure that it shows. `model` and `machine` name the row. `peer` is what another program takes for the first measure,
`peer MEASURE` what it takes for another one, and `quality` how right the result was.

    <!-- figures: model | machine | time per answer = time | memory | peer
    TABLE | WHAT | MACHINE
    -->
    <!-- end of figures -->

Compares the tables of README.md and docs/ with the files, and ends with 1 if they differ or a file breaks the schema.
`--write` puts the tables into the pages.
"""
import argparse
import re
import sys

from result_files import DETAILS, ROOT, UNKNOWN, Wrong, name_of, read_all

WHOLE = re.compile(r"^(<!-- measurements: (?P<table>\S+) -->\n)(?P<body>.*?)(<!-- end of measurements -->)", re.S | re.M)
SOME = re.compile(r"^(<!-- figures: (?P<columns>[^\n]*)\n(?P<rows>.*?)-->\n)(?P<body>.*?)(<!-- end of figures -->)",
                  re.S | re.M)
MARK = re.compile(r"^<!-- (?:measurements|figures): ", re.M)
NONE = "–"
SCALES = {"s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")), "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")),
          "B/s": ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"))}


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def shown(value, unit):
    """A value with its unit, for a reader."""
    if unit in SCALES:
        size, name = next((scale for scale in SCALES[unit] if abs(value) >= scale[0]), SCALES[unit][-1])
        return f"{number(value / size)} {name}"
    if unit.startswith("of "):
        return f"{number(value)} of {int(unit[3:]):,}"
    return number(value) if unit == "count" else f"{number(value)} {unit}"


def line(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def listing(header, rows):
    """A table without the columns that no row fills."""
    used = [i for i in range(len(header)) if any(row[i] != NONE for row in rows)]
    pick = lambda cells: [cells[i] for i in used]  # noqa: E731
    return [line(pick(header)), line(["---"] * len(used)), *(line(pick(row)) for row in rows)]


def own_groups(result, table):
    """Rows of one result by (what, machine, peer). A row without a peer joins the only peer of its `what`."""
    rows = [row for row in result["rows"] if row["table"] == table]
    peers = {}
    for row in rows:
        peers.setdefault(row["what"], set()).update([row["peer"]["name"]] if "peer" in row else [])
    groups = {}
    for row in rows:
        only = min(peers[row["what"]]) if len(peers[row["what"]]) == 1 else ""
        peer = row["peer"]["name"] if "peer" in row else only
        groups.setdefault((row["what"], result["machine"]["name"], peer), []).append(row)
    return groups


def groups_of(results, table):
    """(result, rows) by (what, machine, peer), each from the newest result that has it, in the order of the page."""
    groups = {}
    for result in results:
        newer = list(groups)
        for at, rows in own_groups(result, table).items():
            if not any(other[:2] == at[:2] and (other[2] == at[2] or "" in (other[2], at[2])) for other in newer):
                groups[at] = result, rows
    place, order = {}, list(dict.fromkeys(what for what, _, _ in groups))
    for (what, _, _), (_, rows) in groups.items():  # the fastest first; the rest as it comes
        seconds = rows[0]["value"] if rows[0]["unit"] == "s" and rows[0]["measure"] != "value" else float("inf")
        place[what] = min(place.get(what, float("inf")), seconds)
    return dict(sorted(groups.items(), key=lambda entry: (place[entry[0][0]], order.index(entry[0][0]))))


def known(text):
    return NONE if text == UNKNOWN else text


def command_of(result):
    """The first command of a result. The file has the others."""
    first, more = result["commands"][0], len(result["commands"]) - 1
    return NONE if first == UNKNOWN else f"`{first}`" + (f" and {more} more" if more else "")


def run_cells(result):
    machine = result["machine"]
    return [machine["name"], result["date"], known(result["commit"]), known(result["threads"]), known(machine["clock"]),
            known(result["load"]), command_of(result), f"`{name_of(result)}`"]


def ratio(row):
    times = row["peer"]["value"] / row["value"]
    return f"{times:,.0f}" if times >= 20 else f"{times:.2g}"


def whole_table(results, table):
    """Lines of one table, and of the runs that its rows are from."""
    groups = groups_of(results, table)
    if not groups:
        raise Wrong(f"no file of bench/results has a row of the table '{table}'")
    measures = list(dict.fromkeys(row["measure"] for _, rows in groups.values() for row in rows))
    runs = []
    for result, _ in groups.values():
        if result not in runs:
            runs.append(result)
    rows = []
    for (what, machine, _), (result, group) in groups.items():
        cells = {row["measure"]: shown(row["value"], row["unit"]) for row in group}
        quality = "; ".join(dict.fromkeys(row["quality"] for row in group))
        beside = next((row for row in group if "peer" in row), None)
        peer = [NONE] * 4
        if beside:
            name, version = beside["peer"]["name"], beside["peer"]["version"]
            value = shown(beside["peer"]["value"], beside["unit"])
            peer = [name if version == UNKNOWN else f"{name} {version}",
                    value if beside["measure"] == measures[0] else f"{value} ({beside['measure']})",
                    beside["peer"].get("quality", NONE), ratio(beside)]
        rows.append([what, machine, *(cells.get(measure, NONE) for measure in measures), quality, *peer,
                     runs.index(result) + 1])
    header = ["what", "machine", *measures, "quality", "peer", "the peer's", "the peer's quality", "the peer's / ours", "run"]
    return (listing(header, rows) + [""] +
            listing(["run", "machine", "date", "commit", "threads", "clock", "load", "command", "file"],
                    [[i + 1, *run_cells(result)] for i, result in enumerate(runs)]))


def machines_table(results):
    """The machines of all results, each by its newest one."""
    found = {}
    for result in results:
        found.setdefault(result["machine"]["name"], result["machine"])
    return listing(["name", "processor", "cores", "memory"],
                   [[name, machine["processor"], known(machine["cores"]), known(machine["memory"])]
                    for name, machine in sorted(found.items())])


def figure_cell(heading, measure, what, result, rows):
    first = rows[0]
    if measure == "model":
        return what
    if measure == "machine":
        threads = result["threads"]
        count = "" if threads == UNKNOWN else f", {threads} thread" + ("" if threads == 1 else "s")
        return result["machine"]["name"] + count
    if measure == "peer":
        peer = next((row["peer"] for row in rows if "peer" in row), None)
        return f"{shown(peer['value'], first['unit'])}, {peer['name']}" if peer else "not compared"
    if measure == "quality":
        return first["quality"]
    if measure.startswith("peer "):
        beside = next((row for row in rows if "peer" in row and row["measure"] == measure.removeprefix("peer ")), None)
        return shown(beside["peer"]["value"], beside["unit"]) if beside else NONE
    found = next((row for row in rows if row["measure"] == measure), None)
    if not found:
        raise Wrong(f"'{what}' has no measure '{measure}' for the column '{heading}'")
    return shown(found["value"], found["unit"])


def some_table(results, columns, ids):
    """Lines of a table of single figures. `ids` are lines TABLE | WHAT | MACHINE."""
    headings = [[part.strip() for part in column.split("=")] for column in columns.split("|")]
    rows = []
    for text in filter(str.strip, ids.splitlines()):
        parts = [part.strip() for part in text.split("|")]
        if len(parts) != 3:
            raise Wrong(f"'{text.strip()}' is no figure: it needs a table, a row and a machine, with | between them")
        table, what, machine = parts
        group = next((group for at, group in groups_of(results, table).items() if at[:2] == (what, machine)), None)
        if not group:
            raise Wrong(f"no file of bench/results has the figure '{text.strip()}'")
        rows.append([figure_cell(heading[0], heading[-1], what, *group) for heading in headings])
    return [line(heading[0] for heading in headings), line(["---"] * len(headings)), *map(line, rows)]


def with_figures(text, results, name):
    """A page with its tables made anew, and the names of the whole tables that it has. `name` stands in errors."""
    tables = []
    if len(MARK.findall(text)) != len(WHOLE.findall(text)) + len(SOME.findall(text)):
        raise Wrong(f"{name}: a mark of a table has no form that is read; tools/measurements.py says how one looks")

    def whole(found):
        tables.append(found["table"])
        lines = machines_table(results) if found["table"] == "machines" else whole_table(results, found["table"])
        return found[1] + "\n" + "\n".join(lines) + "\n\n" + found[4]

    def some(found):
        return found[1] + "\n" + "\n".join(some_table(results, found["columns"], found["rows"])) + "\n\n" + found[5]

    try:
        return SOME.sub(some, WHOLE.sub(whole, text)), tables
    except Wrong as wrong:
        raise Wrong(f"{name}: {wrong}") from None


def check_shown(results, tables):
    """Raises where a file has rows of a table that no page shows."""
    for result in results:
        for row in result["rows"]:
            if row["table"] != DETAILS and row["table"] not in tables:
                raise Wrong(f"a file of the suite '{result['suite']}' has rows of the table '{row['table']}', and "
                            "no page has a mark for it")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the tables into the pages")
    arguments = parser.parse_args()
    try:
        results, out_of_date, shown_tables = read_all(), [], set()
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            text = page.read_text(encoding="utf-8")
            wanted, tables = with_figures(text, results, page.relative_to(ROOT))
            shown_tables.update(tables)
            if arguments.write and wanted != text:
                page.write_text(wanted, encoding="utf-8")
            elif wanted != text:
                out_of_date.append(str(page.relative_to(ROOT)))
        check_shown(results, shown_tables)
    except Wrong as wrong:
        sys.exit(str(wrong))
    if out_of_date:
        sys.exit(f"{', '.join(out_of_date)}: out of date; run tools/measurements.py --write")


if __name__ == "__main__":
    main()
