#!/usr/bin/env python3
import unittest

from list_parameter_sets import Wrong, bounds_128, ckks_sets, key_bytes, python_value, runs, tfhe_sets, with_tables

CKKS = '''
leveled("N13-d4", 13, 36, 4, 30, 1, 47),  // a comment
bootstrapping(std::move(name), 16, 40, 3, {{{50}, times(3 + message, 40), {50, 29}, times(4, 47)}}, a, b);
bootstrapping("N15-S5", 15, 32, 2, {{{45}, times(2 + 5, 32), {45, 46}, {38, 41}}}, times(2, 48), {}, {1, 2}),
n16("S8", 8, times(12, 47), {13, 12}),
'''


class ListParameterSets(unittest.TestCase):
    def test_sets_are_those_of_the_source(self):
        sets = {s["name"]: s for s in ckks_sets(CKKS)}
        self.assertEqual(list(sets), ["N13-d4", "N15-S5", "S8"])
        self.assertEqual(sets["N13-d4"]["q"], [36, 30, 30, 30, 30])
        self.assertEqual((sets["N15-S5"]["levels"], sets["N15-S5"]["q"][-2:]), (5, [38, 41]))
        self.assertEqual((sets["S8"]["levels"], len(sets["S8"]["q"]), sets["S8"]["digits"]), (8, 18, [13, 12]))

    def test_a_key_has_a_row_for_every_digit_and_prime(self):
        self.assertEqual(key_bytes({"q": [36, 30, 30], "p": [47, 47], "digits": [], "log_n": 13}), 2 * 5 * 8192 * 8)

    def test_fields_of_tfhe_and_bounds(self):
        self.assertEqual(tfhe_sets('      {"T1", 1, 680, {17, 1}, -128},\n'), [["T1", 1, 680, [17, 1], -128]])
        self.assertEqual(bounds_128("kFirstLogN = 10; kTernary128[] = {26, 53};"), {10: 26, 11: 53})

    def test_other_code_is_refused(self):
        with self.assertRaises(Wrong):
            python_value("{open(1)}")

    def test_runs_and_tables(self):
        self.assertEqual(runs([50, 40, 40, 50]), "50, 2 x 40, 50")
        text = "a\n<!-- table: x -->\nold\n<!-- end of table -->\nb\n"
        self.assertEqual(with_tables(text, {"x": ["new"]}), text.replace("old", "new"))
        with self.assertRaises(Wrong):
            with_tables(text, {"y": []})


if __name__ == "__main__":
    unittest.main()
