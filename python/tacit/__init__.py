"""Trained networks on encrypted data.

    model = tacit.compile("model.onnx", input_range=(0, 1))
    keys = tacit.keygen(model)                          # the client's
    question = keys.encrypt(array)                      # goes to the server, with keys.evaluation
    answer = model.evaluate(question, keys.evaluation)  # the server sees neither inputs nor results
    keys.decrypt(answer, question=question)
"""

from ._core import (
    EncryptedTensors,
    EvaluationKeys,
    Plan,
    Receipt,
    ValidatedOperator,
    Validation,
    __version__,
    default_costs,
    forbid_core_dumps,
    load_receipt,
    root_of,
    set_threads,
    show_private_values,
)
from . import tile
from .errors import Cancelled, Error, InputError, InternalError, KeyMismatch
from .halves import ClientModel, ServerModel
from .keys import Keys, keygen
from .model import Model, compile
from .receipts import evaluate_files
from .tile import plan_packing

__all__ = [
    "Cancelled",
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
    "Receipt",
    "ServerModel",
    "ValidatedOperator",
    "Validation",
    "__version__",
    "compile",
    "default_costs",
    "evaluate_files",
    "forbid_core_dumps",
    "keygen",
    "load_receipt",
    "plan_packing",
    "root_of",
    "set_threads",
    "show_private_values",
    "tile",
]
