#!/usr/bin/env python3
"""Plants all faults of some files at once, each behind a switch, and lists those that no test of their room notices.

    tools/switch_faults.py --work build/switched --test tacit_tensor_test --output tensor.jsonl src/tensor
    tools/switch_faults.py --work build/switched --test tacit_runtime_test --again tensor.jsonl --output rest.jsonl src/tensor

The faults are those of plant_faults.py. Every expression that one of them changes is written as a choice between the
right form and the wrong ones. The test programs are built once. Each of their tests is run once, to learn which
switches it reaches; then every switch is turned in turn, and the tests that reach it are run until one fails. What
does not compile behind a switch (an array's extent, a template's argument) is left out and counted. Needs the package
tree-sitter-cpp. A fault that no test of the room notices may still be noticed by others: the second call tries the
faults that the first one lists on another room's tests.
"""
import argparse
import bisect
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import tree_sitter
import tree_sitter_cpp

import plant_faults

INSTEAD = {word.strip(): [other.strip() for other in group if other != word]
           for group in plant_faults.GROUPS for word in group}
# Constants in these are no values of the running program.
SKIPPED = {
    "static_assert_declaration", "template_parameter_list", "template_argument_list", "alias_declaration",
    "using_declaration", "enumerator", "bitfield_clause", "requires_clause", "preproc_include", "preproc_def",
    "preproc_function_def", "preproc_if", "preproc_ifdef", "noexcept", "decltype", "concept_definition", "attribute",
    "string_literal", "raw_string_literal", "char_literal", "comment", "operator_name",
}
MOST_FAULTS = 1 << 17
SWITCH = """
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>
#undef MAP_TYPE  // a name in ONNX's headers
namespace switched {
inline constexpr int kMost = @MOST@;
inline unsigned char unread[kMost];
inline unsigned char* map_reached() {
  const char* path = std::getenv("SWITCHED_REACHED");
  if (path == nullptr) return unread;
  const int file = open(path, O_RDWR);
  void* memory = file < 0 ? MAP_FAILED : mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? unread : static_cast<unsigned char*>(memory);
}
inline unsigned char* const reached = map_reached();
inline const int turned = std::getenv("SWITCHED") == nullptr ? -1 : std::atoi(std::getenv("SWITCHED"));
inline bool reach(int id) {
  if (reached != nullptr) reached[id] = 1;  // null: a constant of another file, before this one is there
  return turned == id;
}
constexpr bool on(int id) { return __builtin_is_constant_evaluated() ? false : reach(id); }
}  // namespace switched
""".replace("@MOST@", str(MOST_FAULTS))


