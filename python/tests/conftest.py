"""Models of the examples, compiled once for all tests."""

import pathlib

import numpy as np
import pytest

import tacit

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
FASHION = EXAMPLES / "fashion" / "model.onnx"
# The answer of the network to the first wave, in double precision.
LOGITS = np.array([0.2460, -0.4762, -0.4360, -2.7692, -1.5081, -0.2300, -3.1094, -1.3408, 5.1394, 0.7134])


@pytest.fixture(scope="session")
def waves():
    """Two pictures, as the network expects its pixels."""
    first = 0.8 * np.sin(0.05 * np.arange(784)).reshape(1, 1, 28, 28)
    return np.concatenate([first, 0.5 * first])


@pytest.fixture(scope="session")
def model():
    return tacit.compile(FASHION, input_range=(-1, 2.1))


@pytest.fixture(scope="session")
def keys(model):
    return tacit.keygen(model)
