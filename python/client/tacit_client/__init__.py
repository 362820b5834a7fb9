"""The client of networks that Tacit runs on encrypted data: keys, encryption, decryption and receipts.

    model = tacit_client.ClientModel.load("client.tacit")
    keys = tacit_client.keygen(model, "evaluation")      # the file goes to the server
    keys.save_secret_key("secret")                       # stays here
    question = keys.encrypt(array)                       # question.bytes goes to the server
    keys.decrypt(results, question=question)
"""

from .errors import Cancelled, Error, InputError, InternalError, KeyMismatch
from .keys import Keys, Question, keygen
from .model import ClientModel
from .public import PublicKey
from .service import Answer, Client
from ._library import VERSION as __version__

__all__ = [
    "Answer",
    "Cancelled",
    "Client",
    "ClientModel",
    "Error",
    "InputError",
    "InternalError",
    "KeyMismatch",
    "Keys",
    "PublicKey",
    "Question",
    "__version__",
    "keygen",
]
