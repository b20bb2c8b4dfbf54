"""Clusterers of distances."""

from __future__ import annotations

from typing import Any


class OfDistances:
    """Before an estimator of scikit-learn: takes sparse rows, or a matrix for a ``metric``."""

    metric: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags
