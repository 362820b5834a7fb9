"""The client's half of a model."""

from __future__ import annotations

import json
from ctypes import c_uint8, c_void_p
from typing import Any

from ._library import LIBRARY, Call, Content, Handle, content, opaque, view
from .arrays import Shape
from .kept import Kept


class ClientModel(Kept):
    """The half for the client: shapes, ranges and parameters, to make keys, encrypt and decrypt. Threads may share
    it."""

    _instead = "share the object, or load the file in another process"

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self.facts: dict[str, Any] = json.loads(LIBRARY.tacit_client_model_facts(handle.place))

    @classmethod
    def load(cls, client: Content, *, allow_insecure: bool = False) -> ClientModel:
        """Reads client.tacit, a file or its bytes. Everything is checked before use."""
        place = c_void_p()
        data = content(client, "the client's half")
        Call().run("tacit_client_model_open", view(data), int(allow_insecure), opaque(place))
        return cls(Handle(place, "tacit_client_model_free"))

    @property
    def name(self) -> str:
        return str(self.facts["name"])

    @property
    def id(self) -> str:
        """SHA-256 over parameters, program and the client's part. Receipts name it."""
        return str(self.facts["id"])

    @property
    def scheme(self) -> str:
        """"CKKS" (real numbers in slots) or "TFHE" (integers and tables)."""
        return str(self.facts["scheme"])

    @property
    def key_bytes(self) -> int:
        """The bytes of the evaluation keys in memory. A file of them is smaller."""
        return int(self.facts["key_bytes"])

    @property
    def input_shapes(self) -> list[Shape]:
        """Shapes as the model states them. Networks have a batch dimension of 1."""
        return [tuple(one["shape"]) for one in self.facts["inputs"]]

    @property
    def output_shapes(self) -> list[Shape]:
        return [tuple(one["shape"]) for one in self.facts["outputs"]]

    def check_receipt(
        self, receipt: Content, *, question: Content = b"", results: Content = b"", keys_root: bytes | None = None
    ) -> str | None:
        """Checks the receipt of an evaluation. It must speak of this model, and of the question, the results and the
        evaluation keys that are given. KeyMismatch otherwise. Returns the Ed25519 key that signed it in hexadecimal
        digits, or None. A receipt fixes what the server stated. It does not prove that the results follow."""
        given = [content(receipt, "the receipt"), content(question, "the question"), content(results, "the results")]
        root = None if keys_root is None else (c_uint8 * 32)(*keys_root)
        signer = (c_uint8 * 32)()
        stated, asked, answered = map(view, given)
        Call().run("tacit_client_check_receipt", self._handle.place, stated, root, asked, answered, signer)
        return bytes(signer).hex() if any(signer) else None

    def __repr__(self) -> str:
        return f"<tacit_client.ClientModel {self.id[:12]}, inputs {self.input_shapes}, outputs {self.output_shapes}>"
