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


class Answers:
    """What a model said of encrypted rows: a label each, or a vector of scores, whose largest is the label."""

    def __init__(self, rows, labels, scores=None):
        """`scores`: those of the network in the clear, a row each, where the answers are scores."""
        self.rows, self.labels, self.scores = rows, labels, scores
        self.answers = []

    def next_row(self):
        return len(self.answers) % len(self.rows)

    def add(self, row, answer):
        self.answers.append((row, answer))

    def quality(self, predicted):
        """`predicted`: an answer for every row, without encryption."""
        said = labels_of(predicted)
        equal = sum(int(labels_of([answer])[0]) == int(said[row]) for row, answer in self.answers)
        text = (f"{100 * (said == self.labels).mean():.1f} % of {len(self.rows)} rows right, "
                f"{equal} of {len(self.answers)} encrypted as predicted")
        if self.scores is None:
            return text
        error = max(abs(answer - self.scores[row]).max() for row, answer in self.answers)
        return f"{text}, scores within {error / (self.scores.max() - self.scores.min()):.1e} of their range"


def labels_of(answers):
    import numpy as np

    answers = np.asarray(answers)
    return answers.argmax(-1) if answers.ndim == 2 and answers.shape[1] > 1 else answers.reshape(-1)
