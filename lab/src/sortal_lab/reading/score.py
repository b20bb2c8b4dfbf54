"""Result of a reader's names and assignments: agreement with the clustering, with limits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sortal import InputError
from sortal.bounds import binomial_tail_bound
from sortal.labeling import Agreement, agreement
from sortal_lab.reading.answers import NONE
from sortal_lab.reading.interview import Cost

if TYPE_CHECKING:
    import pandas as pd

    from sortal_lab.reading.draw import RoundDraw


def exact_interval(hits: int, n: int, delta: float) -> tuple[float, float]:
    """Clopper and Pearson's (1934) limits of a share, each wrong with at most delta/2.

    >>> [round(end, 4) for end in exact_interval(8, 10, 0.05)]
    [0.4439, 0.9748]
    """
    low = 1 - binomial_tail_bound(n, n - hits, delta / 2)
    return low, binomial_tail_bound(n, hits, delta / 2)


@dataclass(frozen=True)
class ClarityByReading:
    """Result of a round, see :func:`clarity_by_reading`.

    Attributes
    ----------
    round : Round
        The questions.
    names : tuple of str
        The name of each of ``round.clusters``, with the line about it.
    assigned : tuple of (int or None)
        For each of ``round.objects`` the position in ``round.clusters`` of the assigned cluster,
        -1 for none of them, None without an answer.
    by : str
        The reader.
    delta : float
        Chance that an interval misses.
    cost : Cost or None
        Calls of a function; None for people.
    """

    round: RoundDraw = field(repr=False)
    names: tuple[str, ...]
    assigned: tuple[int | None, ...]
    by: str
    delta: float
    cost: Cost | None = None

    @property
    def n_clusters(self) -> int:
        """Number of named clusters, k."""
        return self.round.n_names

    @property
    def hits(self) -> tuple[bool | None, ...]:
        """Whether each object was assigned to its own cluster; None without an answer."""
        pairs = zip(self.assigned, self.round.truth, strict=True)
        return tuple(None if cluster is None else cluster == truth for cluster, truth in pairs)

    @property
    def answered(self) -> int:
        """Number of objects with an answer."""
        return sum(cluster is not None for cluster in self.assigned)

    @property
    def none(self) -> int:
        """Number of objects that fit none of the names."""
        return sum(cluster == NONE for cluster in self.assigned)

    @property
    def score(self) -> float:
        """Agreement corrected for chance, (share of hits - 1/k)/(1 - 1/k)."""
        hits, n = self._drawn
        return self._corrected(hits / n)

    @property
    def interval(self) -> tuple[float, float]:
        """Exact limits of the score (Clopper-Pearson) over the draw of the objects."""
        low, high = exact_interval(*self._drawn, self.delta)
        return self._corrected(low), self._corrected(high)

    @property
    def _drawn(self) -> tuple[int, int]:
        """Hits and draws among the objects with an answer."""
        drawn = [(hit, n) for hit, n in zip(self.hits, self.round.draws, strict=True)]
        return sum(n for hit, n in drawn if hit), sum(n for hit, n in drawn if hit is not None)

    def _corrected(self, share: float) -> float:
        """A share of hits, corrected for chance."""
        k = self.n_clusters
        return (k * share - 1) / (k - 1)

    @cached_property
    def per_cluster(self) -> pd.DataFrame:
        """One row per cluster: name, line, objects asked and recognised, score with interval.

        ``taken for`` is the name to which most misses were assigned. Without an answer about a
        cluster its score is NaN and ``reason`` says so.
        """
        import pandas as pd

        rows = []
        for c, name_and_line in enumerate(self.names):
            pairs = zip(self.assigned, self.round.truth, strict=True)
            assigned = [cluster for cluster, true in pairs if true == c and cluster is not None]
            hits, n = assigned.count(c), len(assigned)
            low, high = exact_interval(hits, n, self.delta) if n else (float("nan"),) * 2
            name, _, line = name_and_line.partition(":")
            rows.append(
                {
                    "cluster": self.round.clusters[c],
                    "name": name,
                    "line": line.strip(),
                    "asked": n,
                    "recognised": hits,
                    "score": self._corrected(hits / n) if n else float("nan"),
                    "low": self._corrected(low),
                    "high": self._corrected(high),
                    "taken for": self._mistaken(assigned, c),
                    "reason": "" if n else "no object of it was assigned",
                }
            )
        return pd.DataFrame(rows).set_index("cluster")

    def _mistaken(self, assigned: list[int], c: int) -> str:
        """Name of the cluster to which most misses were assigned, empty without one."""
        others = Counter(cluster for cluster in assigned if cluster != c).most_common(1)
        if not others:
            return ""
        return "none" if others[0][0] == NONE else self.names[others[0][0]].partition(":")[0]

    @property
    def cluster_names(self) -> dict[Any, str]:
        """The name of each cluster by its label, for :meth:`sortal.Study.name_clusters`."""
        pairs = zip(self.round.clusters, self.names, strict=True)
        return {cluster: name.partition(":")[0] for cluster, name in pairs}

    @property
    def cluster_notes(self) -> dict[Any, str]:
        """The line about each cluster by its label, and how many of its objects were recognised."""
        return {
            cluster: "; ".join([*filter(None, [line]), f"recognised in {hits} of {n} by {self.by}"])
            for cluster, line, hits, n in self.per_cluster[
                ["line", "recognised", "asked"]
            ].itertuples(name=None)
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        low, high = self.interval
        return {
            "score": self.score,
            "low": low,
            "high": high,
            "delta": self.delta,
            "by": self.by,
            "objects": len(self.assigned),
            "answered": self.answered,
            "none": self.none,
            "short": self.round.most,
            "too_small": [str(cluster) for cluster in self.round.too_small],
            "cost": None if self.cost is None else vars(self.cost),
            "clusters": self.per_cluster.reset_index().astype({"cluster": str})
            .replace({float("nan"): None}).to_dict("records"),
        }  # fmt: skip

    def __str__(self) -> str:
        low, high = self.interval
        hits = sum(hit is True for hit in self.hits)
        text = (
            f"Clarity by reading {self.score:.2f} ({low:.2f} to {high:.2f} with a probability of "
            f"at least {1 - self.delta:.4g}; 0 is a guess, 1 the clustering): by the names of "
            f"{self.by}, {hits} of {self.answered} unseen objects went to their own of "
            f"{self.n_clusters} clusters"
        )
        text += f", {self.none} to none." if self.none else "."
        if self.answered < len(self.assigned):
            unanswered = len(self.assigned) - self.answered
            text += f" {unanswered} more have no answer and do not count."
        text += self._shortness()
        if self.round.too_small:
            count = len(self.round.too_small)
            text += f" {count} cluster{'s' * (count > 1)} of one object took no part."
        return text

    def _shortness(self) -> str:
        """What a short round excluded, and the interval that 30 objects would have given."""
        if self.round.most is None:
            return ""
        hits, n = self._drawn
        low, high = map(self._corrected, exact_interval(round(30 * hits / n), 30, self.delta))
        wider = f"; 30 at this rate would give {low:.2f} to {high:.2f}" if n < 30 else ""
        return (
            f" A short round: {max(map(len, self.round.examples))} members of a cluster were "
            f"shown, texts cut to {self.round.most} characters, and {n} objects assigned{wider}."
        )


def agreement_of_readers(one: ClarityByReading, other: ClarityByReading) -> Agreement | None:
    """Agreement of two readers about the objects that both assigned, each by their own names.

    None if there is no such object.

    Raises
    ------
    InputError
        If they were not asked the same questions.
    """
    if one.round != other.round:
        raise InputError("the readers were not asked the same questions")
    pairs = zip(one.assigned, other.assigned, strict=True)
    return agreement([pair for pair in pairs if None not in pair], len(one.assigned), one.delta)
