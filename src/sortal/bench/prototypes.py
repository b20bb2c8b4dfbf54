"""k-prototypes of the package kmodes: a rival for mixed data."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_array

from sortal.clusterers.mixed_mixture import columns_by_kind
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike


@dataclass(eq=False, repr=False)
class KPrototypes(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """k-prototypes (Huang 1998), fitted by the package kmodes, for numbers and categories.

    Columns of two values are categories, as for :class:`sortal.clusterers.MixedMixture`. Without
    categories this is k-means, without numbers k-modes.

    Parameters
    ----------
    n_clusters : int, default 8
    n_init : int, default 1
    random_state : int, optional

    Attributes
    ----------
    labels_ : ndarray of shape (n,)

    Examples
    --------
    >>> from sortal.bench import Benchmark, KPrototypes
    >>> sets = {"pairs": ([[0, 1, 0], [1, 1, 0], [8, 0, 1], [9, 0, 1]], ["a", "a", "b", "b"])}
    >>> Benchmark(sets, {"k-prototypes": KPrototypes()}, n_init=1).clusterers.keys()
    dict_keys(['k-prototypes'])
    """

    n_clusters: int = 8
    _: KW_ONLY
    n_init: int = 1
    random_state: int | None = None

    def fit(self, X: ArrayLike, y: object = None) -> KPrototypes:
        """Cluster X."""
        numbers, sets = columns_by_kind(check_array(X, dtype=np.float64, ensure_min_samples=2))
        codes = (
            np.array([of_set.argmax(axis=1) for of_set in sets]).reshape(len(sets), len(numbers)).T
        )
        settings: dict[str, Any] = {"n_init": self.n_init, "random_state": self.random_state}
        try:
            from kmodes.kmodes import KModes
            from kmodes.kprototypes import KPrototypes as OfPackage
        except ImportError:
            raise InputError("k-prototypes needs kmodes: pip install kmodes") from None
        if not sets:
            from sklearn.cluster import KMeans

            self.labels_ = KMeans(self.n_clusters, **settings).fit_predict(numbers)
        elif not numbers.size:
            self.labels_ = KModes(self.n_clusters, init="Huang", **settings).fit_predict(codes)
        else:
            places = list(range(numbers.shape[1], numbers.shape[1] + len(sets)))
            # Cao's start, the default, is the same each time
            made = OfPackage(self.n_clusters, init="Huang", **settings)
            self.labels_ = made.fit_predict(np.hstack([numbers, codes]), categorical=places)
        return self
