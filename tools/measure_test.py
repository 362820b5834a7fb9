#!/usr/bin/env python3
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import measure
from result_files import RESULTS, ROOT, Wrong, check_row, read_all

TIMES = {"seconds": 0.5}
CKKS = {"results": [{"operation": "bootstrap to level 11", "parameters": "S8: N 2^16, 30 + 12 limbs", "threads": 2, **TIMES},
                    {"operation": "rotate", "parameters": "N13-d4: N 2^13, 5 + 1 limbs", "threads": 1, **TIMES},
                    {"operation": "NTT forward", "parameters": "N 2^16, 50-bit prime", "threads": 1, **TIMES},
                    {"operation": "NTT forward", "parameters": "N 2^16, 40-bit prime", "threads": 1, **TIMES}]}
LOOKUP = {"parameters": "T4: 4 bits, n 800", "threads": 1, "seconds_each": 0.004, "bootstrap_key_bytes": 57e6,
          "key_switch_key_bytes": 58e6}
TFHE = {"results": [{"operation": "key switch + bootstrap", "batch": 1, **LOOKUP},
                    {"operation": "key switch + bootstrap", "batch": 64, **LOOKUP}, {"operation": "bootstrap", "batch": 1, **LOOKUP}]}
MERKLE = {"repeats": 3, "operations": [{"operation": "merge, variant C, alone", **TIMES}],
          "trees": [{"device": "cpu", "name": "avx2", "approach": 2, "leaves": 1 << 20, "group": 32, "kernel_seconds": 1.2}],
          "published": [{"device": "Xeon Platinum 8358, 64 cores", "approach": 2, "leaves": 1 << 20, "group": 32,
                         "kernel_seconds": 1.8}]}
CONV = {"results": [{"case": "stage1", "evaluate_seconds": 0.21, "peak_bytes": 1e9, "planning_seconds": 0.1, "encode_seconds": 0.2,
                     "largest_error": 1e-7, "largest_result": 2.0, "published_seconds": 88.5, "plan": {"rotations": 144}}]}
RUN = {"scheme": "tfhe", "images": 10, "agreement": 0.9, "misses": 1, "max_abs_error": 0.01, "peak_memory_bytes": 4e8, "lookups": 68,
       "seconds": {"evaluate": 0.8, "evaluate_worst": 1.0, "compile": 0.2, "keygen": 0.9, "encode": 0.001}}
SERVICE = {"throughput": {"clients": 16, "evaluations": 1000, "turns": [{"share": 0.9, "wrong": 0}, {"share": 1.0, "wrong": 0},
                                                                         {"share": 0.95, "wrong": 0}]},
           "kills": {"kills": 8, "accepted": 100, "right": 99, "twice": 1, "keys": "ready"},
           "soak": {"evaluations": 500, "minutes": 10, "wrong": 0, "memory_mib": [50, 60, 55], "growth_of_last_third": 0.0002}}
PYTHON = {"overhead": {"added": -0.008, "added_by_geometric_mean": [-0.027, -0.015, -0.003], "pairs": 50},
          "threads": {"gain": 1.91, "turns": [{}] * 5},
          "interrupt": {"interruptions": 27, "longest_wait": 0.47, "growth": 0.009}}
PEERS = {"peers": {"openfhe": {"version": "OpenFHE 1.6.1 (PyPI)"}},
         "rows": [{"title": "rotation", "peer": "openfhe", "ours": {"seconds": 0.014, "memory": 1e8, "quality": "24 bits"},
                   "theirs": {"seconds": 0.087, "memory": 2e8, "quality": "18 bits"}}]}


def values(rows):
    return {(row["table"], row["what"], row["measure"]): (row["value"], row["unit"]) for row in rows}


