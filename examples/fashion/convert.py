#!/usr/bin/env python3
"""Takes images and labels out of Debian's dataset-fashion-mnist and writes them as NumPy arrays.

    examples/fashion/convert.py --count 10 --out demo-out

writes images.npy (uint8, [count, 1, 28, 28]) and labels.npy (uint8, [count]). Needs nothing but Python.
"""
import argparse
import gzip
import pathlib
import struct
import sys


def read_idx(path):
    """Shape and bytes of an idx file of unsigned bytes: two zero bytes, type 8, the rank, then the extents."""
    with gzip.open(path, "rb") as file:
        raw = file.read()
    if raw[:3] != b"\0\0\x08":
        raise ValueError(f"{path}: not an idx file of bytes")
    rank = raw[3]
    shape = struct.unpack_from(f">{rank}I", raw, 4)
    return shape, raw[4 + 4 * rank:]


def write_npy(path, shape, data):
    """A NumPy array file, version 1.0, of unsigned bytes in row-major order."""
    extents = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({extents}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin-1") + data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--part", choices=("train", "test"), default="test")
    parser.add_argument("--start", type=int, default=0, help="first image")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--out", type=pathlib.Path, default=".", help="folder to write to")
    arguments = parser.parse_args()

    stem = {"train": "train", "test": "t10k"}[arguments.part]
    (total, rows, columns), images = read_idx(arguments.data / f"{stem}-images-idx3-ubyte.gz")
    _, labels = read_idx(arguments.data / f"{stem}-labels-idx1-ubyte.gz")
    first, last = arguments.start, arguments.start + arguments.count
    if not 0 <= first < last <= total:
        sys.exit(f"convert.py: images {first} to {last - 1} are not in the {arguments.part} part, which has {total}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    pixels = rows * columns
    write_npy(arguments.out / "images.npy", (last - first, 1, rows, columns), images[first * pixels:last * pixels])
    write_npy(arguments.out / "labels.npy", (last - first,), labels[first:last])


if __name__ == "__main__":
    main()
