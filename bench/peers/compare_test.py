#!/usr/bin/env python3
"""Checks table, disassembly, protocol and turns without any installed peer. Skipped without numpy."""
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

SKIPPED = 77
try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(SKIPPED)

import compare
import instruction_sets
import peers
import table
import turns
import works
from measured_work import Answers

HERE = pathlib.Path(__file__).resolve().parent

# A work of no peer. Its arguments: the folder of measured_work, the number of sums, the quality.
SUMS = """
import sys
sys.path.insert(0, sys.argv[1])
from measured_work import serve
print("noise of a library")
serve("sums of " + sys.argv[2], lambda: sum(range(int(sys.argv[2]))), lambda: sys.argv[3], items=2)
"""


def side(seconds, quality="20.0 bits"):
    return {"seconds": seconds, "wall": seconds, "parameters": "N | 2^15", "quality": quality, "memory": 3 << 29}


def row(title="rotation", peer="seal", quality="20.0 bits"):
    return {"title": title, "peer": peer, "ours": side(0.0123), "theirs": side(0.246, quality), "ratio": 20.04,
            "least": 9.66, "most": 123.4, "rounds": 5, "load": [1.25, 3]}


def report(*rows, **changes):
    return {"machine": {"date": "2026-01-02", "processor": "P", "cores": 2, "tacit_instructions": "avx2",
                        "clock_ghz": 3.456}, "rows": list(rows),
            "peers": {"seal": {"version": "SEAL 1", "instructions": "no AVX"}}, "not_compared": {}, **changes}


class Table(unittest.TestCase):
    def test_units(self):
        times = {2.5e-6: "2.5 µs", 4e-5: "40 µs", 0.0123: "12.3 ms", 0.246: "246 ms", 1: "1 s", 123.4: "123 s"}
        self.assertEqual({seconds: table.time_text(seconds) for seconds in times}, times)
        self.assertEqual(table.memory_text(3 << 29), "1.5 GiB")
        self.assertEqual(table.memory_text(5 << 20), "5 MiB")

    def test_row(self):
        self.assertEqual(table.line(table.row_cells(row())),
                         "| rotation | seal | 12.3 ms | 246 ms | **20** (9.7 to 123) | 20.0 bits | 20.0 bits | "
                         "1.5 GiB; 1.5 GiB | 1.2 to 3.0 |")

    def test_no_ratio_without_quality(self):
        with self.assertRaisesRegex(ValueError, "rotation: no ratio without its quality"):
            table.markdown(report(row(quality="")), {})

    def test_page(self):
        lines = table.markdown(report(row(), row("product"), not_compared={"product (go)": "no go here"}),
                               {"HElayers": "licence"}).splitlines()
        self.assertIn("Tacit with avx2 at 3.46 GHz", lines[0])
        self.assertIn("| seal | SEAL 1 | no AVX |", lines)
        self.assertIn(r"| rotation; product | seal | N \| 2^15 | N \| 2^15 |", lines)
        self.assertIn("| product (go) | no go here |", lines)
        self.assertIn("| HElayers | licence |", lines)
        cells = {text.replace(r"\|", "").count("|") for text in lines[2:6]}
        self.assertEqual(cells, {len(table.HEADER) + 1})

    def test_joined(self):
        first = report(row(), not_compared={"product (seal)": "needs 4 GiB", "HElayers": "licence"})
        second = report(row("product"), {**row(), "ratio": 5})
        result = table.joined([first, second])
        self.assertEqual([(each["title"], each["ratio"]) for each in result["rows"]],
                         [("rotation", 5), ("product", 20.04)])
        self.assertEqual(result["not_compared"], {"HElayers": "licence"})


