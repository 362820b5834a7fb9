#!/usr/bin/env python3
import contextlib
import io
import subprocess
import sys
import unittest

from run_documentation import absent_modules, marked_blocks, shell_script


class MarkedBlocks(unittest.TestCase):
    def test_takes_marked_shell_blocks_only(self):
        page = "```sh\nno\n```\n<!-- tested -->\n```sh\none\ntwo\n```\ntext\n<!-- tested -->\n```sh\nthree\n```\n"
        self.assertEqual(marked_blocks(page), [("sh", "one\ntwo"), ("sh", "three")])

    def test_a_mark_without_a_block_is_an_error(self):
        for page in ("<!-- tested -->", "<!-- tested -->\n\n```sh\n```", "<!-- tested -->\n```sh\nendless", "<!-- tested -->\n```c\n```"):
            with self.subTest(page), self.assertRaises(ValueError):
                marked_blocks(page)

    def test_python_blocks_are_programs_of_their_own(self):
        page = "<!-- tested -->\n```sh\nx=3\n```\n<!-- tested -->\n```python\nprint('$x', \"it's\", 6 * 7)\n```\n"
        blocks = marked_blocks(page)
        self.assertEqual(blocks[1][0], "python")
        script = shell_script(blocks, sys.executable)
        done = subprocess.run(["bash", "-eu", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "$x it's 42\n")
        left_out = subprocess.run(["bash", "-eu", "-c", shell_script(blocks, None)], capture_output=True, text=True, check=True)
        self.assertIn("left out", left_out.stdout)
        failing = shell_script([("python", "raise SystemExit(3)"), ("sh", "echo on")], sys.executable)
        self.assertEqual(subprocess.run(["bash", "-eu", "-c", failing], check=False).returncode, 3)

    def test_a_page_names_the_modules_that_it_needs(self):
        page = "<!-- tested with json no_such_module -->\n"
        self.assertEqual(absent_modules(page, sys.executable), ["no_such_module"])
        self.assertEqual(absent_modules("<!-- tested -->\n", sys.executable), [])

    def test_a_block_names_the_modules_that_it_needs(self):
        page = "<!-- tested with no_such_module -->\n```python\none\n```\n<!-- tested -->\n```sh\ntwo\n```\n"
        self.assertEqual(absent_modules(page, sys.executable), [])
        self.assertEqual(marked_blocks(page), [("python", "one"), ("sh", "two")])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(marked_blocks(page, lambda names: names), [("sh", "two")])
        self.assertIn("line 2", said.getvalue())
        self.assertIn("no_such_module", said.getvalue())


if __name__ == "__main__":
    unittest.main()
