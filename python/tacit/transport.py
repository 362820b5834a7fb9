"""Requests to `tacit serve`: its answers, its refusals and its jobs. The packages `tacit` and `tacit-client` share this file."""

from __future__ import annotations

import http.client
import ipaddress
import json
import re
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from typing import IO, Any

from .errors import Error, InputError
from .kept import Kept

PIECE = 1 << 20
MOST_ANSWER = 16 << 20  # bytes of JSON, and of a receipt
MOST_HALF = 1 << 30  # bytes of a client's half
_RETRIES = 8
_LONGEST_WAIT = 60.0  # seconds


class Upload:
    """The upload of keys: a request whose body comes piece by piece, from where the server's copy ends."""

    def __init__(self, client: Transport, model: str) -> None:
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

    def copy(self, file: IO[bytes], size: int, root: str) -> None:
        """Uploads `size` bytes from where the server's copy ends."""
        file.seek(self.begin(size, root))
        while piece := file.read(PIECE):
            self.write(piece)


def _is_loopback(host: str) -> bool:
    """True if `host` is this machine, so that nobody else can read what is sent to it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Transport(Kept):
    """A server at `url`, for a client whose `token` the server's operator gave out.

    ca: a file of certificates to trust instead of those of the system.
    insecure_http: permits an http:// address of another machine. It is refused otherwise, because everybody on the way
    could read the token and the requests.

    Threads may share it."""

    _instead = "share the object between threads, and make one from the address and token in another process"

    def __init__(
        self, url: str, *, token: str, ca: Any = None, timeout: float = 600, insecure_http: bool = False
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

    def keys(self, model: str) -> dict[str, Any]:
        """The server's state of this client's keys: "state" is "none", "partial" or "ready"."""
        return self._json("GET", f"/v1/models/{model}/keys")

    def _only_model(self) -> str:
        """Returns the id of the server's model, if there is one alone."""
        offered = self.models()
        if len(offered) != 1:
            names = ", ".join(f"{model.get('name')} ({model.get('id')})" for model in offered)
            raise InputError(f"the server offers {len(offered)} models; give the id of one: {names}")
        return str(offered[0].get("id"))

    def _upload(self, model: str, send: Callable[[Upload], None]) -> dict[str, Any]:
        upload = Upload(self, model)
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

    def _evaluated(self, model: str, question: bytes, timeout: float | None) -> str:
        """Sends encrypted inputs, and waits for the end of their job. Returns the address of the job."""
        until = time.monotonic() + (timeout if timeout is not None else float("inf"))
        job, state = self._job("POST", f"/v1/models/{model}/evaluations?wait=30", question)
        while state["state"] in ("queued", "running"):
            if time.monotonic() > until:
                raise TimeoutError(f"job {job} is still {state['state']}")
            job, state = self._job("GET", f"/v1/jobs/{job}?wait=30")
        if state["state"] != "done":
            raise InputError(f"job {job} failed: {state.get('error')}")
        return f"/v1/jobs/{job}"

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
        text = response.read(MOST_ANSWER + 1)
        if len(text) > MOST_ANSWER:
            self._connection().close()
            raise self._wrong(f"its answer is longer than {MOST_ANSWER} bytes")
        if not response.isclosed():
            response.read()
        return text

    def _wrong(self, what: str) -> Error:
        """Returns the error of a server that broke the protocol."""
        return Error(f"{self._parts.netloc}: {what}; ask the server's operator")

    def _pieces(self, response: http.client.HTTPResponse) -> tuple[Iterator[bytes], int | None]:
        """Returns the pieces of an answer, and the number of bytes that it states."""
        stated = response.getheader("Content-Length")
        return iter(lambda: response.read(PIECE), b""), int(stated) if stated is not None and stated.isdecimal() else None

    def __repr__(self) -> str:
        return f"<{__package__}.Client {self._parts.scheme}://{self._parts.netloc}>"
