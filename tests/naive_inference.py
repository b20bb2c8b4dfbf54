"""Conditional tests whose truncation set is computed, for linkage and for k-means.

Gao, Bien & Witten (2022, JASA) and Chen & Witten (2023, JMLR): two clusters whose means are ``phi``
apart along the line through them, all else unchanged. What a clusterer compares on its way is a
quadratic function of ``phi``, so what keeps its decisions is a union of intervals. Written from the
definitions, slow and obvious.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist
from scipy.special import logsumexp
from scipy.stats import chi, norm


@dataclass
class Line:
    """The data as a function of the distance between the means of two clusters."""

    X: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def __post_init__(self) -> None:
        nu = self.first / self.first.sum() - self.second / self.second.sum()
        gap = nu @ self.X
        self.statistic, self.length = np.linalg.norm(gap), np.linalg.norm(nu)
        self.move = np.outer(nu / self.length**2, gap / self.statistic)

    def at(self, phi: float) -> np.ndarray:
        return self.X + (phi - self.statistic) * self.move

    def kept(self, bad: list[tuple[float, float]]) -> list[tuple[float, float]]:
        """The intervals that are left of (0, inf) without the bad ones."""
        good, last = [], 0.0
        for low, high in sorted(bad):
            if low > last:
                good.append((last, low))
            last = max(last, high)
        return good if last == np.inf else [*good, (last, np.inf)]

    def p_value(
        self, good: list[tuple[float, float]], sigma: float, log_tail: Callable | None = None
    ) -> float:
        """Of a chi distribution that is truncated to these intervals."""

        def log_mass(since: float) -> float:
            ends = [(max(a, since), b) for a, b in good if b > since]
            tail = log_tail_of_chi if log_tail is None else log_tail
            low, high = tail(np.array(ends).T / (self.length * sigma), self.X.shape[1])
            with np.errstate(invalid="ignore"):
                return logsumexp(np.where(low > high, low + np.log1p(-np.exp(high - low)), -np.inf))

        return float(np.exp(log_mass(self.statistic) - log_mass(0.0)))


def log_tail_of_chi(x: np.ndarray, d: int) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(chi.sf(x, d))


def log_tail_of_canal(x: np.ndarray, d: int) -> np.ndarray:
    """Canal's (2005) normal approximation of chi-squared, in which the R packages compute."""
    y = np.minimum(x, 1e9) ** 2 / d
    mean = 5 / 6 - 1 / (9 * d) - 7 / (648 * d**2) + 25 / (2187 * d**3)
    variance = 1 / (18 * d) + 1 / (162 * d**2) - 37 / (11664 * d**3)
    z = (y ** (1 / 6) - y ** (1 / 3) / 2 + y ** (1 / 2) / 3 - mean) / np.sqrt(variance)
    return norm.logsf(z)


def where_negative(values: np.ndarray, at: np.ndarray) -> list[tuple[float, float]]:
    """Where above 0 quadratic functions, given by three of their values each, are negative."""
    a, b, c = np.linalg.solve(np.vander(at, 3), values)
    size = np.abs(values).max(axis=0) + 1e-300
    a = np.where(np.abs(a) * at[-1] ** 2 < 1e-11 * size, 0.0, a)
    b = np.where((a == 0) & (np.abs(b) * at[-1] < 1e-11 * size), 0.0, b)
    with np.errstate(all="ignore"):
        root = np.sqrt(b**2 - 4 * a * c)
        ends = np.sort([(-b - root) / (2 * a), (-b + root) / (2 * a)], axis=0)
    line = (a == 0) & (b != 0)
    ends[:, line] = (-c[line] / b[line], np.inf * np.ones(line.sum()))
    ends = np.where(np.isnan(ends), np.inf, np.maximum(ends, 0.0))
    bad = []
    for low, high in ((np.zeros_like(a), ends[0]), (ends[0], ends[1]), (ends[1], np.inf)):
        with np.errstate(invalid="ignore"):
            middle = np.where(np.isinf(high), low + at[-1], (low + high) / 2)
            negative = (low < high) & (a * middle**2 + b * middle + c < -1e-10 * size)
        bad += zip(low[negative], np.broadcast_to(high, a.shape)[negative], strict=True)
    return bad


def linkage_labels(X: np.ndarray, k: int, method: str) -> np.ndarray:
    """Of squared Euclidean distances, except Ward's, whose heights are squared instead."""
    tree = linkage(pdist(X) if method == "ward" else pdist(X, "sqeuclidean"), method)
    return fcluster(tree, k, "maxclust") - 1


