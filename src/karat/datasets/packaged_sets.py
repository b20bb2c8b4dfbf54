"""Data sets packaged with karat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from karat.datasets.formats.data_files import read_raw
from karat.datasets.prepared.dataset import Dataset
from karat.datasets.prepared.pipeline import prepare
from karat.datasets.values.drafts import RawData
from karat.datasets.values.reading_options import ReadingOptions
from karat.runtime.validation import unknown_name

_FOLDER = Path(__file__).parent / "data"


#: title and class column of each set; ``data/SOURCES.md`` names the origin
_PACKAGED_SETS = {
    "iris": ("Iris flowers: sepals and petals of 50 plants of each species", "species"),
    "wine": ("Wines of three cultivars, by chemical analysis", "cultivar"),
}


def available() -> dict[str, str]:
    """Packaged data sets: name to title.

    Examples
    --------
    >>> import karat.datasets
    >>> list(karat.datasets.available())
    ['iris', 'wine']
    """
    return {name: title for name, (title, _) in _PACKAGED_SETS.items()}


def load(name: str, **options: Any) -> Dataset:
    """Load a packaged data set, with its classes.

    Parameters
    ----------
    name : str
        One of :func:`available`.
    **options
        As for :func:`karat.datasets.read`; ``label_column=None`` excludes the classes.

    Raises
    ------
    InputError
        If there is no such set.

    Examples
    --------
    >>> import karat.datasets
    >>> karat.datasets.load("iris")
    <Dataset 'iris', 150 × 4>
    """
    if name not in _PACKAGED_SETS:
        raise unknown_name(name, _PACKAGED_SETS, "packaged data set")
    if "y" not in options:
        options.setdefault("label_column", _PACKAGED_SETS[name][1])
    options.setdefault("scale", "none")
    reading_options = ReadingOptions.of(**options)
    return prepare(open_set(name, reading_options), reading_options)


def open_set(name: str, options: ReadingOptions, *, literal: bool = False) -> RawData:
    """Read a packaged file; the class column is never a feature."""
    raw = read_raw(_FOLDER / f"{name}.csv", options, literal=literal)
    raw.source = name
    column = _PACKAGED_SETS[name][1]
    if column in (options.label_column, options.id_column, *options.drop):
        return raw
    raw.content = raw.content.drop_columns([column])
    raw.notes.append(f"The classes are not used; label_column (--label-column {column}) adds them.")
    return raw
