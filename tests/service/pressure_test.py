"""What one client can do to the others: with its bytes, its descriptions, and its long jobs.

    pressure_test.py COMMAND DESCRIBED_QUESTION
"""
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy

from service_process import Caller, Server, command, write_linear_model

TACIT, DESCRIBED = sys.argv[1:3]
ROWS = 400


class PressureTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = folder = pathlib.Path(cls.scratch.name)
        write_linear_model(folder / "linear.onnx")
        numpy.save(folder / "many.npy", numpy.random.default_rng(1).uniform(-1, 1, (ROWS, 30)))
        command(TACIT, "compile", folder / "linear.onnx", "--input-range", "-1,1", "-o", folder / "model")
        cls.questions, cls.keys = {}, {}
        for client in ("anna", "ben"):
            command(TACIT, "keygen", folder / "model/client.tacit", "--secret", folder / f"{client}.s", "--evaluation", folder / f"{client}.e")
            cls.keys[client] = (folder / f"{client}.e").read_bytes()
            for name, count in (("one", 1), ("many", ROWS)):
                if (client, name) == ("ben", "many"):
                    continue
                command(TACIT, "encrypt", folder / "model/client.tacit", "--key", folder / f"{client}.s", "--input", folder / "many.npy", "--count",
                        count, "-o", folder / f"{client}.{name}")
                cls.questions[client, name] = (folder / f"{client}.{name}").read_bytes()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def serve(self, *options):
        """A server, and a caller for each client, whose keys are there."""
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        server = Server(TACIT, [self.folder / "model"], folder.name, *options)
        tokens = {client: server.add_client(client) for client in self.keys}
        server.start()
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        callers = {client: Caller(server, tokens[client]) for client in tokens}
        model = callers["anna"].json("GET", "/v1/models")[1]["models"][0]["id"]
        for client, caller in callers.items():
            self.assertEqual(caller.upload(model, self.keys[client])[0], 200)
        return server, model, tokens, callers

    def test_long_descriptions_end_no_server(self):
        large = self.folder / "large"
        subprocess.run([DESCRIBED, self.folder / "anna.one", large, "1000000"], check=True)
        body = large.read_bytes()
        self.assertGreater(len(body), 8_000_000)
        server, model, tokens, _ = self.serve("--memory", "400MB", "--threads", 1)
        told = []

        def ask():
            caller = Caller(server, tokens["anna"])
            for _ in range(2):
                try:
                    told.append(caller.ask("POST", f"/v1/models/{model}/evaluations", body))
                except (OSError, http.client.HTTPException):  # the queue had no room for it, and its rest was not read
                    told.append((503, b""))

        threads = [threading.Thread(target=ask) for _ in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIsNone(server.process.poll())
        self.assertLessEqual({status for status, _ in told}, {400, 429, 503}, told[0])
        refused = [json.loads(text)["error"] for status, text in told if status == 400]
        self.assertTrue(refused)
        self.assertEqual({"description is too long" in sentence for sentence in refused}, {True}, refused[0])
        ben = Caller(server, tokens["ben"])  # an idle connection is closed while others wait for a thread
        job = ben.submit(model, self.questions["ben", "one"])[1]["job"]
        self.assertTrue(ben.result(job))
        self.assertEqual(server.stop(), 0)

    def test_a_long_job_keeps_no_client_out(self):
        server, model, _, callers = self.serve("--evaluations", 1, "--threads", 1)
        long = callers["anna"].submit(model, self.questions["anna", "many"])[1]["job"]
        while callers["anna"].json("GET", f"/v1/jobs/{long}")[1]["state"] != "running":
            pass
        short = callers["ben"].submit(model, self.questions["ben", "one"])[1]["job"]
        self.assertTrue(callers["ben"].result(short))
        told = callers["anna"].json("GET", f"/v1/jobs/{long}")[1]
        self.assertEqual(told["state"], "running")
        self.assertGreater(told["progress"]["done"], 0)
        answer = callers["anna"].result(long)
        (self.folder / "answer").write_bytes(answer)
        command(TACIT, "decrypt", self.folder / "model/client.tacit", "--key", self.folder / "anna.s", "--question", self.folder / "anna.many",
                "--input", self.folder / "answer", "-o", self.folder / "scores.npy")
        self.assertEqual(numpy.load(self.folder / "scores.npy").shape[0], ROWS)
        self.assertEqual(server.stop(), 0)

    def test_the_work_of_a_job_is_bounded(self):
        _, model, _, callers = self.serve("--runs-of-job", ROWS - 1)
        status, told = callers["anna"].json("POST", f"/v1/models/{model}/evaluations", self.questions["anna", "many"])
        self.assertEqual(status, 413)
        self.assertIn(f"the {ROWS - 1} that one job may have", told["error"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], warnings="ignore")
