#!/usr/bin/env python3
"""No case is wrong without a word: runs every folder of $TACIT_DATA/cases, simulated, and compares it with its right values.

usage: cases_test.py TACIT [--set cases|real|networks] [--encrypted ROWS] [NAME ...]
A folder holds model.onnx, rows, calibration rows and right values as .npy files; its README or SOURCE.md names options after "Try:".
An output is right within 2 % of the range of its right values (of 1 for probabilities), or within the error that the plan stated if it
warned. Of whole numbers and labels that share may differ. A refusal has to name a way out. With --encrypted, the first rows run on
ciphertexts, unless the plan states more than two minutes for an input or 16 GiB: then all rows are simulated. Of few labels, as many may differ as chance allows at the stated share."""
import argparse
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: the interpreter has no numpy")
    sys.exit(77)

WITHIN = 0.02
MOST_MISSED = 0.05
LONGEST = 120  # seconds of an input on ciphertexts
LARGEST = 16 * 2**30  # bytes of a run on ciphertexts
WAYS_OUT = re.compile(r"--[a-z]|give |use |export |replace |leave |compile |calibrate ")


def files(folder, stem):
    one = os.path.join(folder, stem + ".npy")
    return [one] if os.path.exists(one) else sorted(glob.glob(os.path.join(folder, stem + "_*.npy")))


def options(folder):
    """The options that the page of a case names, except those that name files."""
    pages = [page for page in (os.path.join(folder, name) for name in ("README", "SOURCE.md")) if os.path.exists(page)]
    text = "".join(open(page, encoding="utf-8", errors="replace").read() for page in pages)
    found = re.search(r"Try: tacit \w+ model\.onnx ([^.]*(?:\.npy[^.]*)*)", text)
    words = found[1].split() if found else []
    kept = []
    while words:
        word = words.pop(0)
        if word in ("--input", "--calibrate"):
            words.pop(0)
        else:
            kept.append(word.rstrip("."))
    return kept


def is_probability(right):
    return right.min() >= 0 and right.shape[1] > 1 and np.allclose(right.sum(1), 1, atol=1e-3)


def differ_at_most(rows, share):
    """The number of differing rows that chance exceeds in one of a thousand runs. Each row differs with probability `share`."""
    tail, most = 1.0, -1
    while tail > 1e-3 and most < rows:
        most += 1
        tail -= math.comb(rows, most) * share**most * (1 - share) ** (rows - most)
    return most


def error(right, got, kept, stated):
    """What is wrong with the rows `kept` of an output, or nothing. The range of the output is that of all its right values."""
    bound = max(WITHIN, stated)
    if right.dtype.kind in "OUSiub":
        differ = right[kept].astype(str).ravel() != got.astype(str).ravel()
        few = len(kept) < len(right)
        if np.count_nonzero(differ) <= (differ_at_most(differ.size, bound) if few else bound * differ.size):
            return ""
        return f"differs in {np.count_nonzero(differ)} of {differ.size}, stated {stated:.2g}"
    right, got = (a.astype(float).reshape(len(a), -1) for a in (right, got))
    if is_probability(right):
        span = np.ones(right.shape[1])
    else:
        span = np.nanmax(right, 0) - np.nanmin(right, 0)
        if right.shape[1] > 8:
            span = np.full_like(span, np.nanmax(right) - np.nanmin(right))
        span = np.maximum(span, 1e-3 * np.maximum(np.nanmax(np.abs(right), 0), 1e-30))
    right = right[kept]
    if right.shape != got.shape or np.isnan(right).sum() != np.isnan(got).sum():
        return f"has the shape {got.shape} for {right.shape}, or NaN"
    share = float(np.nanmax(np.abs(right - got) / span)) if len(kept) else 0.0
    return f"is off by {share:.2g}, stated {stated:.2g}" if share > bound else ""


def too_much(tacit, model):
    """Why a model does not run on ciphertexts here, or nothing. `model` is the model and its options."""
    done = subprocess.run([tacit, "plan", *model, "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return ""
    estimate = json.loads(done.stdout)["estimate"]
    if estimate["seconds"] > LONGEST:
        return f"planned at {estimate['seconds']:.0f} s an input"
    return f"planned at {estimate['memory_bytes'] / 2**30:.0f} GiB" if estimate["memory_bytes"] > LARGEST else ""


def fault(tacit, folder, encrypted):
    """What is wrong with a case, or nothing. `encrypted` is a number of rows, or 0 for a simulation of all."""
    with tempfile.TemporaryDirectory() as out:
        model = [os.path.join(folder, "model.onnx"), *options(folder)]
        for file in files(folder, "train"):
            model += ["--calibrate", file]
        command = [tacit, "run", *model, "--json", "-o", os.path.join(out, "y.npy")]
        for file in files(folder, "rows"):
            command += ["--input", file]
        why = too_much(tacit, model) if encrypted else ""
        if why:
            print(f"{os.path.basename(folder)}: {why}, simulated", flush=True)
            encrypted = 0
        command += ["--count", str(encrypted)] if encrypted else ["--simulate"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            said = (done.stderr.strip().splitlines() or [""])[-1]
            if done.returncode < 0:
                return f"ended by signal {-done.returncode}"
            return "" if WAYS_OUT.search(said) else f"refused without a way out: {said}"
        report = json.loads(done.stdout)
        missed = {miss["input"] if isinstance(miss, dict) else miss for miss in report["missed_inputs"]}
        written = [entry for entry in report["outputs"] if "file" in entry]
        for entry, file in zip(written, files(folder, "output")):
            right, got = np.load(file, allow_pickle=True), np.load(entry["file"], allow_pickle=True)
            rows = min(encrypted or len(right), len(right))
            if len(missed) > max(MOST_MISSED * rows, differ_at_most(rows, MOST_MISSED) if encrypted else 0):
                return f"{len(missed)} of {rows} rows have no answer"
            kept = [row for row in range(rows) if row not in missed]
            wrong = error(right, got[: len(kept)], kept, entry.get("expected_error") or 0)
            if wrong:
                return f"output '{entry['name']}' {wrong}"
    return ""


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("tacit", help="the program")
    words.add_argument("names", nargs="*", help="the cases; all without any")
    words.add_argument("--set", default="cases", choices=("cases", "real", "networks"), help="the folder of the data folder")
    words.add_argument("--encrypted", type=int, default=0, metavar="ROWS", help="run so many rows on ciphertexts")
    given = words.parse_intermixed_args()
    data = os.environ.get("TACIT_DATA", "")
    folders = sorted(glob.glob(os.path.join(data, given.set, "*", "")))
    if not data or not folders:
        print("skipped: no cases; TACIT_DATA names the folder that holds them")
        return 77
    wrong = 0
    for folder in folders:
        name = os.path.basename(folder.rstrip("/"))
        if given.names and name not in given.names:
            continue
        said = fault(given.tacit, folder.rstrip("/"), given.encrypted)
        print(f"{name}: {said or 'as it should be'}", flush=True)
        wrong += bool(said)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
