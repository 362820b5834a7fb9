#!/usr/bin/env python3
"""Trains a small network on scikit-learn's handwritten digits and writes it as ONNX.

    python3 -m venv venv && venv/bin/pip install -r examples/digits/requirements.txt
    venv/bin/python examples/digits/train.py --out examples/digits/model.onnx

The activation is a square, so that no calibration data is needed, and a penalty keeps its input and the scores small. The images come with
scikit-learn (load_digits; E. Alpaydin and C. Kaynak, UCI, 1998). One run takes ten seconds on one core.
"""
import argparse
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from scipy import ndimage
from sklearn.datasets import load_digits

INK = 16  # what a pixel holds at most
HIDDEN = 48
SQUARE_RANGE, SCORE_RANGE = 4.0, 12.0  # beyond these, training is penalised


def initial_parameters(random):
    return {"w1": jnp.asarray(random.normal(0, 64 ** -0.5, (64, HIDDEN)), jnp.float32), "b1": jnp.full(HIDDEN, 0.3, jnp.float32),
            "w2": jnp.asarray(random.normal(0, 0.5 * HIDDEN ** -0.5, (HIDDEN, 10)), jnp.float32), "b2": jnp.zeros(10, jnp.float32)}


def forward(parameters, images):
    """Scores, and the inputs of the squares. `images` have pixels from 0 to INK."""
    seen = images @ (parameters["w1"] / INK) + parameters["b1"]
    return seen ** 2 @ parameters["w2"] + parameters["b2"], seen


def loss(parameters, images, labels):
    scores, seen = forward(parameters, images)
    target = jax.nn.one_hot(labels, 10) * 0.95 + 0.005
    value = -(target * jax.nn.log_softmax(scores)).sum(1).mean()
    value += 0.1 * (jnp.maximum(jnp.abs(seen) - SQUARE_RANGE, 0) ** 2).sum() / len(images)
    value += 0.1 * (jnp.maximum(jnp.abs(scores) - SCORE_RANGE, 0) ** 2).sum() / len(images)
    return value + 1e-4 * ((parameters["w1"] ** 2).sum() + (parameters["w2"] ** 2).sum())


@jax.jit
def step(parameters, moments, count, rate, images, labels):
    """One step of Adam."""
    gradient = jax.grad(loss)(parameters, images, labels)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradient)
    bias1, bias2 = 1 - 0.9 ** count, 1 - 0.999 ** count
    parameters = jax.tree.map(lambda p, m, v: p - rate * (m / bias1) / (jnp.sqrt(v / bias2) + 1e-8), parameters, first, second)
    return parameters, (first, second)


def varied(image, random):
    """The same digit, slanted, turned, stretched and moved a little, with more or less ink."""
    slant, turn = random.uniform(-0.25, 0.25), random.uniform(-0.15, 0.15)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn) + slant, np.cos(turn)]]) * random.uniform(0.88, 1.12, (2, 1))
    centre = np.array([3.5, 3.5])
    offset = centre - matrix @ centre + random.uniform(-0.5, 0.5, 2)
    moved = ndimage.affine_transform(image, matrix, offset, order=1)
    return np.clip(moved * random.uniform(0.8, 1.25), 0, INK)


def write_model(parameters, path):
    numbers = {"w1": np.asarray(parameters["w1"]) / INK, "b1": parameters["b1"], "w2": parameters["w2"], "b2": parameters["b2"]}
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["pixels", "w1", "b1"], ["seen"]), helper.make_node("Mul", ["seen", "seen"], ["squares"]),
         helper.make_node("Gemm", ["squares", "w2", "b2"], ["scores"])],
        "digits", [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, ["n", 64])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", 10])],
        [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in numbers.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default="model.onnx")
    parser.add_argument("--epochs", type=int, default=150)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=3e-3)
    arguments = parser.parse_args()

    random = np.random.default_rng(1)
    digits = load_digits()
    order = random.permutation(len(digits.target))
    images, labels = digits.images[order], digits.target[order]
    test, test_labels, images, labels = images[:360], labels[:360], images[360:], labels[360:]
    parameters = initial_parameters(random)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    moments, count = (zeros, zeros), 0
    steps = len(images) // arguments.batch
    for _ in range(arguments.epochs):
        order = random.permutation(len(images))
        rows = np.stack([varied(image, random) for image in images[order]]).reshape(-1, 64).astype(np.float32)
        for i in range(steps):
            count += 1
            rate = arguments.rate * 0.5 * (1 + np.cos(np.pi * count / (steps * arguments.epochs)))
            part = slice(i * arguments.batch, (i + 1) * arguments.batch)
            parameters, moments = step(parameters, moments, count, rate, rows[part], labels[order][part])
    for name, pixels, expected in (("training", images, labels), ("test", test, test_labels)):
        scores, seen = forward(parameters, pixels.reshape(-1, 64))
        print(f"{name}: accuracy {float((scores.argmax(1) == expected).mean()):.4f}, largest input of a square "
              f"{float(jnp.abs(seen).max()):.2f}, largest score {float(jnp.abs(scores).max()):.2f}")
    write_model(parameters, arguments.out)


if __name__ == "__main__":
    main()