class File:
    """One source file, its faults and what it looks like with all of them behind switches."""

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))

    def __init__(self, path, text, next_id):
        self.path, self.text = path, text
        self.tree = self.parser.parse(text)
        self.left_out, self.kept_constants = set(), set()
        self.first_id = next_id
        self.word = "reach"  # "on" in functions that may be computed at compile time
        self.sites = {}  # id: (line, last line, text before, text after, operator or function put in)
        self.render()

    def render(self):
        """The text with switches. Ids are the same in every call."""
        self.next_id = self.first_id
        self.sites.clear()
        return self.emit(self.tree.root_node)

    def raw(self, node):
        return self.text[node.start_byte:node.end_byte].decode()

    def emit(self, node, live=True):
        live = live and node.type not in SKIPPED
        before = self.word
        if node.type == "function_definition":
            self.word = "on" if self.is_constexpr(node) else "reach"
        if node.type == "field_declaration":  # a default, maybe of a constexpr constructor
            self.word = "on"
        if node.type == "field_declaration" and self.raw(node).startswith("virtual "):  # = 0 is no number there
            live = False
        if node.type in ("declaration", "field_declaration"):
            text = self.emit_declaration(node, live)
        else:
            text = self.pieces(node, live)
        if live:
            text = self.switched(node, text)
        self.word = before
        return text

    def is_constexpr(self, node):
        return any(self.raw(child) == "constexpr" for child in node.children)

    def pieces(self, node, live):
        if not node.children:
            return self.raw(node)
        parts, at = [], node.start_byte
        constant_if = node.type == "if_statement" and any(child.type == "constexpr" for child in node.children)
        for child in node.children:
            parts.append(self.text[at:child.start_byte].decode())
            quiet = (constant_if and child.type == "condition_clause") or (
                node.type == "case_statement" and child == node.child_by_field_name("value")) or (
                node.type == "array_declarator" and child == node.child_by_field_name("size"))
            parts.append(self.emit(child, live and not quiet))
            at = child.end_byte
        parts.append(self.text[at:node.end_byte].decode())
        return "".join(parts)

    def emit_declaration(self, node, live):
        """A constant with a fault in it is computed when the program runs."""
        text = self.pieces(node, live)
        names = set(re.findall(r"(\w+)\s*(?:\[[^=]*)?[={]", self.raw(node)))
        if self.is_constexpr(node) and live and "switched::" in text:
            if names & self.kept_constants:
                return self.pieces(node, False)
            instead = "inline const" if node.type == "field_declaration" else "const"
            return re.sub(r"\bconstexpr\b", instead, text, count=1)
        return text

    def alternatives(self, node):
        """What faults make of the node, and the words that they put in."""
        raw = self.raw(node)
        if node.type == "binary_expression":
            word = self.raw(node.child_by_field_name("operator"))
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            return [(f"{self.raw(left)} {other} {self.raw(right)}", other) for other in INSTEAD.get(word, [])]
        if node.type == "update_expression":
            word = self.raw(node.child_by_field_name("operator"))
            return [(raw.replace(word, other), other) for other in INSTEAD[word]]
        if node.type == "call_expression":
            name = self.raw(node.child_by_field_name("function"))
            return [(raw.replace(name, other, 1), other) for other in INSTEAD.get(name, [])]
        if node.type == "number_literal" and raw.isdigit():
            return [(str(int(raw) + 1), "")]
        if node.type in ("true", "false"):
            return [(other, "") for other in INSTEAD[raw]]
        return []

    def switched(self, node, text):
        """Faulty forms have no switches in them: one fault at a time is turned on."""
        found = self.alternatives(node)
        if not found:
            return text
        choices = ""
        for faulty, word in found:
            number = self.next_id
            self.next_id += 1
            self.sites[number] = (node.start_point[0] + 1, node.end_point[0] + 1, self.raw(node), faulty, word)
            if number in self.left_out:
                continue
            flat = " ".join(re.sub(r"//[^\n]*", "", faulty).split())
            choices += f"switched::{self.word}({number}) ? ({flat}) : "
        return f"({choices}({text}))" if choices else text


def faults_listed(path):
    """Those that an earlier run has as not noticed: file, right and faulty form. Lines may have moved since."""
    rows = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    return {(row["place"].split(":")[0], row["right"], row["fault"]) for row in rows if not row["noticed"]}


class Room:
    """A copy of the checkout in which some files have switches, and its test program."""

    def __init__(self, checkout, work):
        self.root = pathlib.Path(work).resolve()
        plant_faults.check_out(checkout, self.root)
        self.build = self.root / "build" / "switched"
        header = self.root / "build" / "switched.h"
        header.parent.mkdir(exist_ok=True)
        if not header.exists() or header.read_text() != SWITCH:  # a new date would compile all anew
            header.write_text(SWITCH)
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.root, "-B", self.build, "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", f"-DCMAKE_CXX_FLAGS=-w -include {header}"],
                       check=True, stdout=subprocess.DEVNULL)  # compiling takes longer than the tests do

    def compile(self, targets):
        done = subprocess.run(["ninja", "-C", self.build, "-k", "0", *targets], check=False, capture_output=True, text=True)
        return done.returncode == 0, done.stdout + done.stderr


def leave_out(files, said, what):
    """Leaves out the faults in lines of which the compiler says `what`. Returns how many.

    Where it names an operator that the operands do not have, only the faults that put this one in.
    """
    count = 0
    for file in files:
        for number, message in set(re.findall(re.escape(str(file.path)) + r":(\d+):\d+" + what + "([^\n]*)", said)):
            line = int(number)
            here = {i for i, site in file.sites.items() if site[0] <= line <= site[1]} - file.left_out
            missing = re.search(r"(?:no match for|to binary) ‘operator([^ ’]+)’", message)
            if missing:
                here = {i for i in here if file.sites[i][4] == missing.group(1)} or here
            file.left_out |= here
            count += len(here)
    return count


