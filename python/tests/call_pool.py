"""The objects and arguments that random calls are made of."""

from __future__ import annotations

import inspect
import io
import os
import pathlib
import random
import re
import sys
import threading

# Rings that are fast and protect nothing.
FAST = "slots 1024, depth 2, fraction 30 bits, integer 8 bits, security 0"
OTHER = "slots 512, depth 1, fraction 30 bits, integer 8 bits, security 0"
SHAPES = ["{any|1024}", "{4|1024}", "{any|32}{copy 32}", "{copy 32}{any|32}", "{1}{8|4 woven}{8|4 woven}{copy 64}", "{"]


class Fails(Exception):
    """Raised by functions that are given to the package."""


class Pool:
    """The objects that sequences call and give as arguments."""

    def __init__(self, folder: str) -> None:
        import numpy as np

        import tacit
        from tacit import _core, merkle, tile

        self.folder = pathlib.Path(folder)
        self.modules = [tacit, _core, _core.tile, merkle, tile]
        self.whole: list[object] = []
        for requirement in (FAST, OTHER):
            self._add_model(np, tacit, tile, requirement)
        model = tacit.compile(pathlib.Path(__file__).parents[2] / "examples/fashion/model.onnx", input_range=(-1, 2.1))
        model.client.save(self.folder / "fashion")
        self.whole += [model, model.client, model.plan(), tacit.Keys(model, _core.Client(model.client._core))]
        tree = merkle.tree(b"some bytes" * 99, chunk=64)
        self.whole += [tree, tree._core, tree.prove([1, 3]), tree.prove([1])._core, tree.prove_extension(2)]
        self.roots = [tree.root, merkle.tree(b"some bytes" * 9, chunk=64).root, "00"]
        tree.prove([2]).save(self.folder / "proof")
        self.whole += [tile.Fold(), tile.Shape(SHAPES[0]), tacit.Client("http://127.0.0.1:9", token="none")]
        self.types = sorted(
            {value for module in self.modules for value in vars(module).values()
             if inspect.isclass(value) and value.__module__.startswith("tacit")},
            key=lambda found: f"{found.__module__}.{found.__qualname__}",
        )  # fmt: skip
        closed = memoryview(bytearray(64))
        closed.release()
        file = open(self.folder / "proof", "rb")
        file.close()
        text = io.StringIO()
        text.close()
        self.foreign = [closed, file, text, sys, type, len, Fails, iter([1]), np.random.default_rng(1), threading.Lock()]
        self.arrays = [
            np.ones((1, 4)), np.ones((2, 4)), np.zeros(4), np.ones((4, 1)), np.ones((1, 3, 8, 8)), np.ones((0, 4)), np.array(3.0),
            np.full((1, 4), np.nan), np.array([None, 1]), np.array(["a"]), np.arange(8, dtype=np.uint64) + 2**63,
            np.ones((1, 8, 8, 1))[:, ::2], np.zeros((3, 0)), np.ones((2, 2, 2, 2, 2, 2, 2, 2, 2)), np.ones((1, 784), dtype=np.float16),
        ]  # fmt: skip
        for name in os.listdir(folder):
            if (self.folder / name).is_file():
                whole = (self.folder / name).read_bytes()
                (self.folder / (name + "-cut")).write_bytes(whole[: len(whole) // 2])

    def _add_model(self, np, tacit, tile, requirement: str) -> None:
        places = {FAST: 1024, OTHER: 512}[requirement]

        def squares(session):
            a = session.encrypt(f"{{any|{places}}}", np.ones(4))
            return a * a

        model = tile.record(requirement, "squares", squares, allow_insecure=True)
        keys = tacit.keygen(model)
        question = keys.encrypt(np.ones((2, 4)))
        answer = model.evaluate(question, keys.evaluation)
        clear, rehearsal = tile.Session.clear(requirement), tile.Session.rehearsal(requirement, allow_insecure=True)
        tensors = [session.encrypt(f"{{any|{places}}}", np.ones(4)) for session in (clear, rehearsal)]
        [tensor * tensor + tensor.sum(0) for tensor in tensors]
        encrypted = tile.Session.encrypted(requirement, rehearsal, allow_insecure=True)
        tensors.append(encrypted.encrypt(f"{{any|{places}}}", np.ones(4)))
        plain = clear.plain(f"{{any|{places}}}", np.ones(4))
        self.whole += [model, model._origin, model.plan(), model.client, model.server, model.client._core]
        self.whole += [model.server._core, keys, keys._core, keys.evaluation, question, answer, clear, rehearsal]
        self.whole += [encrypted, rehearsal.cost(), plain, *tensors]
        name = str(places)
        model.save(self.folder / name)
        for what, written in (("keys", keys.evaluation), ("question", question), ("answer", answer)):
            written.save(self.folder / f"{name}-{what}")
        tensors[-1].save(self.folder / f"{name}-tensor")

    def unfilled(self, draw: random.Random) -> object:
        found = draw.choice(self.types)
        return found.__new__(found)


# The types that an argument may take, by its name, where the package states none.
KINDS = {
    "model": ("Model", "ClientModel"),
    "core": ("ClientModel", "ServerModel", "MerkleTree", "MerkleProof", "Client"),
    "other": ("Tensor", "Plain"),
}
NUMBERS = ("dim", "dims", "steps", "begin", "count", "stride", "level", "stages", "hoist", "old_leaves", "clients", "length")
PATHS = ("path", "model", "keys", "input", "folder", "secret_key", "secret", "evaluation", "output", "receipt")
ARRAYS = ("values", "inputs", "matrix", "filters", "example", "arrays")
LISTS = ("indices", "held", "tensors", "plains", "chunks")
FUNCTIONS = ("batch", "computation", "made_by")
# Values by name. Most calls take the first one.
VALUES: dict[str, list[object]] = {
    "report": [None, None, None, print],
    "progress": [None, False, print],
    "threads": [2, 1, 0, -1],
    "hash": ["rescue-prime-c.1", "rescue-prime-a.1"],
    "leaf": ["sha256", "digests", "bytes"],
    "chunk": [64, 64, 1, 0],
    "memory": [0, 1 << 30, 1],
    "bits": [None, 4, -1],
    "share": [None, 4, -1],
    "share_statistical_bits": [30.0, -1.0],
    "share_decryptions": [1024.0, 0.0],
    "labels": [False, True],
    "epsilon": [-4.0, 1.0],
    "objective": ["latency", "memory"],
    "operators": ["nn", "all"],
    "name": ["name", ""],
}


def wanted(name: str, stated: str, pool: Pool, draw: random.Random) -> object:
    """A value such as an argument of that name and type takes."""
    kind = re.findall(r"\w+", stated)[-1:]
    fit = [held for held in pool.whole if type(held).__name__ in (kind or KINDS.get(name, ()))]
    fit = fit or [held for held in pool.whole if type(held).__name__ in KINDS.get(name, ())]
    if fit and draw.random() < 0.9:
        return draw.choice(fit)
    if name in NUMBERS:
        return draw.choice([0, 0, 1, 2, 3, -1, 7])
    if name in ("target", "shape", "text", "image"):
        return draw.choice([*SHAPES, "{any|512}"])
    if name == "requirement":
        return draw.choice([FAST, OTHER, "slots 512"])
    if name == "data":
        return b"more bytes" * 64
    if name in ("root", "old_root"):
        return draw.choice(pool.roots)
    if name in ARRAYS:
        array = draw.choice(pool.arrays)
        return [array] if "List" in stated else array
    if "insecure" in name:
        return True
    if name in PATHS:
        return draw.choice([path_of(pool, draw), pool.folder / f"new{draw.randrange(10**9)}"])
    if name == "files":
        return [path_of(pool, draw)]
    if name in LISTS:
        return draw.choice([[], [0], [1, 3], [draw.choice(pool.whole)], [b"x"], [2**64], [-1]])
    if name in FUNCTIONS:
        return function_of(pool, draw)
    if name in VALUES:
        return draw.choice([VALUES[name][0], draw.choice(VALUES[name])])
    return draw.choice(pool.whole)


def path_of(pool: Pool, draw: random.Random) -> object:
    known = sorted(os.listdir(pool.folder))
    path = pool.folder / draw.choice(known)
    return draw.choice([path, str(path), os.fsencode(path), os.fsencode(path) + b"\xff", pool.folder, "", b"\xff", "no/such", "/dev/null"])


def function_of(pool: Pool, draw: random.Random) -> object:
    """A function that the package calls back."""
    kind = draw.randrange(6)
    held = draw.choice(pool.whole)

    def fails(*arguments: object) -> object:
        raise Fails("so it was asked for")

    def refuses(*arguments: object) -> object:
        import tacit

        raise tacit.InputError("does not fit \udcff")

    def operates(session: object, *arguments: object) -> object:
        return session.encrypt("{any|512}", [1.0, 2.0]) * 2.0  # type: ignore[attr-defined]

    return [fails, refuses, operates, lambda *a: held, lambda *a: pool.unfilled(draw), lambda: None][kind]


def anything(pool: Pool, draw: random.Random) -> object:
    """A value of a kind that nobody asked for."""
    kind = draw.randrange(9)
    if kind == 0:
        return draw.choice(pool.whole)
    if kind == 1:
        return pool.unfilled(draw)
    if kind == 2:
        return draw.choice(pool.foreign)
    if kind == 3:
        return draw.choice(pool.arrays)
    if kind == 4:
        return path_of(pool, draw)
    if kind == 5:
        return function_of(pool, draw)
    if kind == 6:
        return draw.choice([0, 1, -1, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64, -(2**63), 10**30, True])
    if kind == 7:
        return draw.choice([0.5, -0.0, float("nan"), float("inf"), -1e308, 1e-320, 1j])
    return draw.choice([None, "", "\0", "\udcff", "x" * 5000, "{any|1024}", b"", b"\0" * 99, [], {}, (), [[]], ..., {"a": [1]}])


def parameters_of(called: object) -> list[tuple[str, str, bool, bool]]:
    """Name, stated type, whether it is given by name alone, and whether it may be left out."""
    try:
        found = inspect.signature(called).parameters.values()  # type: ignore[arg-type]
        given = [p for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and p.name != "self"]
        return [(p.name, str(p.annotation), p.kind == p.KEYWORD_ONLY, p.default is not p.empty) for p in given]
    except (TypeError, ValueError):
        # pybind11 states them in the documentation; of several overloads the last.
        stated = re.findall(r"\((.*)\) ->", getattr(called, "__doc__", None) or "")
        places, _, named = (stated[-1] if stated else "").partition(", *, ")
        return [(name, kind, only, bool(default)) for text, only in ((places, False), (named, True))
                for name, kind, default in re.findall(r"(?:^|, )(\w+): (List\[|[\w.]+)[^=,]*( = )?", text)
                if name != "self"]  # fmt: skip


def arguments_of(called: object, pool: Pool, draw: random.Random) -> tuple[list[object], dict[str, object]]:
    right = draw.choice([0.5, 1.0, 1.0, 1.0])  # of the arguments
    only_named = False
    given: list[object] = []
    named: dict[str, object] = {}
    for name, stated, only, spare in parameters_of(called):
        if spare and draw.random() < 0.7:
            only_named = True
            continue
        value = wanted(name, stated, pool, draw) if draw.random() < right else anything(pool, draw)
        if only or only_named or (named and draw.random() < 0.5):
            named[name] = value
        elif not named:
            given.append(value)
    if not given and not named and draw.random() < 0.3:
        given.append(anything(pool, draw))
    if draw.random() < 0.05:
        given = given[:-1] if draw.random() < 0.5 else [*given, anything(pool, draw)]
    return given, named
