#!/usr/bin/env python3
"""tacit_models.py NAME FOLDER encrypts, evaluates and decrypts a row of NAME.onnx, which the peer's script wrote."""
import pathlib
import sys

import numpy as np
import tacit
from measured_work import Answers, serve

OPTIONS = {"logistic": {"scheme": "auto", "bits": 8}, "boosted": {"scheme": "tfhe", "bits": 4, "failure": 2.0**-40},
           "perceptron": {"scheme": "tfhe", "bits": 6, "failure": 2.0**-40},
           "narrow": {"scheme": "tfhe", "bits": 6, "failure": 2.0**-40}, "lola": {}}
TEXTS = {"logistic": "scheme auto, bits 8, no lookup", "boosted": "bits 4, failure 2^-40 a lookup",
         "perceptron": "bits 6, failure 2^-40 a lookup", "narrow": "bits 6, failure 2^-40 a lookup", "lola": "128-bit security"}


def first(outputs):
    """Returns its rows; a model with one output gives that alone."""
    return outputs if isinstance(outputs, np.ndarray) else np.asarray(outputs[0])


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    train, test, labels = (np.load(folder / f"{name}_{part}.npy") for part in ("train", "test", "labels"))
    model = tacit.compile(folder / f"{name}.onnx", calibration=train, **OPTIONS[name])
    keys = tacit.keygen(model)
    answers = Answers(test, labels, np.load(scores) if (scores := folder / f"{name}_scores.npy").exists() else None)

    def once():
        row = answers.next_row()
        answers.add(row, first(model.run(test[row:row + 1], keys))[0])

    def quality():
        return answers.quality(first(model.simulate(test)))

    serve(f"{TEXTS[name]}, chosen: {model.client.scheme}", once, quality)


if __name__ == "__main__":
    main()
