"""Names of a package that are imported when they are first used: its stub is the one list."""

from __future__ import annotations

from functools import cache


@cache
def homes(package: str) -> dict[str, str]:
    """The module of each name that the stub of a package lists, star imports left out."""
    from importlib.resources import files

    lines = files(package).joinpath("__init__.pyi").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line.startswith("from ")]
    return {line[3]: line[1] for line in words if line[3] != "*"}
