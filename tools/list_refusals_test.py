#!/usr/bin/env python3
"""Tests of list_refusals.py."""
import unittest

from list_refusals import sentences_in


class ListRefusals(unittest.TestCase):
    def test_a_refusal_is_one_line_and_literals_of_one_string_are_joined(self):
        source = '''throw base::InputError(fmt::format("{}: has {} rows, "
                                                 "and {} fit", name, rows, most));'''
        self.assertEqual(sentences_in(source), ["{}: has {} rows, and {} fit"])

    def test_alternatives_are_separated_and_names_are_left_out(self):
        source = 'refuse_node(node, asked ? "its axes are private" : "its axes are missing", "axes");'
        self.assertEqual(sentences_in(source), ["its axes are private | its axes are missing"])

    def test_values_that_say_what_does_not_fit_are_refusals(self):
        source = 'return base::Infeasible{.what = fmt::format("needs {} levels", 3), .lack = Lack::levels}; log("not a refusal");'
        self.assertEqual(sentences_in(source), ["needs {} levels"])

    def test_comments_are_not_and_brackets_in_literals_do_not_count(self):
        source = '// throw InputError("in a comment only")\nfail("has no ( before it"); std::string text = "not a refusal";'
        self.assertEqual(sentences_in(source), ["has no ( before it"])

    def test_python_raises(self):
        source = 'def f():\n    # raise InputError("in a comment only")\n    raise InputError(f"{name}: is no model file")\n'
        self.assertEqual(sentences_in(source, python=True), ["{name}: is no model file"])


if __name__ == "__main__":
    unittest.main()
