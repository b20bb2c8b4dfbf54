"""Files of pairs of objects that must, or cannot, be together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from karat.datasets._labelings import read_columns
from karat.labelings.pairs import CANNOT, MUST
from karat.runtime.validation import InputError


def read_constraints(path: str | Path) -> list[tuple[Any, Any, str]]:
    """Read pairs of objects from a table of three columns: two ids, and ``must`` or ``cannot``.

    Parameters
    ----------
    path : path-like
        CSV, TSV, Parquet, Excel, ...; with or without a header.

    Returns
    -------
    list of tuple
        For :func:`karat.Study.constrain`.

    Raises
    ------
    InputError
        If the file cannot be read or has not three columns, the last of them with the words.
    """
    columns, _ = read_columns(Path(path), n=None, header=None)
    if len(columns) != 3:
        raise InputError(
            f"{path} has {len(columns)} columns ({', '.join(columns)}); constraints have three: "
            "two ids, and must or cannot"
        )
    rows = list(zip(*(np.asarray(one, dtype=object) for one in columns.values()), strict=True))
    names = tuple(columns)
    if names[2].strip().lower() in MUST + CANNOT:  # the first row was taken for a header
        rows.insert(0, names)
    return rows
