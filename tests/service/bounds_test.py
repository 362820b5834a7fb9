"""What a server says of its models before keys exist, and what a client takes of a server.

    bounds_test.py COMMAND
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from client_test import FakeServer
from service_process import REPLY, Caller, Server, command, write_linear_model

TACIT = sys.argv[1]


class BoundsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = folder = pathlib.Path(cls.scratch.name)
        write_linear_model(folder / "linear.onnx")
        command(TACIT, "compile", folder / "linear.onnx", "--input-range", "-1,1", "-o", folder / "model")
        command(TACIT, "keygen", folder / "model/client.tacit", "--secret", folder / "s", "--evaluation", folder / "e")
        for name, first in (("x", 0), ("other", 1)):
            command(TACIT, "encrypt", folder / "model/client.tacit", "--key", folder / "s", "--input", folder / "linear.npy", "--first", first,
                    "--count", 1, "-o", folder / name)
            command(TACIT, "evaluate", folder / "model/server.tacit", "--keys", folder / "e", "--input", folder / name, "-o",
                    folder / (name + ".answer"))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def evaluate(self, url, token):
        """The ended command, and whether it wrote results."""
        output = self.folder / "z"
        for written in (output, self.folder / "z.receipt"):
            written.unlink(missing_ok=True)
        done = subprocess.run([TACIT, "evaluate", "--server", url, "--token", token, "--input", self.folder / "x", "-o", output],
                              check=False, capture_output=True, text=True, timeout=REPLY)
        return done, output.exists()

    def token(self, content):
        path = self.folder / "token"
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
        path.write_text(content)
        return path

    def test_a_model_is_offered_with_what_its_keys_may_take(self):
        server = Server(TACIT, [self.folder / "model"], self.folder)
        token = server.add_client("anna")
        caller = Caller(server.start(), token)
        self.addCleanup(server.stop)
        status, told = caller.json("GET", "/v1/models")
        self.assertEqual(status, 200)
        [facts] = told["models"]
        keys = facts["key_bytes"]
        self.assertEqual(keys, facts["plan"]["estimate"]["key_bytes"])
        self.assertEqual(facts["most_key_file_bytes"], keys + keys // 8 + 2**20)
        self.assertGreater(facts["most_key_file_bytes"], (self.folder / "e").stat().st_size)
        self.assertEqual((facts["name"], facts["scheme"], facts["security_bits"], facts["plan"]["batch"]), ("linear.onnx", "ckks", 128, 1))
        self.assertEqual(caller.json("GET", f"/v1/models/{facts['id']}"), (200, facts))

    def test_a_small_budget_has_fewer_threads_for_connections_and_serves_them_all(self):
        server = Server(TACIT, [self.folder / "model"], self.folder, "--memory", "300MB", "--threads", 1)
        token = server.add_client("bert")
        server.start()
        # The stacks of 64 threads would take 512 MiB. Whoever waits is served once another connection is idle.
        callers = [Caller(server, token) for _ in range(64)]
        for caller in callers:
            status, told = caller.json("GET", "/v1/models")
            self.assertEqual((status, len(told["models"])), (200, 1))
        self.assertEqual(server.stop(), 0)

    def test_a_sound_answer_to_another_question_is_not_kept(self):
        receipt, answer = [(self.folder / name).read_bytes() for name in ("other.answer.receipt", "other.answer")]
        model = json.loads(receipt)["model_id"]
        with FakeServer({("POST", f"/v1/models/{model}/evaluations"): (200, {"job": "7", "state": "done", "inputs": 1, "seconds": 0.25}),
                         ("GET", "/v1/jobs/7/receipt"): (200, receipt),
                         ("GET", "/v1/jobs/7/result"): (200, answer)}) as server:
            done, kept = self.evaluate(server.url, self.token("tacit_of_anna"))
            self.assertIn("the receipt of job 7 is not of these inputs and results; nothing is kept", done.stderr)
            self.assertEqual((done.returncode, kept), (3, False))
            # Its own is.
            own = json.loads((self.folder / "x.answer.receipt").read_bytes())
            server.answers["GET", "/v1/jobs/7/receipt"] = (200, own)
            server.answers["GET", "/v1/jobs/7/result"] = (200, (self.folder / "x.answer").read_bytes())
            done, kept = self.evaluate(server.url, self.token("tacit_of_anna"))
            self.assertEqual((done.returncode, kept), (0, True), done.stderr)

    def test_a_token_is_in_4096_bytes_at_most(self):
        with FakeServer({}) as server:
            done, _ = self.evaluate(server.url, self.token(" " * 4000 + "tacit_of_anna".ljust(96)))
            self.assertIn("evaluation: nothing is here", done.stderr)
            self.assertEqual(server.asked[-1][2]["Authorization"], "Bearer tacit_of_anna")
            done, _ = self.evaluate(server.url, self.token(" " * 4000 + "tacit_of_anna".ljust(97)))
            self.assertIn("4096 bytes", done.stderr)
        self.assertEqual(len(server.asked), 1)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], warnings="ignore")
