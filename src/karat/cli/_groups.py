"""Option groups: dataclasses whose fields are options of every command that takes one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, signature
from typing import Any, get_type_hints


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take dataclasses: each field becomes an option, and the command one value.

    A field is declared as an option is elsewhere, ``name: Annotated[type, typer.Option(...)] =
    default``. Groups that share a field are an error.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: one for name, one in hints.items() if is_dataclass(one)}
    options: dict[str, Parameter] = {}
    members: dict[str, list[str]] = {}

    def add(name: str, annotation: Any, default: Any) -> None:
        if name in options:
            raise TypeError(f"two groups of {command.__name__} have the option {name!r}")
        options[name] = Parameter(
            name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )

    for parameter in signature(command).parameters.values():
        group = groups.get(parameter.name)
        if group is None:
            add(parameter.name, hints[parameter.name], parameter.default)
            continue
        of_group = get_type_hints(group, include_extras=True)
        members[parameter.name] = [field.name for field in fields(group)]
        for field in fields(group):
            default = Parameter.empty if field.default is MISSING else field.default
            add(field.name, of_group[field.name], default)

    @functools.wraps(command)
    def call(**given: Any) -> None:
        grouped = {
            name: groups[name](**{key: given.pop(key) for key in keys})
            for name, keys in members.items()
        }
        command(**given, **grouped)

    call.__signature__ = signature(command).replace(  # type: ignore[attr-defined]
        parameters=list(options.values())
    )
    call.__annotations__ = {name: one.annotation for name, one in options.items()}
    del call.__wrapped__
    return call
