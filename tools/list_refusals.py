#!/usr/bin/env python3
"""Lists the sentences of refusals that the sources have, so that a change of one is read where it is reviewed.

    tools/list_refusals.py [--write]

Compares tests/refusals.txt with the sources, and ends with 1 where they differ; with --write it writes the file. A refusal is a call
that throws an error of the user's input, or that reports why a candidate does not fit. The list has its string literals, in the order
of the source: those of one call are on one line, separated by ` | `. Literals of one or two words are left out, because they are names.
"""
import argparse
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "refusals.txt"
CALL = re.compile(r"\b(?:throw +(?:[A-Za-z]+::)*(?:InputError|KeyMismatch|Refusal|Unusable|ValidationError)|refuse\w*|fail|shortfall|"
                  r"raise +(?:\w+\.)?(?:InputError|KeyMismatch|_Refusal|TypeError|ValueError)|self\._wrong)\s*(?=[({])|"
                  r"(?<=\.)(?:what|way_out) *= *")
LITERAL = re.compile(r'R"\((.*?)\)"|f?"((?:[^"\\\n]|\\.)*)"', re.S)
FEWEST_WORDS = 3


def extent(text, begin):
    """The end of an expression: behind the bracket that closes the first one, or at a comma or bracket outside of all."""
    depth, at = 0, begin
    while at < len(text):
        literal = LITERAL.match(text, at)
        if literal:
            at = literal.end()
            continue
        if text[at] == "'" and text[at + 2:at + 3] == "'":  # a character
            at += 3
            continue
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth < 0 or depth == 0 and text[begin] in "({":
                return at + 1
        elif text[at] in ",;" and depth == 0:
            return at
        at += 1
    return at


def without_comments(text, python):
    return re.sub(r"^\s*#.*" if python else r"^\s*//.*|//[^\n\"]*$", "", text, flags=re.M)


def sentences_in(text, python=False):
    """One string per refusal, in the order of the source."""
    text, at, found = without_comments(text, python), 0, []
    while call := CALL.search(text, at):
        end = extent(text, call.end())
        expression = re.sub(r'"\s*\n?\s*f?"', "", text[call.end():end])  # literals that the compiler joins
        literals = [next(part for part in match.groups() if part is not None) for match in LITERAL.finditer(expression)]
        long = [literal.strip() for literal in literals if len(literal.split()) >= FEWEST_WORDS]
        if long:
            found.append(" | ".join(long))
        at = max(end, call.end() + 1)
    return found


def listed(root):
    files = [file for folder in ("include", "src", "python") for file in sorted((root / folder).rglob("*"))
             if file.suffix in (".h", ".cpp", ".py") and "_test" not in file.name and "_for_test" not in file.name]
    parts = []
    for file in files:
        sentences = sentences_in(file.read_text(encoding="utf-8"), file.suffix == ".py")
        if sentences:
            parts.append("\n".join([f"{file.relative_to(root)}", *(f"  {sentence}" for sentence in sentences)]))
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write tests/refusals.txt")
    made = listed(ROOT)
    if parser.parse_args().write:
        LIST.write_text(made, encoding="utf-8")
    there = LIST.read_text(encoding="utf-8") if LIST.exists() else ""
    different = list(difflib.unified_diff(there.splitlines(), made.splitlines(), "tests/refusals.txt", "the sources", lineterm="", n=0))
    print("\n".join(different) + "\nRead the changed sentences, then run tools/list_refusals.py --write" if different
          else f"refusals: {sum(line.startswith('  ') for line in made.splitlines())} sentences, as in the sources")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
