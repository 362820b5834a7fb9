"""The peer's side of a comparison: how a process that holds keys is asked to do its work again and again.

`serve` prints one JSON line with the parameters once everything is prepared; then, for every line "go" on standard
input, one with a count of pieces of work and the seconds they took; and at the end of the input one with the quality of
the last result.
Programs in other languages (peer_works.cpp, crates, lattigo) speak the same.
"""
import json
import os
import sys
import time

SECONDS_OF_A_ROUND = 0.2  # work that is shorter is repeated


def serve(parameters, once, quality, items=1):
    """once() does `items` pieces of work; quality() is a text about what it did last."""
    lines = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a library prints is no answer
    print(json.dumps({"parameters": parameters}), file=lines)
    for line in sys.stdin:
        if line.strip() != "go":
            break
        begin, count = time.perf_counter(), 0
        while not count or time.perf_counter() - begin < SECONDS_OF_A_ROUND:
            once()
            count += items
        print(json.dumps({"seconds": time.perf_counter() - begin, "count": count}), file=lines)
    print(json.dumps({"quality": quality()}), file=lines)


def bits(got, expected):
    """Of the absolute error, in the worst slot and in the mean."""
    import numpy as np

    error = np.abs(np.asarray(got).real - np.asarray(expected))
    return f"{-np.log2(error.max()):.1f} bits in the worst slot, {-np.log2(error.mean()):.1f} mean"
