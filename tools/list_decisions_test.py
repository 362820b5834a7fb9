#!/usr/bin/env python3
import unittest

from list_decisions import Wrong, heads, index

ONE = ("0001-a.md", "# 0001: Slots repeat\n\n2026-11-21.\n\ntext\n")
TWO = ("0002-b.md", "# 0002: Low levels\n\n2026-11-22.\n\ntext\n")


class ListDecisions(unittest.TestCase):
    def test_every_page_stands_under_its_topic(self):
        text = index([ONE, TWO], {"Levels": ["0002"], "Layouts": ["0001"]})
        self.assertIn("## Levels\n\n| | decision | date |\n| --- | --- | --- |\n"
                      "| 0002 | [Low levels](0002-b.md) | 2026-11-22 |\n\n## Layouts\n", text)

    def test_a_page_has_one_topic_and_a_topic_has_pages(self):
        for topics in ({"A": ["0001"]}, {"A": ["0001", "0002"], "B": ["0001"]}, {"A": ["0001", "0002", "0003"]}):
            with self.assertRaises(Wrong):
                index([ONE, TWO], topics)

    def test_other_forms_and_equal_numbers_are_refused(self):
        for pages in ([("0003-c.md", ONE[1])], [("0001-a.md", "# Slots repeat (2026-11-21)\n")],
                      [ONE, ("0001-b.md", ONE[1])]):
            with self.assertRaises(Wrong):
                heads(pages)


if __name__ == "__main__":
    unittest.main()
