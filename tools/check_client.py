#!/usr/bin/env python3
"""Enforces what the client's half alone consists of: the files in src/app/client/files.txt, and the packages below.

    tools/check_client.py [ROOT]

ROOT is a checkout (default: the one this script lies in). Follows every include of a listed file. Prints one line a
finding, `path: what is wrong`, and ends with status 1 if there is one.
"""
import pathlib
import re
import sys

LIST = "src/app/client/files.txt"
PARTS = ("everywhere", "native", "wasm", "shared")
# Headers of packages, by part of the list. Headers without a dot are those of the C++ library.
PACKAGES = {"everywhere": ("fmt/", "nlohmann/", "tacit/"), "native": ("openssl/",), "wasm": (), "shared": ()}
# Headers of the C++ library that need what the client must not need.
REFUSED = {"thread", "future", "condition_variable", "semaphore", "latch", "barrier", "stop_token", "execution"}
# Headers of the operating system, and the files that may include them. In WebAssembly they are those of its C library.
OF_SYSTEM = {
    "fcntl.h": {"runtime/source.cpp", "runtime/sink.cpp", "session/output_files.cpp", "session/owner/shared_results.cpp"},
    "unistd.h": {"runtime/sink.cpp", "session/output_files.cpp", "session/owner/shared_results.cpp", "base/secret_memory.cpp",
                 "base/plain/entropy.cpp"},
    "sys/stat.h": {"session/output_files.cpp"},
    "sys/file.h": {"session/owner/shared_results.cpp"},
    # Secrets are locked in memory where the system can do that.
    "sys/mman.h": {"base/secret_memory.cpp"},
    "sys/prctl.h": {"base/secret_memory.cpp"},
    "sys/resource.h": {"base/secret_memory.cpp"},
    "stddef.h": {"tacit/client_c.h"},
    "stdint.h": {"tacit/client_c.h"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def read_list(root):
    """Files by part, and findings about the list itself."""
    parts, part, findings = {name: [] for name in PARTS}, None, []
    for line in (root / LIST).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            part = line.strip("[]")
            if part not in PARTS:
                findings.append(f"{LIST}: [{part}] is none of {', '.join(PARTS)}")
                part = None
        elif part is None:
            findings.append(f"{LIST}: {line} stands before a part")
        elif not (root / "src" / line).is_file():
            findings.append(f"{LIST}: there is no src/{line}")
        else:
            parts[part].append(line)
    for name, files in parts.items():
        if files != sorted(set(files)):
            findings.append(f"{LIST}: [{name}] is not sorted, or names a file twice")
    return parts, findings


def closure(root, files):
    """The files and all headers of ours that they include, each with what it includes from elsewhere."""
    found, waiting = {}, list(files)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = root / ("include" if name.startswith("tacit/") else "src") / name
        includes = INCLUDE.findall(path.read_text(encoding="utf-8"))
        found[name] = []
        for kind, target in includes:
            if kind == '"' or target.startswith("tacit/"):
                waiting.append(target)
            else:
                found[name].append(target)
    return found


def check_header(name, target, packages):
    """A finding about one header from elsewhere, or none."""
    if target in REFUSED:
        return f"{name}: <{target}> needs threads, which the client does without"
    if "." not in target.rsplit("/", 1)[-1] or target.startswith(packages):
        return None
    if name in OF_SYSTEM.get(target, ()):
        return None
    if target in OF_SYSTEM:
        return f"{name}: <{target}> is of the operating system; only {', '.join(sorted(OF_SYSTEM[target]))} may include it"
    return f"{name}: <{target}> is of a package that the client does without; it has {', '.join(packages)}"


def check(root):
    """All findings for the checkout at `root`."""
    root = pathlib.Path(root)
    parts, findings = read_list(root)
    listed = {file for files in parts.values() for file in files}
    checked = set()
    for part in PARTS:
        packages = PACKAGES[part] if part == "everywhere" else PACKAGES["everywhere"] + PACKAGES[part]
        for name, targets in sorted(closure(root, parts[part]).items()):
            if name not in checked:
                findings += [finding for target in targets if (finding := check_header(name, target, packages))]
            checked.add(name)
    for name in sorted(listed):
        folder, _, file = name.rpartition("/")
        if f"{folder}/plain/{file}" in listed and name in parts["everywhere"]:
            findings.append(f"{LIST}: {name} and the file of folder plain that takes its place are both listed")
        if file.endswith("_test.cpp"):
            findings.append(f"{LIST}: {name} is a test")
    return findings


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    findings = check(root)
    for finding in findings:
        print(finding)
    parts, _ = read_list(root)
    print(f"client: {len(parts['everywhere'])} files, {len(parts['native'])} more natively, {len(parts['wasm'])} more as "
          f"WebAssembly, {len(findings)} errors")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
