"""Clarity from its definitions, one object and one clustering at a time."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np


def average_information(labels: Any, predicted: Any) -> float:
    n = len(labels)
    size = Counter(labels)
    right = Counter(a for a, b in zip(labels, predicted, strict=True) if a == b)
    return -sum(right[c] / n * math.log(size[c] / n) for c in size)


def entropy(labels: Any) -> float:
    n = len(labels)
    return -sum(s / n * math.log(s / n) for s in Counter(labels).values())


def informativeness(labels: Any, predicted: Any) -> float:
    k, H = len(set(labels)), entropy(labels)
    return (average_information(labels, predicted) - H / k) / (H * (k - 1) / k)


def corrected(labels: Any, predicted: Any) -> float:
    n, size, told = len(labels), Counter(labels), Counter(predicted)
    E = -sum(size[c] / n * told[c] / n * math.log(size[c] / n) for c in size)
    return (average_information(labels, predicted) - E) / (entropy(labels) - E)


def distances(X: Any) -> Any:
    X = np.asarray(X, dtype=float)
    return np.array([[sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for y in X] for x in X])


def neighbor_order(D: Any, i: int) -> list[int]:
    return sorted((j for j in range(len(D)) if j != i), key=lambda j: (D[i][j], j))


def nearest_vote(D: Any, labels: Any, k: int, folds: Any = None) -> list[Any]:
    predicted = []
    for i in range(len(D)):
        others = [j for j in neighbor_order(D, i) if folds is None or folds[j] != folds[i]][:k]
        votes = Counter(labels[j] for j in others)
        most = max(votes.values())
        predicted.append(next(labels[j] for j in others if votes[labels[j]] == most))
    return predicted


def smallest_mean_vote(D: Any, labels: Any, k: int) -> list[Any]:
    predicted = []
    for i in range(len(D)):
        near = neighbor_order(D, i)[:k]
        means = {
            c: np.mean([math.sqrt(D[i][j]) for j in near if labels[j] == c])
            for c in dict.fromkeys(labels[j] for j in near)
        }
        predicted.append(min(means, key=means.__getitem__))
    return predicted


def refit(make: Any, X: Any, labels: Any, folds: Any) -> list[Any]:
    """Train on the other folds, predict this one; ``make()`` gives a fresh estimator."""
    predicted: list[Any] = [None] * len(labels)
    for fold in sorted(set(folds)):
        test = [i for i in range(len(labels)) if folds[i] == fold]
        train = [i for i in range(len(labels)) if folds[i] != fold]
        model = make().fit(X[train], [labels[i] for i in train])
        for i, told in zip(test, model.predict(X[test]), strict=True):
            predicted[i] = told
    return predicted


class Centroids:
    def fit(self, X: Any, y: Any) -> Any:
        y = np.array(y)
        self.means = {c: X[y == c].mean(axis=0) for c in dict.fromkeys(y)}
        return self

    def predict(self, X: Any) -> list[Any]:
        return [
            min(self.means, key=lambda c, x=x: float(((x - self.means[c]) ** 2).sum())) for x in X
        ]
