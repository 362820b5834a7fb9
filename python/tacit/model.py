"""Compiled models."""

from __future__ import annotations

import json
import math
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

from . import _core
from .arrays import Inputs, Outputs, outputs, rows
from .errors import InputError
from .halves import ClientModel, Path, ServerModel
from .kept import Kept
from .keys import Keys, keygen
from .progress import Progress, shown

# The mesh of a node, "conv1=x:4,y:2", or a file of them.
_Sharding = Union[str, "os.PathLike[str]"]

_CLIENT, _SERVER = "client.tacit", "server.tacit"


class Model(Kept):
    """Both halves of a compiled model, for the model's owner."""

    _instead = "share the object, or save it to a folder and load that"

    def __init__(self, client: ClientModel, server: ServerModel, origin: _core.CompiledModel | None = None) -> None:
        self.client = client
        self.server = server
        self._origin = origin
        self._keys: Keys | None = None

    @classmethod
    def load(cls, folder: Path, *, allow_insecure: bool = False) -> Model:
        """Reads a folder that `save` or the command `tacit compile` wrote."""
        folder = pathlib.Path(folder)
        return cls(
            ClientModel.load(folder / _CLIENT, allow_insecure=allow_insecure),
            ServerModel.load(folder / _SERVER, allow_insecure=allow_insecure),
        )

    def save(self, folder: Path) -> None:
        """Writes client.tacit and server.tacit in a folder. A missing folder is made."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.client.save(folder / _CLIENT)
        self.server.save(folder / _SERVER)

    def plan(self) -> _core.Plan:
        """The way the model will be computed: parameters, time, memory, every operation. It prints as a table, and as
        plots in a notebook."""
        return self.client.plan() if self._origin is None else _core.plan(self._origin)

    def evaluate(
        self, inputs: _core.EncryptedTensors, keys: _core.EvaluationKeys, *, progress: Progress = None
    ) -> _core.EncryptedTensors:
        """Evaluates encrypted inputs, as the server does. No secret key takes part."""
        return self.server.evaluate(inputs, keys, progress=progress)

    def run(self, inputs: Inputs, keys: Keys | None = None, *, progress: Progress = None) -> Outputs:
        """Encrypts, evaluates and decrypts. Keys that are not given are made once and kept as long as the model."""
        if keys is None:
            keys = self._keys = self._keys or keygen(self, progress=progress)
        question = keys.encrypt(inputs, progress=progress)
        return keys.decrypt(
            self.evaluate(question, keys.evaluation, progress=progress), question=question, progress=progress
        )

    def simulate(self, inputs: Inputs, *, progress: Progress = None) -> Outputs:
        """Returns the answers that the model would give under encryption, without keys. The noise is drawn as the
        parameters predict it. Use it to test the accuracy on a whole data set. InputError for a model that was
        loaded."""
        if self._origin is None:
            raise InputError("simulate: a model that was loaded does not say what it was compiled from; compile it here")
        arrays = rows(inputs, self.client.input_shapes, "the input")
        with shown(progress) as report:
            return outputs(_core.simulate(self._origin, arrays, report), self.client.output_shapes)

    def validate(
        self,
        inputs: Inputs,
        *,
        operators: str = "nn",
        epsilon: float = -4,
        strict: bool = False,
        end_to_end: bool = False,
        fail_fast: bool = False,
        memory: int | None = None,
        progress: Progress = None,
    ) -> _core.Validation:
        """Runs the inputs under fresh keys and compares every encrypted operator with the operator on the decrypted
        message, within 10**epsilon. InputError for a model that was loaded, because its files do not state the source
        model."""
        if self._origin is None:
            raise InputError("validate: a model that was loaded does not say what it was compiled from; compile it here")
        arrays = rows(inputs, self.client.input_shapes, "the input")
        with shown(progress) as report:
            return _core.validate(
                self._origin,
                arrays,
                operators=operators,
                epsilon=epsilon,
                strict=strict,
                end_to_end=end_to_end,
                fail_fast=fail_fast,
                memory=memory or 0,
                report=report,
            )

    def __repr__(self) -> str:
        client = self.client
        return f"<tacit.Model {client.id[:12]}, inputs {client.input_shapes}, outputs {client.output_shapes}>"


def compile(
    model: Any,
    *,
    scheme: Literal["ckks", "tfhe", "auto"] = "ckks",
    bits: int | None = None,
    failure: float | None = None,
    rounding: Literal["approximate", "exact"] | None = None,
    calibration: Inputs | None = None,
    input_range: tuple[float, float] | None = None,
    parameters: str | None = None,
    allow_insecure: bool = False,
    memory: int | None = None,
    max_degree: int | None = None,
    max_polynomial_error: float = 0.1,
    max_error: float | None = None,
    client_before: bool = True,
    keep_private: Sequence[str] = (),
    costs: str | None = None,
    batch: Union[int, Literal["auto"]] = 1,
    shard: Union[Mapping[str, str], _Sharding, Sequence[_Sharding]] = (),
    shapes: Mapping[str, Sequence[int]] | None = None,
    constants: Mapping[str, float] | None = None,
    calibration_trim: float | None = None,
    name: str = "model.onnx",
    progress: Progress = None,
) -> Model:
    """Compiles an ONNX model: a path, its bytes, or an `onnx.ModelProto`.

    scheme: "ckks" for real numbers in slots. "tfhe" for integers and tables, which trees need. "auto" for the scheme
    with the shorter planned time.
    bits: on integers, bits of a table's argument, 2 to 8 (None: 6).
    failure: on integers, the probability that a lookup is wrong: 2**-128 (None), 2**-64 or 2**-40.
    rounding: on integers, the way sums get to the boxes of a table. "approximate" (None): noise may take them to the
    next box. "exact": bit by bit, so that results equal the results of `simulate`. It needs scheme="tfhe".
    calibration: public inputs, from which the ranges of functions that are no polynomials are measured. Never use
    private inputs.
    input_range: a publicly known range of every element of the inputs.
    parameters: the name of a parameter set, or its JSON.
    allow_insecure: accepts a literal that is marked insecure.
    memory: bytes that keys, weights and values may take (None: the memory of this machine).
    max_degree, max_polynomial_error: bounds of the polynomials that replace functions.
    max_error: the largest expected error of an output, as a share of its range. A model with a larger error is refused.
    The error is stated from the calibration data.
    client_before: allows the client to compute on its inputs before it encrypts.
    keep_private: nodes that the client may not run.
    costs: JSON of `tacit bench cost`.
    batch: the number of inputs that one run takes side by side, or "auto".
    shard: meshes of nodes instead of the compiler's choice: {"conv1": "x:4,y:2"}, or one or several arguments of the
    command's --shard, such as "conv1=x:4,y:2" or a file.
    shapes: the shapes of inputs whose axes the model leaves open: {"x": (1, 3, 48, 192)}.
    constants: inputs that are public and the same for everybody: {"sr": 16000}.
    calibration_trim: the calibration rows to set aside because they are far from all others. A number, or a share
    below 1 (None: 1 or 2, or 1 % of many).
    name: the name in messages of a model that is no file."""
    options: dict[str, Any] = {
        "name": name,
        "scheme": scheme,
        "bits": bits or 0,
        "log2_failure": 0.0 if failure is None else _log2(failure),
        "exact_rounding": _exact(rounding),
        "calibration": [] if calibration is None else rows(calibration, None, "the calibration data"),
        "input_range": input_range,
        "parameters": parameters or "",
        "allow_insecure": allow_insecure,
        "memory": memory or 0,
        "max_degree": max_degree or 0,
        "max_polynomial_error": max_polynomial_error,
        "max_error": max_error,
        "client_before": client_before,
        "keep_private": [keep_private] if isinstance(keep_private, str) else list(keep_private),
        "costs": costs or "",
        "batch": _batch(batch),
        "shard": _shardings(shard),
        "shapes": {name: [int(extent) for extent in shape] for name, shape in (shapes or {}).items()},
        "constants": dict(constants or {}),
        "calibration_trim": calibration_trim,
    }
    with shown(progress) as report:
        given = model if isinstance(model, (str, os.PathLike)) else _bytes_of(model)
        compiled = _core.compile(given, **options, report=report)
    return Model(ClientModel(compiled.client), ServerModel(compiled.server), compiled)


def _log2(failure: float) -> float:
    if not 0 < failure < 1:
        raise InputError(f"failure is {failure!r}; it is a probability: 2**-128, 2**-64 or 2**-40")
    return math.log2(failure)


def _exact(rounding: str | None) -> bool:
    if rounding not in (None, "approximate", "exact"):
        raise InputError(f"rounding is {rounding!r}; it is 'approximate' or 'exact'")
    return rounding == "exact"


def _batch(batch: Union[int, str]) -> int:
    if batch == "auto":
        return 0
    if not isinstance(batch, int) or batch < 1:
        raise InputError(f"batch is {batch!r}; give a number from 1 to 4096, or 'auto'")
    return batch


def _shardings(shard: Union[Mapping[str, str], _Sharding, Sequence[_Sharding]]) -> list[str]:
    if isinstance(shard, Mapping):
        return [json.dumps(dict(shard))] if shard else []
    return [os.fspath(one) for one in ([shard] if isinstance(shard, (str, os.PathLike)) else shard)]


def _bytes_of(model: Any) -> bytes:
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    serialise = getattr(model, "SerializeToString", None)
    if serialise is None:
        raise TypeError(f"a model is a path, bytes or an onnx.ModelProto, not {type(model).__name__}")
    return bytes(serialise())
