"""A client's keys. The client encrypts and decrypts with the secret key. The evaluation keys go to the server, and a
public key to whoever encrypts inputs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Union

from . import _core
from .arrays import Inputs, Outputs, outputs, rows
from .halves import ClientModel, From, To
from .kept import Kept
from .option_words import renamed
from .progress import Progress, shown

if TYPE_CHECKING:
    from .model import Model


def _client_of(model: Union[Model, ClientModel]) -> ClientModel:
    return model if isinstance(model, ClientModel) else model.client


class PublicKey(Kept):
    """A key for one model that encrypts and does not decrypt, for whoever has inputs. Its owner made it with
    `keys.public_key` or `tacit keygen --public`. Everybody who has it can encrypt: encrypted inputs do not show who
    sent them. Threads may share it."""

    _instead = "share the object, or write a file with save() and load that"

    def __init__(self, model: Union[Model, ClientModel], core: _core.PublicKey) -> None:
        self._model = _client_of(model)
        self._core = core

    @classmethod
    def load(cls, model: Union[Model, ClientModel], path: From) -> PublicKey:
        """Reads the key that `save` or the command wrote. KeyMismatch for a key of another model."""
        return cls(model, _core.PublicKey.load(_client_of(model)._core, path))

    def save(self, path: To) -> None:
        self._core.save(path)

    def to_bytes(self) -> bytes:
        """Returns the bytes that `save` writes."""
        return self._core.to_bytes()

    def encrypt(self, inputs: Inputs, *, progress: Progress = None) -> _core.EncryptedTensors:
        """Encrypts as `Keys.encrypt` does, for the owner of the secret key. The result is larger, because no seed stands
        for a part of it."""
        arrays = rows(inputs, self._model.input_shapes, "the input")
        with shown(progress) as report:
            return self._core.encrypt(arrays, report)

    def __repr__(self) -> str:
        return f"<tacit.PublicKey for model {self._model.id[:12]}>"


class Keys(Kept):
    """Keys for one model. Made by `tacit.keygen`, or loaded."""

    _instead = "share the object, or write a file with save_secret_key() and load that"

    def __init__(self, model: Union[Model, ClientModel], core: _core.Client) -> None:
        self._model = _client_of(model)
        self._core = core
        self._lock = threading.Lock()
        self._evaluation: _core.EvaluationKeys | None = None
        self._public: PublicKey | None = None

    @classmethod
    def load(cls, model: Union[Model, ClientModel], secret_key: From) -> Keys:
        """Reads the secret key that `save_secret_key`, `secret_key_bytes` or the command wrote."""
        return cls(model, _core.Client(_client_of(model)._core, secret_key))

    def save_secret_key(self, path: To) -> None:
        """Writes the key in the clear. A file has mode 0600: only its owner may read it. InputError for an existing
        file."""
        self._core.save_secret_key(path)

    def secret_key_bytes(self) -> bytearray:
        """The key in the clear, as `save_secret_key` writes it. Overwrite the bytes when you have stored them."""
        return self._core.secret_key_bytes()

    @property
    def evaluation(self) -> _core.EvaluationKeys:
        """The keys that the server needs. They are made at the first use."""
        return self._made(None)

    @property
    def public_key(self) -> PublicKey:
        """The key for whoever encrypts inputs without the secret key. It is made at the first use. Raises InputError if the
        parameters of a network on integers leave no room for the noise of the key."""
        with self._lock:
            if self._public is None:
                self._public = PublicKey(self._model, self._core.public_key())
            return self._public

    def _made(self, progress: Progress) -> _core.EvaluationKeys:
        with self._lock:
            if self._evaluation is None:
                with shown(progress) as report:
                    self._evaluation = self._core.evaluation_keys(report)
            return self._evaluation

    def encrypt(self, inputs: Inputs, *, progress: Progress = None) -> _core.EncryptedTensors:
        """Encrypts an array whose leading dimension counts inputs, or a tuple of arrays for a model with several
        inputs. InputError for a value outside the range that the model was compiled for."""
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
        share_statistical_bits: float = 30,
        share_decryptions: float = 1024,
        progress: Progress = None,
        **former: float,
    ) -> Outputs:
        """Decrypts results.

        question: the results must answer these inputs, one by one and in order (KeyMismatch).
        share: prepares the results for others. The numbers keep this number of bits after the binary point, and the
        noise is hidden under `share_statistical_bits`, for at most `share_decryptions` results per key. On integers nothing
        has to be hidden, and numbers are refused if noise decides a part of them. Without it, results are for the owner.
        labels: shows others classes without numbers."""
        given = renamed("decrypt", former, {"statistical_bits": "share_statistical_bits", "decryptions": "share_decryptions"})
        share_statistical_bits = given.get("share_statistical_bits", share_statistical_bits)
        share_decryptions = given.get("share_decryptions", share_decryptions)
        if question is not None:
            results.require_answers_to(question)
        with shown(progress) as report:
            arrays = self._core.decrypt(results, share, share_statistical_bits, share_decryptions, labels, report)
        return outputs(arrays, self._model.output_shapes)

    def __repr__(self) -> str:
        return f"<tacit.Keys for model {self._model.id[:12]}>"


def keygen(model: Union[Model, ClientModel], *, progress: Progress = None) -> Keys:
    """Draws a secret key and makes the evaluation keys: megabytes to gigabytes, as `plan()` states."""
    keys = Keys(model, _core.Client(_client_of(model)._core))
    keys._made(progress)
    return keys
