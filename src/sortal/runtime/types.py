"""Types that several rooms share, for annotations only.

Importing it loads nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    from scipy.sparse import csr_array, sparray, spmatrix

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
Floats: TypeAlias = "npt.NDArray[np.float64]"
Ints: TypeAlias = "npt.NDArray[np.integer[Any]]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"


class Estimator(Protocol):
    """A clusterer with scikit-learn's interface: ``fit`` leaves ``labels_``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""

    def set_params(self, **params: Any) -> Any:
        """Change parameters by name."""

    def fit(self, X: Any, y: Any = None) -> Any:
        """Cluster the rows of ``X``."""
