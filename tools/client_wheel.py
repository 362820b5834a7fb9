#!/usr/bin/env python3
"""Writes the wheel of the Python package tacit-client: its modules, those that it shares with the package tacit, and the library.

    tools/client_wheel.py LIBRARY PLATFORM FOLDER

The wheel serves every Python 3 of a platform, because the library is called by ctypes. Equal inputs give equal bytes.
"""
import base64
import hashlib
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "client"
SHARED = ("arrays.py", "errors.py", "kept.py", "progress.py", "transport.py")  # of the package tacit
METADATA = """Metadata-Version: 2.1
Name: tacit-client
Version: {version}
Summary: Keys, encryption and decryption for networks that Tacit runs on encrypted data
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Security :: Cryptography
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{readme}"""


def version():
    numbers = re.findall(r"#define TACIT_VERSION_\w+ (\d+)", (ROOT / "include" / "tacit" / "version.h").read_text(encoding="utf-8"))
    return ".".join(numbers[:3])


def contents(library, platform):
    """The files of the wheel by name."""
    info = f"tacit_client-{version()}.dist-info"
    files = {f"tacit_client/{path.name}": path.read_bytes() for path in sorted((PACKAGE / "tacit_client").glob("*.py*"))
             if path.suffix in (".py", ".typed")}
    for name in SHARED:
        files[f"tacit_client/{name}"] = (ROOT / "python" / "tacit" / name).read_bytes()
    files["tacit_client/libtacit_client.so"] = library.read_bytes()
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    files[f"{info}/METADATA"] = METADATA.format(version=version(), readme=readme).encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: tacit\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n").encode()
    for name in ("LICENSE", "NOTICE"):
        files[f"{info}/{name}"] = (ROOT / name).read_bytes()
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    record = f"{info}/RECORD"
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    return files


def main(library, platform, folder):
    wheel = pathlib.Path(folder) / f"tacit_client-{version()}-py3-none-{platform}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in contents(pathlib.Path(library), platform).items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, data)
    print(f"client_wheel: {wheel}, {wheel.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
