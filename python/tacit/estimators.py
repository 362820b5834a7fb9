"""Classifiers of scikit-learn that predict on encrypted rows. Needs scikit-learn and skl2onnx."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import skl2onnx
    from skl2onnx.common.data_types import FloatTensorType
    from skl2onnx.helpers.onnx_helper import select_model_inputs_outputs
    from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError(f"{error}; EncryptedClassifier needs scikit-learn and skl2onnx: pip install 'tacit[sklearn]'") from error

from .errors import InputError
from .keys import Keys, keygen
from .model import Model, compile


class EncryptedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is trained in the clear and predicts under encryption.

    estimator: any classifier or pipeline that skl2onnx can write and Tacit can read. Examples are linear models,
    perceptrons and trees.
    options: keywords of `tacit.compile`, such as {"bits": 5}.
    prefit: True if the estimator is fitted already. `fit` then only compiles it.

    The rows of `fit` are the calibration data. They belong to the model's owner, and their ranges become part of the
    compiled model. Rows far outside those ranges cannot be predicted (tacit.InputError)."""

    def __init__(self, estimator: Any, *, options: dict[str, Any] | None = None, prefit: bool = False) -> None:
        self.estimator = estimator
        self.options = options
        self.prefit = prefit

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike | None = None) -> EncryptedClassifier:
        rows = np.asarray(X, dtype=np.float32)
        self.estimator_ = self.estimator if self.prefit else clone(self.estimator).fit(rows, y)
        if not is_classifier(self.estimator_):
            raise InputError(f"{type(_last_step(self.estimator_)).__name__} has no classes, and EncryptedClassifier takes "
                             "classifiers; give its ONNX model to tacit.compile")
        self.classes_ = self.estimator_.classes_
        self.n_features_in_ = rows.shape[1]
        written = _written(self.estimator_, rows.shape[1])
        # The classes are known here. The model computes only the probabilities or scores.
        scores = select_model_inputs_outputs(written, outputs=[written.graph.output[1].name])
        name = f"{type(_last_step(self.estimator_)).__name__}.onnx"
        self.model_: Model = compile(scores, calibration=rows, name=name, **(self.options or {}))
        self._keys: Keys | None = None
        return self

    @property
    def keys_(self) -> Keys:
        """The keys of this object. They are made at the first use."""
        if self._keys is None:
            self._keys = keygen(self.model_)
        return self._keys

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Probabilities of every class, computed under encryption; scores if the estimator has no probabilities."""
        check_is_fitted(self, "model_")
        return self._one(self.model_.run(np.asarray(X, dtype=np.float32), self.keys_))

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Classes of rows that are encrypted, evaluated and decrypted."""
        return self._classes(self.predict_proba(X))

    def simulate(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Classes that encrypted rows would get, computed without keys. Use it to test the accuracy on a whole data
        set."""
        check_is_fitted(self, "model_")
        return self._classes(self._one(self.model_.simulate(np.asarray(X, dtype=np.float32))))

    def _one(self, scores: Any) -> npt.NDArray[np.float64]:
        return np.asarray(scores, dtype=np.float64).reshape(len(scores), -1)

    def _classes(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        best = scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(int)
        found: npt.NDArray[Any] = np.asarray(self.classes_)[best]
        return found


def _written(estimator: Any, features: int) -> Any:
    """Returns the ONNX model with one array of probabilities, instead of a dictionary per row. A classifier without
    probabilities is written with its scores."""
    types = [("x", FloatTensorType([None, features]))]
    last = _last_step(estimator)
    option = "zipmap" if hasattr(last, "predict_proba") else "raw_scores"
    try:
        return skl2onnx.convert_sklearn(estimator, initial_types=types, options={id(last): {option: option != "zipmap"}})
    except NameError:  # so skl2onnx says that a classifier has no such option
        return skl2onnx.convert_sklearn(estimator, initial_types=types)


def _last_step(estimator: Any) -> Any:
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
