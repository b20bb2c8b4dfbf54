"""Learned judge: how near a partition is to the groups that made the data."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from sortal.judge.evidence import (
    LINE_NAMES,
    NEIGHBOR_NAMES,
    OWN_NAMES,
    TREE_NAMES,
    VALLEY_NAMES,
)
from sortal.judge.features import Evidence, columns
from sortal.judge.label_likelihood import prior
from sortal.judge.settings import JUDGE, JudgeSettings
from sortal.runtime.output import draft
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Bools, Floats, Ints


#: version of the columns and trees of the packaged judge
VERSION = "7"
#: derived: from the scores, which are within 2 of each other; deduction from one that may not win
FAR = 100.0
#: derived: from the stored judges, whose ``near`` was learned with it; largest difference from the
#: best candidate that counts as near it
NEAR = 0.05
#: arrays of a judge stored as they are, in the order of its fields
PLAIN_ARRAYS = ("steps", "below", "above", "nearness", "near")
PACKAGED = Path(__file__).with_name("judge.npz")
#: kinds of evidence by the first word of a column's name
EVIDENCE_KINDS = {
    "agree": "agreement with sortal's own partitions",
    "stab": "stability on half of the objects",
    "likely": "likelihood of the clusters as distributions",
    "null": "contrast to null references",
    "column": "columns that the clusters explain",
    "size": "number and sizes of clusters",
    "data": "shape of the data",
}
GAPS = "gaps and valleys between clusters"
#: kinds of evidence of the columns about a partition by itself
OWN_KINDS = (
    dict.fromkeys(OWN_NAMES, "shape of the clusters")
    | dict.fromkeys(NEIGHBOR_NAMES, "neighbours kept together")
    | dict.fromkeys(TREE_NAMES + VALLEY_NAMES + LINE_NAMES[:4], GAPS)
)


@dataclass(frozen=True)
class Judgement:
    """Judgement of M partitions of one data set."""

    #: scores that order the partitions; that of the first is its ``predicted``
    score: Floats
    #: expected adjusted Rand index with the groups that made the data; other candidates do not
    #: matter
    predicted: Floats
    #: the same by the trees that choose
    level: Floats
    #: ends of an interval that held for four of five partitions in collections excluded from
    #: training
    low: Floats
    high: Floats
    #: probability that each candidate agrees best, with sum 1; added up over the candidates with k
    #: clusters, the probability of k
    probability: Floats
    #: shares that sum to 1, as a prior for a few labels: likely partitions have short words
    prior: Floats
    #: probability that the first is within 0.05 of the candidate that agrees best
    near_best: float
    #: scores by the trees alone, far behind for partitions of nearly all objects against a few
    ahead: Floats
    #: contribution of each kind of evidence; with ``average`` they sum to the prediction
    contributions: dict[str, Floats]
    #: prediction without any evidence
    average: float


@dataclass(frozen=True)
class Judge:
    """Regression trees that read evidence, with their errors on excluded collections."""

    version: str
    #: columns that the trees read, in order
    columns: tuple[str, ...]
    #: trees for the adjusted Rand index of a partition with the groups of its task, which choose
    level: Forest
    #: trees for the same that state it: no favourable evidence lowers what they expect
    expected: Forest
    #: trees for the difference of a partition from the average one of its sweep
    order: Forest
    #: temperatures of the probability where an agreement of 0 is predicted: between numbers of
    #: clusters, and among the candidates with one. They fall as the prediction grows
    between: float
    within: float
    #: prediction of the level, and the interval around it there
    steps: Floats
    below: Floats
    above: Floats
    #: probability of all near copies of the first, and how often the first was near the best
    nearness: Floats
    near: Floats
    #: SHA-256 of the arrays
    digest: str = ""

    @property
    def name(self) -> str:
        """Version and hash, as a study records them."""
        return f"judge {self.version} ({self.digest[:8]})"

    def table(self, evidence: Evidence) -> NDArray[np.float32]:
        """Table of the columns that the trees read (M, columns)."""
        values = columns(evidence)
        table = np.column_stack([values[name] for name in self.columns])
        # values that differ by rounding only are on one side of a threshold at 0
        return table.round(9).astype(np.float32)

    def __call__(self, evidence: Evidence, settings: JudgeSettings = JUDGE) -> Judgement:
        """Judge the partitions that the evidence is of, see :func:`sortal.judge.gather`."""
        F = self.table(evidence)
        expected, contributions, average = self.expected.paths(F)
        predicted = np.clip(expected, -0.1, 1.0)
        level = self.level.predict(F)
        score = (level + self.order.predict(F)) / 2
        ahead = set_back(score, evidence)
        best = int(np.argmax(ahead))
        score = score - degenerate(evidence.traits.sizes)
        score += predicted[best] - score[best]
        level = np.clip(level, -0.1, 1.0)
        doubt = doubt_of(level[best], settings)
        n_clusters = evidence.traits.sizes[:, 0]
        probability = shares(ahead, n_clusters, doubt * self.between, doubt * self.within, settings)
        by_evidence: dict[str, Floats] = {}
        for column, contribution in zip(self.columns, contributions.T, strict=True):
            name = kind_of(column)
            by_evidence[name] = by_evidence.get(name, np.zeros(len(F))) + contribution
        return Judgement(
            score,
            predicted,
            level,
            *interval_around(predicted, self.steps, self.below, self.above),
            probability,
            prior(set_back(level, evidence), settings),
            self.near_best(probability, evidence.agreement[best], settings),
            ahead,
            by_evidence,
            average,
        )

    def near_best(
        self, probability: Floats, agreement: Floats, settings: JudgeSettings = JUDGE
    ) -> float:
        """Probability that a candidate is near the best, by its agreement with each of them."""
        if len(probability) < 2:
            return 1.0
        nearness = nearly_alike(probability, agreement, settings)
        return float(np.interp(nearness, self.nearness, self.near))

    # -- storage -----------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Plain arrays that hold the whole judge."""
        return {
            "version": np.array(self.version),
            "columns": np.array(self.columns),
            **self.level.arrays("level_"),
            **self.expected.arrays("expected_"),
            **self.order.arrays("order_"),
            "numbers": np.array([self.between, self.within]),
            **{name: getattr(self, name) for name in PLAIN_ARRAYS},
        }

    def signed(self) -> Judge:
        """Copy of the judge with the digest of its arrays."""
        return replace(self, digest=digest(self.arrays()))

    def save(self, path: str | Path | BinaryIO, *, overwrite: bool = False) -> None:
        """Write one ``.npz`` file without pickles; ``overwrite`` replaces an earlier one."""
        if isinstance(path, (str, Path)):
            with draft(path, overwrite=overwrite) as file:
                self.save(file)
            return
        np.savez_compressed(path, **self.arrays())  # type: ignore[arg-type]


