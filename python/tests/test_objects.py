"""Objects of the package are whole: none is used before it has a value, changes its class, or is copied."""

import copy
import inspect
import os
import pickle
import re

import numpy as np
import pytest

import tacit
from tacit import _core, merkle, tile

CLASSES = [value for module in (_core, _core.tile) for value in vars(module).values() if inspect.isclass(value)]
FAST = "slots 1024, depth 2, fraction 30 bits, integer 8 bits, security 0"


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_object_that_no_constructor_filled_is_refused(kind):
    unfilled = kind.__new__(kind)
    called = 0
    for name, member in inspect.getmembers(kind):
        if isinstance(member, property):
            with pytest.raises(TypeError, match="its constructor has not run"):
                getattr(unfilled, name)
            called += 1
        elif not name.startswith("__") and (stated := re.search(r"\(self: (.*)\) ->", getattr(member, "__doc__", None) or "")):
            others = re.findall(r", \w+: ", stated.group(1))
            with pytest.raises(TypeError, match="its constructor has not run"):
                getattr(unfilled, name)(*[None] * len(others))
            called += 1
    for name in ("__str__", "__repr__", "__len__", "__hash__"):
        if name in vars(kind):
            with pytest.raises(TypeError, match="its constructor has not run"):
                getattr(unfilled, name)()
            called += 1
    assert called > 0 or kind in (_core.PreparedModel, _core.Source, _core.Sink, tile.Plain)  # these have nothing to call


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_classes_stay_what_they_are(kind):
    with pytest.raises(TypeError):
        type("Sub", (kind,), {})
    with pytest.raises(TypeError):
        kind.anything = 1
    other = tile.Fold if kind is not tile.Fold else tile.Shape
    with pytest.raises(TypeError):
        kind.__new__(kind).__class__ = other


def test_nothing_that_holds_secrets_is_copied_or_pickled(model, keys):
    session = tile.Session.clear(FAST)
    tensor = session.encrypt("{any|1024}", np.ones(4))
    things = [model, model.client, model.server, model.plan(), keys, keys._core, keys.evaluation, keys.public_key, session, tensor]
    things += [merkle.tree(b"x"), tacit.Client("http://127.0.0.1:9", token="token")]
    for thing in things:
        for copies in (copy.copy, copy.deepcopy, *(lambda held, p=p: pickle.dumps(held, p) for p in range(6))):
            with pytest.raises(TypeError) as refused:
                copies(thing)
            assert f"objects of type {type(thing).__name__} are neither copied nor pickled; " in str(refused.value)


def test_shapes_folds_and_proofs_are_copied():
    proof = merkle.tree(b"some bytes" * 9, chunk=16).prove([1, 2])
    for again in (copy.copy, copy.deepcopy, lambda held: pickle.loads(pickle.dumps(held))):
        assert again(proof).to_bytes() == proof.to_bytes()
        for text in ("{any|1024}", "{rows 10|4}{copy 64}", "{c 1}{y 8|4 woven}{x 8|4 woven}{copy 64}"):
            assert again(tile.Shape(text)) == tile.Shape(text)
        assert repr(again(tile.Fold(True, 3))) == "Fold(all_places=True, hoist=3)"


def test_a_refusal_shows_bytes_that_are_no_text():
    with pytest.raises(tacit.InputError) as refused:
        tacit.load_receipt(b"/no/such/\xff")
    assert str(refused.value) == "/no/such/\\xff: there is no such file"
    with pytest.raises(tacit.InputError) as refused:
        tacit.ClientModel.load(os.fsdecode(b"/no/such/\xff"))
    assert str(refused.value).startswith("/no/such/\\xff: cannot open the file")


def test_functions_of_the_caller_are_held_to_what_is_needed():
    def refuses(session):
        raise tacit.InputError("this does not fit: \udcff")

    with pytest.raises(tacit.InputError, match=r"this does not fit: \\udcff"):
        tile.record(FAST, "name", refuses, allow_insecure=True)
    with pytest.raises(TypeError, match="a value of type str, and a tensor or a list of tensors is needed"):
        tile.record(FAST, "name", lambda session: "text", allow_insecure=True)
    with pytest.raises(TypeError, match="its constructor has not run"):
        tile.record(FAST, "name", lambda session: tile.Tensor.__new__(tile.Tensor), allow_insecure=True)
    with pytest.raises(TypeError, match="a value of type NoneType, and a number of items is needed"):
        tile.plan_packing("slots 4096, depth 2, fraction 30 bits, integer 8 bits, security 128", 1, lambda session, extents, fold: None)
