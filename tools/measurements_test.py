#!/usr/bin/env python3
import copy
import json
import pathlib
import tempfile
import unittest

from measurements import check_shown, groups_of, machines_table, shown, some_table, whole_table, with_figures
from result_files import ROOT, Wrong, check, name_of, parsed, read_all, text_of

ROW = {"table": "networks", "what": "ResNet-20", "measure": "time", "value": 15.2, "unit": "s", "quality": "10 of 10 agree"}
MEMORY = {**ROW, "measure": "memory", "value": 4e9, "unit": "B"}
PEER = {"name": "Other", "version": "1.2", "value": 30.4, "quality": "right"}
RESULT = {"schema": 1, "suite": "networks", "commit": "1449d9d", "version": "0.2.0", "date": "2026-11-27",
          "machine": {"name": "Zen 4", "processor": "AMD EPYC", "cores": 2, "memory": "24 GiB", "clock": "3.69 GHz"},
          "load": "0.5", "threads": 2, "commands": ["tacit run resnet20.onnx"], "rows": [ROW, MEMORY], "notes": []}


def made(**fields):
    return {**copy.deepcopy(RESULT), **fields}


class ResultFiles(unittest.TestCase):
    def refused(self, words, **fields):
        with self.assertRaises(Wrong) as error:
            check(made(**fields), "bench/results/a.json")
        said = str(error.exception)
        self.assertIn(words, said)
        self.assertIn("bench/results/a.json", said)
        self.assertNotIn("\n", said)

    def test_a_file_that_breaks_the_schema_gets_one_sentence(self):
        self.refused("reads 1", schema=2)
        self.refused("'commit' is 'main', and must be a hash", commit="main")
        self.refused("'date' is 'today'", date="today")
        self.refused("has a field 'bar' that the schema does not know", bar=1)
        self.refused("machine has no field 'clock'", machine={"name": "a", "processor": "b", "cores": 2, "memory": "c"})
        self.refused("a command and a row at least", rows=[])
        self.refused("row 1: 'furlong' is no unit", rows=[{**ROW, "unit": "furlong"}])
        self.refused("row 1: 'value' is not a number", rows=[{**ROW, "value": "15 s"}])
        self.refused("row 1: 'value' is not a number", rows=[{**ROW, "value": True}])
        self.refused("row 1: 'quality' is empty", rows=[{**ROW, "quality": " "}])
        self.refused("row 2: 'ResNet-20' has 'time' twice", rows=[ROW, ROW])
        self.refused("row 1, peer has no field 'version'", rows=[{**ROW, "peer": {"name": "a", "value": 1}}])
        self.refused("'commands' is not a text", commands=[3])

    def test_what_is_no_json_gets_one_sentence(self):
        with self.assertRaisesRegex(Wrong, "^a.json is not JSON: "):
            parsed("{", "a.json")

    def test_files_are_read_as_they_were_written_and_named_by_what_they_hold(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for result in (made(), made(commit="unknown", date="2026-11-28")):
                path = folder / name_of(result)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text_of(result), encoding="utf-8")
            self.assertEqual(sorted(path.name for path in folder.rglob("*.json")),
                             ["zen-4-1449d9d.json", "zen-4-unknown-2026-11-28.json"])
            self.assertEqual(read_all(folder), [made(commit="unknown", date="2026-11-28"), made()])
            (folder / "networks/zen-5-1449d9d.json").write_text(json.dumps(made()), encoding="utf-8")
            with self.assertRaisesRegex(Wrong, "is called networks/zen-4-1449d9d.json"):
                read_all(folder)

    def test_the_readme_names_every_field(self):
        text = (ROOT / "bench/results/README.md").read_text(encoding="utf-8")
        for name in [*RESULT, *ROW, *RESULT["machine"], *PEER]:
            self.assertIn(f"`{name}`", text)


