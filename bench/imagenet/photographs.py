#!/usr/bin/env python3
"""Writes inputs for the ImageNet networks: one photograph to score, and others to calibrate on.

The photographs are an array [count, 3, 227, 227] of bytes, red first. The one that is scored takes no part in what is written to
calibrate on: of each other photograph, its whole and its four corners enlarged, each mirrored or not, in three shades.

  photographs.py images_rgb_227.npy --score 0 --network squeezenet --output DIR

writes DIR/input.npy [1, 3, side, side] and DIR/calibration.npy [60 for three photographs, 3, side, side], both float32, as
the network was trained to read them. SqueezeNet v1.0 reads 227 x 227 pixels, blue first, less the means of the three colours. ResNet-18
reads 224 x 224, red first, standardised; rows and columns 1 to 224 of the photograph are kept.
"""

import argparse
import pathlib

import numpy

CORNER = 0.875  # of a side, in the pieces that are enlarged
SHADES = (0.75, 1.0, 1.25)


def enlarged(image, top, left, side):
    """A square piece of an image [3, y, x], as large as the image, by bilinear interpolation."""
    size = image.shape[-1]
    at = (numpy.arange(size) + 0.5) * side / size - 0.5
    low = numpy.clip(numpy.floor(at).astype(int), 0, side - 1)
    high = numpy.minimum(low + 1, side - 1)
    part = numpy.clip(at - low, 0, 1)
    piece = image[:, top : top + side, left : left + side]
    rows = piece[:, low] * (1 - part[:, None]) + piece[:, high] * part[:, None]
    return rows[:, :, low] * (1 - part) + rows[:, :, high] * part


def variants(image):
    """What an image is calibrated as: pieces, mirror images and shades."""
    size = image.shape[-1]
    side = int(CORNER * size)
    for top, left, extent in [(0, 0, size)] + [(y, x, side) for y in (0, size - side) for x in (0, size - side)]:
        piece = enlarged(image, top, left, extent)
        for mirrored in (piece, piece[:, :, ::-1]):
            for shade in SHADES:
                yield numpy.clip(mirrored * shade, 0, 255)


def squeezenet(images):
    return images[:, ::-1] - numpy.array([104.0, 117.0, 123.0]).reshape(3, 1, 1)


def resnet18(images):
    mean = numpy.array([0.485, 0.456, 0.406]).reshape(3, 1, 1)
    deviation = numpy.array([0.229, 0.224, 0.225]).reshape(3, 1, 1)
    return (images[:, :, 1:225, 1:225] / 255 - mean) / deviation


NETWORKS = {"squeezenet": squeezenet, "resnet18": resnet18}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photographs", type=pathlib.Path)
    parser.add_argument("--score", type=int, required=True, help="index of the photograph to score")
    parser.add_argument("--network", choices=sorted(NETWORKS), required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    photographs = numpy.load(options.photographs).astype(numpy.float64)
    if not 0 <= options.score < len(photographs):
        parser.error(f"--score {options.score}: there are photographs 0 to {len(photographs) - 1}")
    if len(photographs) < 2:
        parser.error("a photograph to calibrate on is needed beside the one that is scored")
    prepared = NETWORKS[options.network]
    others = [v for i, p in enumerate(photographs) if i != options.score for v in variants(p)]
    options.output.mkdir(parents=True, exist_ok=True)
    numpy.save(options.output / "input.npy", prepared(photographs[[options.score]]).astype(numpy.float32))
    numpy.save(options.output / "calibration.npy", prepared(numpy.stack(others)).astype(numpy.float32))


if __name__ == "__main__":
    main()
