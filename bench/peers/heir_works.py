#!/usr/bin/env python3
"""heir_works.py FOLDER GO_FILE... makes FOLDER/heir-lola, a program of LoLa's small network, with HEIR's compiler.

The wheel has the compiler `heir-opt` and the writer `heir-translate`. They turn the network into Go code for Lattigo.
The Go files are our main program and the pinned versions. FOLDER also gets the files that tacit_models.py reads.
"""
import json
import pathlib
import shutil
import subprocess
import sys

import heir
import numpy as np
from lola import SIZE, STRIDE, prepared

TOOLS = pathlib.Path(heir.__file__).parent
SLOTS, FIRST, SCALE = 2048, 60, 40  # a power of two of slots that holds the image; bits of the primes


def constant(values):
    """Returns the values as a constant of MLIR."""
    shape = "x".join(map(str, values.shape))
    return f'arith.constant dense<"0x{values.astype("<f4").tobytes().hex().upper()}"> : tensor<{shape}xf32>'


def convolution(kernels, side):
    """Returns the matrix of the convolution, with an image of side * side values as its argument."""
    made = (side - SIZE) // STRIDE + 1
    matrix = np.zeros((len(kernels), made, made, side, side))
    for i in range(made):
        for j in range(made):
            matrix[:, i, j, i * STRIDE:i * STRIDE + SIZE, j * STRIDE:j * STRIDE + SIZE] = kernels
    return matrix.reshape(-1, side * side)


def network(weights, side):
    """Returns the network in MLIR, on an image that is padded to `side`."""
    conv = convolution(weights["conv_w"][:, 0], side)
    units, classes = len(conv), len(weights["fc_w"])
    bias = np.repeat(weights["conv_b"], units // len(weights["conv_b"]))
    image, hidden, scores = f"tensor<{side * side}xf32>", f"tensor<{units}xf32>", f"tensor<{classes}xf32>"
    first, dense = f"tensor<{units}x{side * side}xf32>", f"tensor<{classes}x{units}xf32>"
    return f"""
func.func @lola(%image: {image} {{secret.secret}}) -> {scores} {{
  %first = {constant(conv)}
  %bias = {constant(bias)}
  %dense = {constant(weights["fc_w"])}
  %last = {constant(weights["fc_b"])}
  %conv = linalg.matvec ins(%first, %image : {first}, {image}) outs(%bias : {hidden}) -> {hidden}
  %square = arith.mulf %conv, %conv : {hidden}
  %scores = linalg.matvec ins(%dense, %square : {dense}, {hidden}) outs(%last : {scores}) -> {scores}
  return %scores : {scores}
}}
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    weights, padded, labels, scores = prepared(folder)
    made = folder / "heir"
    made.mkdir(exist_ok=True)
    (made / "rows.json").write_text(json.dumps({"rows": padded.reshape(len(padded), -1).tolist(),
                                                "labels": labels.tolist(), "scores": scores.tolist()}))
    (made / "lola.mlir").write_text(network(weights, padded.shape[1]))
    # The plaintexts of the weights are made once, before the first image.
    pipeline = f"min-slot-count={SLOTS} first-mod-bits={FIRST} scaling-mod-bits={SCALE} enable-split-preprocessing=true"
    subprocess.run([TOOLS / "heir-opt", "--annotate-module=backend=lattigo scheme=ckks", f"--torch-linalg-to-ckks={pipeline}",
                    "--scheme-to-lattigo", made / "lola.mlir", "-o", made / "lowered.mlir"], check=True)
    subprocess.run([TOOLS / "heir-translate", "--emit-lattigo", made / "lowered.mlir", "-o", made / "lola.go"], check=True)
    for path in sys.argv[2:]:
        shutil.copy(path, made)
    subprocess.run(["go", "build", "-o", folder / "heir-lola", "."], cwd=made, check=True)


if __name__ == "__main__":
    main()
