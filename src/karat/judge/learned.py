"""The learned judge: how far a partition will agree with the structure that experts would name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from karat.judge.features import Evidence, columns
from karat.judge.forest import Forest
from karat.judge.labelled import prior
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "HALF",
    "VERSION",
    "Judge",
    "Judgement",
    "degenerate",
    "digest",
    "load_judge",
    "set_back",
    "shared_score",
    "shortlist",
]

VERSION = "2"
HALF = 0.5
#: how far behind a partition is put that may not win, however many labels speak for it
FAR = 100.0
PACKAGED = Path(__file__).with_name("judge.npz")
#: what a column is evidence of, by how its name begins; the first that fits
KINDS = (
    ("agree", "agreement among the candidates"),
    ("best agree", "agreement among the candidates"),
    ("median agree", "agreement among the candidates"),
    ("stab", "stability on half of the objects"),
    ("best stab", "stability on half of the objects"),
    ("median stab", "stability on half of the objects"),
    ("null", "contrast to data without clusters"),
    ("best null", "contrast to data without clusters"),
    ("median null", "contrast to data without clusters"),
    ("size", "number and sizes of clusters"),
    ("data", "shape of the data"),
    ("own neighbour", "neighbours kept together"),
    ("own worst neighbour", "neighbours kept together"),
    ("own nearest", "neighbours kept together"),
    ("own worst conductance", "neighbours kept together"),
    ("own fallen", "neighbours kept together"),
    ("measure informativeness", "neighbours kept together"),
    ("value informativeness", "neighbours kept together"),
    ("own tree", "gaps and valleys between clusters"),
    ("own worst tree", "gaps and valleys between clusters"),
    ("own valley", "gaps and valleys between clusters"),
    ("own worst valley", "gaps and valleys between clusters"),
    ("own touching", "gaps and valleys between clusters"),
    ("own gap", "gaps and valleys between clusters"),
    ("own worst gap", "gaps and valleys between clusters"),
    ("own filled", "gaps and valleys between clusters"),
    ("own most filled", "gaps and valleys between clusters"),
    ("own", "shape of the clusters"),
    ("best own", "gaps and valleys between clusters"),
    ("median own", "gaps and valleys between clusters"),
    ("measure", "compactness and separation"),
    ("value", "compactness and separation"),
)


@dataclass(frozen=True)
class Judgement:
    """What a judge says of M partitions of one data set.

    Attributes
    ----------
    score : ndarray, shape (M,)
        What orders them.
    ahead : ndarray, shape (M,)
        By how much each is expected to be better than the average candidate.
    prior : ndarray, shape (M,)
        Shares that sum to 1, as a prior for a few labels: likely partitions have short words.
    predicted : ndarray, shape (M,)
        Expected adjusted Rand index with the structure that experts would name.
    low, high : ndarray, shape (M,)
        Bounds of an interval that held in four of five collections left out of training, for
        the partition that was chosen.
    structure : float
        Evidence that there are clusters at all: the share of the judge's trees that say so.
    has_structure : bool
        Whether it is above the limit that at most one in ten clouds without clusters passed.
    contributions : dict of str to ndarray, shape (M,)
        What each kind of evidence added to the prediction; with ``average`` they sum to it.
    average : float
        The prediction where nothing is known.
    """

    score: Floats
    ahead: Floats
    prior: Floats
    predicted: Floats
    low: Floats
    high: Floats
    structure: float
    has_structure: bool
    contributions: dict[str, Floats]
    average: float


@dataclass(frozen=True)
class Judge:
    """Trees that read evidence, and how far they were off on collections left out.

    Attributes
    ----------
    version : str
    columns : tuple of str
        What the trees read, in order.
    order : Forest
        By how much a partition is better than the average candidate.
    level : Forest
        Adjusted Rand index of a partition that is ahead.
    structure : Forest
        1 for data with clusters, 0 for data without.
    temperature : float
        How far ahead a partition must be for the others to count little.
    prior_temperature : float
        The same for the prior that a few labels meet.
    limit : float
        Least value of ``structure`` for data with clusters.
    steps, below, above : ndarray
        Prediction of the level, and the interval around it there.
    gains : ndarray, shape (3, 2)
        With 10, 20 and 40 labels: by how much the choice was better on the corpus, where the
        predicted agreement was below and above 0.5.
    digest : str
        SHA-256 of the arrays.
    """

    version: str
    columns: tuple[str, ...]
    order: Forest
    level: Forest
    structure: Forest
    temperature: float
    prior_temperature: float
    limit: float
    steps: Floats
    below: Floats
    above: Floats
    gains: Floats
    digest: str = ""

    @property
    def name(self) -> str:
        """Version and hash, as a study records them."""
        return f"judge {self.version} ({self.digest[:8]})"

    def table(self, evidence: Evidence) -> NDArray[np.float32]:
        """What the trees read of each partition (M, columns)."""
        found = columns(evidence)
        return np.column_stack([found[name] for name in self.columns]).astype(np.float32)

    def __call__(self, evidence: Evidence) -> Judgement:
        """Judge the partitions that the evidence is of.

        Parameters
        ----------
        evidence : Evidence
            See :func:`karat.judge.gather`.

        Returns
        -------
        Judgement
        """
        F = self.table(evidence)
        ahead = set_back(self.order.predict(F), evidence)
        score = shared_score(ahead, evidence.agreement, self.temperature)
        score[degenerate(evidence.sizes)] -= 1.0
        level, parts, average = self.level.paths(F)
        best = int(np.argmax(score))
        # the level is learned for those ahead; the others fall behind as their score does
        predicted = np.clip(np.minimum(level, level[best]) - (score[best] - score) / 2, -0.1, 1.0)
        low = np.clip(predicted - np.interp(predicted, self.steps, self.below), -0.1, 1)
        high = np.clip(predicted + np.interp(predicted, self.steps, self.above), -0.1, 1)
        structure = float(self.structure.predict(F[best : best + 1])[0])
        kinds: dict[str, Floats] = {}
        for name, part in zip(self.columns, parts.T, strict=True):
            kind = kind_of(name)
            kinds[kind] = kinds.get(kind, np.zeros(len(F))) + part
        return Judgement(
            score,
            ahead,
            prior(ahead, self.prior_temperature),
            predicted,
            low,
            high,
            structure,
            structure >= self.limit,
            kinds,
            average,
        )

    def gain(self, predicted: float) -> tuple[float, float, float] | None:
        """By how much 10, 20 and 40 labels made the choice better where it was judged like this."""
        if not self.gains.any():
            return None
        few, some, many = self.gains[:, int(predicted >= HALF)].tolist()
        return few, some, many

    # -- keeping -----------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as plain arrays."""
        return {
            "version": np.array(self.version),
            "columns": np.array(self.columns),
            **self.order.arrays("order_"),
            **self.level.arrays("level_"),
            **self.structure.arrays("structure_"),
            "numbers": np.array([self.temperature, self.prior_temperature, self.limit]),
            "steps": self.steps,
            "below": self.below,
            "above": self.above,
            "gains": self.gains,
        }

    def signed(self) -> Judge:
        """The same judge with the digest of its arrays, which those of a changed one are not."""
        return replace(self, digest=digest(self.arrays()))

    def save(self, path: str | Path | BinaryIO) -> None:
        """Write one ``.npz`` file without pickled objects."""
        np.savez_compressed(path, **self.arrays())  # type: ignore[arg-type]


