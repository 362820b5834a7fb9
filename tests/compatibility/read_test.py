"""Files that an earlier version wrote are read by this one, whatever operations cost, and give the values that they gave then.

    read_test.py TACIT [TEST ...]

The files are in a folder for each version, beside this test. `make.py` in the folder wrote them. Prices are drawn at random: the test
prints their seed, and TACIT_SEED repeats it.
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

from container import sections, with_byte

HERE = pathlib.Path(__file__).resolve().parent
TACIT = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
SEED = int(os.environ.get("TACIT_SEED") or random.SystemRandom().randrange(10**9))
CHANCE = random.Random(SEED)
VERSIONS = sorted(made.parent for made in HERE.glob("*/made.json"))
PRIVATE = ("secret", "secret.shared", "token", "tokens", "*.kept")
INSECURE = ("keygen", "encrypt", "evaluate", "decrypt")
UPGRADE = "upgrade this program to the version that wrote it"
# Ranges know the programs that were considered when they were measured; other prices lead to others.
OTHER_PROGRAMS = "the ranges do not say how much noise a program has that is considered here"


def command(*arguments, folder):
    more = ["--insecure"] if arguments[0] in INSECURE else []
    return subprocess.run([TACIT, *map(str, arguments), *more], cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def prices_of_today():
    source = (HERE.parent.parent / "src/params/cost_table.h").read_text(encoding="utf-8")
    struct_of_prices = source[source.index("struct CostTable"):source.index("struct CostField")]
    return {name: float(value) for name, value in re.findall(r"double (\w+)\s*=\s*([\d.]+);", struct_of_prices)}


def rows_of(file):
    return json.loads(file.read_text())


class Version(unittest.TestCase):
    """A copy of the files of one version."""

    def setUp(self):
        self.versions = []
        for stored in VERSIONS:
            scratch = tempfile.TemporaryDirectory()
            self.addCleanup(scratch.cleanup)
            folder = pathlib.Path(scratch.name).resolve() / stored.name
            shutil.copytree(stored, folder)
            for path in folder.rglob("*"):
                path.chmod(0o700 if path.is_dir() else 0o600 if any(map(path.match, PRIVATE)) else 0o644)
            self.versions.append((folder, json.loads((folder / "made.json").read_text())))
        self.assertTrue(self.versions, "no version has files here")

    def cases(self):
        return [(folder / name, case) for folder, made in self.versions for name, case in made["cases"].items()]

    @staticmethod
    def about(folder, arguments, done):
        return f"in {folder.parent.name}/{folder.name}: tacit {' '.join(map(str, arguments))}: {done.stderr}"

    def do(self, *arguments, folder):
        done = command(*arguments, folder=folder)
        self.assertEqual(done.returncode, 0, self.about(folder, arguments, done))
        return done.stdout

    def refused(self, words, *arguments, folder, status=2):
        """One sentence, which has these words."""
        done = command(*arguments, folder=folder)
        said = [line for line in done.stderr.splitlines() if not line.startswith("tacit: warning: ")]
        self.assertEqual((done.returncode, len(said)), (status, 1), self.about(folder, arguments, done))
        for part in [words] if isinstance(words, str) else words:
            self.assertIn(part, said[0], self.about(folder, arguments, done))

    def require_near(self, case, rows, first):
        """Rows of results are the right values of the samples from `first` on."""
        for output, right in case["right"].items():
            wanted = right[first:first + len(rows)]
            self.assertEqual(len(wanted), len(rows))
            for row, values in zip(rows, wanted):
                found = row[output] if isinstance(row[output], list) else [row[output]]
                self.assertEqual(len(found), len(values))
                for a, b in zip(found, values):
                    self.assertLessEqual(abs(a - b), case["error"], output)

    def answer(self, case, folder, question, first, key="secret", keys="evaluation"):
        """Evaluates and decrypts a question with stored files."""
        self.do("evaluate", "server.tacit", "--keys", keys, "--input", question, "-o", "y", folder=folder)
        self.do("decrypt", "client.tacit", "--key", key, "--input", "y", "--question", question, "-o", "y.json", "--output-format", "json",
                folder=folder)
        rows = rows_of(folder / "y.json")
        self.require_near(case, rows, first)
        return rows

    def random_prices(self, folder):
        """A file of prices, each twice or half of today's."""
        table = {name: price * CHANCE.choice((0.5, 2)) for name, price in prices_of_today().items()}
        (folder / "random.json").write_text(json.dumps({"machine": f"seed {SEED}", **table}))
        return "random.json"


