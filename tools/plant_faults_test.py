#!/usr/bin/env python3
"""Which faults a line can have, and which lines have none."""
import pathlib
import tempfile
import unittest

import plant_faults


class Faults(unittest.TestCase):
    def test_operators_and_constants_change_one_at_a_time(self):
        self.assertEqual(plant_faults.faults_of("x = a + 3;"), ["x = a - 3;", "x = a + 4;"])
        self.assertEqual(plant_faults.faults_of("if (a < b)"), ["if (a <= b)", "if (a > b)", "if (a >= b)"])
        self.assertEqual(plant_faults.faults_of("return true;"), ["return false;"])

    def test_names_literals_and_comments_stay(self):
        for line in ('say("a + 3");', "x1 = y2;", "auto trueish = x;", "// 3 + 4", "  #include <a>", "double x = 0x1p3;",
                     "bool operator==(const T&) const = default;", "case 3:"):
            self.assertEqual(plant_faults.faults_of(line), [], line)
        self.assertEqual(plant_faults.faults_of("f(2);  // 3"), ["f(3);  // 3"])

    def test_tests_are_not_planted_in(self):
        with tempfile.TemporaryDirectory() as folder:
            room = pathlib.Path(folder) / "src" / "base"
            room.mkdir(parents=True)
            for name in ("a.cpp", "a_test.cpp", "a_for_test.h", "a.txt"):
                (room / name).write_text("f(1);\n")
            self.assertEqual([path.name for path, _, _ in plant_faults.candidates(pathlib.Path(folder))], ["a.cpp"])

    def test_the_innermost_test_program_runs_first(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = object.__new__(plant_faults.Copy)
            copy.root = pathlib.Path(folder)
            copy.build_folder = copy.root / "build"
            (copy.build_folder / "bin").mkdir(parents=True)
            for room in ("session", "session_owner", "api", "app"):
                (copy.build_folder / "bin" / f"tacit_{room}_test").touch()
            for path, test in (("session/a.cpp", "session"), ("session/owner/slots/a.cpp", "session_owner"),
                               ("session/slots/a.cpp", "session"), ("app/api/slots/a.cpp", "api"), ("app/a.cpp", "app")):
                self.assertEqual(copy.test_of(copy.root / "src" / path), f"tacit_{test}_test", path)
            self.assertIsNone(copy.test_of(copy.root / "src" / "base" / "a.cpp"))


if __name__ == "__main__":
    unittest.main()
