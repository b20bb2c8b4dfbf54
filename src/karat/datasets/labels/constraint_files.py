"""Files of must-link and cannot-link constraints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from karat.datasets.labels.labelings import read_columns
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
        If the file cannot be read or does not have three columns, the last with the words.
    """
    columns, *_ = read_columns(Path(path), n=None, header=False)
    if len(columns) != 3:
        raise InputError(
            f"{path} has {len(columns)} columns ({', '.join(columns)}); constraints have three: "
            "two ids, and must or cannot"
        )
    rows = list(
        zip(*(np.asarray(column, dtype=object) for column in columns.values()), strict=True)
    )
    is_header = str(rows[0][2]).strip().lower() not in MUST + CANNOT
    return rows[1:] if is_header else rows
