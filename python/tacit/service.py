"""The client of `tacit serve`. It sends keys once and then encrypted inputs, and receives encrypted results."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import pathlib
import re
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable
from typing import IO, Any, Union

from . import _core
from .arrays import Inputs, Outputs
from .errors import Error, InputError, KeyMismatch
from .halves import ClientModel, Path
from .kept import Kept
from .keys import Keys, keygen
from ._core import Sink, Source, load_receipt, root_of

_PIECE = 1 << 20
_RETRIES = 8
_LONGEST_WAIT = 60.0  # seconds
_MOST_ANSWER = 16 << 20  # bytes of JSON
_MOST_HALF = 1 << 30  # bytes of a client's half


class _Upload:
    """The upload of keys: a request whose body comes piece by piece, from where the server's copy ends."""

    def __init__(self, client: Client, model: str) -> None:
        self._client = client
        self._model = model
        self._address = f"/v1/models/{model}/keys"
        self.state: dict[str, Any] = {}  # of keys that the server has already
        self.begun = 0  # the offset from which the latest try sends
        self.sending = False

    def begin(self, size: int, root: str) -> int:
        """Asks the server for its copy, and begins a request unless the copy is whole. Returns the first offset to send."""
        self.sending = False
        state = self._client.keys(self._model)
        if state.get("root") == root:
            self.state = state
            return size
        self.begun = self._client._kept_of(state, size)
        self.sending = True
        headers = {"Content-Range": f"bytes {self.begun}-{size - 1}/{size}", "Content-Length": str(size - self.begun)}
        self._client._begin("PUT", self._address, headers)
        return self.begun

    def write(self, piece: bytes) -> None:
        self._client._connection().send(piece)

    def end(self) -> dict[str, Any]:
        """Returns the server's state of the keys."""
        return self.state or self._client._object(self._client._answer(self._client._connection().getresponse()))


def _copy(file: IO[bytes], root: str, upload: _Upload) -> None:
    """Uploads a file from where the server's copy ends."""
    file.seek(upload.begin(os.fstat(file.fileno()).st_size, root))
    while piece := file.read(_PIECE):
        upload.write(piece)