class InstructionSets(unittest.TestCase):
    LINES = ["0000000000001000 <tfhe::fft>:\n", *["    1000:\tvpmadd52luq %zmm1,%zmm2,%zmm3\n"] * 60,
             "0000000000002000 <memcpy>:\n", *["    2000:\tvmovdqu %ymm1,(%rax)\n"] * 70,
             *["    2004:\tvpaddq %ymm1,%ymm2,%ymm3\n"] * 49, "    2008:\taddsd  %xmm1,%xmm0\n"]

    def test_counts(self):
        counts = instruction_sets.count(self.LINES)
        self.assertEqual(counts, {"AVX-512 IFMA": 60, "AVX-512": 60, "AVX2": 49, "AVX": 70})
        self.assertEqual(instruction_sets.held(counts), "AVX-512 IFMA, AVX-512, AVX")

    def test_functions_of_the_peer_alone(self):
        self.assertEqual(instruction_sets.held(instruction_sets.count(self.LINES, "tfhe")), "AVX-512 IFMA, AVX-512")
        self.assertEqual(instruction_sets.held(instruction_sets.count(self.LINES, "winter")), "no AVX")

    def test_nothing_to_look_at(self):
        self.assertIn("not looked at", instruction_sets.of([]))


class Turns(unittest.TestCase):
    def compare(self, theirs, ours=("20000", "exact")):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", SUMS, str(HERE)]
            return turns.compare([*command, *ours], [*command, *theirs], 2, min(os.sched_getaffinity(0)),
                                 pathlib.Path(folder), {})

    def test_ratio_of_processor_times(self):
        found = self.compare(("200000", "as exact"))
        self.assertEqual((found["ours"]["quality"], found["theirs"]["quality"]), ("exact", "as exact"))
        self.assertEqual(found["ours"]["parameters"], "sums of 20000")
        self.assertLessEqual(found["least"], found["ratio"])
        self.assertGreater(found["least"], 1)
        self.assertGreater(found["ours"]["memory"], 1 << 20)
        self.assertEqual(found["rounds"], 2)

    def test_a_side_that_fails(self):
        with self.assertRaisesRegex(turns.WorkFailed, "ended with 1: ValueError: invalid literal"):
            self.compare(("none", "exact"))


class Quality(unittest.TestCase):
    def test_labels(self):
        answers = Answers(rows=[[0.0]] * 3, labels=np.array([0, 1, 1]))
        for said in (0, 1, 0, 1):  # the last is the first row once more
            answers.add(answers.next_row(), said)
        self.assertEqual([row for row, _ in answers.answers], [0, 1, 2, 0])
        self.assertEqual(answers.quality(np.array([[0], [1], [0]])), "66.7 % of 3 rows right, 3 of 4 encrypted as predicted")

    def test_scores(self):
        scores = np.array([[-3.0, 5.0], [4.0, 1.0]])
        answers = Answers(rows=[[0.0]] * 2, labels=np.array([1, 1]), scores=scores)
        answers.add(answers.next_row(), np.array([-3.0, 4.2]))
        self.assertEqual(answers.quality(scores),
                         "50.0 % of 2 rows right, 1 of 1 encrypted as predicted, scores within 1.0e-01 of their range")


class Works(unittest.TestCase):
    def test_every_work_has_a_peer_and_a_name_of_its_own(self):
        names = [work.name for work in works.WORKS]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual({work.peer for work in works.WORKS}, set(peers.PEERS))

    def test_only(self):
        self.assertEqual({work.peer for work in compare.chosen(["tenseal"])}, {"tenseal"})
        with self.assertRaisesRegex(SystemExit, "no work is called nothing"):
            compare.chosen(["nothing"])

    def test_requirements_are_pinned(self):
        for path in (HERE / "requirements").glob("*.txt"):
            for line in path.read_text().splitlines():
                self.assertRegex(line, r"^[a-z0-9-]+==[0-9.]+$", path.name)

    def test_heir_needs_go(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"PATH": folder}):
            with self.assertRaisesRegex(peers.Unavailable, "no go here"):
                peers.compiled("heir", sys.executable, HERE / "heir_works.py", pathlib.Path(folder))

    def test_a_script_that_fails_is_a_reason(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch("shutil.which", return_value="go"):
            script = pathlib.Path(folder) / "script.py"
            script.write_text("raise SystemExit('no network here')")
            with self.assertRaisesRegex(peers.Unavailable, "installing failed: no network here"):
                peers.compiled("heir", sys.executable, script, pathlib.Path(folder))

    def test_what_the_platform_lacks_is_a_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(peers.Unavailable, "python0.1, which is not here"):
                peers.virtual_environment("tacit", "python0.1", pathlib.Path(folder))


if __name__ == "__main__":
    unittest.main()