class ModelsTest(Version):
    def test_stored_results_are_decrypted(self):
        for folder, case in self.cases():
            self.do("decrypt", "client.tacit", "--key", "secret", "--input", "results", "--question", "question", "-o", "y.json",
                    "--output-format", "json", folder=folder)
            rows = rows_of(folder / "y.json")
            self.assertEqual(len(rows), case["stored"])
            self.require_near(case, rows, 0)
            for found, then in zip(rows, rows_of(folder / "answers.json")):
                for output, values in then.items():
                    for a, b in zip(*(x if isinstance(x, list) else [x] for x in (found[output], values))):
                        self.assertAlmostEqual(a, b, delta=1e-4)

    def test_stored_inputs_are_evaluated_with_stored_keys(self):
        for folder, case in self.cases():
            for question in ("question", "public_question"):
                if (folder / question).exists():
                    self.assertEqual(len(self.answer(case, folder, question, 0)), case["stored"])

    def test_stored_keys_encrypt_new_inputs(self):
        for folder, case in self.cases():
            for key in ("secret", "public"):
                if (folder / key).exists():
                    self.do("encrypt", "client.tacit", "--key", key, "--input", "../new.npy", "-o", "x", folder=folder)
                    self.answer(case, folder, "x", case["stored"])

    def test_stored_models_take_new_keys(self):
        for folder, case in self.cases():
            self.do("keygen", "client.tacit", "--secret", "s", "--evaluation", "e", folder=folder)
            self.do("encrypt", "client.tacit", "--key", "s", "--input", "../new.npy", "-o", "x", folder=folder)
            self.answer(case, folder, "x", case["stored"], "s", "e")

    def test_receipts_hold(self):
        for folder, _ in self.cases():
            own = ["--model", "server.tacit", "--keys", "evaluation", "--input", "question", "--output", "results"]
            said = self.do("verify-receipt", "results.receipt", "--client", "client.tacit", "--signer", "../signer.pem", *own, "--json",
                           folder=folder)
            self.assertEqual(json.loads(said)["not_checked"], [])
            self.refused("is not the input", "verify-receipt", "results.receipt", "--input", "results", folder=folder, status=3)

    def test_levels_and_scales_of_stored_programs_fit(self):
        for folder, case in self.cases():
            if "tfhe" not in case["options"]:
                self.do("validate", "server.tacit", "--dry", folder=folder)

    def test_the_stored_run_goes_on_from_its_checkpoint(self):
        for folder, case in self.cases():
            if not (folder / "checkpoint").exists():
                continue
            evaluate = ["evaluate", "server.tacit", "--keys", "evaluation", "-o", "y", "--checkpoint", "checkpoint", "--input"]
            this = command("--version", folder=folder).stdout.split()[1]
            if folder.parent.name == this:
                self.refused("another run, on other inputs; name another folder", *evaluate, "public_question", folder=folder, status=3)
                self.do(*evaluate, "question", folder=folder)
                self.assertEqual(list((folder / "checkpoint").iterdir()), [])
                self.do("decrypt", "client.tacit", "--key", "secret", "--input", "y", "-o", "y.json", "--output-format", "json", folder=folder)
                self.require_near(case, rows_of(folder / "y.json"), 0)
            else:
                self.refused("name another folder, or remove this one to begin anew", *evaluate, "question", folder=folder, status=3)

    def test_the_count_of_shared_results_goes_on(self):
        for folder, case in self.cases():
            count = folder / "secret.shared"
            if count.exists():
                before = count.read_bytes()
                self.do("decrypt", "client.tacit", "--key", "secret", "--input", "results", "--share", 1, "-o", "y.npy", folder=folder)
                self.assertEqual(self.shared(count.read_bytes()), self.shared(before) + case["stored"])

    @staticmethod
    def shared(bytes_of_count):
        return struct.unpack_from("<Q", bytes_of_count, 32)[0]


