"""Numbers of modules and classes, defaults inside, and how kernels are compiled.

``python .ci/cases/test_signatures_inside.py`` writes ``constants.txt`` anew.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import sortal

FILE = Path(__file__).with_name("constants.txt")
#: how a kernel is compiled
COMPILED = ("cache", "nogil", "error_model", "fastmath", "inline")


def inner() -> list[str]:
    """Numbers of modules and classes, defaults inside, and how kernels are compiled."""
    lines = []
    for info in pkgutil.walk_packages(sortal.__path__, "sortal."):
        if info.name == "sortal.__main__":
            continue
        module = import_module(info.name)
        things = [thing for thing in vars(module).values()
                  if getattr(thing, "__module__", None) == info.name]  # fmt: skip
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                stored = (part for part in ast.walk(node) if isinstance(part, ast.Name))
                for name in (part.id for part in stored if isinstance(part.ctx, ast.Store)):
                    if numeric(value := vars(module).get(name)):
                        lines.append(f"{info.name}.{name} = {spelt(value)}")
        for thing in things:
            if compiled := getattr(thing, "targetoptions", None):
                facts = {**compiled, "cache": type(thing._cache).__name__ != "NullCache"}
                words = (f"{key}={spelt(facts[key])}" for key in COMPILED if key in facts)
                lines.append(f"{info.name}.{thing.__name__}: {', '.join(words)}")
            if cached := getattr(thing, "cache_parameters", None):
                lines.append(f"{info.name}.{thing.__name__}: maxsize={cached()['maxsize']}")
            if inspect.isclass(thing):
                lines += [f"{info.name}.{thing.__name__}: {fact}" for fact in of_class(thing)]
            functions = vars(thing).values() if inspect.isclass(thing) else [thing]
            for function in (getattr(one, "py_func", one) for one in functions):
                if inspect.isfunction(function):
                    given = [f"{one.name}={spelt(one.default)}"
                             for one in inspect.signature(function).parameters.values()
                             if numeric(one.default)]  # fmt: skip
                    name = f"{info.name}.{function.__qualname__}"
                    lines += [f"{name}({', '.join(given)})"] * bool(given)
    return list(dict.fromkeys(lines))


def of_class(thing: Any) -> Iterator[str]:
    """Numbers of a class, and what of its fields does not compare, is hidden or has a name."""
    is_made = "__dataclass_params__" in vars(thing)
    made = fields(thing) if is_made else ()
    for name, value in vars(thing).items():
        if not name.startswith("_") and numeric(value) and name not in {f.name for f in made}:
            yield f"{name} = {spelt(value)}"
    params = thing.__dataclass_params__ if is_made else None
    unusual = [name for name in ("eq", "repr") if params and not getattr(params, name)]
    for name, usual in (("repr", True), ("compare", True), ("init", True), ("kw_only", False)):
        if others := [field.name for field in made if getattr(field, name) != usual]:
            unusual.append(f"{name} of {' '.join(others)}")
    if unusual:
        yield f"not as usual: {', '.join(unusual)}"


def numeric(value: Any) -> bool:
    """Whether a value is a number or has one in it."""
    if isinstance(value, dict):
        return numeric([*value, *value.values()])
    if isinstance(value, tuple | list | set | frozenset):
        return any(map(numeric, value))
    return isinstance(value, int | float)


def spelt(value: Any) -> str:
    """A value as text that is the same in every process."""
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(spelt, value)))}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{spelt(key)}: {spelt(one)}' for key, one in value.items())}}}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(spelt, value))})"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.12g}" if isinstance(value, float) else str(int(value))
    return re.sub(r" at 0x\w+", "", repr(value))


def test_constants_are_those_of_the_file() -> None:
    assert inner() == FILE.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    FILE.write_text("\n".join([*inner(), ""]), encoding="utf-8")
