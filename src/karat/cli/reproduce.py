"""``karat reproduce``: the command of karat-lab, where that is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import typer

from karat.runtime.validation import InputError

LABORATORY = "karat_lab"
#: all words go to the laboratory's command, ``--help`` too
FORWARD = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def reproduce(context: typer.Context) -> None:
    """Run a published experiment by name (with karat-lab)."""
    if find_spec(LABORATORY) is None:
        raise InputError(
            "karat reproduce is part of karat-lab, which is not installed: pip install karat-lab, "
            "or pip install -e lab in a checkout"
        )
    command = typer.main.get_command(import_module(f"{LABORATORY}.__main__").app)
    with command.make_context("karat reproduce", list(context.args)) as given:
        command.invoke(given)
