"""What the modules of tables for XGBoost and LightGBM have in common: a fitted estimator and its converter."""
import dataclasses

import numpy as np
import onnxmltools
from onnxmltools.convert.common.data_types import FloatTensorType

from . import data
from .folder import Export, in_order_of_inputs, printed


@dataclasses.dataclass
class Boosted:
    """One row of a table: an estimator still to be fitted, and which function of onnxmltools converts it."""
    name: str
    table: str
    make: object
    convert: str
    framework: str
    opset: int = None
    options: dict = dataclasses.field(default_factory=dict)

    def export(self):
        table = data.table(self.table)
        estimator = self.make().fit(table.fit, table.target)
        model = getattr(onnxmltools, self.convert)(
            estimator, initial_types=[("X", FloatTensorType([None, table.fit.shape[1]]))], target_opset=self.opset,
            **self.options)
        content = model.SerializeToString()
        rows, train = (in_order_of_inputs(content, {"X": part.astype(np.float32)})
                       for part in (table.rows, table.fit[:data.TRAIN]))
        about = {"exporter": f"onnxmltools {onnxmltools.__version__}", "framework": self.framework,
                 "model": printed(estimator), "data": self.table, "target_opset": self.opset}
        return Export(content, rows, train, about)
