#!/usr/bin/env python3
"""Checks that docs/reference/json.md names every field that commands print with --json.

    tools/check_json_page.py --bin build/release/bin

Runs the commands on the models of examples/trees in a scratch folder and collects the names of fields. Prints one line
for each name that the section of its command lacks, and ends with 1 if there is one.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "json.md"
TREES = ROOT / "examples" / "trees"
TFHE = ("--scheme", "tfhe", "--bits", "4", "--calibrate", TREES / "train.npy")
CKKS = ("--calibrate", TREES / "train.npy", "--max-degree", "15")
BOOSTED, PERCEPTRON, TEST = TREES / "boosted.onnx", TREES / "perceptron.onnx", TREES / "test.npy"
ROOT_OF_OTHERS = "0" * 64
# Names that come from the model or the program, below these fields.
OPEN_FIELDS = {"operation_seconds", "parameters", "proof"}
# (section of the page, statuses that may be, words of the command)
COMMANDS = (
    ("plan, compile and run", {0}, ("plan", PERCEPTRON, *CKKS, "--ranks", "2", "--network", "10Gb,20us", "--explain",
                                    "fold")),
    ("plan, compile and run", {0}, ("plan", BOOSTED, *TFHE)),
    ("plan, compile and run", {0}, ("plan", "--tiles", "pairs 1000x32")),
    ("plan, compile and run", {0}, ("compile", BOOSTED, *TFHE, "-o", "boosted")),
    ("plan, compile and run", {0}, ("run", PERCEPTRON, *TFHE, "--input", TEST, "--labels", TREES / "labels.npy",
                                    "--simulate")),
    ("plan, compile and run", {0}, ("run", PERCEPTRON, "--max-degree", "15", "--input", TEST, "--simulate",
                                    "--cross-fit", "2")),
    ("calibrate", {0}, ("calibrate", PERCEPTRON, "--max-degree", "15", "--input", TREES / "train.npy", "-o",
                        "ranges.json")),
    ("keygen, encrypt, evaluate and decrypt", {0}, ("keygen", "boosted/client.tacit", "--secret", "secret",
                                                    "--evaluation", "evaluation")),
    ("keygen, encrypt, evaluate and decrypt", {0}, ("encrypt", "boosted/client.tacit", "--key", "secret", "--input",
                                                    TEST, "--count", "1", "-o", "x.ct")),
    ("keygen, encrypt, evaluate and decrypt", {0}, ("evaluate", "boosted/server.tacit", "--keys", "evaluation",
                                                    "--input", "x.ct", "-o", "y.ct")),
    ("keygen, encrypt, evaluate and decrypt", {0}, ("decrypt", "boosted/client.tacit", "--key", "secret", "--input",
                                                    "y.ct", "--question", "x.ct", "-o", "y.npy")),
    ("verify-receipt", {0}, ("verify-receipt", "y.ct.receipt", "--keys", "evaluation")),
    ("validate", {0}, ("validate", PERCEPTRON, *CKKS, "--dry")),
    ("validate", {0}, ("validate", BOOSTED, *TFHE, "--input", TEST)),
    ("search", {0}, ("search", "build", TREES / "train.npy", "--normalise", "--largest-component", "1", "-o", "store")),
    ("search", {0}, ("search", "append", "store", TEST, "--normalise")),
    ("search", {0}, ("search", "delete", "store", "3")),
    ("search", {0}, ("search", "plan", "store")),
    ("search", {0}, ("search", "keygen", "store/client.tacit", "--secret", "my.secret", "--evaluation", "my.keys")),
    ("search", {0}, ("search", "query", "store/client.tacit", "--key", "my.secret", "--input", TEST, "-o", "q.ct")),
    ("search", {0}, ("search", "evaluate", "store", "--keys", "my.keys", "--input", "q.ct", "-o", "a.ct")),
    ("search", {0}, ("search", "decrypt", "store/client.tacit", "--key", "my.secret", "--question", "q.ct", "--input",
                     "a.ct", "-o", "scores.npy")),
    ("merkle", {0}, ("merkle", "root", "x.ct", "y.ct")),
    ("merkle", {0}, ("merkle", "root", "evaluation", "--cap", "2", "-o", "cap.json")),
    ("merkle", {0}, ("merkle", "prove", "x.ct", "y.ct", "--index", "0", "-o", "proof.json")),
    ("merkle", {3}, ("merkle", "verify", "proof.json", "--root", ROOT_OF_OTHERS)),
    ("merkle", {0}, ("merkle", "append", "x.ct", "y.ct", "-o", "growth.json")),
    ("merkle", {0}, ("merkle", "diff", "x.ct", "y.ct")),
)


def names_of(value):
    """The names of all fields, at any depth."""
    if isinstance(value, list):
        return set().union(*(names_of(entry) for entry in value))
    if not isinstance(value, dict):
        return set()
    below = (names_of(entry) for name, entry in value.items() if name not in OPEN_FIELDS)
    return set(value).union(*below)


def section_of(page, title):
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    if not found:
        raise ValueError(f"the page has no section '{title}'")
    return found[1]


def names_in(section):
    """The parts of everything in backticks: `a[].b` names a and b."""
    return {name for code in re.findall(r"`([^`]+)`", section) for name in re.findall(r"\w+", code)}


def printed_by(command, words, statuses, folder):
    result = subprocess.run([command, *map(str, words), "--json"], cwd=folder, capture_output=True, text=True,
                            check=False, env=dict(os.environ, XDG_CACHE_HOME=str(folder)))
    if result.returncode not in statuses:
        sys.exit(f"tacit {' '.join(map(str, words))}: status {result.returncode}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the built command")
    command = parser.parse_args().bin.resolve() / "tacit"
    page, lacking = PAGE.read_text(encoding="utf-8"), set()
    with tempfile.TemporaryDirectory() as folder:
        for title, statuses, words in COMMANDS:
            names = names_of(printed_by(command, words, statuses, pathlib.Path(folder)))
            lacking |= {f"{PAGE.name}, {title}: tacit {words[0]} prints {name}"
                        for name in names - names_in(section_of(page, title))}
    print("\n".join(sorted(lacking)) if lacking else "every field of the JSON has its place on the page")
    sys.exit(1 if lacking else 0)


if __name__ == "__main__":
    main()