def kind_of(column: str) -> str:
    """What a column is evidence of."""
    return next(kind for start, kind in KINDS if column.startswith(start))


def shared_score(ahead: Floats, agreement: Floats, temperature: float) -> Floats:
    """Expected agreement with the right partition, if it is each candidate with a probability.

    The probabilities are in proportion to exp(ahead / temperature): a partition gains from
    neighbours that are judged well.
    """
    weights = np.exp((ahead - ahead.max()) / temperature)
    score: Floats = agreement @ (weights / weights.sum())
    return score


def set_back(ahead: Floats, evidence: Evidence) -> Floats:
    """Partitions of all but a few objects against these are put far behind."""
    return np.where(degenerate(evidence.sizes), ahead - FAR, ahead)


def degenerate(sizes: Floats) -> NDArray[np.bool_]:
    """Partitions that are all but a few objects against these, while there are others.

    Parameters
    ----------
    sizes : ndarray, shape (M, 7)
        As from :func:`karat.judge.evidence.size_evidence`.

    Returns
    -------
    ndarray of bool, shape (M,)
    """
    n_clusters, outliers, largest = sizes[:, 0], sizes[:, 1], sizes[:, 3]
    n = np.exp(sizes[:, 6]) * n_clusters
    rest = (1 - largest) * (1 - outliers) * n
    few = (rest < np.maximum(2.5, 0.01 * n)) | (outliers > 0.9)
    return few if not few.all() else np.zeros(len(few), dtype=bool)


