"""Compiled models."""

from __future__ import annotations

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
from .option_words import FORMER, renamed, words_of
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
        # The decisions of passes of the compiler, as name and text. `explain` named these passes.
        self.explanations: list[tuple[str, str]] = []

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

    def score(
        self,
        inputs: Inputs,
        labels: Sequence[float] | None = None,
        *,
        encrypted: bool = False,
        memory: int | None = None,
        progress: Progress = None,
    ) -> _core.Score:
        """Compares the model with the plaintext network on many inputs. Says how many answers agree, how far every output
        is off, and which inputs have no answer. The run is simulated, or on ciphertexts under fresh keys (`encrypted`).
        `labels` are true answers, for the accuracy. InputError for a model that was loaded."""
        if self._origin is None:
            raise InputError("score: a model that was loaded does not say what it was compiled from; compile it here")
        arrays = rows(inputs, self.client.input_shapes, "the input")
        truth = [] if labels is None else [float(label) for label in labels]
        with shown(progress) as report:
            return _core.score(
                self._origin, arrays, labels=truth, encrypted=encrypted, memory=memory or 0, report=report
            )

    def validate(
        self,
        inputs: Inputs,
        *,
        operators: str = "nn",
        epsilon: float = -4,
        strict: bool = False,
        end_to_end: bool = False,
        fail_fast: bool = False,
        secret: Path = "",
        evaluation: Path = "",
        memory: int | None = None,
        progress: Progress = None,
    ) -> _core.Validation:
        """Runs the inputs under fresh keys, or under those of the files `secret` and `evaluation`, and compares every
        encrypted operator with the operator on the decrypted message, within 10**epsilon. InputError for a model that
        was loaded, because its files do not state the source model."""
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
                secret=secret,
                evaluation=evaluation,
                memory=memory or 0,
                report=report,
            )

    def dry_run(self) -> _core.DryRun:
        """Follows levels, scales and ranges of the program, without keys and inputs. InputError for a model on integers,
        and for one that was loaded."""
        if self._origin is None:
            raise InputError("dry_run: a model that was loaded does not say what it was compiled from; compile it here")
        return _core.dry_run(self._origin)

    def __repr__(self) -> str:
        client = self.client
        return f"<tacit.Model {client.id[:12]}, inputs {client.input_shapes}, outputs {client.output_shapes}>"


def compile(
    model: Any,
    *,
    calibration: Inputs | None = None,
    calibrate_trim: Union[float, Literal["off", "auto"], None] = None,
    ranges: Union[str, "os.PathLike[str]", None] = None,
    input_range: tuple[float, float] | None = None,
    scheme: Literal["ckks", "tfhe", "auto"] | None = None,
    bits: int | None = None,
    failure: Union[float, str, None] = None,
    rounding: Literal["approximate", "exact"] | None = None,
    parameters: Union[str, "os.PathLike[str]", None] = None,
    max_degree: int | None = None,
    max_polynomial_error: float | None = None,
    batch: Union[int, Literal["auto"], None] = None,
    passes: Union[str, Sequence[str], None] = None,
    shard: Union[Mapping[str, str], _Sharding, Sequence[_Sharding], None] = None,
    precision: int | None = None,
    share: int | None = None,
    share_statistical_bits: float | None = None,
    share_decryptions: float | None = None,
    owners: Sequence[int] | None = None,
    costs: Union[str, "os.PathLike[str]", None] = None,
    client_before: bool | None = None,
    keep_private: Union[str, Sequence[str], None] = None,
    max_error: Union[float, str, None] = None,
    shape: Mapping[str, Sequence[int]] | None = None,
    constant: Mapping[str, Union[float, str, "os.PathLike[str]"]] | None = None,
    memory: int | None = None,
    allow_insecure: bool = False,
    explain: Union[str, Sequence[str]] = (),
    name: str = "model.onnx",
    progress: Progress = None,
    **former: Any,
) -> Model:
    """Compiles an ONNX model: a path, its bytes, or an `onnx.ModelProto`.

    The keywords are the options of the command `tacit compile`, with "_" in place of "-". `tacit.options()` prints them.

    calibration: public inputs, from which the ranges of functions that are no polynomials are measured. Never use
    private inputs.
    calibrate_trim: the calibration rows to set aside because they are far from all others. A number, or a share
    below 1 (None: 1 or 2, or 1 % of many).
    ranges: what `tacit.calibrate` or the command `tacit calibrate` measured, in place of calibration: JSON or a file.
    input_range: a publicly known range of every element of the inputs.
    scheme: "ckks" (None) for real numbers in slots. "tfhe" for integers and tables, which trees on computed values need.
    "auto" for the scheme with the shorter planned time.
    bits: on integers, bits of a table's argument, 2 to 8 (None: 6). In slots, bits of the grid of a feature that trees
    compare (None: 4).
    failure: on integers, the probability that a lookup is wrong: 2**-128 (None), 2**-64 or 2**-40.
    rounding: on integers, the way sums get to the boxes of a table. "approximate" (None): noise may take them to the
    next box. "exact": bit by bit, so that results equal the results of `simulate`. It needs scheme="tfhe".
    parameters: a parameter set: its name, its JSON, or a file.
    max_degree, max_polynomial_error: bounds of the polynomials that replace functions (None: 59 and more; 0.1).
    batch: the number of inputs that one run takes side by side, or "auto" (None: 1).
    passes: passes of the compiler to leave out, to see what they gain: "no-fold".
    shard: meshes of nodes instead of the compiler's choice: {"conv1": "x:4,y:2"}, or one or several arguments of the
    command's --shard, such as "conv1=x:4,y:2" or a file.
    owners: two numbers, N and T. The secret key has N owners, of whom T decrypt. Needs calibration samples.
    precision: the bits of precision of every decrypted output. 12 deviations of its noise stay below 2**-precision of its
    range over the calibration data. Parameters are chosen for it, and a model that none are precise enough for is refused.
    share, share_statistical_bits, share_decryptions: the bits that results for others shall keep, and the promise about
    them. Parameters leave room for them.
    costs: prices of the machine that will compute: JSON of `tacit bench cost`, or a file.
    client_before: allows the client to compute on its inputs before it encrypts (None: True).
    keep_private: nodes that the client may not run.
    max_error: the largest expected error of an output, as a share of its range. A model with a larger error is refused.
    The error is stated from the calibration data.
    shape: the shapes of inputs whose axes the model leaves open: {"x": (1, 3, 48, 192)}.
    constant: inputs that are public and the same for everybody: {"sr": 16000}, or a .npy file.
    memory: bytes that keys, weights and values may take (None: the memory of this machine).
    allow_insecure: accepts parameters that are marked insecure.
    explain: the passes that say in `Model.explanations` what they decided, or "all".
    name: the name in messages of a model that is no file."""
    given = _given(locals(), former)
    explained = [explain] if isinstance(explain, str) else list(explain)
    with shown(progress) as report:
        compiled, explanations = _core.compile(_source(model), explain=explained, report=report, **given)
    result = Model(ClientModel(compiled.client), ServerModel(compiled.server), compiled)
    result.explanations = explanations
    return result


