#!/usr/bin/env python3
import unittest

from run_documentation import marked_blocks


class MarkedBlocks(unittest.TestCase):
    def test_takes_marked_shell_blocks_only(self):
        page = "```sh\nno\n```\n<!-- tested -->\n```sh\none\ntwo\n```\ntext\n<!-- tested -->\n```sh\nthree\n```\n"
        self.assertEqual(marked_blocks(page), ["one\ntwo", "three"])

    def test_a_mark_without_a_block_is_an_error(self):
        for page in ("<!-- tested -->", "<!-- tested -->\n\n```sh\n```", "<!-- tested -->\n```sh\nendless"):
            with self.subTest(page), self.assertRaises(ValueError):
                marked_blocks(page)


if __name__ == "__main__":
    unittest.main()
