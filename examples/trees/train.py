#!/usr/bin/env python3
"""Makes the data and the models of this example.

    train.py [FOLDER]

Writes train.npy, test.npy, labels.npy, boosted.onnx, forest.onnx, perceptron.onnx and, of the latter with QuantizeLinear
and DequantizeLinear around every layer, quantised.onnx. The data is made up: readings of
a machine (temperature, pressure, vibration on three axes, speed, load, age, oil, noise) and whether it fails within a
week. A rule with thresholds decides, and one label in fifty is wrong.
"""
import pathlib
import sys

import numpy as np
from onnxmltools.convert import convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from onnxruntime import InferenceSession
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier

FEATURES, TRAIN, TEST = 10, 1000, 200


def readings(rows, random):
    """Rows of features and their labels."""
    temperature = random.normal(70, 12, rows)
    pressure = random.gamma(9, 0.5, rows)
    vibration = random.exponential(0.8, (rows, 3))
    speed = random.uniform(800, 3000, rows)
    load = random.beta(2, 2, rows)
    age = random.uniform(0, 15, rows)
    oil = random.normal(0.6, 0.2, rows)
    noise = random.normal(55, 6, rows)
    risk = 0.08 * (temperature - 70) + 1.5 * (vibration.max(axis=1) > 1.6) + 2 * (oil < 0.5) * (age > 6) + 2 * load - 2.4
    labels = (risk > 0) ^ (random.random(rows) < 0.02)
    rows = np.column_stack([temperature, pressure, vibration, speed, load, age, oil, noise])
    return rows.astype(np.float32), labels.astype(np.int64)


class Rows(CalibrationDataReader):
    """Rows for the quantiser, one at a time."""

    def __init__(self, rows):
        self.rows = iter(rows)

    def get_next(self):
        row = next(self.rows, None)
        return None if row is None else {"X": row[None]}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    random = np.random.default_rng(20261125)
    train, train_labels = readings(TRAIN, random)
    test, test_labels = readings(TEST, random)
    np.save(folder / "train.npy", train)
    np.save(folder / "test.npy", test)
    np.save(folder / "labels.npy", test_labels)
    boosted = XGBClassifier(n_estimators=10, max_depth=3, random_state=0).fit(train, train_labels)
    forest = RandomForestClassifier(n_estimators=20, max_depth=5, random_state=0).fit(train, train_labels)
    perceptron = make_pipeline(StandardScaler(), MLPClassifier((16, 8), alpha=3, max_iter=2000, random_state=0))
    perceptron.fit(train, train_labels)
    models = {
        "boosted": convert_xgboost(boosted, initial_types=[("x", FloatTensorType([None, FEATURES]))], target_opset=15),
        "forest": to_onnx(forest, train[:1], options={"zipmap": False}, target_opset=17),
        "perceptron": to_onnx(perceptron, train[:1], options={"zipmap": False}, target_opset=17),
    }
    for (name, model), estimator in zip(models.items(), (boosted, forest, perceptron)):
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        print(f"{name}: {estimator.score(test, test_labels):.3f} of {TEST} right")
    quantised = folder / "quantised.onnx"
    quantize_static(folder / "perceptron.onnx", quantised, Rows(train[:300]), quant_format=QuantFormat.QDQ,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    labels = InferenceSession(quantised, providers=["CPUExecutionProvider"]).run(["label"], {"X": test})[0]
    print(f"quantised: {(labels == test_labels).mean():.3f} of {TEST} right")


if __name__ == "__main__":
    main()
