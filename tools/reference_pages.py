"""Reference pages made from what the code says of itself: headers, docstrings of Python, and `tacit --help`."""
import ast
import re
import subprocess


def cpp_page(root):
    """The public headers, whose comments are the reference, each as it is."""
    parts = ["# C++", "The headers of `include/tacit`. `#include <tacit/tacit.h>` includes those of C++; link with `tacit::tacit`."]
    for header in sorted((root / "include" / "tacit").glob("*.h")):
        content = header.read_text(encoding="utf-8").removeprefix("#pragma once\n").strip()
        parts += [f"## tacit/{header.name}", f"```cpp\n{content}\n```"]
    return "\n\n".join(parts) + "\n"


def _signature(function):
    arguments = ast.unparse(function.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    returned = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"{function.name}({arguments}){returned}"


def _is_property(function):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


def _described(node, depth, prefix=""):
    """A function or a class with its public members, as Markdown."""
    text = ast.get_docstring(node) or ""
    text = f"```text\n{text}\n```" if text else ""
    if isinstance(node, ast.ClassDef):
        parts = [f"{'#' * depth} {prefix}{node.name}", text]
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                parts += _described(member, depth + 1, f"{node.name}.")
        return parts
    shown = node.name if _is_property(node) else _signature(node)
    return [f"{'#' * depth} {prefix}{node.name}", f"```python\n{shown}\n```", text]


def python_page(root):
    """Every public class and function of the package's sources, with signature and docstring."""
    parts = ["# Python", "What `import tacit` offers, module by module. [Tacit from Python](../docs/python.md) introduces it."]
    for path in sorted((root / "python" / "tacit").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        public = [
            node for node in tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
        ]
        if public:
            opening = (ast.get_docstring(tree) or "").strip()
            parts += [f"## Module {path.stem}", f"```text\n{opening}\n```" if opening else ""]
            for node in public:
                parts += _described(node, 3)
    return "\n\n".join(part for part in parts if part) + "\n"


def _commands_of(text):
    """Names of subcommands that a help text lists."""
    listed = text.split("Subcommands:\n", 1)[1].split("\n\n")[0] if "Subcommands:\n" in text else ""
    return re.findall(r"^  ([a-z-]+) ", listed, re.M)


def _help_of(command, words):
    return subprocess.run([command, *words, "--help"], check=True, capture_output=True, text=True).stdout.strip()


def command_page(command):
    """The help of a built command and of everything below it; without one, where to find it."""
    parts = ["# The command"]
    if command is None:
        return parts[0] + "\n\n`tacit --help`, and `--help` behind every command, show what it offers.\n"

    def visit(words):
        text = _help_of(command, words)
        parts.extend([f"{'##' if len(words) < 2 else '###'} tacit {' '.join(words)}".rstrip(), f"```text\n{text}\n```"])
        for name in _commands_of(text):
            visit([*words, name])

    visit([])
    return "\n\n".join(parts) + "\n"
