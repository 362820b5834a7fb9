#!/usr/bin/env python3
"""Writes the declarations of include/tacit/client_c.h for ctypes, which the Python package tacit-client calls.

    tools/client_declarations.py [--write]

Compares python/client/tacit_client/_declarations.py with the header, and ends with 1 where they differ; with --write it writes the file.
"""
import argparse
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "tacit" / "client_c.h"
MODULE = ROOT / "python" / "client" / "tacit_client" / "_declarations.py"
PLAIN = {"int": "c_int", "size_t": "c_size_t", "uint64_t": "c_uint64", "TacitStatus": "c_int"}
POINTED = {"char": "c_char_p", "void": "c_void_p", "uint8_t": "POINTER(c_uint8)", "int64_t": "POINTER(c_int64)",
           "double": "POINTER(c_double)"}
HEAD = '''"""The declarations of tacit/client_c.h. tools/client_declarations.py --write makes this file."""

# ruff: noqa: E501
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint8, c_uint64, c_void_p

'''


def type_of(text, structures):
    """The ctypes type of `const uint8_t* name`, `const uint8_t root[32]` or `size_t name`."""
    text = re.sub(r"\bconst\b", "", text)
    stars = text.count("*") + text.count("[")
    name = re.match(r"\s*(\w+)", text).group(1)
    if stars == 0:
        return "None" if name == "void" else PLAIN.get(name) or name
    if stars == 1:
        return POINTED.get(name) or (f"POINTER({name})" if name in structures else "c_void_p")
    return "POINTER(c_void_p)"  # the place of an opaque object


def parameters(text, structures):
    return [type_of(one, structures) for one in text.split(",") if one.strip() not in ("", "void")]


def declarations(header):
    """The Python module for a header."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    structures = re.findall(r"typedef struct \w+ \{.*?\} (\w+);", text, re.S)
    lines = []
    statuses = re.search(r"typedef enum TacitStatus \{(.*?)\}", text, re.S).group(1)
    for name, value in re.findall(r"TACIT_(\w+) = (\d+)", statuses):
        lines.append(f"{name} = {value}")
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.S):
        fields = []
        for field in filter(None, (one.strip() for one in body.split(";"))):
            function = re.fullmatch(r"(\w+) \(\*(\w+)\)\((.*)\)", field, re.S)
            if function:
                result, field_name, arguments = function.groups()
                fields.append((field_name, f"CFUNCTYPE({', '.join([PLAIN[result], *parameters(arguments, structures)])})"))
            else:
                fields.append((re.search(r"(\w+)$", field).group(1), type_of(field, structures)))
        lines += ["", "", f"class {name}(Structure):", "    _fields_ = ["]
        lines += [f'        ("{field}", {kind}),' for field, kind in fields] + ["    ]"]
    lines += ["", "", "#: The result and the arguments of each function.", "FUNCTIONS = {"]
    for result, name, arguments in re.findall(r"TACIT_CLIENT_API ((?:const )?\w+\*?) (\w+)\((.*?)\);", text, re.S):
        lines.append(f'    "{name}": ({type_of(result, structures)}, [{", ".join(parameters(arguments, structures))}]),')
    return HEAD + "\n".join(lines + ["}", ""])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    wanted = declarations(HEADER.read_text(encoding="utf-8"))
    if options.write:
        MODULE.write_text(wanted, encoding="utf-8")
        return 0
    found = MODULE.read_text(encoding="utf-8")
    sys.stdout.writelines(difflib.unified_diff(found.splitlines(True), wanted.splitlines(True), str(MODULE), str(HEADER)))
    return int(found != wanted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
