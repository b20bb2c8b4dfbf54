"""One data set as every room of karat meets it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.validation import check_data

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.validation import Data


@dataclass(frozen=True)
class Dataset:
    """Objects in rows, with their names, what is known of their classes, and what was done.

    Attributes
    ----------
    X : ndarray or csr_array, shape (n, d)
        float32 or float64, finite.
    name : str
    feature_names : tuple of str, length d
    ids : ndarray of object, shape (n,)
    truth : ndarray of object, shape (n,), or None
        Class of each object, None where it is not known.
    truth_name : str or None
    notes : tuple of str
        Sentences: what was dropped, encoded, imputed, scaled.
    center, scale : ndarray, shape (d,), or None
        The values before scaling are ``X * scale + center``.
    source : str or None
        The path or name that was read.
    options : mapping
        The arguments that read it this way.
    """

    X: Data
    name: str
    feature_names: tuple[str, ...]
    ids: NDArray[np.object_]
    truth: NDArray[np.object_] | None = None
    truth_name: str | None = None
    notes: tuple[str, ...] = ()
    center: NDArray[np.float64] | None = None
    scale: NDArray[np.float64] | None = None
    source: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_objects(self) -> int:
        """Number of objects n."""
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features d."""
        return self.X.shape[1]

    @property
    def fingerprint(self) -> str:
        """The same for the same X, whatever its labels and names."""
        X: Any = self.X
        parts = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
        digest = hashlib.sha256(repr((X.shape, X.dtype.str, len(parts))).encode())
        for part in parts:
            digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()


def from_array(X: Any, *, name: str = "data") -> Dataset:
    """A data set from numbers alone."""
    data = check_data(X)
    features = getattr(X, "columns", range(data.shape[1]))
    ids = np.arange(data.shape[0]).astype(object)
    return Dataset(data, name, tuple(map(str, features)), ids)
