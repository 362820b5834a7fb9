"""Encrypted inputs."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from ctypes import POINTER, byref, c_double, c_int64
from typing import Union

from . import _declarations as declared
from ._library import Call, view
from .arrays import Inputs, rows
from .errors import InputError
from .model import ClientModel
from .progress import Progress

Path = Union[str, "os.PathLike[str]"]


@dataclasses.dataclass(frozen=True, repr=False)
class Question:
    """Encrypted inputs. Only `bytes` go to the server."""

    bytes: bytes
    #: Values that the model returns unchanged, in the clear. They never go to the server. Empty for most models.
    kept: bytes = b""

    def save(self, path: Path) -> None:
        """Writes the file that `tacit evaluate` reads. Kept values go to PATH.kept, which only its owner may read."""
        pathlib.Path(path).write_bytes(self.bytes)
        if self.kept:
            beside = os.open(f"{os.fspath(path)}.kept", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(beside, "wb") as file:
                file.write(self.kept)

    @classmethod
    def load(cls, path: Path) -> Question:
        """Reads what `save` or the command wrote."""
        beside = pathlib.Path(f"{os.fspath(path)}.kept")
        try:
            return cls(pathlib.Path(path).read_bytes(), beside.read_bytes() if beside.exists() else b"")
        except OSError as error:
            raise InputError(f"{error.filename}: the question cannot be read: {error.strerror}") from None

    def __repr__(self) -> str:
        return f"<tacit_client.Question, {len(self.bytes)} bytes>"


def encrypted(model: ClientModel, key: bytes | bytearray, public: bool, inputs: Inputs, progress: Progress) -> Question:
    """Encrypts arrays whose leading dimension counts inputs."""
    arrays = rows(inputs, model.input_shapes, "the input")
    count = len(arrays[0])
    for position, array in enumerate(arrays):
        if len(array) != count:
            raise InputError(f"the input, array {position}, has {len(array)} rows, and array 0 has {count}; give as many")
    shapes = [(c_int64 * len(shape))(*shape) for shape in model.input_shapes]
    tensors = (declared.TacitArray * (count * len(arrays)))()
    for place, tensor in enumerate(tensors):
        row, position = divmod(place, len(arrays))
        tensor.values = arrays[position][row].ctypes.data_as(POINTER(c_double))
        tensor.shape = shapes[position]
        tensor.dimensions = len(shapes[position])
    question, kept = bytearray(), bytearray()
    call = Call()
    with call.progress(progress) as report:
        call.run(
            "tacit_client_encrypt", model._handle.place, view(key), int(public), tensors, len(arrays), count,
            byref(call.sink(question.extend)), byref(call.sink(kept.extend)), byref(report),
        )  # fmt: skip
    return Question(bytes(question), bytes(kept))
