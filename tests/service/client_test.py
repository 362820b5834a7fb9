"""The command as a client of servers of every intention: what it sends, what it makes of their answers.

    client_test.py COMMAND
"""
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from service_process import command, write_linear_model

TACIT = sys.argv[1]


class FakeServer:
    """Answers what it is told to, by method and address without its query, and remembers what it was asked.

    An answer is a status, JSON or bytes, and headers or none; of a list each is given once, the last one for ever."""

    def __init__(self, answers):
        self.answers, self.asked = dict(answers), []
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                address = self.path.split("?")[0]
                fake.asked.append((self.command, self.path, dict(self.headers), body))
                given = fake.answers.get((self.command, address), (404, {"error": "nothing is here"}))
                if isinstance(given, list):
                    given = given.pop(0) if len(given) > 1 else given[0]
                if callable(given):
                    given = given()
                status, content, *headers = given
                content = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                for name, value in (headers[0] if headers else {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def of(self, method):
        return [request for request in self.asked if request[0] == method]


class EndlessServer:
    """Answers every request with the same bytes again and again; an empty line before them comes once."""

    def __init__(self, sent):
        self.begin, self.again = (b"\r\n", sent[2:]) if sent.startswith(b"\r\n") else (b"", sent)

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return  # the test has ended
            with connection:
                try:
                    connection.recv(1 << 16)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + self.begin)
                    while True:
                        connection.sendall(self.again)
                except OSError:
                    pass  # the client has enough

    def __exit__(self, *_):
        self.listener.close()


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = folder = pathlib.Path(cls.scratch.name)
        write_linear_model(folder / "linear.onnx")
        command(TACIT, "compile", folder / "linear.onnx", "--input-range", "-1,1", "-o", folder / "model")
        keys = json.loads(command(TACIT, "keygen", folder / "model/client.tacit", "--secret", folder / "s", "--evaluation", folder / "e",
                                  "--json"))
        cls.root = keys["evaluation_root"]
        command(TACIT, "encrypt", folder / "model/client.tacit", "--key", folder / "s", "--input", folder / "linear.npy", "--count", 2, "-o",
                folder / "x")
        cls.keys, cls.question = (folder / "e").read_bytes(), (folder / "x").read_bytes()
        command(TACIT, "evaluate", folder / "model/server.tacit", "--keys", folder / "e", "--input", folder / "x", "-o", folder / "y")
        cls.answer, cls.receipt = (folder / "y").read_bytes(), (folder / "y.receipt").read_bytes()
        cls.model = json.loads(cls.receipt)["model_id"]
        cls.keys_address = f"/v1/models/{cls.model}/keys"
        token = folder / "token"
        token.write_text("tacit_of_anna\n")
        token.chmod(0o600)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def evaluate(self, server, *more):
        """Output file, and the ended command."""
        output = self.folder / "z"
        for written in (output, self.folder / "z.receipt"):
            written.unlink(missing_ok=True)
        return output, subprocess.run(
            [TACIT, "evaluate", "--server", server.url, "--token", self.folder / "token", "--input", self.folder / "x", "-o", output, *more],
            check=False, capture_output=True, text=True, timeout=120)

    def upload(self, states, sent):
        """What is asked of a server with these states of keys and answers to an upload; and the ended command."""
        with FakeServer({("GET", self.keys_address): states, ("PUT", self.keys_address): sent}) as server:
            _, done = self.evaluate(server, "--keys", self.folder / "e")
        for _, _, headers, _ in server.asked:
            self.assertEqual(headers["Authorization"], "Bearer tacit_of_anna")
        return server, done

    def puts(self, server):
        return [(headers["Content-Range"], body) for _, _, headers, body in server.of("PUT")]

    def whole(self, begin=0):
        total = len(self.keys)
        return f"bytes {begin}-{total - 1}/{total}", self.keys[begin:]

    def answers(self, job, **changed):
        """Those of a server that has evaluated, or is at it."""
        receipt = json.loads(self.receipt)
        receipt.update(changed)
        return {("POST", f"/v1/models/{self.model}/evaluations"): (202, {"job": "7", "state": "queued"}),
                ("GET", "/v1/jobs/7"): job,
                ("GET", "/v1/jobs/7/receipt"): (200, receipt),
                ("GET", "/v1/jobs/7/result"): (200, self.answer),
                ("DELETE", "/v1/jobs/7"): (200, {"job": "7", "state": "deleted"})}

    def test_keys_are_sent_whole_where_there_are_none(self):
        ready = (200, {"state": "ready", "root": self.root})
        server, done = self.upload((200, {"state": "none"}), ready)
        self.assertEqual(self.puts(server), [self.whole()])
        self.assertIn("evaluation: nothing is here", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_keys_that_are_there_are_not_sent(self):
        server, _ = self.upload((200, {"state": "ready", "root": self.root}), (500, {}))
        self.assertEqual(self.puts(server), [])
        self.assertEqual(len(server.of("POST")), 1)
        # Others are.
        server, _ = self.upload((200, {"state": "ready", "root": "0" * 64}), (200, {}))
        self.assertEqual(self.puts(server), [self.whole()])

    def test_an_upload_goes_on_where_the_server_has_come_to(self):
        total = len(self.keys)
        state = lambda received, of: (200, {"state": "partial", "upload": {"received": received, "total": of}})
        for received, of, begin in ((1000, total, 1000), (total - 1, total, total - 1), (total, total, 0), (1000, total + 1, 0)):
            server, _ = self.upload(state(received, of), (200, {}))
            self.assertEqual(self.puts(server), [self.whole(begin)], (received, of))

    def test_an_upload_is_tried_again_where_the_server_may_take_it_later(self):
        total = len(self.keys)
        states = [(200, {"state": "none"}), (200, {"state": "partial", "upload": {"received": 500, "total": total}})]
        for busy in (409, 503):
            server, _ = self.upload(list(states), [(busy, {"error": "busy"}), (200, {})])
            self.assertEqual(self.puts(server), [self.whole(), self.whole(500)], busy)
        for refusal in (400, 401, 413, 500):
            server, done = self.upload(list(states), (refusal, {"error": "what was sent is no key"}))
            self.assertEqual(self.puts(server), [self.whole()], refusal)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{server.url}: uploading keys: what was sent is no key", done.stderr)
            self.assertEqual(server.of("POST"), [])
        server, done = self.upload((200, {"state": "none"}), (418, b"no JSON"))
        self.assertIn("uploading keys: status 418", done.stderr)
        server, done = self.upload((200, b"[]"), (200, {}))
        self.assertIn("keys: its answer is no JSON", done.stderr)
        server, done = self.upload((300, {"error": "elsewhere"}), (200, {}))
        self.assertIn("keys: elsewhere", done.stderr)

    def test_a_full_server_is_asked_again_when_it_says(self):
        full = lambda status, seconds: (status, {"error": "the queue is full"}, {"Retry-After": str(seconds)})
        done = (200, {"job": "7", "state": "done", "inputs": 2, "seconds": 0.25})
        answers = self.answers([(200, {"job": "7", "state": "running"}), full(429, 1), done])
        evaluations, keys = ("POST", f"/v1/models/{self.model}/evaluations"), ("PUT", self.keys_address)
        answers[evaluations] = [full(503, 2), full(429, 0), answers[evaluations]]
        answers["GET", self.keys_address] = [full(429, 1), (200, {"state": "none"})]
        answers[keys] = [full(503, 1), (200, {})]
        answers["GET", "/v1/jobs/7/receipt"] = [full(503, 1), answers["GET", "/v1/jobs/7/receipt"]]
        answers["GET", "/v1/jobs/7/result"] = [full(503, 1), answers["GET", "/v1/jobs/7/result"]]
        with FakeServer(answers) as server:
            begun = time.monotonic()
            output, ended = self.evaluate(server, "--keys", self.folder / "e")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertGreaterEqual(time.monotonic() - begun, 8)
        self.assertEqual(output.read_bytes(), self.answer)
        self.assertIn("trying again in 2 s, because the server said: the queue is full …\n", ended.stderr)
        posts = server.of("POST")
        self.assertEqual([body for _, _, _, body in posts], [self.question] * 3, "each of them with the whole body")
        self.assertEqual(self.puts(server), [self.whole(), self.whole()])

    def test_a_server_that_stays_full_is_refused_with_a_way_out(self):
        def refused(*headers):
            with FakeServer({("POST", f"/v1/models/{self.model}/evaluations"): (503, {"error": "the queue is full"}, *headers)}) as server:
                _, ended = self.evaluate(server)
            self.assertEqual(ended.returncode, 2)
            self.assertEqual(len(server.of("POST")), 1, "no wait that is too long is begun")
            self.assertIn(f"{server.url}: evaluation: the queue is full", ended.stderr)
            return ended.stderr

        for seconds in ("301", "4294967295"):
            self.assertIn("the command waits for 300 s in all and has waited for 0 s, and the server asks for "
                          f"{seconds} s more: run it again later, or ask the server's operator", refused({"Retry-After": seconds}))
        self.assertNotIn("in all", refused())

    def test_a_server_that_cannot_be_reached_is_named_with_what_to_check(self):
        class Gone:
            url = "http://127.0.0.1:1"

        class Silent:
            """Ends every connection without a word."""

            def __enter__(self):
                self.listener = socket.create_server(("127.0.0.1", 0))
                self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
                threading.Thread(target=self.serve, daemon=True).start()
                return self

            def serve(self):
                while True:
                    try:
                        self.listener.accept()[0].close()
                    except OSError:
                        return  # the test has ended

            def __exit__(self, *_):
                self.listener.close()

        for more in ((), ("--keys", self.folder / "e")):
            _, ended = self.evaluate(Gone(), *more)
            self.assertEqual(ended.returncode, 2)
            self.assertRegex(ended.stderr, "^tacit: http://127.0.0.1:1: (evaluation|keys): the server cannot be reached .Connection.; check the "
                             "address and the port, that the server runs, and that no firewall is in the way\n$")
        with Silent() as server:
            _, ended = self.evaluate(server)
            self.assertEqual(ended.returncode, 2)
            self.assertIn("the connection broke before an answer came", ended.stderr)
            self.assertIn("check whether the address is to begin with https://, and run the command again", ended.stderr)

            class Tls:
                url = server.url.replace("http://", "https://")

            _, ended = self.evaluate(Tls())
            self.assertIn("TLS cannot be set up with the server (SSLConnection)", ended.stderr)

    def test_a_long_upload_says_that_it_is_one(self):
        def slow():
            time.sleep(1.5)
            return 200, {}

        _, done = self.upload((200, {"state": "none"}), slow)
        self.assertIn("uploading keys …\nuploading keys: done in ", done.stderr)

    def test_results_are_fetched_and_the_job_is_deleted(self):
        done = (200, {"job": "7", "state": "done", "inputs": 2, "seconds": 0.25})
        with FakeServer(self.answers([(200, {"job": "7", "state": "running"}), done])) as server:
            output, ended = self.evaluate(server)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(output.read_bytes(), self.answer)
        self.assertEqual(json.loads((self.folder / "z.receipt").read_text()), json.loads(self.receipt))
        self.assertEqual([(method, path) for method, path, _, _ in server.asked],
                         [("POST", f"/v1/models/{self.model}/evaluations?wait=1"), ("GET", "/v1/jobs/7?wait=1"), ("GET", "/v1/jobs/7?wait=1"),
                          ("GET", "/v1/jobs/7/receipt"), ("GET", "/v1/jobs/7/result"), ("DELETE", "/v1/jobs/7")])
        self.assertEqual(server.asked[0][3], self.question)
        self.assertRegex(ended.stdout, re.escape(f"  2 inputs evaluated by {server.url} to {output}, 0.250 s each\n  root ") +
                         "[0-9a-f]{64}, receipt " + re.escape(f"{output}.receipt\n"))
        with FakeServer(self.answers(done)) as server:
            _, ended = self.evaluate(server, "--json", "--receipt", self.folder / "r")
        told = json.loads(ended.stdout)
        self.assertEqual((told["server"], told["job"], told["images"], told["bytes"], told["seconds"], told["receipt"]),
                         (server.url, "7", 2, len(self.answer), {"evaluate": 0.25}, str(self.folder / "r")))
        self.assertEqual(told["root"], json.loads(self.receipt)["output"])

    def test_nothing_is_kept_of_results_that_are_not_of_these_inputs(self):
        done = (200, {"job": "7", "state": "done", "inputs": 2, "seconds": 0.25})
        with FakeServer(self.answers(done)) as server:
            server.answers["GET", "/v1/jobs/7/result"] = (200, self.answer[:-1])
            output, ended = self.evaluate(server)
            self.assertNotEqual(ended.returncode, 0)
            self.assertFalse(output.exists())
            # The inputs are ciphertexts, and not those that the receipt names.
            server.answers["GET", "/v1/jobs/7/result"] = (200, self.question)
            output, ended = self.evaluate(server)
            self.assertEqual(ended.returncode, 3)
            self.assertIn("the receipt of job 7 is not of these inputs and results; nothing is kept: ask the server again", ended.stderr)
            self.assertFalse(output.exists())
            server.answers["GET", "/v1/jobs/7/result"] = (409, {"error": "the job is not done yet"})
            output, ended = self.evaluate(server)
            self.assertFalse(output.exists())
            server.answers["GET", "/v1/jobs/7/receipt"] = (409, {"error": "not yet"})
            _, ended = self.evaluate(server)
            self.assertIn("receipt: not yet", ended.stderr)
        self.assertEqual(server.of("DELETE"), [])

    def test_a_closed_pipe_ends_the_command_as_any_other(self):
        done = (200, {"job": "7", "state": "done", "inputs": 2, "seconds": 0.25})
        reading, writing = os.pipe()
        os.close(reading)
        with FakeServer(self.answers(done)) as server, os.fdopen(writing, "w") as closed:
            ended = subprocess.run([TACIT, "evaluate", "--server", server.url, "--token", self.folder / "token", "--input", self.folder / "x",
                                    "-o", self.folder / "z"], check=False, stdout=closed, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((ended.returncode, ended.stderr), (-signal.SIGPIPE, b""))

    def test_a_job_that_fails_says_why(self):
        with FakeServer(self.answers((200, {"job": "7", "state": "failed", "error": "too little memory"}))) as server:
            output, ended = self.evaluate(server)
        self.assertEqual(ended.returncode, 2)
        self.assertIn(f"{server.url}: job 7 failed: too little memory", ended.stderr)
        self.assertFalse(output.exists())

    def blamed(self, answers, sentence):
        """A server of these answers is blamed by a sentence, as for every refusal, and nothing is kept."""
        with FakeServer(answers) as server:
            output, ended = self.evaluate(server, "--keys", self.folder / "e")
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertRegex(ended.stderr, "(^|\n)tacit: (the receipt of )?" + re.escape(server.url) + ": ")
        self.assertIn(sentence, ended.stderr)
        self.assertNotIn("internal error", ended.stderr)
        self.assertLess(len(ended.stderr), 3000)
        self.assertFalse(output.exists() or (self.folder / "z.receipt").exists())

    def test_answers_of_wrong_types_are_the_servers_fault(self):
        done = {"job": "7", "state": "done", "inputs": 2, "seconds": 0.25}
        ready = {("GET", self.keys_address): (200, {"state": "ready", "root": self.root})}
        for keys in ({"root": 7}, {"root": None}, {"upload": 7}, {"upload": {"total": "x"}}, {"upload": {"total": -1}}):
            with self.subTest(keys=keys):
                self.blamed({("GET", self.keys_address): (200, keys)}, "in its answer is no ")
        for job in ([], {}, {**done, "job": 7}, {**done, "job": "../keys"}, {**done, "state": 7}, {**done, "state": "lost"},
                    {**done, "inputs": "2"}, {**done, "inputs": -1}, {**done, "seconds": []}, {"job": "7", "state": "failed", "error": 7}):
            with self.subTest(job=job):
                self.blamed({**self.answers((200, job)), **ready}, "its answer is no ")
        for refusal in ({"error": 7}, {"error": None}, [], "text"):
            with self.subTest(refusal=refusal):
                self.blamed({("GET", self.keys_address): (400, refusal)}, "keys: status 400")
        for receipt in (b"[]", b"", b"{}", b"[" * 60000):
            with self.subTest(receipt=receipt[:10]):
                self.blamed({**self.answers((200, done)), **ready, ("GET", "/v1/jobs/7/receipt"): (200, receipt)}, "receipt")
        self.blamed({**self.answers((200, done)), **ready, ("GET", "/v1/jobs/7/result"): (200, b"x" * 1000)}, "results: ")

    def test_answers_without_end_are_the_servers_fault(self):
        done = (200, {"job": "7", "state": "done", "inputs": 2, "seconds": 0.25})
        ready = {("GET", self.keys_address): (200, {"state": "ready", "root": self.root})}
        endless = (200, b'{"error": "' + b"x" * (1 << 20))
        self.blamed({("GET", self.keys_address): endless}, "keys: its answer is longer than 262144 bytes")
        self.blamed({("GET", self.keys_address): (500, endless[1])}, "keys: its answer is longer than 262144 bytes")
        self.blamed({**self.answers(done), **ready, ("GET", "/v1/jobs/7"): endless}, "job 7: its answer is longer than")
        self.blamed({**self.answers(done), **ready, ("GET", "/v1/jobs/7/receipt"): endless}, "receipt: its answer is longer than")
        self.blamed({**self.answers(done), **ready, ("GET", "/v1/jobs/7/result"): (500, endless[1])}, "results: its answer is longer than")
        for sent, sentence in ((b"\r\n" + b"8000\r\n" + b"x" * 0x8000 + b"\r\n", "evaluation: its answer is longer than 262144 bytes"),
                               (b"X: " + b"y" * 4000 + b"\r\n", "evaluation: what it sends has no end"),
                               (b"\r\n" + b"0" * 65536, "evaluation: what it sends has no end")):
            with self.subTest(sentence), EndlessServer(sent) as server:
                _, ended = self.evaluate(server)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(f"{server.url}: {sentence}", ended.stderr)

    def test_tokens_are_sent_to_other_machines_over_tls_alone(self):
        def ended(url, *more):
            return subprocess.run([TACIT, "evaluate", "--server", url, "--token", self.folder / "token", "--input", self.folder / "x", "-o",
                                   self.folder / "z", *more], check=False, capture_output=True, text=True, timeout=120)

        for url in ("http://tacit.invalid", "http://tacit.invalid:80", "http://localhost.tacit.invalid", "http://127.0.0.1.tacit.invalid",
                    "http://[2001:db8::1]:80", "http://0.0.0.0:1"):
            with self.subTest(url):
                done = ended(url)
                self.assertEqual(done.returncode, 2)
                self.assertIn("without TLS everybody on the way to", done.stderr)
                self.assertIn("--insecure-http", done.stderr)
        self.assertIn("is no address", ended("http://127.0.0.1@tacit.invalid:80").stderr)
        self.assertNotIn("without TLS", ended("http://tacit.invalid", "--insecure-http").stderr)
        for url in ("http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://tacit.invalid"):
            with self.subTest(url):
                self.assertNotIn("without TLS", ended(url).stderr)
        done = subprocess.run([TACIT, "keygen", self.folder / "model/client.tacit", "--secret", self.folder / "s2", "--evaluation",
                               self.folder / "e2", "--server", "http://tacit.invalid", "--token", self.folder / "token"],
                              check=False, capture_output=True, text=True, timeout=120)
        self.assertIn("without TLS everybody", done.stderr)

    def test_addresses_and_tokens_are_checked_first(self):
        def refusal(*arguments):
            done = subprocess.run([TACIT, "evaluate", "--input", self.folder / "x", "-o", self.folder / "z", *arguments],
                                  check=False, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            return done.stderr

        token = ["--token", self.folder / "token"]
        self.assertIn("--server localhost:1 is no address; give one like https://host:8443", refusal("--server", "localhost:1", *token))
        self.assertIn("--server ftp://localhost is no address", refusal("--server", "ftp://localhost", *token))
        self.assertIn("--server needs the file with your token", refusal("--server", "http://127.0.0.1:1"))
        self.assertIn("http://127.0.0.1:1: evaluation: ", refusal("--server", "http://127.0.0.1:1", *token))
        empty, public = self.folder / "empty", self.folder / "public"
        empty.write_text(" \n")
        empty.chmod(0o600)
        public.write_text("tacit_of_anna")
        public.chmod(0o644)
        self.assertIn("holds no token", refusal("--server", "http://127.0.0.1:1", "--token", empty))
        self.assertIn("token", refusal("--server", "http://127.0.0.1:1", "--token", public))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], warnings="ignore")
