"""Option groups: dataclasses whose fields are options of every command that takes one."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.models import OptionInfo, ParameterInfo


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take dataclasses: each field becomes an option, and the command one value.

    A field is ``name: type = default``, its help a line ``name: help`` of the docstring of its
    class; flags and the like are declared as elsewhere, ``Annotated[type, typer.Option("-x")]``.
    The attribute ``panel`` heads the options of a group. Groups that share a field are an error.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: one for name, one in hints.items() if is_dataclass(one)}
    options: dict[str, Parameter] = {}

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
        of_group, helps = get_type_hints(group, include_extras=True), _helps(group)
        for field in fields(group):
            default = Parameter.empty if field.default is MISSING else field.default
            annotation = _with_help(of_group[field.name], helps.get(field.name), group)
            add(field.name, annotation, default)

    @functools.wraps(command)
    def call(**given: Any) -> None:
        grouped = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **grouped)

    call.__signature__ = signature(command).replace(  # type: ignore[attr-defined]
        parameters=list(options.values())
    )
    call.__annotations__ = {name: one.annotation for name, one in options.items()}
    del call.__wrapped__
    return call


def _helps(group: Any) -> dict[str, str]:
    """What the docstrings of a group, and of those it extends, say of each field."""
    found: dict[str, str] = {}
    for one in reversed(group.__mro__):
        text = inspect.cleandoc(vars(one).get("__doc__") or "")
        for name, told in re.findall(r"^(\w+): (.*(?:\n +.*)*)", text, re.MULTILINE):
            found[name] = " ".join(told.split())
    return found


def _with_help(annotation: Any, told: str | None, group: Any) -> Any:
    """The annotation with an option that has a help and stands under the head of its group."""
    known = getattr(annotation, "__metadata__", ())
    of_type = annotation.__origin__ if known else annotation
    option: ParameterInfo = copy(known[0]) if known else typer.Option()
    if told is not None:
        option.help = told
    if isinstance(option, OptionInfo):
        option.rich_help_panel = getattr(group, "panel", None)
    return Annotated[of_type, option]
