#!/usr/bin/env python3
"""Tests of check_refusals.py."""
import pathlib
import tempfile
import unittest

import check_refusals

SOURCE = 'refuse("the file {} is "\n       "damaged; copy it again");\n'


class Refusals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        (root / "src").mkdir()
        (root / "src" / "file.cpp").write_text(SOURCE)
        (root / "src" / "file_test.cpp").write_text('"only a test says this"')
        self.texts = check_refusals.texts_of(root)

    def found(self, line):
        return [words for _, words in check_refusals.findings(line, self.texts)]

    def test_words_across_two_literals_are_found(self):
        self.assertEqual(self.found('| "is damaged; copy it again" | meaning | next |'), [])

    def test_words_that_no_source_has_are_reported(self):
        self.assertEqual(self.found('| "is broken", "is damaged" | a "quoted" meaning | next |'), ["is broken"])

    def test_a_status_may_come_before_the_words(self):
        self.assertEqual(self.found('| 503 | "the queue is full" | come back |'), ["the queue is full"])
        self.assertEqual(self.found('| 411, 415 | "is damaged" | next |'), [])

    def test_tests_are_no_source(self):
        self.assertEqual(self.found('| "only a test says this" | meaning |'), ["only a test says this"])

    def test_other_lines_are_left_alone(self):
        self.assertEqual(self.found('He said "hello".'), [])
        self.assertEqual(self.found('| cell | "words in the second cell" |'), [])


if __name__ == "__main__":
    unittest.main()
