"""Trained networks on encrypted data.

    model = tacit.compile("model.onnx", input_range=(0, 1))
    keys = tacit.keygen(model)                          # the client's
    question = keys.encrypt(array)                      # goes to the server, with keys.evaluation
    answer = model.evaluate(question, keys.evaluation)  # the server sees neither inputs nor results
    keys.decrypt(answer, question=question)
"""

from typing import TYPE_CHECKING, Any

from ._core import (
    EncryptedTensors,
    EvaluationKeys,
    Plan,
    Receipt,
    Score,
    Sink,
    Source,
    ValidatedOperator,
    Validation,
    __version__,
    build_info,
    default_costs,
    forbid_core_dumps,
    load_receipt,
    root_of,
    set_threads,
    show_private_values,
)
from . import merkle, neighbours, owners, search, tile
from .errors import Cancelled, Error, InputError, InternalError, KeyMismatch
from .halves import ClientModel, ServerModel
from .keys import Keys, PublicKey, keygen
from .model import Model, calibrate, compile, cross_fit, options
from .modules import compile_module
from .receipts import evaluate_files
from .service import Client
from .tile import plan_packing

if TYPE_CHECKING:
    from .estimators import EncryptedClassifier as EncryptedClassifier  # this form re-exports it to type checkers


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import, and is needed for this alone.
    if name == "EncryptedClassifier":
        from .estimators import EncryptedClassifier

        return EncryptedClassifier
    raise AttributeError(f"module 'tacit' has no attribute {name!r}")


__all__ = [
    "Cancelled",
    "Client",
    "ClientModel",
    "EncryptedTensors",
    "Error",
    "EvaluationKeys",
    "InputError",
    "InternalError",
    "KeyMismatch",
    "Keys",
    "Model",
    "Plan",
    "PublicKey",
    "Receipt",
    "Score",
    "ServerModel",
    "Sink",
    "Source",
    "ValidatedOperator",
    "Validation",
    "__version__",
    "build_info",
    "calibrate",
    "compile",
    "compile_module",
    "cross_fit",
    "default_costs",
    "evaluate_files",
    "forbid_core_dumps",
    "keygen",
    "load_receipt",
    "merkle",
    "neighbours",
    "options",
    "owners",
    "plan_packing",
    "root_of",
    "search",
    "set_threads",
    "show_private_values",
    "tile",
]
