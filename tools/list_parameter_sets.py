#!/usr/bin/env python3
"""Makes the tables of docs/reference/parameter-sets.md from the sources that define the sets.

    tools/list_parameter_sets.py [--write]

Reads src/params/named_sets.cpp (CKKS), src/params/tfhe_named_sets.cpp (TFHE) and src/params/security_table.cpp
(bounds). Compares the tables of the page with them, and ends with 1 if they differ. `--write` puts the tables into the
page.
"""
import argparse
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "parameter-sets.md"
PARAMS = ROOT / "src" / "params"
WORD_BYTES = 8
TILE = 64  # TfheParameters::key_switch_key_bytes fills columns up to it

PURPOSES = {
    "N13-d4": "linear models and squares",
    "N13-d5": "a level more than `N13-d4`, a smaller scale",
    "N14-d7": "two linear layers, a function of degree 31",
    "N14-d9": "two levels more than `N14-d7`, a smaller scale",
    "N15-d14": "three linear layers, two functions of degree 31",
    "N15-d15": "a level more than `N15-d14`, larger keys",
    "N16-d32": "six linear layers, five functions of degree 31",
    "N15-S5": "bootstraps in the smaller ring, a smaller scale",
    "S8": "bootstraps with the smallest keys at N = 2^16",
    "S11": "three levels more than `S8`, larger keys",
    "S14": "six levels more than `S8`, larger keys",
    "S15": "most levels between bootstraps",
    "P30": "precise bootstraps, larger keys",
}


class Wrong(ValueError):
    pass


def times(count, bits):
    return [bits] * count


def python_value(text):
    """A C++ initialiser of numbers, strings, lists and `times(a, b)` as a Python value."""
    allowed = re.compile(r"\"[^\"]*\"|times|[-\d.\s{}(),+]")
    if allowed.sub("", text):
        raise Wrong(f"these lines hold more than lists of numbers: {text.strip()}")
    return eval(text.replace("{", "[").replace("}", "]"), {"__builtins__": {}, "times": times})  # noqa: S307


def calls(source, name):
    """The arguments of every call of this function that begins with a name in quotes."""
    for found in re.finditer(rf"\b{name}\(\s*\"", source):
        depth, at = 1, found.end() - 1
        while depth:
            depth += {"(": 1, ")": -1}.get(source[at], 0)
            at += 1
        yield python_value("{" + source[found.end() - 1:at - 1] + "}")


def ckks_sets(source):
    """The named sets, in the order of the file: name, log_n, q, p, scale, digits, levels, bootstraps of each."""
    source = re.sub(r"//[^\n]*", "", source)
    sets = []
    for name, log_n, first, depth, scale, special, special_bits in calls(source, "leveled"):
        sets.append({"name": name, "log_n": log_n, "q": [first] + times(depth, scale),
                     "p": times(special, special_bits), "scale": scale, "digits": [], "levels": depth,
                     "bootstraps": False})
    for name, log_n, scale, down, (chain,), special, digits, _ in calls(source, "bootstrapping"):
        sets.append({"name": name, "log_n": log_n, "q": [bits for part in chain for bits in part], "p": special, "scale": scale, "digits": digits,
                     "levels": len(chain[1]) - down, "bootstraps": True})
    common = re.search(r"\{\{\{(\d+)\}, times\((\d+) \+ message, (\d+)\), (\{[^}]*\}), (times\([^)]*\))\}\}", source)
    if not common:
        raise Wrong("the sets of N = 2^16 have no common chain")
    for name, message, special, digits in calls(source, "n16"):
        q = [int(common[1])] + times(int(common[2]) + message, int(common[3]))
        q += python_value(common[4]) + python_value(common[5])
        sets.append({"name": name, "log_n": 16, "q": q, "p": special, "scale": int(common[3]), "digits": digits,
                     "levels": message, "bootstraps": True})
    return sets


