"""Installs the package from a build folder into an empty environment and evaluates a model there.

    installed.py CMAKE BUILD MODEL
"""
import pathlib
import subprocess
import sys
import tempfile
import venv

USE = """
import sys
import numpy, tacit
prefix, model = sys.argv[1:]
assert tacit.__file__.startswith(prefix), tacit.__file__
with open("/proc/self/maps", encoding="ascii") as maps:
    libraries = {line.split()[-1] for line in maps if "libtacit" in line}
assert libraries and all(library.startswith(prefix) for library in libraries), libraries
network = tacit.compile(model, input_range=(-1, 1))
scores = network.run(numpy.sin(0.05 * numpy.arange(784)).reshape(1, 1, 28, 28))
assert scores.shape == (1, 10) and int(scores.argmax()) == 8, scores
print("installed:", tacit.__version__, scores.round(3))
"""


def main():
    cmake, build, model = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        # NumPy is the system's. There is no pip, because the system may have it in a separate package.
        environment = venv.EnvBuilder(system_site_packages=True, with_pip=False, symlinks=True)
        environment.create(folder)
        python = pathlib.Path(folder) / "bin" / "python"
        site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True,
                              capture_output=True, text=True).stdout.strip()
        assert site.startswith(folder), site
        subprocess.run([cmake, "--install", build, "--component", "python", "--prefix", site], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([python, "-I", "-c", USE, folder, model], check=True, cwd=folder)


if __name__ == "__main__":
    main()
