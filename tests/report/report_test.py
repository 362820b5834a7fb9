"""Writes a report page with the built command and looks at it in headless Chromium.

    report_test.py packing|plan|run|merkle|validate|ckks|integers COMMAND MODEL

Ends with status 77 (skipped) where there is no Chromium.
"""
import html.parser
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
# Plots of each page, and tables whose numbers are held against the JSON.
PAGES = {"packing": 7, "plan": 3, "run": 4, "merkle": 4, "validate": 3, "ckks": 2, "integers": 2}


class Page(html.parser.HTMLParser):
    """The body's data attributes, and the numbers behind the cells of every table."""

    def __init__(self):
        super().__init__()
        self.body, self.tables, self.table = {}, {}, None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "body":
            self.body = attributes
        elif tag == "table":
            self.table = self.tables.setdefault(attributes.get("id", ""), [])
        elif tag == "td" and "data-value" in attributes:
            self.table.append(float(attributes["data-value"]))


def npy(path, shape):
    """An array of single-precision numbers between 0 and 1."""
    count = 1
    for extent in shape:
        count *= extent
    header = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }" % ", ".join(map(str, shape))).encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    values = struct.pack("<%df" % count, *((i % 97) / 97 for i in range(count)))
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values)


def arguments(page, model, folder):
    if page == "packing":
        return ["bench", "packing", "--requirement", "slots 2048, depth 4, fraction 25 bits, integer 8 bits, security 0",
                "--repeats", "1"]
    if page == "merkle":
        return ["bench", "merkle", "--first", "6", "--last", "9", "--smallest-group", "8", "--largest-group", "16", "--seconds", "0.01"]
    if page == "ckks":
        return ["bench", "ckks", "--filter", "N 2^13", "--seconds", "0.01"]
    if page == "plan":
        return ["plan", model, "--input-range", "0,1"]
    if page == "integers":
        return ["plan", model, "--input-range", "0,1", "--scheme", "tfhe"]
    npy(folder / "images.npy", [1, 1, 28, 28])
    if page == "validate":
        return ["validate", model, "--input", str(folder / "images.npy"), "--input-range", "0,1", "--epsilon", "-4"]
    return ["run", model, "--input", str(folder / "images.npy"), "--input-range", "0,1"]


def numbers(page, report):
    """What each table must show, from the JSON that the command printed."""
    if page == "packing":
        fields = ["latency", "predicted_latency", "amortised", "tensor_bytes", "process_bytes", "predicted_process_bytes"]
        return {name: [point[field] for point in report[name] for field in fields] for name in ("sweep", "experiments")}
    if page == "merkle":
        fields = {"operations": ["seconds", "seconds_10", "seconds_90"], "trees": ["seconds", "kernel_seconds"],
                  "published": ["kernel_seconds"]}
        return {name: [entry[field] for entry in report[name] for field in list] for name, list in fields.items()}
    if page == "ckks":
        fields = ["seconds", "seconds_10", "seconds_90", "traffic_bytes"]
        return {"ckks": [result[field] for result in report["results"] for field in fields]}
    if page in ("plan", "integers"):
        return {"operators": [step["seconds"] for step in report["instructions"]]}
    if page == "validate":
        return {"validation": [step[bits] for step in report["operators"] for bits in ("worst_bits", "mean_bits")]}
    return {}


def main():
    page, command, model = sys.argv[1:]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("there is no Chromium")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = folder / "report.html"
        done = subprocess.run([command, *arguments(page, model, folder), "--json", "--report", str(out)],
                              check=False, capture_output=True, text=True, env=dict(os.environ, XDG_CACHE_HOME=str(folder / "cache")))
        if done.returncode != 0:
            print(done.stderr)
            return 1
        text = out.read_text(encoding="utf-8")
        assert "http://" not in text.split('id="data"')[0], "the page asks for something from elsewhere"
        dom = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,3000",
                              "--user-data-dir=" + str(folder / "profile"), "--virtual-time-budget=5000", "--dump-dom",
                              out.as_uri()], check=False, capture_output=True, text=True, timeout=240)
        seen = Page()
        seen.feed(dom.stdout)
        print(seen.body, {name: len(cells) for name, cells in seen.tables.items()})
        assert "data-error" not in seen.body, seen.body["data-error"]
        assert seen.body.get("data-plots") == str(PAGES[page]), "plots drawn"
        assert seen.body.get("data-painted") == str(PAGES[page]), "plots with ink on them"
        for table, expected in numbers(page, json.loads(done.stdout)).items():
            assert seen.tables[table] == expected, table
        if page == "packing":
            report = json.loads(done.stdout)
            assert all(point["error"] < 1e-2 for name in ("sweep", "experiments") for point in report[name]), "results"
        if page == "run":
            measured = [v for v in seen.tables["operators"][1::2]]
            assert len(measured) > 2 and sum(measured) > 0, "measured times"
    return 0


if __name__ == "__main__":
    sys.exit(main())
