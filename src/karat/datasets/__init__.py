"""Data sets: readers for files and tables, and a few packaged sets."""

from __future__ import annotations

from typing import Any

from karat.datasets._dataset import Dataset

__all__ = ["Dataset", "from_array"]


def from_array(X: Any, *, name: str = "data") -> Dataset:
    """A data set from numbers alone."""
    import numpy as np

    from karat.validation import check_data

    data = check_data(X)
    features = getattr(X, "columns", range(data.shape[1]))
    ids = np.arange(data.shape[0]).astype(object)
    return Dataset(data, name, tuple(map(str, features)), ids)
