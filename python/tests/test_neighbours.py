"""k-nearest models as stores: predictions are those of exact neighbours."""

import types

import numpy as np
import pytest

import tacit
from tacit.neighbours import NearestModel


def fitted(rows, values, *, k=5, metric="euclidean", weights="uniform", classes=None):
    """An object with the attributes of a fitted estimator of scikit-learn."""
    estimator = types.SimpleNamespace(_fit_X=rows, _y=values, effective_metric_=metric, n_neighbors=k, weights=weights)
    if classes is not None:
        estimator.classes_ = classes
    return estimator


def neighbours(rows, queries, k, metric="euclidean"):
    if metric == "cosine":
        unit = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in (rows, queries)]
        return np.argsort(1 - unit[1] @ unit[0].T, axis=1)[:, :k]
    return np.argsort(np.linalg.norm(rows[None] - queries[:, None], axis=2), axis=1)[:, :k]


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(5)
    labels = random.integers(0, 3, 400)
    rows = random.standard_normal((400, 8)) + 3 * np.eye(3, 8)[labels] + 100  # far from the origin
    return rows, labels, random.standard_normal((20, 8)) + 3 * np.eye(3, 8)[np.arange(20) % 3] + 100


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_classes_are_those_of_exact_neighbours(data, tmp_path, metric):
    rows, labels, queries = data
    if metric == "cosine":
        rows, queries = rows - 100, queries - 100
    classes = np.array(["ant", "bee", "cat"])
    model = NearestModel.build(tmp_path / "store", fitted(rows, labels, metric=metric, classes=classes))
    votes = labels[neighbours(rows, queries, 5, metric)]
    expected = classes[[np.bincount(vote, minlength=3).argmax() for vote in votes]]
    assert np.mean(model.try_rows(queries) == expected) >= 0.95


def test_a_client_votes_on_answers_of_a_server(data, tmp_path):
    rows, labels, queries = data
    NearestModel.build(tmp_path / "store", fitted(rows, labels, classes=np.arange(3)))
    client = NearestModel(tmp_path / "store", secret=tmp_path / "secret")
    client.keygen(tmp_path / "evaluation")
    client.ask(queries[:3], tmp_path / "question")
    tacit.search.Store(tmp_path / "store").answer(tmp_path / "evaluation", tmp_path / "question", tmp_path / "answer")
    shares = client.predict_proba(tmp_path / "question", tmp_path / "answer")
    votes = labels[neighbours(rows, queries[:3], 5)]
    exact = np.array([np.bincount(vote, minlength=3) / 5 for vote in votes])
    assert np.abs(shares - exact).max() <= 0.2 + 1e-9
    np.testing.assert_array_equal(client.predict(tmp_path / "question", tmp_path / "answer"), shares.argmax(axis=1))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_regressors_average_their_neighbours(data, tmp_path, weights):
    rows, _, queries = data
    targets = np.c_[rows[:, 0] * 10, rows[:, 1]]
    model = NearestModel.build(tmp_path / "store", fitted(rows, targets, k=3, weights=weights))
    nearest = neighbours(rows, queries, 3)
    distances = np.linalg.norm(rows[nearest] - queries[:, None], axis=2)
    factors = np.ones_like(distances) if weights == "uniform" else 1 / distances
    expected = (targets[nearest] * factors[..., None]).sum(axis=1) / factors.sum(axis=1)[:, None]
    got = model.try_rows(queries)
    assert got.shape == (20, 2)
    assert np.median(np.abs(got - expected) / np.ptp(targets, axis=0)) < 0.01


def test_a_store_that_changes_predictions_warns(data, tmp_path):
    rows, labels, _ = data  # far from the origin, all cosines are nearly 1
    with pytest.warns(UserWarning, match=r"int8 numbers change \d+ % of the predictions"):
        NearestModel.build(tmp_path / "store", fitted(rows, labels, metric="cosine", classes=np.arange(3)))


def test_other_models_are_refused_with_a_way_out(data, tmp_path):
    rows, labels, queries = data
    for estimator, sentence in ((fitted(rows, labels, metric="manhattan"), "fit the model with metric='euclidean' or 'cosine'"),
                                (fitted(rows, labels, weights=len), "weights='uniform' or 'distance'"),
                                (fitted(rows.tolist(), labels), "fit the model on a NumPy array"),
                                (types.SimpleNamespace(), "give a fitted KNeighborsClassifier")):
        with pytest.raises(tacit.InputError, match=sentence):
            NearestModel.build(tmp_path / "store", estimator)
    model = NearestModel.build(tmp_path / "store", fitted(rows, labels * 1.0))
    with pytest.raises(tacit.InputError, match="queries have 3 features, and the model has 8"):
        model.try_rows(np.zeros((1, 3)))
    with pytest.raises(tacit.InputError, match="name its file"):
        model.ask(queries, tmp_path / "question")
    with pytest.raises(tacit.InputError, match="copy it from the folder"):
        NearestModel(tmp_path)


def test_estimators_of_scikit_learn_predict_the_same(data, tmp_path):
    neighbors = pytest.importorskip("sklearn.neighbors")
    rows, labels, queries = data
    for estimator in (neighbors.KNeighborsClassifier(5), neighbors.KNeighborsClassifier(7, weights="distance"),
                      neighbors.KNeighborsClassifier(3, metric="cosine")):
        origin = 100 if estimator.metric == "cosine" else 0
        estimator.fit(rows - origin, np.array(["a", "b", "c"])[labels])
        model = NearestModel.build(tmp_path / str(estimator.n_neighbors), estimator)
        assert np.mean(model.try_rows(queries - origin) == estimator.predict(queries - origin)) >= 0.9
    estimator = neighbors.KNeighborsRegressor(4).fit(rows, rows[:, 0])
    got = NearestModel.build(tmp_path / "regressor", estimator).try_rows(queries)
    assert np.median(np.abs(got - estimator.predict(queries))) < 0.05
