#!/usr/bin/env python3
"""Makes the documentation a static site with mkdocs, and checks every link in it.

    tools/build_site.py OUT [--bin build/release/bin]

Takes the pages of this repository as they are, in the order of docs/site.yml, and adds reference pages. OUT is made
anew. With --bin the reference shows the help of that folder's `tacit`. Ends with 77, and says so, where mkdocs is not
installed (Debian: mkdocs); fails if mkdocs warns of anything, or if a link of the made pages leads nowhere.
"""
import argparse
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import reference_pages
from check_links import LINK, lines_outside_code

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "NOTICE")
FOLDERS = ("docs", "examples")
SKIPPED = 77


def title_of(page):
    """Its first heading."""
    return re.search(r"^# (.*)", page.read_text(encoding="utf-8"), re.M)[1]


def index_of(folder):
    """A page for a folder that has none: what lies in it."""
    entries = []
    for entry in sorted(folder.iterdir()):
        title = title_of(entry) if entry.suffix == ".md" else entry.name
        entries.append(f"- [{title}]({entry.name})")
    return f"# {folder.name.capitalize()}\n\n" + "\n".join(entries) + "\n"


def with_pages_for_folders(text, folder):
    """Links to folders lead to the folders' pages: a site has no listings."""
    for _, line in list(lines_outside_code(text)):
        changed = LINK.sub(
            lambda link: f"]({link[1].rstrip('/')}/README.md)" if (folder / link[1]).is_dir() else link[0], line)
        text = text.replace(line, changed) if changed != line else text
    return text


def stage(pages, command):
    """Copies what the site is made of, with a page for every folder that is linked."""
    for name in TOP_PAGES:
        shutil.copy(ROOT / name, pages / name)
    for name in FOLDERS:
        shutil.copytree(ROOT / name, pages / name, ignore=shutil.ignore_patterns("__pycache__", ".*", "*.yml"))
    for folder in [p for p in pages.rglob("*") if p.is_dir()]:
        if folder.name != "docs" and not (folder / "README.md").exists():
            (folder / "README.md").write_text(index_of(folder), encoding="utf-8")
    for page in pages.rglob("*.md"):
        page.write_text(with_pages_for_folders(page.read_text(encoding="utf-8"), page.parent), encoding="utf-8")
    reference = pages / "reference"
    reference.mkdir()
    (reference / "cpp.md").write_text(reference_pages.cpp_page(ROOT), encoding="utf-8")
    (reference / "python.md").write_text(reference_pages.python_page(ROOT), encoding="utf-8")
    (reference / "command.md").write_text(reference_pages.command_page(command), encoding="utf-8")


class Links(html.parser.HTMLParser):
    """Where a page leads, and the places in it that others can lead to."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.places |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        target = attributes.get("href") if tag in ("a", "link") else attributes.get("src")
        if target:
            self.targets.append(target)


def dead_links(site):
    """One sentence for every link inside the site that leads nowhere."""
    read = {page: Links(page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html"))}
    for page, links in read.items():
        if page.name == "404.html":  # served at any address, so that its links begin at the root
            continue
        for target in links.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
            there = there / "index.html" if there.is_dir() else there
            if not there.is_file():
                yield f"{page.relative_to(site)}: there is no {target}"
            elif parts.fragment and there in read and parts.fragment not in read[there].places:
                yield f"{page.relative_to(site)}: {target} names no place of that page"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, help="folder of the built command")
    arguments = parser.parse_args()
    mkdocs = shutil.which("mkdocs")
    if mkdocs is None:
        print("skipped: the site was not made, for mkdocs is not installed (Debian: mkdocs)")
        sys.exit(SKIPPED)
    out = arguments.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        pages = pathlib.Path(folder) / "pages"
        pages.mkdir()
        stage(pages, arguments.bin.resolve() / "tacit" if arguments.bin else None)
        configuration = pathlib.Path(folder) / "mkdocs.yml"
        configuration.write_text((ROOT / "docs" / "site.yml").read_text(encoding="utf-8") + "docs_dir: pages\n",
                                 encoding="utf-8")
        made = subprocess.run([mkdocs, "build", "--strict", "-f", configuration, "-d", out], check=False,
                              capture_output=True, text=True)
    if made.returncode != 0:
        print("\n".join(line for line in made.stderr.splitlines() if "WARNING" in line or "ERROR" in line))
    dead = list(dead_links(out)) if made.returncode == 0 else []
    print("\n".join(dead) if dead else f"site: {len(list(out.rglob('*.html')))} pages in {arguments.out}")
    sys.exit(1 if made.returncode != 0 or dead else 0)


if __name__ == "__main__":
    main()
