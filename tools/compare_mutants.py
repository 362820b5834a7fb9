#!/usr/bin/env python3
"""Changes small models at random and compares our reference run with ONNX Runtime.

    venv/bin/python tools/compare_mutants.py build/release/bin/run_reference --count 5000 --seed 1

Needs the packages onnx, onnxruntime and numpy. A mutant is a small model with one to four changes: attributes, values
and types of constants, operators, nodes in between, the operator set. What we import must give ONNX Runtime's answer;
we may refuse a mutant, and so may ONNX Runtime. Integers, truth values and shapes must be equal, real numbers up to
--tolerance; large integers that were real numbers before, up to the digits of those. Answers that are not finite are
not compared. Every difference is printed and its model kept in --keep; exits with 1 if there is one.
"""
import argparse
import collections
import pathlib
import pickle
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TYPES = INTEGERS + ["float32", "float64", "bool"]
# An operator becomes another one of its group.
GROUPS = [
    ["Add", "Sub", "Mul", "Div", "Mod", "Pow", "Min", "Max"],
    ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"],
    ["And", "Or", "Xor"],
    ["Neg", "Abs", "Sign", "Identity", "Relu", "Floor", "Ceil", "Round", "Sqrt", "Reciprocal", "Exp", "Not"],
    ["ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSum",
     "ReduceLogSumExp"],
    ["ArgMax", "ArgMin"],
    ["Squeeze", "Unsqueeze"],
    ["Gather", "GatherElements", "GatherND"],
    ["AveragePool", "MaxPool", "LpPool"],
    ["GlobalAveragePool", "GlobalMaxPool"],
]
SPLICED = ["Neg", "Abs", "Identity", "Sign", "Relu", "Floor", "Cast", "Cast", "Not", "Sqrt"]
TEXTS = {
    "mode": ["constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic", "DCR", "CRD"],
    "auto_pad": ["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"],
    "coordinate_transformation_mode": ["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"],
    "nearest_mode": ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"],
    "reduction": ["none", "add", "mul", "max", "min"],
    "equation": ["ij,jk->ik", "ij,jk", "ij->ji", "ij->i", "ii->i", "ij,ij->", "ij,kj->ik"],
}


def tensor_type(name):
    return helper.np_dtype_to_tensor_dtype(np.dtype(name))


