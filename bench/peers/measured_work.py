"""The peer's side of a comparison: a process that holds keys does its work at every request.

`serve` prints JSON lines:
- one with the parameters once everything is prepared
- for every line "go" on standard input, one with a count of pieces of work and their seconds
- at the end of the input, one with the quality of the last result

Programs in other languages (peer_works.cpp, crates, lattigo) follow the same protocol.
"""
import json
import os
import sys
import time

SECONDS_OF_A_ROUND = 0.2  # work that is shorter is repeated


def serve(parameters, once, quality, items=1):
    """Serves once(), which does `items` pieces of work; quality() returns a text about its last result."""
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
    """Returns the bits of the absolute error, in the worst slot and in the mean."""
    import numpy as np

    error = np.abs(np.asarray(got).real - np.asarray(expected))
    return f"{-np.log2(error.max()):.1f} bits in the worst slot, {-np.log2(error.mean()):.1f} mean"


class Answers:
    """The answers of a model on encrypted rows: one label per row, or scores with the label as the largest."""

    def __init__(self, rows, labels, scores=None):
        """`scores` are the scores of the network in the clear, one row of scores per row, if the answers are scores."""
        self.rows, self.labels, self.scores = rows, labels, scores
        self.answers = []

    def next_row(self):
        return len(self.answers) % len(self.rows)

    def add(self, row, answer):
        self.answers.append((row, answer))

    def quality(self, predicted):
        """`predicted` has an answer for every row, without encryption."""
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
