"""The public names of sortal by room, for the reference; constants with the comment on them."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import sortal

HOME = Path(sortal.__file__).parent
#: public modules within a room, beside the rooms themselves
MODULES = (
    "sortal.bounds.languages",
    "sortal.testing",
    "sortal.typing",
)


@cache
def rooms() -> dict[str, tuple[str, ...]]:
    """Public names by room: every package with an ``__all__``, and the public modules.

    Functions of measures are names of sortal, and stand on a page of their own.
    """
    packages = {
        ".".join(("sortal", *path.parent.relative_to(HOME).parts))
        for path in HOME.rglob("__init__.py")
        if path.parent != HOME and not path.parent.name.startswith("_")
    }
    names = {
        room: tuple(getattr(import_module(room), "__all__", ()))
        for room in sorted({*packages, *MODULES})
    }
    measures = import_module("sortal.measures")
    names["sortal.measures"] = tuple(
        name for name in names["sortal.measures"] if not inspect.isfunction(getattr(measures, name))
    )
    return {room: listed for room, listed in names.items() if listed}


def is_documented(room: str, name: str) -> bool:
    """Whether a name has a docstring, or for a constant or an alias a comment."""
    value = getattr(import_module(room), name)
    if is_constant(value):
        return bool(comment_on(room, name))
    return bool((vars(value) if inspect.isclass(value) else {"__doc__": value.__doc__})["__doc__"])


def is_constant(value: Any) -> bool:
    """Whether a value is neither a function nor a class nor a module."""
    return not (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value))


def comment_on(room: str, name: str) -> str:
    """The comment ``#:`` on a constant, above it or at the end of its line; empty without one."""
    lines = source_of(home_of(room, name)).splitlines()
    for number, line in enumerate(lines):
        if re.match(rf"(?:\w+, )*{name}\b.*=[^=]", line):
            at_end = line.partition("#: ")[2]
            above: list[str] = []
            while number and lines[number - 1].startswith("#: "):
                number -= 1
                above.insert(0, lines[number].removeprefix("#: "))
            return at_end or " ".join(above)
    return ""


@cache
def home_of(room: str, name: str) -> str:
    """The module that defines a name of a room."""
    module = import_module(room)
    stub = Path(str(module.__file__)).with_suffix(".pyi")
    source = stub.read_text("utf-8") if stub.exists() else source_of(room)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and name in [
            alias.asname or alias.name for alias in node.names
        ]:
            return home_of(str(node.module), name)
    return room


@cache
def source_of(module: str) -> str:
    """The source of a module."""
    return Path(str(import_module(module).__file__)).read_text(encoding="utf-8")


def reference() -> str:
    """The page of the reference that lists every public name by room."""
    lines = ["Names by room", "=============", ""]
    lines += ["All public names of sortal's rooms, for packages and tests that build on them."]
    for room, names in rooms().items():
        module: ModuleType = import_module(room)
        lines += ["", room, "-" * len(room), "", str(module.__doc__).splitlines()[0], ""]
        values = {name: getattr(module, name) for name in names}
        constants = [name for name, value in values.items() if is_constant(value)]
        modules = [name for name in names if inspect.ismodule(values[name])]
        # options of commands have help texts, and what another room has is described there
        elsewhere = [
            name
            for name in names
            if inspect.isclass(values[name])
            and (
                values[name].__module__.startswith("sortal.cli.")
                or (room == "sortal.measures" and not values[name].__module__.startswith(room))
            )
        ]
        listed = [name for name in names if name not in (*constants, *modules, *elsewhere)]
        if listed:
            lines += [f".. currentmodule:: {room}", ""]
            lines += [".. autosummary::", "   :toctree: api", "   :nosignatures:", ""]
            lines += [f"   {name}" for name in listed] + [""]
        lines += [f"- ``{name}``: {comment_on(room, name)}" for name in constants]
        lines += [f"- ``{name}``: a module" for name in modules]
        lines += [
            f"- ``{name}``: {inspect.getdoc(values[name]).splitlines()[0]}" for name in elsewhere
        ]
    return "\n".join([*lines, ""])
