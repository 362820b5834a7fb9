"""Exports of PyTorch after a tool went over them, quantised or optimised say; and networks with control flow."""
import dataclasses
import pathlib
import tempfile

import onnx
import onnxruntime
import torch
from torch import nn

from .folder import Export
from .silence import silence
from .torch_export import Apply, Network, networks

VECTOR, IMAGE = (20,), (3, 12, 12)


class Branch(nn.Module):
    """One of two layers, by the sign of the input's sum; the example goes through one of them only."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(20, 3), nn.Linear(20, 3)

    def forward(self, x):
        if bool(x.sum() > 0):
            return self.one(x)
        return self.two(x)


class Steps(nn.Module):
    """A layer as often as the input has features."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(20, 20)

    def forward(self, x):
        for _ in range(x.size(1)):
            x = torch.tanh(self.layer(x))
        return x


CONTROL = (
    networks([("control_branch", VECTOR, lambda: torch.jit.script(Branch())),
              ("control_loop", VECTOR, lambda: torch.jit.script(Steps()))], ("script17", "script11"))
    + networks([("control_branch_traced", VECTOR, Branch), ("control_loop_traced", VECTOR, Steps)], ("script17",))
    + networks([("control_loop_traced", VECTOR, Steps)], ("dynamo",))
    + networks([("control_cond", VECTOR,
                 lambda: Apply(lambda one, two, x: torch.cond(x.sum() > 0, lambda y: one(y), lambda y: two(y), (x,)),
                               nn.Linear(20, 3), nn.Linear(20, 3)))], ("dynamo",))
)


def dense():
    return nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 8), nn.Sigmoid(), nn.Linear(8, 3))


def convolutional():
    return nn.Sequential(nn.Conv2d(3, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6), nn.ReLU(), nn.AvgPool2d(2),
                         nn.Conv2d(6, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))


@dataclasses.dataclass
class Processed:
    """One row of a table: an export, and what a tool makes of it."""
    base: Network
    step: str

    @property
    def name(self):
        return f"{self.base.name}_{self.step}"

    def export(self):
        export = self.base.export()
        with tempfile.TemporaryDirectory() as scratch, silence():
            before, after = pathlib.Path(scratch) / "before.onnx", pathlib.Path(scratch) / "after.onnx"
            before.write_bytes(export.model)
            STEPS[self.step](before, after, export)
            model = after.read_bytes()
        rows, train = export.rows, export.train
        if self.step == "half":
            rows, train = ({name: values.astype("float16") for name, values in part.items()} for part in (rows, train))
        return Export(model, rows, train, export.about | {"processed": self.step})


class Calibration:
    """Rows for the static quantisation, in the form it asks for."""

    def __init__(self, export):
        self.batches = iter([export.train])

    def get_next(self):
        return next(self.batches, None)


def quantize_static(before, after, export, form, **options):
    from onnxruntime import quantization
    quantization.quantize_static(before, after, Calibration(export),
                                 quant_format=getattr(quantization.QuantFormat, form), **options)


def quantize_dynamic(before, after, _):
    from onnxruntime import quantization
    quantization.quantize_dynamic(before, after)


def to_half(before, after, keep_io_types):
    from onnxruntime.transformers import float16
    onnx.save(float16.convert_float_to_float16(onnx.load(before), keep_io_types=keep_io_types), after)


def optimise(before, after, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.optimized_model_filepath = str(after)
    onnxruntime.InferenceSession(str(before), options, providers=["CPUExecutionProvider"])


def move_to(before, after, opset):
    onnx.save(onnx.version_converter.convert_version(onnx.load(before), opset), after)


def simplify(before, after, _):
    import onnxsim
    onnx.save(onnxsim.simplify(onnx.load(before))[0], after)


def slim(before, after, _):
    import onnxslim
    onnx.save(onnxslim.slim(onnx.load(before)), after)


LEVELS = onnxruntime.GraphOptimizationLevel
STEPS = {
    "quantized_dynamic": quantize_dynamic,
    "quantized_qdq": lambda before, after, export: quantize_static(before, after, export, "QDQ"),
    "quantized_qdq_channels":
        lambda before, after, export: quantize_static(before, after, export, "QDQ", per_channel=True),
    "quantized_operators": lambda before, after, export: quantize_static(before, after, export, "QOperator"),
    "half": lambda before, after, _: to_half(before, after, False),
    "half_inside": lambda before, after, _: to_half(before, after, True),
    "optimised_basic": lambda before, after, _: optimise(before, after, LEVELS.ORT_ENABLE_BASIC),
    "optimised_extended": lambda before, after, _: optimise(before, after, LEVELS.ORT_ENABLE_EXTENDED),
    "optimised_all": lambda before, after, _: optimise(before, after, LEVELS.ORT_ENABLE_ALL),
    "moved_to_15": lambda before, after, _: move_to(before, after, 15),
    "moved_to_22": lambda before, after, _: move_to(before, after, 22),
    "shapes_inferred": lambda before, after, _: onnx.save(onnx.shape_inference.infer_shapes(onnx.load(before)), after),
    "simplified": simplify,
    "slimmed": slim,
}

BASES = networks([("dense", VECTOR, dense), ("convolutional", IMAGE, convolutional)], ("dynamo", "script17"))
MODELS = CONTROL + [Processed(base, step) for base in BASES for step in STEPS]