def keep_constants(files, names):
    """Constants that stay as they are. Returns how many are new."""
    new = [(file, name) for file in files for name in names - file.kept_constants if name.encode() in file.text]
    for file, name in new:
        file.kept_constants.add(name)
    return len(new)


def build_with_switches(room, files, targets):
    """Leaves out what does not compile, until all does."""
    for attempt in range(40):
        for file in files:
            path = room.root / file.path
            text = file.render()
            if path.read_text() != text:
                path.write_text(text)
        good, said = room.compile(targets)
        if good:
            return
        (room.root / "build" / f"compiler-{attempt + 1}.log").write_text(said)
        needed = set(re.findall(r"the value of ‘(?:[^’\n]*::)?(\w+)’ is not usable", said))
        needed |= set(re.findall(r"error: ‘(\w+)’ is not captured", said))
        for lines in re.findall(r"error: [^\n]*(?:constant|variably-modified)[^\n]*\n[^\n]*", said):
            needed |= set(re.findall(r"\bk[A-Z]\w*", lines))
        progress = keep_constants(files, needed)  # what does not compile for want of them may compile then
        progress = progress or leave_out(files, said, r": error")
        progress = progress or leave_out(files, said, r": note: .*constant expression")
        if not progress and "Error running test executable" in said:  # a test's own constants are made before others
            for file in files:
                names = set(re.findall(r"\bconstexpr [^=;{(]*?(\w+) *[={]", file.text.decode()))
                progress += keep_constants([file], names)
        print(f"  attempt {attempt + 1}: {progress} left out", flush=True)
        if not progress:
            print("\n".join(line for line in said.splitlines() if ": error" in line))
            sys.exit("what is left does not compile")
    sys.exit("no end of what does not compile")


class Test:
    """One test of one program."""

    def __init__(self, program, name):
        self.program, self.name = program, name
        self.seconds = 0
        self.reached = []  # faults
        self.files = set()  # of faults that it reaches and others do not


def tests_of(program):
    found, suite = [], ""
    for line in subprocess.check_output([program, "--gtest_list_tests"], text=True).splitlines():
        line = line.split("#")[0].rstrip()
        if line.startswith("  "):
            found.append(Test(program, suite + line.strip()))
        elif line.endswith("."):
            suite = line
    return found


