"""Exports a Keras network, by Keras' own export() or by tf2onnx with other options; inputs are channels last."""
import dataclasses
import os
import pathlib
import tempfile

import numpy as np
import onnx

from .folder import Export
from .silence import silence

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
with silence():
    import keras
    import tensorflow as tf
    import tf2onnx

ROWS, TRAIN = 20, 100


@dataclasses.dataclass(frozen=True)
class Way:
    opset: int = None  # None: what Keras takes
    batch: int = None  # None: any
    channels_first: bool = False  # tf2onnx moves the channels of the inputs to the front


WAYS = {
    "default": Way(), "fixed": Way(batch=1), "opset18": Way(18), "opset13": Way(13), "opset11": Way(11),
    "channels_first": Way(17, channels_first=True),
}


@dataclasses.dataclass
class Network:
    """One row of a table: a network with random weights, exported one way."""
    base: str
    shapes: tuple  # of the inputs, without the batch
    make: object  # a function of symbolic inputs that gives the outputs
    way: str
    whole: tuple = ()  # for an input of whole numbers their bound, for another one 0
    dtype: str = "float32"  # the policy of the layers

    @property
    def name(self):
        return f"{self.base}_{self.way}"

    def export(self):
        keras.backend.clear_session()
        keras.utils.set_random_seed(0)
        keras.config.set_dtype_policy(self.dtype)
        generator = np.random.default_rng(1)
        way = WAYS[self.way]
        model = self.build(way.batch)
        settle(model, [self.draw(k, 32, generator) for k in range(len(self.shapes))])
        content = convert(model, way)
        names = [value.name for value in onnx.load_model_from_string(content).graph.input]
        if len(names) > len(self.shapes):
            raise ValueError(f"the exporter made inputs of constants: {', '.join(names[len(self.shapes):])}")
        rows, train = ({name: layout(self.draw(k, count, generator), way) for k, name in enumerate(names)}
                       for count in (ROWS, TRAIN))
        about = {"exporter": f"tf2onnx {tf2onnx.__version__}",
                 "framework": f"keras {keras.__version__}, tensorflow {tf.__version__}",
                 "model": ", ".join(type(layer).__name__ for layer in model.layers), "way": dataclasses.asdict(way)}
        return Export(content, rows, train, about)

    def build(self, batch):
        inputs = [keras.Input(shape, batch_size=batch, name=f"x{k}" if len(self.shapes) > 1 else "x",
                              dtype="int32" if self.bound(k) else "float32") for k, shape in enumerate(self.shapes)]
        return keras.Model(inputs, self.make(*inputs))

    def bound(self, k):
        return self.whole[k] if self.whole else 0

    def draw(self, k, count, generator):
        shape = (count, *self.shapes[k])
        if self.bound(k):
            return generator.integers(0, self.bound(k), shape).astype(np.int32)
        return generator.standard_normal(shape).astype(np.float32)


def settle(model, example):
    """Gives what is measured in training, as batch normalisations do, values that are not 0 and 1."""
    generator = np.random.default_rng(2)
    for layer in model.layers:
        if isinstance(layer, keras.layers.BatchNormalization):
            for weight in (layer.gamma, layer.beta, layer.moving_mean, layer.moving_variance):
                if weight is not None:
                    weight.assign(generator.uniform(0.5, 1.5, weight.shape))
    model(example if len(example) > 1 else example[0])


def convert(model, way):
    """The bytes of the ONNX file."""
    with tempfile.TemporaryDirectory() as scratch, silence():
        path = pathlib.Path(scratch) / "model.onnx"
        if way.channels_first:
            by_tf2onnx(model, way, path)
        else:
            model.export(str(path), format="onnx", opset_version=way.opset, verbose=False,
                         input_signature=fixed_signature(model) if way.batch else None)
        return path.read_bytes()


def fixed_signature(model):
    """The inputs as they are: without it, Keras lets the batch vary whatever the model says."""
    specs = [tf.TensorSpec(value.shape, value.dtype, name=value.name) for value in model.inputs]
    return specs if len(specs) == 1 else [specs]


def by_tf2onnx(model, way, path):
    signature = [tf.TensorSpec(value.shape, value.dtype, name=value.name) for value in model.inputs]
    images = [value.name for value in model.inputs if len(value.shape) == 4]
    function = tf.function(lambda *x: model(list(x) if len(x) > 1 else x[0]), input_signature=signature)
    tf2onnx.convert.from_function(function, signature, opset=way.opset, inputs_as_nchw=images, output_path=str(path))


def layout(rows, way):
    return np.ascontiguousarray(np.moveaxis(rows, -1, 1)) if way.channels_first and rows.ndim == 4 else rows


def networks(rows, ways):
    """Rows (name, shape or shapes, make[, options]) of a table, each exported in all ways."""
    found = []
    for name, shapes, make, *rest in rows:
        shapes = shapes if isinstance(shapes[0], tuple) else (shapes,)
        found += [Network(name, shapes, make, way, **(rest[0] if rest else {})) for way in ways]
    return found


def chain(make):
    """Layers one after the other; `make` gives them as a list."""
    def apply(x):
        for layer in make():
            x = layer(x)
        return x
    return apply
