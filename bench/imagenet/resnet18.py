#!/usr/bin/env python3
"""Writes ResNet-18 (He, Zhang, Ren, Sun 2016, Table 1) at 224 x 224 pixels with untrained weights, as ONNX.

Weights are drawn by the rule of He, Zhang, Ren and Sun (2015, section 2.2), from a generator with a fixed seed. The
statistics of every BatchNormalization are those of the given images, layer after layer. Every activation thus has the
spread of a trained network. The last layer is drawn, too.

  resnet18.py --statistics calibration.npy --output resnet18.onnx

needs numpy, onnx and onnxruntime.
"""

import argparse
import pathlib

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

SEED = 18
STAGES = ((64, 1), (128, 2), (256, 2), (512, 2))  # channels, and the stride of the first of two blocks
CLASSES = 1000


class Writer:
    """Adds nodes and drawn weights to a graph, and keeps the values of the statistics' images at every node."""

    def __init__(self, images):
        self.random = numpy.random.default_rng(SEED)
        self.nodes, self.weights = [], []
        self.values = {"image": images}
        self.count = 0

    def constant(self, name, array):
        self.weights.append(numpy_helper.from_array(array.astype(numpy.float32), name))
        return name

    def node(self, op, inputs, **attributes):
        """Adds a node and evaluates it on the images."""
        self.count += 1
        name = f"{op.lower()}{self.count}"
        node = helper.make_node(op, inputs, [name], name=name, **attributes)
        own = [w for w in self.weights if w.name in inputs]
        given = [i for i in inputs if i in self.values]
        graph = helper.make_graph(
            [node],
            name,
            [helper.make_tensor_value_info(i, TensorProto.FLOAT, self.values[i].shape) for i in given],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
            own,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        self.values[name] = session.run(None, {i: self.values[i] for i in given})[0]
        self.nodes.append(node)
        return name

    def convolution(self, x, channels, kernel, stride):
        fan_in = self.values[x].shape[1] * kernel * kernel
        weight = self.random.normal(0, (2 / fan_in) ** 0.5, (channels, self.values[x].shape[1], kernel, kernel))
        pad = kernel // 2
        name = self.constant(f"weight{self.count}", weight)
        x = self.node("Conv", [x, name], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4)
        made = self.values[x].astype(numpy.float64)
        statistics = {"mean": made.mean((0, 2, 3)), "variance": made.var((0, 2, 3))}
        ones = {"scale": numpy.ones(channels), "bias": numpy.zeros(channels)}
        names = [self.constant(f"{key}{self.count}", value) for key, value in (ones | statistics).items()]
        return self.node("BatchNormalization", [x, *names], epsilon=1e-5)

    def block(self, x, channels, stride):
        first = self.node("Relu", [self.convolution(x, channels, 3, stride)])
        second = self.convolution(first, channels, 3, 1)
        if stride != 1 or self.values[x].shape[1] != channels:
            x = self.convolution(x, channels, 1, stride)
        return self.node("Relu", [self.node("Add", [second, x])])


def resnet18(images):
    writer = Writer(images)
    x = writer.node("Relu", [writer.convolution("image", 64, 7, 2)])
    x = writer.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for channels, stride in STAGES:
        x = writer.block(writer.block(x, channels, stride), channels, 1)
    x = writer.node("Flatten", [writer.node("GlobalAveragePool", [x])], axis=1)
    last = writer.random.normal(0, (2 / channels) ** 0.5, (CLASSES, channels))
    x = writer.node("Gemm", [x, writer.constant("last", last)], transB=1)
    graph = helper.make_graph(
        writer.nodes,
        "resnet18",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, *images.shape[1:]])],
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, [1, CLASSES])],
        writer.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model, writer.values[x]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--statistics", type=pathlib.Path, required=True, help="images [n, 3, 224, 224], float32")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    model, logits = resnet18(numpy.load(options.statistics))
    onnx.save(model, options.output)
    spread = logits.max(1) - logits.min(1)
    print(f"{options.output}: logits of {len(logits)} images span {spread.min():.3g} to {spread.max():.3g}")


if __name__ == "__main__":
    main()
