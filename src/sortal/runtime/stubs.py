"""Names of a package that are imported when they are first used: its stub is the one list."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


@cache
def homes(package: str) -> dict[str, str]:
    """The module of each name that the stub of a package lists, star imports excluded."""
    from importlib.resources import files

    lines = files(package).joinpath("__init__.pyi").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line.startswith("from ")]
    return {line[3]: line[1] for line in words if line[3] != "*"}


def attribute(package: str, name: str) -> Any:
    """A name of the package's stub from its module, or ``__all__``: what ``__getattr__`` gives."""
    if name == "__all__":
        return sorted(homes(package))
    home = homes(package).get(name)
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
