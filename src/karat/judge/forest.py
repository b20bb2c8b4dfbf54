"""Regression trees as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Forest:
    """The mean of T regression trees."""

    roots: NDArray[np.int32]
    #: the column that a node asks for; ``-1`` at a leaf
    feature: NDArray[np.int16]
    #: values up to it go left
    threshold: NDArray[np.float32]
    #: the left child; the right one is next to it
    left: NDArray[np.int32]
    #: mean of the target at each node, inner ones too
    value: NDArray[np.float32]

    def paths(self, F: NDArray[Any]) -> tuple[Floats, Floats, float]:
        """Prediction of each row, what each column added to it, and where all begin."""
        F = np.asarray(F, dtype=np.float32)
        contributions = np.zeros(F.shape)
        rows = np.arange(len(F))
        prediction = np.zeros(len(F))
        for root in self.roots:
            node = np.full(len(F), root)
            going = rows
            while len(going):
                here = node[going]
                feature = self.feature[here]
                inner = feature >= 0
                going, here, feature = going[inner], here[inner], feature[inner]
                after = self.left[here] + (F[going, feature] > self.threshold[here])
                node[going] = after
                contributions[going, feature] += self.value[after] - self.value[here]
            prediction += self.value[node]
        T = len(self.roots)
        return prediction / T, contributions / T, float(self.value[self.roots].mean())

    def predict(self, F: NDArray[Any]) -> Floats:
        """Prediction of each row (M,)."""
        F = np.asarray(F, dtype=np.float32)
        rows = np.arange(len(F))[:, None]
        node = np.tile(self.roots, (len(F), 1))
        while True:
            feature = self.feature[node]
            inner = feature >= 0
            if not inner.any():
                break
            right = F[rows, np.maximum(feature, 0)] > self.threshold[node]
            node = np.where(inner, self.left[node] + right, node)
        mean: Floats = self.value[node].mean(axis=1, dtype=np.float64)
        return mean

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """What is stored: a leaf's feature is -1, children are relative to their parent."""
        nodes = np.arange(len(self.left))
        inner = self.feature >= 0
        steps = np.where(inner, self.left - nodes, 0)
        return {
            prefix + "roots": self.roots,
            prefix + "feature": self.feature,
            prefix + "threshold": self.threshold[inner],
            prefix + "steps": steps[inner].astype(np.uint16),
            prefix + "value": self.value.astype(np.float16),
        }

    @classmethod
    def from_arrays(cls, arrays: Any, prefix: str) -> Forest:
        """Inverse of :meth:`arrays`."""
        feature = arrays[prefix + "feature"]
        inner = feature >= 0
        threshold = np.zeros(len(feature), dtype=np.float32)
        threshold[inner] = arrays[prefix + "threshold"]
        left = np.zeros(len(feature), dtype=np.int32)
        left[inner] = np.flatnonzero(inner) + arrays[prefix + "steps"].astype(np.int32)
        value = arrays[prefix + "value"].astype(np.float32)
        return cls(arrays[prefix + "roots"], feature, threshold, left, value)
