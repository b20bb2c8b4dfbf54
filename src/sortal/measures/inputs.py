"""Validated input of an evaluation: data, clusterings, classes and weights, encoded once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.distances import check_metric, check_points
from sortal.labelings.candidates import hard_labelings
from sortal.labelings.indexes import in_order_of
from sortal.labelings.labels import NOISE, Encoded, NoisePolicy, encode_known
from sortal.labelings.partitions import Labelings, as_labelings
from sortal.runtime.validation import InputError, check_sample_weight

if TYPE_CHECKING:
    from sortal.labelings.structures import Memberships
    from sortal.typing import ArrayLike, Floats, Labels, Metric

__all__ = ["Inputs"]


@dataclass(frozen=True)
class Inputs:
    """Objects of positive weight with their clusterings, classes and weights.

    Attributes
    ----------
    X : ndarray, csr_array or None
    labelings : Labelings
    metric : str or callable
    classes : Encoded or None
        ``-1`` marks an unknown class.
    weights : ndarray of float64, shape (n,), or None
        None where all are 1.
    memberships : dict of str to Memberships
        Soft and overlapping clusterings among the labelings, not hardened.
    has_weight : ndarray of bool
        Mask of the input objects with a positive weight.
    """

    X: Any
    labelings: Labelings
    metric: Any = "euclidean"
    classes: Encoded | None = None
    weights: Floats | None = None
    memberships: dict[str, Memberships] = field(default_factory=dict)
    has_weight: Any = True

    @classmethod
    def of_data(cls, X: ArrayLike, labelings: object, **options: Any) -> Inputs:
        """:meth:`read` where there must be data."""
        if X is None:
            raise InputError("there are no data to judge: None was given")
        return cls.read(X, labelings, **options)

    @classmethod
    def read(
        cls,
        X: ArrayLike | None,
        labelings: object,
        *,
        y: Labels | None = None,
        metric: Metric = "euclidean",
        noise: NoisePolicy = "error",
        sample_weight: ArrayLike | None = None,
    ) -> Inputs:
        """Validate and encode the input of :func:`sortal.evaluate`, with the same parameters."""
        metric = check_metric(metric)
        labelings, memberships = hard_labelings(labelings, X)
        labelings = in_order_of(X, labelings, name="X", other_name="labelings")
        for name, side in (("X", X), ("labelings", labelings)):
            y = in_order_of(side, y, name=name, other_name="truth", on="right")
            sample_weight = in_order_of(side, sample_weight, name=name, other_name="sample_weight")
        X = None if X is None else check_points(X, metric)
        n = None if X is None else X.shape[0]
        weights = None if sample_weight is None else check_sample_weight(sample_weight, n)
        # an outlier of weight 0 is no error
        first: NoisePolicy = "drop" if weights is not None and noise == "error" else noise
        batch = as_labelings(labelings, n_objects=n, noise=first)
        n = batch.n_objects
        if weights is not None and len(weights) != n:
            raise InputError(
                f"sample_weight has shape {weights.shape}, but there are {n} objects; give one "
                "weight for each"
            )
        classes = None if y is None else encode_known(y, n)
        has_weight = np.ones(n, dtype=bool) if weights is None else weights > 0
        if weights is not None and not has_weight.all():
            weights, batch = weights[has_weight], batch.take(has_weight)
            if X is not None:
                X = (
                    X[np.ix_(has_weight, has_weight)]
                    if metric in ("precomputed", "graph")
                    else X[has_weight]
                )
            if classes is not None:
                classes = Encoded(classes.codes[has_weight], classes.names)
                if (classes.codes == NOISE).all():
                    raise InputError(
                        "truth has no known class for any object of positive weight; omit truth"
                    )
        batch = as_labelings(batch, noise=noise)
        if weights is not None and (weights == 1).all():
            weights = None
        return cls(X, batch, metric, classes, weights, memberships, has_weight)

    @property
    def coverage(self) -> Floats:
        """Share of the objects, or of their weight, that each clustering judges."""
        return np.asarray(np.average(self.labelings.codes != NOISE, axis=1, weights=self.weights))
