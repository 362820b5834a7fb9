"""LoLa's small network and its images, which the works of several peers share."""
import os
import pathlib
import shutil
import sys

import numpy as np

SIZE, STRIDE = 5, 2  # of the windows of the convolution
TESTED = 100  # images


def prepared(folder):
    """Returns the weights, the padded images, their labels and the scores in the clear. Writes the files of
    tacit_models.py to `folder`."""
    import onnx

    if "TACIT_DATA" not in os.environ:
        sys.exit("TACIT_DATA is not set: the network is models/mnist/lola_small_mnist.onnx there")
    data = pathlib.Path(os.environ["TACIT_DATA"])
    shutil.copyfile(data / "models/mnist/lola_small_mnist.onnx", folder / "lola.onnx")
    weights = {tensor.name: onnx.numpy_helper.to_array(tensor).astype(float)
               for tensor in onnx.load(folder / "lola.onnx").graph.initializer}
    images = np.load(data / "mnist/images_public.npy").reshape(-1, 1, 28, 28).astype(np.float32) / 256
    labels = np.load(data / "mnist/labels_public.npy")[:TESTED]
    padded = np.pad(images[:TESTED, 0], ((0, 0), (0, 1), (0, 1))).astype(float)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (SIZE, SIZE), (1, 2))[:, ::STRIDE, ::STRIDE]
    maps = np.einsum("nrcij,kij->nkrc", windows, weights["conv_w"][:, 0]) + weights["conv_b"][:, None, None]
    scores = (maps**2).reshape(len(padded), -1) @ weights["fc_w"].T + weights["fc_b"]
    for part, values in (("train", images[TESTED:]), ("test", images[:TESTED]), ("labels", labels), ("scores", scores)):
        np.save(folder / f"lola_{part}.npy", values)
    return weights, padded, labels, scores
