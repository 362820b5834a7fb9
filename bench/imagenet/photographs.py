#!/usr/bin/env python3
"""Writes inputs for the ImageNet networks: one photograph to score, and others for calibration.

The photographs are an array [count, 3, 227, 227] of bytes, red first. The scored one is not used for calibration.
Calibration pictures are pieces of the others, enlarged, turned and mirrored. They are alone or in groups of four, in
other colours, lights and contrasts.

  photographs.py images_rgb_227.npy --score 0 --network squeezenet --output DIR

writes DIR/input.npy [1, 3, side, side] and DIR/calibration.npy [count, 3, side, side], both float32, as
the network was trained to read them. SqueezeNet v1.0 reads 227 x 227 pixels, blue first, less the means of the three colours. ResNet-18
reads 224 x 224, red first, standardised; rows and columns 1 to 224 of the photograph are kept.
"""

import argparse
import pathlib

import numpy

ZOOMS = (0.3, 1.0)  # of a side, in the pieces that are enlarged
CONTRASTS, LIGHTS = (0.6, 1.6), (0.6, 1.4)
MOSAICS, FALSE_COLOURS, NEGATIVES = 0.3, 0.3, 0.2  # shares of the pictures


def enlarged(image, top, left, side):
    """Returns a square piece of an image [3, y, x], enlarged to the size of the image by bilinear interpolation."""
    size = image.shape[-1]
    at = (numpy.arange(size) + 0.5) * side / size - 0.5
    low = numpy.clip(numpy.floor(at).astype(int), 0, side - 1)
    high = numpy.minimum(low + 1, side - 1)
    part = numpy.clip(at - low, 0, 1)
    piece = image[:, top : top + side, left : left + side]
    rows = piece[:, low] * (1 - part[:, None]) + piece[:, high] * part[:, None]
    return rows[:, :, low] * (1 - part) + rows[:, :, high] * part


def variant(photographs, random):
    """Returns a piece of one photograph, or a square of four pieces, in other colours, lights and directions."""
    size = photographs[0].shape[-1]

    def piece():
        image = photographs[random.integers(len(photographs))]
        side = int(size * random.uniform(*ZOOMS))
        top, left = random.integers(0, size - side + 1, 2)
        image = enlarged(image, top, left, side)
        image = numpy.rot90(image, random.integers(4), (1, 2))
        return image[:, :, ::-1] if random.random() < 0.5 else image

    if random.random() < MOSAICS:
        quarters = [piece()[:, ::2, ::2] for _ in range(4)]
        rows = [numpy.concatenate(quarters[i : i + 2], 2) for i in (0, 2)]
        image = numpy.concatenate(rows, 1)[:, :size, :size]
    else:
        image = piece()
    if random.random() < FALSE_COLOURS:
        image = image[random.permutation(3)]
    if random.random() < NEGATIVES:
        image = 255 - image
    mean = image.mean((1, 2), keepdims=True)
    return numpy.clip((image - mean) * random.uniform(*CONTRASTS) + mean * random.uniform(*LIGHTS), 0, 255)


def variants(photographs, count=256):
    """Returns pictures for calibration, from a fixed seed."""
    random = numpy.random.default_rng(7)
    return [variant(photographs, random) for _ in range(count)]


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
    parser.add_argument("--count", type=int, default=256, help="pictures to calibrate on")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    photographs = numpy.load(options.photographs).astype(numpy.float64)
    if not 0 <= options.score < len(photographs):
        parser.error(f"--score {options.score}: there are photographs 0 to {len(photographs) - 1}")
    if len(photographs) < 2:
        parser.error("a photograph to calibrate on is needed beside the one that is scored")
    prepared = NETWORKS[options.network]
    others = variants([p for i, p in enumerate(photographs) if i != options.score], options.count)
    options.output.mkdir(parents=True, exist_ok=True)
    numpy.save(options.output / "input.npy", prepared(photographs[[options.score]]).astype(numpy.float32))
    numpy.save(options.output / "calibration.npy", prepared(numpy.stack(others)).astype(numpy.float32))


if __name__ == "__main__":
    main()
