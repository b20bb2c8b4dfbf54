"""A round of questions: groups to be named from a few members, then objects to be assigned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal.labeling import Shown, central_objects
from sortal.labelings import NOISE, apply_noise_policy, encode
from sortal_lab.reading.answers import parse_choice, parse_name
from sortal_lab.reading.display import Show, as_line, as_text, numbered, shortened
from sortal_lab.reading.draw import RoundDraw
from sortal_lab.reading.minutes import short_characters
from sortal_lab.reading.question import ASSIGN, NAME, SHOWN_CHARACTERS, Question, prompt
from sortal_lab.reading.score import ClarityByReading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.typing import Labels, Metric, Rows
    from sortal_lab.reading.interview import Cost

#: members of a cluster that are shown, half of them central, and objects of others beside them
EXAMPLES, OTHERS = 6, 4
#: the same in a short round, and objects to be assigned in a round and in a short one
SHORT_EXAMPLES, SHORT_OTHERS = 3, 2
ASSIGNMENTS, SHORT_ASSIGNMENTS = 30, 10
#: members among which the central ones are sought
_MAX_SOUGHT = 1_000


class Round(RoundDraw):
    """The questions to a reader of a clustering: the first k ask for names.

    The attributes are those of :class:`RoundDraw`: ``clusters``, ``too_small``, ``examples``,
    ``others``, ``objects``, ``truth``, ``draws`` and ``show``.
    """

    def question(self, at: int, said: Mapping[int, Any]) -> Question:
        """A question; those about objects offer the names from the answers so far."""
        if at < self.n_names:
            return self._naming(at)
        shown = self.show(self.objects[at - self.n_names])
        names = self.names(said)
        listed = "\n".join(f"{number}. {name}" for number, name in enumerate(names, 1))
        short = [name.partition(":")[0].strip() for name in names]
        return Question(
            "Which of these is it?",
            shown,
            names,
            prompt(ASSIGN).format(names=listed, object=as_text(shown)),
            lambda answer: parse_choice(answer, short),
        )

    def _naming(self, at: int) -> Question:
        """The question for the name of a group."""
        members = [self.show(i) for i in self.examples[at]]
        others = [self.show(i) for i in self.others[at]]
        ask = f"Group {at + 1} of {self.n_names}: what do these have in common?"
        if any(shown.text for shown in (*members, *others)):
            cells = [
                (f"{title} {i}", as_line(shown, SHOWN_CHARACTERS))
                for title, group in (("member", members), ("of another", others))
                for i, shown in enumerate(group, 1)
            ]
        else:
            cells = _side_by_side(members, others)
        images = tuple(path for shown in members for path in shown.images)
        text = prompt(NAME).format(
            count=len(members), members=numbered(members), others=numbered(others)
        )
        return Question(ask, Shown("", tuple(cells), images), (), text, parse_name)

    def read(
        self, said: Mapping[int, Any], by: str, *, delta: float = 0.1, cost: Cost | None = None
    ) -> ClarityByReading:
        """Result of the answers; without any about an object an InputError is raised."""
        assigned = tuple(said.get(at) for at in range(self.n_names, len(self)))
        if all(cluster is None for cluster in assigned):
            cost_and_failure = "" if cost is None else f"; {cost}; {cost.last_failure}"
            raise InputError(
                f"{by} assigned none of the {len(assigned)} objects, so there is no clarity to "
                f"tell{cost_and_failure}"
            )
        return ClarityByReading(self, self.names(said), assigned, by, delta, cost)

    def names(self, said: Mapping[int, Any]) -> tuple[str, ...]:
        """Unique names of the clusters."""
        unique_names: list[str] = []
        occurrences: dict[str, int] = {}
        for at in range(self.n_names):
            name, colon, line = str(said.get(at) or f"group {at + 1}, without a name").partition(
                ":"
            )
            key = name.strip().casefold()
            occurrences[key] = occurrences.get(key, 0) + 1
            number = f" ({occurrences[key]})" if occurrences[key] > 1 else ""
            unique_names.append(f"{name.strip()}{number}{colon}{line}")
        return tuple(unique_names)


def draw_round(
    objects: Show,
    labels: Labels,
    n_assignments: int | None = None,
    *,
    X: Rows | None = None,
    metric: Metric = "euclidean",
    random_state: int = 0,
    short: bool = False,
) -> Round:
    """Draw the questions about a clustering.

    Six members represent each cluster (half of a small one), three of them central where X is
    given. The draws from the other members are evenly distributed over the clusters; a cluster
    with fewer members is drawn from again. A shorter round has the first draws of a longer one.
    By default 30 objects are to be assigned. ``short`` is for five minutes: three members of each
    cluster, 10 objects, and texts cut to what can be read in the time.

    Raises
    ------
    InputError
        If fewer than two clusters have two objects, or ``n_assignments`` is below 1.
    """
    if n_assignments is None:
        n_assignments = SHORT_ASSIGNMENTS if short else ASSIGNMENTS
    if n_assignments < 1:
        raise InputError(f"n_assignments must be at least 1; got {n_assignments}")
    encoded = apply_noise_policy(encode(labels), "drop")
    codes, names = encoded.codes, encoded.names.tolist()
    sizes = np.bincount(codes[codes != NOISE], minlength=len(names))
    clusters = np.flatnonzero(sizes >= 2)
    if len(clusters) < 2:
        raise InputError(
            f"{len(clusters)} clusters have two objects or more: to name clusters, and to put "
            "further objects into them, there must be two such clusters at least"
        )
    n_examples, n_others = (SHORT_EXAMPLES, SHORT_OTHERS) if short else (EXAMPLES, OTHERS)
    most = None
    if short:
        n_shown = len(clusters) * (n_examples + n_others) + n_assignments
        most = short_characters(len(clusters), n_assignments, n_shown)
        objects = shortened(objects, most)
    rng = np.random.default_rng([random_state, 0])
    clusters = rng.permutation(clusters)
    shown, unseen = [], []
    for c in clusters:
        members = rng.permutation(np.flatnonzero(codes == c))
        first = _examples(members, codes, X, metric, min(n_examples, len(members) // 2))
        shown.append(first)
        unseen.append([int(i) for i in members if int(i) not in first])
    rng_of_others = np.random.default_rng([random_state, 1])
    others = [_others(shown, c, n_others, rng_of_others) for c in range(len(clusters))]
    draws = _draws([len(members) for members in unseen], n_assignments, random_state)
    order = np.random.default_rng([random_state, 2]).permutation(len(draws))
    pairs = [list(draws)[i] for i in order]
    return Round(
        clusters=tuple(names[c] for c in clusters),
        too_small=tuple(names[c] for c in np.flatnonzero(sizes == 1)),
        examples=tuple(map(tuple, shown)),
        others=tuple(map(tuple, others)),
        objects=tuple(unseen[c][i] for c, i in pairs),
        truth=tuple(c for c, _ in pairs),
        draws=tuple(draws[pair] for pair in pairs),
        show=objects,
        most=most,
    )


def _examples(
    members: NDArray[Any], codes: NDArray[Any], X: Rows | None, metric: Metric, most: int
) -> list[int]:
    """Central members, then random ones."""
    central: list[int] = []
    if X is not None:
        candidates = np.sort(members[:_MAX_SOUGHT])
        rows = X[candidates][:, candidates] if metric in ("precomputed", "graph") else X[candidates]
        if metric != "graph":
            (central_rows,) = central_objects(
                rows, codes[candidates], (most + 1) // 2, metric=metric
            )
            central = [int(candidates[i]) for i in central_rows]
    return [*central, *(int(i) for i in members if int(i) not in central)][:most]


def _others(shown: list[list[int]], c: int, n: int, rng: np.random.Generator) -> list[int]:
    """Members of other clusters for comparison, from as many clusters as possible."""
    other_clusters = [i for i in rng.permutation(len(shown)) if i != c]
    picked = [(i, j) for j in range(EXAMPLES) for i in other_clusters if j < len(shown[i])]
    return [shown[i][j] for i, j in picked[:n]]


def _draws(sizes: list[int], n: int, random_state: int) -> dict[tuple[int, int], int]:
    """Number of draws of each object of each cluster, in the order of the draws."""
    rng = np.random.default_rng([random_state, 3])
    draws: dict[tuple[int, int], int] = {}
    for turn in range(-(-n // len(sizes))):
        for c in rng.permutation(len(sizes))[: n - turn * len(sizes)]:
            drawn = int(c), turn % sizes[c]
            draws[drawn] = draws.get(drawn, 0) + 1
    return draws


def _side_by_side(members: list[Shown], others: list[Shown]) -> list[tuple[str, str]]:
    """The values of each feature: those of the members, then those of the others."""

    def joined(name: str, ones: list[Shown]) -> str:
        return " · ".join(dict(shown.cells).get(name, "–") for shown in ones)

    names = dict.fromkeys(name for shown in members for name, _ in shown.cells)
    return [(name, f"{joined(name, members)}  | others: {joined(name, others)}") for name in names]
