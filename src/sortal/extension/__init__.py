"""What packages that extend sortal use: registries, storage, randomness, records, commands.

The names stand in ``__init__.pyi``, for type checkers and for this module, which imports the home
of a name when the name is first used. An entry point of the group ``sortal.commands`` names a
function with annotated options, or a ``typer.Typer``; its name is the command's.
"""

from typing import Any

from sortal.runtime.stubs import attribute as _attribute


def __getattr__(name: str) -> Any:
    return _attribute(__name__, name)


def __dir__() -> list[str]:
    return list(_attribute(__name__, "__all__"))