class Tests:
    """The tests of some programs, and which faults they reach."""

    def __init__(self, programs, files, data, jobs, seconds):
        self.files, self.seconds = files, seconds
        self.environment = dict(os.environ, TACIT_DATA=str(pathlib.Path(data).resolve())) if data else dict(os.environ)
        self.passing = []
        self.reaching = collections.defaultdict(list)  # fault: tests
        self.noticing = collections.defaultdict(collections.Counter)  # file: how many of its faults each test noticed
        tests = [test for program in programs for test in tests_of(program)]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for test, passed in zip(tests, pool.map(self.find_reached, tests)):
                if passed:
                    self.passing.append(test)
                else:
                    print(f"{test.name} does not pass without a fault: left out")
        for test in self.passing:
            for number in test.reached:
                self.reaching[number].append(test)
        for test in self.passing:  # constants are reached by all when the program starts
            own = (number for number in test.reached if len(self.reaching[number]) < len(self.passing))
            test.files = {self.file_of(number) for number in own}

    def file_of(self, number):
        return self.files[bisect.bisect(self.files, number, key=lambda file: file.first_id) - 1].path

    def failing(self, some, limit=300, **more):
        """The name of a test that fails, "" for none, "?" where it is not known. The tests are of one program."""
        command = [some[0].program, "--gtest_filter=" + ":".join(test.name for test in some), "--gtest_fail_fast"]
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run(command, check=False, cwd=folder, timeout=limit, env=dict(self.environment, **more),
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return "?"
        started = re.findall(rb"\[ RUN      \] (\S+)", done.stdout)
        return "" if done.returncode == 0 else started[-1].decode() if started else "?"

    def find_reached(self, test):
        """True if the test passes without a fault."""
        with tempfile.NamedTemporaryFile() as marks:
            marks.write(bytes(MOST_FAULTS))
            marks.flush()
            begin = os.times().elapsed
            passed = not self.failing([test], SWITCHED_REACHED=marks.name)
            test.seconds = os.times().elapsed - begin
            test.reached = [number for number, mark in enumerate(pathlib.Path(marks.name).read_bytes()) if mark]
        return passed

    def notice(self, number):
        """True if a test fails. First come those that noticed other faults of the file, then those that reach least."""
        file = self.file_of(number)
        usual = self.noticing[file]
        some, seconds = [], 0
        for test in sorted(self.reaching.get(number, ()), key=lambda test: (
                -usual[test.name], file not in test.files, len(test.reached))):
            if self.seconds is None or seconds + test.seconds <= self.seconds or not some:
                some.append(test)
                seconds += test.seconds
        first = [test for test in some if usual[test.name] > 0][:5]
        for part in (first, [test for test in some if test not in first]):
            for program in dict.fromkeys(test.program for test in part):
                these = [test for test in part if test.program == program]
                failed = self.failing(these, SWITCHED=str(number), limit=3 + 5 * sum(test.seconds for test in these))
                if failed:
                    usual[failed] += 1
                    return True
        return False


def sources_of(room, names):
    """Files with their faults numbered through, without tests and what they share."""
    paths = []
    for name in names:
        path = room.root / name
        paths += [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.suffix in (".cpp", ".h"))
    files, next_id = [], 0
    for path in paths:
        if "_test." not in path.name and "for_test" not in path.name:
            files.append(File(path.relative_to(room.root), path.read_bytes(), next_id))
            next_id = files[-1].next_id
    print(f"{next_id} faults in {len(files)} files", flush=True)
    if next_id > MOST_FAULTS:
        sys.exit(f"a run takes {MOST_FAULTS} faults at the most; name fewer files")
    return files, next_id


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", help="files and folders of src/, of one room")
    parser.add_argument("--work", required=True, help="folder of the copy, kept between calls")
    parser.add_argument("--test", required=True, action="append", help="a test program, like the room's tacit_tensor_test")
    parser.add_argument("--data", help="models and images for the tests (TACIT_DATA)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", help="an earlier --output: only faults that it has as not noticed")
    parser.add_argument("--draw", type=int, metavar="COUNT", help="only so many faults, drawn at random from the sources")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="of the tests that reach a fault, only so many seconds' worth of them")
    parser.add_argument("--output", help="a JSON line a fault: whether it was noticed, and whether a test reaches it")
    options = parser.parse_args()
    checkout = pathlib.Path(__file__).resolve().parent.parent
    room = Room(checkout, options.work)
    files, count = sources_of(room, options.sources)
    if options.draw:
        drawn = set(random.Random(options.seed).sample(range(count), options.draw))
        for file in files:
            file.left_out = set(file.sites) - drawn
    build_with_switches(room, files, options.test)
    programs = [room.build / "bin" / name for name in options.test]
    tests = Tests(programs, files, options.data, options.jobs, options.seconds)
    places = {}
    listed = faults_listed(options.again) if options.again else None
    for file in files:
        for number, (line, _, before, after, _) in file.sites.items():
            if number in file.left_out or (listed is not None and (str(file.path), before, after) not in listed):
                continue
            places[number] = (f"{file.path}:{line}", before, after)
    reached = sum(number in tests.reaching for number in places)
    print(f"{len(places)} behind switches, {reached} reached by {len(tests.passing)} tests", flush=True)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (number, key), noticed in zip(sorted(places.items()), pool.map(tests.notice, sorted(places))):
            place, before, after = key
            reached = number in tests.reaching
            rows.append({"place": place, "right": before, "fault": after, "reached": reached, "noticed": noticed})
            if not noticed:
                print(f"{'NOT NOTICED' if reached else 'not reached'} {place}: {before} -> {after}", flush=True)
    if options.output:
        pathlib.Path(options.output).write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(f"{sum(row['noticed'] for row in rows)} of {len(rows)} noticed by {', '.join(options.test)}")


if __name__ == "__main__":
    main()
