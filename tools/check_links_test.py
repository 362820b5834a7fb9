#!/usr/bin/env python3
import pathlib
import tempfile
import unittest

from check_links import anchor, anchors, findings_of, links


class CheckLinks(unittest.TestCase):
    def findings(self, text, others):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "docs").mkdir()
            for name, content in others.items():
                (root / name).write_text(content, encoding="utf-8")
            page = root / "docs" / "page.md"
            page.write_text(text, encoding="utf-8")
            return list(findings_of(page, root))

    def test_anchors_are_those_of_headings(self):
        self.assertEqual(anchor("What `a_b` is, and why [so](x.md)?"), "what-a_b-is-and-why-so")
        self.assertEqual(anchors("# One\n## Two\n```\n# no\n```\n## Two\n"), {"one", "two", "two-1"})

    def test_links_in_code_and_to_the_web_are_none(self):
        text = "[a](a.md) `[b](b.md)` [c](https://c)\n```\n[d](d.md)\n```\n![e](e%20f.png)\n"
        self.assertEqual(list(links(text)), [(1, "a.md"), (5, "e f.png")])

    def test_what_leads_nowhere_is_named_with_its_line(self):
        text = "# Here\n[a](../a.md#there) [b](#here) [c](../docs)\n\n[d](d.md)\n[e](../a.md#not) [f](../../f)\n"
        self.assertEqual(self.findings(text, {"a.md": "## There\n"}), [
            "docs/page.md:4: there is no d.md",
            "docs/page.md:5: a.md has no heading #not",
            "docs/page.md:5: there is no ../../f",
        ])


if __name__ == "__main__":
    unittest.main()
