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


if __name__ == "__main__":
    unittest.main()
