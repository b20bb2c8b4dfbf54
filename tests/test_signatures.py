"""Switches of public functions are keyword-only: ``f(X, True)`` says nothing to a reader."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import karat

SWITCHES = ("bool", "bool | None", "bool | float")


def public_functions() -> Iterator[tuple[str, Any]]:
    """The functions of karat and its rooms, and the methods of their classes."""
    rooms = [karat, *(getattr(karat, name) for name in dir(karat) if is_room(name))]
    for room in rooms:
        for name in dir(karat) if room is karat else getattr(room, "__all__", ()):
            thing = getattr(room, name)
            if inspect.isfunction(thing):
                yield f"{room.__name__}.{name}", thing
            elif inspect.isclass(thing):
                for method, function in inspect.getmembers(thing, inspect.isfunction):
                    fields = method == "__init__" and dataclasses.is_dataclass(thing)
                    public = method == "__init__" or not method.startswith("_")
                    if public and not fields and function.__module__.startswith("karat."):
                        yield f"{room.__name__}.{name}.{method}", function


def is_room(name: str) -> bool:
    """Whether a name of karat is a module."""
    return inspect.ismodule(getattr(karat, name))


def switches(function: Any) -> list[str]:
    """The switches that a function takes by position."""
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        and (isinstance(parameter.default, bool) or parameter.annotation in SWITCHES)
    ]


def test_switches_are_keyword_only() -> None:
    by_position = {name: switches(f) for name, f in public_functions() if switches(f)}
    assert not by_position


def test_the_rule_sees_what_it_forbids() -> None:
    def bad(X: Any, exact: bool = False, *, fine: bool = True) -> None: ...

    assert switches(bad) == ["exact"]
    assert import_module("karat.bounds").guarantee in dict(public_functions()).values()
