"""What is evaluated: data, clusterings, classes and weights, checked and encoded once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.distances import check_metric, check_points
from karat.labelings.held import held_labelings
from karat.labelings.labels import NOISE, Encoded, NoisePolicy, encode, known_labels
from karat.labelings.partitions import Labelings
from karat.labelings.structures import Memberships, split
from karat.measures.passes.statistics import weigh
from karat.runtime.validation import InputError, in_order_of, on_host

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Inputs"]


@dataclass(frozen=True)
class Inputs:
    """Objects of positive weight, and what is known of them.

    Attributes
    ----------
    X : ndarray, csr_array or None
    labelings : Labelings
    metric : str or callable
    classes : Encoded or None
        ``-1`` where the class is not known.
    weights : ndarray of float64, shape (n,), or None
        None where all are 1.
    memberships : dict of str to Memberships
        Soft and overlapping clusterings among the labelings, as they were given.
    """

    X: Any
    labelings: Labelings
    metric: Any = "euclidean"
    classes: Encoded | None = None
    weights: NDArray[np.float64] | None = None
    memberships: dict[str, Memberships] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        X: Any,
        labelings: Any,
        *,
        truth: Any = None,
        metric: Any = "euclidean",
        noise: NoisePolicy = "error",
        sample_weight: Any = None,
    ) -> Inputs:
        """Check and encode what :func:`karat.evaluate` takes; parameters are those there."""
        labelings, memberships = split(held_labelings(labelings, X))
        labelings = in_order_of(X, labelings, name="X", other_name="labelings")
        truth = in_order_of(X, truth, name="X", other_name="truth")
        truth = in_order_of(labelings, truth, name="labelings", other_name="truth")
        sample_weight = in_order_of(X, sample_weight, name="X", other_name="sample_weight")
        metric = check_metric(metric)
        X = None if X is None else check_points(X, metric)
        X, batch, weights, kept = weigh(X, labelings, sample_weight, metric=metric, noise=noise)
        classes = None if truth is None else _classes(truth, kept)
        return cls(X, batch, metric, classes, weights, memberships)

    @property
    def coverage(self) -> NDArray[np.float64]:
        """The share of the objects, or of their weight, that each clustering does not exclude."""
        codes = self.labelings.codes
        if codes.min() >= 0:
            return np.ones(len(codes))
        return np.asarray(np.average(codes != NOISE, axis=1, weights=self.weights))


def _classes(truth: Any, kept: NDArray[np.bool_]) -> Encoded:
    """The known classes as codes, -1 where the class is not known; integers stay integers."""
    n = len(kept)
    given = on_host(truth, name="truth")
    given = given.to_numpy() if hasattr(given, "to_numpy") else given
    found = None
    if isinstance(given, np.ndarray) and given.dtype.kind in "iu" and given.shape == (n,):
        found = encode(given, name="truth")
    if found is None or not found.n_clusters:
        values = known_labels(truth, n)
        known = np.array([value is not None for value in values])
        classes = encode(values[known], name="truth")
        codes = np.full(n, NOISE, dtype=np.int32)
        codes[known] = classes.codes
        found = Encoded(codes, classes.names)
    if kept.all():
        return found
    found = Encoded(found.codes[kept], found.names)
    if (found.codes == NOISE).all():
        raise InputError("truth names the class of no object that has a weight; omit it instead")
    return found
