"""What packages that extend sortal use: registries, storage, randomness, records, commands.

The names stand in ``__init__.pyi``, for type checkers and for this module, which imports the home
of a name when the name is first used. An entry point of the group ``sortal.commands`` names a
function with annotated options, or a ``typer.Typer``; its name is the command's.
"""

from importlib import import_module
from typing import Any

from sortal.runtime.stubs import homes as _homes

__all__ = sorted(_homes(__name__))


def __getattr__(name: str) -> Any:
    home = _homes(__name__).get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return list(__all__)
