#!/usr/bin/env python3
"""Enforces the map of the house on the sources: which room may include which, no cycles, file lengths, names.

    tools/check_layers.py [ROOT]

ROOT is a checkout (default: the one this script lies in). Prints one line a finding, `path:line: what is wrong`, and
ends with status 1 if there is an error. Warnings (a file above the soft length) do not fail.
"""
import dataclasses
import pathlib
import re
import sys

# Room -> (rank, rooms it may include). A room includes only rooms of a lower rank. A room is a folder of src/, or of a
# room there, or the benchmark laboratory beside src/.
BELOW_SESSION = ["search", "runtime", "scheme", "program", "merkle", "layout", "params", "base"]
BELOW_OWNER = ["session", "check", "graph", "tensor", "ring"] + BELOW_SESSION
ROOMS = {
    "base": (0, []),
    "params": (1, ["base"]),
    "layout": (1, ["base"]),
    "merkle": (1, ["base"]),
    "ring": (1, ["base"]),
    "scheme": (2, ["ring", "params", "base"]),
    "program": (2, ["layout", "params", "base"]),
    "tensor": (3, ["program", "layout", "params", "base"]),
    "graph": (3, ["program", "layout", "params", "base"]),
    "runtime": (3, ["scheme", "program", "layout", "params", "merkle", "base"]),
    "check": (4, ["graph", "tensor", "runtime", "scheme", "program", "ring", "merkle", "layout", "params", "base"]),
    "search": (4, ["runtime", "scheme", "ring", "params", "base"]),
    # A server links `session` alone: no graph, no validation, no secret key.
    "session": (5, BELOW_SESSION),
    "session/owner": (6, BELOW_OWNER),
    "bench": (7, ["session/owner"] + BELOW_OWNER),
    # The server of `tacit serve` sees no more of the house than any server: the command starts it.
    "app/service": (7, ["session"] + BELOW_SESSION),
    "app": (8, ["app/service", "bench", "session/owner"] + BELOW_OWNER),
}
BESIDE_SRC = ("bench",)
# Public headers that a room shares. Errors and progress are one hierarchy each, which the rooms throw and call and users
# catch and derive from. The options of a compilation are one struct for every face.
SHARED_HEADERS = {
    "base": ("tacit/error.h", "tacit/progress.h"),
    "session/owner": ("tacit/compile_options.h", "tacit/disclosure.h", "tacit/insecure.h"),
}
# Folders of rooms that hold programs over the public interface, as examples/ does.
USERS = ("bench/peers", "bench/python", "bench/suite")
# Folders that only their own room may include.
PRIVATE = {"ring/simd": "ring", "merkle/simd": "merkle"}
# Folders of one room of which the first must not see the second: what every scheme shares, and one kind of instructions.
ONE_WAY = [("graph/passes", "graph/slots"), ("graph/onnx", "graph/slots"), ("graph/reference", "graph/slots")]
# Folders of one room that must not see each other.
STRANGERS = [("scheme/ckks", "scheme/tfhe")]
DRAWERS = {"util", "utils", "common", "helper", "helpers", "misc"}
SOFT_LINES, HARD_LINES = 400, 800
SOURCE_FOLDERS = ("src", "include", "tests", "bench", "examples", "python")
SUFFIXES = (".h", ".cpp")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


@dataclasses.dataclass(frozen=True)
class Include:
    source: str  # path relative to ROOT
    line: int
    target: str  # as written
    quoted: bool


@dataclasses.dataclass(frozen=True)
class Finding:
    where: str
    what: str
    warning: bool = False

    def __str__(self):
        return f"{self.where}: {'warning: ' if self.warning else ''}{self.what}"


def source_files(root):
    """Paths of all sources relative to the root, sorted; build folders are never below SOURCE_FOLDERS."""
    found = []
    for folder in SOURCE_FOLDERS:
        found += [p.relative_to(root).as_posix() for p in (root / folder).rglob("*") if p.suffix in SUFFIXES]
    return sorted(found)


