"""`tacit.Client` and servers of every intention, without a model; tests/service holds it to `tacit serve`."""

import http.server
import json
import threading

import pytest

import tacit
from tacit.errors import Error, InputError


class Server:
    """Answers every request with the same status and body."""

    def __init__(self, status, body):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return tacit.Client(f"http://127.0.0.1:{self.server.server_port}", token="t")

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize("url", ["http://tacit.invalid", "http://tacit.invalid:80/x", "http://127.0.0.1@tacit.invalid", "http://0.0.0.0:1",
                                 "http://localhost.tacit.invalid", "http://[2001:db8::1]:80", "HTTP://tacit.invalid"])
def test_other_machines_are_asked_over_tls_alone(url):
    with pytest.raises(InputError, match=r"without TLS everybody on the way to .* insecure_http=True"):
        tacit.Client(url, token="t")
    tacit.Client(url, token="t", insecure_http=True)


@pytest.mark.parametrize("url", ["http://localhost:1", "http://127.0.0.1:1", "http://127.5.5.5", "http://[::1]:1", "https://tacit.invalid"])
def test_this_machine_and_tls_are_not_refused(url):
    tacit.Client(url, token="t")


@pytest.mark.parametrize("body", [b"", b"text", [], 7, b"[" * 100000, b"\xff"])
def test_an_answer_that_is_no_object_is_the_servers_fault(body):
    with Server(200, body) as client, pytest.raises(Error, match="its answer is no JSON of an object"):
        client.models()


@pytest.mark.parametrize("models", [None, 7, {}, [7]])
def test_models_are_a_list(models):
    with Server(200, {"models": models}) as client, pytest.raises(Error, match="'models' in its answer"):
        client.models()


def test_answers_have_an_end():
    with Server(200, b'{"x": "' + b"x" * (16 << 20)) as client, pytest.raises(Error, match="longer than 16777216 bytes"):
        client.models()


@pytest.mark.parametrize("refusal", [{"error": "why"}, [], b"text", b"[" * 100000])
def test_a_refusal_is_its_sentence_or_its_status(refusal):
    expected = "why" if refusal == {"error": "why"} else "status 400"
    with Server(400, refusal) as client, pytest.raises(InputError, match=expected):
        client.models()