def kind_of(column: str) -> str:
    """Kind of evidence of a column; a summary of all anchors has its column's kind."""
    name = column.removeprefix("best ").removeprefix("median ")
    first, _, trait = name.partition(" ")
    if first != "own":
        return EVIDENCE_KINDS[first]
    if name != column:
        return GAPS
    return OWN_KINDS[trait if trait in OWN_KINDS else trait.removesuffix(" place")]


def set_back(ahead: Floats, evidence: Evidence) -> Floats:
    """Scores with degenerate partitions put far behind: nearly all objects against a few.

    Parameters
    ----------
    ahead : ndarray of float64, shape (M,)
    evidence : Evidence
        About the M candidates.

    Returns
    -------
    ndarray of float64, shape (M,)
    """
    return np.where(degenerate(evidence.traits.sizes), ahead - FAR, ahead)


def shares(
    ahead: Floats,
    n_clusters: Floats,
    between: float,
    within: float,
    settings: JudgeSettings = JUDGE,
) -> Floats:
    """Probabilities (M,) of the candidates, by their number of clusters and their scores.

    Each number of clusters gets a share by its best candidate, in proportion to
    exp(ahead / between), and divides it in proportion to exp(ahead / within).
    """
    numbers, position = np.unique(n_clusters, return_inverse=True)
    best = np.full(len(numbers), -np.inf)
    np.maximum.at(best, position, ahead)
    of_number = np.exp((best - best.max()) / between)
    of_number /= of_number.sum()
    weights = np.exp((ahead - best[position]) / within)
    divided = of_number[position] * weights / np.bincount(position, weights)[position]
    even = settings.even_share
    return np.asarray((1 - even) * divided + even / len(ahead))


def interval_around(
    predicted: Floats, steps: Floats, below: Floats, above: Floats
) -> tuple[Floats, Floats]:
    """Ends of the interval around predictions, from its width on either side at each step."""
    low: Floats = np.clip(predicted - np.interp(predicted, steps, below), -0.1, 1)
    high: Floats = np.clip(predicted + np.interp(predicted, steps, above), -0.1, 1)
    return low, high


def doubt_of(predicted: float, settings: JudgeSettings = JUDGE) -> float:
    """Scale of the temperatures of the probability: 1 minus the prediction."""
    return max(1 - float(predicted), settings.min_doubt)


def nearly_alike(probability: Floats, agreement: Floats, settings: JudgeSettings = JUDGE) -> float:
    """Total probability of all near copies of the first candidate."""
    return float(probability[agreement >= settings.near_copy].sum())


