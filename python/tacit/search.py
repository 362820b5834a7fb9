"""Private search: stores of vectors and records that answer encrypted questions.

    store = tacit.search.Store.build("store", vectors, payload=texts, normalise=True)
    client = tacit.search.Client("store/client.tacit", "my.secret")
    client.keygen("my.evaluation")                                          # for the server
    client.ask(queries, "question.ct", k=10)
    store.answer("my.evaluation", "question.ct", "answer.ct")               # the server does not learn the queries
    client.scores("question.ct", "answer.ct")                               # the best records of each query

A client learns the scores of all records. A client with as many chosen queries as a vector has dimensions learns the store."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from typing import Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import SearchHit as Hit
from .errors import InputError
from .halves import Path
from .progress import Progress, shown

Numbers = npt.ArrayLike
#: One record for each vector: bytes or texts, padded with zeros to the longest; or rows of uint8.
Payload = Union[Sequence[bytes], Sequence[str], "npt.NDArray[np.uint8]", None]


def _matrix(numbers: Numbers) -> npt.NDArray[np.float64]:
    array = np.asarray(numbers, dtype=np.float64)
    if array.ndim == 1:
        array = array[None]
    if array.ndim != 2:
        raise InputError(f"one row of numbers for each vector is needed, and the array has {array.ndim} dimensions")
    return array


def _payload(payload: Payload, least: int = 0) -> tuple[bytes, int]:
    """The bytes of all records, and those of one."""
    if payload is None:
        return b"", 0
    if isinstance(payload, np.ndarray):
        if payload.ndim != 2 or payload.dtype != np.uint8:
            raise InputError("a payload array has one row of uint8 for each record")
        return payload.tobytes(), int(payload.shape[1])
    records = [record.encode() if isinstance(record, str) else bytes(record) for record in payload]
    size = max([least, *map(len, records)])
    return b"".join(record.ljust(size, b"\0") for record in records), size


class Store:
    """A store in a folder. Readers of older versions are not disturbed by changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = pathlib.Path(os.fspath(folder))
        _core.search_store(self.folder)

    @classmethod
    def build(
        cls,
        folder: Path,
        vectors: Numbers,
        *,
        ids: Sequence[int] = (),
        payload: Payload = None,
        metric: str = "cosine",
        normalise: bool = False,
        largest_component: float = 0,
        progress: Progress = None,
    ) -> Store:
        """Makes the folder from one vector for each row. `largest_component` leaves room for later vectors."""
        content, size = _payload(payload)
        with shown(progress) as report:
            _core.build_search_store(
                folder,
                _matrix(vectors),
                ids=list(ids),
                payload=content,
                payload_bytes=size,
                normalise=normalise,
                metric=metric,
                largest_component=largest_component,
                report=report,
            )
        return cls(folder)

    @property
    def facts(self) -> _core.SearchStore:
        """The newest version: its number, records, dimensions, metric and Merkle root."""
        return _core.search_store(self.folder)

    @property
    def client(self) -> pathlib.Path:
        """The file for clients."""
        return self.folder / "client.tacit"

    def append(
        self,
        vectors: Numbers,
        *,
        ids: Sequence[int] = (),
        payload: Payload = None,
        payload_bytes: int = 0,
        normalise: bool = False,
        progress: Progress = None,
    ) -> None:
        """Adds vectors as a new version. Texts and bytes are padded to `payload_bytes`, those of the store's records."""
        content, size = _payload(payload, payload_bytes)
        with shown(progress) as report:
            _core.append_to_search_store(
                self.folder,
                _matrix(vectors),
                ids=list(ids),
                payload=content,
                payload_bytes=size,
                normalise=normalise,
                report=report,
            )

    def delete(self, ids: Sequence[int]) -> None:
        """Deletes records by their ids, as a new version."""
        _core.delete_from_search_store(self.folder, list(ids))

    def answer(
        self,
        evaluation: Path,
        question: Path,
        answer: Path,
        *,
        coarse: bool = False,
        memory: int | None = None,
        progress: Progress = None,
    ) -> _core.Receipt:
        """Answers questions without any secret. The receipt is written next to the answer; `model` in it is the root of
        the store. `coarse` answers show less of the store."""
        with shown(progress) as report:
            return _core.answer_questions(
                self.folder, evaluation, question, answer, coarse=coarse, memory=memory or 0, report=report
            )

    def query(self, queries: Numbers, k: int = 10) -> list[list[Hit]]:
        """Asks and answers in one process with separate keys, to try a store. In production the client asks."""
        return _core.query_store(self.folder, _matrix(queries), k)


class Client:
    """The client of a store: its file `client.tacit`, and the file of a secret key."""

    def __init__(self, client: Path, secret: Path) -> None:
        self._client, self._secret = client, secret

    def keygen(self, evaluation: Path) -> None:
        """Writes the secret key (mode 0600) and the evaluation keys for the server. Replaces existing files."""
        _core.generate_search_keys(self._client, self._secret, evaluation)

    def ask(self, queries: Numbers, output: Path, *, k: int = 10) -> None:
        """Encrypts one query for each row. Private notes are written next to the file (OUTPUT.notes); never send them."""
        _core.ask_scores(self._client, self._secret, _matrix(queries), k, output)

    def fetch(self, ids: Sequence[int], output: Path) -> None:
        """Encrypts the ids of records to fetch."""
        _core.ask_records(self._client, self._secret, list(ids), output)

    def scores(self, question: Path, answer: Path) -> list[list[Hit]]:
        """The best records of each query, the nearest first. Scores are for the owner of the key."""
        return _core.read_scores(self._client, self._secret, question, answer)

    def records(self, question: Path, answer: Path) -> list[bytes]:
        """The bytes of each fetched record. They are exact."""
        return _core.read_records(self._client, self._secret, question, answer)


__all__ = ["Client", "Hit", "Store"]
