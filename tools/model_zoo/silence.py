"""Keeps exporters from printing, those written in C++ included."""
import contextlib
import os
import sys


@contextlib.contextmanager
def silence():
    """Nothing that is written to standard output or error in here is seen."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in zip((1, 2), kept):
            os.dup2(copy, number)
            os.close(copy)
        os.close(nothing)