def _is_loopback(host: str) -> bool:
    """True if `host` is this machine, so that nobody else can read what is sent to it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Client(Kept):
    """A server at `url`, for a client whose `token` the server's operator gave out.

    ca: a file of certificates to trust instead of those of the system.
    insecure_http: permits an http:// address of another machine. It is refused otherwise, because everybody on the way
    could read the token and the requests.

    Threads may share it. Results are checked against the receipt that comes with them."""

    _instead = "share the object between threads, and make one from the address and token in another process"

    def __init__(
        self, url: str, *, token: str, ca: Path | None = None, timeout: float = 600, insecure_http: bool = False
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url} is no address of a server; give one like https://host:8443")
        if parts.scheme == "http" and not insecure_http and not _is_loopback(parts.hostname):
            raise InputError(
                f"{url}: without TLS everybody on the way to {parts.hostname} reads the token and what is sent; use "
                "https://, or give insecure_http=True if you accept that"
            )
        self._parts = parts
        self._token = token
        self._timeout = timeout
        self._tls = ssl.create_default_context(cafile=ca) if parts.scheme == "https" else None
        self._local = threading.local()

    def models(self) -> list[dict[str, Any]]:
        """The models of the server: id, name, scheme, security, bytes of keys, facts of the plan."""
        found = self._json("GET", "/v1/models").get("models")
        if not isinstance(found, list) or not all(isinstance(model, dict) for model in found):
            raise self._wrong("'models' in its answer is no list of models")
        return found

    def model(self, id: str | None = None) -> ClientModel:
        """The client's half of a model, to make keys, encrypt and decrypt. Without an id, the server must have one
        model."""
        if id is None:
            offered = self.models()
            if len(offered) != 1:
                names = ", ".join(f"{model.get('name')} ({model.get('id')})" for model in offered)
                raise InputError(f"the server offers {len(offered)} models; give the id of one: {names}")
            id = str(offered[0].get("id"))
        model = ClientModel.load(self._received(f"/v1/models/{id}/client", _MOST_HALF))
        if model.id != id:
            raise KeyMismatch(f"the server sent the half of model {model.id[:8]} where {id[:8]} was asked for")
        return model

    def keys(self, model: str) -> dict[str, Any]:
        """The server's state of this client's keys: "state" is "none", "partial" or "ready"."""
        return self._json("GET", f"/v1/models/{model}/keys")

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
            return self._upload(model, lambda upload: _copy(file, root, upload))

    def _upload(self, model: str, send: Callable[[_Upload], None]) -> dict[str, Any]:
        upload = _Upload(self, model)
        furthest = tries = 0
        while True:
            try:
                send(upload)
                return upload.end()
            except (OSError, http.client.HTTPException):
                self._connection().close()
                tries = 0 if upload.begun > furthest else tries + 1
                furthest = max(furthest, upload.begun)
                if not upload.sending or tries >= _RETRIES:
                    raise
                time.sleep(min(tries, 5))
            except BaseException:
                self._connection().close()  # a request may have begun
                raise

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
        until = time.monotonic() + (timeout if timeout is not None else float("inf"))
        body = question.to_bytes() if isinstance(question, _core.EncryptedTensors) else pathlib.Path(question).read_bytes()
        job, state = self._job("POST", f"/v1/models/{model.id}/evaluations?wait=30", body)
        while state["state"] in ("queued", "running"):
            if time.monotonic() > until:
                raise TimeoutError(f"job {job} is still {state['state']}")
            job, state = self._job("GET", f"/v1/jobs/{job}?wait=30")
        address = f"/v1/jobs/{job}"
        if state["state"] != "done":
            raise InputError(f"job {job} failed: {state.get('error')}")
        answer = self._received(address + "/result", most_bytes)
        stated = load_receipt(self._received(address + "/receipt", _MOST_ANSWER))
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

    def _kept_of(self, state: dict[str, Any], size: int) -> int:
        """Returns how many bytes of an upload of `size` bytes the server has. 0: it begins anew."""
        upload = state.get("upload", {})
        received = upload.get("received", 0) if isinstance(upload, dict) and upload.get("total") == size else 0
        if not isinstance(received, int) or received < 0:
            raise self._wrong("'received' in its answer is no count")
        return received if received < size else 0

    def _sent(self, headers: dict[str, str]) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}", **headers}

    def _begin(self, method: str, address: str, headers: dict[str, str]) -> None:
        """Sends the head of a request, whose body follows."""
        connection = self._connection()
        connection.putrequest(method, self._parts.path.rstrip("/") + address)
        for name, value in self._sent(headers).items():
            connection.putheader(name, value)
        connection.endheaders()

    def _request(self, method: str, address: str, body: bytes | None = None) -> http.client.HTTPResponse:
        """Returns an answer below 300. If the server is full, tries again after the time that the server states."""
        for attempt in range(_RETRIES):
            connection = self._connection()
            try:
                connection.request(method, self._parts.path.rstrip("/") + address, body=body, headers=self._sent({}))
                response = connection.getresponse()
            except (OSError, http.client.HTTPException):
                connection.close()
                if attempt > 0 or method == "POST":
                    raise
                continue  # the server has closed a kept connection
            wait = response.getheader("Retry-After")
            if response.status in (429, 503) and wait is not None and attempt + 1 < _RETRIES:
                self._whole(response)
                time.sleep(min(float(wait), _LONGEST_WAIT) if wait.isdecimal() else 1)
                continue
            return self._answer(response)
        raise Error(f"{self._parts.netloc}: the server was full each time it was asked")

    def _answer(self, response: http.client.HTTPResponse) -> http.client.HTTPResponse:
        """Returns an answer below 300. For a refusal raises InputError with the server's sentence."""
        if response.status < 300:
            return response
        try:
            sentence = json.loads(self._whole(response))["error"]
        except (ValueError, KeyError, TypeError, RecursionError):
            sentence = f"status {response.status}"
        raise (InputError if response.status < 500 else Error)(f"{self._parts.netloc}: {sentence}")

    def _json(self, method: str, address: str, body: bytes | None = None) -> dict[str, Any]:
        return self._object(self._request(method, address, body))

    def _object(self, response: http.client.HTTPResponse) -> dict[str, Any]:
        """Returns the JSON object of an answer."""
        try:
            found = json.loads(self._whole(response))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise self._wrong("its answer is no JSON of an object")
        return found

    def _job(self, method: str, address: str, body: bytes | None = None) -> tuple[str, dict[str, Any]]:
        """Returns a job's name, and the server's facts about it."""
        state = self._json(method, address, body)
        job = state.get("job")
        if not isinstance(job, str) or not re.fullmatch("[0-9A-Za-z_-]{1,64}", job):
            raise self._wrong("'job' in its answer is no name of a job")
        if state.get("state") not in ("queued", "running", "done", "failed"):
            raise self._wrong("'state' in its answer is no state of a job")
        return job, state

    def _whole(self, response: http.client.HTTPResponse) -> bytes:
        text = response.read(_MOST_ANSWER + 1)
        if len(text) > _MOST_ANSWER:
            self._connection().close()
            raise self._wrong(f"its answer is longer than {_MOST_ANSWER} bytes")
        if not response.isclosed():
            response.read()
        return text

    def _wrong(self, what: str) -> Error:
        """Returns the error of a server that broke the protocol."""
        return Error(f"{self._parts.netloc}: {what}; ask the server's operator")

    def _received(self, address: str, most_bytes: int) -> Source:
        """Returns the bytes at an address, which are at most `most_bytes`."""
        response = self._request("GET", address)
        stated = response.getheader("Content-Length")
        size = int(stated) if stated is not None and stated.isdecimal() else None
        try:
            return Source.stream(iter(lambda: response.read(_PIECE), b""), most_bytes, size, f"{self._parts.netloc}{address}")
        except BaseException:
            self._connection().close()  # the rest of the answer is on its way
            raise

    def __repr__(self) -> str:
        return f"<tacit.Client {self._parts.scheme}://{self._parts.netloc}>"
