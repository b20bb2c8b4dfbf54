"""sortal tells whether a clustering is any good, and which one to use.

The public names stand in ``__init__.pyi``, for type checkers and for this module, which imports
the home of a name when the name is first used.
"""

from importlib import import_module
from typing import Any

from sortal.runtime.stubs import homes as _homes


def _measures() -> list[str]:
    """The public names of ``sortal.measures``, which are names of sortal too."""
    names: list[str] = import_module("sortal.measures").__all__
    return names


def __getattr__(name: str) -> Any:
    if not name.startswith("_") or name == "__version__":
        home = _homes("sortal").get(name)
        if home is not None:
            module = import_module(f"sortal.{name}" if home == "sortal" else home)
            return module if home == "sortal" else getattr(module, name)
        if name in _measures():
            return getattr(import_module("sortal.measures"), name)
    from sortal.runtime.synonyms import hint

    raise AttributeError(f"module 'sortal' has no attribute {name!r}{hint(name)}")


def __dir__() -> list[str]:
    return sorted({*_homes("sortal"), *_measures()})
