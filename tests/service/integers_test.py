"""Networks on integers over `tacit serve`: by the command and by the Python package, results as the simulation has them.

    integers_test.py COMMAND EXAMPLES
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

import tacit
from service_process import Caller, Server, command

TACIT, TREES = sys.argv[1], pathlib.Path(sys.argv[2]) / "trees"
COMPILATION = ["--scheme", "tfhe", "--bits", 4, "--calibrate", TREES / "train.npy"]


class IntegersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = folder = pathlib.Path(cls.scratch.name)
        command(TACIT, "compile", TREES / "boosted.onnx", *COMPILATION, "-o", folder / "boosted")
        cls.server = Server(TACIT, [folder / "boosted"], folder)
        cls.tokens = {name: cls.server.add_client(name) for name in ("anna", "ben")}
        cls.server.start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.scratch.cleanup()

    def test_the_command_gets_what_the_simulation_says(self):
        folder, client = self.folder, self.folder / "boosted/client.tacit"
        token = folder / "token"
        token.write_text(self.tokens["anna"] + "\n")
        token.chmod(0o600)
        at = ["--server", f"http://127.0.0.1:{self.server.port}", "--token", token]
        command(TACIT, "keygen", client, "--secret", folder / "s", "--evaluation", folder / "e", *at)
        command(TACIT, "encrypt", client, "--key", folder / "s", "--input", TREES / "test.npy", "--count", 3, "-o", folder / "x")
        command(TACIT, "evaluate", "--input", folder / "x", "-o", folder / "y", *at)
        command(TACIT, "decrypt", client, "--key", folder / "s", "--question", folder / "x", "--input", folder / "y", "-o", folder / "y.csv",
                "--output-format", "csv")
        command(TACIT, "run", TREES / "boosted.onnx", *COMPILATION, "--input", TREES / "test.npy", "--count", 3, "--simulate", "-o",
                folder / "simulated.csv", "--output-format", "csv")
        answers = (folder / "y.csv").read_text()
        self.assertEqual(answers.count("\n"), 4)
        self.assertEqual(answers, (folder / "simulated.csv").read_text())
        # A provider of inputs has the public key, and the token of the owner of the keys.
        command(TACIT, "keygen", client, "--secret", folder / "s2", "--evaluation", folder / "e2", "--public", folder / "p2", *at)
        command(TACIT, "encrypt", client, "--public-key", folder / "p2", "--input", TREES / "test.npy", "--count", 3, "-o", folder / "x2")
        command(TACIT, "evaluate", "--input", folder / "x2", "-o", folder / "y2", *at)
        command(TACIT, "decrypt", client, "--key", folder / "s2", "--question", folder / "x2", "--input", folder / "y2", "-o",
                folder / "y2.csv", "--output-format", "csv")
        self.assertEqual((folder / "y2.csv").read_text(), answers)
        command(TACIT, "verify-receipt", folder / "y.receipt", "--client", client, "--keys", folder / "e", "--input", folder / "x",
                "--output", folder / "y")

    def test_the_package_gets_what_the_simulation_says(self):
        rows = numpy.load(TREES / "test.npy")[3:6]
        client = tacit.Client(f"http://127.0.0.1:{self.server.port}", token=self.tokens["ben"])
        offered = client.models()
        self.assertEqual([model["scheme"] for model in offered], ["tfhe"])
        labels, probabilities = client.run(rows)
        model = tacit.compile(TREES / "boosted.onnx", scheme="tfhe", bits=4, calibration=numpy.load(TREES / "train.npy"))
        self.assertEqual(model.client.id, offered[0]["id"])
        expected_labels, expected = model.simulate(rows)
        numpy.testing.assert_array_equal(labels, expected_labels)
        numpy.testing.assert_array_equal(probabilities, expected)
        self.assertEqual(probabilities.shape, (3, 2))
        self.assertEqual(client.keys(model.client.id)["state"], "ready")
        self.assertEqual(Caller(self.server, self.tokens["ben"]).json("GET", "/v1/jobs"), (200, {"jobs": []}))

    def test_a_stop_lets_a_job_end_and_a_second_one_stops_it(self):
        folder, client = self.folder / "stopped", self.folder / "boosted/client.tacit"
        folder.mkdir()
        server = Server(TACIT, [self.folder / "boosted"], folder, "--evaluations", "1")
        carl = Caller(server, server.add_client("carl"))
        server.start()
        command(TACIT, "keygen", client, "--secret", folder / "s", "--evaluation", folder / "e")
        for name, count in (("short", 2), ("long", 200)):
            command(TACIT, "encrypt", client, "--key", folder / "s", "--input", TREES / "test.npy", "--count", count, "-o", folder / name)
        model = carl.json("GET", "/v1/models")[1]["models"][0]["id"]
        self.assertEqual(carl.upload(model, (folder / "e").read_bytes())[0], 200)

        def running(question):
            """A job that is being computed."""
            job = carl.submit(model, (folder / question).read_bytes())[1]["job"]
            while (state := carl.json("GET", f"/v1/jobs/{job}")[1])["state"] == "queued":
                time.sleep(0.002)
            self.assertEqual(state["state"], "running")
            return job, state

        def recorded(job):
            return f'"done":"{job}"' in (folder / "state/journal").read_text()

        try:
            job, state = running("short")
            self.assertLessEqual(set(state["progress"]), {"stage", "done", "total"})
            self.assertIn("not done yet", carl.json("GET", f"/v1/jobs/{job}/result")[1]["error"])
            self.assertEqual(carl.json("DELETE", f"/v1/models/{model}/keys")[0], 409)
            self.assertEqual(server.stop(), 0)
            self.assertTrue(recorded(job))
            server.start(server.port)
            carl.connection = None
            self.assertEqual(carl.json("GET", f"/v1/jobs/{job}")[1]["state"], "done")
            job, _ = running("long")  # for more than a minute
            begun = time.monotonic()
            self.assertEqual(carl.json("GET", f"/v1/jobs/{job}?wait=1")[1]["state"], "running")
            self.assertLess(time.monotonic() - begun, 20)
            for _ in range(200):
                server.process.send_signal(signal.SIGTERM)
                try:
                    server.process.wait(timeout=0.3)
                    break
                except subprocess.TimeoutExpired:
                    pass
            self.assertEqual(server.process.poll(), 0)
            server.process.stdout.close()
            self.assertFalse(recorded(job))
            server.start(server.port)
            carl.connection = None
            self.assertIn(carl.json("GET", f"/v1/jobs/{job}")[1]["state"], ("queued", "running"))
            self.assertEqual(carl.json("DELETE", f"/v1/jobs/{job}")[0], 200)  # stops it, too
            self.assertEqual(server.stop(), 0)
        finally:
            if server.process.poll() is None:
                server.kill()

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], warnings="ignore")
