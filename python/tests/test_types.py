"""The types that the package states are those that it has."""

import ast
import pathlib
import re
import subprocess
import sys

import pytest

import tacit
from tacit import _core

PACKAGE = pathlib.Path(tacit.__file__).resolve().parent
# The sources, of which the package in a build folder has links.
SOURCES = pathlib.Path(__file__).resolve().parents[1]


def stated(path):
    """Classes and functions of a stub: dotted name -> names of arguments, None for a property."""
    found = {}

    def visit(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                found[prefix + node.name] = None
                visit(node.body, prefix + node.name + ".")
            elif isinstance(node, ast.FunctionDef):
                decorators = [d.id for d in node.decorator_list if isinstance(d, ast.Name)]
                arguments = [a.arg for a in node.args.args + node.args.kwonlyargs]
                if "property" in decorators:
                    found[prefix + node.name] = None
                else:
                    found.setdefault(prefix + node.name, []).append([a for a in arguments if a != "self"])

    visit(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return found


def present(module):
    """The same of what is there: arguments are those that signatures in docstrings name."""
    found = {}
    for name, thing in vars(module).items():
        if isinstance(thing, type):
            found[name] = None
            for member, value in vars(thing).items():
                if isinstance(value, property):
                    found[f"{name}.{member}"] = None
                elif callable(value) or isinstance(value, staticmethod):
                    function = getattr(thing, member)
                    signatures = re.findall(r"^(?:\d+\. )?\w+\((.*)\) ->", function.__doc__ or "", re.MULTILINE)
                    signatures = [s for s in signatures if "*args" not in s]
                    found[f"{name}.{member}"] = [re.findall(r"(\w+): ", s) for s in signatures]
        elif callable(thing):
            signature = re.match(r"\w+\((.*)\) ->", thing.__doc__)
            found[name] = [re.findall(r"(\w+): ", signature[1])]
    return found


@pytest.mark.parametrize("module, stub", [(_core, "__init__.pyi"), (_core.tile, "tile.pyi")])
def test_stubs_name_what_the_module_has(module, stub):
    said, there = stated(PACKAGE / "_core" / stub), present(module)
    assert len(said) > 50
    public = {name for name in there if not re.search(r"(^|\.)_(?!repr_html_)", name)}
    assert public - set(said) == set()
    assert set(said) - set(there) == set()
    for name, overloads in said.items():
        if "__" in name:
            continue
        if overloads is None:
            assert there[name] is None, name
            continue
        for arguments in overloads:
            taken = [[a for a in s if a != "self"] for s in there[name]]
            assert arguments in taken, f"{name}: the stub says {arguments}, the module {taken}"


def test_the_checker_accepts_package_and_use():
    if subprocess.run([sys.executable, "-c", "import mypy"], check=False, capture_output=True).returncode != 0:
        pytest.skip("mypy is not installed")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(SOURCES.parent / "pyproject.toml"), "--cache-dir=/dev/null",
         str(SOURCES / "tacit"), str(SOURCES / "tests" / "typed_use.py")],
        check=False, capture_output=True, text=True, cwd=SOURCES,
    )
    assert checked.returncode == 0, checked.stdout
    assert "no issues found in" in checked.stdout
