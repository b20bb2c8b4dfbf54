"""What the list of changes names is there, and it fits on a page."""

from __future__ import annotations

import re
from functools import cache, reduce
from pathlib import Path

import pytest

import sortal
from command_line import sortal_command

TEXT = (Path(__file__).parents[1] / "CHANGELOG.md").read_text("utf-8")
CODE = sorted(set(re.findall(r"`([^`]+)`", TEXT)))
NAMES = [code for code in CODE if re.fullmatch(r"(sortal|Study|Answer)(\.\w+)+", code)]
COMMANDS = sorted({match[1] for code in CODE if (match := re.match(r"sortal ([a-z]+)", code))})
OPTIONS = sorted(set(re.findall(r"`(--[a-z-]+)", TEXT)))


def missing(names: list[str]) -> list[str]:
    """Names that sortal does not have."""
    absent = object()

    def value(name: str) -> object:
        parts = name.removeprefix("sortal.").split(".")
        return reduce(lambda of, part: getattr(of, part, absent), parts, sortal)

    return [name for name in names if value(name) is absent]


@cache
def help_of(command: str) -> str:
    return sortal_command(command, "--help").stdout


def test_it_is_one_page() -> None:
    assert len(TEXT.splitlines()) <= 60
    assert f"## {sortal.__version__.partition('.dev')[0]}" in TEXT


def test_its_names_are_there() -> None:
    assert len(NAMES) > 20
    assert not missing(NAMES)
    assert missing(["Study.code", "sortal.bounds.nothing"])


def test_its_commands_and_options_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    assert len(COMMANDS) > 8
    own = [command for command in COMMANDS if command not in ("reproduce", "lab")]
    assert not [command for command in own if "Usage" not in help_of(command)]
    every = "".join(map(help_of, own))
    assert not [option for option in OPTIONS if option not in every]
