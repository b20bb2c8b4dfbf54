"""Intruder tests: which of several objects does not belong with the others?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal.labeling import Shown
from sortal.labelings import apply_noise_policy, encode
from sortal_lab.reading.answers import parse_choice
from sortal_lab.reading.display import Show, Showable, as_line, numbered, shown_by
from sortal_lab.reading.interview import AnswerStore, Cost, Interview, Reader
from sortal_lab.reading.question import INTRUDER, SHOWN_CHARACTERS, Question, prompt
from sortal_lab.reading.score import exact_interval

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Labels

#: members in a set, and members from which the intruder must differ
SET_MEMBERS, COMPARED_MEMBERS = 4, 100


@dataclass(frozen=True)
class Intrusion:
    """Result of an intruder test: how often the reader identified the intruder.

    Attributes
    ----------
    hits, answered, asked : int
    share : float
    interval : tuple of float
        Exact limits of the share (Clopper-Pearson).
    per_cluster : DataFrame
        ``hits``, ``answered``, ``share``, ``low`` and ``high`` by the cluster of the members.
    by : str
    delta : float
    cost : Cost or None
    chance : float
        Expected share of guesses.
    """

    hits: int
    answered: int
    asked: int
    share: float
    interval: tuple[float, float]
    per_cluster: pd.DataFrame = field(repr=False)
    by: str
    delta: float
    cost: Cost | None
    chance: float = 1 / (SET_MEMBERS + 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        record = {name: value for name, value in vars(self).items() if name != "interval"}
        record["low"], record["high"] = self.interval
        record["cost"] = None if self.cost is None else vars(self.cost)
        record["per_cluster"] = self.per_cluster.rename(index=str).to_dict("index")
        return record

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.by} found the intruder in {self.hits} of {self.answered} sets: "
            f"{self.share:.2f} ({low:.2f} to {high:.2f} with a probability of at least "
            f"{1 - self.delta:.4g}; a guess {self.chance:.2f})."
        )


@dataclass(frozen=True)
class IntruderRound:
    """The questions of an intruder test.

    Attributes
    ----------
    clusters : tuple
        The cluster of the members of each question.
    sets : tuple of tuple of int
        Positions of the objects in each set.
    places : tuple of int
        Place of the intruder in each set.
    show : callable
    """

    clusters: tuple[Any, ...]
    sets: tuple[tuple[int, ...], ...]
    places: tuple[int, ...]
    show: Show = field(repr=False, compare=False)
    #: no question asks for a name
    n_names: int = 0

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def identity(self) -> NDArray[np.intp]:
        """Numbers that identify the round."""
        return np.array([i for positions in self.sets for i in positions])

    def question(self, at: int, said: Mapping[int, Any]) -> Question:
        """A question; it does not depend on the answers so far."""
        contents = [self.show(i) for i in self.sets[at]]
        lines = [as_line(shown, SHOWN_CHARACTERS) for shown in contents]
        cells = tuple((str(number), line) for number, line in enumerate(lines, 1))
        return Question(
            "Which of these does not belong with the others?",
            Shown("", cells, tuple(path for shown in contents for path in shown.images)),
            tuple(f"{number}: {line[:40]}" for number, line in enumerate(lines, 1)),
            prompt(INTRUDER).format(objects=numbered(contents)),
            lambda answer: parse_choice(answer, lines, "intruder"),
        )

    def read(
        self, said: Mapping[int, Any], by: str, *, delta: float = 0.1, cost: Cost | None = None
    ) -> Intrusion:
        """Result of the answers; *none* is a miss. Without any answer an InputError is raised."""
        import pandas as pd

        hits_of: dict[Any, list[bool]] = {}
        for at, (cluster, place) in enumerate(zip(self.clusters, self.places, strict=True)):
            if said.get(at) is not None:
                hits_of.setdefault(cluster, []).append(said[at] == place)
        if not hits_of:
            raise InputError(f"{by} answered none of the {len(self)} questions")
        rows = {}
        for cluster, hits_here in hits_of.items():
            hits, n = sum(hits_here), len(hits_here)
            rows[cluster] = hits, n, hits / n, *exact_interval(hits, n, delta)
        table = pd.DataFrame.from_dict(
            rows, orient="index", columns=["hits", "answered", "share", "low", "high"]
        ).rename_axis("cluster")
        hits, n = int(table["hits"].sum()), int(table["answered"].sum())
        ends = exact_interval(hits, n, delta)
        return Intrusion(hits, n, len(self), hits / n, ends, table, by, delta, cost)


def intruder_test(
    objects: Showable,
    labels: Labels,
    reader: Reader,
    *,
    n_sets: int = 30,
    by: str | None = None,
    answers: AnswerStore = None,
    max_calls: int | None = None,
    n_parallel: int = 1,
    random_state: int = 0,
) -> Intrusion:
    """How often a reader identifies the one object outside the cluster of the other four.

    Parameters
    ----------
    objects : Dataset, DataFrame, array-like or sequence of length n
        The objects to show, as for :func:`clarity_by_reading`: documents, rows, images, or words.
    labels : array-like, shape (n,)
        Cluster of each object; for words, the cluster that each is characteristic of.
    reader, by, answers, max_calls, n_parallel
        As for :func:`clarity_by_reading`.
    n_sets : int, default 30
        Number of sets, evenly distributed over the clusters.
    random_state : int, default 0

    Raises
    ------
    InputError
        Without a cluster of four and another cluster, or for a reader that never answers.

    Notes
    -----
    Chang, Boyd-Graber, Gerrish, Wang & Blei (2009), Reading tea leaves. A word that several
    clusters share is no intruder among them: objects that are shown alike count as one.

    Examples
    --------
    >>> from sortal_lab.reading import intruder_test
    >>> words = ["goal", "match", "team", "player", "bank", "share", "stock", "price"]
    >>> sport = set(words[:4])
    >>> def reader(prompt):
    ...     shown = prompt.split("<objects>")[-1].split("</objects>")[0].split()[1::2]
    ...     odd = [word in sport for word in shown]
    ...     return str(odd.index(sum(odd) == 1) + 1)
    >>> result = intruder_test(words, [0] * 4 + [1] * 4, reader, by="rules")
    >>> result.share, result.chance
    (1.0, 0.2)
    """
    n = len(encode(labels).codes)
    drawn = draw_intruders(shown_by(objects, n), labels, n_sets, random_state)
    interview = Interview(reader, by, answers, max_calls, n_parallel)
    given_answers = interview.go_through(drawn)
    return drawn.read(given_answers, interview.name, cost=interview.cost)


def draw_intruders(show: Show, labels: Labels, n_sets: int, random_state: int) -> IntruderRound:
    """Draw sets of four members of a cluster and an intruder at a random place."""
    if n_sets < 1:
        raise InputError(f"n_sets must be at least 1; got {n_sets}")
    encoded = apply_noise_policy(encode(labels), "drop")
    codes, names = encoded.codes, encoded.names.tolist()
    rng = np.random.default_rng(random_state)
    line = cache(lambda at: as_line(show(int(at)), 2_000))
    enough = [c for c in range(len(names)) if (codes == c).sum() >= SET_MEMBERS]
    if not enough or len(names) < 2:
        raise InputError(
            f"an intruder test needs a cluster of {SET_MEMBERS} objects and another cluster; the "
            f"largest of {len(names)} has {np.bincount(codes[codes >= 0], minlength=1).max()}"
        )
    clusters: list[Any] = []
    sets: list[tuple[int, ...]] = []
    places: list[int] = []
    while len(sets) < n_sets:
        for c in rng.permutation(enough)[: n_sets - len(sets)]:
            members = rng.permutation(np.flatnonzero(codes == c))
            texts = {line(i) for i in members[:COMPARED_MEMBERS]}
            stranger = int(rng.choice([o for o in range(len(names)) if o != c]))
            candidates = rng.permutation(np.flatnonzero(codes == stranger))
            intruder = next((int(i) for i in candidates if line(i) not in texts), None)
            if intruder is None:
                raise InputError(
                    f"everything of cluster {names[stranger]!r} is in cluster "
                    f"{names[c]!r} too, so it has no intruder"
                )
            shown = [int(i) for i in members[:SET_MEMBERS]]
            place = int(rng.integers(SET_MEMBERS + 1))
            shown.insert(place, intruder)
            clusters.append(names[c])
            sets.append(tuple(shown))
            places.append(place)
    return IntruderRound(tuple(clusters), tuple(sets), tuple(places), show)
