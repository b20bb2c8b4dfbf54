"""Data sets whose structure is known, with candidates, their evidence, and how good they are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.judge import Evidence, columns, log_likelihood
from sortal.labelings import encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Floats


#: what the sources of users' labelings begin with
OWN = "own: "
#: numbers of labels that are tried
LABELS = (10, 20, 40)
#: share of a task in training, by family
SHARES = {"cloud": 0.3}


@dataclass(frozen=True)
class TrainingCase:
    """A data set with known structure.

    Attributes
    ----------
    name : str
    family : str
        ``"cloud"`` has no structure and is never tested on.
    collection : str
        Cases of one collection are never on both sides of a split.
    evidence : Evidence
    agreement : ndarray, shape (L, M)
        Adjusted Rand index of each candidate with each reference labeling; 0 without structure.
    sources : tuple of frozenset of str, length M
        What found each candidate: a clusterer, or a labeling of a user's (:data:`OWN` before it).
    measures : dict of str to ndarray, shape (M,)
        Internal measures, greater is better, NaN where undefined: for the rivals.
    whole : bool
    codes : ndarray of int, shape (M, n), optional
        The candidates, for trials with a few labels.
    truth : ndarray of int, shape (n,), optional
        The first reference labeling, ``-1`` where an object does not count.
    """

    name: str
    family: str
    collection: str
    evidence: Evidence
    agreement: Floats
    sources: tuple[frozenset[str], ...]
    measures: dict[str, Floats] = field(default_factory=dict)
    whole: bool = False
    codes: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None

    @property
    def first(self) -> Floats:
        """Agreement with the first labeling."""
        return self.agreement[0]

    @property
    def target(self) -> Floats:
        """Half the agreement with the first labeling, half that with the nearest one."""
        return 0.5 * self.agreement[0] + 0.5 * self.agreement.max(axis=0)

    @cached_property
    def kinds(self) -> dict[str, NDArray[np.intp]]:
        """Candidates of the sweep, and labelings of users."""
        swept = np.array([any(not s.startswith(OWN) for s in names) for names in self.sources])
        of_users = np.array([any(s.startswith(OWN) for s in names) for names in self.sources])
        return {"swept": np.flatnonzero(swept), "own": np.flatnonzero(of_users)}

    def take(self, rows: NDArray[np.intp]) -> TrainingCase:
        """The case with some of the candidates."""
        part = replace(
            self,
            evidence=self.evidence.take(rows),
            agreement=self.agreement[:, rows],
            sources=tuple(self.sources[int(j)] for j in rows),
            measures={key: values[rows] for key, values in self.measures.items()},
            codes=None if self.codes is None else self.codes[rows],
        )
        part.__dict__["table"] = self.table[rows]  # what is seen of one does not depend on others
        return part

    @cached_property
    def repeatable(self) -> NDArray[np.bool_]:
        """Mask of the candidates that come back with another seed."""
        from sortal.clusterers import catalogue

        drawn = {key for key, clusterer in catalogue.items() if clusterer.depends_on_seed}
        return np.array([bool(names - drawn) for names in self.sources])

    @cached_property
    def sweep(self) -> TrainingCase:
        """The case with the candidates of the sweep, and the clusterers that found each."""
        case = self.take(self.kinds["swept"])
        plain = (frozenset(s for s in by if not s.startswith(OWN)) for by in case.sources)
        table = case.table
        case = replace(case, sources=tuple(plain))
        case.__dict__["table"] = table
        return case

    @cached_property
    def table(self) -> NDArray[np.float32]:
        """Features of the candidates for a judge (M, columns)."""
        return np.column_stack(list(columns(self.evidence).values())).astype(np.float32)

    @cached_property
    def labelled(self) -> dict[int, Floats]:
        """Log likelihood (M,) of each candidate with some labels at random, by their number."""
        if self.codes is None or self.truth is None:
            return {}
        out = {}
        for m in LABELS:
            positions = self.drawn(m)
            if 2 * m <= (self.truth >= 0).sum():
                out[m] = log_likelihood(
                    self.codes[:, positions], encode(self.truth[positions]).codes
                )
        return out

    def drawn(self, n_labels: int) -> NDArray[np.intp]:
        """Random sample of the objects whose class counts."""
        assert self.truth is not None
        rng = np.random.default_rng([n_labels, len(self.truth)])
        return rng.permutation(np.flatnonzero(self.truth >= 0))[:n_labels]

    @property
    def share(self) -> float:
        """Weight of the case."""
        return SHARES.get(self.family, 1.0)

    @property
    def is_tested(self) -> bool:
        """Whether it is one of those by which a judge is measured."""
        return self.family not in SHARES