class Measurements(unittest.TestCase):
    def test_values_have_the_unit_that_suits_them(self):
        self.assertEqual([shown(*given) for given in ((0.072, "s"), (9.75e-05, "s"), (15.2, "s"), (4e9, "B"), (250e3, "B"),
                                                      (10, "of 10"), (5000, "of 5000"), (2416, "count"), (-0.8, "%"), (0, "s"))],
                         ["72 ms", "97.5 µs", "15.2 s", "4 GB", "250 kB", "10 of 10", "5,000 of 5,000", "2,416", "-0.8 %",
                          "0 ns"])

    def test_a_table_has_a_value_a_cell_and_names_its_runs(self):
        lines = whole_table([made(rows=[{**ROW, "peer": PEER}, MEMORY])], "networks")
        self.assertEqual(lines[0], "| what | machine | time | memory | quality | peer | the peer's | the peer's quality | "
                                   "the peer's / ours | run |")
        self.assertEqual(lines[2], "| ResNet-20 | Zen 4 | 15.2 s | 4 GB | 10 of 10 agree | Other 1.2 | 30.4 s | right | 2 | 1 |")
        self.assertEqual(lines[-1], "| 1 | Zen 4 | 2026-11-27 | 1449d9d | 2 | 3.69 GHz | 0.5 | `tacit run resnet20.onnx` | "
                                    "`networks/zen-4-1449d9d.json` |")

    def test_the_newest_file_of_a_machine_counts(self):
        new = made(date="2026-11-28", rows=[{**ROW, "value": 12}])
        other = made(machine={**RESULT["machine"], "name": "Zen 5"}, rows=[ROW, {**ROW, "what": "LeNet-5", "value": 1}])
        lines = whole_table([new, made(), other], "networks")
        self.assertEqual([line.split(" | ")[:3] for line in lines[2:5]],
                         [["| LeNet-5", "Zen 5", "1 s"], ["| ResNet-20", "Zen 4", "12 s"], ["| ResNet-20", "Zen 5", "15.2 s"]])

    def test_a_newer_run_beside_one_peer_leaves_the_other_peers(self):
        beside = lambda name: {**ROW, "peer": {**PEER, "name": name}}  # noqa: E731
        old, new = made(rows=[beside("A"), beside("B")]), made(date="2026-11-28", rows=[beside("A")])
        self.assertEqual({at[2]: result["date"] for at, (result, _) in groups_of([new, old], "networks").items()},
                         {"A": "2026-11-28", "B": "2026-11-27"})
        alone = made(date="2026-11-28", rows=[ROW])
        self.assertEqual(list(groups_of([alone, old], "networks")), [("ResNet-20", "Zen 4", "")])

    def test_single_figures(self):
        columns, ids = "model | machine | time per answer = time | memory | peer", "networks | ResNet-20 | Zen 4\n"
        self.assertEqual(some_table([made()], columns, ids)[-1], "| ResNet-20 | Zen 4, 2 threads | 15.2 s | 4 GB | not compared |")
        self.assertIn("30.4 s, Other", some_table([made(rows=[{**ROW, "peer": PEER}, MEMORY])], columns, ids)[-1])

    def test_a_page_that_names_a_figure_that_no_file_holds_gets_one_sentence(self):
        def said(page):
            with self.assertRaises(Wrong) as error:
                with_figures(page, [made()], "README.md")
            return str(error.exception)

        single = "<!-- figures: time\n{}\n-->\n<!-- end of figures -->\n"
        self.assertEqual(said(single.format("networks | ResNet-20 | Zen 9")),
                         "README.md: no file of bench/results has the figure 'networks | ResNet-20 | Zen 9'")
        self.assertIn("needs a table, a row and a machine", said(single.format("ResNet-20")))
        self.assertIn("has no measure 'speed'", said(single.replace("time", "speed").format("networks | ResNet-20 | Zen 4")))
        self.assertEqual(said("<!-- measurements: nets -->\n<!-- end of measurements -->\n"),
                         "README.md: no file of bench/results has a row of the table 'nets'")

    def test_marks_that_never_end_are_errors(self):
        for page in ("<!-- measurements: networks -->\n", "<!-- figures: time\nnetworks | ResNet-20 | Zen 4\n-->\n"):
            with self.assertRaisesRegex(Wrong, "a mark of a table has no form that is read"):
                with_figures(page, [made()], "README.md")

    def test_tables_of_a_page_are_made_anew_and_stay(self):
        page = "a\n<!-- measurements: networks -->\nold\n<!-- end of measurements -->\nb\n"
        wanted, tables = with_figures(page, [made()], "a.md")
        self.assertNotIn("old", wanted)
        self.assertEqual((tables, with_figures(wanted, [made()], "a.md")[0]), (["networks"], wanted))

    def test_rows_that_no_page_shows_are_an_error(self):
        check_shown([made(rows=[{**ROW, "table": "details"}])], set())
        with self.assertRaisesRegex(Wrong, "rows of the table 'networks', and no page has a mark"):
            check_shown([made()], {"lookups"})

    def test_machines(self):
        self.assertEqual(machines_table([made()])[-1], "| Zen 4 | AMD EPYC | 2 | 24 GiB |")


if __name__ == "__main__":
    unittest.main()
