"""Exports a PyTorch network the ways people do: by the default exporter and by the older one by way of TorchScript."""
import dataclasses
import pathlib
import tempfile

import numpy as np
import torch

from .folder import Export, in_order_of_inputs, printed
from .silence import silence

ROWS, TRAIN = 20, 100
NUMPY_SCALARS = {torch.bfloat16: torch.float32}  # where NumPy lacks a type


@dataclasses.dataclass(frozen=True)
class Input:
    """One input of a network: its shape without the batch, and what numbers it holds."""
    shape: tuple
    kind: str = "normal"  # or uniform (0 to 1), whole (0 to high, exclusive), byte
    high: int = 10
    scalar: torch.dtype = torch.float32

    def draw(self, count, generator):
        shape = (count, *self.shape)
        if self.kind == "whole":
            return torch.randint(0, self.high, shape, generator=generator)
        if self.kind == "byte":
            return torch.randint(0, 256, shape, generator=generator).to(torch.uint8)
        numbers = torch.rand if self.kind == "uniform" else torch.randn
        return numbers(shape, generator=generator).to(self.scalar)


# How to call torch.onnx.export. "batch" is no option of it: the extent of the batch of the example, None if dynamic.
WAYS = {
    "dynamo": {"dynamo": True, "external_data": False, "batch": None},
    "dynamo_fixed": {"dynamo": True, "external_data": False, "batch": 1},
    "dynamo_batch8": {"dynamo": True, "external_data": False, "batch": 8},
    "dynamo18": {"dynamo": True, "external_data": False, "opset_version": 18, "batch": None},
    "dynamo23": {"dynamo": True, "external_data": False, "opset_version": 23, "batch": None},
    "dynamo_external": {"dynamo": True, "batch": None},
    "dynamo_as_traced": {"dynamo": True, "external_data": False, "optimize": False, "batch": None},
    "script17": {"dynamo": False, "opset_version": 17, "batch": None},
    "script13": {"dynamo": False, "opset_version": 13, "batch": None},
    "script11": {"dynamo": False, "opset_version": 11, "batch": None},
    "script9": {"dynamo": False, "opset_version": 9, "batch": None},
    "script17_fixed": {"dynamo": False, "opset_version": 17, "batch": 1},
    "script13_fixed": {"dynamo": False, "opset_version": 13, "batch": 1},
    "script_default": {"dynamo": False, "batch": 1},
    "script_unfolded": {"dynamo": False, "opset_version": 17, "do_constant_folding": False, "batch": None},
    "script_preserve": {"dynamo": False, "opset_version": 17, "training": torch.onnx.TrainingMode.PRESERVE,
                        "batch": None},
    "script_training": {"dynamo": False, "opset_version": 17, "training": torch.onnx.TrainingMode.TRAINING,
                        "do_constant_folding": False, "batch": None},
    "script_weights_as_inputs": {"dynamo": False, "opset_version": 17, "keep_initializers_as_inputs": True,
                                 "batch": None},
}
USUAL = ("dynamo", "script17")
FIXED = ("dynamo_fixed", "script17_fixed")
MANY = ("dynamo", "dynamo_fixed", "dynamo18", "script17", "script13", "script11", "script13_fixed")


@dataclasses.dataclass
class Network:
    """One row of a table: a network with random weights, exported one way."""
    base: str
    inputs: tuple
    make: object  # gives the module; a function, since a table is read even for models that are not asked for
    way: str
    outputs: tuple = ()  # names, if the export gives them
    training: bool = False  # exported without .eval()
    axes: dict = None  # dynamic axes besides the batch, by input

    @property
    def name(self):
        return f"{self.base}_{self.way}"

    def export(self):
        torch.manual_seed(0)
        torch.set_num_threads(1)
        module = self.make()
        generator = torch.Generator().manual_seed(1)
        module.train()
        warm_up(module, [value.draw(32, generator) for value in self.inputs])
        module.train(self.training)
        model, side_files = self.call_exporter(module, generator)
        batch = WAYS[self.way]["batch"] or 1
        rows, train = ({f"x{k}" if len(self.inputs) > 1 else "x": as_numpy(value.draw(count - count % batch, generator))
                        for k, value in enumerate(self.inputs)} for count in (ROWS, TRAIN))
        about = {"exporter": f"torch.onnx {torch.__version__}", "framework": f"torch {torch.__version__}",
                 "model": printed(module), "way": self.way,
                 "options": {key: str(value) for key, value in WAYS[self.way].items()}}
        return Export(model, in_order_of_inputs(model, rows), in_order_of_inputs(model, train), about, side_files)

    def call_exporter(self, module, generator):
        """The bytes of the model and of the files beside it."""
        options = dict(WAYS[self.way])
        batch = options.pop("batch")
        example = tuple(value.draw(batch or 2, generator) for value in self.inputs)
        names = ["x"] if len(example) == 1 else [f"x{k}" for k in range(len(example))]
        options |= {"input_names": names} | ({"output_names": list(self.outputs)} if self.outputs else {})
        if batch is None and options["dynamo"]:
            shapes = tuple({0: torch.export.Dim("batch")} for _ in example)
            options["dynamic_shapes"] = {"x": shapes} if takes_any_number(module) else shapes
        elif batch is None:
            options["dynamic_axes"] = {name: {0: "batch"} | (self.axes or {}) for name in names}
        with tempfile.TemporaryDirectory() as scratch, silence():
            path = pathlib.Path(scratch) / "model.onnx"
            torch.onnx.export(module, example, str(path), verbose=False, **options)
            beside = {file.name: file.read_bytes() for file in path.parent.iterdir() if file != path}
            return path.read_bytes(), beside


def warm_up(module, example):
    """Gives batch normalisations statistics that are not 0 and 1."""
    with torch.no_grad():
        for _ in range(3):
            module(*example)


def takes_any_number(module):
    """Whether forward is written as (self, *x), whose shapes the exporter wants as one argument."""
    return isinstance(module, Apply)


def as_numpy(tensor):
    return np.ascontiguousarray(tensor.to(NUMPY_SCALARS.get(tensor.dtype, tensor.dtype)).numpy())


class Apply(torch.nn.Module):
    """function(part, ..., input, ...) as a module: for what people write in forward()."""

    def __init__(self, function, *parts):
        super().__init__()
        self.function = function
        self.parts = torch.nn.ModuleList(parts)

    def forward(self, *x):
        return self.function(*self.parts, *x)


def networks(rows, ways=USUAL):
    """Rows (name, shape or inputs, make[, options]) of a table, each exported in all ways."""
    found = []
    for name, inputs, make, *rest in rows:
        options = rest[0] if rest else {}
        if not isinstance(inputs[0], Input):
            inputs = (Input(tuple(inputs)),)
        found += [Network(name, tuple(inputs), make, way, **options) for way in ways]
    return found
