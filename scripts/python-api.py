#!/usr/bin/env python3
"""Prints docs/python/api.md: what the package pyckg offers, from its sources and their docstrings. Nothing is imported."""

import ast
import inspect
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "python/src/pyckg"
FIRST = ["minimize", "Study", "open", "Real", "Integer", "Categorical", "Trial", "Recommendation"]
ADAPTERS = ["optuna", "sklearn", "ray"]
HEAD = """# Reference of pyckg

Made from the docstrings by `scripts/python-api.py`; `help(pyckg.Study)` shows the same.
"""


def parsed(name):
    return ast.parse((PACKAGE / f"{name}.py").read_text())


def public(tree):
    """The names in __all__."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def homes(tree):
    """Where the package takes its names from: name → (module, name there)."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            found.update({alias.asname or alias.name: (node.module, alias.name) for alias in node.names})
    return found


def definition(tree, name):
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return node
    return None


def arguments(function):
    """As one writes them, without types; a long list is broken."""
    given = function.args
    plain = [a.arg for a in [*given.posonlyargs, *given.args]]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    parts = [n if d is None else f"{n}={ast.unparse(d)}" for n, d in zip(plain, defaults, strict=True)]
    if given.vararg:
        parts.append(f"*{given.vararg.arg}")
    elif given.kwonlyargs:
        parts.append("*")
    parts += [a.arg if d is None else f"{a.arg}={ast.unparse(d)}" for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if given.kwarg:
        parts.append(f"**{given.kwarg.arg}")
    return [part for part in parts if part not in ("self", "cls")]


def signature(name, function):
    parts = arguments(function)
    line = f"{name}({', '.join(parts)})"
    if len(line) <= 100:
        return line
    lines, row = [], "    "
    for part in parts:
        if len(row) + len(part) > 100:
            lines.append(row.rstrip())
            row = "    "
        row += part + ", "
    return "\n".join([f"{name}(", *lines, row.rstrip().rstrip(","), ")"])


def docstring(node):
    return inspect.cleandoc(ast.get_docstring(node, clean=False) or "")


def block(*texts):
    return ["```text", "\n\n".join(text for text in texts if text), "```", ""]


def is_property(function):
    return any(getattr(d, "id", "") == "property" for d in function.decorator_list)


def members(node, tree):
    """The methods and properties for users, those with a docstring and a public name; also of classes of the package that it extends."""
    found = [f for f in node.body if isinstance(f, ast.FunctionDef) and not f.name.startswith("_") and ast.get_docstring(f)]
    for base in node.bases:
        module, there = homes(tree).get(getattr(base, "id", ""), (None, None))
        if module:
            found += members(definition(parsed(module), there), parsed(module))
    return found


def fields(node):
    """What an instance of a dataclass holds, with the comments beside."""
    return [ast.unparse(f) for f in node.body if isinstance(f, ast.AnnAssign) and not f.target.id.startswith("_")]


def describe(name, node, tree):
    lines = [f"## {name}", ""]
    if isinstance(node, ast.FunctionDef):
        return lines + block(signature(name, node), docstring(node))
    init = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
    held = "" if init else "\n".join(fields(node))
    lines += block(signature(name, init) if init else "", docstring(node), held)
    for f in members(node, tree):
        shown = f.name if is_property(f) else signature(f.name, f)
        lines += [f"### {name}.{f.name}", "", *block(shown, docstring(f))]
    return lines


def main():
    package = parsed("__init__")
    where = homes(package)
    names = [n for n in FIRST if n in public(package)] + [n for n in public(package) if n not in FIRST]
    lines = [HEAD]
    errors = []
    for name in names:
        module, there = where.get(name, (None, None))
        tree = parsed(module) if module else package
        node = definition(tree, there or name)
        if node is None:
            continue
        if name.endswith("Error"):
            errors.append(f"- `{name}`: {docstring(node)}")
        else:
            lines += describe(name, node, tree)
    lines += ["## Errors", "", *sorted(errors), ""]
    for module in ADAPTERS:
        tree = parsed(module)
        for name in public(tree):
            lines += describe(f"{module}.{name}", definition(tree, name), tree)
    print("\n".join(lines).rstrip())


if __name__ == "__main__":
    main()
