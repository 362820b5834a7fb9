#!/usr/bin/env python3
"""concrete_works.py WORK [FOLDER] with Concrete's wheels: lookup-4-40 and lookups-4-40 (of 4 bits, failure 2^-40; one, 64),
logistic and boosted on breast cancer, whose fitted models and rows are written to FOLDER for Tacit."""
import pathlib
import sys

import numpy as np
from measured_work import serve


def lookups(count):
    from concrete import fhe

    bits, failure = 4, 2.0**-40
    table = [(n * n + 3) % (1 << bits) for n in range(1 << bits)]
    numbers = np.array([(5 * i + 1) % (1 << bits) for i in range(count)])
    looked_up = fhe.LookupTable(table)
    compiler = fhe.Compiler(lambda x: looked_up[x], {"x": "encrypted"})
    inputs = [np.full(count, n) for n in range(1 << bits)]
    circuit = compiler.compile(inputs, p_error=failure, loop_parallelize=False, dataflow_parallelize=False,
                               parameter_selection_strategy="multi")
    circuit.keygen()
    hidden, last = circuit.encrypt(numbers), [None]

    def once():
        last[0] = circuit.run(hidden)

    def quality():
        right = int((circuit.decrypt(last[0]) == np.array(table)[numbers]).sum())
        return f"{right} of {count} right; fails with 2^{np.log2(circuit.p_error):.0f}"

    serve(f"{bits} bits, failure 2^-40 asked, keys {circuit.size_of_bootstrap_keys / 1e6:.0f} + "
          f"{circuit.size_of_keyswitch_keys / 1e6:.0f} MB, 128-bit security", once, quality, count)


def write_onnx(name, fitted, train, path):
    if name == "boosted":
        from onnxmltools.convert import convert_xgboost
        from onnxmltools.convert.common.data_types import FloatTensorType

        made = convert_xgboost(fitted, initial_types=[("x", FloatTensorType([None, train.shape[1]]))], target_opset=15)
    else:
        from skl2onnx import to_onnx

        made = to_onnx(fitted, train[:1], options={"zipmap": False}, target_opset=15)
    path.write_bytes(made.SerializeToString())


def model(name, folder):
    from concrete.ml.sklearn import LogisticRegression, XGBClassifier
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    rows, labels = load_breast_cancer(return_X_y=True)
    train, test, train_labels, test_labels = train_test_split(rows, labels, test_size=0.2, random_state=0)
    scaler = StandardScaler().fit(train)
    train, test = (scaler.transform(part).astype(np.float32) for part in (train, test))
    kind, bits, failure = {
        "logistic": (LogisticRegression(n_bits=8), 8, None),
        "boosted": (XGBClassifier(n_bits=4, n_estimators=10, max_depth=3, random_state=0), 4, 2.0**-40),
    }[name]
    # Trees of Concrete are fitted on quantised rows, ours on the rows: fit_benchmark gives both.
    _, plain = kind.fit_benchmark(train, train_labels)
    for part, values in (("train", train), ("test", test), ("labels", test_labels)):
        np.save(folder / f"{name}_{part}.npy", values)
    write_onnx(name, plain, train, folder / f"{name}.onnx")
    kind.compile(train, **({"p_error": failure} if failure else {}))
    kind.fhe_circuit.keygen()
    answers = []

    def once():
        row = len(answers) % len(test)
        answers.append((row, int(kind.predict(test[row:row + 1], fhe="execute")[0])))

    def quality():
        clear = kind.predict(test)
        equal = sum(answer == int(clear[row]) for row, answer in answers)
        return (f"{100 * np.mean(clear == test_labels):.1f} % of {len(test)} rows right, "
                f"{equal} of {len(answers)} encrypted as predicted")

    serve(f"n_bits {bits}" + (", failure 2^-40 a lookup" if failure else ", no lookup"), once, quality)


def main():
    name, _, argument = sys.argv[1].partition("-")
    if name.startswith("lookup"):
        lookups(64 if name == "lookups" else 1)
    else:
        model(name, pathlib.Path(sys.argv[2]))


if __name__ == "__main__":
    main()
