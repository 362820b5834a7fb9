#!/usr/bin/env python3
"""Writes a perceptron of many tanh layers, far deeper than any leveled parameter set, with samples.

    bench/deep/perceptron.py --layers 12 --width 8 folder
    tacit run folder/deep.onnx --calibrate folder/calibration.npy --input folder/inputs.npy --parameters S8

The folder then holds deep.onnx, 200 samples for calibration and ten inputs, all standard normal. Weights and samples
come from fixed seeds.
"""
import argparse
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def perceptron(layers, width):
    """Returns `layers` layers of one width, each followed by tanh, and a last layer to three scores."""
    random = numpy.random.default_rng(3)
    nodes, weights = [], []
    previous = "x"
    for layer in range(layers + 1):
        outputs = width if layer < layers else 3
        matrix = random.normal(0, 1.2 / width**0.5, (width, outputs)).astype(numpy.float32)
        weights.append(numpy_helper.from_array(matrix, f"w{layer}"))
        product = f"p{layer}" if layer < layers else "scores"
        nodes.append(helper.make_node("MatMul", [previous, f"w{layer}"], [product], name=f"layer{layer}"))
        if layer < layers:
            previous = f"t{layer}"
            nodes.append(helper.make_node("Tanh", [product], [previous], name=f"tanh{layer}"))
    of = lambda name, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, size])
    graph = helper.make_graph(nodes, "deep", [of("x", width)], [of("scores", 3)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)


def write(folder, layers, width):
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(perceptron(layers, width), folder / "deep.onnx")
    for name, count, seed in (("calibration", 200, 5), ("inputs", 10, 21)):
        numpy.save(folder / f"{name}.npy", numpy.random.default_rng(seed).normal(size=(count, width)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=8)
    options = parser.parse_args()
    write(options.folder, options.layers, options.width)


if __name__ == "__main__":
    main()
