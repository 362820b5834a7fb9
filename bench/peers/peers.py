"""Peers: their sources, their installation into a scratch folder, and the start of their works."""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


class Unavailable(Exception):
    """The platform lacks what a peer needs; the message is the reason."""


@dataclasses.dataclass(frozen=True)
class Peer:
    version: str
    kind: str  # "python", "cargo", "go" or "heir"
    script: str = ""  # of "python", beside this file
    python: str = ""  # the interpreter that its wheel is for; "": any
    libraries: tuple = ()  # what is disassembled: globs below site-packages; of others the program
    symbols: str = ""  # only functions whose name contains this are looked at


PEERS = {
    "openfhe": Peer("OpenFHE 1.6.1 (PyPI)", "python", "openfhe_works.py", "python3.10", ("openfhe/lib/libOPENFHE*.so*",)),
    "tenseal": Peer("TenSEAL 0.3.18 (PyPI)", "python", "tenseal_works.py", "", ("_sealapi_cpp*.so", "_tenseal_cpp*.so", "libtenseal.so")),
    "concrete": Peer("Concrete ML 1.9.0, concrete-python 2.10.0 (PyPI)", "python", "concrete_works.py", "",
                     ("concrete_python.libs/libConcretelangRuntime*",)),
    "heir": Peer("HEIR 2026.11.1 (PyPI) with Lattigo 6.2.0 (Go proxy)", "heir", "heir_works.py", symbols="lattigo"),
    "lattigo": Peer("Lattigo 6.2.0 (Go proxy)", "go", symbols="lattigo"),
    "tfhe-rs": Peer("tfhe-rs 1.8.2, feature avx512 (crates.io)", "cargo", symbols="tfhe"),
    "winterfell": Peer("winterfell 0.13.1 (crates.io)", "cargo", symbols="winter"),
}


def install_log(name, scratch, command, **options):
    """Runs one step of an installation. Raises Unavailable with the last line that it printed."""
    log = scratch / f"{name}.log"
    with open(log, "ab") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False, **options)
    if done.returncode != 0:
        lines = log.read_text(errors="replace").strip().splitlines() or ["no output"]
        raise Unavailable(f"installing failed: {lines[-1]} ({log})")


def virtual_environment(name, interpreter, scratch):
    """Returns its Python, with the packages that requirements/NAME.txt pins. Installed packages are kept."""
    wanted = HERE / "requirements" / f"{name}.txt"
    folder = scratch / name
    stamp = folder / "installed.txt"
    if not stamp.exists() or stamp.read_text() != wanted.read_text():
        found = shutil.which(interpreter) if interpreter else sys.executable
        if not found:
            raise Unavailable(f"its wheel needs {interpreter}, which is not here")
        install_log(name, scratch, [found, "-m", "venv", folder])
        install_log(name, scratch, [folder / "bin/pip", "install", "--disable-pip-version-check", "-r", wanted])
        stamp.write_text(wanted.read_text())
    return folder / "bin/python"


def site_packages(name, scratch):
    return next((scratch / name / "lib").glob("python3.*/site-packages"))


def program(name, kind, scratch):
    """Builds the program of our crates or our Go module with the versions that its lock file pins."""
    if not shutil.which(kind):
        raise Unavailable(f"no {kind} here")
    if kind == "go":
        built = scratch / "lattigo"
        install_log(name, scratch, ["go", "build", "-o", built, "."], cwd=HERE / "lattigo")
        return built
    target = scratch / "crates"
    settings = {**os.environ, "CARGO_TARGET_DIR": str(target), "RUSTFLAGS": "-C target-cpu=native"}
    install_log(name, scratch, ["cargo", "build", "--release", "--locked"], cwd=HERE / "crates", env=settings)
    return target / "release" / "peer-works"


def compiled(name, python, script, scratch):
    """Builds the program that HEIR writes, with our main program and the versions that our Go module pins."""
    if not shutil.which("go"):
        raise Unavailable("no go here")
    ours = [HERE / "heir/main.go", *(HERE / "lattigo" / part for part in ("serve.go", "go.mod", "go.sum"))]
    install_log(name, scratch, [python, script, scratch, *ours])
    return scratch / "heir-lola"


def prepare(name, scratch):
    """Returns the beginning of its command line, and the files to disassemble."""
    peer = PEERS[name]
    if peer.kind in ("python", "heir"):
        python = virtual_environment(name, peer.python, scratch)
    if peer.kind == "heir":
        built = compiled(name, python, HERE / peer.script, scratch)
        return [str(built)], [built]
    if peer.kind == "python":
        libraries = [path for glob in peer.libraries for path in sorted(site_packages(name, scratch).glob(glob))]
        return [str(python), str(HERE / peer.script)], libraries
    built = program(name, peer.kind, scratch)
    return [str(built)], [built]