class CompilationTest(Version):
    """Files that `compile` and its like read: ranges, parameters, prices, shardings."""

    def run_is_right(self, folder, case, *options):
        self.do("run", "model.onnx", "--input", "../x.npy", "-o", "y.json", "--output-format", "json", *options, folder=folder)
        self.require_near(case, rows_of(folder / "y.json"), 0)

    @staticmethod
    def from_samples(case):
        """The options with the samples that the ranges were measured on."""
        return " ".join(case["options"]).replace("--ranges ranges.json", "--calibrate ../train.npy").split()

    def test_a_model_compiles_by_stored_files_at_stored_and_at_other_prices(self):
        for folder, case in self.cases():
            on_integers = "tfhe" in case["options"]
            for prices in [[]] if on_integers else [[], ["--costs", "../costs.json"], ["--costs", self.random_prices(folder)]]:
                with self.subTest(prices=prices):
                    self.run_is_right(folder, case, *self.from_samples(case), *prices)

    def test_ranges_are_taken_or_measured_again(self):
        taken = 0
        for folder, case in self.cases():
            if "--ranges" not in case["options"]:
                continue
            # Ranges from before small questions fit programs without them.
            prices_of = ([], ["--costs", "../costs.json"], ["--costs", self.random_prices(folder)])
            for prices in [[*given, *passes] for given in prices_of for passes in ([], ["--passes", "no-small-questions"])]:
                with self.subTest(prices=prices):
                    if OTHER_PROGRAMS in command("plan", "model.onnx", *case["options"], *prices, folder=folder).stderr:
                        for what in ("plan", "compile"):
                            out = ["-o", "."] if what == "compile" else []
                            self.refused([OTHER_PROGRAMS, "run 'tacit calibrate'"], what, "model.onnx", *case["options"], *prices, *out,
                                         folder=folder)
                    else:
                        taken += 1
                        self.run_is_right(folder, case, *case["options"], *prices)
        self.assertGreater(taken, 0)

    def test_stored_shardings_are_read(self):
        for folder, case in self.cases():
            if (folder / "shard.json").exists():
                for prices in ([], ["--costs", self.random_prices(folder)]):
                    self.run_is_right(folder, case, *self.from_samples(case), *prices, "--shard", "shard.json")

    def test_named_sets_are_what_they_were(self):
        for folder, made in self.versions:
            for name, literal in made["sets"].items():
                with self.subTest(name):
                    (folder / "set.json").write_text(json.dumps(literal))
                    if literal.get("scheme") == "tfhe":
                        options = ["tables/model.onnx", "--scheme", "tfhe", "--bits", literal["bits"],
                                   "--failure", f"2^{literal['log2_failure']:.0f}"]
                    else:
                        self.do("validate", f"sets/{name}.tacit", "--dry", folder=folder)
                        options = ["sets/model.onnx"]
                    for chosen in (name, "set.json"):
                        plan = self.do("plan", *options, "--calibrate", "train.npy", "--parameters", chosen, "--json", folder=folder)
                        self.assertEqual(json.loads(plan)["parameters"], literal)


class MerkleTest(Version):
    def test_proofs_and_caps_hold(self):
        for folder, made in self.versions:
            roots, folder = made["merkle"], folder / "merkle"
            for ending in ("", ".json"):
                chunks = ["--data", "chunk.1", "chunk.3"]
                self.do("merkle", "verify", f"proof{ending}", "--root", roots["old_root"], *chunks, folder=folder)
                self.do("merkle", "verify", f"proof_to_cap{ending}", "--cap", f"cap{ending}", "--root", roots["old_root"], folder=folder)
                self.do("merkle", "verify", f"growth{ending}", "--root", roots["root"], "--old-root", roots["old_root"], folder=folder)
                self.assertEqual(command("merkle", "verify", f"proof{ending}", "--root", roots["root"], folder=folder).returncode, 3)


