#!/usr/bin/env python3
"""Trains the demo's network on Fashion-MNIST and writes it as ONNX.

    python3 -m venv venv && venv/bin/pip install -r examples/fashion/requirements.txt
    venv/bin/python examples/fashion/train.py --out examples/fashion/model.onnx

The network is meant for encrypted evaluation: every activation is a square, so it is a polynomial as it stands, and a
penalty keeps the inputs of the squares and the logits small, so that no value outgrows the modulus. The data is Debian's
package dataset-fashion-mnist. One run takes about ten minutes on one core.
"""
import argparse
import functools
import os
import pathlib

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.numpy as jnp
import numpy as np

import dataset
import export
from dataset import MEAN, STD
from export import HIDDEN, KERNEL, MAPS, PAD, SIDE, STRIDE

BN_EPSILON = 1e-5
SQUARE_RANGE, LOGIT_RANGE = 5.0, 16.0  # beyond these, training is penalised


def initial_parameters(seed):
    random = np.random.default_rng(seed)

    def weights(*shape):
        fan_in = int(np.prod(shape[1:]))
        return jnp.asarray(random.normal(0, fan_in ** -0.5, shape), jnp.float32)

    def batch_norm(size):
        # A square of a unit normal has mean 1: starting at 0.5 keeps the next layer's inputs small.
        return {"scale": jnp.full(size, 0.5, jnp.float32), "shift": jnp.full(size, 0.3, jnp.float32)}

    return {
        "conv1": weights(MAPS[0], 1, KERNEL, KERNEL), "bn1": batch_norm(MAPS[0]),
        "conv2": weights(MAPS[1], MAPS[0], KERNEL, KERNEL), "bn2": batch_norm(MAPS[1]),
        "fc1": weights(HIDDEN, MAPS[1] * SIDE * SIDE), "bn3": batch_norm(HIDDEN),
        "fc2": weights(10, HIDDEN), "bias": jnp.zeros(10, jnp.float32),
    }


def initial_statistics():
    sizes = {"bn1": MAPS[0], "bn2": MAPS[1], "bn3": HIDDEN}
    return {name: {"mean": jnp.zeros(n, jnp.float32), "var": jnp.ones(n, jnp.float32)} for name, n in sizes.items()}


def convolve(x, w):
    """Strided convolution as one matrix product over the 25 shifted images: its gradient is fast on a CPU."""
    x = jnp.pad(x, ((0, 0), (0, 0), (PAD, PAD), (PAD, PAD)))
    out = (x.shape[2] - KERNEL) // STRIDE + 1
    span = (out - 1) * STRIDE + 1
    taps = [x[:, :, i:i + span:STRIDE, j:j + span:STRIDE] for i in range(KERNEL) for j in range(KERNEL)]
    patches = jnp.stack(taps, axis=2)  # batch, channel, tap, row, column
    return jnp.einsum("bctyx,oct->boyx", patches, w.reshape(w.shape[0], w.shape[1], -1))


def forward(parameters, statistics, x, training):
    """Logits, the new running statistics, and the inputs of the squares."""
    seen, updated = [], {}

    def normalise(z, name):
        axes = (0,) + tuple(range(2, z.ndim))
        if training:
            mean, var = z.mean(axes), z.var(axes)
            old = statistics[name]
            updated[name] = {"mean": 0.98 * old["mean"] + 0.02 * mean, "var": 0.98 * old["var"] + 0.02 * var}
        else:
            mean, var = statistics[name]["mean"], statistics[name]["var"]
        shape = (1, -1) + (1,) * (z.ndim - 2)
        p = parameters[name]
        z = (z - mean.reshape(shape)) * jax.lax.rsqrt(var + BN_EPSILON).reshape(shape)
        z = z * p["scale"].reshape(shape) + p["shift"].reshape(shape)
        seen.append(z)
        return z

    x = normalise(convolve(x, parameters["conv1"]), "bn1") ** 2
    x = normalise(convolve(x, parameters["conv2"]), "bn2") ** 2
    x = x.reshape(x.shape[0], -1)
    x = normalise(x @ parameters["fc1"].T, "bn3") ** 2
    return x @ parameters["fc2"].T + parameters["bias"], updated, seen


def loss(parameters, statistics, x, y, smoothing, decay):
    logits, updated, seen = forward(parameters, statistics, x, True)
    target = jax.nn.one_hot(y, 10) * (1 - smoothing) + smoothing / 10
    value = -(target * jax.nn.log_softmax(logits)).sum(1).mean()
    for z in seen:
        value += 0.1 * (jnp.maximum(jnp.abs(z) - SQUARE_RANGE, 0) ** 2).sum() / x.shape[0]
    value += 0.1 * (jnp.maximum(jnp.abs(logits) - LOGIT_RANGE, 0) ** 2).sum() / x.shape[0]
    for name in ("conv1", "conv2", "fc1", "fc2"):
        value += decay * (parameters[name] ** 2).sum()
    return value, updated


