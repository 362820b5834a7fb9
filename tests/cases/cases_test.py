#!/usr/bin/env python3
"""No case is wrong without a word: runs every folder of $TACIT_DATA/cases, simulated, and compares it with its right values.

usage: cases_test.py TACIT [NAME ...]
A folder holds model.onnx, rows, calibration rows and right values as .npy files; its README names options after "Try:". An output
is right within 2 % of the range of its right values (of 1 for probabilities), or within the error that the plan stated if it warned.
Of whole numbers and labels that share may differ. A refusal has to name a way out."""
import glob
import json
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
WAYS_OUT = re.compile(r"--[a-z]|give |use |export |replace |leave |compile |calibrate ")


def files(folder, stem):
    one = os.path.join(folder, stem + ".npy")
    return [one] if os.path.exists(one) else sorted(glob.glob(os.path.join(folder, stem + "_*.npy")))


def options(folder):
    """Those that the README of a case names, without the ones that name files."""
    with open(os.path.join(folder, "README"), encoding="utf-8") as readme:
        found = re.search(r"Try: tacit \w+ model\.onnx ([^.]*(?:\.npy[^.]*)*)", readme.read())
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


def wrong_share(right, got):
    """The share of elements that differ, or the largest error as a share of the range of the right values."""
    if right.dtype.kind in "OUSiub":
        return float(np.mean(right.astype(str).ravel() != got.astype(str).ravel()))
    right, got = (a.astype(float).reshape(len(a), -1) for a in (right, got))
    if right.shape != got.shape or np.isnan(right).sum() != np.isnan(got).sum():
        return float("inf")
    if is_probability(right):
        return float(np.abs(right - got).max())
    span = np.nanmax(right, 0) - np.nanmin(right, 0)
    if right.shape[1] > 8:
        span = np.full_like(span, np.nanmax(right) - np.nanmin(right))
    span = np.maximum(span, 1e-3 * np.maximum(np.nanmax(np.abs(right), 0), 1e-30))
    return float(np.nanmax(np.abs(right - got) / span))


def fault(tacit, folder):
    """What is wrong with a case, or nothing."""
    with tempfile.TemporaryDirectory() as out:
        command = [tacit, "run", os.path.join(folder, "model.onnx"), "--simulate", "--json", "-o", os.path.join(out, "y.npy")]
        for stem, option in (("rows", "--input"), ("train", "--calibrate")):
            for file in files(folder, stem):
                command += [option, file]
        done = subprocess.run(command + options(folder), capture_output=True, text=True, check=False)
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
            if len(missed) > MOST_MISSED * len(right):
                return f"{len(missed)} of {len(right)} rows have no answer"
            kept = [row for row in range(len(right)) if row not in missed]
            share = wrong_share(right[kept], got[: len(kept)])
            stated = entry.get("expected_error") or 0
            if share > max(WITHIN, stated):
                return f"output '{entry['name']}' is off by {share:.2g}, stated {stated:.2g}"
    return ""


def main():
    data = os.environ.get("TACIT_DATA", "")
    folders = sorted(glob.glob(os.path.join(data, "cases", "*", "")))
    if not data or not folders:
        print("skipped: no cases; TACIT_DATA names the folder that holds them")
        return 77
    wrong = 0
    for folder in folders:
        name = os.path.basename(folder.rstrip("/"))
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        said = fault(sys.argv[1], folder.rstrip("/"))
        print(f"{name}: {said or 'as it should be'}", flush=True)
        wrong += bool(said)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
