"""What commands of other packages share with sortal's: reading data, options, printing.

An entry point of the group ``sortal.commands`` names a function with annotated options, or a
``typer.Typer``; its name is the command's.
"""

from __future__ import annotations

from sortal.cli._groups import takes_groups
from sortal.cli._input import InputOptions, print_findings, read_dataset, split_names
from sortal.cli._options import JsonOption, SeedOption
from sortal.cli._output import print_json, printable, show_table
from sortal.cli.label import ask, show_object

__all__ = [
    "InputOptions",
    "JsonOption",
    "SeedOption",
    "ask",
    "print_findings",
    "print_json",
    "printable",
    "read_dataset",
    "show_object",
    "show_table",
    "split_names",
    "takes_groups",
]