def random_numbers(rng, dtype, shape):
    """Mostly small numbers, and the extremes of the type."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    if dtype.kind == "b":
        return np.array([rng.random() < 0.5 for _ in range(count)], dtype).reshape(shape)
    if dtype.kind == "f":
        choices = [0.0, 0.5, 1.0, -1.0, 2.5, -2.5, 1e-3, 100.0]
        numbers = [rng.choice(choices) if rng.random() < 0.3 else rng.gauss(0, 3) for _ in range(count)]
        return np.array(numbers, dtype).reshape(shape)
    info = np.iinfo(dtype)
    extremes = [info.min, info.max, info.min + 1, info.max - 1, info.max // 2, info.max // 2 + 1, 65537, 46341, 2**31,
                2**53, 2**53 + 1, 2**62, 200, 100]
    wild = rng.random() < 0.4
    numbers = []
    for _ in range(count):
        value = rng.choice(extremes) if wild and rng.random() < 0.5 else rng.randint(-4, 9)
        numbers.append(min(max(value, info.min), info.max))
    return np.array(numbers, dtype).reshape(shape)


class Sketch:
    """A model under construction."""

    def __init__(self, rng, opset=17):
        self.rng, self.opset = rng, opset
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def input(self, dtype, shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, tensor_type(dtype), shape))
        return name

    def weight(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, outputs=1, **attributes):
        names = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=f"n{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def model(self, *outputs):
        """A model whose outputs, of any type, are these tensors."""
        made = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self.nodes, "sketch", self.inputs, made, self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)


def constants_beside_input(rng):
    """Arithmetic of constants of one type, added to an input of that type."""
    dtype = rng.choice(TYPES)
    s = Sketch(rng, rng.choice([13, 17, 18]))
    x = s.input(dtype, [1, 3])
    a = s.weight(random_numbers(rng, dtype, [3]))
    for _ in range(rng.randint(1, 4)):
        b = s.weight(random_numbers(rng, dtype, rng.choice([[], [1], [3]])))
        a = s.node(rng.choice(GROUPS[0]), [a, b] if rng.random() < 0.8 else [b, a])
    return s.model(s.node(rng.choice(GROUPS[0]), [x, a]))


def casts(rng):
    s = Sketch(rng, rng.choice([13, 19]))
    types = [rng.choice(TYPES) for _ in range(3)]
    x = s.input(types[-1], [1, 4])
    a = s.weight(random_numbers(rng, types[0], [4]))
    for dtype in types:
        a = s.node("Cast", [a], to=tensor_type(dtype))
    return s.model(s.node(rng.choice(["Add", "Mul", "Max", "Equal"]), [x, a]))


def reductions(rng):
    dtype = rng.choice(["int32", "int64", "float32", "float64", "int8", "uint8"])
    s = Sketch(rng, rng.choice([13, 17]))
    x, w = s.input(dtype, [1, 2, 3]), s.weight(random_numbers(rng, dtype, [1, 2, 3]))
    source = rng.choice([x, w])
    op = rng.choice(GROUPS[4] + ["ReduceSum", "CumSum", "ArgMax", "TopK"])
    keep = rng.randint(0, 1)
    if op == "ReduceSum":
        r = s.node(op, [source, s.weight(np.array([rng.randint(-3, 2)], np.int64))], keepdims=keep)
    elif op == "CumSum":
        r = s.node(op, [source, s.weight(np.array(rng.randint(-3, 2), np.int64))], exclusive=rng.randint(0, 1),
                   reverse=rng.randint(0, 1))
    elif op == "ArgMax":
        r = s.node(op, [source], axis=rng.randint(-3, 2), keepdims=keep, select_last_index=rng.randint(0, 1))
    elif op == "TopK":
        r = s.node(op, [source, s.weight(np.array([rng.randint(1, 3)], np.int64))], 2, axis=rng.randint(-3, 2),
                   largest=rng.randint(0, 1))[0]
    else:
        r = s.node(op, [source], axes=[rng.randint(-3, 2)], keepdims=keep)
    return s.model(r, s.node("Identity", [x]))


def shape_arithmetic(rng):
    """What exporters write around a Reshape."""
    s = Sketch(rng, rng.choice([11, 13, 17, 21]))
    x = s.input("float32", [1, 2, 3, 4])
    shape = s.node("Shape", [x])
    first = s.node("Slice", [shape, s.weight(np.array([0], np.int64)), s.weight(np.array([2], np.int64))])
    rest = s.node("Slice", [shape, s.weight(np.array([2], np.int64)),
                            s.weight(np.array([rng.choice([4, 100, 2**31 - 1, 2**63 - 1])], np.int64))])
    product = s.node("ReduceProd", [rest], keepdims=1)
    return s.model(s.node("Reshape", [x, s.node("Concat", [first, product], axis=0)]))


def slices(rng):
    dtype = rng.choice(["float32", "int32", "int64", "uint8"])
    s = Sketch(rng, rng.choice([10, 13, 17]))
    x = s.input(dtype, [1, 5, 6])
    ends = [rng.choice([2**63 - 1, -2**63, 2**31 - 1, 3, -1, 100, 2**62, 2**53 + 1]) for _ in range(2)]
    starts = [rng.choice([0, 1, -2, 2**63 - 1, -2**63 + 1]) for _ in range(2)]
    numbers = lambda values: s.weight(np.array(values, np.int64))
    y = s.node("Slice", [x, numbers(starts), numbers(ends), numbers([1, 2]),
                         numbers([rng.choice([1, 2, -1, -2]) for _ in range(2)])])
    return s.model(y)


def indexing(rng):
    dtype = rng.choice(["float32", "int32", "int64"])
    s = Sketch(rng, rng.choice([13, 16, 18]))
    x = s.input(dtype, [1, 3, 4])
    op = rng.choice(["Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND", "OneHot", "Where", "Trilu",
                     "Tile", "Expand", "Pad", "Transpose"])
    indices = s.weight(np.array([[[0, 1, 2, 0]]], np.int64))
    weights = s.weight(random_numbers(rng, dtype, [1, 1, 4]))
    if op == "Gather":
        y = s.node(op, [x, s.weight(np.array([0, -1, 2], np.int64))], axis=1)
    elif op == "GatherElements":
        y = s.node(op, [x, indices], axis=rng.choice([1, 2]))
    elif op == "GatherND":
        y = s.node(op, [x, s.weight(np.array([[0, 1], [0, -1]], np.int64))])
    elif op == "ScatterElements":
        y = s.node(op, [x, indices, weights], axis=1, reduction=rng.choice(["none", "add", "mul"]))
    elif op == "ScatterND":
        y = s.node(op, [x, s.weight(np.array([[[0, 1, 2]]], np.int64)), s.weight(random_numbers(rng, dtype, [1, 1]))],
                   reduction=rng.choice(["none", "add", "mul"]))
    elif op == "OneHot":
        hot = s.node(op, [s.weight(np.array([1, -1, 7, 3], np.int64)), s.weight(np.array([4], np.int64)),
                          s.weight(random_numbers(rng, dtype, [2]))], axis=rng.choice([0, 1, -1]))
        y = s.node("Mul", [x, s.node("Gather", [hot, s.weight(np.array([0], np.int64))], axis=0)])
    elif op == "Where":
        y = s.node(op, [s.weight(random_numbers(rng, "bool", [4])), x, weights])
    elif op == "Trilu":
        y = s.node(op, [x, s.weight(np.array(rng.randint(-2, 2), np.int64))], upper=rng.randint(0, 1))
    elif op == "Tile":
        y = s.node(op, [x, s.weight(np.array([1, rng.randint(0, 3), 2], np.int64))])
    elif op == "Expand":
        y = s.node(op, [x, s.weight(np.array([rng.randint(1, 2), 3, 1], np.int64))])
    elif op == "Pad":
        y = s.node(op, [x, s.weight(np.array([0, rng.randint(-1, 2), 1, 0, rng.randint(-1, 2), 0], np.int64)),
                        s.weight(random_numbers(rng, dtype, []))], mode=rng.choice(["constant", "reflect", "edge"]))
    else:
        y = s.node(op, [x], perm=rng.sample(range(3), 3))
    return s.model(y)


def ranges(rng):
    dtype = rng.choice(["int32", "int64", "float32", "float64", "int16"])
    s = Sketch(rng, 17)
    x = s.input(dtype, [1, 1])
    bounds = [np.array(v).astype(dtype) for v in (rng.uniform(-9, 9), rng.uniform(-9, 9), rng.choice([1, -1, 0.1, 3]))]
    made = s.node("Range", [s.weight(b) for b in bounds])
    return s.model(s.node("Add", [x, made]), s.node("Size", [made]))


def matrices(rng):
    dtype = rng.choice(["float32", "int32", "int64", "uint32", "float64"])
    s = Sketch(rng, 17)
    x = s.input(dtype, [1, 3])
    a, b = (s.weight(random_numbers(rng, dtype, [3, 3])) for _ in range(2))
    product = s.node("Einsum", [a, b], equation=rng.choice(TEXTS["equation"][:2])) if rng.random() < 0.4 else \
        s.node("MatMul", [a, b])
    if dtype.startswith("float") and rng.random() < 0.4:
        return s.model(s.node("Gemm", [x, product, s.weight(random_numbers(rng, dtype, [3]))],
                              alpha=rng.choice([1.0, 0.5]), beta=rng.choice([1.0, 2.0]), transB=rng.randint(0, 1)))
    return s.model(s.node("MatMul", [x, product]))


def images(rng):
    s = Sketch(rng, rng.choice([11, 13, 18]))
    x = s.input("float32", [1, 2, 5, 6])
    op = rng.choice(["Conv", "AveragePool", "MaxPool", "Resize", "BatchNormalization", "DepthToSpace", "ConvTranspose",
                     "GlobalAveragePool", "LpPool"])
    pads = [rng.randint(0, 1) for _ in range(4)]
    if op in ("Conv", "ConvTranspose"):
        w = s.weight(random_numbers(rng, "float32", [2, 2, 3, 2]))
        y = s.node(op, [x, w], pads=pads, strides=[rng.randint(1, 2), 1], dilations=[1, rng.randint(1, 2)])
    elif op == "Resize":
        # Where a scale makes no whole extent, ONNX Runtime aligns corners in another way than the ONNX project's cases.
        coordinates = rng.choice(TEXTS["coordinate_transformation_mode"])
        scales = [1.0, 2.0] if coordinates == "align_corners" else [0.5, 1.5, 2.0]
        y = s.node(op, [x, "", s.weight(np.array([1, 1, rng.choice(scales), 2.0], np.float32))],
                   mode=rng.choice(["nearest", "linear"]), coordinate_transformation_mode=coordinates)
    elif op == "BatchNormalization":
        numbers = [s.weight(np.abs(random_numbers(rng, "float32", [2])) + 0.1) for _ in range(4)]
        y = s.node(op, [x] + numbers)
    elif op == "DepthToSpace":
        y = s.node(op, [s.node("Concat", [x, x], axis=1)], blocksize=2, mode=rng.choice(["DCR", "CRD"]))
    elif op == "GlobalAveragePool":
        y = s.node(op, [x])
    else:
        y = s.node(op, [x], kernel_shape=[2, 3], pads=pads, strides=[rng.randint(1, 2), 2],
                   **({} if op == "LpPool" else {"ceil_mode": rng.randint(0, 1)}))
    return s.model(s.node(rng.choice(["Relu", "Abs", "Sigmoid", "Identity"]), [y]))


def client_like(rng):
    """Integers that the client computes before and after the encrypted part."""
    dtype = rng.choice(INTEGERS)
    s = Sketch(rng, 17)
    x = s.input(dtype, [1, 3])
    a = s.node(rng.choice(GROUPS[0]), [x, s.weight(random_numbers(rng, dtype, [3]))])
    real = s.node("Cast", [a], to=TensorProto.FLOAT)
    y = s.node("MatMul", [real, s.weight(random_numbers(rng, "float32", [3, 3]))])
    return s.model(s.node("ArgMax", [y], axis=1), s.node("Cast", [y], to=tensor_type(rng.choice(INTEGERS))))


FAMILIES = [constants_beside_input, constants_beside_input, casts, reductions, shape_arithmetic, slices, indexing, ranges,
            matrices, images, client_like]


def change_attribute(rng, model):
    attributes = [a for node in model.graph.node for a in node.attribute]
    if not attributes:
        return
    a = rng.choice(attributes)
    if a.type == onnx.AttributeProto.INT:
        a.i = rng.choice([a.i + 1, a.i - 1, 0, 1, 2, -1, tensor_type(rng.choice(TYPES)) if a.name == "to" else 3])
    elif a.type == onnx.AttributeProto.FLOAT:
        a.f = rng.choice([0.0, 1.0, -1.0, 0.5, a.f * 2])
    elif a.type == onnx.AttributeProto.INTS and a.ints:
        a.ints[rng.randrange(len(a.ints))] = rng.choice([0, 1, 2, 3, -1, 5])
    elif a.type == onnx.AttributeProto.STRING:
        a.s = rng.choice(TEXTS.get(a.name, [a.s.decode()])).encode()


def change_weight(rng, model):
    if not model.graph.initializer:
        return
    weight = rng.choice(model.graph.initializer)
    value = numpy_helper.to_array(weight).copy()
    what = rng.random()
    if what < 0.6 and value.size:
        at = rng.randrange(value.size)
        value.reshape(-1)[at] = random_numbers(rng, value.dtype, [1])[0]
    elif what < 0.8:
        with np.errstate(all="ignore"):
            value = value.astype(rng.choice(TYPES))
    else:
        value = random_numbers(rng, value.dtype, value.shape)
    weight.CopyFrom(numpy_helper.from_array(value, weight.name))


def change_operator(rng, model):
    node = rng.choice(model.graph.node)
    groups = [group for group in GROUPS if node.op_type in group]
    if groups:
        node.op_type = rng.choice(groups[0])


def splice(rng, model):
    """A node on one edge."""
    at = rng.randrange(len(model.graph.node))
    node = model.graph.node[at]
    places = [i for i, name in enumerate(node.input) if name]
    if not places:
        return
    place = rng.choice(places)
    op = rng.choice(SPLICED)
    attributes = {"to": tensor_type(rng.choice(TYPES))} if op == "Cast" else {}
    name = f"s{len(model.graph.node)}"
    made = helper.make_node(op, [node.input[place]], [name], name=name, **attributes)
    node.input[place] = name
    model.graph.node.insert(at, made)


def leave_out(rng, model):
    """Whoever reads the node's result reads its input."""
    at = rng.randrange(len(model.graph.node))
    node = model.graph.node[at]
    if len(model.graph.node) < 2 or not node.input or not node.input[0]:
        return
    for other in list(model.graph.node):
        for i, name in enumerate(other.input):
            if name == node.output[0]:
                other.input[i] = node.input[0]
    for output in model.graph.output:
        if output.name == node.output[0]:
            return
    del model.graph.node[at]


