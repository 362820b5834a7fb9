#!/usr/bin/env python3
"""Trains the perceptron of the suite's workload on MNIST, 784-128-64-10 with ReLU, and writes it as ONNX.

    train_perceptron.py IMAGES LABELS MODEL [--epochs NUMBER] [--seed NUMBER]

IMAGES and LABELS are .npy files of bytes, or the idx files of MNIST, also compressed. The last tenth of the images is kept back. The weights
of the epoch with the most right answers on it are written. Needs numpy and onnx.
"""
import argparse
import gzip
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTHS = (784, 128, 64, 10)
MEAN, STD = 0.1307, 0.3081  # the harness normalises with these
BATCH, RATE, SHIFT = 64, 1e-3, 1  # images of a step, rate of Adam, pixels by which images are moved at most
# A polynomial replaces ReLU on the interval of its inputs. Large inputs are rare, and make this interval wide. Their fourth powers, times
# this, are part of the loss.
WIDE = 1e-4


def read_array(path):
    """The bytes of a .npy file or of an idx file."""
    if path.suffix == ".npy":
        return numpy.load(path)
    content = path.read_bytes()
    content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    sizes = numpy.frombuffer(content, ">u4", content[3], 4)
    return numpy.frombuffer(content, numpy.uint8, offset=4 + 4 * content[3]).reshape(sizes)


def moved(images, draw):
    """The images, each moved by up to SHIFT pixels."""
    rows, columns = draw.integers(-SHIFT, SHIFT + 1, (2, len(images), 1))
    at = numpy.arange(28)
    padded = numpy.pad(images, ((0, 0), (SHIFT, SHIFT), (SHIFT, SHIFT)))
    return padded[numpy.arange(len(images))[:, None, None], (at + SHIFT + rows)[:, :, None], (at + SHIFT + columns)[:, None, :]]


def prepared(images):
    return ((images.reshape(-1, 784) / 255 - MEAN) / STD).astype(numpy.float32)


def sums_of(layers, inputs):
    """The inputs of every ReLU, and the scores at the end."""
    sums = []
    for weights, bias in layers:
        sums.append((numpy.maximum(sums[-1], 0) if sums else inputs) @ weights + bias)
    return sums


def gradients_of(layers, inputs, labels):
    """Gradients of the loss, in the order of the parameters: the mean cross entropy, and the part of wide intervals."""
    sums = sums_of(layers, inputs)
    shares = numpy.exp(sums[-1] - sums[-1].max(1, keepdims=True))
    error = shares / shares.sum(1, keepdims=True)
    error[numpy.arange(len(labels)), labels] -= 1
    error /= len(labels)
    gradients = []
    for number in reversed(range(len(layers))):
        values = numpy.maximum(sums[number - 1], 0) if number else inputs
        gradients[:0] = [values.T @ error, error.sum(0)]
        if number:
            error = error @ layers[number][0].T * (values > 0) + 4 * WIDE / len(labels) * sums[number - 1]**3
    return gradients


def train(images, labels, epochs, seed):
    """The layers, as pairs of weights and bias, and the share of right answers on the images that were kept back."""
    draw = numpy.random.default_rng(seed)
    layers = [(draw.uniform(-1, 1, (a, b)).astype(numpy.float32) / a**0.5, numpy.zeros(b, numpy.float32))
              for a, b in zip(WIDTHS, WIDTHS[1:])]
    parameters = [array for layer in layers for array in layer]
    means, squares, step = [0 * array for array in parameters], [0 * array for array in parameters], 0
    known = len(images) * 9 // 10
    best, best_layers = -1.0, None
    for epoch in range(epochs):
        order = draw.permutation(known)
        for first in range(0, known, BATCH):
            chosen = order[first:first + BATCH]
            step += 1
            rate = RATE * (1 - epoch / epochs) * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
            gradients = gradients_of(layers, prepared(moved(images[chosen], draw)), labels[chosen])
            for array, mean, square, gradient in zip(parameters, means, squares, gradients):
                mean += 0.1 * (gradient - mean)
                square += 0.001 * (gradient * gradient - square)
                array -= rate * mean / (square**0.5 + 1e-8)
        right = float((sums_of(layers, prepared(images[known:]))[-1].argmax(1) == labels[known:]).mean())
        print(f"epoch {epoch + 1} of {epochs}: {100 * right:.2f} % right", flush=True)
        if right > best:
            best, best_layers = right, [(weights.copy(), bias.copy()) for weights, bias in layers]
    return best_layers, best


def model_of(layers):
    """The ONNX model. Its batch is open."""
    nodes, constants, value = [], [], "input"
    for number, (weights, bias) in enumerate(layers):
        last = number == len(layers) - 1
        constants += [numpy_helper.from_array(weights, f"weights{number}"), numpy_helper.from_array(bias, f"bias{number}")]
        sums = "output" if last else f"sums{number}"
        nodes.append(helper.make_node("Gemm", [value, f"weights{number}", f"bias{number}"], [sums], f"layer{number}"))
        value = f"values{number}"
        if not last:
            nodes.append(helper.make_node("Relu", [sums], [value], f"relu{number}"))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", width])
            for name, width in (("input", WIDTHS[0]), ("output", WIDTHS[-1]))]
    model = helper.make_model(helper.make_graph(nodes, "perceptron", ends[:1], ends[1:], constants),
                              opset_imports=[helper.make_opsetid("", 13)], producer_name="train_perceptron")
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("images", "labels", "model"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    images, labels = read_array(options.images).reshape(-1, 28, 28), read_array(options.labels).reshape(-1)
    if len(images) != len(labels) or len(images) < 10 * BATCH:
        parser.error(f"{len(images)} images and {len(labels)} labels: expected as many of either, at least {10 * BATCH}")
    layers, right = train(images, labels, options.epochs, options.seed)
    onnx.save(model_of(layers), str(options.model))
    print(f"wrote {options.model}: {100 * right:.2f} % of the images that were kept back are right")


if __name__ == "__main__":
    main()
