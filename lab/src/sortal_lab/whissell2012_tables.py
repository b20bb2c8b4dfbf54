"""The cells of whissell2012 tables 5.1, 5.3 to 5.14 and 6.1 to 6.4, as printed."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

_STORED: Any = json.loads(files("sortal_lab").joinpath("whissell2012.json").read_text("utf-8"))


def _rows(table: dict[str, list[Any]]) -> dict[str, tuple[Any, ...]]:
    """Rows of a table as tuples."""
    return {name: tuple(values) for name, values in table.items()}


def _tables(tables: dict[str, dict[str, list[Any]]]) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Tables with rows as tuples."""
    return {name: _rows(table) for name, table in tables.items()}


MEASURES = ("NMI", "FQ", "PQ", "EQ")
#: changes in %, by collection and by clusterer; NMI, FQ, PQ, EQ. The printed overall is over all of
#: the table
BY_COLLECTION, BY_ALGORITHM = _tables(_STORED["by collection"]), _tables(_STORED["by clusterer"])
#: means over the groups of clusterers; the text that we have lacks a figure of table 5.5
OVERALL = _tables(_STORED["overall"])
#: tables 5.1 and 6.3: documents, terms, classes; objects, features, classes, largest class
COLLECTIONS, REAL_SETS = _rows(_STORED["5.1"]), _rows(_STORED["6.3"])
#: the best algorithm of each collection and its value under the first weight, and the second
BEST = {name: _tables(table) for name, table in _STORED["best"].items()}
#: a column for each measure, best first
RANKINGS = _tables(_STORED["rankings"])
#: table 5.8, the upper half of its rows
TAUS = {tuple(pair.split(", ")): tau for pair, tau in _STORED["5.8"].items()}
#: tables 6.1 and 6.4: Kendall's tau by measure, and its mean
TAUS_SYNTHETIC, TAUS_REAL = _rows(_STORED["6.1"]), _rows(_STORED["6.4"])
#: table 6.2: how many of 50 samples each number of clusters was chosen for; 2..10, then 11 and more
CHOSEN = _tables(_STORED["6.2"])
