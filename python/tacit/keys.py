"""A client's keys: with the secret one it encrypts and decrypts, the evaluation keys go to the server."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Union

from . import _core
from .arrays import Inputs, Outputs, outputs, rows
from .halves import ClientModel, Path
from .kept import Kept
from .progress import Progress, shown

if TYPE_CHECKING:
    from .model import Model


def _client_of(model: Union[Model, ClientModel]) -> ClientModel:
    return model if isinstance(model, ClientModel) else model.client


class Keys(Kept):
    """Keys for one model. Made by `tacit.keygen`, or loaded."""

    _instead = "share the object, or write a file with save_secret_key() and load that"

    def __init__(self, model: Union[Model, ClientModel], core: _core.Client) -> None:
        self._model = _client_of(model)
        self._core = core
        self._lock = threading.Lock()
        self._evaluation: _core.EvaluationKeys | None = None

    @classmethod
    def load(cls, model: Union[Model, ClientModel], secret_key: Path) -> Keys:
        """The secret key that `save_secret_key`, or the command, wrote."""
        return cls(model, _core.Client(_client_of(model)._core, secret_key))

    def save_secret_key(self, path: Path) -> None:
        """In the clear, in a file that only its owner may read. InputError for a file that exists."""
        self._core.save_secret_key(path)

    @property
    def evaluation(self) -> _core.EvaluationKeys:
        """What the server needs: made when first asked for."""
        return self._made(None)

    def _made(self, progress: Progress) -> _core.EvaluationKeys:
        with self._lock:
            if self._evaluation is None:
                with shown(progress) as report:
                    self._evaluation = self._core.evaluation_keys(report)
            return self._evaluation

    def encrypt(self, inputs: Inputs, *, progress: Progress = None) -> _core.EncryptedTensors:
        """An array whose leading dimension counts inputs; a tuple of them for a model with several inputs. InputError
        for a value outside the range that the model was compiled for."""
        arrays = rows(inputs, self._model.input_shapes, "the input")
        with shown(progress) as report:
            return self._core.encrypt(arrays, report)

    def decrypt(
        self,
        results: _core.EncryptedTensors,
        *,
        question: _core.EncryptedTensors | None = None,
        share: int | None = None,
        labels: bool = False,
        statistical_bits: float = 30,
        decryptions: float = 1024,
        progress: Progress = None,
    ) -> Outputs:
        """Results, for the owner of the key. With `question` they must answer it, one by one and in order (KeyMismatch).
        For others: `share` leaves so many bits behind the binary point and hides the noise under `statistical_bits`,
        for so many `decryptions` a key; `labels` shows classes without numbers."""
        if question is not None:
            results.require_answers_to(question)
        with shown(progress) as report:
            arrays = self._core.decrypt(results, share, statistical_bits, decryptions, labels, report)
        return outputs(arrays, self._model.output_shapes)

    def __repr__(self) -> str:
        return f"<tacit.Keys for model {self._model.id[:12]}>"


def keygen(model: Union[Model, ClientModel], *, progress: Progress = None) -> Keys:
    """Draws a secret key and makes the evaluation keys: megabytes to gigabytes, as `plan()` says."""
    keys = Keys(model, _core.Client(_client_of(model)._core))
    keys._made(progress)
    return keys
