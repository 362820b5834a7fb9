#!/usr/bin/env python3
"""Checks tools/suite.py. With --build, installs that build and runs the twin of the harness with one image.

    suite_test.py
    suite_test.py --build FOLDER --cmake CMAKE --work FOLDER
"""
import argparse
import contextlib
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "tools"))
import suite  # noqa: E402


def array(kind, shape, content):
    return suite.Array(kind, shape, content)


def plant_data(folder, count=210):
    """A data folder with images of MNIST's shape, in which every pixel is the number of the image."""
    for below in ("models/mnist", "mnist", "golden"):
        (folder / below).mkdir(parents=True)
    (folder / "models/mnist/mlp_mnist_heir.onnx").write_bytes(b"model")
    pixels = b"".join(bytes([image]) * 784 for image in range(count))
    (folder / "mnist/images_public.npy").write_bytes(suite.npy_of(array("|u1", (count, 1, 28, 28), pixels)))
    (folder / "mnist/labels_public.npy").write_bytes(
        suite.npy_of(array("|u1", (count,), bytes(image % 10 for image in range(count)))))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = self.folder / "data"

    def said(self, *arguments):
        """The status and the message of the tool."""
        message = io.StringIO()
        with contextlib.redirect_stderr(message), contextlib.redirect_stdout(io.StringIO()):
            status = suite.main([str(argument) for argument in arguments])
        return status, message.getvalue()

    def test_npy_files_come_back(self):
        path = self.folder / "a.npy"
        path.write_bytes(suite.npy_of(array("<f4", (2, 3), struct.pack("<6f", 1, 2, 3, 4, 5, 6))))
        self.assertEqual(path.stat().st_size % 64, 24)
        self.assertEqual([list(row) for row in suite.read_npy(path).numbers()], [[1, 2, 3], [4, 5, 6]])
        self.assertEqual([list(row) for row in suite.read_npy(path).rows(1).numbers()], [[4, 5, 6]])
        path.write_bytes(b"no array")
        with self.assertRaisesRegex(suite.Wrong, "no .npy file"):
            suite.read_npy(path)

    def test_make_writes_what_build_and_programs_read(self):
        plant_data(self.data)
        status, _ = self.said("make", "mnist-mlp", self.folder / "harness", "--data", self.data, "--prefix", "/opt/tacit",
                              "--compile=--max-degree 9")
        self.assertEqual(status, 0)
        submission = self.folder / "harness/submission"
        self.assertEqual((submission / "workload.txt").read_text(),
                         "values 784\nchannel 0.1307 0.3081\nwidth single 1\nwidth small 128\nwidth medium 128\nwidth large 128\n")
        build = (submission / "workload.cmake").read_text()
        self.assertIn("set(WORKLOAD_WIDTHS 1 128)\n", build)
        for width in (1, 128):
            self.assertIn(f"set(WORKLOAD_OPTIONS_{width} --scale 255 --mean 0.1307 --std 0.3081 --input-range -0.4243,2.8216 --max-degree 9)",
                          build)
        self.assertIn('set(TACIT_PREFIX "/opt/tacit")', build)
        self.assertEqual(suite.read_npy(submission / "model/calibration.npy").shape, (10, 1, 28, 28))
        for stage in suite.STAGES:
            self.assertTrue((submission / "src" / f"{stage.name}.cpp").is_file())
            self.assertIn(stage.name, (submission / "CMakeLists.txt").read_text())
        self.assertTrue((submission / "README.md").is_file())
        self.assertTrue(os.access(self.folder / "harness/scripts/build_task.sh", os.X_OK))
        self.assertTrue(os.access(self.folder / "harness/scripts/get_openfhe.sh", os.X_OK))

    def test_make_takes_the_ranges_of_a_workload_that_has_its_network(self):
        self.assertEqual(self.said("make", "mnist-mlp", self.folder / "harness")[0], 0)
        submission = self.folder / "harness/submission"
        self.assertEqual({path.name for path in (submission / "model").iterdir()}, {"network.onnx", "ranges-1.json", "ranges-128.json"})
        build = (submission / "workload.cmake").read_text()
        self.assertIn("2.8216 --max-degree 7)", build)
        self.assertIn("2.8216 --max-degree 15)", build)
        # A later submission with other options measures samples, and leaves no ranges.
        plant_data(self.data)
        self.assertEqual(self.said("make", "mnist-mlp", self.folder / "harness", "--data", self.data, "--replace", "--compile=--max-degree 9")[0], 0)
        self.assertEqual({path.name for path in (submission / "model").iterdir()}, {"network.onnx", "calibration.npy"})
        status, message = self.said("ranges", "cifar10-resnet20", "--data", self.data)
        self.assertEqual((status, message.count("\n")), (2, 1))
        self.assertIn("has no network", message)

    def test_make_removes_nothing_unasked(self):
        plant_data(self.data)
        theirs = self.folder / "harness/submission/theirs"
        theirs.mkdir(parents=True)
        status, message = self.said("make", "mnist-mlp", self.folder / "harness", "--data", self.data)
        self.assertEqual((status, message.count("\n")), (2, 1))
        self.assertIn("--replace", message)
        self.assertTrue(theirs.is_dir())
        status, _ = self.said("make", "mnist-mlp", self.folder / "harness", "--data", self.data, "--replace")
        self.assertEqual((status, theirs.exists()), (0, False))

    def test_inputs_are_the_harness_s_text(self):
        plant_data(self.data)
        rows = suite.write_inputs(suite.WORKLOADS["mnist-mlp"], self.folder, "small", 450, 1, self.data)
        self.assertEqual((len(rows), len(set(rows))), (450, 200))
        self.assertLess(max(rows), suite.CALIBRATE_FROM)
        text = self.folder / "datasets/small/intermediate"
        lines = (text / "test_pixels.txt").read_text().splitlines()
        self.assertEqual(lines[0], " ".join([f"{rows[0] / 255:.6f}"] * 784))
        self.assertEqual((text / "test_labels.txt").read_text().split(), [str(row % 10) for row in rows])

    def test_every_refusal_is_one_sentence(self):
        plant_data(self.data)
        for words, text in ((("run", "mnist-cnn"), "the workloads are mnist-mlp"),
                            (("run", "cifar10-resnet20", "--size", "large"), "its sizes are single, small"),
                            (("make", "mnist-mlp", self.folder / "h", "--data", self.data, "--model", "absent.onnx"), "--model names")):
            status, message = self.said(*words)
            self.assertEqual((status, message.count("\n")), (2, 1), message)
            self.assertIn(text, message)
        status, message = self.said("run", "mnist-mlp", "--data", self.folder / "absent")
        self.assertEqual(status, suite.SKIPPED)
        self.assertIn("--data or $TACIT_DATA", message)

    def test_a_process_that_fails_names_its_log(self):
        log = self.folder / "logs/stage.log"
        found = suite.run_process([sys.executable, "-c", "print('fine')"], self.folder, log)
        self.assertGreater(min(found), 0)
        with self.assertRaisesRegex(suite.Wrong, "status 3 .*no keys.*its log is .*stage.log"):
            suite.run_process([sys.executable, "-c", "print('no keys'); exit(3)"], self.folder, log)

    def test_sizes_are_those_of_du(self):
        (self.folder / "keys").mkdir()
        (self.folder / "keys/a").write_bytes(b"x" * 1000)
        du = subprocess.run(["du", "-sb", self.folder / "keys"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(suite.bytes_of(self.folder / "keys"), int(du.split()[0]))

    def test_answers_are_counted(self):
        path = self.folder / "answers.txt"
        path.write_text("7\n2\n")
        self.assertEqual(suite.read_answers(path, 2), [7, 2])
        with self.assertRaisesRegex(suite.Wrong, "2 lines, expected one class for each of 3"):
            suite.read_answers(path, 3)
        with self.assertRaisesRegex(suite.Wrong, "missing"):
            suite.read_answers(self.folder / "absent", 1)

    def test_quality(self):
        self.assertEqual(suite.quality_of([1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 0, 4]),
                         {"accuracy": 0.75, "plaintext_accuracy": 0.5, "agreement": 0.75})
        self.assertEqual(suite.quality_of([1], [1], None), {"accuracy": 1.0})

    def test_every_workload_has_its_folder(self):
        self.assertEqual({path.name for path in (HERE / "workloads").iterdir()}, set(suite.WORKLOADS))
        for name in suite.WORKLOADS:
            self.assertTrue((HERE / "workloads" / name / "README.md").is_file())


def run_twin(options):
    """Installs the build, and runs one encrypted image through all stages. A second run starts from the files of the first."""
    shutil.rmtree(options.work, ignore_errors=True)
    prefix = options.work / "prefix"
    for component in ("library", "development", "command"):
        subprocess.run([options.cmake, "--install", options.build, "--prefix", prefix, "--component", component], check=True,
                       stdout=subprocess.DEVNULL)
    done = subprocess.run([sys.executable, HERE.parent.parent / "tools/suite.py", "run", "mnist-mlp", "--prefix", prefix, "--folder",
                           options.work / "twin", "--runs", "2", "--json"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == suite.SKIPPED:
        print("skipped: no models and images; TACIT_DATA names the folder that holds them")
    if done.returncode:
        return done.returncode
    report = json.loads(done.stdout)
    print(done.stdout)
    io_folder = options.work / "twin/io/single"
    answer = (io_folder / "encrypted_model_predictions.txt").read_text()
    assert answer.strip() in "0123456789" and report["quality"]["agreement"] == 1, report["quality"]
    assert [entry["stage"] for entry in report["stages"]] == [stage.name for stage in suite.STAGES]
    assert all(report["bytes"][what] > 1000 for what in ("keys", "inputs", "answers", "model")), report["bytes"]
    # Without its keys, a stage says which file it expected, and which stage writes it.
    shutil.rmtree(io_folder / "public_keys")
    failed = subprocess.run([options.work / "twin/submission/build/server_encrypted_compute", "0"], cwd=options.work / "twin",
                            capture_output=True, text=True, check=False)
    assert failed.returncode == 1 and failed.stderr.count("\n") == 1, failed
    assert "keys.tacit" in failed.stderr and "run client_key_generation first" in failed.stderr, failed.stderr
    shutil.rmtree(options.work)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for word in ("build", "work"):
        parser.add_argument(f"--{word}", type=pathlib.Path)
    parser.add_argument("--cmake", default="cmake")
    chosen = parser.parse_args()
    if chosen.build:
        sys.exit(run_twin(chosen))
    unittest.main(argv=sys.argv[:1])