class Measure(unittest.TestCase):
    def rows_of(self, rows):
        for number, row in enumerate(rows, 1):
            check_row(row, f"row {number}")
        self.assertEqual(len(values(rows)), len(rows))
        return values(rows)

    def test_rows_of_benchmarks(self):
        found = self.rows_of(measure.ckks_rows(CKKS))
        self.assertEqual(found["bootstraps", "bootstrap to level 11, S8", "two threads"], (0.5, "s"))
        self.assertEqual([table for table, _, _ in found], ["bootstraps", "operations", "operations", "details"])
        found = self.rows_of(measure.tfhe_rows(TFHE))
        self.assertEqual(found["lookups", "a lookup of 4 bits, T4", "of 64, each"], (0.004, "s"))
        self.assertEqual(found["lookups", "a lookup of 4 bits, T4", "bootstrapping key"], (57e6, "B"))
        rows = measure.merkle_rows(MERKLE)
        self.assertEqual(self.rows_of(rows)["trees", "processor, approach 2, groups of 32", "2^20"], (1.2, "s"))
        self.assertEqual(rows[1]["peer"]["value"], 1.8)
        rows = measure.conv_rows(CONV)
        self.assertEqual(self.rows_of(rows)["convolutions", "3 x 3, 64 channels, at 56 x 56", "rotations"], (144, "count"))
        self.assertEqual((rows[0]["measure"], rows[0]["peer"]["name"]), ("time", "MetaKernel"))

    def test_rows_of_networks(self):
        rows = measure.network_rows(measure.NETWORKS[-1], RUN)
        found = self.rows_of(rows)
        self.assertEqual(found["integers", "perceptron of examples/trees", "agreement"], (9, "of 10"))
        self.assertEqual(rows[0]["quality"], "largest error of an output 0.01; 1 without an answer")

    def test_rows_of_the_public_suite(self):
        report = {"workload": "mnist-mlp", "size": "small", "images": 450, "distinct_images": 200,
                  "stages": [{"stage": f"{name}", "seconds": seconds, "peak_bytes": peak} for name, seconds, peak in (
                      ("client_key_generation", 0.25, 1e8), ("client_encode_encrypt_input", 0.125, 2e8),
                      ("server_encrypted_compute", 0.5, 4e8), ("client_decrypt_decode", 0.0625, 3e8))],
                  "seconds": {"all": 1.0}, "bytes": {"keys": 5e7, "inputs": 8e6, "answers": 1e5},
                  "quality": {"accuracy": 0.98, "plaintext_accuracy": 0.985}}
        rows = measure.suite_rows(report)
        found = self.rows_of(rows)
        what = "perceptron 784-128-64-10, MNIST, 450 images"
        self.assertEqual([found["suite", what, measure] for measure in ("compute", "decrypt", "question", "memory")],
                         [(0.5, "s"), (0.0625, "s"), (8e6, "B"), (4e8, "B")])
        self.assertEqual(rows[0]["quality"], "98 % right; 98.5 % in the clear; 200 distinct images")
        self.assertEqual([(row["measure"], row["peer"]["value"]) for row in rows if "peer" in row],
                         [("compute", 648), ("keys", 1e9), ("question", 500e6)])

    def test_rows_of_the_harness_are_medians(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for size in ("single", "large"):
                (folder / f"measurements/{size}").mkdir(parents=True)
            for run, seconds in enumerate(("0.5s", "0.25s", "1.0s")):
                stages = {stage: seconds for stage in measure.HARNESS_STAGES.values()}
                (folder / f"measurements/single/results-{run}.json").write_text(json.dumps({"per_stage": stages}), encoding="utf-8")
            rows = measure.harness_rows(folder)
            self.assertEqual([(row["table"], row["measure"], row["value"], row["quality"]) for row in rows[:2]],
                             [("details", "compute", 0.5, "median of 3"), ("details", "make keys", 0.5, "median of 3")])
            shutil.rmtree(folder / "measurements/single")
            with self.assertRaisesRegex(Wrong, "run the harness first"):
                measure.harness_rows(folder)

    def test_rows_of_tools(self):
        found = self.rows_of(measure.service_rows(SERVICE))
        self.assertIn((95.0, "%"), found.values())
        self.assertIn((99, "of 100"), found.values())
        self.assertEqual(len(self.rows_of(measure.service_rows({}))), 0)
        self.assertEqual([value for value, _ in self.rows_of(measure.python_rows(PYTHON)).values()], [-0.8, 1.91, 0.47, 0.9])
        rows = measure.peers_rows(PEERS)
        self.assertEqual(rows[0]["peer"], {"name": "OpenFHE", "version": "1.6.1", "value": 0.087, "quality": "18 bits"})
        rows = measure.cases_rows("a: as it should be\nb: output 'y' is off by 3, stated 0\n", "simulated")
        self.assertEqual((rows[0]["value"], rows[0]["unit"], rows[0]["quality"]),
                         (1, "of 2", "b: output 'y' is off by 3, stated 0"))
        with self.assertRaises(Wrong):
            measure.cases_rows("", "simulated")

    def test_commands_name_no_place_of_this_machine(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            runner = measure.Runner(argparse.Namespace(build=folder / "build", data=folder, only="", short=True, threads=0,
                                                       harness=None))
            self.assertEqual(runner.typed([folder.resolve() / "build/bin/tacit", "run", folder.resolve() / "a b.onnx", "--scale", 255]),
                             "tacit run '$TACIT_DATA/a b.onnx' --scale 255")
            self.assertEqual(runner.typed([sys.executable, ROOT / "tools/soak_service.py"]), "python3 tools/soak_service.py")
            with self.assertRaisesRegex(Wrong, "has no bin/tacit: build it"):
                runner.program("tacit")
            runner.skip("a model")
            self.assertEqual(runner.notes, ["not run: a model"])

    def test_the_version_of_a_build(self):
        self.assertEqual(measure.version_and_commit("tacit 0.2.0 (commit d773ae2dcd88+, avx2)"), ("0.2.0", "d773ae2dcd88+"))
        self.assertEqual(measure.version_and_commit("tacit 0.2.0 (avx2)"), ("unknown", "unknown"))

    def test_what_is_asked_for_wrongly_gets_a_sentence(self):
        def said(*words):
            done = subprocess.run([sys.executable, ROOT / "tools/measure.py", *words], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            return done.stderr.splitlines()[-1]

        self.assertIn("there is no suite 'speed'; the suites are ckks, ", said("speed"))
        self.assertIn("--short measures nothing that the page should show", said("ckks", "--short"))
        self.assertIn("has no bin/tacit", said("ckks", "--build", "no-build"))

    def test_rows_of_suites_have_the_names_that_the_page_has(self):
        held = {(row["table"], row["what"]) for result in read_all(RESULTS) for row in result["rows"]}
        made = [*measure.conv_rows(CONV), *measure.merkle_rows(MERKLE), *measure.tfhe_rows(TFHE), *measure.service_rows(SERVICE),
                *measure.python_rows(PYTHON), *measure.cases_rows("a: as it should be\n", "simulated")]
        for row in made:
            if row["table"] != "details":
                self.assertIn((row["table"], row["what"]), held)


if __name__ == "__main__":
    unittest.main()
