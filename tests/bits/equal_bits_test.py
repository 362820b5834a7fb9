"""Compares what the program of digests.cpp prints under each instruction set, and where compilers are to be compared, as
each of them builds it.

    equal_bits_test.py PROGRAM                      under each value of TACIT_ISA
    equal_bits_test.py PROGRAM --root SOURCES --archives LIBRARY ... --options=OPTION
                                                    as GCC and clang build it, at -O0, -O3, and -O3 with FMA
"""

import argparse
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# What computes with doubles between seeds and results, or draws samples. Kernels have flags of their own.
COMPILED = [
    "tests/bits/digests.cpp",
    "src/ring/sampler.cpp",
    "src/ring/embedding.cpp",
    "src/ring/uniform_row.cpp",
    "src/params/noise.cpp",
    "src/scheme/ckks/integer_polynomial.cpp",
]
LIBRARIES = ["-ltbb", "-lcrypto", "-lfmt"]
MISSING = "this processor lacks these instructions"


def digests(program, isa):
    environment = {name: value for name, value in os.environ.items() if name != "TACIT_ISA"}
    if isa:
        environment["TACIT_ISA"] = isa
    ended = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0 and MISSING in ended.stderr:
        return None
    assert ended.returncode == 0, f"{program}: {ended.stderr}"
    return ended.stdout


def compare(name, found, expected):
    differing = [a for a, b in zip(found.splitlines(), expected.splitlines()) if a != b]
    assert found == expected, f"{name}: other bits: {', '.join(line.rpartition(' ')[0] for line in differing)}"
    print(f"{name}: equal bits")


def compilers():
    names = ["g++"] + ["clang++"] + [f"clang++-{version}" for version in range(19, 13, -1)]
    found = [name for name in names if shutil.which(name)]
    clangs = [name for name in found if name.startswith("clang")]
    return [name for name in found if name not in clangs[1:]]


def builds():
    with_fma = platform.machine() == "x86_64" and " fma " in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    levels = [["-O0"], ["-O3"]] + ([["-O3", "-mavx2", "-mfma"]] if with_fma else [])
    return [(compiler, level) for compiler in compilers() for level in levels]


def build(folder, compiler, level, arguments):
    name = " ".join([compiler, *level])
    stem = name.replace(" ", "")
    include = [f"-I{arguments.root}/src", f"-I{arguments.root}/include"]
    flags = ["-std=c++20", "-w", *level, *filter(None, arguments.options.split(";")), *include]
    cached = ["ccache"] if shutil.which("ccache") else []
    objects = []
    for source in COMPILED:
        objects.append(f"{folder}/{stem}-{pathlib.Path(source).stem}.o")
        command = [*cached, compiler, *flags, "-c", f"{arguments.root}/{source}", "-o", objects[-1]]
        subprocess.run(command, check=True)
    # Objects before archives: symbols that they define are not looked for in these.
    program = f"{folder}/{stem}"
    # The archives hold these sources once more, compiled together with others: the first definition is taken.
    first = "-Wl,--allow-multiple-definition"
    subprocess.run([compiler, first, *objects, *arguments.archives, *LIBRARIES, "-o", program], check=True)
    return name, program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--root")
    parser.add_argument("--archives", nargs="+", default=[])
    parser.add_argument("--options", default="")
    arguments = parser.parse_args()
    expected = digests(arguments.program, None)
    exact = [line for line in expected.splitlines() if line.startswith("exact ")]
    assert exact == (HERE / "digests.txt").read_text(encoding="ascii").splitlines(), f"other digests: {exact}"
    if arguments.root is None:
        for isa in ("portable", "avx2", "avx512ifma"):
            found = digests(arguments.program, isa)
            if found is not None:
                compare(f"TACIT_ISA={isa}", found, expected)
        return
    with tempfile.TemporaryDirectory() as folder:
        for compiler, level in builds():
            name, program = build(folder, compiler, level, arguments)
            compare(name, digests(program, None), expected)


if __name__ == "__main__":
    sys.exit(main())
