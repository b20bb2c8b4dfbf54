"""``karat reproduce`` and ``karat lab``: commands of karat-lab, if it is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import typer

from karat.runtime.validation import InputError

LABORATORY = "karat_lab"
#: pass all words to the laboratory's command, including ``--help``
FORWARD = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def reproduce(context: typer.Context) -> None:
    """Run a published experiment by name (with karat-lab)."""
    _forward("reproduce", list(context.args))


def lab(context: typer.Context) -> None:
    """Fetch the data of the experiments, or submit a way of choosing (with karat-lab)."""
    _forward("lab", list(context.args) or ["--help"])


def _forward(name: str, words: list[str]) -> None:
    """Run a command of karat-lab; raises if it is not installed."""
    if find_spec(LABORATORY) is None:
        raise InputError(
            f"karat {name} is part of karat-lab, which is not installed: pip install -e lab in a "
            "checkout of karat"
        )
    command = typer.main.get_command(getattr(import_module(f"{LABORATORY}.__main__"), name))
    with command.make_context(f"karat {name}", words) as context:
        command.invoke(context)
