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
    """Let a command take dataclasses, whose fields become options of the command.

    A field is ``name: type = default``. Its help is a line ``name: help`` in the docstring of the
    class. Flags are declared as elsewhere, ``Annotated[type, typer.Option("-x")]``. The attribute
    ``panel`` is the heading of a group's options. Two groups must not share a field.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: annotation for name, annotation in hints.items() if is_dataclass(annotation)
    }
    options: dict[str, Parameter] = {}

    def add(name: str, annotation: object, default: object) -> None:
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
    def call(**values: object) -> None:
        grouped = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**values, **grouped)

    call.__signature__ = signature(command).replace(  # type: ignore[attr-defined]
        parameters=list(options.values())
    )
    call.__annotations__ = {name: option.annotation for name, option in options.items()}
    del call.__wrapped__
    return call


def _helps(group: type) -> dict[str, str]:
    """Help of each field, from the docstrings of a group and its base classes."""
    helps: dict[str, str] = {}
    for base in reversed(group.__mro__):
        text = inspect.cleandoc(vars(base).get("__doc__") or "")
        for name, help_text in re.findall(r"^(\w+): (.*(?:\n +.*)*)", text, re.MULTILINE):
            helps[name] = " ".join(help_text.split())
    return helps


def _with_help(annotation: object, help_text: str | None, group: type) -> object:
    """The annotation with an option that has a help, under the heading of its group."""
    metadata = getattr(annotation, "__metadata__", ())
    of_type = getattr(annotation, "__origin__", None) if metadata else annotation
    option: ParameterInfo = copy(metadata[0]) if metadata else typer.Option()
    if help_text is not None:
        option.help = help_text
    if isinstance(option, OptionInfo):
        option.rich_help_panel = getattr(group, "panel", None)
    return Annotated[of_type, option]
