"""Debian's package dataset-fashion-mnist as preprocessed arrays."""
import gzip
import pathlib

import numpy as np

FOLDER = pathlib.Path("/usr/share/datasets/fashion-mnist")
MEAN, STD = 0.286, 0.353  # of the training pixels, in [0, 1]


def read_idx(path):
    """An idx file of bytes (the MNIST format) as an array."""
    with gzip.open(path, "rb") as file:
        raw = file.read()
    rank = raw[3]
    shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], "big") for i in range(rank)]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder, part):
    """Images [count, 1, 28, 28] and labels of the part "train" or "t10k"."""
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz")
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte.gz")
    return ((images / 255.0 - MEAN) / STD).astype(np.float32)[:, None], labels.astype(np.int32)
