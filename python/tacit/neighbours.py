"""k-nearest-neighbours models of scikit-learn whose training rows are a store: a server compares, the client votes.

    model = tacit.neighbours.NearestModel.build("store", KNeighborsClassifier(5).fit(rows, labels))   # by the owner
    model = tacit.neighbours.NearestModel("store", secret="my.secret")      # by a client: client.tacit and votes.npz
    model.keygen("my.evaluation")                                           # for the server
    model.ask(queries, "question.ct")
    # the server: tacit search evaluate store --keys my.evaluation --input question.ct -o answer.ct
    model.predict("question.ct", "answer.ct")

The server sees the training rows, and neither queries nor predictions. A client learns the distances of its queries to all
training rows, and with them the rows. `votes.npz` gives it their labels."""

from __future__ import annotations

import os
import pathlib
import types
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InputError
from .halves import Path
from .progress import Progress
from .search import Client, Hit, Store

_VOTES = "votes.npz"
_METRICS = {"euclidean": "euclid", "cosine": "cosine"}
_LEAST_DISTANCE = 1e-12
# `build` predicts for `_COMPARED` queries from the int8 numbers and from the exact ones. It warns if more than the share
# `_MOST_DIFFERENT` of the predictions differ.
_COMPARED, _MOST_DIFFERENT = 200, 0.02


def _metric(estimator: Any) -> str:
    """The store's metric of a fitted estimator."""
    for name in ("_fit_X", "_y", "effective_metric_", "n_neighbors", "weights"):
        if not hasattr(estimator, name):
            raise InputError(f"{type(estimator).__name__} is no fitted k-nearest model; give a fitted KNeighborsClassifier or "
                             "KNeighborsRegressor, and of a pipeline its last step, with rows that the other steps transformed")
    if estimator.effective_metric_ not in _METRICS:
        raise InputError(f"the metric '{estimator.effective_metric_}' has no store; fit the model with metric='euclidean' or 'cosine'")
    if estimator.weights not in ("uniform", "distance"):
        raise InputError("weights by a function run in your program alone; fit the model with weights='uniform' or 'distance'")
    if not isinstance(estimator._fit_X, np.ndarray):
        raise InputError("the training rows are sparse; fit the model on a NumPy array")
    return _METRICS[estimator.effective_metric_]