class ServiceTest(Version):
    @contextlib.contextmanager
    def serving(self, folder):
        with open(folder / "log", "w", encoding="utf-8") as log:
            server = subprocess.Popen([TACIT, "serve", "../leveled", "--listen", "127.0.0.1:0", "--insecure-http", "--insecure", "--state",
                                       "state", "--tokens", "tokens", "--keep-hours", "1e6"], cwd=folder, stdout=subprocess.PIPE, stderr=log,
                                      text=True)
        with server:
            try:
                found = re.search(r"http://(127\.0\.0\.1:\d+)", server.stdout.readline())
                self.assertTrue(found, (folder / "log").read_text())
                yield found[1]
            finally:
                server.send_signal(signal.SIGTERM)

    def test_a_service_goes_on_with_its_keys_and_jobs(self):
        for whole, made in self.versions:
            folder, job = whole / "service", made["service"]["job"]
            with self.serving(folder) as address:
                connection = http.client.HTTPConnection(address, timeout=60)
                headers = {"Authorization": "Bearer " + (folder / "token").read_text().strip()}

                def ask(path, connection=connection, headers=headers):
                    connection.request("GET", path, headers=headers)
                    reply = connection.getresponse()
                    body = reply.read()
                    self.assertEqual(reply.status, 200, body)
                    return body

                self.assertEqual(json.loads(ask(f"/v1/jobs/{job}"))["state"], "done")
                (whole / "leveled/y").write_bytes(ask(f"/v1/jobs/{job}/result"))
                self.assertEqual(json.loads(ask(f"/v1/models/{made['service']['model']}/keys"))["state"], "ready")
                connection.close()
                self.do("evaluate", "--server", f"http://{address}", "--token", "token", "--input", "../leveled/question", "-o",
                        "../leveled/z", folder=folder)
            for results in ("y", "z"):
                self.do("decrypt", "client.tacit", "--key", "secret", "--input", results, "--question", "question", "-o", "y.json",
                        "--output-format", "json", folder=whole / "leveled")
                self.require_near(made["cases"]["leveled"], rows_of(whole / "leveled/y.json"), 0)