def tfhe_sets(source):
    """The fields of every literal, in its order."""
    return [python_value("{" + row + "}") for row in re.findall(r"^\s*\{(\"T[^\n]*)\},$", source, re.M)]


def bounds_128(source):
    """The largest log2(QP) by log2(N)."""
    first = int(re.search(r"kFirstLogN = (\d+)", source)[1])
    values = re.search(r"kTernary128\[\] = \{([^}]*)\}", source)[1]
    return {first + i: int(value) for i, value in enumerate(values.split(","))}


def runs(bits):
    """Equal neighbours as COUNT x BITS."""
    parts, at = [], 0
    while at < len(bits):
        end = at
        while end < len(bits) and bits[end] == bits[at]:
            end += 1
        parts.append(f"{end - at} x {bits[at]}" if end - at > 1 else str(bits[at]))
        at = end
    return ", ".join(parts)


def key_bytes(chosen):
    """Bytes that one key of a key switch holds at the top level: params::Account::half_key_bytes."""
    digits = chosen["digits"] or [len(chosen["p"])] * math.ceil(len(chosen["q"]) / len(chosen["p"]))
    return len(digits) * (len(chosen["q"]) + len(chosen["p"])) * 2**chosen["log_n"] * WORD_BYTES


def ckks_table(sets, bounds):
    lines = ["| name | N | slots | levels | scale | primes, from the lowest | special primes | log QP; bound | a key | "
             "bootstraps | for |", "| --- " * 11 + "|"]
    for s in sets:
        lines.append(f"| `{s['name']}` | 2^{s['log_n']} | {2**(s['log_n'] - 1):,} | {s['levels']} | 2^{s['scale']} | "
                     f"{runs(s['q'])} | {runs(s['p'])} | {sum(s['q']) + sum(s['p'])}; {bounds[s['log_n']]} | "
                     f"{key_bytes(s) / 1e6:.1f} MB | {'yes' if s['bootstraps'] else 'no'} | {PURPOSES[s['name']]} |")
    return lines


def tfhe_table(sets):
    lines = ["| name | bits | failure | 2-norm | n | k N | extension | keys in memory |", "| --- " * 8 + "|"]
    for name, bits, norm, lwe, glwe, log_polynomial, extension, _, _, boot, switch, _, failure in sets:
        polynomial = 2**log_polynomial
        memory = lwe * (glwe + 1)**2 * boot[1] * polynomial * 8
        memory += glwe * polynomial * switch[1] * math.ceil((lwe + 1) / TILE) * TILE * 4
        lines.append(f"| `{name}` | {bits} | 2^{failure} | {norm} | {lwe} | {glwe} x {polynomial} | {2**extension} | "
                     f"{memory / 1e6:.0f} MB |")
    return lines


def with_tables(text, tables):
    """The page with the lines between `<!-- table: NAME -->` and `<!-- end of table -->` made anew."""
    for name, lines in tables.items():
        block = re.compile(rf"(<!-- table: {name} -->\n).*?(<!-- end of table -->)", re.S)
        if not block.search(text):
            raise Wrong(f"the page has no place for the table '{name}'")
        made = "\n".join(lines) + "\n"
        text = block.sub(lambda found, made=made: found[1] + made + found[2], text)
    return text


def tables():
    read = lambda name: (PARAMS / name).read_text(encoding="utf-8")
    return {"ckks": ckks_table(ckks_sets(read("named_sets.cpp")), bounds_128(read("security_table.cpp"))),
            "tfhe": tfhe_table(tfhe_sets(read("tfhe_named_sets.cpp")))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    arguments = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    wanted = with_tables(text, tables())
    if arguments.write:
        PAGE.write_text(wanted, encoding="utf-8")
    elif wanted != text:
        sys.exit(f"{PAGE.relative_to(ROOT)} is out of date: run tools/list_parameter_sets.py --write")


if __name__ == "__main__":
    main()
