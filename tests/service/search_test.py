"""Stores behind `tacit serve`: answers to questions are those of the store, beside a model, through appends, kills and limits.

    search_test.py COMMAND
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

from service_process import Server, command, write_linear_model

TACIT = sys.argv[1]
VECTORS, DIMENSIONS = 5000, 32
LIMIT = 12  # questions of a client in a day


def refused(*arguments):
    """The sentence of a refusal."""
    done = subprocess.run([TACIT, *map(str, arguments)], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0, done.stdout
    return done.stderr


class SearchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = folder = pathlib.Path(cls.scratch.name)
        random = numpy.random.default_rng(3)
        cls.vectors = random.standard_normal((VECTORS, DIMENSIONS)).astype(numpy.float32)
        cls.vectors /= numpy.linalg.norm(cls.vectors, axis=1, keepdims=True)
        numpy.save(folder / "vectors.npy", cls.vectors)
        numpy.save(folder / "payload.npy", random.integers(0, 256, (VECTORS, 24)).astype(numpy.uint8))
        write_linear_model(folder / "linear.onnx")
        command(TACIT, "compile", folder / "linear.onnx", "--input-range", "-1,1", "-o", folder / "linear")
        command(TACIT, "search", "build", folder / "vectors.npy", "--payload", folder / "payload.npy", "-o", folder / "store")
        cls.client_file = folder / "store/client.tacit"
        cls.server = Server(TACIT, [folder / "linear", folder / "store"], folder, "--questions-of-client", LIMIT)
        cls.tokens = {}
        for name in ("anna", "ben", "carl"):
            cls.tokens[name] = folder / f"{name}.token"
            cls.tokens[name].write_text(cls.server.add_client(name) + "\n")
            cls.tokens[name].chmod(0o600)
            command(TACIT, "search", "keygen", cls.client_file, "--secret", folder / f"{name}.secret", "--evaluation", folder / f"{name}.evaluation")
        cls.server.start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.scratch.cleanup()

    def at(self, name):
        return ["--server", f"http://127.0.0.1:{self.server.port}", "--token", self.tokens[name], "--keys",
                self.folder / f"{name}.evaluation"]

    def question(self, name, *what):
        question = self.folder / f"{name}.question"
        command(TACIT, "search", "query", self.client_file, "--key", self.folder / f"{name}.secret", *what, "-o", question)
        return question

    def decrypt(self, name, question, answer):
        return json.loads(command(TACIT, "search", "decrypt", self.client_file, "--key", self.folder / f"{name}.secret", "--question",
                                  question, "--input", answer, "--json"))

    def test_questions_are_answered_from_the_newest_version(self):
        queries = self.folder / "queries.npy"
        numpy.save(queries, self.vectors[[17, 4321]])
        question, answer = self.question("anna", "--input", queries, "--top", 3), self.folder / "answer"
        told = json.loads(command(TACIT, "search", "evaluate", "--input", question, "-o", answer, *self.at("anna"), "--json"))
        self.assertEqual(told["questions"], 2)
        found = self.decrypt("anna", question, answer)
        self.assertEqual(found["store_root"], told["store_root"])
        self.assertEqual([best["ids"][0] for best in found["answers"]], [17, 4321])
        scores = self.vectors[[17, 4321]] @ self.vectors.T
        for best, exact in zip(found["answers"], scores):
            self.assertEqual(best["ids"], list(numpy.argsort(-exact)[:3]))
            numpy.testing.assert_allclose(best["scores"], numpy.sort(exact)[::-1][:3], atol=0.02)
        command(TACIT, "verify-receipt", f"{answer}.receipt", "--model", self.folder / "store/store.tacit", "--keys",
                self.folder / "anna.evaluation", "--input", question, "--output", answer)
        # A new record is found without a restart and with the same keys.
        near = self.vectors[:1] + 0.001
        numpy.save(self.folder / "more.npy", near)
        numpy.save(self.folder / "more_payload.npy", numpy.full((1, 24), 7, numpy.uint8))
        command(TACIT, "search", "append", self.folder / "store", self.folder / "more.npy", "--normalise", "--payload",
                self.folder / "more_payload.npy")
        numpy.save(queries, near)
        question = self.question("anna", "--input", queries, "--top", 2)
        command(TACIT, "search", "evaluate", "--input", question, "-o", answer, *self.at("anna"))
        found = self.decrypt("anna", question, answer)
        self.assertEqual(found["version"], 2)
        self.assertEqual(sorted(found["answers"][0]["ids"]), [0, VECTORS])
        # Its payload is fetched by a second question.
        question = self.question("anna", "--records", VECTORS)
        command(TACIT, "search", "evaluate", "--input", question, "-o", answer, *self.at("anna"))
        out = self.folder / "record.npy"
        command(TACIT, "search", "decrypt", self.client_file, "--key", self.folder / "anna.secret", "--question", question, "--input",
                answer, "-o", out)
        numpy.testing.assert_array_equal(numpy.load(out), numpy.full((1, 24), 7))

    def test_a_client_has_its_questions_of_the_day(self):
        numpy.save(self.folder / "eight.npy", self.vectors[:8])
        question = self.question("ben", "--input", self.folder / "eight.npy")
        answer = self.folder / "ben.answer"
        command(TACIT, "search", "evaluate", "--input", question, "-o", answer, *self.at("ben"))
        self.server.kill()
        self.server.start(self.server.port)
        said = refused("search", "evaluate", "--input", question, "-o", answer, *self.at("ben"))
        self.assertIn(f"may ask this store {LIMIT} questions a day, 8 are used, and this file asks 8", said)
        question = self.question("carl", "--input", self.folder / "eight.npy")
        command(TACIT, "search", "evaluate", "--input", question, "-o", answer, *self.at("carl"))

    def test_other_files_are_refused(self):
        folder = self.folder
        command(TACIT, "search", "build", folder / "vectors.npy", "-o", folder / "other")
        other = folder / "other/client.tacit"
        command(TACIT, "search", "keygen", other, "--secret", folder / "other.secret", "--evaluation", folder / "other.evaluation")
        numpy.save(folder / "one.npy", self.vectors[:1])
        command(TACIT, "search", "query", other, "--key", folder / "other.secret", "--input", folder / "one.npy", "-o", folder / "other.question")
        at = ["--server", f"http://127.0.0.1:{self.server.port}", "--token", self.tokens["carl"]]
        self.assertIn("offers no such model", refused("search", "evaluate", "--input", folder / "other.question", "-o", folder / "y", *at))
        # Inputs of a model are no questions.
        client = folder / "linear/client.tacit"
        command(TACIT, "keygen", client, "--secret", folder / "l.secret", "--evaluation", folder / "l.evaluation")
        command(TACIT, "encrypt", client, "--key", folder / "l.secret", "--input", folder / "linear.npy", "--count", 1, "-o", folder / "x")
        self.assertIn("question", refused("search", "evaluate", "--input", folder / "x", "-o", folder / "y", *at))
        self.assertIn("secret", refused("search", "evaluate", "--input", folder / "other.secret", "-o", folder / "y", *at))
        command(TACIT, "evaluate", "--input", folder / "x", "-o", folder / "y", *at, "--keys", folder / "l.evaluation")
        self.assertIn("neither a store", refused("search", "evaluate", folder / "store", "--input", folder / "x", "-o", folder / "y", *at))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], warnings="ignore")
