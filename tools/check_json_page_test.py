#!/usr/bin/env python3
import unittest

from check_json_page import names_in, names_of, section_of


class CheckJsonPage(unittest.TestCase):
    def test_names_are_those_of_all_depths_but_below_open_fields(self):
        self.assertEqual(names_of([{"a": [{"b": 1}], "parameters": {"c": 2}}, 3]), {"a", "b", "parameters"})

    def test_a_section_ends_at_the_next_one(self):
        page = "# Page\n## one\n`a[].b`, not c\n### below\n`d`\n## two\n`e`\n"
        self.assertEqual(names_in(section_of(page, "one")), {"a", "b", "d"})
        self.assertEqual(names_in(section_of(page, "two")), {"e"})
        with self.assertRaises(ValueError):
            section_of(page, "three")


if __name__ == "__main__":
    unittest.main()
