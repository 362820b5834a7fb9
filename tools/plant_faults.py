#!/usr/bin/env python3
"""Plants faults, one at a time, and says which the tests do not notice.

    tools/plant_faults.py --count 20 --seed 1 --data ../shared/data

Works on a copy of the checkout's last commit (--work, kept between calls, so that builds are incremental). A fault
changes one operator or one constant of a random line of src/. A fault that does not compile, or that changes no
object file, is none: another one takes its place. The tests of the fault's room run first. All others run only where
these pass, those that take long last; rooms whose test programs the fault does not change are left out. What came of
each fault is recorded in the copy, by commit and seed: a call that was cut short is repeated and goes on where it
stopped. Exits with 1 if fewer than --bar of the faults were noticed.
"""
import argparse
import functools
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

# Each is replaced by any of the others of its group.
GROUPS = [
    [" + ", " - "],
    [" * ", " / "],
    [" < ", " <= ", " > ", " >= "],
    [" == ", " != "],
    [" && ", " || "],
    ["++", "--"],
    ["std::max", "std::min"],
    ["true", "false"],
]
SLOW = 5  # seconds; tests that take longer run behind the others
ENDLESS = 400  # seconds; a test that takes longer is taken for one that does not end
NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.'])")
# Lines that state no behaviour.
SKIPPED = ("#", "//", "static_assert", "using ", "namespace", "template", "case ")


def code_of(line):
    """The part of a line in front of a comment, with the contents of literals blanked."""
    code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: '"' + "_" * (len(m.group(0)) - 2) + '"', line)
    code = re.sub(r"'(?:[^'\\]|\\.)'", "'_'", code)
    return code.split("//")[0]


def faults_of(line):
    """Every line that one fault makes of this one."""
    if line.strip().startswith(SKIPPED) or "operator" in line:
        return []
    code = code_of(line)
    faults = []
    for group in GROUPS:
        for word in group:
            for found in re.finditer(re.escape(word), code):
                if word.isalpha() and re.match(r"\w", code[found.end():found.end() + 1] or " "):
                    continue
                faults += [line[: found.start()] + other + line[found.end():] for other in group if other != word]
    for found in NUMBER.finditer(code):
        faults.append(line[: found.start()] + str(int(found.group(1)) + 1) + line[found.end():])
    return faults


def candidates(root):
    """(path, line number, faults) of every line that a fault can be planted in."""
    found = []
    for path in sorted((root / "src").rglob("*")):
        name = path.name
        if path.suffix not in (".cpp", ".h") or "_test." in name or "for_test" in name:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if faults := faults_of(line):
                found.append((path, number, faults))
    return found


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).digest()


def end_all_of(session):
    """Ends all processes of a session: ctest starts every test in a group of its own."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getsid(int(entry.name)) == session:
                    os.kill(int(entry.name), signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended meanwhile


def check_out(checkout, root):
    """The checkout's last commit in a clone at `root`, which is made where it is not there. Returns its name."""
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=checkout, text=True).strip()
    if not root.exists():
        subprocess.run(["git", "clone", "-q", str(checkout), str(root)], check=True)
    subprocess.run(["git", "fetch", "-q"], cwd=root, check=True)
    subprocess.run(["git", "checkout", "-q", "-f", commit], cwd=root, check=True)
    return commit


