"""Data on their way to a data set: as they were read, and partly prepared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sortal.datasets.values.names_and_ids import row_numbers

if TYPE_CHECKING:
    import pandas as pd

    from sortal.typing import Bools


@dataclass
class RawData:
    """Raw content of a source."""

    name: str
    source: str | None
    content: Any  # Arrow table, ndarray of shape (n, d), or csr_array
    #: columns of an array, or all columns of the source of a table
    names: tuple[str, ...] | None = None
    #: one-dimensional arrays beside an array (in an NPZ file)
    beside: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    owned: bool = False  # whether ``content`` may be written to
    #: shape (n,): rows without values: their lines have too few or too many cells
    ragged: Bools | None = None
    #: names of the objects, if the source has them beside its columns
    ids: NDArray[Any] | None = None
    #: what describes the objects, if ``content`` is a representation of it
    variables: pd.DataFrame | None = None
    of_terms: bool = False  # whether the columns are terms, which options cannot name
    decimal: str = "."  # decimal mark of the source


@dataclass
class DatasetDraft:
    """Data set under construction; ``origin`` maps each feature to its source column."""

    X: Any
    names: tuple[str, ...]
    origin: NDArray[np.intp]
    columns: tuple[str, ...]
    categorical: Bools
    notes: list[str]
    owned: bool
    ids: NDArray[Any] | None = None
    labels: NDArray[np.object_] | None = None
    label_name: str = ""  # of the column in a file of classes
    rows: NDArray[np.intp] | None = None  # of the source, where some were excluded
    n_source: int = 0  # rows of the source, where some were excluded
    filler: Any = None  # of missing values
    gaps: Bools | None = None  # values that were missing
    keys: Mapping[str, Any] = field(default_factory=dict)  # that may name rows

    @property
    def sparse(self) -> bool:
        """Whether the data are sparse."""
        return not isinstance(self.X, np.ndarray)

    def row_numbers(self, rows: Iterable[int]) -> str:
        """Numbers of remaining rows in the source, as :func:`row_numbers` lists them."""
        return row_numbers(rows if self.rows is None else self.rows[list(rows)].tolist())

    def ensure_owned(self) -> None:
        """Copy ``X`` unless it may be written to."""
        if not self.owned:
            self.X, self.owned = np.array(self.X), True

    def keep_features(self, keep: Bools) -> None:
        """Exclude all features but those in the mask ``keep``."""
        self.X = self.X[:, keep] if self.sparse else np.ascontiguousarray(self.X[:, keep])
        self.names = tuple(name for name, is_kept in zip(self.names, keep, strict=True) if is_kept)
        self.origin, self.categorical = self.origin[keep], self.categorical[keep]
        self.owned = True

    def keep_objects(self, keep: Bools) -> None:
        """Exclude all objects but those in the mask ``keep``."""
        self.rows = np.flatnonzero(keep) if self.rows is None else self.rows[keep]
        self.X = self.X[keep]
        self.ids = None if self.ids is None else self.ids[keep]
        self.labels = None if self.labels is None else self.labels[keep]
        self.owned = True
