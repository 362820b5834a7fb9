#!/usr/bin/env python3
"""Checks that links between pages, and from pages to files of this repository, lead somewhere.

    tools/check_links.py [ROOT]

Reads every Markdown page below ROOT (default: this checkout) that is no build output. A relative link must name a file
or folder there, and a fragment a heading of the page, by the rule that code hosts and the site share. Links to the web
are left alone. Prints one line a finding, `page:line: what is wrong`.
"""
import pathlib
import re
import sys
import urllib.parse

LINK = re.compile(r"\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
CODE = re.compile(r"`[^`]*`")
HEADING = re.compile(r"#{1,6} (.*)")
LEFT_OUT = {"build", ".git", "node_modules"}


def pages(root):
    return sorted(p for p in root.rglob("*.md") if not LEFT_OUT & set(p.relative_to(root).parts))


def lines_outside_code(text):
    """(number, line) of what is no fenced block, without spans of code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchor(heading):
    """The fragment of a heading: letters, digits, hyphens and underscores in lower case, blanks as hyphens."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", shown.strip().lower()))


def anchors(text):
    found, seen = set(), {}
    for _, line in lines_outside_code(text):
        heading = HEADING.match(line)
        if heading:
            name = anchor(heading[1])
            found.add(f"{name}-{seen[name]}" if name in seen else name)
            seen[name] = seen.get(name, 0) + 1
    return found


def links(text):
    """(line, target) of every relative link."""
    for number, line in lines_outside_code(text):
        for target in LINK.findall(CODE.sub("", line)):
            if not re.match(r"[a-z]+:", target):
                yield number, urllib.parse.unquote(target)


def findings_of(page, root):
    text = page.read_text(encoding="utf-8")
    for number, target in links(text):
        path, _, fragment = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        where = f"{page.relative_to(root)}:{number}"
        if not there.is_relative_to(root) or not there.exists():
            yield f"{where}: there is no {path}"
        elif fragment and there.suffix == ".md" and fragment not in anchors(there.read_text(encoding="utf-8")):
            yield f"{where}: {there.relative_to(root)} has no heading #{fragment}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = [finding for page in pages(root) for finding in findings_of(page, root)]
    print("\n".join(found) if found else f"{len(pages(root))} pages: every link leads somewhere")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
