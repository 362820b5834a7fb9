"""The command as a client of servers of every intention: what it sends, what it makes of their answers.

    client_test.py COMMAND
"""
import http.server
import json
import pathlib
import re
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

    An answer is a status and JSON or bytes; of a list each is given once, the last one for ever."""

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
                status, content = given
                content = content if isinstance(content, bytes) else json.dumps(content).encode()
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
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def of(self, method):
        return [request for request in self.asked if request[0] == method]


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
            capture_output=True, text=True, timeout=120)

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
            self.assertIn("the receipt of job 7 is not of these inputs and results; nothing is kept", ended.stderr)
            self.assertFalse(output.exists())
            server.answers["GET", "/v1/jobs/7/result"] = (409, {"error": "the job is not done yet"})
            output, ended = self.evaluate(server)
            self.assertFalse(output.exists())
            server.answers["GET", "/v1/jobs/7/receipt"] = (409, {"error": "not yet"})
            _, ended = self.evaluate(server)
            self.assertIn("receipt: not yet", ended.stderr)
        self.assertEqual(server.of("DELETE"), [])

    def test_a_job_that_fails_says_why(self):
        with FakeServer(self.answers((200, {"job": "7", "state": "failed", "error": "too little memory"}))) as server:
            output, ended = self.evaluate(server)
        self.assertEqual(ended.returncode, 2)
        self.assertIn(f"{server.url}: job 7 failed: too little memory", ended.stderr)
        self.assertFalse(output.exists())

    def test_addresses_and_tokens_are_checked_first(self):
        def refusal(*arguments):
            done = subprocess.run([TACIT, "evaluate", "--input", self.folder / "x", "-o", self.folder / "z", *arguments],
                                  capture_output=True, text=True, timeout=60)
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
