"""Types for annotations: data, labels, metrics, random states, arrays.

Importing it loads nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    from scipy.sparse import csr_array, sparray, spmatrix

__all__ = [
    "ArrayLike",
    "Bools",
    "Floats",
    "Ints",
    "Labels",
    "MeasureKind",
    "Metric",
    "RandomState",
    "Rows",
    "Takes",
]

#: data as users hand them over: anything NumPy reads, a table, a sparse matrix
ArrayLike: TypeAlias = "npt.ArrayLike | pd.DataFrame | sparray | spmatrix"
#: validated data: one object a row
Rows: TypeAlias = "npt.NDArray[np.floating[Any]] | csr_array"
#: one label an object: integers, strings or None, as users hand them over
Labels: TypeAlias = "npt.ArrayLike | Iterable[object]"
#: a metric's name, or a function of two objects
Metric: TypeAlias = "str | Callable[[Any, Any], float]"
#: where randomness comes from, as in scikit-learn
RandomState: TypeAlias = (
    "int | np.integer[Any] | np.random.Generator | np.random.RandomState | None"
)
#: array of numbers, float64
Floats: TypeAlias = "npt.NDArray[np.float64]"
#: array of integers of any width
Ints: TypeAlias = "npt.NDArray[np.integer[Any]]"
#: array of true and false
Bools: TypeAlias = "npt.NDArray[np.bool_]"
#: whether a measure compares a clustering with classes, or judges it by the data
MeasureKind: TypeAlias = Literal["external", "internal"]
#: what an internal measure reads of the data
Takes: TypeAlias = Literal["distances", "features", "graph"]


class Estimator(Protocol):
    """A clusterer with scikit-learn's interface: ``fit`` leaves ``labels_``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""

    def set_params(self, **params: Any) -> Any:
        """Change parameters by name."""

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of ``X``."""
