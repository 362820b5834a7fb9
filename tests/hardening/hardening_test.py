"""Reads with readelf whether a program or a library was hardened.

    hardening_test.py READELF FILE

Prints one line for everything that is missing and ends with status 1 if there is any.
"""
import re
import subprocess
import sys


def missing(header, segments, dynamic, symbols):
    """What is missing, from what readelf -h, -l, -d and --dyn-syms print."""
    found = []
    if not re.search(r"^\s*Type:\s+DYN\b", header, re.M):
        found.append("it is not position independent (PIE)")
    if not re.search(r"^\s*GNU_RELRO\b", segments, re.M):
        found.append("nothing is made read-only after relocation (GNU_RELRO)")
    stack = re.search(r"^\s*GNU_STACK\s[^\n]*(?:\n[^\n]*)?", segments, re.M)
    if stack is None or re.search(r"\bRWE\b", stack[0]):
        found.append("its stack is executable (GNU_STACK)")
    if not re.search(r"\bBIND_NOW\b|\bFLAGS_1\b.*\bNOW\b", dynamic):
        found.append("functions are bound when they are called first, not at start (BIND_NOW)")
    if not re.search(r"\b__stack_chk_fail\b", symbols):
        found.append("no function guards its stack (__stack_chk_fail)")
    if not re.search(r"\b__\w+_chk\b", symbols):
        found.append("no copy is checked (_FORTIFY_SOURCE, __memcpy_chk and the like)")
    if not re.search(r"\b_ZSt21__glibcxx_assert_fail", symbols):
        found.append("no index of a vector is checked (_GLIBCXX_ASSERTIONS)")
    return found


def main(readelf, path):
    def read(option):
        return subprocess.run([readelf, "--wide", option, path], check=True, capture_output=True, text=True).stdout

    found = missing(read("-h"), read("-l"), read("-d"), read("--dyn-syms"))
    for what in found:
        print(f"{path}: {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