class RefusalTest(Version):
    """Files of a later version, and of earlier formats, are refused with what to do."""

    def changed(self, file, at, change):
        """Changes the number at a byte of a file. Returns the bytes of before."""
        before = file.read_bytes()
        number = struct.unpack_from("<I", before, at)[0]
        file.write_bytes(before[:at] + struct.pack("<I", number + change) + before[at + 4:])
        return before

    def test_containers(self):
        decrypt = ["decrypt", "client.tacit", "--key", "secret", "--input", "results", "-o", "y.npy"]
        encrypt = ["encrypt", "client.tacit", "--input", "../new.npy", "-o", "x", "--key"]
        evaluate = ["evaluate", "server.tacit", "--keys", "evaluation", "--input", "question", "-o", "y"]
        readers = {
            "server.tacit": ("compile the model again", evaluate), "client.tacit": ("compile the model again", [*encrypt, "secret"]),
            "secret": ("make the keys again", decrypt), "public": ("make the keys again", [*encrypt, "public"]),
            "evaluation": ("make the keys again", evaluate), "question": ("encrypt the inputs again", evaluate),
            "results": ("encrypt the inputs again", decrypt),
            "checkpoint/run-0.checkpoint": ("remove it", [*evaluate, "--checkpoint", "checkpoint"])}
        for folder, _ in self.cases():
            for name, (way_out, reader) in readers.items():
                if (folder / name).exists():
                    for change, words in ((1, UPGRADE), (-1, way_out)):
                        before = self.changed(folder / name, 8, change)
                        with self.subTest(name, change=change):
                            self.refused([name, "this program reads version", words], *reader, folder=folder)
                        (folder / name).write_bytes(before)

    def test_objects_in_containers(self):
        decrypt = ["decrypt", "client.tacit", "--key", "secret", "--input", "results", "-o", "y.npy"]
        encrypt = ["encrypt", "client.tacit", "--input", "../new.npy", "-o", "x", "--key"]
        evaluate = ["evaluate", "server.tacit", "--keys", "evaluation", "--input", "question", "-o", "y"]
        for folder, case in self.cases():
            on_integers = "tfhe" in case["options"]
            format_at, sample_at = 3, 11 if on_integers else 19  # the last byte of the format's name
            again = "make it again, or use the version of Tacit that wrote it"
            readers = [
                ("server.tacit", "program", 0, "compile the model again", evaluate),
                ("client.tacit", "interface", 0, "compile the model again", [*encrypt, "secret"]),
                ("secret", "key", format_at, again, decrypt), ("public", "key", format_at, again, [*encrypt, "public"]),
                ("evaluation", "key" if on_integers else "relinearise", format_at, again, evaluate),
                ("question", "sample 0", sample_at, again, evaluate), ("results", "sample 0", sample_at, again, decrypt),
                ("checkpoint/run-0.checkpoint", "value 0", sample_at, again, [*evaluate, "--checkpoint", "checkpoint"])]
            for name, section, at, way_out, reader in readers:
                if (folder / name).exists():
                    before = (folder / name).read_bytes()
                    for change in (16, -16):
                        (folder / name).write_bytes(with_byte(before, sections(before)[section][at], change))
                        with self.subTest(name, change=change):
                            self.refused([name, way_out], *reader, folder=folder)
                    (folder / name).write_bytes(before)

    def test_kept_inputs(self):
        for folder, _ in self.cases():
            if (folder / "question.kept").exists():
                for change in (1, -1):
                    before = self.changed(folder / "question.kept", 0, change)
                    self.refused(["question.kept", "encrypt the inputs again"], "decrypt", "client.tacit", "--key", "secret", "--input",
                                 "results", "--question", "question", "-o", "y.npy", folder=folder)
                    (folder / "question.kept").write_bytes(before)

    def test_ranges_receipts_and_counts(self):
        for folder, case in self.cases():
            def replaced(name, old, new, folder=folder):
                text = (folder / name).read_bytes()
                self.assertEqual(text.count(old), 1)
                (folder / name).write_bytes(text.replace(old, new))

            old = b'"format_version": 2'
            for new in (b'"format_version": 3', b'"format_version": 1'):
                replaced("results.receipt", old, new)
                self.refused("check it with the version that wrote it", "verify-receipt", "results.receipt", folder=folder)
                old = new
            if "--ranges" in case["options"]:
                replaced("ranges.json", b"tacit ranges 1", b"tacit ranges 2")
                self.refused("calibrate again", "plan", "model.onnx", *case["options"], folder=folder)
            if (folder / "secret.shared").exists():
                replaced("secret.shared", b"tacit shared 1", b"tacit shared 2")
                self.refused("can be shared after the file is removed", "decrypt", "client.tacit", "--key", "secret", "--input", "results",
                             "--share", 1, "-o", "y.npy", folder=folder)

    def test_proofs_and_caps(self):
        for folder, made in self.versions:
            root, folder = made["merkle"]["old_root"], folder / "merkle"
            for name, arguments in (("proof", ["proof"]), ("growth", ["growth", "--old-root", root]), ("cap", ["proof_to_cap", "--cap", "cap"])):
                for change in (1, -1):
                    before = self.changed(folder / name, 8, change)
                    with self.subTest(name, change=change):
                        self.refused([name, "check it with the version that wrote it"], "merkle", "verify", *arguments, "--root", root,
                                     folder=folder)
                    (folder / name).write_bytes(before)
            later = {**rows_of(folder / "proof.json"), "version": 2}
            (folder / "proof.json").write_text(json.dumps(later))
            self.refused("check it with the version that wrote it", "merkle", "verify", "proof.json", "--root", root, folder=folder)

    def test_fields_of_a_later_version(self):
        for folder, case in self.cases():
            for name, option in (("../costs.json", "--costs"), ("parameters.json", "--parameters")):
                if option == "--costs" and "tfhe" in case["options"]:
                    continue
                before = (folder / name).read_text()
                (folder / name).write_text(json.dumps({**json.loads(before), "of a later version": 1}))
                with self.subTest(option):
                    self.refused("unknown field 'of a later version'; the fields are", "plan", "model.onnx",
                                 *CompilationTest.from_samples(case), *([option, name] if option == "--costs" else []), folder=folder)
                (folder / name).write_text(before)


if __name__ == "__main__":
    print(f"TACIT_SEED={SEED}", flush=True)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