def digest(arrays: dict[str, NDArray[Any]]) -> str:
    """SHA-256 of the names and bytes of arrays."""
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def load_judge(path: str | Path | BinaryIO | None = None) -> Judge:
    """A judge that was kept with :meth:`Judge.save`; by default the one in the package.

    Parameters
    ----------
    path : path-like or binary file, optional

    Returns
    -------
    Judge

    Raises
    ------
    InputError
        If the file is no judge.

    Examples
    --------
    >>> from karat.judge import load_judge
    >>> load_judge().version
    '2'
    """
    if path is None or isinstance(path, (str, Path)):
        return _loaded(Path(PACKAGED if path is None else path))
    return _read(path)


@lru_cache(maxsize=4)
def _loaded(path: Path) -> Judge:
    return _read(path)


def _read(path: Path | BinaryIO) -> Judge:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        temperature, prior_temperature, limit = arrays["numbers"].tolist()
        return Judge(
            str(arrays["version"]),
            tuple(arrays["columns"].tolist()),
            Forest.from_arrays(arrays, "order_"),
            Forest.from_arrays(arrays, "level_"),
            Forest.from_arrays(arrays, "structure_"),
            temperature,
            prior_temperature,
            limit,
            arrays["steps"],
            arrays["below"],
            arrays["above"],
            arrays["gains"],
            digest(arrays),
        )
    except (OSError, KeyError, ValueError) as error:
        raise InputError(
            f"{path} is not a judge ({error}); make one with karat_lab.training.train_judge"
        ) from None


def shortlist(
    agreement: Floats, score: Floats, *, most: int = 4, alike: float = 0.6, behind: float = 0.12
) -> list[int]:
    """Really different partitions that are nearly as good as the best, the best first.

    Parameters
    ----------
    agreement : ndarray, shape (M, M)
        Adjusted Rand index of all pairs.
    score : ndarray, shape (M,)
    most : int
        Length of the list at most.
    alike : float
        Partitions that agree as much as this with one in the list are of its kind.
    behind : float
        How far the score may be behind that of the best.

    Returns
    -------
    list of int
    """
    chosen: list[int] = []
    for i in np.argsort(-score, kind="stable"):
        if score[i] < score.max() - behind or len(chosen) == most:
            break
        if all(agreement[i, j] < alike for j in chosen):
            chosen.append(int(i))
    return chosen


def good_for(evidence: Evidence, i: int, among: Sequence[int]) -> str:
    """What a partition of a shortlist is good for, compared with the others there: a key."""
    for j, key in OWN.items():
        values = evidence.own[list(among), j]
        if len(values) > 1 and evidence.own[i, j] >= values.max() > values.min():
            return key
    if i == among[0]:
        return "stands out"
    numbers = evidence.sizes[list(among), 0].tolist()
    return "number" if numbers.count(evidence.sizes[i, 0]) == 1 else "division"


#: columns of own evidence, and what it is to have the most of it
OWN = {22: "compact", 11: "connected", 13: "dense", 0: "neighbours"}