def linkage_truncation(
    X: np.ndarray, k: int, method: str, first: np.ndarray, second: np.ndarray
) -> list[tuple[float, float]]:
    """Every pair of groups that was not merged must stay farther apart than the pair that was."""
    n, line = len(X), Line(X, first, second)
    at = line.statistic * np.array([0.5, 1.0, 2.0])
    moved = [line.at(phi) for phi in at]
    tree = linkage(pdist(X) if method == "ward" else pdist(X, "sqeuclidean"), method)
    side = np.where(first, 1, np.where(second, 2, 0))
    if method == "single":
        # the least of several quadratic functions is none: each pair of objects by itself
        i, j = np.nonzero(np.triu(side[:, None] != side))
        apart = np.array([((Y[i] - Y[j]) ** 2).sum(1) for Y in moved])
        return line.kept(where_negative(apart - tree[n - k - 1, 2], at))
    groups = {i: [i] for i in range(n)}
    squares = [((Y[:, None] - Y[None]) ** 2).sum(-1) for Y in moved]
    bad = []
    for step, (a, b, height, _) in enumerate(tree[: n - k]):
        height = height**2 if method == "ward" else height
        M = np.zeros((len(groups), n))
        for row, members in enumerate(groups.values()):
            M[row, members] = 1
        sides = side[M.argmax(axis=1)]
        i, j = np.nonzero(np.triu(sides[:, None] != sides))
        sizes = M.sum(1)
        if method == "average":
            distances = [M @ D @ M.T / np.outer(sizes, sizes) for D in squares]
        else:
            means = [M @ Y / sizes[:, None] for Y in moved]
            distances = [((m[:, None] - m[None]) ** 2).sum(-1) for m in means]
            added = 2 * np.outer(sizes, sizes) / np.add.outer(sizes, sizes)
            distances = [added * apart for apart in distances]
        bad += where_negative(np.array([apart[i, j] for apart in distances]) - height, at)
        groups[n + step] = groups.pop(int(a)) + groups.pop(int(b))
    return line.kept(bad)


def lloyd(X: np.ndarray, first: list[int]) -> list[np.ndarray]:
    """Labels of every step of k-means from these objects as centres, until nothing changes."""
    centres, path = X[first], []
    while True:
        labels = ((X[:, None] - centres[None]) ** 2).sum(-1).argmin(1)
        path.append(labels)
        if len(path) > 1 and (path[-1] == path[-2]).all():
            return path
        centres = np.array([X[labels == c].mean(0) for c in range(len(first))])


def kmeans_truncation(X: np.ndarray, first: list[int], a: int, b: int) -> list[tuple[float, float]]:
    """Every object must stay nearest to the same centre in every step."""
    path = lloyd(X, first)
    line = Line(X, path[-1] == a, path[-1] == b)
    at = line.statistic * np.array([0.5, 1.0, 2.0])
    bad = []
    for step, labels in enumerate(path):
        differences = []
        for phi in at:
            Y = line.at(phi)
            before = path[step - 1] if step else None
            centres = Y[first]
            if before is not None:
                centres = np.array([Y[before == c].mean(0) for c in range(len(first))])
            squares = ((Y[:, None] - centres[None]) ** 2).sum(-1)
            nearest = squares[np.arange(len(Y)), labels]
            differences.append((squares - nearest[:, None]).ravel())
        bad += where_negative(np.array(differences), at)
    return line.kept(bad)


class RStream:
    """The uniform numbers of R's ``set.seed``, with ``rnorm`` by inversion and ``sample``."""

    def __init__(self, seed: int) -> None:
        words = []
        for step in range(50 + 625):
            seed = (69069 * seed + 1) % 2**32
            if step > 50:
                words.append(seed)
        self.bits = np.random.MT19937()
        state = self.bits.state
        state["state"] = {"key": np.array(words, dtype=np.uint32), "pos": 624}
        self.bits.state = state

    def uniform(self) -> float:
        return float(self.bits.random_raw()) * 2.3283064365386963e-10

    def normal(self, size: int) -> np.ndarray:
        high = 134217728
        return norm.ppf([(int(high * self.uniform()) + self.uniform()) / high for _ in range(size)])

    def sample(self, n: int, size: int) -> list[int]:
        """Different numbers below n."""
        left, out = list(range(n)), []
        for _ in range(size):
            width = int(np.ceil(np.log2(len(left))))
            at = len(left)
            while at >= len(left):
                at = int(self.uniform() * 65536) & (2**width - 1)
            out.append(left[at])
            left[at] = left[-1]
            left.pop()
        return out