def degenerate(sizes: Floats) -> Bools:
    """Mask of partitions of nearly all objects against a few, if there are any others.

    From :func:`sortal.judge.evidence.size_evidence`.
    """
    n_clusters, outliers, largest = sizes[:, 0], sizes[:, 1], sizes[:, 3]
    n = np.exp(sizes[:, 6]) * n_clusters
    n_other = (1 - largest) * (1 - outliers) * n
    few = (n_other < np.maximum(2.5, 0.01 * n)) | (outliers > 0.9)
    return few if not few.all() else np.zeros(len(few), dtype=bool)


def digest(arrays: dict[str, NDArray[Any]]) -> str:
    """Hash (SHA-256) of the names and bytes of arrays."""
    sha256 = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        sha256.update(f"{name} {array.dtype.str} {array.shape}".encode())
        sha256.update(array.tobytes())
    return sha256.hexdigest()


def load_judge(path: str | Path | BinaryIO | None = None) -> Judge:
    """Load a judge stored by :meth:`Judge.save`, by default the one in the package.

    Parameters
    ----------
    path : path-like or binary file, optional

    Raises
    ------
    InputError
        If the file is not a judge.

    Examples
    --------
    >>> from sortal.judge import load_judge
    >>> load_judge().version
    '7'
    """
    return _packaged() if path is None else _read(path)


@lru_cache(maxsize=1)
def _packaged() -> Judge:
    """Judge in the package."""
    return _read(PACKAGED)


def _read(path: str | Path | BinaryIO) -> Judge:
    """Judge from a file, after input validation."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        between, within = arrays["numbers"].tolist()
        return Judge(
            str(arrays["version"]),
            tuple(arrays["columns"].tolist()),
            Forest.from_arrays(arrays, "level_"),
            Forest.from_arrays(arrays, "expected_"),
            Forest.from_arrays(arrays, "order_"),
            between,
            within,
            **{name: arrays[name] for name in PLAIN_ARRAYS},
            digest=digest(arrays),
        )
    except (OSError, KeyError, ValueError) as error:
        raise InputError(
            f"{path} is not a judge ({error}); make one with sortal_lab.training.train_judge"
        ) from None


@dataclass(frozen=True)
class Forest:
    """Mean of T regression trees."""

    roots: NDArray[np.int32]
    #: column that a node tests; ``-1`` at a leaf
    feature: NDArray[np.int16]
    #: largest value that goes left
    threshold: NDArray[np.float32]
    #: the left child; the right one is next to it
    left: NDArray[np.int32]
    #: mean of the target at each node, inner ones too
    value: NDArray[np.float32]

    def _steps(self, F: NDArray[Any]) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Each row's node in all trees, the column asked there, or -1, and the next node.

        The last step asks nothing, and its next node is the node itself.
        """
        F = np.asarray(F, dtype=np.float32)
        rows = np.arange(len(F))[:, None]
        node = np.tile(self.roots, (len(F), 1))
        inner = np.array(True)
        while inner.any():
            feature = self.feature[node]
            inner = feature >= 0
            right = F[rows, np.maximum(feature, 0)] > self.threshold[node]
            following = np.where(inner, self.left[node] + right, node)
            yield node, feature, following
            node = following

    def paths(self, F: NDArray[Any]) -> tuple[Floats, Floats, float]:
        """Prediction of each row, the contribution of each column, and the mean at the roots."""
        rows = np.arange(len(F))[:, None]
        contributions = np.zeros(np.size(F))
        for node, feature, following in self._steps(F):
            inner = feature >= 0
            changes = self.value[following] - self.value[node]
            places = (rows * np.shape(F)[1] + feature)[inner]
            contributions += np.bincount(places, changes[inner], minlength=len(contributions))
        T = len(self.roots)
        prediction = self.value[following].sum(axis=1, dtype=np.float64)
        return (
            prediction / T, contributions.reshape(np.shape(F)) / T,
            float(self.value[self.roots].mean()),
        )  # fmt: skip

    def predict(self, F: NDArray[Any]) -> Floats:
        """Prediction of each row (M,)."""
        ((_, _, leaf),) = deque(self._steps(F), maxlen=1)  # the last step
        mean: Floats = self.value[leaf].mean(axis=1, dtype=np.float64)
        return mean

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Arrays to store: a leaf's feature is -1, children are relative to their parent."""
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
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Forest:
        """Forest from the arrays of :meth:`arrays`."""
        feature = arrays[prefix + "feature"]
        inner = feature >= 0
        threshold = np.zeros(len(feature), dtype=np.float32)
        threshold[inner] = arrays[prefix + "threshold"]
        left = np.zeros(len(feature), dtype=np.int32)
        left[inner] = np.flatnonzero(inner) + arrays[prefix + "steps"].astype(np.int32)
        value = arrays[prefix + "value"].astype(np.float32)
        return cls(arrays[prefix + "roots"], feature, threshold, left, value)
