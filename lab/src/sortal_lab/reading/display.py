"""Objects of any kind as a reader sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sortal import InputError
from sortal.datasets import Dataset, original_units
from sortal.labeling import Shown

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

Show: TypeAlias = Callable[[int], Shown]

#: what can be shown to a reader: a data set, a table, a sequence, or a function of positions
Showable: TypeAlias = (
    "Dataset | pd.DataFrame | pd.Series[Any] | NDArray[Any] | Sequence[Any]"
    " | Callable[[int], object]"
)

#: characters of a text, and cells of a row, that a reader sees
MAX_TEXT, MAX_CELLS = 1_500, 40


def shown_by(objects: Showable, n: int) -> Show:
    """The function that shows the object at a position.

    Parameters
    ----------
    objects : Dataset, DataFrame, array-like, sequence or callable
        Texts, rows, paths of images, or mappings. Rows are shown with the names of their features,
        a Dataset's in original units. A callable receives positions.
    n : int
        Required number of objects.

    Raises
    ------
    InputError
        For another number of objects, or an object that cannot be shown.
    """
    import pandas as pd

    if callable(objects):
        return lambda at: shown(objects(at))  # type: ignore[operator]
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


def shown(content: object) -> Shown:
    """An object as a reader sees it."""
    if isinstance(content, Shown):
        return content
    if isinstance(content, str):
        return Shown(content)
    if isinstance(content, Path):
        return Shown(cells=(("image", str(content)),), images=(content,))
    if isinstance(content, Mapping):
        return Shown(cells=tuple((str(k), _cell(v)) for k, v in content.items()))
    raise InputError(
        f"an object of type {type(content).__name__} cannot be shown: give texts, mappings from "
        "feature names to values, or paths of images"
    )


def as_text(shown: Shown) -> str:
    """An object in a prompt."""
    if shown.text:
        return _cut(shown.text, MAX_TEXT)
    cells = [f"{name}: {_cut(value, 300)}" for name, value in shown.cells[:MAX_CELLS]]
    return "\n".join(cells) or "(empty)"


def as_line(shown: Shown, most: int = 200) -> str:
    """An object on one line."""
    text = shown.text or ", ".join(f"{name}: {value}" for name, value in shown.cells[:MAX_CELLS])
    return _cut(" ".join(text.split()) or "(empty)", most)


def shortened(show: Show, most: int) -> Show:
    """The same objects with texts and cells of at most ``most`` characters."""

    def short(at: int) -> Shown:
        whole = show(at)
        cells = tuple((name, _cut(value, most)) for name, value in whole.cells)
        return Shown(_cut(whole.text, most), cells, whole.images)

    return short


def numbered(ones: Sequence[Shown]) -> str:
    """Several objects in a prompt, numbered."""
    return "\n\n".join(f"[{number}]\n{as_text(shown)}" for number, shown in enumerate(ones, 1))


def _rows(table: pd.DataFrame) -> Show:
    """The rows of a table; coded columns ``name=value`` appear as the value that holds."""
    values = table.to_numpy(dtype=object)
    names = [str(name).partition("=") for name in table.columns]
    coded = [
        bool(equals) and set(np.unique(values[:, j].astype(str))) <= {"0", "1", "0.0", "1.0"}
        for j, (_, equals, _) in enumerate(names)
    ]

    def show(at: int) -> Shown:
        cells = []
        for j, (name, equals, value) in enumerate(names):
            if not coded[j]:
                cells.append((name + equals + value, _cell(values[at, j])))
            elif float(values[at, j]) == 1:
                cells.append((name, value))
        return Shown(cells=tuple(cells))

    return show


def _entries(X: csr_array, names: Sequence[str]) -> Show:
    """The rows of a sparse matrix: their largest entries."""

    def show(at: int) -> Shown:
        row = X[[at]]
        order = np.argsort(-row.data, kind="stable")[:MAX_CELLS]
        return Shown(cells=tuple((names[row.indices[i]], _cell(row.data[i])) for i in order))

    return show


def _cell(value: object) -> str:
    """A value as a cell."""
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)


def _cut(text: str, most: int) -> str:
    """A text of at most ``most`` characters."""
    return text if len(text) <= most else f"{text[:most]} ..."