def includes_of(root, path):
    with open(root / path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                yield Include(path, number, match[2], match[1] == '"')


def inside(path, folder):
    return path.startswith(folder + "/")


def room_of(path):
    """The room of a file, by its path below src/ or, for rooms beside it, below the root."""
    parts = path.split("/")
    nested = "/".join(parts[:2])
    return nested if nested in ROOMS and len(parts) > 2 else parts[0]


def file_of(target):
    """Where an include as written lies, relative to the root."""
    return target if target.split("/")[0] in BESIDE_SRC else "src/" + target


def check_include(root, include):
    """Findings for one #include line of src/ or include/."""
    where = f"{include.source}:{include.line}"
    target = include.target
    if inside(include.source, "include"):
        if include.quoted:
            return [Finding(where, f'public header includes "{target}": only the standard library and <tacit/...>')]
        return []
    source = include.source.removeprefix("src/")
    room = room_of(source)
    if target.startswith("tacit/"):
        if room == "app" or target in SHARED_HEADERS.get(room, ()):
            return []
        return [Finding(where, f"{room} includes the public header {target}: only app may")]
    if not include.quoted:
        if target.split("/")[0] in ROOMS and (root / file_of(target)).exists():
            return [Finding(where, f'<{target}> is ours: include it with quotes')]
        return []
    if not (root / file_of(target)).exists():
        return [Finding(where, f'"{target}" is no file below src/: project includes are written from there')]
    findings = []
    other = room_of(target)
    if other not in ROOMS:
        findings.append(Finding(where, f"{other} is not a room of the map"))
    elif room != other and other not in ROOMS[room][1]:
        allowed = ", ".join(ROOMS[room][1]) or "nothing"
        findings.append(Finding(where, f"{room} (rank {ROOMS[room][0]}) may not include {other} "
                                       f"(rank {ROOMS[other][0]}); it may include: {allowed}"))
    for folder, owner in PRIVATE.items():
        if inside(target, folder) and room != owner:
            findings.append(Finding(where, f"{folder} is private to {owner}"))
    for lower, higher in ONE_WAY:
        if inside(source, lower) and inside(target, higher):
            findings.append(Finding(where, f"{lower} serves every scheme and may not include {higher}"))
    for pair in STRANGERS:
        for one, two in (pair, pair[::-1]):
            if inside(source, one) and inside(target, two):
                findings.append(Finding(where, f"{one} and {two} must not see each other"))
    return findings


def find_cycles(edges):
    """One cycle for every strongly connected component that has one: its nodes, the first repeated at the end."""
    index, low, stack, on_stack, components = {}, {}, [], set(), []

    def visit(start):  # Tarjan 1972, with an explicit stack: include chains may be deep
        work = [(start, iter(sorted(edges.get(start, ()))))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(sorted(edges.get(successor, ())))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = set()
                    while node not in component:
                        component.add(stack.pop())
                    on_stack.difference_update(component)
                    if len(component) > 1 or node in edges.get(node, ()):
                        components.append(component)

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return [cycle_within(edges, component) for component in components]


def cycle_within(edges, component):
    """Walks inside a strongly connected component until a node comes back."""
    path = [min(component)]
    while True:
        step = min(n for n in edges[path[-1]] if n in component)
        if step in path:
            return path[path.index(step):] + [step]
        path.append(step)


def check_names(paths):
    findings = []
    for path in paths:
        for part in pathlib.PurePosixPath(path).with_suffix("").parts:
            if set(part.split("_")) & DRAWERS:
                findings.append(Finding(path, f"'{part}' is a drawer, not a room: name the one concept"))
    return findings


def check_length(root, path):
    lines = (root / path).read_bytes().count(b"\n")
    if lines > HARD_LINES:
        return [Finding(path, f"{lines} lines, the hard limit is {HARD_LINES}: more than one concept lives here")]
    if lines > SOFT_LINES:
        return [Finding(path, f"{lines} lines, the soft limit is {SOFT_LINES}", warning=True)]
    return []


def check_readmes(root):
    """The line of a room's README.md that names the rooms it may include must be the map's."""
    findings = []
    for room, (_, may) in ROOMS.items():
        page = root / "src" / room / "README.md"
        if not page.exists():
            continue
        wanted = "May include: " + (", ".join(f"`{other}`" for other in may) or "no other room") + "."
        if wanted not in page.read_text(encoding="utf-8").splitlines():
            findings.append(Finding(f"src/{room}/README.md", f"there is no line '{wanted}'"))
    return findings


def check(root):
    """All findings for the checkout at `root`."""
    root = pathlib.Path(root)
    paths = source_files(root)
    findings = check_names(paths) + check_readmes(root)
    file_edges, room_edges = {}, {}
    for path in paths:
        findings += check_length(root, path)
        if not (inside(path, "src") or inside(path, "include") or path.split("/")[0] in BESIDE_SRC):
            continue
        if any(inside(path, folder) for folder in USERS):
            continue
        room = room_of(path.removeprefix("src/"))
        if inside(path, "src") and room not in ROOMS:
            findings.append(Finding(path, f"{room} is not a room of the map"))
            continue
        for include in includes_of(root, path):
            findings += check_include(root, include)
            if not inside(path, "include") and include.quoted and (root / file_of(include.target)).exists():
                file_edges.setdefault(path, set()).add(file_of(include.target))
                other = room_of(include.target)
                if other != room:
                    room_edges.setdefault(room, set()).add(other)
            elif inside(path, "include") and include.target.startswith("tacit/"):
                file_edges.setdefault(path, set()).add("include/" + include.target)
    for kind, edges in (("rooms", room_edges), ("files", file_edges)):
        findings += [Finding(" -> ".join(c), f"a cycle between {kind}") for c in find_cycles(edges)]
    return findings


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    findings = check(root)
    for finding in findings:
        print(finding)
    errors = sum(not f.warning for f in findings)
    print(f"layers: {len(source_files(root))} files, {errors} errors, {len(findings) - errors} warnings")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
