"""The reports of progress, and the refusal of rows that do not fit each other."""

import numpy as np
import pytest

import tacit
from tacit import _core, tile


def stages_of(model, keys, picture, inputs):
    """The reports of an evaluation of this many inputs."""
    told = []
    questions = keys.encrypt(np.repeat(picture, inputs, axis=0))
    model.evaluate(questions, keys.evaluation, progress=lambda *stage: told.append(stage))
    return told


def test_stages_are_counted_where_there_are_several_inputs(model, keys, waves):
    assert all("/" not in stage for stage, _, _ in stages_of(model, keys, waves[:1], 1))
    two = stages_of(model, keys, waves[:1], 2)  # weights are encoded
    assert all(stage in ("1/2 evaluate", "2/2 evaluate") for stage, _, _ in two)
    many = stages_of(model, keys, waves[:1], 12)
    assert {stage.split("/")[1] for stage, _, _ in many} == {"12 evaluate"}
    assert all(1 <= int(stage.split("/")[0]) <= 12 for stage, _, _ in many)


def test_nothing_is_told_twice(model, keys, waves):
    told = stages_of(model, keys, waves[:1], 12)
    assert all(first != second for first, second in zip(told, told[1:]))


def test_several_inputs_have_as_many_rows_each():
    def total(session):
        return [session.encrypt("{d any|1024}", np.zeros(5)) + session.encrypt("{d any|1024}", np.zeros(5))]

    requirement = "slots 1024, depth 2, fraction 30 bits, integer 8 bits, security 0"
    model = tile.record(requirement, "total", total, allow_insecure=True)
    client = _core.Client(model.client._core)

    def encrypted(*arrays):
        return len(client.encrypt(list(arrays), lambda *_: None))

    assert encrypted(np.zeros((2, 5)), np.zeros((2, 5))) == 2
    assert encrypted() == 0
    with pytest.raises(tacit.InputError) as refused:
        encrypted(np.zeros((2, 5)), np.zeros((1, 5)))
    assert str(refused.value) == "one input has 2 rows and another 1: give as many of each"
    for rows in (np.zeros(5), np.zeros((1, 5, 1))):
        with pytest.raises(tacit.InputError) as refused:
            encrypted(rows, rows)
        assert str(refused.value) == f"an array of rows has two dimensions, not {rows.ndim}"
