#!/usr/bin/env python3
"""Makes the Debian packages of a build folder, and checks what they hold and what they say they need.

    tools/check_debian_packages.py CPACK BUILD

Ends with 77, and says so, where the tools of dpkg are not installed. tools/try_debian_package.sh installs the packages.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# Package -> patterns of files that it must hold, and packages that it must depend on.
WANTED = {
    "tacit": (
        ["usr/bin/tacit", "usr/share/doc/tacit/README.md", "usr/share/doc/tacit/docs/start/first-answer.md"],
        ["libc6", "libtbb12", "libssl3", "libprotobuf", "libonnx"],
    ),
    "libtacit": (
        [r"usr/lib/(\S+/)?libtacit\.so\.\d+", r"usr/lib/(\S+/)?libtacit\.so\.\d+\.\d+\.\d+"],
        ["libc6", "libtbb12", "libssl3", "libprotobuf", "libonnx"],
    ),
    "libtacit-dev": (
        ["usr/include/tacit/tacit.h", "usr/include/tacit/model.h", r"usr/lib/(\S+/)?libtacit\.so",
         r"usr/lib/(\S+/)?cmake/tacit/tacitConfig\.cmake", r"usr/lib/(\S+/)?cmake/tacit/tacitConfigVersion\.cmake"],
        ["libtacit"],
    ),
}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def findings_of(package):
    """What is wrong with a package, one sentence each."""
    name = output_of("dpkg-deb", "-f", package, "Package").strip()
    key = re.sub(r"\d+$", "", name)
    if key not in WANTED:
        yield f"{name}: nobody expects a package of this name"
        return
    files, needs = WANTED[key]
    # `mode owner size date time ./path`, and behind the path of a link where it leads.
    held = [line.split()[5].removeprefix("./") for line in output_of("dpkg-deb", "-c", package).splitlines()]
    for pattern in [*files, f"usr/share/doc/{name}/copyright", rf"usr/share/doc/{name}/changelog\.gz"]:
        if not any(re.fullmatch(pattern, path) for path in held):
            yield f"{name}: holds no {pattern}"
    for path in held:
        if path and not path.startswith("usr/"):
            yield f"{name}: holds {path}, outside of usr/"
        elif not path.startswith("usr/share/doc/") and re.search(r"/(python|_core|site-packages|tests?)\b", path):
            yield f"{name}: holds {path}, which is of another component"
    depends = output_of("dpkg-deb", "-f", package, "Depends")
    for need in needs:
        if not re.search(rf"\b{need}", depends):
            yield f"{name}: does not depend on {need}, but on {depends.strip()}"


def main():
    cpack, build = sys.argv[1], pathlib.Path(sys.argv[2])
    absent = [tool for tool in ("dpkg-deb", "dpkg-shlibdeps") if shutil.which(tool) is None]
    if absent:
        print(f"skipped: no package was made, for there is no {' and no '.join(absent)} (Debian: dpkg-dev)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([cpack, "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", folder],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            sys.exit(made.stdout + made.stderr)
        packages = sorted(pathlib.Path(folder).glob("*.deb"))
        found = [finding for package in packages for finding in findings_of(package)]
    if len(packages) != len(WANTED):
        found.append(f"there are {len(packages)} packages instead of {len(WANTED)}")
    print("\n".join(found) if found else f"{len(packages)} packages hold and need what they should")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
