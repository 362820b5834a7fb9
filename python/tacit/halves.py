"""The two halves of a compiled model. The client's half has no weights, and the server's half has no secret key."""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _core
from .arrays import Shape
from .kept import Kept
from .progress import Progress, shown
from ._core import Sink, Source

if TYPE_CHECKING:
    from ._core import Buffer

Path = Union[str, "os.PathLike[str]"]
From = Union[Path, Source]  # where an object is loaded from
To = Union[Path, Sink]  # where it is saved to


class ClientModel(Kept):
    """The half for the client: shapes, ranges and parameters, to make keys, encrypt and decrypt."""

    _instead = "share the object, or save it and load that"

    def __init__(self, core: _core.ClientModel) -> None:
        self._core = core

    @classmethod
    def load(cls, path: From, *, allow_insecure: bool = False) -> ClientModel:
        return cls(_core.ClientModel.load(path, allow_insecure))

    def save(self, path: To) -> None:
        self._core.save(path)

    def to_bytes(self) -> bytes:
        """The bytes that `save` writes. `load(tacit.Source.memory(data))` reads them."""
        return self._core.to_bytes()

    @property
    def input_shapes(self) -> list[Shape]:
        """Shapes as the model states them. Networks have a batch dimension of 1, and recorded computations have
        none."""
        return [tuple(shape) for shape in self._core.input_shapes()]

    @property
    def output_shapes(self) -> list[Shape]:
        return [tuple(shape) for shape in self._core.output_shapes()]

    @property
    def output_columns(self) -> list[list[str]]:
        """Names of every output's elements if the model states them, such as the classes of probabilities."""
        return self._core.output_columns()

    @property
    def parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._core.parameters())
        return found

    @property
    def scheme(self) -> str:
        """"ckks" (real numbers in slots) or "tfhe" (integers and tables)."""
        return self._core.scheme()

    @property
    def id(self) -> str:
        """SHA-256 over parameters, program and the client's part. Receipts name it."""
        return self._core.id()

    def plan(self) -> _core.Plan:
        return self._core.plan()

    def load_results(self, path: From) -> _core.EncryptedTensors:
        """Reads results of a server, to decrypt them."""
        return _core.EncryptedTensors.load_results(self._core, path)

    def load_questions(self, path: From, *, kept: Buffer = b"") -> _core.EncryptedTensors:
        """Reads inputs that this client encrypted earlier, to compare results with them. `kept` is their
        `kept_values()`. For a file it may be empty: the values are read from the file next to it."""
        return _core.EncryptedTensors.load_questions(self._core, path, kept)

    def __repr__(self) -> str:
        return f"<tacit.ClientModel {self.id[:12]}, inputs {self.input_shapes}, outputs {self.output_shapes}>"


class ServerModel(Kept):
    """The half for the server: the computation with its weights. Threads may share it, and those that evaluate for
    different keys run at once."""

    _instead = "share the object, or save it and load that"

    def __init__(self, core: _core.ServerModel) -> None:
        self._core = core
        self._lock = threading.Lock()
        self._prepared: _core.PreparedModel | None = None
        self._servers: weakref.WeakKeyDictionary[_core.EvaluationKeys, _core.Server] = weakref.WeakKeyDictionary()

    @classmethod
    def load(cls, path: From, *, allow_insecure: bool = False) -> ServerModel:
        return cls(_core.ServerModel.load(path, allow_insecure))

    def save(self, path: To) -> None:
        self._core.save(path)

    def to_bytes(self) -> bytes:
        """The bytes that `save` writes. `load(tacit.Source.memory(data))` reads them."""
        return self._core.to_bytes()

    def load_keys(self, path: From) -> _core.EvaluationKeys:
        return _core.EvaluationKeys.load(self._core, path)

    def load_inputs(self, path: From) -> _core.EncryptedTensors:
        """Reads inputs that a client encrypted, to evaluate them."""
        return _core.EncryptedTensors.load_inputs(self._core, path)

    def prepare(
        self,
        *,
        memory: int | None = None,
        clients: int = 1,
        held: Sequence[_core.EvaluationKeys] = (),
        progress: Progress = None,
    ) -> None:
        """Encodes the weights before the first evaluation. `clients` evaluate at once within `memory` bytes (None: the
        free memory). `held` are keys of such clients that are in memory already; the free memory need not hold them
        again."""
        with self._lock, shown(progress) as report:
            self._servers.clear()
            self._prepared = None
            self._prepared = _core.PreparedModel(self._core, memory or 0, clients, list(held), report)

    def evaluate(
        self, inputs: _core.EncryptedTensors, keys: _core.EvaluationKeys, *, progress: Progress = None
    ) -> _core.EncryptedTensors:
        """Evaluates every encrypted input. The first call encodes the weights."""
        with shown(progress) as report:
            with self._lock:
                server = self._servers.get(keys)
                if server is None:
                    if self._prepared is None:
                        self._prepared = _core.PreparedModel(self._core, 0, 1, [keys], report)
                    server = self._servers[keys] = _core.Server(self._prepared, keys)
            return server.evaluate(inputs, report)

    def __repr__(self) -> str:
        return "<tacit.ServerModel>"
