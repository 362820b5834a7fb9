"""A key that encrypts and does not decrypt."""

from __future__ import annotations

from ._library import Content, content
from .arrays import Inputs
from .kept import Kept
from .model import ClientModel
from .progress import Progress
from .question import Question, encrypted


class PublicKey(Kept):
    """A key for one model that encrypts and does not decrypt, for whoever has inputs. `keygen(public_key=...)` or
    `tacit keygen --public` made it. Everybody who has it can encrypt: encrypted inputs do not show who sent them."""

    _instead = "share the object, or load the file in another process"

    def __init__(self, model: ClientModel, key: bytes) -> None:
        self._model = model
        self._key = key

    @classmethod
    def load(cls, model: ClientModel, key: Content) -> PublicKey:
        """Reads a public key, a file or its bytes. It is checked when it encrypts."""
        return cls(model, bytes(content(key, "the public key")))

    def encrypt(self, inputs: Inputs, *, progress: Progress = None) -> Question:
        """Encrypts as `Keys.encrypt` does, for the owner of the secret key. The result is larger."""
        return encrypted(self._model, self._key, True, inputs, progress)

    def __repr__(self) -> str:
        return f"<tacit_client.PublicKey for model {self._model.id[:12]}>"
