"""Who may use a server and how much of it: tokens that are taken back, its state folder, connections of one client.

    access_test.py COMMAND
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from service_process import REPLY, Caller, Server, command, write_linear_model

TACIT = sys.argv[1]


class AccessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.models = pathlib.Path(cls.scratch.name)
        write_linear_model(cls.models / "linear.onnx")
        command(TACIT, "compile", cls.models / "linear.onnx", "--input-range", "-1,1", "-o", cls.models / "model")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch.name))

    def serve(self, *options):
        server = Server(TACIT, [self.models / "model"], self.folder, *options)
        self.tokens = {name: server.add_client(name) for name in ("anna", "ben")}
        server.start()
        self.addCleanup(server.stop)
        return server

    def test_a_token_is_taken_back_at_once(self):
        server = self.serve()
        anna, ben = (Caller(server, self.tokens[name]) for name in ("anna", "ben"))
        status = lambda caller: caller.ask("GET", "/v1/models")[0]
        self.assertEqual((status(anna), status(ben)), (200, 200))
        tokens, without = self.folder / "tokens", self.folder / "t"
        without.write_text("".join(line for line in tokens.read_text().splitlines(True) if not line.startswith("anna")))
        without.chmod(0o644)
        without.rename(tokens)  # the mode of a usual umask: nobody has access
        self.assertEqual((status(anna), status(ben)), (401, 401))
        tokens.chmod(0o600)
        self.assertEqual((status(anna), status(ben)), (401, 200))
        tokens.unlink()
        self.assertEqual(status(ben), 401)

    def test_a_state_folder_is_its_owners(self):
        state = self.folder / "state"
        state.mkdir()
        Server(TACIT, [], self.folder).add_client("anna")
        for mode in (0o777, 0o770, 0o1777):
            state.chmod(mode)
            done = subprocess.run([TACIT, "serve", self.models / "model", "--listen", "127.0.0.1:0", "--insecure-http", "--state", state,
                                   "--tokens", self.folder / "tokens"], check=False, capture_output=True, text=True, timeout=REPLY)
            self.assertEqual(done.returncode, 2)
            self.assertIn("others may write to this state folder", done.stderr)
            self.assertIn(f"chmod go-w {state}", done.stderr)
            self.assertEqual(list(state.iterdir()), [])

    def until(self, status, ask):
        """Asks until the answer has this status."""
        until = time.monotonic() + REPLY
        while (found := ask())[0] != status:
            self.assertLess(time.monotonic(), until, found)
        return found

    def test_connections_of_one_client_are_bounded(self):
        server = self.serve("--connections-of-client", 1)
        ask = lambda name: Caller(server, self.tokens[name]).json("GET", "/v1/models")
        model = ask("anna")[1]["models"][0]["id"]
        with server.socket() as slow:  # an upload whose body does not come
            slow.sendall((f"PUT /v1/models/{model}/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.tokens['anna']}\r\n"
                          "Content-Length: 1000\r\n\r\n").encode())
            _, told = self.until(429, lambda: ask("anna"))
            self.assertIn("as many requests of yours are being answered as may be at once", told["error"])
            self.assertEqual(ask("ben")[0], 200)
        self.until(200, lambda: ask("anna"))

    def test_unfinished_headers_take_no_thread(self):
        server = self.serve("--connections", 1, "--connections-of-client", 1)
        slow = [server.socket() for _ in range(20)]
        for connection in slow:
            connection.sendall(b"GET /health HTTP/1.1\r\nX: ")
        begun = time.monotonic()
        for _ in range(20):
            self.assertEqual(Caller(server, "").ask("GET", "/health")[0], 200)
            self.assertEqual(Caller(server, self.tokens["anna"]).ask("GET", "/v1/models")[0], 200)
        self.assertLess(time.monotonic() - begun, 5)
        for connection in slow:
            connection.sendall(b"y\r\nConnection: close\r\n\r\n")
            self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 200 "))
            connection.close()

    def test_slow_bodies_give_way_to_others(self):
        server = self.serve("--connections", 2, "--connections-of-client", 2)
        anna, ben = (Caller(server, self.tokens[name]) for name in ("anna", "ben"))
        model = anna.json("GET", "/v1/models")[1]["models"][0]["id"]
        command(TACIT, "keygen", self.models / "model/client.tacit", "--secret", self.folder / "s", "--evaluation", self.folder / "e")
        self.assertEqual(anna.upload(model, (self.folder / "e").read_bytes())[0], 200)
        anna.connection.close()
        slow = [server.socket() for _ in range(2)]
        for connection in slow:
            connection.sendall((f"POST /v1/models/{model}/evaluations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.tokens['anna']}\r\n"
                                "Content-Length: 1000\r\n\r\n").encode())
        time.sleep(0.3)
        begun = time.monotonic()
        self.assertEqual(ben.ask("GET", "/v1/models")[0], 200)
        self.assertLess(time.monotonic() - begun, 10)  # the grace of a body is twenty seconds
        for connection in slow:
            connection.settimeout(0.5)
        told = []
        for connection in slow:
            with connection:
                try:
                    told.append(connection.recv(4096))
                except TimeoutError:
                    told.append(b"")
        self.assertEqual(sorted(answer[:13] for answer in told), [b"", b"HTTP/1.1 503 "])  # one is enough

    def test_no_sentence_names_the_state_folder(self):
        server = self.serve()
        folder = self.models
        command(TACIT, "keygen", folder / "model/client.tacit", "--secret", self.folder / "s", "--evaluation", self.folder / "e")
        command(TACIT, "keygen", folder / "model/client.tacit", "--secret", self.folder / "s2", "--evaluation", self.folder / "e2")
        command(TACIT, "encrypt", folder / "model/client.tacit", "--key", self.folder / "s", "--input", folder / "linear.npy", "-o",
                self.folder / "x")
        anna = Caller(server, self.tokens["anna"])
        model = anna.json("GET", "/v1/models")[1]["models"][0]["id"]
        keys, others, question = [(self.folder / name).read_bytes() for name in ("e", "e2", "x")]
        self.assertEqual(anna.upload(model, keys)[0], 200)
        accepted = [anna.submit(model, question)[1]["job"] for _ in range(3)]
        told = [anna.upload(model, others)]  # jobs may wait, or not any more
        # Somebody damages what is stored: every sentence is of the state folder's files.
        for stored in (self.folder / "state").rglob("keys-*"):
            stored.write_bytes(stored.read_bytes()[:-1] + b"x")
        told.append(anna.submit(model, question, wait=30))
        for job in accepted + [found["job"] for _, found in told if "job" in found]:
            told.append(anna.json("GET", f"/v1/jobs/{job}?wait=30"))
            told.append(anna.json("GET", f"/v1/jobs/{job}/result") if told[-1][1]["state"] == "failed" else (200, {}))
        for status, found in told:
            self.assertNotIn(str(self.folder), json.dumps(found), status)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], warnings="ignore")
