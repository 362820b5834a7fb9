"""Lines as users write them, for the type checker. Every line has the type that it states."""

from __future__ import annotations

import pathlib

import numpy as np
import numpy.typing as npt

import tacit
from tacit import tile


def two_parties(path: str, images: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    model: tacit.Model = tacit.compile(path, calibration=images, batch="auto")
    plan: tacit.Plan = model.plan()
    print(plan, plan.to_dict()["estimate"], plan.levels + 1)
    model = tacit.compile(path, shard={"conv1": "x:4,y:2"})
    model = tacit.compile(path, shard=["conv1=x:4,y:2", pathlib.Path("more.json")])
    keys: tacit.Keys = tacit.keygen(model)
    question: tacit.EncryptedTensors = keys.encrypt(images, progress=lambda stage, done, total: print(stage, done / total))
    answer: tacit.EncryptedTensors = model.evaluate(question, keys.evaluation)
    scores = keys.decrypt(answer, question=question)
    assert not isinstance(scores, tuple)
    provider: tacit.PublicKey = keys.public_key
    provider.save("open.key")
    question = tacit.PublicKey.load(model.client, pathlib.Path("open.key")).encrypt(images)
    validation: tacit.Validation = model.validate(images)
    print([operator.worst_error for operator in validation.operators])
    return scores


def bytes_in_and_out(data: bytearray, pieces: list[bytes]) -> bytes:
    half: tacit.ServerModel = tacit.ServerModel.load(tacit.Source.memory(data))
    keys: tacit.EvaluationKeys = half.load_keys(tacit.Source.stream(pieces, 1 << 30, size=len(pieces[0])))
    keys.save(tacit.Sink.stream(pieces.append, lambda size, root: len(root)))
    keys.save(tacit.Sink(pathlib.Path("keys")))
    return keys.to_bytes()


def tiles(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    session = tile.Session.clear("slots 1024, depth 2, fraction 30 bits, integer 8 bits, security 128")
    a: tile.Tensor = session.encrypt("{d any|1024}", values)
    b: tile.Tensor = (a * a - 2 * a + 0.5).sum(0)
    return (a @ a + b).decrypt()


def estimator(rows: npt.NDArray[np.float64]) -> tacit.EncryptedClassifier:
    encrypted: tacit.EncryptedClassifier = tacit.EncryptedClassifier(None, prefit=True).fit(rows)
    return encrypted
