"""The installed package tacit-client against the command: a round by files, a round by a service, and refusals.

    round_test.py COMMAND EXAMPLES

Runs with the interpreter in which the wheel is installed.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import tacit_client as tc

TACIT, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "service"))
from service_process import Server, command  # noqa: E402

IMAGES = (np.arange(3 * 64).reshape(3, 64) * 7) % 17.0


def sentence_of(*words):
    """The sentence with which the command refuses."""
    done = subprocess.run([TACIT, *map(str, words)], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0, words
    return re.sub(r"\s+", " ", done.stderr).strip().removeprefix("tacit: ")


class Round(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        command(TACIT, "compile", EXAMPLES / "digits" / "model.onnx", "--input-range=0,16", "-o", cls.folder / "digits")
        cls.model = tc.ClientModel.load(cls.folder / "digits" / "client.tacit")
        stages = []
        cls.keys = tc.keygen(cls.model, cls.folder / "evaluation", public_key=cls.folder / "public",
                             progress=lambda *report: stages.append(report))
        assert stages and all(done <= total for _, done, total in stages), stages
        cls.keys.save_secret_key(cls.folder / "secret")
        cls.question = cls.keys.encrypt(IMAGES)
        cls.question.save(cls.folder / "question")
        cls.results = cls.evaluated("question", "results")
        cls.receipt = (cls.folder / "results.receipt").read_bytes()

    @classmethod
    def evaluated(cls, question, results, *options):
        command(TACIT, "evaluate", cls.folder / "digits" / "server.tacit", "--keys", cls.folder / "evaluation", "--input",
                cls.folder / question, "-o", cls.folder / results, *options)
        return (cls.folder / results).read_bytes()

    def refused(self, kind, pattern, function, *arguments, **keywords):
        with self.assertRaises(kind) as caught:
            function(*arguments, **keywords)
        self.assertRegex(str(caught.exception), pattern)

    def decrypted_by_command(self):
        command(TACIT, "decrypt", self.folder / "digits" / "client.tacit", "--key", self.folder / "secret", "--input",
                self.folder / "results", "-o", self.folder / "scores.npy")
        return np.load(self.folder / "scores.npy")

    def test_the_facts_are_those_of_the_model(self):
        self.assertEqual((self.model.name, self.model.scheme), ("model.onnx", "CKKS"))
        self.assertGreaterEqual(self.model.facts["security_bits"], 128)
        self.assertEqual(self.model.input_shapes, [(1, 64)])
        self.assertEqual(self.model.output_shapes, [(1, 10)])
        self.assertEqual(tc.__version__, "0.2.0")

    def test_scores_are_those_that_the_command_decrypts(self):
        scores = self.keys.decrypt(self.results, question=self.question, receipt=self.receipt)
        self.assertEqual(scores.shape, (3, 10))
        np.testing.assert_allclose(scores, self.decrypted_by_command(), atol=1e-2)

    def test_saved_files_are_those_of_the_command(self):
        self.assertEqual((self.folder / "secret").stat().st_mode & 0o777, 0o600)
        self.assertFalse((self.folder / "evaluation.partial").exists())
        command(TACIT, "encrypt", self.folder / "digits" / "client.tacit", "--key", self.folder / "secret", "--input",
                self.saved_images(), "-o", self.folder / "of_command")
        results = self.evaluated("of_command", "results_of_command")
        with tc.Keys.load(self.model, self.folder / "secret") as keys:
            scores = keys.decrypt(results, question=tc.Question.load(self.folder / "of_command"))
        np.testing.assert_allclose(scores, self.decrypted_by_command(), atol=1e-2)
        self.refused(tc.InputError, "are closed", keys.encrypt, IMAGES)

    def saved_images(self):
        np.save(self.folder / "images.npy", IMAGES)
        return self.folder / "images.npy"

    def test_keys_in_memory_are_those_of_a_file(self):
        pieces = bytearray()
        keys = tc.keygen(self.model)
        self.assertEqual(len(keys.evaluation), (self.folder / "evaluation").stat().st_size)
        self.assertEqual(keys.evaluation[96:128], keys.root)

        class Sink:
            write = pieces.extend

        other = tc.keygen(self.model, Sink())
        self.assertIsNone(other.evaluation)
        self.assertEqual(pieces[96:128], other.root)
        self.assertEqual(len(pieces), len(keys.evaluation))
        self.assertNotEqual(keys.root, other.root)

    def test_a_public_key_encrypts_and_does_not_decrypt(self):
        public = tc.PublicKey.load(self.model, self.folder / "public")
        public.encrypt(IMAGES).save(self.folder / "by_public")
        scores = self.keys.decrypt(self.evaluated("by_public", "of_public"))
        np.testing.assert_allclose(scores, self.decrypted_by_command(), atol=1e-2)
        self.refused(tc.InputError, "where a secret key", tc.Keys.load(self.model, (self.folder / "public").read_bytes()).decrypt,
                     self.results)

    def test_damaged_models_are_refused_with_the_sentence_of_the_command(self):
        half = (self.folder / "digits" / "client.tacit").read_bytes()
        middle = len(half) // 2
        broken = {
            "empty": b"",
            "short": half[:100],
            "truncated": half[:-1],
            "damaged": half[:middle] + bytes([half[middle] ^ 1]) + half[middle + 1:],
            "random": hashlib.sha512(b"x").digest() * 4,
            "server": (self.folder / "digits" / "server.tacit").read_bytes(),
        }
        for name, data in broken.items():
            path = self.folder / f"broken_{name}"
            path.write_bytes(data)
            expected = sentence_of("keygen", path, "--secret", self.folder / "s", "--evaluation", self.folder / "e")
            with self.subTest(name), self.assertRaises(tc.InputError) as caught:
                tc.ClientModel.load(data)
            self.assertEqual(re.sub(r"\s+", " ", str(caught.exception)).replace("the client's half: ", f"{path}: "), expected)

    def test_wrong_arguments_are_refused(self):
        encrypt = self.keys.encrypt
        beyond, absent = IMAGES.copy(), IMAGES.copy()
        beyond[1, 5], absent[2, 3] = 1e6, np.nan
        self.refused(tc.InputError, r"element 5 is .* outside \[0, 16\]", encrypt, beyond)
        self.refused(tc.InputError, "element 3 is nan; only finite numbers", encrypt, absent)
        self.refused(tc.InputError, "write array.reshape", encrypt, IMAGES.reshape(3, 8, 8))
        self.refused(tc.InputError, "for one input write", encrypt, IMAGES[0])
        self.refused(tc.InputError, "has no rows", encrypt, IMAGES[:0])
        self.refused(tc.InputError, "give a tuple of as many", encrypt, (IMAGES, IMAGES))
        self.refused(tc.InputError, "cannot be read: No such file", tc.ClientModel.load, self.folder / "nothing")
        self.refused(tc.InputError, "exists and is not replaced", self.keys.save_secret_key, self.folder / "secret")
        self.refused(tc.InputError, "holds a client model where a secret key",
                     tc.Keys.load(self.model, (self.folder / "digits" / "client.tacit").read_bytes()).encrypt, IMAGES)
        shown = self.folder / "shown"
        shown.write_bytes(self.keys.secret_key_bytes())
        shown.chmod(0o644)
        expected = sentence_of("encrypt", self.folder / "digits" / "client.tacit", "--key", shown, "--input", self.saved_images(),
                               "-o", self.folder / "none")
        self.refused(tc.InputError, "^" + re.escape(expected) + "$", tc.Keys.load, self.model, shown)

    def test_results_of_others_are_refused(self):
        other = self.keys.encrypt(IMAGES)
        decrypt = self.keys.decrypt
        self.refused(tc.KeyMismatch, "the answer", decrypt, self.results, question=other)
        self.refused(tc.KeyMismatch, "key set", tc.keygen(self.model).decrypt, self.results)
        self.refused(tc.InputError, "no server has evaluated", decrypt, self.question.bytes)
        self.refused(tc.KeyMismatch, "the receipt is not of the question", decrypt, self.results, question=other, receipt=self.receipt)
        self.refused(tc.KeyMismatch, "is not signed, and ab was expected", decrypt, self.results, receipt=self.receipt, signer="ab")
        self.refused(tc.InputError, "without a receipt", decrypt, self.results, signer="ab")
        altered = self.receipt.replace(b"0.2.0", b"9.2.0")
        self.refused(tc.InputError, "it was altered or damaged", decrypt, self.results, receipt=altered)
        damaged = bytearray(self.results)
        damaged[len(damaged) // 2] ^= 1
        self.refused(tc.InputError, "the answer", decrypt, bytes(damaged))

    def test_a_signed_receipt_names_its_signer(self):
        pem, decrypt = self.folder / "signing.pem", self.keys.decrypt
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", pem], check=True, capture_output=True)
        pem.chmod(0o600)
        public = subprocess.run(["openssl", "pkey", "-in", pem, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout
        signer = public[-32:].hex()
        results = self.evaluated("question", "signed", "--sign", pem)
        receipt = (self.folder / "signed.receipt").read_bytes()
        self.assertEqual(self.model.check_receipt(receipt, question=self.question.bytes, results=results, keys_root=self.keys.root), signer)
        decrypt(results, question=self.question, receipt=receipt, signer=signer.upper())
        self.refused(tc.KeyMismatch, f"is signed by {signer}, and abcd was expected", decrypt, results, receipt=receipt, signer="abcd")
        at = receipt.index(b'"signature": "') + len(b'"signature": "')
        altered = receipt[:at] + (b"0" if receipt[at:at + 1] != b"0" else b"1") + receipt[at + 1:]
        self.refused(tc.InputError, "signature", decrypt, results, receipt=altered)

    def test_what_a_function_of_the_caller_raises_comes_back(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        def full(_):
            raise OSError(28, "No space left on device")

        target = self.folder / "interrupted"
        with self.assertRaises(KeyboardInterrupt):
            tc.keygen(self.model, target, progress=interrupt)
        self.assertEqual([path for path in self.folder.iterdir() if path.name.startswith("interrupted")], [])

        class Sink:
            write = staticmethod(full)

        self.refused(OSError, "No space left", tc.keygen, self.model, Sink())
        self.refused(tc.InputError, "the evaluation keys cannot be written", tc.keygen, self.model, self.folder / "no" / "folder")

    def test_trees_on_integers_answer_labels(self):
        rows = np.load(EXAMPLES / "trees" / "test.npy")[:1]
        command(TACIT, "compile", EXAMPLES / "trees" / "boosted.onnx", "--scheme", "tfhe", "--bits", "4", "--calibrate",
                EXAMPLES / "trees" / "train.npy", "-o", self.folder / "trees")
        model = tc.ClientModel.load(self.folder / "trees" / "client.tacit")
        keys = tc.keygen(model, self.folder / "keys_of_trees")
        question = keys.encrypt(rows)
        question.save(self.folder / "rows")
        command(TACIT, "evaluate", self.folder / "trees" / "server.tacit", "--keys", self.folder / "keys_of_trees", "--input",
                self.folder / "rows", "-o", self.folder / "labels")
        label, probabilities = keys.decrypt(self.folder / "labels", question=question)
        self.assertEqual(label.shape, (1,))
        self.assertAlmostEqual(float(probabilities.sum()), 1, places=6)
        self.assertEqual(int(label[0]), int(probabilities.argmax()))

    def test_a_service_answers(self):
        server = Server(TACIT, [self.folder / "digits"], self.folder)
        token = server.add_client("anna")
        server.start()
        try:
            client = tc.Client(f"http://127.0.0.1:{server.port}", token=token)
            model = client.model()
            self.assertEqual(model.id, self.model.id)
            self.assertEqual(client.keys(model.id)["state"], "none")
            self.assertEqual(client.upload_keys(self.keys)["state"], "ready")
            self.assertEqual(client.upload_keys(self.folder / "evaluation", model=model.id)["root"], self.keys.root.hex())
            answer = client.evaluate(model, self.question)
            scores = self.keys.decrypt(answer.bytes, question=self.question, receipt=answer.receipt)
            np.testing.assert_allclose(scores, self.decrypted_by_command(), atol=1e-2)
            self.refused(tc.InputError, "at most 10 are accepted", client.evaluate, model, self.question, most_bytes=10)
            np.testing.assert_allclose(client.run(IMAGES), scores, atol=2e-2)
            self.refused(tc.InputError, "give the id of its model", client.upload_keys, self.folder / "evaluation")
            loaded = tc.Keys.load(self.model, self.folder / "secret")
            self.refused(tc.InputError, "have only their secret key", client.upload_keys, loaded)
            self.refused(tc.InputError, "send a token that this server knows", tc.Client(f"http://127.0.0.1:{server.port}", token="x" * 43).models)
            self.refused(tc.InputError, "without TLS", tc.Client, "http://example.org", token=token)
        finally:
            server.stop()

    def test_objects_with_keys_are_not_copied(self):
        import pickle

        self.refused(TypeError, "neither copied nor pickled", pickle.dumps, self.keys)


if __name__ == "__main__":
    print(json.dumps({"python": sys.version.split()[0], "numpy": np.__version__, "package": os.path.dirname(tc.__file__)}))
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], warnings="ignore")
