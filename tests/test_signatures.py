"""Switches of public functions are keyword-only, and no default changes unseen.

``f(X, True)`` says nothing to a reader. Another default changes the answers of everybody who relies
on it, and so does another property of a measure or clusterer, or of an option of a command:
``defaults.txt`` has them all.
``python tests/test_signatures.py`` writes it anew; its differences belong into the list of changes.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import typer

import sortal
from sortal.cli import app

SWITCHES = ("bool", "bool | None", "bool | float")
FILE = Path(__file__).with_name("defaults.txt")
#: properties of a record that are words
NAMED = ("kind", "family", "takes", "parameter")
#: properties of an option
FACTS = ("min", "max", "clamp", "hidden", "is_eager", "show_default", "case_sensitive")


def public_functions() -> Iterator[tuple[str, Any]]:
    """The functions of sortal and its rooms, and the methods of their classes."""
    rooms = [sortal, *(getattr(sortal, name) for name in dir(sortal) if is_room(name))]
    for room in rooms:
        for name in dir(sortal) if room is sortal else getattr(room, "__all__", ()):
            thing = getattr(room, name)
            if inspect.isfunction(thing):
                yield f"{room.__name__}.{name}", thing
            elif inspect.isclass(thing):
                for method, function in inspect.getmembers(thing, inspect.isfunction):
                    fields = method == "__init__" and dataclasses.is_dataclass(thing)
                    public = method == "__init__" or not method.startswith("_")
                    if public and not fields and function.__module__.startswith("sortal."):
                        yield f"{room.__name__}.{name}.{method}", function


def is_room(name: str) -> bool:
    """Whether a name of sortal is a module."""
    return inspect.ismodule(getattr(sortal, name))


def defaults() -> list[str]:
    """Defaults of public functions, methods and classes, and what the catalogues say."""
    lines = []
    for name, function in [*public_functions(), *public_dataclasses()]:
        given = [
            f"{parameter.name}={spelt(parameter.default)}"
            for parameter in inspect.signature(function).parameters.values()
            if parameter.default is not parameter.empty
        ]
        lines += [f"{name}({', '.join(given)})"] * bool(given)
    for catalogue in (sortal.measures.catalogue, sortal.clusterers.catalogue):
        for key, record in catalogue.items():
            facts = {field.name: getattr(record, field.name) for field in fields(record)}
            facts.pop("references", None)
            properties = [
                f"{name}={sorted(value) if isinstance(value, frozenset) else value!r}"
                for name, value in facts.items()
                if name in NAMED or isinstance(value, bool | int | float | tuple | frozenset)
            ]
            lines.append(f"{type(record).__name__} {key}: {', '.join(properties)}")
    return [*lines, *options()]


def options() -> list[str]:
    """What each command takes: defaults, limits, whether it is needed, shown or repeated."""
    lines, usual = [], typer.Option()
    for command in app.registered_commands:
        kinds = get_type_hints(command.callback, include_extras=True)
        for name, parameter in inspect.signature(command.callback).parameters.items():
            info = getattr(kinds[name], "__metadata__", [None])[0]
            set_ones = [key for key in FACTS if getattr(info, key, None) != getattr(usual, key)]
            facts = [f"{key}={getattr(info, key)}" for key in set_ones if info is not None]
            spelt = [*(getattr(info, "param_decls", None) or ()), f"{name}={parameter.default}"]
            lines.append(" ".join([f"sortal {command.callback.__name__}:", *spelt, *facts]))
    return lines


def public_classes() -> Iterator[tuple[str, Any]]:
    """The public classes with parameters, by the first public name."""
    names = {}
    for room in [sortal, *(getattr(sortal, name) for name in dir(sortal) if is_room(name))]:
        for name in dir(sortal) if room is sortal else getattr(room, "__all__", ()):
            thing = getattr(room, name)
            if inspect.isclass(thing) and inspect.isfunction(thing.__init__):
                names.setdefault(thing, f"{room.__name__}.{name}")
    return ((name, thing) for thing, name in names.items())


def public_dataclasses() -> Iterator[tuple[str, Any]]:
    """The public classes that are made of fields."""
    return (pair for pair in public_classes() if dataclasses.is_dataclass(pair[1]))


def spelt(value: Any) -> str:
    """A value as text that is the same in every process, and wherever its name is defined."""
    if inspect.isfunction(value) or inspect.isclass(value):
        return str(value.__name__)
    return re.sub(r"<factory>|(?<=<)sortal[\w.]*\.(?=\w+ )| at 0x\w+", "", repr(value))


def documented(thing: Any) -> dict[str, tuple[Any, str]]:
    """The default of each parameter, as it is and as the docstring has it in one word."""
    doc, result = inspect.getdoc(thing) or "", {}
    for name, parameter in inspect.signature(thing).parameters.items():
        line = re.search(rf"^(?:[\w, ]+, )?{name} : .*\bdefault (\S+)$", doc, re.MULTILINE)
        if line and parameter.default is not parameter.empty:
            result[name] = parameter.default, line[1].strip('`"')
    return result


def alike(real: Any, said: str) -> bool:
    """Whether a docstring has the value of a default."""
    if isinstance(real, int | float) and not isinstance(real, bool):
        return float(said.replace(",", "")) == real
    return said == str(real)


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
    assert import_module("sortal.bounds").guarantee in dict(public_functions()).values()


def test_defaults_are_those_of_the_file() -> None:
    stored = FILE.read_text(encoding="utf-8").splitlines()
    assert defaults() == stored, "python tests/test_signatures.py writes the file anew"


def test_docstrings_state_the_defaults() -> None:
    found = [
        (f"{thing.__name__}({parameter})", *values)
        for thing in {*dict(public_functions()).values(), *dict(public_classes()).values()}
        for parameter, values in documented(thing).items()
    ]
    assert len(found) > 100
    assert not [(name, real, said) for name, real, said in found if not alike(real, said)]


if __name__ == "__main__":
    FILE.write_text("\n".join([*defaults(), ""]), encoding="utf-8")
