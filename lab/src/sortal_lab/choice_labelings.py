"""Labelings as users bring them: the truth with errors, by one feature, at random, ..."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats

    Labels = NDArray[np.int64]

#: percentages of the objects whose class is drawn anew
PERCENT = (0, 5, 10, 20, 30, 50)


def above_itself(predicted: Floats, names: Iterable[Collection[str]], noise: int) -> bool | None:
    """Whether the truth is predicted above itself with some per cent of noise.

    None where either is not among the labelings with these ``names``.
    """
    called = [[name.partition("truth with ")[2] for name in each] for each in names]
    exact, noisy = (
        [j for j, each in enumerate(called) if f"{n} % noise" in each] for n in (0, noise)
    )
    if not exact or not noisy or exact[0] == noisy[0]:
        return None
    return bool(predicted[exact[0]] > predicted[noisy[0]])


def own_labelings(
    X: NDArray[np.float64], truth: Labels, rng: np.random.Generator
) -> Iterator[tuple[str, Labels]]:
    """Labelings of known quality, by what they are; of data without classes only the bad ones.

    Parameters
    ----------
    truth : ndarray of int, shape (n,)
        ``-1`` for objects that do not count; all 0 or less where there are no classes.
    """
    n = len(truth)
    k = len(np.unique(truth[truth >= 0]))
    if k > 1:
        yield from _of_truth(X, truth, rng)
        yield "random with these sizes", rng.permutation(truth)
    for many in {2, 3, max(k, 5)}:
        yield f"random {many}", rng.integers(many, size=n)
    for _ in range(2):
        column = X[:, rng.integers(X.shape[1])]
        parts = int(rng.integers(2, 6))
        cuts = np.quantile(column, np.arange(1, parts) / parts)
        yield "by one feature", np.searchsorted(cuts, column)
    yield from _at_wrong_numbers(X, k, rng)


def _of_truth(X: Floats, truth: Labels, rng: np.random.Generator) -> Iterator[tuple[str, Labels]]:
    """The truth: noisy, merged, split, truncated."""
    classes, sizes = np.unique(truth[truth >= 0], return_counts=True)
    k, counts = len(classes), truth >= 0
    for percent in PERCENT:
        labels = truth.copy()
        wrong = counts & (rng.random(len(truth)) < percent / 100)
        labels[wrong] = rng.permutation(truth[wrong])
        yield f"truth with {percent} % noise", labels
    if k > 2:
        group = rng.permutation(k) % max(2, k // 2)
        yield "merged", np.where(counts, group[np.searchsorted(classes, truth)], -1)
        largest = classes[np.argsort(-sizes, kind="stable")[: int(rng.integers(1, k - 1))]]
        yield "truncated to the largest", np.where(np.isin(truth, largest), truth, k + truth.max())
    labels = truth.copy()
    for c in classes[rng.random(k) < 0.6]:
        here = np.flatnonzero(truth == c)
        along = X[here] @ rng.normal(size=X.shape[1])
        labels[here[along > np.median(along)]] = truth.max() + 1 + c
    yield "split", labels


def _at_wrong_numbers(X: Floats, k: int, rng: np.random.Generator) -> Iterator[tuple[str, Labels]]:
    """Labels by k-means with too many clusters, and with too few if possible."""
    from sklearn.cluster import KMeans

    most = max(4, min(2 * k + int(rng.integers(1, 6)), len(X) // 6, 60))
    wrong = [most] + ([max(2, k // 2)] if k > 3 else [])
    for number in wrong:
        labels = KMeans(number, n_init=1, random_state=0).fit_predict(X)
        yield "k-means at a wrong number", labels.astype(np.int64)
