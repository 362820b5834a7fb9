"""The client of `tacit serve`. It sends keys once and then encrypted inputs, and receives encrypted results."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Union

from . import _core
from .arrays import Inputs, Outputs
from .errors import InputError, KeyMismatch
from .halves import ClientModel, Path
from .keys import Keys, keygen
from .transport import MOST_ANSWER, MOST_HALF, Transport
from ._core import Sink, Source, load_receipt, root_of


class Client(Transport):
    """A server at `url`, for a client whose `token` the server's operator gave out.

    ca: a file of certificates to trust instead of those of the system.
    insecure_http: permits an http:// address of another machine. It is refused otherwise, because everybody on the way
    could read the token and the requests.

    Threads may share it. Results are checked against the receipt that comes with them."""

    def model(self, id: str | None = None) -> ClientModel:
        """The client's half of a model, to make keys, encrypt and decrypt. Without an id, the server must have one
        model."""
        if id is None:
            id = self._only_model()
        model = ClientModel.load(self._received(f"/v1/models/{id}/client", MOST_HALF))
        if model.id != id:
            raise KeyMismatch(f"the server sent the half of model {model.id[:8]} where {id[:8]} was asked for")
        return model

    def upload_keys(self, keys: Union[Keys, Path], *, model: str | None = None) -> dict[str, Any]:
        """Uploads evaluation keys, or a file of them with the id of its model. Bytes that the server has are not sent
        again. An interrupted upload continues."""
        if isinstance(keys, Keys):
            evaluation = keys.evaluation
            return self._upload(keys._model.id, lambda upload: evaluation.save(Sink.stream(upload.write, upload.begin)))
        if model is None:
            raise InputError("upload_keys: with a file, give the id of its model (model=)")
        root = root_of(keys)
        with open(keys, "rb") as file:
            return self._upload(model, lambda upload: upload.copy(file, os.fstat(file.fileno()).st_size, root))

    def evaluate(
        self,
        model: ClientModel,
        question: Union[_core.EncryptedTensors, Path],
        *,
        timeout: float | None = None,
        most_bytes: int = 4 << 30,
    ) -> _core.EncryptedTensors:
        """Evaluates encrypted inputs, or the file that holds them. Waits in the server's queue if there is one. The
        server forgets the job after its results have arrived. TimeoutError after `timeout` seconds. InputError for
        results of more than `most_bytes`."""
        body = question.to_bytes() if isinstance(question, _core.EncryptedTensors) else pathlib.Path(question).read_bytes()
        address = self._evaluated(model.id, body, timeout)
        answer = self._received(address + "/result", most_bytes)
        stated = load_receipt(self._received(address + "/receipt", MOST_ANSWER))
        if stated.model_id != model.id or stated.input != root_of(Source.memory(body)) or stated.output != root_of(answer):
            raise KeyMismatch("the receipt is not of these inputs and results; ask the server again")
        results = model.load_results(answer)
        self._json("DELETE", address)
        return results

    def run(self, inputs: Inputs, *, keys: Keys | None = None, model: str | None = None) -> Outputs:
        """Encrypts, lets the server evaluate, and decrypts the results of these inputs. Without `keys` it makes new
        ones for the model. Keep keys if you call it more than once."""
        if keys is None:
            keys = keygen(self.model(model))
        self.upload_keys(keys)
        question = keys.encrypt(inputs)
        return keys.decrypt(self.evaluate(keys._model, question), question=question)

    def _received(self, address: str, most_bytes: int) -> Source:
        """Returns the bytes at an address, which are at most `most_bytes`."""
        response = self._request("GET", address)
        pieces, size = self._pieces(response)
        try:
            return Source.stream(pieces, most_bytes, size, f"{self._parts.netloc}{address}")
        except BaseException:
            self._connection().close()  # the rest of the answer is on its way
            raise
