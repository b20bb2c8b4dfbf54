"""Problems of a file, and the options that settle them."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping
from typing import Any

from karat.datasets.values.reading_options import ReadingOptions
from karat.runtime.validation import InputError

#: options with another name on the command line
_RENAMED_FLAGS = {"kind": "--as", "column_weights": "--weights"}
_LIST_OPTIONS = ("drop", "accept", "na_values")
_VECTORIZER_OPTIONS = ("weight", "min_df", "max_df", "stemmer")


class RepairableError(InputError):
    """Problems of a file that options of :func:`karat.datasets.read` solve.

    Attributes
    ----------
    repairs : dict
        The options. Names in ``drop`` are added to the user's.
    """

    __module__ = "karat.datasets"

    def __init__(self, *problems: str, **repairs: Any) -> None:
        super().__init__("\n".join(problems))
        self.repairs = repairs


class DoubtfulError(InputError):
    """Ambiguous data; the message says which options settle their meaning."""

    __module__ = "karat.datasets"


def _non_defaults(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that differ from the default."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value != getattr(ReadingOptions, name, None)
    }


def as_flags(options: Mapping[str, Any]) -> list[str]:
    """Options of the reader as command-line words."""
    words: list[str] = []
    for name, value in _non_defaults(options).items():
        flag = _RENAMED_FLAGS.get(name, f"--{name.replace('_', '-')}")
        if name in _LIST_OPTIONS:
            words += [word for item in value for word in (flag, _csv_cell(item))]
        elif isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, Mapping):
            words += as_flags(
                {key: value[key] or "none" for key in _VECTORIZER_OPTIONS if key in value}
            )
        else:
            words += [flag, str(value)]
    return words


def _csv_cell(name: str) -> str:
    """Name of a column, quoted for a comma-separated list."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([name])
    return line.getvalue()


def command(source: str, options: Mapping[str, Any]) -> str:
    """Command ``karat run`` with the file and the options."""
    return shlex.join(["karat", "run", source, *as_flags(options)])
