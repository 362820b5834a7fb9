#!/usr/bin/env python3
"""Writes an encoder of sentences (Devlin, Chang, Lee, Toutanova 2019) with drawn weights, as ONNX, with drawn embeddings to read.

A token has WIDTH numbers. Every layer has self-attention of HEADS heads, a residual, a LayerNormalization, two dense layers with a Gelu
between them, and the same again. Two scores are read from the first token. The default is the shape of BERT-tiny.

  encoder.py --tokens 16 --output FOLDER
  encoder.py --tokens 128 --width 768 --heads 12 --hidden 3072 --layers 1 --output FOLDER

writes model.onnx, and from the same generator train.npy to calibrate on and test.npy. Needs numpy and onnx.
"""

import argparse
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED = 7


class Writer:
    """Adds nodes and drawn weights to a graph."""

    def __init__(self, shape):
        self.random = numpy.random.default_rng(SEED)
        self.width, self.heads, self.hidden = shape
        self.nodes, self.weights = [], []

    def constant(self, name, array):
        array = numpy.asarray(array)
        self.weights.append(numpy_helper.from_array(array.astype(numpy.float32 if array.dtype.kind == "f" else numpy.int64), name))
        return name

    def node(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def dense(self, x, name, rows, columns):
        weights = self.constant(f"{name}.weights", self.random.normal(size=(rows, columns)) / numpy.sqrt(rows))
        bias = self.constant(f"{name}.bias", 0.1 * self.random.normal(size=columns))
        return self.node("Add", [self.node("MatMul", [x, weights], f"{name}.product"), bias], name)

    def norm(self, x, name):
        scale = self.constant(f"{name}.scale", 1 + 0.1 * self.random.normal(size=self.width))
        shift = self.constant(f"{name}.shift", 0.1 * self.random.normal(size=self.width))
        return self.node("LayerNormalization", [x, scale, shift], name, epsilon=1e-5)

    def head(self, x, name, order):
        split = self.node("Reshape", [self.dense(x, name, self.width, self.width), "split"], f"{name}.split")
        return self.node("Transpose", [split], f"{name}.heads", perm=order)

    def attention(self, x, name):
        query, value = (self.head(x, f"{name}.{part}", [0, 2, 1, 3]) for part in ("query", "value"))
        key = self.head(x, f"{name}.key", [0, 2, 3, 1])
        scores = self.node("Mul", [self.node("MatMul", [query, key], f"{name}.products"), "by_root"], f"{name}.scores")
        weights = self.node("Softmax", [scores], f"{name}.weights", axis=-1)
        heads = self.node("Transpose", [self.node("MatMul", [weights, value], f"{name}.sums")], f"{name}.tokens", perm=[0, 2, 1, 3])
        return self.dense(self.node("Reshape", [heads, "join"], f"{name}.joined"), f"{name}.output", self.width, self.width)

    def layer(self, x, name):
        attended = self.norm(self.node("Add", [x, self.attention(x, f"{name}.attention")], f"{name}.first"), f"{name}.first_norm")
        hidden = self.node("Gelu", [self.dense(attended, f"{name}.up", self.width, self.hidden)], f"{name}.gelu")
        down = self.dense(hidden, f"{name}.down", self.hidden, self.width)
        return self.norm(self.node("Add", [attended, down], f"{name}.second"), f"{name}.second_norm")

    def encoder(self, layers):
        self.constant("split", [0, 0, self.heads, self.width // self.heads])
        self.constant("join", [0, 0, self.width])
        self.constant("by_root", 1 / numpy.sqrt(self.width / self.heads))
        x = "embeddings"
        for k in range(layers):
            x = self.layer(x, f"layer{k}")
        first = self.node("Gather", [x, self.constant("token", 0)], "first_token", axis=1)
        return self.dense(first, "scores", self.width, 2)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--width", type=int, default=128, help="numbers of a token")
    parser.add_argument("--heads", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=512, help="numbers of a token between the dense layers")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--samples", type=int, default=64, help="of train.npy")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder of the three files")
    asked = parser.parse_args()
    if asked.width % asked.heads:
        parser.error(f"--heads {asked.heads} do not divide --width {asked.width}: give a divisor of the width")
    return asked


def main():
    asked = arguments()
    writer = Writer((asked.width, asked.heads, asked.hidden))
    scores = writer.encoder(asked.layers)
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
               for name, shape in (("embeddings", [1, asked.tokens, asked.width]), (scores, [1, 2]))]
    graph = helper.make_graph(writer.nodes, "encoder", tensors[:1], tensors[1:], writer.weights)
    asked.output.mkdir(parents=True, exist_ok=True)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), asked.output / "model.onnx")
    for name, count in (("train", asked.samples), ("test", 8)):
        embeddings = writer.random.normal(size=(count, asked.tokens, asked.width))
        numpy.save(asked.output / f"{name}.npy", embeddings.astype(numpy.float32))


if __name__ == "__main__":
    main()