class NearestModel:
    """The client's part of a k-nearest-neighbours model: the file `client.tacit` of its store, `votes.npz`, and the file of a
    secret key. `folder` holds both files; it may be the store itself."""

    def __init__(self, folder: Path, *, secret: Path | None = None) -> None:
        self.folder = pathlib.Path(os.fspath(folder))
        try:
            with np.load(self.folder / _VOTES, allow_pickle=False) as votes:
                self._values, self._classes = votes["values"], votes["classes"]
                self._centre, self._k = votes["centre"], int(votes["k"])
                self._by_distance, self._cosine = bool(votes["by_distance"]), bool(votes["cosine"])
        except (OSError, KeyError, ValueError) as error:
            raise InputError(f"{self.folder / _VOTES} cannot be read ({error}); copy it from the folder that NearestModel.build wrote") from error
        self._secret = secret

    @classmethod
    def build(cls, folder: Path, estimator: Any, *, progress: Progress = None) -> NearestModel:
        """Makes a store of the training rows of a fitted estimator, and `votes.npz` beside it. Distances do not depend on the
        origin, so euclidean rows are stored relative to their mean. Warns if the int8 numbers of the store change more than 2 % of
        the predictions of queries between training rows."""
        metric = _metric(estimator)
        rows = np.asarray(estimator._fit_X, dtype=np.float64)
        cosine = metric == "cosine"
        centre = np.zeros(rows.shape[1]) if cosine else rows.mean(axis=0)
        store = Store.build(folder, rows - centre, metric=metric, normalise=cosine, progress=progress)
        classes = np.asarray(getattr(estimator, "classes_", np.empty(0)))
        if classes.dtype == object:
            classes = classes.astype(str)
        np.savez(store.folder / _VOTES, values=np.asarray(estimator._y), classes=classes, centre=centre, k=estimator.n_neighbors,
                 by_distance=estimator.weights == "distance", cosine=cosine)
        model = cls(store.folder)
        different = model._different(rows - centre)
        if different > _MOST_DIFFERENT:
            warnings.warn(f"int8 numbers change {100 * different:.0f} % of the predictions of queries between training rows; scale the "
                          "features to similar widths, or use the metric euclidean, which does not depend on the origin", stacklevel=2)
        return model

    def keygen(self, evaluation: Path) -> None:
        """Writes the secret key (mode 0600) and the evaluation keys for the server. Replaces existing files."""
        self._client().keygen(evaluation)

    def ask(self, queries: npt.ArrayLike, output: Path) -> None:
        """Encrypts one query for each row, and writes private notes beside the file (OUTPUT.notes)."""
        self._client().ask(self._centred(queries), output, k=self._k)

    def predict(self, question: Path, answer: Path) -> npt.NDArray[Any]:
        """The prediction for each query, as the estimator's `predict`."""
        return self._prediction(self._client().scores(question, answer))

    def predict_proba(self, question: Path, answer: Path) -> npt.NDArray[np.float64]:
        """The share of the votes for each class, as the estimator's `predict_proba`."""
        return self._shares(self._client().scores(question, answer))

    def try_rows(self, queries: npt.ArrayLike) -> npt.NDArray[Any]:
        """Asks, answers and predicts in one process with separate keys, to try a store. This object needs the whole folder."""
        return self._prediction(Store(self.folder).query(self._centred(queries), k=self._k))

    def _different(self, rows: npt.NDArray[np.float64]) -> float:
        """The share of queries, each the mean of two stored rows, whose prediction the int8 numbers change. For numbers: by more
        than a hundredth of their range."""
        random = np.random.default_rng(0)
        if self._cosine:
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        step = np.abs(rows).max() / 127
        rounded = np.round(rows / step) * step
        first, second = random.integers(0, len(rows), (2, min(_COMPARED, len(rows))))
        queries = (rows[first] + rows[second]) / 2
        exact, found = (self._prediction([self._nearest(stored, query) for query in queries]) for stored in (rows, rounded))
        if len(self._classes):
            return float(np.mean(exact != found))
        off = np.abs(exact - found) > 0.01 * np.ptp(self._values, axis=0)
        return float(np.mean(off))

    def _nearest(self, rows: npt.NDArray[np.float64], query: npt.NDArray[np.float64]) -> list[Hit]:
        scores = rows @ query / np.linalg.norm(query) if self._cosine else np.linalg.norm(rows - query, axis=1)
        best = np.argsort(-scores if self._cosine else scores, kind="stable")[: self._k]
        return [types.SimpleNamespace(record=record, score=scores[record]) for record in best]  # type: ignore[misc]

    def _client(self) -> Client:
        if self._secret is None:
            raise InputError("there is no secret key; name its file: NearestModel(folder, secret=FILE)")
        return Client(self.folder / "client.tacit", self._secret)

    def _centred(self, queries: npt.ArrayLike) -> npt.NDArray[np.float64]:
        rows = np.atleast_2d(np.asarray(queries, dtype=np.float64))
        if rows.ndim != 2 or rows.shape[1] != len(self._centre):
            raise InputError(f"queries have {rows.shape[-1]} features, and the model has {len(self._centre)}")
        return np.asarray(rows - self._centre)

    def _weighted(self, hits: list[Hit]) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """The training values of the nearest rows, and their weights, which add up to 1."""
        records = np.array([hit.record for hit in hits], dtype=np.int64)
        if records.size and records.max() >= len(self._values):
            raise InputError(f"the store has records that {_VOTES} has no label for; copy {_VOTES} from the store again")
        distances = np.array([1 - hit.score if self._cosine else hit.score for hit in hits])
        weights = 1 / np.maximum(distances, _LEAST_DISTANCE) if self._by_distance else np.ones(len(hits))
        return self._values[records], weights / weights.sum()

    def _shares(self, found: list[list[Hit]]) -> npt.NDArray[np.float64]:
        if not len(self._classes):
            raise InputError("a regressor has no classes; use predict")
        shares = np.zeros((len(found), len(self._classes)))
        for share, hits in zip(shares, found):
            codes, weights = self._weighted(hits)
            np.add.at(share, codes, weights)
        return shares

    def _prediction(self, found: list[list[Hit]]) -> npt.NDArray[Any]:
        if len(self._classes):
            return np.asarray(self._classes[np.argmax(self._shares(found), axis=1)])
        means = []
        for hits in found:
            values, weights = self._weighted(hits)
            means.append(np.tensordot(weights, values, axes=1))
        return np.array(means)


__all__ = ["NearestModel"]
