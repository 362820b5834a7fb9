"""Digits that a server reads without seeing them."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._core import EncryptedTensors
from ..arrays import Array
from ..errors import InputError
from ..keys import keygen
from ..service import Client

SIDE = 8  # pixels, as in scikit-learn's load_digits
INK = 16  # the largest value of a pixel
DIGITS = 10


@dataclass(frozen=True)
class Reading:
    """The results for one picture: the encrypted question, byte for byte, the scores, and the seconds of the three
    steps. The server's seconds include the network and the queue."""

    scores: Array
    question: bytes
    encrypt_seconds: float
    server_seconds: float
    decrypt_seconds: float


class Reader:
    """A model of digits at a server, and its keys. The keys are drawn here and their evaluation half is uploaded. It
    replaces older keys of this client for the model.

    InputError for a model that does not take 8x8 pixels, or does not answer with ten scores. Classifiers of
    scikit-learn may answer with a label too. Threads may share it; one is served at a time."""

    def __init__(self, client: Client, model: str | None = None) -> None:
        self._client = client
        self._lock = threading.Lock()
        self.model = client.model(model)
        shapes = self.model.input_shapes
        scores = [i for i, shape in enumerate(self.model.output_shapes) if math.prod(shape[1:]) == DIGITS]
        if len(shapes) != 1 or math.prod(shapes[0][1:]) != SIDE * SIDE or not scores:
            raise InputError(
                f"model {self.model.id[:8]} takes {shapes} and answers with {self.model.output_shapes}; the demonstration "
                f"is for {SIDE * SIDE} pixels and {DIGITS} scores, like examples/digits/model.onnx"
            )
        self._scores = scores[0]
        self._keys = keygen(self.model)
        self._root = client.upload_keys(self._keys)["root"]

    def read(self, pixels: Sequence[float]) -> Reading:
        """Reads a picture. The pixels are row by row from the top, from 0 (paper) to 16 (ink)."""
        with self._lock:
            begun = time.perf_counter()
            picture = np.reshape(np.asarray(pixels, dtype=float), (1, *self.model.input_shapes[0][1:]))
            question = self._keys.encrypt(picture, progress=False)
            encrypted = time.perf_counter()
            results = self._evaluate(question)
            evaluated = time.perf_counter()
            outputs = self._keys.decrypt(results, question=question, progress=False)
            decrypted = time.perf_counter()
            return Reading(
                scores=(outputs[self._scores] if isinstance(outputs, tuple) else outputs).ravel(),
                question=question.to_bytes(),
                encrypt_seconds=encrypted - begun,
                server_seconds=evaluated - encrypted,
                decrypt_seconds=decrypted - evaluated,
            )

    def _evaluate(self, question: EncryptedTensors) -> EncryptedTensors:
        try:
            return self._client.evaluate(self.model, question)
        except InputError:
            if self._client.keys(self.model.id).get("root") == self._root:
                raise
            # A server forgets the least recently used keys, and another start of the demonstration replaces them.
            self._root = self._client.upload_keys(self._keys)["root"]
            return self._client.evaluate(self.model, question)
