"""`tacit.Client` and servers of every intention, without a model; tests/service holds it to `tacit serve`."""

import http.client
import http.server
import json
import pathlib
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


class KeyServer:
    """Takes the keys of one upload, and keeps them if `keep`. Hangs up after `cuts[i]` bytes of request i."""

    def __init__(self, cuts=(), keep=True):
        self.received = bytearray()
        self.count = 0
        self.requests = []  # the ranges that were announced
        self.total = None
        left = list(cuts)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def tell(self):
                whole = outer.count == outer.total
                state = {"state": "ready" if whole else "partial"}
                if whole and keep:
                    state["root"] = tacit.root_of(tacit.Source.memory(bytes(outer.received)))
                elif outer.count:
                    state["upload"] = {"received": outer.count, "total": outer.total}
                content = json.dumps(state).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self):
                self.tell()

            def do_PUT(self):
                outer.requests.append(self.headers["Content-Range"])
                outer.total = int(self.headers["Content-Range"].rpartition("/")[2])
                length = int(self.headers["Content-Length"])
                until = left.pop(0) if left else length
                while length and until:
                    piece = self.rfile.read(min(length, until, 1 << 16))
                    outer.count += len(piece)
                    if keep:
                        outer.received.extend(piece)
                    length -= len(piece)
                    until -= len(piece)
                if length:
                    self.close_connection = True
                else:
                    self.tell()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        self.client = tacit.Client(f"http://127.0.0.1:{self.server.server_port}", token="t")
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize("from_file", [False, True])
def test_an_upload_continues_where_it_broke(keys, from_file, tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    whole = keys.evaluation.to_bytes()
    size = len(whole)
    with KeyServer([3 << 20, 5]) as server:
        if from_file:
            keys.evaluation.save(tmp_path / "keys")
            state = server.client.upload_keys(tmp_path / "keys", model="0" * 64)
        else:
            state = server.client.upload_keys(keys)
        assert state["state"] == "ready" and state["root"] == tacit.root_of(tacit.Source.memory(whole))
        assert server.received == whole
        begins = [3 << 20, (3 << 20) + 5]
        assert server.requests == [f"bytes {begin}-{size - 1}/{size}" for begin in [0, *begins]]
        assert server.client.upload_keys(keys) == state  # nothing is sent again
        assert len(server.requests) == 3


def test_an_upload_that_breaks_each_time_ends(keys, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    with KeyServer([0] * 100) as server, pytest.raises((OSError, http.client.HTTPException)):
        server.client.upload_keys(keys)
    assert len(server.requests) == 8


def test_an_upload_that_is_interrupted_leaves_a_client_that_works(keys):
    with KeyServer() as server:
        sent = []

        def stop(upload, piece):
            sent.append(piece)
            raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("tacit.transport.Upload.write", stop)
            with pytest.raises(KeyboardInterrupt):
                server.client.upload_keys(keys)
        assert len(sent) == 1
        assert server.client.upload_keys(keys)["state"] == "ready"


def test_an_upload_takes_little_memory_beside_the_keys(keys):
    size = len(keys.evaluation.to_bytes())
    with KeyServer(keep=False) as server:
        try:
            before = resident_peak(reset=True)
        except OSError:
            pytest.skip("the peak of this process cannot be reset here")
        assert server.client.upload_keys(keys)["state"] == "ready"
        grown = resident_peak() - before
    assert server.count == size
    assert grown < 64 << 20


def resident_peak(reset=False):
    """The most memory that this process has had since the last reset, in bytes."""
    if reset:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    with open("/proc/self/status") as file:
        return 1024 * next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def test_an_answer_that_ends_early_or_is_too_long_is_refused(model):
    half = model.client.to_bytes()
    with Server(200, half) as client:
        assert client.model(model.client.id).id == model.client.id
        with pytest.raises(tacit.KeyMismatch, match="the server sent the half of model"):
            client.model("0" * 64)
        with pytest.raises(InputError, match=f"it says that it has {len(half)} bytes, and at most 1000 are accepted"):
            client._received("/x", 1000)


def test_no_module_writes_temporary_files():
    package = pathlib.Path(tacit.__file__).parent
    assert [file.name for file in package.rglob("*.py") if "tempfile" in file.read_text()] == []


def test_groups_are_read_as_objects():
    with Server(200, {"groups": [{"group": "a", "rounds": []}]}) as client:
        assert client.groups() == [{"group": "a", "rounds": []}]
    for wrong in ({"groups": 3}, {"groups": ["a"]}, {}, []):
        with Server(200, wrong) as client, pytest.raises(Error):
            client.groups()
    with Server(404, {"error": "there is no such group of yours"}) as client, pytest.raises(InputError, match="no such group of yours"):
        client.group("0" * 64)


def test_files_of_groups_are_sent_and_fetched(tmp_path):
    (tmp_path / "file").write_bytes(b"a file")
    with Server(201, {"name": "commitment.0", "kind": "commitment"}) as client:
        assert client.send_group_file("0" * 64, tmp_path / "file")["name"] == "commitment.0"
    with Server(201, {"group": "a", "state": "proposed"}) as client:
        assert client.send_group("0" * 64, tmp_path / "file", hours=1)["state"] == "proposed"
    with Server(200, b"x" * 100) as client, pytest.raises(InputError):
        tacit.root_of(client.group_file("0" * 64, "group", most_bytes=10))
