"""The client of `tacit serve`. It sends keys once and then encrypted inputs, and receives encrypted results."""

from __future__ import annotations

import dataclasses
import io
import os
from typing import Any, Union

from .arrays import Inputs, Outputs
from .errors import InputError, KeyMismatch
from .keys import Keys, keygen
from .model import ClientModel
from .question import Question
from .transport import MOST_ANSWER, MOST_HALF, Transport

_ROOT = slice(96, 128)  # of an artefact's header


@dataclasses.dataclass(frozen=True, repr=False)
class Answer:
    """Encrypted results, and the receipt of their evaluation."""

    bytes: bytes
    receipt: bytes

    def __repr__(self) -> str:
        return f"<tacit_client.Answer, {len(self.bytes)} bytes>"


class Client(Transport):
    """A server at `url`, for a client whose `token` the server's operator gave out.

    ca: a file of certificates to trust instead of those of the system.
    insecure_http: permits an http:// address of another machine. It is refused otherwise, because everybody on the way
    could read the token and the requests.

    Threads may share it."""

    def model(self, id: str | None = None) -> ClientModel:
        """The client's half of a model, to make keys, encrypt and decrypt. Without an id, the server must have one
        model."""
        if id is None:
            id = self._only_model()
        model = ClientModel.load(self._received(f"/v1/models/{id}/client", MOST_HALF))
        if model.id != id:
            raise KeyMismatch(f"the server sent the half of model {model.id[:8]} where {id[:8]} was asked for")
        return model

    def upload_keys(
        self, keys: Union[Keys, str, "os.PathLike[str]"], *, model: str | None = None
    ) -> dict[str, Any]:
        """Uploads the evaluation keys of `keygen`, or a file of them with the id of its model. Bytes that the server has
        are not sent again. An interrupted upload continues."""
        evaluation: Union[bytes, str, os.PathLike[str], None]
        if isinstance(keys, Keys):
            evaluation, model = keys.evaluation, keys._model.id
            if evaluation is None:
                raise InputError("upload_keys: these keys have only their secret key; give the file of evaluation keys")
        else:
            evaluation = keys
        if model is None:
            raise InputError("upload_keys: with a file, give the id of its model (model=)")
        id = model
        with io.BytesIO(evaluation) if isinstance(evaluation, bytes) else open(evaluation, "rb") as file:
            root = file.read(128)[_ROOT].hex()
            size = file.seek(0, os.SEEK_END)
            return self._upload(id, lambda upload: upload.copy(file, size, root))

    def evaluate(
        self, model: ClientModel, question: Question, *, timeout: float | None = None, most_bytes: int = 4 << 30
    ) -> Answer:
        """Evaluates encrypted inputs. Waits in the server's queue if there is one. The receipt must be of the question
        and the results (KeyMismatch). The server forgets the job after its results have arrived. TimeoutError after
        `timeout` seconds. InputError for results of more than `most_bytes`."""
        address = self._evaluated(model.id, question.bytes, timeout)
        answer = Answer(self._received(address + "/result", most_bytes), self._received(address + "/receipt", MOST_ANSWER))
        model.check_receipt(answer.receipt, question=question.bytes, results=answer.bytes)
        self._json("DELETE", address)
        return answer

    def run(self, inputs: Inputs, *, keys: Keys | None = None, model: str | None = None, signer: str | None = None) -> Outputs:
        """Encrypts, lets the server evaluate, and decrypts the results of these inputs. Without `keys` it makes new
        ones for the model, in memory, and uploads them. Keep keys if you call it more than once."""
        if keys is None:
            keys = keygen(self.model(model))
        if keys.evaluation is not None:
            self.upload_keys(keys)
        question = keys.encrypt(inputs)
        answer = self.evaluate(keys._model, question)
        return keys.decrypt(answer.bytes, question=question, receipt=answer.receipt, signer=signer)

    def _received(self, address: str, most_bytes: int) -> bytes:
        """Returns the bytes at an address, which are at most `most_bytes`."""
        response = self._request("GET", address)
        pieces, size = self._pieces(response)
        name = f"{self._parts.netloc}{address}"
        try:
            if size is not None and size > most_bytes:
                raise InputError(f"{name}: it says that it has {size} bytes, and at most {most_bytes} are accepted")
            found = bytearray()
            for piece in pieces:
                found += piece
                if len(found) > most_bytes:
                    raise InputError(f"{name}: it has more than {most_bytes} bytes, which are accepted at most")
            return bytes(found)
        except BaseException:
            self._connection().close()  # the rest of the answer is on its way
            raise
