"""The page's own server, for the browser on this machine."""

from __future__ import annotations

import base64
import hmac
import http.client
import http.server
import importlib.resources
import json
import secrets
import socket
import socketserver
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from ..errors import Error, InputError
from .reader import INK, SIDE, Reader, Reading

_HOST = "127.0.0.1"
_MOST_BODY = 4096  # bytes; a picture takes a few hundred
_MOST_CONNECTIONS = 16
_PAGE = {"": ("index.html", "text/html"), "page.js": ("page.js", "text/javascript"), "page.css": ("page.css", "text/css")}


class _Refusal(Exception):
    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Companion
    server_version = "tacit"
    sys_version = ""
    timeout = 10  # seconds that a read may take

    def do_GET(self) -> None:
        self._answered(self._get)

    def do_POST(self) -> None:
        self._answered(self._post)

    def _get(self) -> None:
        name = self._name()
        if name == "model":
            self._json(HTTPStatus.OK, self.server.facts())
            return
        if name not in _PAGE:
            raise _Refusal(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        file, kind = _PAGE[name]
        self._send(HTTPStatus.OK, self.server.page[file], f"{kind}; charset=utf-8")

    def _post(self) -> None:
        if self._name() != "read":
            raise _Refusal(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        if self.headers.get("Origin") != f"http://{self.headers['Host']}":
            raise _Refusal(HTTPStatus.FORBIDDEN, "pictures come from the page alone")
        if self.headers.get_content_type() != "application/json":
            raise _Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a picture comes as application/json")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, "a picture comes with its Content-Length")
        if len(length) > 9 or int(length) > _MOST_BODY:
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a picture has at most {_MOST_BODY} bytes")
        reading = self._read(_pixels(self.rfile.read(int(length))))
        self._json(
            HTTPStatus.OK,
            {
                "scores": reading.scores.tolist(),
                "question": base64.b64encode(reading.question).decode("ascii"),
                "seconds": {
                    "encrypt": reading.encrypt_seconds,
                    "server": reading.server_seconds,
                    "decrypt": reading.decrypt_seconds,
                },
            },
        )

    def _read(self, pixels: list[float]) -> Reading:
        try:
            return self.server.reader.read(pixels)
        except InputError as error:
            raise _Refusal(HTTPStatus.BAD_REQUEST, str(error)) from error
        except Error as error:
            raise _Refusal(HTTPStatus.BAD_GATEWAY, str(error)) from error
        except (OSError, http.client.HTTPException) as error:
            raise _Refusal(HTTPStatus.BAD_GATEWAY, f"the server does not answer: {error}") from error

    def _name(self) -> str:
        """Returns the name of the requested resource. The names of hosts are checked against DNS rebinding: no page
        elsewhere can reach this server under another name. The path starts with a secret that only the person at this
        machine knows."""
        if self.headers.get("Host") not in self.server.hosts:
            raise _Refusal(HTTPStatus.MISDIRECTED_REQUEST, "this server is for the browser on its own machine")
        start = self.server.path
        if not hmac.compare_digest(self.path[: len(start)].encode(), start.encode()):
            raise _Refusal(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        return self.path[len(start) :]

    def _answered(self, answer: Callable[[], None]) -> None:
        try:
            answer()
        except _Refusal as refusal:
            self._json(refusal.status, {"error": str(refusal)})

    def _json(self, status: HTTPStatus, content: Any) -> None:
        self._send(status, json.dumps(content).encode(), "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
             "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Logs nothing, because a log would hold the page's address."""


def _pixels(body: bytes) -> list[float]:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    pixels = content.get("pixels") if isinstance(content, dict) else None
    if (
        not isinstance(pixels, list)
        or len(pixels) != SIDE * SIDE
        or not all(isinstance(pixel, (int, float)) and 0 <= pixel <= INK for pixel in pixels)
    ):
        raise _Refusal(HTTPStatus.BAD_REQUEST, f'a picture is {{"pixels": […]}} with {SIDE * SIDE} numbers from 0 to {INK}')
    return pixels


class Companion(http.server.ThreadingHTTPServer):
    """Serves the page at `url`, on the loopback interface only. `port` 0 picks a free port."""

    daemon_threads = True
    reader: Reader

    def __init__(self, reader: Reader, *, server: str, port: int = 0) -> None:
        super().__init__((_HOST, port), _Handler)
        self.reader = reader
        self.path = f"/{secrets.token_urlsafe(16)}/"
        self.hosts = {f"{name}:{self.server_port}" for name in (_HOST, "localhost")}
        self.url = f"http://{_HOST}:{self.server_port}{self.path}"
        folder = importlib.resources.files(__package__) / "page"
        self.page = {name: (folder / name).read_bytes() for name, _ in _PAGE.values()}
        self._server = server
        self._places = threading.BoundedSemaphore(_MOST_CONNECTIONS)

    def facts(self) -> dict[str, Any]:
        """Facts about the model and its server, for the page."""
        plan = self.reader.model.plan()
        return {"server": self._server, "model": self.reader.model.id, "scheme": plan.scheme, "security_bits": plan.security_bits}

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer's looks the machine's name up
        self.server_name, self.server_port = _HOST, self.socket.getsockname()[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: Any) -> None:
        """Prints no trace if a browser goes away. Prints one for an error of this program."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)
