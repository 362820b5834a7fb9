"""Fits a scikit-learn estimator and exports it by skl2onnx, as its documentation shows it."""
import dataclasses
import random

import numpy as np
import sklearn
import skl2onnx
from skl2onnx.common import data_types

from . import data
from .folder import Export, in_order_of_inputs, printed

SCALARS = {"i": (np.int64, data_types.Int64TensorType), "b": (bool, data_types.BooleanTensorType),
           "f": (np.float32, data_types.FloatTensorType), "O": (str, data_types.StringTensorType),
           "U": (str, data_types.StringTensorType), "T": (str, data_types.StringTensorType)}


@dataclasses.dataclass
class Fitted:
    """One row of a table: an estimator still to be fitted, and how to export it."""
    name: str
    table: str  # a name of data.SETS
    make: object  # gives the estimator; a function, since a table is read even for models that are not asked for
    opset: object = None  # None: what skl2onnx takes by default
    options: dict = None
    scalar: type = np.float32  # float64, int64: for estimators on one array
    batch: object = None  # None: any number of rows
    without: tuple = ()  # operators that skl2onnx is not to use

    def export(self):
        random.seed(0)
        np.random.seed(0)
        table = data.table(self.table)
        estimator = self.make()
        fit(estimator, table)
        types = self.typed_columns(table.fit) if is_frame(table.fit) else [("X", self.array_type(table.fit))]
        model = skl2onnx.to_onnx(estimator, initial_types=types, target_opset=self.opset, options=self.options,
                                 black_op=set(self.without) or None)
        about = {"exporter": f"skl2onnx {skl2onnx.__version__}", "framework": f"scikit-learn {sklearn.__version__}",
                 "model": printed(estimator), "data": self.table,
                 "target_opset": self.opset, "options": readable(self.options), "without": list(self.without)}
        content = model.SerializeToString()
        rows, train = (in_order_of_inputs(content, self.arrays(part)) for part in (table.rows, table.fit[:data.TRAIN]))
        return Export(content, rows, train, about)

    def array_type(self, features):
        if features.dtype.kind in "OUT":
            return data_types.StringTensorType([self.batch, features.shape[1]])
        kinds = {np.float32: data_types.FloatTensorType, np.float64: data_types.DoubleTensorType,
                 np.int64: data_types.Int64TensorType}
        return kinds[self.scalar]([self.batch, features.shape[1]])

    def typed_columns(self, frame):
        return [(name, SCALARS[frame[name].dtype.kind][1]([self.batch, 1])) for name in frame.columns]

    def arrays(self, features):
        """The rows as one array for every input of the model, by name."""
        if is_frame(features):
            return {name: features[name].to_numpy(SCALARS[features[name].dtype.kind][0]).reshape(-1, 1)
                    for name in features.columns}
        return {"X": features.astype(str if features.dtype.kind in "OUT" else self.scalar)}


def readable(options):
    """Options of the export with the names of classes for the classes."""
    return {getattr(key, "__name__", key): value for key, value in (options or {}).items()}


def is_frame(features):
    return hasattr(features, "columns")


def fit(estimator, table):
    """Fits it; transformers of labels see the target only."""
    if type(estimator).__name__ in ("LabelEncoder", "LabelBinarizer"):
        return estimator.fit(table.fit[:, 0])
    return estimator.fit(table.fit, table.target)
