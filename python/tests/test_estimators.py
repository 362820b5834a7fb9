"""Classifiers of scikit-learn under encryption."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")

from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import tacit


@pytest.fixture(scope="module")
def flowers():
    data = load_iris()
    return data.data.astype(np.float32), data.target_names[data.target]


@pytest.mark.parametrize(
    "classifier", [LogisticRegression(max_iter=500), LinearSVC(), MLPClassifier((8,), max_iter=300, random_state=1)]
)
def test_predictions_are_those_of_the_estimator(flowers, classifier):
    rows, names = flowers
    encrypted = tacit.EncryptedClassifier(make_pipeline(StandardScaler(), classifier)).fit(rows[::2], names[::2])
    asked = rows[1:41:4]
    np.testing.assert_array_equal(encrypted.predict(asked), encrypted.estimator_.predict(asked))
    assert list(encrypted.classes_) == ["setosa", "versicolor", "virginica"]
    if hasattr(classifier, "predict_proba"):
        np.testing.assert_allclose(encrypted.predict_proba(asked), encrypted.estimator_.predict_proba(asked), atol=0.02)


def test_trees_run_on_integers(flowers):
    rows, names = flowers
    encrypted = tacit.EncryptedClassifier(
        RandomForestClassifier(5, max_depth=3, random_state=1), options={"scheme": "tfhe", "bits": 5}
    ).fit(rows[::2], names[::2])
    asked = rows[1:61:20]
    np.testing.assert_array_equal(encrypted.predict(asked), encrypted.simulate(asked))
    agreed = encrypted.simulate(rows) == encrypted.estimator_.predict(rows)
    assert agreed.mean() >= 0.98  # all of them with 6 bits


def test_a_fitted_estimator_is_only_compiled(flowers):
    rows, names = flowers
    fitted = LogisticRegression(max_iter=500).fit(rows, names)
    encrypted = tacit.EncryptedClassifier(fitted, prefit=True).fit(rows)
    assert encrypted.estimator_ is fitted
    assert encrypted.score(rows[::15], names[::15]) == fitted.score(rows[::15], names[::15])
    assert encrypted.get_params()["prefit"] is True


def test_rows_outside_the_calibrated_range_are_refused(flowers):
    rows, names = flowers
    encrypted = tacit.EncryptedClassifier(LogisticRegression(max_iter=500)).fit(rows, names)
    with pytest.raises(tacit.InputError, match="outside"):
        encrypted.predict(rows[:1] + 1000)


def test_regressors_and_predictions_before_fit_are_refused(flowers):
    rows, _ = flowers
    with pytest.raises(tacit.InputError, match="Ridge has no classes"):
        tacit.EncryptedClassifier(Ridge()).fit(rows, rows[:, 0])
    with pytest.raises(NotFittedError):
        tacit.EncryptedClassifier(LogisticRegression()).predict(rows[:1])
