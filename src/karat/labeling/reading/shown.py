"""What a reader sees of an object, whatever the objects are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from karat.datasets import Dataset, original_units
from karat.labeling.desk import Shown
from karat.runtime.validation import InputError

Show: TypeAlias = Callable[[int], Shown]

#: characters of a text, and cells of a row, that a reader sees
MOST_TEXT, MOST_CELLS = 1_500, 40


def shown_by(objects: Any, n: int) -> Show:
    """What shows the object at a position.

    Parameters
    ----------
    objects : Dataset, DataFrame, array-like, sequence or callable
        Texts; rows, shown by the names of their features; a Dataset's texts, or its features in
        original units; paths of images; mappings. A callable is given positions.
    n : int
        How many there must be.

    Raises
    ------
    InputError
        For another number of objects, or one that cannot be shown.
    """
    import pandas as pd

    if callable(objects):
        return lambda at: shown(objects(at))
    if isinstance(objects, Dataset):
        if objects.texts is None and not isinstance(objects.X, np.ndarray):
            return _entries(original_units(objects), objects.feature_names)
        objects = objects.texts if objects.texts is not None else original_units(objects)
    if isinstance(objects, np.ndarray) and objects.ndim == 2:
        objects = pd.DataFrame(
            objects, columns=[f"feature {j + 1}" for j in range(objects.shape[1])]
        )
    if not hasattr(objects, "__len__") or isinstance(objects, (str, bytes)):
        raise InputError(
            "objects must be a Dataset, a DataFrame, or a sequence of texts, rows or paths; got "
            f"{type(objects).__name__}"
        )
    if len(objects) != n:
        raise InputError(f"there are {len(objects)} objects to show and {n} labels")
    if isinstance(objects, pd.DataFrame):
        return _rows(objects)
    if isinstance(objects, pd.Series):
        objects = objects.tolist()
    return lambda at: shown(objects[at])


def shown(thing: Any) -> Shown:
    """An object as a reader sees it."""
    if isinstance(thing, Shown):
        return thing
    if isinstance(thing, str):
        return Shown(thing)
    if isinstance(thing, Path):
        return Shown(cells=(("image", str(thing)),), images=(thing,))
    if isinstance(thing, Mapping):
        return Shown(cells=tuple((str(k), _cell(v)) for k, v in thing.items()))
    raise InputError(
        f"an object of type {type(thing).__name__} cannot be shown: give texts, mappings from "
        "feature names to values, or paths of images"
    )


def as_text(one: Shown) -> str:
    """An object in a prompt."""
    if one.text:
        return _cut(one.text, MOST_TEXT)
    cells = [f"{name}: {_cut(value, 300)}" for name, value in one.cells[:MOST_CELLS]]
    return "\n".join(cells) or "(empty)"


def as_line(one: Shown, most: int = 200) -> str:
    """An object on one line."""
    text = one.text or ", ".join(f"{name}: {value}" for name, value in one.cells[:MOST_CELLS])
    return _cut(" ".join(text.split()) or "(empty)", most)


def numbered(ones: Sequence[Shown]) -> str:
    """Several objects in a prompt, by number."""
    return "\n\n".join(f"[{number}]\n{as_text(one)}" for number, one in enumerate(ones, 1))


def _rows(table: Any) -> Show:
    """The rows of a table; of columns ``name=value`` of 0 and 1 the value that holds."""
    values = table.to_numpy(dtype=object)
    names = [str(name).partition("=") for name in table.columns]
    coded = [
        bool(equals) and set(np.unique(values[:, j].astype(str))) <= {"0", "1", "0.0", "1.0"}
        for j, (_, equals, _) in enumerate(names)
    ]

    def show(at: int) -> Shown:
        cells = []
        for j, (name, equals, of) in enumerate(names):
            if not coded[j]:
                cells.append((name + equals + of, _cell(values[at, j])))
            elif float(values[at, j]) == 1:
                cells.append((name, of))
        return Shown(cells=tuple(cells))

    return show


def _entries(X: Any, names: Sequence[str]) -> Show:
    """The rows of a sparse matrix: what is not 0, the largest first."""

    def show(at: int) -> Shown:
        row = X[[at]]
        order = np.argsort(-row.data, kind="stable")[:MOST_CELLS]
        return Shown(cells=tuple((names[row.indices[i]], _cell(row.data[i])) for i in order))

    return show


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ..."