def change_opset(rng, model):
    model.opset_import[0].version = rng.choice([7, 9, 10, 11, 12, 13, 15, 17, 18, 21])


CHANGES = [change_attribute, change_attribute, change_weight, change_weight, change_operator, change_operator, splice,
           splice, leave_out, change_opset]


def mutant(rng):
    model = rng.choice(FAMILIES)(rng)
    for _ in range(rng.randint(0, 4)):
        rng.choice(CHANGES)(rng, model)
    inputs = [random_numbers(rng, helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type),
                             [d.dim_value for d in i.type.tensor_type.shape.dim]) for i in model.graph.input]
    return model, inputs


def serve():
    """Answers models with ONNX Runtime, which some of them end."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    while True:
        head = sys.stdin.buffer.read(8)
        if len(head) < 8:
            return
        data, inputs = pickle.loads(sys.stdin.buffer.read(struct.unpack("<q", head)[0]))
        try:
            session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            feed = {i.name: value for i, value in zip(session.get_inputs(), inputs)}
            answer = ("ok", session.run(None, feed))
        except Exception as error:  # whatever it says, the model is none for it
            answer = ("refused", str(error))
        message = pickle.dumps(answer)
        sys.stdout.buffer.write(struct.pack("<q", len(message)) + message)
        sys.stdout.buffer.flush()


class Runtime:
    """ONNX Runtime in a process of its own."""

    def __init__(self):
        self.process = None

    def run(self, data, inputs):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, __file__, "--serve"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        message = pickle.dumps((data, inputs))
        try:
            self.process.stdin.write(struct.pack("<q", len(message)) + message)
            self.process.stdin.flush()
            head = self.process.stdout.read(8)
            if len(head) < 8:
                raise BrokenPipeError
            return pickle.loads(self.process.stdout.read(struct.unpack("<q", head)[0]))
        except BrokenPipeError:
            self.process.wait()
            self.process = None
            return "crashed", "ONNX Runtime ended"


class Ours:
    """The reference run, in a process of its own."""

    def __init__(self, program):
        self.program, self.process = program, None

    def run(self, folder):
        if self.process is None:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(f"{folder}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            self.process = None
            return "failed", f"it ended with status {status}"
        word, rest = line.rstrip("\n").split(" ", 1)
        if word != "outputs":
            return word, rest
        outputs = []
        for _ in range(int(rest)):
            kind, shape, *words = self.process.stdout.readline().rstrip("\n").split(" ")
            extents = [int(extent) for extent in shape.strip("[]").split(",") if extent]
            outputs.append((kind, np.array([float(w) for w in words if w], np.float64).reshape(extents)))
        return "ok", outputs


def casts_reals(model):
    """True if integers of a model may have been real numbers."""
    return any(node.op_type == "Cast" for node in model.graph.node) and \
        any(t.data_type in (TensorProto.FLOAT, TensorProto.DOUBLE) for t in model.graph.initializer)


def difference(ours, theirs, tolerance, integer_tolerance):
    """What differs, as text; none where nothing does."""
    if len(ours) != len(theirs):
        return f"{len(ours)} outputs and {len(theirs)}"
    for i, ((kind, found), expected) in enumerate(zip(ours, theirs)):
        whole = expected.dtype.kind in "iub"
        if list(found.shape) != list(expected.shape):
            return f"output {i} has shape {list(found.shape)} and {list(expected.shape)}"
        if whole != (kind == "integer"):
            return f"output {i} is {kind} and {expected.dtype}"
        if whole:
            same = np.array([abs(int(a) - int(b)) <= integer_tolerance * abs(int(b))
                             for a, b in zip(found.reshape(-1), expected.reshape(-1))], bool)
        else:
            with np.errstate(all="ignore"):
                wanted = expected.astype(np.float64)
                scale = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=1.0)
                same = (found == wanted) | (np.isnan(found) & np.isnan(wanted)) | \
                    (np.abs(found - wanted) <= tolerance * scale)
        if not np.all(same):
            return f"output {i} is {found.reshape(-1)[:8]} and {expected.reshape(-1)[:8]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="run_reference of a build")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of real numbers, as a share of the largest")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for models that differ")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve()
    if not arguments.program:
        parser.error("name the program run_reference")
    rng = random.Random(arguments.seed)
    runtime, ours = Runtime(), Ours(arguments.program)
    counts, reasons = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number in range(arguments.count):
            model, inputs = mutant(rng)
            data = model.SerializeToString()
            (folder / "model.onnx").write_bytes(data)
            for i, value in enumerate(inputs):
                (folder / f"input_{i}.pb").write_bytes(numpy_helper.from_array(value, f"x{i}").SerializeToString())
            word, found = ours.run(folder)
            theirs, expected = runtime.run(data, inputs)
            what = None
            if word == "failed":
                what = f"failed: {found}"
            elif word == "ok" and theirs == "ok":
                if not all(np.all(np.isfinite(e)) for e in expected if e.dtype.kind == "f"):
                    theirs = "not finite"
                else:
                    what = difference(found, expected, arguments.tolerance, 1e-6 if casts_reals(model) else 0)
            outcome = f"{word}, ONNX Runtime {theirs}" if what is None else "DIFFERENT"
            counts[outcome] += 1
            if word == "refused" and theirs == "ok":
                reasons[found.split("): ", 1)[-1][:60]] += 1
            if what is not None:
                print(f"{number}: {what}\n{onnx.printer.to_text(model.graph)}\n", flush=True)
                if arguments.keep:
                    kept = arguments.keep / str(number)
                    kept.mkdir(parents=True, exist_ok=True)
                    for file in folder.iterdir():
                        (kept / file.name).write_bytes(file.read_bytes())
    for outcome, count in sorted(counts.items()):
        print(f"{count:7d}  {outcome}")
    print("refused by us alone:")
    for reason, count in reasons.most_common(20):
        print(f"{count:7d}  {reason}")
    return 1 if counts["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
