#!/usr/bin/env python3
import pathlib
import re
import unittest

from bibliography import Wrong, citing_files, joined, page, unknown_citations

WORKS = {"Rings": [(r"Ada, Bob 2018", "A. Ada, B. Bob. On rings", "https://example.org")]}


class Bibliography(unittest.TestCase):
    def cited(self, *texts):
        return citing_files([(pathlib.Path(f"src/{i}.h"), joined(text)) for i, text in enumerate(texts)], WORKS)

    def test_a_citation_may_end_on_the_next_line_of_a_comment(self):
        cited = self.cited("/// As others do (Ada,\n/// Bob 2018).\n", "nothing")
        self.assertEqual(cited, {"Ada, Bob 2018": [pathlib.Path("src/0.h")]})
        self.assertIn("- A. Ada, B. Bob. On rings. <https://example.org>. Cited in `src/0.h`.", page(WORKS, cited))

    def test_an_unknown_work_is_named_with_its_file(self):
        with self.assertRaisesRegex(Wrong, r"src/0\.h: cites 'Carl et al\. 2019', which"):
            self.cited("Ada, Bob 2018; Carl et al. 2019")

    def test_a_work_that_nobody_cites_is_named(self):
        with self.assertRaisesRegex(Wrong, "no file cites 'Ada, Bob 2018'"):
            self.cited("nothing")

    def test_dates_are_no_citations(self):
        self.assertEqual(list(unknown_citations("November 2026, Debian 2024, Zen 5", [re.compile("x")])), [])
        self.assertEqual(list(unknown_citations("HEIR 2026.11.1 with Lattigo", [re.compile("x")])), [], "a version")
        self.assertEqual(list(unknown_citations("RFC 1234", [])), ["RFC 1234"])


if __name__ == "__main__":
    unittest.main()
