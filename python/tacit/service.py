"""The client of `tacit serve`: keys go there once, then encrypted inputs; encrypted results come back."""

from __future__ import annotations

import http.client
import json
import os
import pathlib
import ssl
import tempfile
import threading
import time
import urllib.parse
from typing import IO, Any, Iterator, Union

from . import _core
from .arrays import Inputs, Outputs
from .errors import Error, InputError, KeyMismatch
from .halves import ClientModel, Path
from .kept import Kept
from .keys import Keys, keygen
from ._core import load_receipt, root_of

_PIECE = 1 << 20
_RETRIES = 8


class _Stretch:
    """A file from `begin` on, piece by piece, as the body of a request."""

    def __init__(self, file: IO[bytes], begin: int) -> None:
        self._file = file
        file.seek(begin)

    def __iter__(self) -> Iterator[bytes]:
        while piece := self._file.read(_PIECE):
            yield piece


class Client(Kept):
    """A server at `url`, for the client whose `token` its operator gave out. `ca` names a file of certificates to
    trust in place of the system's. Threads may share it. Results are held to the receipt that comes with them."""

    _instead = "share the object between threads, and make one from the address and token in another process"

    def __init__(self, url: str, *, token: str, ca: Path | None = None, timeout: float = 600) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url} is no address of a server; give one like https://host:8443")
        self._parts = parts
        self._token = token
        self._timeout = timeout
        self._tls = ssl.create_default_context(cafile=ca) if parts.scheme == "https" else None
        self._local = threading.local()

    def models(self) -> list[dict[str, Any]]:
        """What the server offers: id, name, scheme, security, bytes of keys, facts of the plan."""
        found: list[dict[str, Any]] = self._json("GET", "/v1/models")["models"]
        return found

    def model(self, id: str | None = None) -> ClientModel:
        """The client's half of a model: to make keys, encrypt and decrypt. Without an id the only one."""
        if id is None:
            offered = self.models()
            if len(offered) != 1:
                names = ", ".join(f"{model['name']} ({model['id']})" for model in offered)
                raise InputError(f"the server offers {len(offered)} models; give the id of one: {names}")
            id = str(offered[0]["id"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "client.tacit")
            self._fetch(f"/v1/models/{id}/client", path)
            model = ClientModel.load(path)
        if model.id != id:
            raise KeyMismatch(f"the server sent the half of model {model.id[:8]} where {id[:8]} was asked for")
        return model

    def keys(self, model: str) -> dict[str, Any]:
        """What the server has of this client's keys: "state" is "none", "partial" or "ready"."""
        return self._json("GET", f"/v1/models/{model}/keys")

    def upload_keys(self, keys: Union[Keys, Path], *, model: str | None = None) -> dict[str, Any]:
        """Evaluation keys, or a file of them with the id of its model. What the server has is not sent again, and an
        upload that broke off goes on."""
        if isinstance(keys, Keys):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "evaluation")
                keys.evaluation.save(path)
                return self.upload_keys(path, model=keys._model.id)
        if model is None:
            raise InputError("upload_keys: with a file, give the id of its model (model=)")
        address = f"/v1/models/{model}/keys"
        total = os.path.getsize(keys)
        root = root_of(keys)
        furthest = tries = 0
        with open(keys, "rb") as file:
            while True:
                state = self.keys(model)
                if state.get("root") == root:
                    return state
                upload = state.get("upload", {})
                begin = int(upload["received"]) if upload.get("total") == total and upload["received"] < total else 0
                tries = 0 if begin > furthest else tries + 1
                furthest = begin
                headers = {"Content-Range": f"bytes {begin}-{total - 1}/{total}", "Content-Length": str(total - begin)}
                try:
                    return self._json("PUT", address, _Stretch(file, begin), headers)
                except (OSError, http.client.HTTPException):
                    if tries >= _RETRIES:
                        raise
                    time.sleep(min(tries, 5))

    def evaluate(
        self, model: ClientModel, question: Union[_core.EncryptedTensors, Path], *, timeout: float | None = None
    ) -> _core.EncryptedTensors:
        """Encrypted inputs, or the file that holds them, evaluated. Waits in the queue where there is one; the job is
        forgotten there when its results are here. TimeoutError after `timeout` seconds."""
        until = time.monotonic() + (timeout if timeout is not None else float("inf"))
        with tempfile.TemporaryDirectory() as folder:
            if isinstance(question, _core.EncryptedTensors):
                path = os.path.join(folder, "question")
                question.save(path)
            else:
                path = os.fspath(question)
            body = pathlib.Path(path).read_bytes()
            job = self._json("POST", f"/v1/models/{model.id}/evaluations?wait=30", body)
            while job["state"] in ("queued", "running"):
                if time.monotonic() > until:
                    raise TimeoutError(f"job {job['job']} is still {job['state']}")
                job = self._json("GET", f"/v1/jobs/{job['job']}?wait=30")
            address = f"/v1/jobs/{job['job']}"
            if job["state"] != "done":
                raise InputError(f"job {job['job']} failed: {job.get('error')}")
            answer, receipt = os.path.join(folder, "answer"), os.path.join(folder, "receipt")
            self._fetch(address + "/result", answer)
            self._fetch(address + "/receipt", receipt)
            stated = load_receipt(receipt)
            if stated.model_id != model.id or stated.input != root_of(path) or stated.output != root_of(answer):
                raise KeyMismatch("the receipt is not of these inputs and results; ask the server again")
            results = model.load_results(answer)
        self._json("DELETE", address)
        return results

    def run(self, inputs: Inputs, *, keys: Keys | None = None, model: str | None = None) -> Outputs:
        """Everything at once: encrypts, lets the server evaluate, and decrypts what answers these inputs. Without
        `keys` new ones are made for the model; keep them for more than one call."""
        if keys is None:
            keys = keygen(self.model(model))
        self.upload_keys(keys)
        question = keys.encrypt(inputs)
        return keys.decrypt(self.evaluate(keys._model, question), question=question)

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            host = self._parts.hostname or ""
            if self._tls is not None:
                connection = http.client.HTTPSConnection(host, self._parts.port, timeout=self._timeout, context=self._tls)
            else:
                connection = http.client.HTTPConnection(host, self._parts.port, timeout=self._timeout)
            self._local.connection = connection
        return connection

    def _request(
        self, method: str, address: str, body: Union[bytes, _Stretch, None] = None, headers: dict[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """An answer below 300. InputError with the server's sentence for what it refuses; where it is full, tried again
        when it says."""
        sent = {"Authorization": f"Bearer {self._token}", **(headers or {})}
        prefix = self._parts.path.rstrip("/")
        for attempt in range(_RETRIES):
            connection = self._connection()
            try:
                connection.request(method, prefix + address, body=body, headers=sent)
                response = connection.getresponse()
            except (OSError, http.client.HTTPException):
                connection.close()
                # A kept connection that the server has closed; a body that is a stretch is sent anew by its caller.
                if attempt > 0 or isinstance(body, _Stretch) or method == "POST":
                    raise
                continue
            if response.status < 300:
                return response
            text = response.read()
            wait = response.getheader("Retry-After")
            if response.status in (429, 503) and wait is not None and attempt + 1 < _RETRIES and not isinstance(body, _Stretch):
                time.sleep(float(wait))
                continue
            try:
                sentence = json.loads(text)["error"]
            except (ValueError, KeyError, TypeError):
                sentence = f"status {response.status}"
            raise (InputError if response.status < 500 else Error)(f"{self._parts.netloc}: {sentence}")
        raise Error(f"{self._parts.netloc}: the server was full each time it was asked")

    def _json(
        self, method: str, address: str, body: Union[bytes, _Stretch, None] = None, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._request(method, address, body, headers).read())
        return found

    def _fetch(self, address: str, path: str) -> None:
        response = self._request("GET", address)
        with open(path, "wb") as file:
            while piece := response.read(_PIECE):
                file.write(piece)

    def __repr__(self) -> str:
        return f"<tacit.Client {self._parts.scheme}://{self._parts.netloc}>"
