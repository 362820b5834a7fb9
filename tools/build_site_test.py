#!/usr/bin/env python3
import pathlib
import tempfile
import unittest

import reference_pages
from build_site import dead_links, index_of, with_pages_for_folders

PAGE = '<h1 id="top">T</h1><a href="{0}">x</a><img src="{1}">'


class BuildSite(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name).resolve()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_dead_links_are_found(self):
        self.write("index.html", PAGE.format("sub/#top", "https://elsewhere/x.png"))
        self.write("sub/index.html", PAGE.format("../index.html#bottom", "absent.png"))
        self.assertEqual(list(dead_links(self.root)), [
            "sub/index.html: ../index.html#bottom names no place of that page",
            "sub/index.html: there is no absent.png",
        ])

    def test_folders_that_are_linked_have_pages(self):
        self.write("examples/b.cpp", "")
        self.write("examples/a.md", "# About\n")
        self.assertEqual(index_of(self.root / "examples"), "# Examples\n\n- [About](a.md)\n- [b.cpp](b.cpp)\n")
        text = "[e](examples) [f](examples/) [g](examples/b.cpp)\n```\n[h](examples) in code\n```\n"
        self.assertEqual(
            with_pages_for_folders(text, self.root),
            "[e](examples/README.md) [f](examples/README.md) [g](examples/b.cpp)\n```\n[h](examples) in code\n```\n")

    def test_the_reference_is_made_of_headers_and_docstrings(self):
        self.write("include/tacit/a.h", "#pragma once\n\n/// Of a.\nint a();\n")
        self.write("python/tacit/m.py", '"""Module."""\ndef f(x: int = 1) -> str:\n    """Does."""\n'
                                        'class C:\n    """Is."""\n    @property\n    def p(self): "Has."\n    def _q(self): ...\n')
        self.assertIn("## tacit/a.h\n\n```cpp\n/// Of a.\nint a();\n```", reference_pages.cpp_page(self.root))
        python = reference_pages.python_page(self.root)
        for part in ("## Module m", "```python\nf(x: int=1) -> str\n```", "Does.", "### C", "#### C.p", "Has."):
            self.assertIn(part, python)
        self.assertNotIn("_q", python)


if __name__ == "__main__":
    unittest.main()
