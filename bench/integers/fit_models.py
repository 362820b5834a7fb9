#!/usr/bin/env python3
"""Fits the tabular models that docs/bench.md times on integers.

    fit_models.py DATA OUT

DATA holds <name>_train.csv and <name>_public.csv (a line of names; features, then the label) for breast_cancer, iris
and wine. OUT gets these as .npy files, and perceptrons, boosted trees and forests fitted on the training rows, as ONNX.
The versions of examples/trees/requirements.txt were used.
"""
import pathlib
import sys

import numpy as np
from onnxmltools.convert import convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBClassifier


def main():
    data, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    for name in ("breast_cancer", "iris", "wine"):
        rows = {part: np.genfromtxt(data / f"{name}_{part}.csv", delimiter=",", skip_header=1)
                for part in ("train", "public")}
        for part, values in rows.items():
            np.save(out / f"{name}_{part}.npy", values[:, :-1].astype(np.float32))
            np.save(out / f"{name}_{part}_labels.npy", values[:, -1])
        train, labels = rows["train"][:, :-1].astype(np.float32), rows["train"][:, -1].astype(int)

        def write(kind, model, name=name):
            (out / f"{name}_{kind}.onnx").write_bytes(model.SerializeToString())

        plain = {"options": {"zipmap": False}, "target_opset": 17}
        perceptron = make_pipeline(StandardScaler(), MLPClassifier((16,), max_iter=3000, random_state=0))
        write("mlp", to_onnx(perceptron.fit(train, labels), train[:1], **plain))
        boosted = XGBClassifier(n_estimators=10, max_depth=3, random_state=0).fit(train, labels)
        types = [("x", FloatTensorType([None, train.shape[1]]))]
        write("xgb", convert_xgboost(boosted, initial_types=types, target_opset=15))
        forest = RandomForestClassifier(n_estimators=100, max_depth=5, random_state=0).fit(train, labels)
        write("forest100", to_onnx(forest, train[:1], **plain))


if __name__ == "__main__":
    main()
