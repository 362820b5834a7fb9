#!/usr/bin/env python3
import unittest

from check_quotes import Wrong, check_page, region

SOURCE = """int f() {
  // guide: body
  if (x) {
    y();
  }
  // guide: end
  return 1;
}
"""


def read(path):
    if path != "a.cpp":
        raise Wrong("no such file")
    return SOURCE


def page(mark, block):
    return f"words\n{mark}\n```cpp\n{block}\n```\nmore\n"


class CheckPage(unittest.TestCase):
    def findings(self, mark, block):
        return check_page(page(mark, block), read)[0]

    def test_a_named_region_may_lose_its_indentation(self):
        self.assertEqual(region(SOURCE, "body"), ["if (x) {", "  y();", "}"])
        self.assertEqual(self.findings("<!-- from a.cpp: body -->", "if (x) {\n  y();\n}"), [])

    def test_a_region_that_changed_is_found_and_written(self):
        findings, corrected = check_page(page("<!-- from a.cpp: body -->", "if (x) {\n  z();\n}"), read)
        self.assertEqual(findings, [(3, "differs from region 'body' of a.cpp")])
        self.assertEqual(corrected, page("<!-- from a.cpp: body -->", "if (x) {\n  y();\n}"))

    def test_lines_are_found_by_their_content(self):
        self.assertEqual(self.findings("<!-- from a.cpp -->", "  y();\n}"), [])
        self.assertEqual(self.findings("<!-- from a.cpp -->", "int f() {\n// …\n  return 1;\n}"), [])
        self.assertEqual(len(self.findings("<!-- from a.cpp -->", "return 1;\n// …\nint f() {")), 1)
        self.assertEqual(len(self.findings("<!-- from a.cpp -->", "int f() {\n  return 1;")), 1)

    def test_marks_without_a_block_a_file_or_a_region_are_errors(self):
        self.assertEqual(check_page("<!-- from a.cpp -->\nwords\n", read)[0], [(1, "no block follows the mark")])
        self.assertEqual(check_page("<!-- from a.cpp -->\n", read)[0], [(1, "no block follows the mark")])
        self.assertEqual(self.findings("<!-- from b.cpp -->", "x"), [(3, "b.cpp: no such file")])
        self.assertEqual(self.findings("<!-- from a.cpp: head -->", "x"), [(3, "a.cpp: there is no region 'head'")])
        self.assertEqual(check_page("```cpp\nx\n", read)[0], [(1, "the block never ends")])

    def test_c_plus_plus_that_is_quoted_from_nowhere_is_an_error(self):
        self.assertEqual(check_page("```cpp\nx\n```\n", read)[0], [(1, "C++ that is quoted from no file")])
        self.assertEqual(check_page("```text\nx\n```\n", read)[0], [])


if __name__ == "__main__":
    unittest.main()
