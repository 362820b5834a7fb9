#!/usr/bin/env python3
"""concrete_works.py WORK [FOLDER] runs a work with Concrete's wheels.

lookup-4-40 and lookups-4-40 are one and 64 lookups of 4 bits, failure 2^-40. logistic, boosted, perceptron and narrow
are models of breast cancer. Their fitted models and rows are written to FOLDER for Tacit.
"""
import pathlib
import sys

import numpy as np
from measured_work import Answers, serve


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


def fitted_perceptron(train, labels):
    """Returns Concrete's network, fitted on quantised values, and scikit-learn's of the same shape for Tacit."""
    from concrete.ml.sklearn import NeuralNetClassifier
    from sklearn.neural_network import MLPClassifier

    kind = NeuralNetClassifier(module__n_layers=2, module__n_w_bits=4, module__n_a_bits=4,
                               module__n_hidden_neurons_multiplier=1, max_epochs=50, verbose=0)
    kind.fit(train, labels)
    return kind, MLPClassifier(hidden_layer_sizes=(train.shape[1],), max_iter=500, random_state=0).fit(train, labels)


class Narrow:
    """Scikit-learn's perceptron of two units. Concrete ML quantises it and rounds the sums before their lookups.

    Of the settings that were tried, this one is the fastest whose answers are not worse than those of `perceptron`.
    """

    UNITS, BITS, ROUNDED = 2, 4, 3

    def __init__(self, train, labels):
        from sklearn.neural_network import MLPClassifier

        self.plain = MLPClassifier(hidden_layer_sizes=(self.UNITS,), max_iter=2000, random_state=0).fit(train, labels)
        self.quantised = None

    def compile(self, train, p_error):
        import torch
        from concrete.ml.torch.compile import compile_torch_model

        layers = [torch.nn.Linear(*weights.shape) for weights in self.plain.coefs_]
        with torch.no_grad():
            for layer, weights, bias in zip(layers, self.plain.coefs_, self.plain.intercepts_):
                layer.weight.copy_(torch.tensor(weights.T))
                layer.bias.copy_(torch.tensor(bias))
        self.quantised = compile_torch_model(torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1]), train, n_bits=self.BITS,
                                             rounding_threshold_bits={"n_bits": self.ROUNDED, "method": "APPROXIMATE"},
                                             p_error=p_error)

    @property
    def fhe_circuit(self):
        return self.quantised.fhe_circuit

    def predict(self, rows, fhe="simulate"):
        """Simulates unless told otherwise, because approximate rounding changes answers."""
        return (self.quantised.forward(rows, fhe=fhe)[:, 0] > 0).astype(int)


def fitted_model(name, train, labels):
    from concrete.ml.sklearn import LogisticRegression, XGBClassifier

    if name == "perceptron":
        return fitted_perceptron(train, labels)
    if name == "narrow":
        kind = Narrow(train, labels)
        return kind, kind.plain
    kind = (LogisticRegression(n_bits=8) if name == "logistic" else
            XGBClassifier(n_bits=4, n_estimators=10, max_depth=3, random_state=0))
    # Trees of Concrete are fitted on quantised rows, ours on the rows: fit_benchmark gives both.
    _, plain = kind.fit_benchmark(train, labels)
    return kind, plain


TEXTS = {"logistic": "n_bits 8, no lookup", "boosted": "n_bits 4, failure 2^-40 a lookup",
         "perceptron": "4 bits of weights and activations, failure 2^-40 a lookup",
         "narrow": "4 bits, sums rounded to 3 bits (approximate), failure 2^-40 a lookup"}


def model(name, folder):
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    rows, labels = load_breast_cancer(return_X_y=True)
    train, test, train_labels, test_labels = train_test_split(rows, labels, test_size=0.2, random_state=0)
    scaler = StandardScaler().fit(train)
    train, test = (scaler.transform(part).astype(np.float32) for part in (train, test))
    kind, plain = fitted_model(name, train, train_labels)
    for part, values in (("train", train), ("test", test), ("labels", test_labels)):
        np.save(folder / f"{name}_{part}.npy", values)
    write_onnx(name, plain, train, folder / f"{name}.onnx")
    kind.compile(train, **({} if name == "logistic" else {"p_error": 2.0**-40}))
    kind.fhe_circuit.keygen()
    answers = Answers(test, test_labels)

    def once():
        row = answers.next_row()
        answers.add(row, kind.predict(test[row:row + 1], fhe="execute")[0])

    serve(TEXTS[name], once, lambda: answers.quality(kind.predict(test)))


def main():
    name, _, _ = sys.argv[1].partition("-")
    if name.startswith("lookup"):
        lookups(64 if name == "lookups" else 1)
    else:
        model(name, pathlib.Path(sys.argv[2]))


if __name__ == "__main__":
    main()
