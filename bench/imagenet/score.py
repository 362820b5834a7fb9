#!/usr/bin/env python3
"""Compares the answer of `tacit run --output` on one image with a plaintext run of the network.

  score.py model.onnx input.npy answers.npy

prints the five classes with the largest plaintext scores, both scores of each, and the largest difference. The exit
status is 1 if the first class differs. Needs numpy and onnxruntime.
"""

import argparse
import pathlib
import sys

import numpy
import onnxruntime

BEST = 5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("answers", type=pathlib.Path, help="what tacit run --output wrote")
    options = parser.parse_args()
    session = onnxruntime.InferenceSession(options.model, providers=["CPUExecutionProvider"])
    image = numpy.load(options.input)
    plain = session.run(None, {session.get_inputs()[0].name: image})[0].ravel()
    encrypted = numpy.load(options.answers).ravel()
    if encrypted.shape != plain.shape:
        sys.exit(f"{options.answers}: {encrypted.size} scores, and the network has {plain.size}")
    best = numpy.argsort(-plain)[:BEST]
    for place in best:
        print(f"class {place:4}  plaintext {plain[place]:9.5f}  encrypted {encrypted[place]:9.5f}")
    first, ours = int(best[0]), int(encrypted.argmax())
    difference = float(numpy.abs(plain - encrypted).max())
    shared = len(set(best) & set(numpy.argsort(-encrypted)[:BEST]))
    print(f"largest difference {difference:.3g}, of a range of {plain.max() - plain.min():.3g}; {shared} of {BEST} best in common")
    print(f"first class {first}, encrypted {ours}: {'equal' if first == ours else 'DIFFERENT'}")
    return 0 if first == ours else 1


if __name__ == "__main__":
    sys.exit(main())
