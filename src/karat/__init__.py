"""karat tells whether a clustering is any good, and which one to use.

The public names stand in ``__init__.pyi``, for type checkers and for this module, which imports
the home of a name when the name is first used.
"""

from functools import cache
from importlib import import_module
from typing import Any


@cache
def _homes() -> dict[str, str]:
    """The module of each public name; measures are those of ``karat.measures``."""
    from importlib.resources import files

    listed = files("karat").joinpath("__init__.pyi").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in listed if line.startswith("from ")]
    return {line[3]: line[1] for line in words if line[3] != "*"}


def _measures() -> list[str]:
    """The public names of ``karat.measures``, which are names of karat too."""
    names: list[str] = import_module("karat.measures").__all__
    return names


def __getattr__(name: str) -> Any:
    if not name.startswith("_") or name == "__version__":
        home = _homes().get(name)
        if home is not None:
            module = import_module(f"karat.{name}" if home == "karat" else home)
            return module if home == "karat" else getattr(module, name)
        if name in _measures():
            return getattr(import_module("karat.measures"), name)
    from karat.runtime.synonyms import hint

    raise AttributeError(f"module 'karat' has no attribute {name!r}{hint(name)}")


def __dir__() -> list[str]:
    return sorted({*_homes(), *_measures()})
