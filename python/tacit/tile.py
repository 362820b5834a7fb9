"""Tile tensors: tensors that are cut into ciphertexts, their operators, and the search for the best cut."""

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
    """Searches tile extents, `dims` per stage, by running `batch(session, extents, fold)` in cost sessions. `batch`
    carries out one batch and returns the number of its items. An InputError in it means that it does not fit these
    tiles."""
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
    """Records a computation instead of carrying it out. The encrypted tensors become inputs, and the returned tensors
    become outputs, of a model with plan, files and keys. Values are not read."""
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
