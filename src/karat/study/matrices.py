"""Matrices of distances that took long, kept in the file of a study: those of a function."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import squareform

from karat.datasets import Dataset, as_dataset
from karat.datasets import compares_objects as compares_objects
from karat.study.identity import NoIdentityError, identity
from karat.study.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

#: SQLite holds no larger values: matrices of more than 11,180 objects are computed again
LARGEST = 500_000_000


def dataset_of(X: Any, metric: Any, storage: Any) -> tuple[Dataset, str | None]:
    """The data set of a study's first arguments, and the key that its matrix is kept under.

    The distances of objects are read from the study's file where it has them.
    """
    if isinstance(X, Dataset) or storage is None or not compares_objects(X, metric):
        return as_dataset(X, metric), None
    try:
        key = "of objects " + identity((list(X), metric)).rpartition("#")[2]
    except NoIdentityError:
        return as_dataset(X, metric), None
    distances = None
    if Path(storage).is_file():
        store = Store(storage, None)
        try:
            distances = kept(store, key)
        finally:
            store.close()
    return as_dataset(X, metric, distances=distances), key


def keep(store: Store, key: str, D: Any) -> None:
    """Keep a symmetric matrix, unless it is there, or too large."""
    condensed = squareform(D, checks=False)
    if store.path is not None and condensed.nbytes <= LARGEST and not store.has_matrix(key):
        store.add_matrix(key, condensed)


def kept(store: Store, key: str) -> Floats | None:
    """The matrix that was kept under a key."""
    condensed = store.matrix(key)
    return None if condensed is None else squareform(condensed, checks=False)