class Copy:
    """A working copy of a commit with a build of its own."""

    def __init__(self, checkout, work, data):
        self.root = pathlib.Path(work)
        self.build_folder = self.root / "build" / "faults"
        self.environment = dict(os.environ, TACIT_DATA=str(pathlib.Path(data).resolve())) if data else None
        self.commit = check_out(checkout, self.root)
        subprocess.run(["cmake", "-G", "Ninja", "-S", ".", "-B", str(self.build_folder), "-DCMAKE_BUILD_TYPE=Release"],
                       cwd=self.root, check=True, stdout=subprocess.DEVNULL)

    def build(self, target):
        """True if it compiles."""
        return subprocess.run(["cmake", "--build", str(self.build_folder), "--target", target],
                              check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def objects(self):
        """Digests of all object files."""
        return {path: digest_of(path) for path in self.build_folder.rglob("*.o")}

    def test_of(self, path):
        """The test program of the innermost folder that has one, or None."""
        parts = path.relative_to(self.root / "src").parts[:-1]
        for name in [f"{parts[0]}_{part}" for part in parts[1:]] + [*reversed(parts)]:
            if (self.build_folder / "bin" / f"tacit_{name}_test").exists():
                return f"tacit_{name}_test"
        return None

    def programs(self):
        """Digests of the test programs of rooms, which start no other program."""
        return {path: digest_of(path) for path in (self.build_folder / "bin").glob("tacit_*_test")}

    def tests(self):
        """(number, test program or None) of every test. Programs of src/ alone: those of tests/ start the command."""
        told = json.loads(subprocess.check_output(["ctest", "--test-dir", self.build_folder, "--show-only=json-v1"]))
        for number, test in enumerate(told["tests"], 1):
            folder = next((item["value"] for item in test["properties"] if item["name"] == "WORKING_DIRECTORY"), "")
            of_room = pathlib.Path(folder).is_relative_to(self.build_folder / "src")
            yield number, pathlib.Path(test["command"][0]) if of_room else None

    def all_pass(self, passed=None):
        """`passed`: digests of programs whose tests are known to pass, and need not run."""
        costs = self.build_folder / "Testing" / "Temporary" / "CTestCostData.txt"
        rows = [line.split() for line in costs.read_text().splitlines()] if costs.exists() else []
        slow = "|".join(re.escape(row[0]) for row in rows if len(row) == 3 and float(row[2]) > SLOW)
        ctest = ["ctest", "--test-dir", str(self.build_folder), "-j2", "--stop-on-failure", "--timeout", str(ENDLESS)]
        if passed:
            programs = self.programs()
            same = {program for program, digest in passed.items() if programs.get(program) == digest}
            numbers = [str(number) for number, program in self.tests() if program not in same]
            ctest += ["-I", "0,0,0," + ",".join(numbers)]
        if not slow:
            return self.passes(ctest)
        return self.passes(ctest + ["-E", f"^({slow})$"]) and self.passes(ctest + ["-R", f"^({slow})$"])

    def passes(self, command, most_seconds=None):
        """True if it ends with 0 within that time. Whatever it started is ended with it."""
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        try:
            return process.wait(timeout=most_seconds) == 0
        except subprocess.TimeoutExpired:
            return False  # a loop that does not end is noticed
        finally:
            end_all_of(process.pid)
            process.wait()


class Record:
    """What came of each fault of one seed in one commit, in the order in which they were drawn."""

    def __init__(self, copy, seed):
        self.path = copy.build_folder / f"faults-{copy.commit[:12]}-{seed}.jsonl"
        self.earlier = []
        if self.path.exists():
            self.earlier = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]

    def outcome(self, place, fault, plant_it):
        """How the fault was noticed, from an earlier call or from planting it now."""
        if self.earlier:
            row = self.earlier.pop(0)
            assert (row["place"], row["fault"]) == (place, fault), "a record of other faults"
            return row["noticed"]
        noticed = plant_it()
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"place": place, "fault": fault, "noticed": noticed}) + "\n")
        return noticed


def plant(copy, path, number, fault, objects, passed):
    """None if the fault is none, else how it was noticed ("" if it was not)."""
    before = path.read_text(encoding="utf-8")
    lines = before.splitlines(keepends=True)
    lines[number] = fault + "\n"
    path.write_text("".join(lines), encoding="utf-8")
    test = copy.test_of(path)
    try:
        if test:
            if not copy.build(test):
                return None
            program = copy.build_folder / "bin" / test
            if not copy.passes([str(program), "--gtest_brief=1"], ENDLESS):
                return test
            passed = {**passed, program: digest_of(program)}
        if not copy.build("all") or copy.objects() == objects:
            return None
        return "" if copy.all_pass(passed) else "all"
    finally:
        path.write_text(before, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20, help="faults to plant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", help="folder of the copy (default: build/planted)")
    parser.add_argument("--data", help="models and images for the tests (TACIT_DATA)")
    parser.add_argument("--tested", action="store_true", help="do not test the commit itself: its tests are known to pass")
    parser.add_argument("--bar", type=float, default=0.95, help="share of faults to notice")
    options = parser.parse_args()
    checkout = pathlib.Path(__file__).resolve().parent.parent
    copy = Copy(checkout, options.work or checkout / "build" / "planted", options.data)
    record = Record(copy, options.seed)
    if not copy.build("all") or not (options.tested or record.earlier or copy.all_pass()):
        sys.exit("the tests do not pass without a fault")
    objects, programs = copy.objects(), copy.programs()
    choose = random.Random(options.seed)
    lines = candidates(copy.root)
    planted, unnoticed = 0, []
    while planted < options.count:
        path, number, faults = choose.choice(lines)
        fault = choose.choice(faults)
        place = f"{path.relative_to(copy.root)}:{number + 1}"
        noticed = record.outcome(place, fault, functools.partial(plant, copy, path, number, fault, objects, programs))
        if noticed is None:
            continue
        planted += 1
        print(f"{planted:4} {'NOT NOTICED' if noticed == '' else 'by ' + noticed:22} {place}: {fault.strip()}", flush=True)
        if noticed == "":
            unnoticed.append(place)
    print(f"{planted - len(unnoticed)} of {planted} noticed")
    sys.exit(0 if planted - len(unnoticed) >= options.bar * planted else 1)


if __name__ == "__main__":
    main()