def calibrate(
    model: Any,
    calibration: Inputs,
    *,
    memory: int | None = None,
    allow_insecure: bool = False,
    name: str = "model.onnx",
    progress: Progress = None,
    **options: Any,
) -> str:
    """Measures on public inputs what `compile` needs of them, so that they need not travel. Returns JSON for
    `compile(ranges=...)`: with it, and otherwise the same options, the same model compiles to the same program. It holds
    no row, but the smallest and the largest value of every feature (on integers also the mean). These say much about each row if
    rows are few. Ranges serve one scheme. `options` are keywords of `compile`."""
    given = _given({**_known("calibrate", options), **locals()}, {})
    with shown(progress) as report:
        return _core.calibrate(_source(model), report=report, **given)


def cross_fit(
    model: Any,
    inputs: Inputs,
    labels: Sequence[float] | None = None,
    *,
    parts: int = 5,
    most_samples: int = 1000,
    memory: int | None = None,
    allow_insecure: bool = False,
    name: str = "model.onnx",
    progress: Progress = None,
    **options: Any,
) -> _core.Score:
    """Scores inputs when there are no others to calibrate on. Divides them into `parts` (input i is in part i mod parts)
    and simulates each part with a network that is calibrated on the others, on `most_samples` of their inputs at most.
    Real numbers alone (scheme="ckks"). `model` and `options` are those of `compile`, without calibration. `labels` are
    true answers, for the accuracy."""
    calibration = None
    given = _given({**_known("cross_fit", options), **locals()}, {})
    arrays = rows(inputs, None, "the input")
    truth = [] if labels is None else [float(label) for label in labels]
    with shown(progress) as report:
        return _core.cross_fit(
            _source(model), arrays, labels=truth, parts=parts, most_samples=most_samples, report=report, **given
        )


def _known(function: str, options: dict[str, Any]) -> dict[str, Any]:
    known = {option["name"].replace("-", "_") for option in _core.option_table()}
    for option in options.keys() - known:
        raise TypeError(f"{function}() got an unexpected keyword argument '{option}'")
    return options


def _given(arguments: Mapping[str, Any], former: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of the compiler's functions."""
    table = {option["name"].replace("-", "_") for option in _core.option_table()}
    calibration = arguments["calibration"]
    return {
        "name": arguments["name"],
        "options": words_of({key: value for key, value in arguments.items() if key in table} | renamed("compile", former, FORMER)),
        "calibration": [] if calibration is None else rows(calibration, None, "the calibration data"),
        "memory": arguments["memory"] or 0,
        "allow_insecure": arguments["allow_insecure"],
    }


def options() -> str:
    """Returns the options of `compile`, which are those of the command `tacit compile`, as text: name, form, what holds
    without the option, and help."""
    lines = []
    for option in _core.option_table():
        absent = f" (without it: {option['absent']})" if option["absent"] else ""
        lines.append(f"{option['name'].replace('-', '_')}: {option['form']}{absent}\n    {option['help']}")
    return "\n".join(lines)


def _source(model: Any) -> Any:
    return model if isinstance(model, (str, os.PathLike)) else _bytes_of(model)


def _bytes_of(model: Any) -> bytes:
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    serialise = getattr(model, "SerializeToString", None)
    if serialise is None:
        raise TypeError(f"a model is a path, bytes or an onnx.ModelProto, not {type(model).__name__}")
    return bytes(serialise())
