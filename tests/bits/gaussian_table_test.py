"""The literals of src/ring/gaussian_table.h are those of the Gaussian, in 100 digits.

    gaussian_table_test.py HEADER
"""

import decimal
import pathlib
import re
import sys

TAIL = 19
Number = decimal.Decimal


def density_below(x, deviation):
    """P(0 < z < x) of a Gaussian, times a constant: exp(-t^2) times the sum of 2^n t^(2n + 1) / (2n + 1)!!, whose terms
    are all positive."""
    t = x / (deviation * Number(2).sqrt())
    term = total = t
    n = 0
    while term > Number(10) ** -100:
        n += 1
        term = term * 2 * t * t / (2 * n + 1)
        total += term
    return (-t * t).exp() * total


def main():
    decimal.getcontext().prec = 110
    text = pathlib.Path(sys.argv[1]).read_text(encoding="ascii")
    stated = [int(word, 16) for word in re.findall(r"\b0x[0-9a-f]{16}\b", text)]
    deviation = Number("3.19")
    half = density_below(TAIL + Number("0.5"), deviation)

    def below(x):
        """P(z < x), z restricted to the tail's range."""
        return (half + density_below(abs(x), deviation).copy_sign(x)) / (2 * half)

    computed = [int(below(k - TAIL + Number("0.5")) * 2**64) for k in range(2 * TAIL)]
    assert len(stated) == 2 * TAIL, f"{len(stated)} entries, expected {2 * TAIL}"
    for k, (found, expected) in enumerate(zip(stated, computed)):
        assert found == expected, f"entry {k} is {found:#018x}, expected {expected:#018x}"
    print(f"{len(stated)} entries")


if __name__ == "__main__":
    main()
