#!/usr/bin/env python3
"""Plants one violation at a time and expects the check of the client's half to name it."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import check_client


class PlantedTree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.plant("src/base/a.h", "#pragma once\n#include <string>\n")
        self.plant("src/base/a.cpp", '#include "base/a.h"\n\n#include <fmt/format.h>\n')
        self.plant("src/base/b.cpp", '#include <openssl/evp.h>\n#include "base/a.h"\n')
        self.plant("include/tacit/error.h", "#pragma once\n#include <stdexcept>\n")
        self.write_list("[everywhere]\nbase/a.cpp\n\n[native]\nbase/b.cpp\n[wasm]\n")

    def plant(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def write_list(self, text):
        self.plant(check_client.LIST, text)

    def expect_one(self, *words):
        found = check_client.check(self.root)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_clean_tree_has_no_finding(self):
        self.assertEqual(check_client.check(self.root), [])
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(check_client.main([str(self.root)]), 0)

    def test_packages_are_found_through_headers(self):
        self.plant("src/base/a.h", '#include "base/c.h"\n')
        self.plant("src/base/c.h", "#include <tbb/parallel_for.h>\n")
        self.expect_one("base/c.h", "<tbb/parallel_for.h>", "fmt/, nlohmann/")

    def test_a_package_is_of_one_part(self):
        self.write_list("[everywhere]\nbase/a.cpp\nbase/b.cpp\n")
        self.expect_one("base/b.cpp", "<openssl/evp.h>")

    def test_threads_are_refused(self):
        self.plant("include/tacit/error.h", "#include <thread>\n")
        self.plant("src/base/a.h", "#include <tacit/error.h>\n")
        self.expect_one("tacit/error.h", "<thread> needs threads")

    def test_the_system_is_for_files_with_a_name(self):
        self.plant("src/base/a.cpp", "#include <sys/mman.h>\n")
        self.expect_one("base/a.cpp", "<sys/mman.h>", "only base/secret_memory.cpp")

    def test_a_listed_file_exists(self):
        self.write_list("[everywhere]\nbase/a.cpp\nbase/z.cpp\n")
        self.expect_one("there is no src/base/z.cpp")

    def test_the_list_is_sorted(self):
        self.plant("src/base/0.cpp", "")
        self.write_list("[everywhere]\nbase/a.cpp\nbase/0.cpp\n")
        self.expect_one("[everywhere] is not sorted")

    def test_a_file_and_its_plain_form_exclude_each_other(self):
        self.plant("src/base/plain/a.cpp", "")
        self.write_list("[everywhere]\nbase/a.cpp\nbase/plain/a.cpp\n")
        self.expect_one("base/a.cpp", "plain")


if __name__ == "__main__":
    unittest.main()
