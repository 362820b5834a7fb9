"""The options of a compilation as words, which the table of options reads for every face of Tacit."""

from __future__ import annotations

import json
import math
import numbers
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import InputError

# Former names of keywords of compile(). They work until version 0.3.
FORMER = {"shapes": "shape", "constants": "constant", "calibration_trim": "calibrate_trim"}

SHOWN = 60


def words_of(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """Returns the words of every option that is given (not None)."""
    return {name: _words(name, value) for name, value in options.items() if value is not None}


def renamed(function: str, given: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Returns keywords by their present names, with a warning. TypeError for a name that never was one."""
    result = {}
    for name, value in given.items():
        if name not in names:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        warnings.warn(f"{name}= is {names[name]}= now; the old name works until version 0.3", DeprecationWarning, 3)
        result[names[name]] = value
    return result


def _words(name: str, value: Any) -> list[str]:
    if name == "failure" and isinstance(value, numbers.Real):
        return [_probability(float(value))]
    if name == "shard" and isinstance(value, numbers.Number):
        raise TypeError(f"shard={_shown(value)}: give meshes by node, texts such as 'conv1=x:4,y:2', or files")
    if isinstance(value, Mapping):
        return _named(name, value)
    if isinstance(value, (str, os.PathLike)) or not isinstance(value, Sequence):
        return [_word(name, value)]
    return [_word(name, one) for one in value]


def _word(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    raise InputError(f"{name}={_shown(value)}: give a number, a text, or several of them")


def _shown(value: Any) -> str:
    """Returns the value on one line of at most SHOWN characters: a refusal is one line, and arrays are not."""
    text = " ".join(repr(value).split())
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _named(name: str, value: Mapping[str, Any]) -> list[str]:
    if name == "shard":
        return [json.dumps(dict(value))] if value else []
    return [f"{key}={','.join(_words(name, one))}" for key, one in value.items()]


def _probability(failure: float) -> str:
    if not 0 < failure < 1:
        raise InputError(f"failure is {failure!r}; it is a probability: 2**-128, 2**-64 or 2**-40")
    return f"2^{math.log2(failure):g}"
