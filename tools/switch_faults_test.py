#!/usr/bin/env python3
"""What a file with all of its faults behind switches does, and what the compiler's objections leave out."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import switch_faults
except ImportError as missing:
    print(f"skipped: {missing}; pip install tree-sitter tree-sitter-cpp", file=sys.stderr)
    sys.exit(77)


def file_of(text):
    return switch_faults.File(pathlib.Path("src/a.cpp"), text.encode(), 0)


def faults(text):
    return [(right, wrong) for _, _, right, wrong, _ in file_of(text).sites.values()]


class Switches(unittest.TestCase):
    def test_every_operator_and_constant_has_its_faults(self):
        self.assertEqual(faults("int f(int a) { return a + 3; }"), [("3", "4"), ("a + 3", "a - 3")])
        self.assertEqual(faults("bool f(int a, int b) { return a < b; }"),
                         [("a < b", "a <= b"), ("a < b", "a > b"), ("a < b", "a >= b")])

    def test_what_the_running_program_has_no_value_of_stays(self):
        for text in ("static_assert(1 + 2 == 3);", "enum { a = 3 };", "int a[3];", "std::array<int, 3> a;",
                     "struct A { virtual int f() const = 0; };", "void f(int a) { switch (a) { case 3: break; } }"):
            self.assertEqual(faults(text), [], text)

    def test_ids_go_on_where_the_last_file_ended(self):
        text = "int f(int a) { return a + 3; }"
        first = file_of(text)
        second = switch_faults.File(pathlib.Path("src/b.cpp"), text.encode(), first.next_id)
        self.assertEqual([*first.sites, *second.sites], [0, 1, 2, 3])

    def test_a_program_has_the_fault_that_is_turned(self):
        source = file_of("""
            #include <algorithm>
            constexpr int kMost = 5;
            int f(int a, int b) { return std::min(a + b, kMost); }
            int main() { return f(1, 2); }
        """)
        wanted = {("a + b", "a - b"): 255, ("std::min(a + b, kMost)", "std::max(a + b, kMost)"): 5, ("2", "3"): 4,
                  ("1", "2"): 4, ("5", "6"): 3}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "switched.h").write_text(switch_faults.SWITCH)
            (root / "a.cpp").write_text(source.render())
            subprocess.run(["c++", "-std=c++20", "-include", root / "switched.h", root / "a.cpp", "-o", root / "a"],
                           check=True)
            marks = root / "marks"
            marks.write_bytes(bytes(switch_faults.MOST_FAULTS))
            environment = dict(os.environ, SWITCHED_REACHED=str(marks))
            self.assertEqual(subprocess.run([root / "a"], check=False, env=environment).returncode, 3)
            reached = [number for number, mark in enumerate(marks.read_bytes()) if mark]
            self.assertEqual(reached, sorted(source.sites))
            answers = {}
            for number, (_, _, right, wrong, _) in source.sites.items():
                environment = dict(os.environ, SWITCHED=str(number))
                answers[right, wrong] = subprocess.run([root / "a"], check=False, env=environment).returncode
            self.assertEqual(answers, wanted)

    def test_what_does_not_compile_is_left_out(self):
        source = file_of("int f(int a) { return a + 3; }\nint g(int a) { return a * 2; }\n")
        said = "/copy/src/a.cpp:1:20: error: no match for ‘operator-’ (operand types are ‘A’ and ‘int’)\n"
        self.assertEqual(switch_faults.leave_out([source], said, ": error"), 1)
        self.assertEqual([source.sites[number][3] for number in source.left_out], ["a - 3"])
        self.assertNotIn("a - 3", source.render())
        self.assertIn("a / 2", source.render())
        self.assertEqual(switch_faults.leave_out([source], "/copy/src/a.cpp:2:1: error: what", ": error"), 2)
        self.assertEqual(source.render().splitlines()[1], "int g(int a) { return a * 2; }")

    def test_constants_that_others_are_made_of_stay(self):
        source = file_of("constexpr int kMost = 5;\nint f() { return 7; }\n")
        self.assertIn("const int kMost = (", source.render())
        self.assertEqual(switch_faults.keep_constants([source], {"kMost", "kOther"}), 1)
        self.assertEqual(switch_faults.keep_constants([source], {"kMost"}), 0)
        self.assertEqual(source.render().splitlines()[0], "constexpr int kMost = 5;")

    def test_faults_are_looked_for_again_by_place_and_form(self):
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as listed:
            pathlib.Path(listed.name).write_text(
                '{"place": "src/a.cpp:1", "right": "3", "fault": "4", "reached": true, "noticed": false}\n'
                '{"place": "src/a.cpp:2", "right": "5", "fault": "6", "reached": true, "noticed": true}\n')
            self.assertEqual(switch_faults.faults_listed(listed.name), {("src/a.cpp", "3", "4")})


if __name__ == "__main__":
    unittest.main()
