#!/usr/bin/env python3
"""tacit_models.py NAME FOLDER: a row of NAME.onnx, which concrete_works.py wrote, encrypted, evaluated and decrypted."""
import pathlib
import sys

import numpy as np
import tacit
from measured_work import serve

OPTIONS = {"logistic": {"scheme": "auto", "bits": 8}, "boosted": {"scheme": "tfhe", "bits": 4, "failure": 2.0**-40}}
TEXTS = {"logistic": "scheme auto, bits 8, no lookup", "boosted": "bits 4, failure 2^-40 a lookup"}


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    train, test, labels = (np.load(folder / f"{name}_{part}.npy") for part in ("train", "test", "labels"))
    model = tacit.compile(folder / f"{name}.onnx", calibration=train, **OPTIONS[name])
    keys = tacit.keygen(model)
    answers = []

    def label(outputs):
        return np.asarray(outputs[0]).reshape(-1)

    def once():
        row = len(answers) % len(test)
        answers.append((row, int(label(model.run(test[row:row + 1], keys))[0])))

    def quality():
        simulated = label(model.simulate(test))
        equal = sum(answer == int(simulated[row]) for row, answer in answers)
        return (f"{100 * np.mean(simulated == labels):.1f} % of {len(test)} rows right, "
                f"{equal} of {len(answers)} encrypted as predicted")

    serve(f"{TEXTS[name]}, chosen: {model.client.scheme}", once, quality)


if __name__ == "__main__":
    main()