@functools.partial(jax.jit, static_argnames=("smoothing", "decay"))
def step(parameters, statistics, moments, average, count, rate, x, y, smoothing, decay):
    """One Adam step, and one step of the running average of the weights that is written out in the end."""
    (value, statistics), gradient = jax.value_and_grad(loss, has_aux=True)(parameters, statistics, x, y, smoothing, decay)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradient)
    correct1, correct2 = 1 - 0.9 ** count, 1 - 0.999 ** count
    parameters = jax.tree.map(lambda p, m, v: p - rate * (m / correct1) / (jnp.sqrt(v / correct2) + 1e-8), parameters,
                              first, second)
    average = jax.tree.map(lambda a, p: 0.995 * a + 0.005 * p, average, parameters)
    return parameters, statistics, (first, second), average, value


def augment(images, random):
    """Random mirror images and shifts by up to one pixel; the new border is background."""
    background = np.float32(-MEAN / STD)
    flipped = np.where(random.random(len(images))[:, None, None, None] < 0.5, images[..., ::-1], images)
    padded = np.pad(flipped, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=background)
    out = np.empty_like(images)
    for shift in range(9):
        dy, dx = divmod(shift, 3)
        out[shift::9] = padded[shift::9, :, dy:dy + 28, dx:dx + 28]
    return out


def recompute_statistics(parameters, images):
    """Exact statistics of the averaged weights over the training images, layer by layer."""
    statistics = initial_statistics()
    for name in ("bn1", "bn2", "bn3"):
        # In evaluation mode with mean 0 and variance 1 - epsilon the normalised value is scale * z + shift.
        identity = {"mean": jnp.zeros_like(statistics[name]["mean"]),
                    "var": jnp.ones_like(statistics[name]["var"]) - BN_EPSILON}
        probe = dict(statistics, **{name: identity})
        ones = {"scale": jnp.ones_like(parameters[name]["scale"]), "shift": jnp.zeros_like(parameters[name]["shift"])}
        layer = int(name[-1]) - 1
        changed = dict(parameters, **{name: ones})
        run = jax.jit(lambda x, changed=changed, probe=probe, layer=layer: forward(changed, probe, x, False)[2][layer])
        total = square = count = 0.0
        for i in range(0, len(images), 2000):
            z = np.asarray(run(images[i:i + 2000]), np.float64)
            axes = (0,) + tuple(range(2, z.ndim))
            total, square = total + z.sum(axes), square + (z ** 2).sum(axes)
            count += z.size / z.shape[1]
        mean = total / count
        statistics[name] = {"mean": jnp.asarray(mean, jnp.float32),
                            "var": jnp.asarray(square / count - mean ** 2, jnp.float32)}
    return statistics


def evaluate(parameters, statistics, images, labels):
    """Accuracy, the largest input of a square, the largest logit."""
    run = jax.jit(lambda x: forward(parameters, statistics, x, False))
    right, square, logit = 0, 0.0, 0.0
    for i in range(0, len(images), 2000):
        logits, _, seen = run(images[i:i + 2000])
        right += int((np.asarray(logits).argmax(1) == labels[i:i + 2000]).sum())
        square = max([square] + [float(jnp.abs(z).max()) for z in seen])
        logit = max(logit, float(jnp.abs(logits).max()))
    return right / len(images), square, logit


def write_model(parameters, statistics, path):
    """The trained numbers by the names that they have in `export.Network`."""
    numbers = {f"{layer}.weight": parameters[layer] for layer in ("conv1", "conv2", "fc1", "fc2")}
    numbers["fc2.bias"] = parameters["bias"]
    for name in ("bn1", "bn2", "bn3"):
        numbers.update({f"{name}.weight": parameters[name]["scale"], f"{name}.bias": parameters[name]["shift"],
                        f"{name}.running_mean": statistics[name]["mean"],
                        f"{name}.running_var": statistics[name]["var"]})
    export.save(numbers, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=dataset.FOLDER)
    parser.add_argument("--out", type=pathlib.Path, default="model.onnx")
    parser.add_argument("--epochs", type=int, default=36)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--decay", type=float, default=2e-5)
    parser.add_argument("--smoothing", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    images, labels = dataset.load(arguments.data, "train")
    test_images, test_labels = dataset.load(arguments.data, "t10k")
    random = np.random.default_rng(arguments.seed)
    parameters, statistics = initial_parameters(arguments.seed), initial_statistics()
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    moments, average = (zeros, zeros), parameters
    steps = len(images) // arguments.batch
    count = 0
    for epoch in range(arguments.epochs):
        order = random.permutation(len(images))
        shuffled, targets = augment(images[order], random), labels[order]
        total = 0.0
        for i in range(steps):
            count += 1
            progress = count / (steps * arguments.epochs)
            rate = arguments.rate * min(1.0, count / 500) * 0.5 * (1 + np.cos(np.pi * progress))
            rows = slice(i * arguments.batch, (i + 1) * arguments.batch)
            parameters, statistics, moments, average, value = step(
                parameters, statistics, moments, average, count, rate, shuffled[rows], targets[rows],
                arguments.smoothing, arguments.decay)
            total += float(value)
        print(f"epoch {epoch + 1:3d}  loss {total / steps:.4f}", flush=True)

    statistics = recompute_statistics(average, images)
    for name, x, y in (("training", images, labels), ("test", test_images, test_labels)):
        accuracy, square, logit = evaluate(average, statistics, x, y)
        print(f"{name}: accuracy {accuracy:.4f}, largest input of a square {square:.2f}, largest logit {logit:.2f}")
    write_model(average, statistics, arguments.out)


if __name__ == "__main__":
    main()
