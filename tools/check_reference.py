#!/usr/bin/env python3
"""Compares pages of the reference with the sources that they describe.

    tools/check_reference.py

- exit-statuses.md: its first table has the statuses of src/app/command_line.h, each once.
- environment.md: names every variable that programs of this repository read, and no variable of Tacit that none reads.
- compatibility.md: its table of files has the format versions of the sources.

Prints one line a finding and ends with 1 where there is one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "python", "tests", "tools", "bench", "examples")
STATUS = re.compile(r"inline constexpr int k\w+ = (\d+);")
READS = re.compile(r"(?:getenv|asked|named)\(\"([A-Z][A-Z_]+)\"|"
                   r"environ(?:\.get|\.setdefault)?[\[(]\"([A-Z_]+)\"(?!\] =)|"
                   r"\"([A-Z_]+)\" (?:not )?in os\.environ|"
                   r"\$ENV\{([A-Z_]+)\}")
# Rows of the table of files, and where their version is: a file and a pattern, whose group is the number.
HEXADECIMAL = r"Format = 0x[0-9A-Fa-f]{6}([0-9A-Fa-f]{2});"
VERSIONS = {
    "container of models, keys, ciphertexts and checkpoints": ("runtime/artefact.h", r"kArtefactVersion = (\d+)"),
    "program on slots": ("program/slots/serialize.cpp", HEXADECIMAL),
    "program on integers": ("program/integers/serialize.cpp", HEXADECIMAL),
    "client interface, CKKS": ("program/client_interface.cpp", HEXADECIMAL),
    "client interface, TFHE": ("program/integers/client_interface.cpp", HEXADECIMAL),
    "operators that the client runs": ("graph/serialize.cpp", HEXADECIMAL),
    "keys and ciphertexts, CKKS": ("scheme/ckks/serialize.cpp", r"kMagic\[\] = \{'T', 'C', 'K', '(\d)'\}"),
    "keys and ciphertexts, TFHE": ("scheme/tfhe/serialize.cpp", r"kMagic\[\] = \{'T', 'F', 'H', '(\d)'\}"),
    "kept inputs": ("session/owner/kept_inputs.cpp", HEXADECIMAL),
    "ranges, CKKS": ("session/owner/ranges_parts.h", r"tacit ranges (\d+)"),
    "ranges, TFHE": ("session/owner/ranges_parts.h", r"tacit integer ranges (\d+)"),
    "receipts": ("runtime/receipt.cpp", r"kFormatVersion = (\d+)"),
    "proofs and caps": ("merkle/proof_format.cpp", r"kVersion = (\d+)"),
}
NOT_LISTED = {"PATH", "PYTHONPATH", "TMPDIR", "IPYTHONDIR"}  # of every program


def statuses_of(header):
    return sorted({int(number) for number in STATUS.findall(header)})


def statuses_on(page):
    """The numbers in the first column of the first table."""
    table = re.search(r"(?:^\|.*\n)+", page, re.M)[0]
    return [int(number) for number in re.findall(r"^\| (\d+) \|", table, re.M)]


def variables_of(source):
    return {name for names in READS.findall(source) for name in names if name}


def variables_on(page):
    return set(re.findall(r"`([A-Z][A-Z_]{3,})`", page.partition("Options of the build")[0]))


def versions_in(source, pattern):
    """Every version that the pattern finds, as `1 and 2`."""
    return " and ".join(str(int(number, 16)) for number in re.findall(pattern, source))


def version_findings(page, read):
    """Compares the table of files; `read` gives a file of src/."""
    listed = dict(re.findall(r"^\| ([^|]+) \| (\d+(?: and \d+)*) \|$", page, re.M))
    for name, (file, pattern) in VERSIONS.items():
        versions = versions_in(read(file), pattern)
        if listed.get(name) != versions:
            yield f"compatibility.md has the version '{listed.get(name)}' for {name}, and {file} has '{versions}'"


def findings(header, statuses_page, sources, environment_page):
    wanted, there = statuses_of(header), statuses_on(statuses_page)
    if wanted != there:
        yield f"exit-statuses.md has the statuses {there}, and command_line.h has {wanted}"
    read = set().union(*(variables_of(source) for source in sources)) - NOT_LISTED
    listed = variables_on(environment_page)
    for name in sorted(read - listed):
        yield f"environment.md lacks {name}"
    for name in sorted(name for name in listed - read if name.startswith("TACIT_")):
        yield f"environment.md has {name}, which nothing reads"


def main():
    reference = ROOT / "docs" / "reference"
    sources = [path.read_text(encoding="utf-8") for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))
               if (path.suffix in (".cpp", ".h", ".py") or path.name == "CMakeLists.txt") and path.name != "check_reference_test.py"]
    found = list(findings((ROOT / "src/app/command_line.h").read_text(encoding="utf-8"),
                          (reference / "exit-statuses.md").read_text(encoding="utf-8"), sources,
                          (reference / "environment.md").read_text(encoding="utf-8")))
    found += version_findings((ROOT / "docs/compatibility.md").read_text(encoding="utf-8"),
                              lambda file: (ROOT / "src" / file).read_text(encoding="utf-8"))
    print("\n".join(found) if found else "statuses, variables and format versions are those of the sources")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
