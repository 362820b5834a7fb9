"""Tile tensors: tensors cut into ciphertexts, with operators, and the search for how to cut them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Union

from ._core.tile import (
    Comparison,
    Cost,
    Fold,
    Plain,
    Plan,
    PlannedPacking,
    Session,
    Shape,
    Tensor,
    validate,
)
from . import _core
from .halves import ClientModel, ServerModel
from .model import Model


def plan_packing(
    requirement: str,
    dims: int,
    batch: Callable[[Session, Sequence[int], Fold], int],
    *,
    objective: Literal["latency", "throughput", "memory"] = "latency",
    latency: float | None = None,
    memory: float | None = None,
    stages: int = 1,
) -> Plan:
    """Searches tile extents, `dims` a stage, by running `batch(session, extents, fold)` as costs: it carries out one
    batch and returns how many items that served. An InputError in it means that it does not fit these tiles."""
    return _core.tile.plan_packing(
        requirement, dims, batch, objective=objective, latency=latency, memory=memory, stages=stages
    )


def record(
    requirement: str,
    name: str,
    computation: Callable[[Session], Union[Tensor, Sequence[Tensor]]],
    *,
    allow_insecure: bool = False,
) -> Model:
    """Writes a computation down instead of carrying it out: what it encrypts becomes inputs, what it returns outputs of
    a model with plan, files and keys. Values are not looked at."""
    compiled = _core.tile.record(requirement, name, computation, allow_insecure=allow_insecure)
    return Model(ClientModel(compiled.client), ServerModel(compiled.server), compiled)


__all__ = [
    "Comparison",
    "Cost",
    "Fold",
    "Plain",
    "Plan",
    "PlannedPacking",
    "Session",
    "Shape",
    "Tensor",
    "plan_packing",
    "record",
    "validate",
]
