"""Counts the vector instructions of a binary: the best that a build can use, not the instructions that run."""
import re
import shutil
import subprocess

FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
FEWEST = 50  # instructions: less is a library's memcpy


def count(lines, symbols=""):
    """Counts instructions by the set they need, in functions whose name contains `symbols`."""
    counts = dict.fromkeys(("AVX-512 IFMA", "AVX-512", "AVX2", "AVX"), 0)
    looking = not symbols
    for line in lines:
        function = FUNCTION.match(line)
        if function:
            looking = symbols in function.group(1)
            continue
        if not looking:
            continue
        fields = line.split("\t")
        if len(fields) < 2:
            continue
        text = fields[-1]
        if text.startswith("vpmadd52"):
            counts["AVX-512 IFMA"] += 1
        if "%zmm" in text:
            counts["AVX-512"] += 1
        elif "%ymm" in text:
            counts["AVX2" if text.startswith("vp") else "AVX"] += 1
    return counts


def held(counts):
    """Returns the counts as text, the widest first."""
    found = [name for name, number in counts.items() if number >= FEWEST]
    return ", ".join(found) if found else "no AVX"


def of(files, symbols=""):
    if not shutil.which("objdump"):
        return "not looked at: no objdump"
    if not files:
        return "not looked at: no binary found"
    total = {}
    for path in files:
        with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, errors="replace") as shown:
            for name, number in count(shown.stdout, symbols).items():
                total[name] = total.get(name, 0) + number
    return held(total)
