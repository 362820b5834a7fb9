"""`tacit serve` from outside: a process, sockets, and what clients of every intention send."""
import http.client
import json
import pathlib
import random
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from service_process import Caller, Server, command, write_linear_model

TACIT = sys.argv[1]


def longer(rows):
    """Writes so many rows that their ciphertexts take several pieces of a file."""
    import numpy

    path = rows.with_name("longer.npy")
    numpy.save(path, numpy.tile(numpy.load(rows), (6, 1)))
    return path


class Fixture:
    """A model, two clients' keys and questions, made once."""

    def __init__(self, folder):
        self.folder = folder
        self.rows, self.expected = write_linear_model(folder / "linear.onnx")
        command(TACIT, "compile", folder / "linear.onnx", "--input-range", "-1,1", "-o", folder / "model")
        write_linear_model(folder / "other.onnx", features=20, seed=2)
        command(TACIT, "compile", folder / "other.onnx", "--input-range", "-1,1", "-o", folder / "other")
        self.model = self.keys_of("model", "anna")
        self.other_model = self.keys_of("other", "other")
        command(TACIT, "keygen", folder / "model/client.tacit", "--secret", folder / "ben.secret", "--evaluation",
                folder / "ben.evaluation")
        command(TACIT, "encrypt", folder / "model/client.tacit", "--key", folder / "anna.secret", "--input",
                folder / "linear.npy", "--count", 2, "-o", folder / "question")
        command(TACIT, "encrypt", folder / "model/client.tacit", "--key", folder / "anna.secret", "--input",
                longer(folder / "linear.npy"), "-o", folder / "long")
        command(TACIT, "encrypt", folder / "model/client.tacit", "--key", folder / "ben.secret", "--input",
                folder / "linear.npy", "--count", 1, "-o", folder / "ben.question")
        command(TACIT, "evaluate", folder / "model/server.tacit", "--keys", folder / "anna.evaluation", "--input",
                folder / "question", "-o", folder / "answer")
        read = lambda name: (folder / name).read_bytes()
        self.keys, self.question, self.answer = read("anna.evaluation"), read("question"), read("answer")
        self.other_keys, self.ben_keys, self.ben_question = read("other.evaluation"), read("ben.evaluation"), read("ben.question")
        self.secret, self.long_question = read("anna.secret"), read("long")

    def keys_of(self, model, name):
        """Makes keys; returns the model's id."""
        command(TACIT, "keygen", self.folder / model / "client.tacit", "--secret", self.folder / f"{name}.secret",
                "--evaluation", self.folder / f"{name}.evaluation")
        return self.id_of(self.folder / f"{name}.evaluation")

    @staticmethod
    def id_of(path):
        return json.loads(path.read_bytes()[128:].split(b"}", 1)[0] + b"}")["model"]


class ServiceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.fixture = Fixture(pathlib.Path(cls.scratch.name))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch.name))
        self.server = Server(TACIT, [self.fixture.folder / "model"], self.folder, "--header-seconds", 1)
        self.tokens = {name: self.server.add_client(name) for name in ("anna", "ben", "operator")}
        self.server.start()
        self.anna, self.ben = Caller(self.server, self.tokens["anna"]), Caller(self.server, self.tokens["ben"])
        self.model = self.fixture.model

    def tearDown(self):
        if self.server.process.poll() is None:
            self.assertEqual(self.server.stop(), 0)
        self.assertNotIn("internal error", (self.folder / "log").read_text())

    def refused(self, answer, status):
        self.assertEqual(answer[0], status, answer)
        self.assertGreater(len(answer[1]["error"]), 10)
        self.assertNotIn(str(self.folder), answer[1]["error"])
        return answer[1]["error"]

    def raw(self, request):
        """What comes back for bytes, until the server closes."""
        with self.server.socket() as connection:
            connection.sendall(request)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
            return answer

    def test_evaluates_what_the_command_evaluates(self):
        status, offered = self.anna.json("GET", "/v1/models")
        self.assertEqual([model["id"] for model in offered["models"]], [self.model])
        self.assertEqual(self.anna.ask("GET", f"/v1/models/{self.model}/client")[1],
                         (self.fixture.folder / "model/client.tacit").read_bytes())
        self.assertEqual(self.anna.json("GET", f"/v1/models/{self.model}/keys")[1], {"state": "none"})
        self.refused(self.anna.submit(self.model, self.fixture.question), 409)
        status, state = self.anna.upload(self.model, self.fixture.keys)
        self.assertEqual((status, state["state"]), (200, "ready"))
        status, job = self.anna.submit(self.model, self.fixture.question, wait=30)
        self.assertEqual((status, job["state"], job["inputs"]), (200, "done", 2))
        self.assertEqual(self.anna.result(job["job"]), self.fixture.answer)
        receipt = self.anna.json("GET", f"/v1/jobs/{job['job']}/receipt")[1]
        self.assertEqual((receipt["model_id"], receipt["keys"]), (self.model, state["root"]))
        self.assertEqual([j["job"] for j in self.anna.json("GET", "/v1/jobs")[1]["jobs"]], [job["job"]])
        self.assertEqual(self.anna.json("DELETE", f"/v1/jobs/{job['job']}")[0], 200)
        self.refused(self.anna.json("GET", f"/v1/jobs/{job['job']}"), 404)
        operator = Caller(self.server, self.tokens["operator"])
        metrics = operator.ask("GET", "/metrics")[1].decode()
        self.assertIn("\ntacit_jobs_done_total 1\n", metrics)
        self.assertNotIn("anna", metrics)
        self.refused(self.anna.json("GET", "/metrics"), 403)

    def test_the_command_is_a_client(self):
        token = self.folder / "token"
        token.write_text(self.tokens["anna"] + "\n")
        token.chmod(0o600)
        at = ["--server", f"http://127.0.0.1:{self.server.port}", "--token", token]
        folder = self.fixture.folder
        command(TACIT, "keygen", folder / "model/client.tacit", "--secret", self.folder / "s", "--evaluation", self.folder / "e", *at)
        command(TACIT, "encrypt", folder / "model/client.tacit", "--key", self.folder / "s", "--input", folder / "linear.npy",
                "--count", 3, "-o", self.folder / "x")
        command(TACIT, "evaluate", "--input", self.folder / "x", "-o", self.folder / "y", *at)
        command(TACIT, "decrypt", folder / "model/client.tacit", "--key", self.folder / "s", "--question", self.folder / "x",
                "--input", self.folder / "y", "-o", self.folder / "y.npy")
        import numpy
        found = numpy.load(next(self.folder.glob("y*.npy")))
        self.assertLess(abs(found - self.fixture.expected[:3]).max(), 1e-3)
        self.assertTrue((self.folder / "y.receipt").exists())
        for name, wrong in (("keys", ["--keys", self.folder / "s"]), ("input", [])):
            with self.subTest(name), self.assertRaisesRegex(RuntimeError, "secret key"):
                command(TACIT, "evaluate", "--input", self.folder / ("x" if wrong else "s"), "-o", self.folder / "z", *wrong, *at)
        # What is the server's to choose, or to keep.
        for own in (["--checkpoint", self.folder / "kept"], ["--sign", self.folder / "key.pem"], [folder / "model/server.tacit"]):
            with self.subTest(own[0]), self.assertRaisesRegex(RuntimeError, "with --server neither a model nor --sign nor --checkpoint"):
                command(TACIT, "evaluate", *own, "--input", self.folder / "x", "-o", self.folder / "z", *at)
        self.assertFalse((self.folder / "kept").exists() or (self.folder / "z").exists())

    def test_a_broken_upload_goes_on_after_a_restart(self):
        keys, half = self.fixture.keys, len(self.fixture.keys) // 2
        with self.server.socket() as connection:
            connection.sendall((f"PUT /v1/models/{self.model}/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                                f"{self.tokens['anna']}\r\nContent-Length: {len(keys)}\r\n\r\n").encode() + keys[:half])
            state = {}
            until = time.monotonic() + 10
            while state.get("upload", {}).get("received", 0) < half - 65536 and time.monotonic() < until:
                state = self.anna.json("GET", f"/v1/models/{self.model}/keys")[1]
            self.refused(self.anna.upload(self.model, keys), 409)  # while the other is under way
        self.server.kill()
        self.server.start(self.server.port)
        self.anna.connection = None
        state = self.anna.json("GET", f"/v1/models/{self.model}/keys")[1]
        self.assertEqual(state["state"], "partial")
        begin = state["upload"]["received"]
        self.assertGreater(begin, 0)
        address = f"/v1/models/{self.model}/keys"
        self.refused(self.anna.json("PUT", address, keys[begin + 1:], Content_Range=f"bytes {begin + 1}-{len(keys) - 1}/{len(keys)}"), 409)
        middle = begin + (len(keys) - begin) // 2
        status, state = self.anna.json("PUT", address, keys[begin:middle], Content_Range=f"bytes {begin}-{middle - 1}/{len(keys)}")
        self.assertEqual((status, state["upload"]["received"]), (202, middle))
        status, state = self.anna.json("PUT", address, keys[middle:], Content_Range=f"bytes {middle}-{len(keys) - 1}/{len(keys)}")
        self.assertEqual((status, state["state"]), (200, "ready"))

    def test_stretches_may_be_shorter_than_the_header(self):
        keys, secret, address = self.fixture.keys, self.fixture.secret, f"/v1/models/{self.model}/keys"

        def put(file, begin, end):
            return self.anna.json("PUT", address, file[begin:end], Content_Range=f"bytes {begin}-{end - 1}/{len(file)}")

        for begin, end in ((0, 1), (1, 10), (10, 100), (100, 130)):
            status, state = put(keys, begin, end)
            self.assertEqual((status, state["upload"]["received"]), (202, end))
        status, state = put(keys, 130, len(keys))
        self.assertEqual((status, state["state"]), (200, "ready"))
        # What is no file of keys is refused as soon as it can be told.
        self.refused(put(b"x" * len(keys), 0, 1), 400)
        self.assertEqual(put(secret, 0, 12)[0], 202)
        self.assertIn("secret key", self.refused(put(secret, 12, 20), 400))
        self.assertEqual(self.anna.json("GET", address)[1]["state"], "ready")

    def test_refuses_what_are_no_keys_of_the_model(self):
        keys = self.fixture.keys
        self.assertIn("secret key", self.refused(self.anna.upload(self.model, self.fixture.secret), 400))
        self.refused(self.anna.upload(self.model, b"x" * 1000), 400)
        self.refused(self.anna.upload(self.model, self.fixture.question), 400)
        self.assertIn("belong", self.refused(self.anna.upload(self.model, self.fixture.other_keys), 400))
        self.refused(self.anna.upload(self.model, keys[:-1000]), 400)
        damaged = bytearray(keys)
        damaged[len(keys) // 2] ^= 1
        self.assertIn("damaged", self.refused(self.anna.upload(self.model, bytes(damaged)), 400))
        self.refused(self.anna.json("PUT", f"/v1/models/{self.model}/keys", keys[:10], Content_Range="bytes 5-2/9"), 400)
        self.refused(self.anna.upload("0" * 64, keys), 404)
        self.assertEqual(self.anna.json("GET", f"/v1/models/{self.model}/keys")[1], {"state": "none"})
        for stored in (self.folder / "state").rglob("*"):
            if stored.is_file():
                self.assertNotIn(self.fixture.secret[128:160], stored.read_bytes())

    def test_another_client_finds_nothing(self):
        for token in ("", "tacit_" + "0" * 64, self.tokens["anna"][:-1], self.tokens["anna"] + "0"):
            self.refused(Caller(self.server, token).json("GET", "/v1/models"), 401)
        self.anna.upload(self.model, self.fixture.keys)
        job = self.anna.submit(self.model, self.fixture.question, wait=30)[1]["job"]
        nothing = "0" * 32
        for method, what in (("GET", ""), ("GET", "/result"), ("GET", "/receipt"), ("DELETE", "")):
            theirs = self.ben.json(method, f"/v1/jobs/{job}{what}")
            self.assertEqual(theirs, self.ben.json(method, f"/v1/jobs/{nothing}{what}"))
            self.refused(theirs, 404)
        self.assertEqual(self.ben.json("GET", "/v1/jobs")[1], {"jobs": []})
        self.assertEqual(self.ben.json("GET", f"/v1/models/{self.model}/keys")[1], {"state": "none"})
        self.refused(self.ben.submit(self.model, self.fixture.question), 409)
        self.ben.json("DELETE", f"/v1/models/{self.model}/keys")
        self.assertEqual(self.anna.json("GET", f"/v1/models/{self.model}/keys")[1]["state"], "ready")
        # Under the wrong keys.
        self.assertIn("key set", self.refused(self.anna.submit(self.model, self.fixture.ben_question), 400))
        self.assertEqual(self.anna.result(job), self.fixture.answer)

    def test_refuses_inputs_that_are_none(self):
        self.anna.upload(self.model, self.fixture.keys)
        for body in (b"", b"x", self.fixture.question[:-1], self.fixture.answer, self.fixture.keys, self.fixture.secret):
            self.refused(self.anna.submit(self.model, body), 400)
        self.assertIn("not stored", self.refused(self.anna.submit(self.model, self.fixture.secret), 400))
        damaged = bytearray(self.fixture.long_question)
        damaged[len(damaged) // 2] ^= 1  # beyond what is looked at before a job is accepted
        status, job = self.anna.submit(self.model, bytes(damaged), wait=30)
        self.assertEqual((status, job["state"]), (200, "failed"))
        self.assertIn("damaged", job["error"])
        self.assertNotIn(str(self.folder), job["error"])
        self.refused(self.anna.json("GET", f"/v1/jobs/{job['job']}/result"), 409)
        self.assertEqual(len(list((self.folder / "state/jobs").iterdir())), 1)

    def test_refuses_by_what_is_declared(self):
        access = f"Authorization: Bearer {self.tokens['anna']}\r\nHost: x\r\n"
        huge = 100 << 30
        for request, status in (
                (f"PUT /v1/models/{self.model}/keys HTTP/1.1\r\n{access}Content-Length: {huge}\r\n\r\n", 413),
                (f"POST /v1/models/{self.model}/evaluations HTTP/1.1\r\n{access}Content-Length: {huge}\r\n\r\n", 413),
                (f"PUT /v1/models/{self.model}/keys HTTP/1.1\r\n{access}Content-Range: bytes 0-9/{huge}\r\nContent-Length: 10\r\n\r\n0123456789", 413),
                (f"PUT /v1/models/{self.model}/keys HTTP/1.1\r\n{access}Transfer-Encoding: chunked\r\n\r\n", 411),
                (f"PUT /v1/models/{self.model}/keys HTTP/1.1\r\n{access}\r\n", 411),
                (f"POST /nowhere HTTP/1.1\r\n{access}Content-Length: {huge}\r\n\r\n", 404),
                (f"GET /health HTTP/1.1\r\nX: {'y' * 40000}\r\n\r\n", 431),
                (f"GET /{'y' * 9000} HTTP/1.1\r\nHost: x\r\n\r\n", 414),
                (f"PUT /v1/models/{self.model}/keys HTTP/1.1\r\n{access}Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 400),
                ("NONSENSE\r\n\r\n", 400)):
            with self.subTest(request[:60]):
                begun = time.monotonic()
                answer = self.raw(request.replace("\r\nHost: x", "\r\nConnection: close\r\nHost: x", 1).encode())
                self.assertTrue(answer.startswith(f"HTTP/1.1 {status} ".encode()), answer[:200])
                self.assertIn(b'{"error":', answer)
                self.assertLess(time.monotonic() - begun, 5)
        self.assertLess(self.server.resident_bytes(), 1 << 30)

    def test_inputs_are_refused_by_their_header_before_the_rest_is_sent(self):
        self.anna.upload(self.model, self.fixture.keys)
        question = self.fixture.question
        for length, status, sentence in ((len(question), b"", b""), (len(question) + 1, b"HTTP/1.1 400 ", b"truncated or damaged")):
            with self.server.socket() as connection:
                connection.sendall((f"POST /v1/models/{self.model}/evaluations HTTP/1.1\r\nHost: x\r\n"
                                    f"Authorization: Bearer {self.tokens['anna']}\r\nContent-Length: {length}\r\n\r\n").encode() + question[:200])
                connection.settimeout(5 if status else 0.5)
                answer = b""
                try:
                    while piece := connection.recv(4096):
                        answer += piece
                except TimeoutError:
                    pass
                self.assertTrue(answer.startswith(status) and bool(answer) == bool(status), answer)
                self.assertIn(sentence, answer)

    def test_slow_clients_do_not_keep_others_out(self):
        slow = [self.server.socket() for _ in range(160)]  # more than are served at once
        begun = time.monotonic()
        for connection in slow[:100]:
            connection.sendall(b"GET /health HTTP/1.1\r\nX: ")
        answers = 0
        for _ in range(4):
            time.sleep(0.4)
            for connection in slow[:100]:
                try:
                    connection.send(b"y")
                except OSError:
                    pass
        self.assertEqual(self.anna.json("GET", "/v1/models")[0], 200)  # from the same address
        self.assertLess(time.monotonic() - begun, 10)
        for connection in slow[:100]:
            try:
                answers += connection.recv(4096).startswith(b"HTTP/1.1 408")
            except ConnectionError:
                pass
        self.assertGreater(answers, 50)  # of 64; what comes beyond that of one address is closed soon
        for connection in slow:
            connection.close()

    def test_waits_for_headers_that_come_within_their_second(self):
        with self.server.socket() as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nX: ")
            time.sleep(0.3)
            connection.sendall(b"y\r\nConnection: close\r\n\r\n")
            self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 200 "))

    def test_survives_a_second_of_noise(self):
        seed = random.randrange(1 << 30)
        noise = random.Random(seed)
        self.anna.upload(self.model, self.fixture.keys)
        until, sent = time.monotonic() + 1, 0
        while time.monotonic() < until:
            body = bytearray(noise.choice((self.fixture.question, self.fixture.keys, self.fixture.answer))[:noise.randrange(300000)])
            for _ in range(noise.randrange(1, 20)):
                if body:
                    body[noise.randrange(min(len(body), noise.choice((128, 4096, len(body)))))] = noise.randrange(256)
            address = noise.choice((f"/v1/models/{self.model}/keys", f"/v1/models/{self.model}/evaluations", "/v1/jobs/x"))
            status, answer = self.ben.json(noise.choice(("PUT", "POST", "DELETE", "GET")), address, bytes(body))
            self.assertTrue(200 <= status < 500, (seed, status, answer))
            status, answer = self.anna.json("POST", f"/v1/models/{self.model}/evaluations", bytes(body))
            self.assertTrue(200 <= status < 500, (seed, status, answer))
            try:
                with self.server.socket() as connection:
                    connection.settimeout(2)
                    connection.sendall(bytes(noise.randrange(256) for _ in range(noise.randrange(200))) + b"\r\n\r\n")
                    connection.recv(100)
            except OSError:
                pass
            sent += 1
        self.assertGreater(sent, 3)
        self.assertEqual(self.anna.json("GET", "/health")[0], 200)

    def test_no_accepted_job_is_lost_when_it_is_killed(self):
        self.anna.upload(self.model, self.fixture.keys)
        accepted = []
        stopped = threading.Event()

        def load():
            caller = Caller(self.server, self.tokens["anna"])
            caller.submit_until(stopped, self.model, self.fixture.question, accepted)

        threads = [threading.Thread(target=load) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            time.sleep(0.4)
            self.server.kill()
            self.server.start(self.server.port)
        stopped.set()
        for thread in threads:
            thread.join()
        self.assertGreater(len(accepted), 10)
        self.anna.connection = None
        twice = 0  # evaluated at two of the kills: those may be its fault
        for job in accepted:
            try:
                self.assertEqual(self.anna.result(job), self.fixture.answer)
            except RuntimeError as told:
                self.assertIn("the server ended twice while it evaluated this job", str(told))
                twice += 1
        self.assertLessEqual(twice, 1)
        self.assertEqual(self.anna.json("GET", f"/v1/models/{self.model}/keys")[1]["state"], "ready")

    def test_two_processes_share_a_state_folder(self):
        second = Server(TACIT, self.server.models, self.folder).start()
        try:
            self.anna.upload(self.model, self.fixture.keys)
            there = Caller(second, self.tokens["anna"])
            self.assertEqual(there.json("GET", f"/v1/models/{self.model}/keys")[1]["state"], "ready")
            jobs = [(self.anna, there)[i % 2].submit(self.model, self.fixture.question)[1]["job"] for i in range(6)]
            for job in jobs:
                self.assertEqual(there.result(job), self.fixture.answer)
                self.assertEqual(self.anna.result(job), self.fixture.answer)
            self.assertEqual(there.json("DELETE", f"/v1/jobs/{jobs[0]}")[0], 200)
        finally:
            self.assertEqual(second.stop(), 0)

    def test_a_stop_finishes_what_runs_and_keeps_the_rest(self):
        self.anna.upload(self.model, self.fixture.keys)
        jobs = [self.anna.submit(self.model, self.fixture.question)[1]["job"] for _ in range(20)]
        self.assertEqual(self.server.stop(), 0)
        self.server.start(self.server.port)
        self.anna.connection = None
        for job in jobs:
            self.assertEqual(self.anna.result(job), self.fixture.answer)

    def test_a_stop_right_after_the_start_is_heard(self):
        for _ in range(10):
            self.assertEqual(self.server.stop(), 0)
            self.server.start()

    def restart(self, *options):
        self.assertEqual(self.server.stop(), 0)
        self.server.options = options
        self.server.start(self.server.port)
        for caller in (self.anna, self.ben):
            caller.connection = None

    def test_keys_that_were_used_longest_ago_give_way(self):
        keys = self.fixture.keys
        self.restart("--keys-on-disk", f"{len(keys) * 3 // 2}B")
        self.assertEqual(self.anna.upload(self.model, keys)[0], 200)
        self.assertEqual(self.ben.upload(self.model, self.fixture.ben_keys)[0], 200)
        self.assertEqual(self.anna.json("GET", f"/v1/models/{self.model}/keys")[1], {"state": "none"})
        self.assertEqual(self.ben.json("GET", f"/v1/models/{self.model}/keys")[1]["state"], "ready")
        self.restart("--keys-of-client", f"{len(keys) - 1}B")
        self.refused(self.anna.upload(self.model, keys), 413)

    def test_inputs_of_a_job_and_of_the_queue_are_bounded(self):
        address, size = f"/v1/models/{self.model}/evaluations", len(self.fixture.question)
        self.anna.upload(self.model, self.fixture.keys)
        self.restart("--most-input", f"{size - 1}B")
        self.refused(self.anna.json("POST", address, self.fixture.question), 413)
        self.restart("--most-input", f"{size}B", "--queue-bytes", f"{2 * size - 1}B")
        self.assertIn("one client may have", self.refused(self.anna.json("POST", address, self.fixture.question), 413))
        self.restart("--most-input", f"{size}B", "--queue-bytes", f"{2 * size}B")
        self.assertEqual(self.anna.submit(self.model, self.fixture.question, wait=30)[1]["state"], "done")

    def test_a_full_queue_says_when_to_come_back(self):
        self.restart("--queue", "1", "--evaluations", "1")
        self.anna.upload(self.model, self.fixture.keys)
        self.ben.upload(self.model, self.fixture.ben_keys)
        address, seen = f"/v1/models/{self.model}/evaluations", set()
        for _ in range(200):
            status, _ = self.anna.ask("POST", address, self.fixture.question)
            seen.add(status)
            if seen == {202, 503}:
                break
        self.assertEqual(seen, {202, 503})
        self.restart("--jobs-of-client", "1")
        for job in self.anna.json("GET", "/v1/jobs")[1]["jobs"]:
            self.anna.ask("DELETE", f"/v1/jobs/{job['job']}")
        self.assertEqual(self.anna.ask("POST", address, self.fixture.question)[0], 202)
        self.refused(self.anna.json("POST", address, self.fixture.question), 429)
        self.assertEqual(self.ben.ask("POST", address, self.fixture.ben_question)[0], 202)

    def heads(self, method, address, body=None, token=None):
        """Status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        try:
            connection.request(method, address, body, {"Authorization": "Bearer " + (token or self.tokens["anna"])})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def test_every_address_answers_with_its_status(self):
        keys, model = f"/v1/models/{self.model}/keys", f"/v1/models/{self.model}"
        for address in ("/", "/page.js", "/page.css", "/openapi.json", "/health", "/v1/models", model, model + "/client", keys, "/v1/jobs"):
            self.assertEqual(self.anna.ask("GET", address)[0], 200, address)
        self.assertEqual(Caller(self.server, self.tokens["operator"]).ask("GET", "/metrics")[0], 200)
        self.assertEqual(self.anna.json("GET", model)[1], self.anna.json("GET", "/v1/models")[1]["models"][0])
        half, total = len(self.fixture.keys) // 2, len(self.fixture.keys)
        status, state = self.anna.json("PUT", keys, self.fixture.keys[:half], Content_Range=f"bytes 0-{half - 1}/{total}")
        self.assertEqual((status, state), (202, {"state": "partial", "upload": {"received": half, "total": total}}))
        self.assertEqual(self.anna.json("GET", keys), (200, state))
        status, state = self.anna.json("PUT", keys, self.fixture.keys[half:], Content_Range=f"bytes {half}-{total - 1}/{total}")
        self.assertEqual((status, state["state"], state["bytes"], len(state["root"]), len(state)), (200, "ready", total, 64, 3))
        self.assertEqual(self.anna.json("GET", keys), (200, state))
        status, job = self.anna.submit(self.model, self.fixture.question)
        self.assertEqual((status, job["state"], job["model"]), (202, "queued", self.model))
        address = "/v1/jobs/" + job["job"]
        status, done = self.anna.json("GET", address + "?wait=30")
        self.assertEqual((status, done["state"], done["inputs"]), (200, "done", 2))
        self.assertEqual(done["accepted"], job["accepted"])
        self.assertGreaterEqual(done["finished"], done["accepted"])
        self.assertGreater(done["seconds"], 0)
        self.assertFalse({"position", "progress", "error"} & set(done))
        for what in ("", "/result", "/receipt"):
            self.assertEqual(self.anna.ask("GET", address + what)[0], 200, what)
        self.assertEqual(self.anna.json("DELETE", address), (200, {"job": job["job"], "state": "deleted"}))
        self.assertEqual(self.anna.json("DELETE", keys), (200, {"state": "none"}))
        for wait in ("x", "-1", "1.5"):
            self.refused(self.anna.json("GET", f"{address}?wait={wait}"), 400)

    def test_answers_carry_the_headers_that_clients_need(self):
        self.anna.upload(self.model, self.fixture.keys)
        status, headers, body = self.heads("POST", f"/v1/models/{self.model}/evaluations?wait=30", self.fixture.question)
        address = headers["Location"]
        self.assertEqual((status, address), (200, "/v1/jobs/" + json.loads(body)["job"]))
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertEqual((headers["Cache-Control"], headers["X-Content-Type-Options"]), ("no-store", "nosniff"))
        self.assertEqual(self.heads("GET", address)[1]["Location"], address)
        self.assertEqual(self.heads("GET", address + "/result")[1]["Content-Disposition"], 'attachment; filename="results.ct"')
        self.assertEqual(self.heads("GET", address + "/receipt")[1]["Content-Type"], "application/json")
        self.assertEqual(self.heads("GET", f"/v1/models/{self.model}/client")[1]["Content-Disposition"], 'attachment; filename="client.tacit"')
        for page, type_ in (("/", "text/html; charset=utf-8"), ("/page.js", "text/javascript; charset=utf-8"),
                            ("/page.css", "text/css; charset=utf-8"), ("/openapi.json", "application/json")):
            self.assertEqual(self.heads("GET", page)[1]["Content-Type"], type_)
        self.assertIn("default-src 'none'", self.heads("GET", "/")[1]["Content-Security-Policy"])
        status, headers, _ = self.heads("GET", "/v1/models", token="nobody")
        self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"))
        self.assertIsNone(headers["Retry-After"])

    def test_refuses_forms_that_no_address_takes(self):
        access = f"Authorization: Bearer {self.tokens['anna']}\r\nConnection: close\r\nHost: x\r\n"
        put = f"PUT /v1/models/{self.model}/keys HTTP/1.1\r\n{access}"
        for request, status, said in (
                (f"PATCH /health HTTP/1.1\r\n{access}Content-Length: 0\r\n\r\n", 405, "no address answers to this method"),
                (f"OPTIONS /health HTTP/1.1\r\n{access}\r\n", 405, "no address answers to this method"),
                (f"{put}Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", 415, "without Content-Encoding"),
                (f"{put}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 0\r\n\r\n", 415, "not a form"),
                (f"{put}Transfer-Encoding: chunked\r\n\r\n", 411, "may not come in chunks"),
                (f"{put}Content-Length: 5x\r\n\r\n", 400, "Content-Length is no number"),
                (f"GET /{'y' * 511} HTTP/1.1\r\n{access}\r\n", 404, "there is nothing at this address"),
                (f"GET /{'y' * 512} HTTP/1.1\r\n{access}\r\n", 414, "there is no address of this length"),
                (f"DELETE /health HTTP/1.1\r\n{access}Content-Length: 0\r\n\r\n", 404, "there is nothing at this address")):
            with self.subTest(request[:40] + said):
                answer = self.raw(request.encode())
                self.assertTrue(answer.startswith(f"HTTP/1.1 {status} ".encode()), answer[:200])
                self.assertIn(said, json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"])

    def test_stretches_of_keys_state_where_they_lie(self):
        address, body = f"/v1/models/{self.model}/keys", self.fixture.keys[:10]
        for stated in ("bytes 0-8/1000", "bytes 0-10/1000", "bytes 991-1000/1000", "bytes 9-0/1000", "bytes 0-9/", "bytes -9/1000",
                       "bytes 0/9-1000", "bytes 0 9/1000", "bytes 0-9", "0-9/1000", "byte 00-9/1000", "bytes a-9/1000"):
            with self.subTest(stated):
                self.assertIn("Content-Range is not", self.refused(self.anna.json("PUT", address, body, Content_Range=stated), 400))
        self.assertEqual(self.anna.json("PUT", address, body, Content_Range="bytes 0-9/1000")[0], 202)

    def test_inputs_may_come_in_pieces_of_any_size(self):
        self.anna.upload(self.model, self.fixture.keys)
        question = self.fixture.question
        head = (f"POST /v1/models/{self.model}/evaluations?wait=30 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer "
                f"{self.tokens['anna']}\r\nContent-Length: {len(question)}\r\n\r\n").encode()
        # What a file is stands in its first 128 bytes.
        for first in (1, 127, 128, 129):
            with self.subTest(first), self.server.socket() as connection:
                for piece in (head, question[:first], question[first:300], question[300:]):
                    connection.sendall(piece)
                    time.sleep(0.05)
                answer = b""
                while piece := connection.recv(65536):
                    answer += piece
                job = json.loads(answer.split(b"\r\n\r\n", 1)[1])
                self.assertEqual(job.get("state"), "done", job)
                self.assertEqual(self.anna.result(job["job"]), self.fixture.answer)

    def test_a_connection_serves_one_request_after_another_until_the_stop(self):
        self.assertEqual(self.anna.json("GET", "/health")[0], 200)
        connection = self.anna.connection.sock
        self.anna.upload(self.model, self.fixture.keys)
        self.anna.submit(self.model, self.fixture.question, wait=30)
        self.assertEqual(self.anna.ask("HEAD", "/health"), (200, b""))
        self.refused(self.anna.json("GET", "/nowhere"), 404)
        self.assertEqual(self.anna.json("GET", "/health")[0], 200)
        self.assertIs(self.anna.connection.sock, connection)
        # An idle one is closed by a stop, long before its time is over.
        begun = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - begun, 12)

    def test_what_somebody_took_from_the_state_folder_is_not_there(self):
        self.anna.upload(self.model, self.fixture.keys)
        job = self.anna.submit(self.model, self.fixture.question, wait=30)[1]["job"]
        (self.folder / "state/jobs" / job / "output").unlink()
        self.assertIn("no longer here", self.refused(self.anna.json("GET", f"/v1/jobs/{job}/result"), 404))
        (self.folder / "state/jobs" / job / "receipt").unlink()
        self.refused(self.anna.json("GET", f"/v1/jobs/{job}/receipt"), 503)
        self.assertEqual(self.anna.json("DELETE", f"/v1/jobs/{job}")[0], 200)

    def test_one_of_two_connections_may_wait(self):
        self.restart("--connections", "2")
        self.anna.upload(self.model, self.fixture.keys)
        for _ in range(5):
            for wait in (1, 30):
                status, job = self.anna.submit(self.model, self.fixture.question, wait=wait)
                self.assertEqual((status, job["state"]), (200, "done"), wait)

    @unittest.skipUnless(shutil.which("openssl"), "openssl makes the certificate")
    def test_serves_over_tls(self):
        certificate, key = self.folder / "cert.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        key.chmod(0o600)
        second = subprocess.Popen([TACIT, "serve", self.fixture.folder / "model", "--listen", "127.0.0.1:0", "--tls-cert", certificate,
                                   "--tls-key", key, "--state", self.folder / "tls", "--tokens", self.folder / "tokens"],
                                  stdout=subprocess.PIPE, text=True)
        try:
            url = re.search(r"https://\S+:\d+", second.stdout.readline())[0]
            context = ssl.create_default_context(cafile=certificate)
            address = url.removeprefix("https://")
            connection = http.client.HTTPSConnection(address, context=context, timeout=20)
            connection.request("GET", "/health")
            self.assertEqual(json.loads(connection.getresponse().read()), {"status": "ok"})
            connection.close()
            token = self.folder / "token"
            token.write_text(self.tokens["anna"])
            token.chmod(0o600)
            question, answer = self.fixture.folder / "question", self.folder / "answer"
            arguments = ["evaluate", "--server", url, "--token", token, "--keys", self.fixture.folder / "anna.evaluation", "--input",
                         question, "-o", answer]
            with self.assertRaisesRegex(RuntimeError, "verif|SSL"):
                command(TACIT, *arguments)  # nobody vouches for this certificate
            command(TACIT, *arguments, "--ca", certificate)
            self.assertEqual(answer.read_bytes(), self.fixture.answer)
            with socket.create_connection(tuple(address.split(":"))) as plain:
                plain.sendall(b"GET /health HTTP/1.1\r\n\r\n")
                try:
                    self.assertNotIn(b"200 OK", plain.recv(1000))
                except ConnectionResetError:
                    pass
        finally:
            second.terminate()
            self.assertEqual(second.wait(timeout=60), 0)
            second.stdout.close()

    def test_describes_itself(self):
        described = self.anna.json("GET", "/openapi.json")[1]
        for address, methods in described["paths"].items():
            filled = address.replace("{model}", "0" * 64).replace("{job}", "0" * 32).replace("{group}", "0" * 64).replace("{file}", "group")
            for method in set(methods) & {"get", "put", "post", "delete"}:
                status, _ = Caller(self.server, "").ask(method.upper(), filled)
                self.assertEqual(status, 200 if methods[method].get("security") == [] else 401, address)
        page = self.anna.ask("GET", "/")[1].decode()
        self.assertIn('<script src="page.js">', page)
        self.assertIn("fetch(", self.anna.ask("GET", "/page.js")[1].decode())


class RefusalTest(unittest.TestCase):
    def refusal(self, *arguments):
        return subprocess.run([TACIT, "serve", *arguments], check=False, capture_output=True, text=True, timeout=60)

    def test_serves_others_with_tls_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            tokens = ["--tokens", folder + "/tokens", "--state", folder + "/state"]
            for arguments, sentence in ((["model", *tokens], "--insecure-http"),
                                        (["model", *tokens, "--insecure-http", "--listen", "0.0.0.0:0"], "this machine alone"),
                                        (["model", *tokens, "--insecure-http", "--listen", "[::]:0"], ", and :: is reached from others"),
                                        (["model", *tokens, "--insecure-http", "--listen", "127.0.0.1:65536"], "127.0.0.1:65536 is no address"),
                                        (["model", *tokens, "--insecure-http", "--listen", ":1"], "no address"),
                                        (["model", *tokens, "--insecure-http", "--listen", "127.0.0.1"], "no address")):
                done = self.refusal(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], warnings="ignore")
