#!/usr/bin/env python3
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import changed

FILES = {
    "src/base/CMakeLists.txt": "tacit_room(base)\n",
    "src/base/text.cpp": "", "src/base/text.h": "", "src/base/only.h": "", "src/base/README.md": "",
    "src/app/CMakeLists.txt": "add_subdirectory(api)\ntacit_room(app DEPENDS base)\n", "src/app/main.cpp": "",
    "src/app/commands/run.cpp": "",
    "src/app/api/CMakeLists.txt": "add_executable(tacit_api_test ${tests})\n", "src/app/api/model.cpp": "",
    "src/app/python/CMakeLists.txt": "pybind11_add_module(tacit_python)\n", "src/app/python/module.cpp": "",
    "include/tacit/tacit.h": "", "docs/errors.md": "", "CMakeLists.txt": "add_executable(tacit_any_test)\n", "src/lonely.cpp": "",
}


class Checkout(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text="changed\n"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Selection(Checkout):
    def test_a_file_belongs_to_the_nearest_room(self):
        for file, program in {
            "src/base/text.cpp": "tacit_base_test", "src/base/deeper/still/new.cpp": "tacit_base_test",
            "src/app/commands/run.cpp": "tacit_app_test", "src/app/api/model.cpp": "tacit_api_test",
            "src/app/python/module.cpp": "tacit_app_test", "include/tacit/tacit.h": "tacit_api_test",
            "docs/errors.md": None, "src/lonely.cpp": None, "CMakeLists.txt": None,
        }.items():
            with self.subTest(file):
                self.assertEqual(changed.test_program(self.root, file), program)

    def test_programs_are_named_once_and_pages_name_none(self):
        files = ["src/base/text.cpp", "src/base/text.h", "src/app/README.md", "src/app/main.cpp"]
        self.assertEqual(changed.test_programs(self.root, files), ["tacit_app_test", "tacit_base_test"])
        self.assertEqual(changed.test_programs(self.root, ["src/base/README.md", "bench/tool.py", "docs/errors.md"]), [])

    def test_a_header_stands_for_its_source(self):
        files = ["src/base/text.h", "src/base/text.cpp", "src/base/only.h", "src/base/gone.cpp", "docs/errors.md"]
        self.assertEqual(changed.sources(self.root, files), ["src/base/text.cpp"])


class Base(Checkout):
    def git(self, *arguments):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=n", "-c", "user.email=e", *arguments], check=True, capture_output=True)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def setUp(self):
        super().setUp()
        with self.assertRaises(changed.Wrong):
            changed.changed_files(self.root)
        self.git("init", "-q", "-b", "main")
        self.commit("first")

    def test_one_commit_without_changes_has_none(self):
        self.assertEqual(changed.changed_files(self.root), [])

    def test_a_clean_main_is_compared_with_the_commit_before(self):
        self.write("src/base/text.cpp")
        self.commit("second")
        self.assertEqual(changed.changed_files(self.root), ["src/base/text.cpp"])

    def test_work_on_main_is_compared_with_the_last_commit(self):
        self.write("src/base/text.cpp")
        self.commit("second")
        self.write("src/app/main.cpp")
        self.write("src/base/new.cpp")
        (self.root / "src/base/only.h").unlink()
        self.assertEqual(changed.changed_files(self.root), ["src/app/main.cpp", "src/base/new.cpp", "src/base/only.h"])

    def test_a_branch_is_compared_with_where_it_left_main(self):
        self.git("checkout", "-q", "-b", "work")
        self.write("src/base/text.cpp")
        self.commit("second")
        self.git("checkout", "-q", "main")
        self.write("docs/errors.md")
        self.commit("of another")
        self.git("checkout", "-q", "work")
        self.write("src/app/main.cpp")
        self.assertEqual(changed.changed_files(self.root), ["src/app/main.cpp", "src/base/text.cpp"])
        self.assertEqual(changed.changed_files(self.root, "HEAD"), ["src/app/main.cpp"])
        with self.assertRaisesRegex(changed.Wrong, "no commit nonsense"):
            changed.changed_files(self.root, "nonsense")

    def test_ignored_files_do_not_count(self):
        self.write(".gitignore", "/build/\n")
        self.write("build/made.cpp")
        self.assertEqual(changed.changed_files(self.root), [".gitignore"])


if __name__ == "__main__":
    if not shutil.which("git"):
        print("skipped: there is no git")
        sys.exit(77)
    unittest.main()
