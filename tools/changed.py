#!/usr/bin/env python3
"""Lists what a change concerns: the sources that differ from a base commit, or the unit test programs of their rooms.

    tools/changed.py sources [--base COMMIT]
    tools/changed.py tests [--base COMMIT]

A new file counts as changed, unless git ignores it. The base is the commit where your branch left `origin/HEAD`, or `main` without a
remote. Without new commits on the branch the base is the last commit if a file differs from it, otherwise the one before.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST_PROGRAM = re.compile(r"^\s*(?:tacit_room\((\w+)|add_executable\(tacit_(\w+)_test\b)", re.M)


class Wrong(Exception):
    pass


def git(root, *arguments):
    """The lines that git prints, or None if it fails."""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], check=False, capture_output=True, text=True)
    except FileNotFoundError:
        raise Wrong("there is no git: sudo apt install git") from None
    return done.stdout.splitlines() if done.returncode == 0 else None


def base_commit(root):
    """The commit to compare with, or None in a repository whose only commit has no changes."""
    head = git(root, "rev-parse", "HEAD")
    if head is None:
        raise Wrong("this is no checkout of git, or it has no commit")
    for branch in ("origin/HEAD", "main"):
        base = git(root, "merge-base", "HEAD", branch)
        if base is not None:
            if base != head:
                return base[0]
            break
    if git(root, "status", "--porcelain"):
        return head[0]
    earlier = git(root, "rev-parse", "HEAD~1")
    return earlier[0] if earlier else None


def changed_files(root, base=None):
    """Paths that differ from the base commit, removed ones too, and those that git does not track; sorted."""
    base = base or base_commit(root)
    if base is None:
        return []
    differing = git(root, "diff", "--name-only", "--no-renames", base)
    if differing is None:
        raise Wrong(f"git knows no commit {base}")
    return sorted({*differing, *git(root, "ls-files", "--others", "--exclude-standard")})


def sources(root, files):
    """The files that a compiler reads by themselves. A header stands for the source of its name, if there is one."""
    found = set()
    for file in map(pathlib.PurePosixPath, files):
        if file.suffix in (".cpp", ".h") and (root / file.with_suffix(".cpp")).is_file():
            found.add(str(file.with_suffix(".cpp")))
    return sorted(found)


def test_program(root, file):
    """The program of the unit tests of a file in src/, include/ or bench/, or None. It is named by the nearest list of CMake above
    the file that declares one."""
    file = pathlib.PurePosixPath(file)
    if file.parts[0] == "include":
        return "tacit_api_test"
    if file.parts[0] not in ("src", "bench"):
        return None
    for folder in file.parents:
        declared = root / folder / "CMakeLists.txt"
        found = TEST_PROGRAM.search(declared.read_text(encoding="utf-8")) if declared.is_file() else None
        if found and folder.parts:
            return f"tacit_{found[1] or found[2]}_test"
    return None


def test_programs(root, files):
    """The programs of all files. Pages and scripts change no program."""
    found = {test_program(root, file) for file in files if not file.endswith((".md", ".py"))}
    return sorted(found - {None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("sources", "tests"))
    parser.add_argument("--base", metavar="COMMIT")
    options = parser.parse_args()
    try:
        files = changed_files(ROOT, options.base)
    except Wrong as error:
        print(f"changed: {error}", file=sys.stderr)
        return 1
    lines = sources(ROOT, files) if options.what == "sources" else test_programs(ROOT, files)
    print("".join(line + "\n" for line in lines), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
