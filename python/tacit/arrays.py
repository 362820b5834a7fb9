"""Conversion of the caller's arrays to those of the extension module: one array [rows, elements] for every input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .errors import InputError

Shape = tuple[int, ...]
Array = npt.NDArray[np.float64]
#: One array with a leading batch dimension. For a model with several inputs (outputs), a tuple of them.
Inputs = Union[npt.ArrayLike, tuple[npt.ArrayLike, ...]]
Outputs = Union[Array, tuple[Array, ...]]

_LARGEST = 2**53  # an integer that doubles and their neighbours hold


def numbers(array: Any, what: str) -> Array:
    """Returns an array of doubles, row-major. InputError for an array that holds no numbers."""
    found = np.asarray(array)
    if found.dtype.kind not in "biuf":
        raise InputError(f"{what} has elements of type {found.dtype}; give real numbers")
    if found.dtype.kind in "iu" and found.size and (int(found.max()) > _LARGEST or int(found.min()) < -_LARGEST):
        raise InputError(f"{what} has integers beyond 2^53, which doubles do not tell apart")
    return np.asarray(found, dtype=np.float64, order="C")


def rows(inputs: Inputs, shapes: Sequence[Shape] | None, what: str) -> list[Array]:
    """Returns one array [rows, elements] per input. `shapes` are the model's; None: they are unknown."""
    arrays = inputs if isinstance(inputs, tuple) else (inputs,)
    if shapes is not None and len(arrays) != len(shapes):
        raise InputError(f"{what} has {len(arrays)} arrays, the model has {len(shapes)} inputs; give a tuple of as many")
    found = []
    for position, array in enumerate(arrays):
        name = what if len(arrays) == 1 else f"{what}, array {position},"
        held = numbers(array, name)
        if held.ndim == 0:
            raise InputError(f"{name} is a single number; its leading dimension counts inputs")
        if shapes is not None and held.shape[1:] != _of_one(shapes[position]):
            raise InputError(_wrong_shape(name, held.shape, shapes[position]))
        if held.shape[0] == 0:
            raise InputError(f"{name} has no rows")
        found.append(held.reshape(held.shape[0], -1))
    return found


def _of_one(shape: Shape) -> Shape:
    """Returns the shape of one input or output, without a leading dimension of 1 such as the batch of a network."""
    return tuple(shape[1:]) if shape and shape[0] == 1 else tuple(shape)


def _wrong_shape(name: str, shape: Shape, expected: Shape) -> str:
    one = _of_one(expected)
    wanted = ", ".join(["rows", *map(str, one)])
    text = f"{name} has shape {shape}, the model takes ({wanted})"
    if tuple(shape) == one:
        return f"{text}; for one input write array[None]"
    if math.prod(shape) % math.prod(one) == 0:
        return f"{text}; write array.reshape({', '.join(['-1', *map(str, one)])}) if that is its order"
    return text


def outputs(arrays: Sequence[Array], shapes: Sequence[Shape]) -> Outputs:
    """Returns the results [rows, elements] in the shapes of the model, whose batch dimension becomes the rows. Labels,
    which replace numbers, are one per row."""
    shaped = []
    for array, shape in zip(arrays, shapes):
        inner = _of_one(shape)
        shown_instead = array.shape[1] != math.prod(inner)
        shaped.append(array[:, 0] if shown_instead else array.reshape(array.shape[0], *inner))
    return shaped[0] if len(shaped) == 1 else tuple(shaped)
