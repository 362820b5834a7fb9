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


_KIND = slice(12, 16)  # of an artefact's header
_SECRET_KEY = (3).to_bytes(4, "little")


def _no_secret(file: Path) -> bytes:
    """Returns the bytes of a file. InputError for a secret key, which no server must get."""
    content = pathlib.Path(file).read_bytes()
    if content[1:6] == b"TACIT" and content[_KIND] == _SECRET_KEY:
        raise InputError(f"{file} is a secret key: never send it to a server")
    return content


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

    def groups(self) -> list[dict[str, Any]]:
        """The groups of owners that this client is a member of, newest first. Every group has the fields of `group`."""
        found = self._json("GET", "/v1/groups").get("groups")
        if not isinstance(found, list) or not all(isinstance(group, dict) for group in found):
            raise self._wrong("'groups' in its answer is no list of groups")
        return found

    def group(self, id: str) -> dict[str, Any]:
        """The state of a group: "state", "deadline" in seconds since 1970, "files", and "rounds" with the owners who have
        sent ("sent") and who have not ("missing"). The id is `root_of` the group's file."""
        return self._json("GET", f"/v1/groups/{id}")

    def send_group(self, model: str, group: Path, *, hours: int = 72) -> dict[str, Any]:
        """Sends a group of owners for the model with this id, and returns its state. Its members may then exchange files until
        the deadline."""
        return self._json("POST", f"/v1/models/{model}/groups?hours={hours}", _no_secret(group))

    def send_group_file(self, group: str, file: Path) -> dict[str, Any]:
        """Sends this client's file for a group: a commitment, a part of keys, results, or a share of results. Returns its
        "name" at the server."""
        return self._json("POST", f"/v1/groups/{group}/files", _no_secret(file))

    def group_file(self, group: str, name: str, *, most_bytes: int = 4 << 30) -> Source:
        """The bytes of a file of a group, for the functions of `tacit.owners`. The name "group" is the group itself."""
        return self._received(f"/v1/groups/{group}/files/{name}", most_bytes)

    def _received(self, address: str, most_bytes: int) -> Source:
        """Returns the bytes at an address, which are at most `most_bytes`."""
        response = self._request("GET", address)
        pieces, size = self._pieces(response)
        try:
            return Source.stream(pieces, most_bytes, size, f"{self._parts.netloc}{address}")
        except BaseException:
            self._connection().close()  # the rest of the answer is on its way
            raise
