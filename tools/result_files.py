"""Reads, checks and writes the files of bench/results/. bench/results/README.md describes their fields."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
UNKNOWN = "unknown"
DETAILS = "details"  # the table of rows that stay in the file
SCHEMA = 1
UNITS = re.compile(r"s|B|B/s|1/s|bits|%|times|of \d+|count|levels")
TEXT = re.compile(r"(?s).*\S.*")
MACHINE = ("name", "processor", "cores", "memory", "clock")
FIELDS = {"schema": int, "suite": str, "commit": str, "version": str, "date": str, "machine": dict, "load": str,
          "threads": (int, str), "commands": list, "rows": list, "notes": list}
ROW = {"table": str, "what": str, "measure": str, "value": (int, float), "unit": str, "quality": str}
PEER = {"name": str, "version": str, "value": (int, float), "quality": str}
FORMS = {"suite": (r"[a-z][a-z0-9-]*", "a word in lower case"),
         "commit": (r"[0-9a-f]{7,40}\+?|unknown", "a hash, or 'unknown'"),
         "version": (r"\d+\.\d+\.\d+|unknown", "a version such as 0.2.0, or 'unknown'"),
         "date": (r"\d{4}-\d\d-\d\d", "a date such as 2026-11-29")}


class Wrong(ValueError):
    """A file or a page breaks a rule. The text is one sentence that says which."""


def kind(expected):
    words = {int: "a whole number", str: "a text", dict: "an object", list: "a list", float: "a number"}
    if isinstance(expected, tuple):
        return "a number" if float in expected else " or ".join(words[each] for each in expected)
    return words[expected]


def check_fields(value, fields, where, optional=()):
    """Raises unless `value` is an object with these fields, each of its type, and no other."""
    if not isinstance(value, dict):
        raise Wrong(f"{where} is not an object")
    for name in value:
        if name not in fields:
            raise Wrong(f"{where} has a field '{name}' that the schema does not know")
    for name, expected in fields.items():
        if name not in value:
            if name not in optional:
                raise Wrong(f"{where} has no field '{name}'")
        elif not isinstance(value[name], expected) or isinstance(value[name], bool):
            raise Wrong(f"{where}: '{name}' is not {kind(expected)}")


def check_row(row, where):
    check_fields(row, {**ROW, "peer": dict}, where, optional=("peer",))
    for name in ("table", "what", "measure", "quality"):
        if not TEXT.fullmatch(row[name]):
            raise Wrong(f"{where}: '{name}' is empty; a figure needs one")
    if not UNITS.fullmatch(row["unit"]):
        raise Wrong(f"{where}: '{row['unit']}' is no unit; the README of bench/results lists them")
    if "peer" in row:
        check_fields(row["peer"], PEER, f"{where}, peer", optional=("quality",))


def key(row):
    return row["table"], row["what"], row["measure"], row.get("peer", {}).get("name", "")


def check(result, where):
    """Raises with one sentence unless this is what a file of bench/results holds."""
    check_fields(result, FIELDS, where)
    if result["schema"] != SCHEMA:
        raise Wrong(f"{where}: 'schema' is {result['schema']}, and this checkout reads {SCHEMA}")
    for name, (form, words) in FORMS.items():
        if not re.fullmatch(form, result[name]):
            raise Wrong(f"{where}: '{name}' is '{result[name]}', and must be {words}")
    check_fields(result["machine"], dict.fromkeys(MACHINE, (int, str)), f"{where}, machine")
    for name in ("commands", "notes"):
        if not all(isinstance(text, str) and TEXT.fullmatch(text) for text in result[name]):
            raise Wrong(f"{where}: an entry of '{name}' is not a text")
    if not result["commands"] or not result["rows"]:
        raise Wrong(f"{where} needs a command and a row at least")
    seen = set()
    for number, row in enumerate(result["rows"], 1):
        check_row(row, f"{where}, row {number}")
        if key(row) in seen:
            raise Wrong(f"{where}, row {number}: '{row['what']}' has '{row['measure']}' twice")
        seen.add(key(row))


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def name_of(result):
    """The path of a result below bench/results: its suite, its machine, and its commit or else its date."""
    commit = result["commit"].rstrip("+")[:8]
    if result["commit"] == UNKNOWN:
        commit = f"{UNKNOWN}-{result['date']}"
    return f"{result['suite']}/{slug(result['machine']['name'])}-{commit}.json"


def parsed(text, where):
    try:
        result = json.loads(text)
    except ValueError as error:
        raise Wrong(f"{where} is not JSON: {error}") from None
    check(result, where)
    return result


def read_all(folder=RESULTS):
    """The results of all files, the newest first."""
    results = []
    for path in sorted(folder.rglob("*.json")):
        name = path.relative_to(folder).as_posix()
        results.append(parsed(path.read_text(encoding="utf-8"), f"bench/results/{name}"))
        if name_of(results[-1]) != name:
            raise Wrong(f"bench/results/{name}: a file with this suite, machine and commit is called "
                        f"{name_of(results[-1])}")
    return sorted(results, key=lambda result: result["date"], reverse=True)


def text_of(result):
    """The text of a file. A row is one line, so that a change of a figure is a change of a line."""
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in result["rows"])
    rest = json.dumps({**result, "rows": []}, indent=1, ensure_ascii=False)
    return rest.replace('\n "rows": []', f'\n "rows": [\n{rows}\n ]') + "\n"
