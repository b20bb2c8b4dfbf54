"""A round of questions: groups to be named from a few members, then objects to be assigned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labeling.desk import Shown
from karat.labeling.medoids import central_objects
from karat.labeling.reading.answers import NONE, parse_choice, parse_name
from karat.labeling.reading.score import ClarityByReading
from karat.labeling.reading.shown import Show, as_line, as_text, numbered
from karat.labelings.labels import NOISE, apply_noise_policy, encode
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.labeling.reading.interview import Cost

#: members of a cluster that are shown, half of them central, and objects of others beside them
EXAMPLES, OTHERS = 6, 4
#: characters of a text among several
SHOWN = 600
#: members among which the central ones are sought
_MOST = 1_000
_PROMPTS = Path(__file__).with_name("prompts")
NAME, ASSIGN, INTRUDER = "name_1", "assign_1", "intruder_1"


@cache
def prompt(name: str) -> str:
    """The text of a prompt; its number rises with every change."""
    return (_PROMPTS / f"{name}.txt").read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Question:
    """One question, for people and for functions.

    Attributes
    ----------
    ask : str
        For people.
    shown : Shown
    options : tuple of str
        What may be chosen; none where a name is asked for.
    prompt : str
        For functions.
    parse : callable
        What an answer says: a name with its line, or the number of an option.
    """

    ask: str
    shown: Shown
    options: tuple[str, ...]
    prompt: str = field(repr=False)
    parse: Callable[[str], Any] = field(repr=False)


@dataclass(frozen=True)
class Round:
    """What is asked of whoever reads a clustering: the first k questions ask for names.

    Attributes
    ----------
    clusters : tuple
        Labels of those that take part, in the order in which they are offered.
    too_small : tuple
        Labels of clusters of one object, of which nothing is left to be assigned.
    examples, others : tuple of tuple of int
        Positions of the members of each that are shown, and of objects of other clusters.
    objects : tuple of int
        Positions of the objects to be assigned, in the order of the questions.
    truth : tuple of int
        The cluster of each, as a position in ``clusters``.
    draws : tuple of int
        How many draws each stands for: more than one where a cluster has few objects.
    show : callable
    """

    clusters: tuple[Any, ...]
    too_small: tuple[Any, ...]
    examples: tuple[tuple[int, ...], ...]
    others: tuple[tuple[int, ...], ...]
    objects: tuple[int, ...]
    truth: tuple[int, ...]
    draws: tuple[int, ...]
    show: Show = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.clusters) + len(self.objects)

    @property
    def n_names(self) -> int:
        """How many of the first questions ask for a name."""
        return len(self.clusters)

    @property
    def identity(self) -> NDArray[np.intp]:
        """What makes the round this one."""
        return np.array([*self.objects, NONE, *(i for one in self.examples for i in one)])

    def question(self, at: int, said: Mapping[int, Any]) -> Question:
        """A question; those about objects offer the names that were said."""
        if at < self.n_names:
            return self._naming(at)
        one = self.show(self.objects[at - self.n_names])
        names = self.names(said)
        listed = "\n".join(f"{number}. {name}" for number, name in enumerate(names, 1))
        short = [name.partition(":")[0].strip() for name in names]
        return Question(
            "Which of these is it?",
            one,
            names,
            prompt(ASSIGN).format(names=listed, object=as_text(one)),
            lambda answer: parse_choice(answer, short),
        )

    def _naming(self, at: int) -> Question:
        members = [self.show(i) for i in self.examples[at]]
        others = [self.show(i) for i in self.others[at]]
        told = f"Group {at + 1} of {self.n_names}: what do these have in common?"
        if any(one.text for one in (*members, *others)):
            cells = [(f"member {i}", as_line(one, SHOWN)) for i, one in enumerate(members, 1)]
            cells += [(f"of another {i}", as_line(one, SHOWN)) for i, one in enumerate(others, 1)]
        else:
            cells = _side_by_side(members, others)
        images = tuple(path for one in members for path in one.images)
        text = prompt(NAME).format(
            count=len(members), members=numbered(members), others=numbered(others)
        )
        return Question(told, Shown("", tuple(cells), images), (), text, parse_name)

    def read(
        self, said: Mapping[int, Any], by: str, *, delta: float = 0.1, cost: Cost | None = None
    ) -> ClarityByReading:
        """What the answers come to; an InputError where no object has one."""
        assigned = tuple(said.get(at) for at in range(self.n_names, len(self)))
        if all(one is None for one in assigned):
            told = "" if cost is None else f"; {cost}; {cost.last_failure}"
            raise InputError(
                f"{by} assigned none of the {len(assigned)} objects, so there is no clarity to "
                f"tell{told}"
            )
        return ClarityByReading(self, self.names(said), assigned, by, delta, cost)

    def names(self, said: Mapping[int, Any]) -> tuple[str, ...]:
        """What each cluster is called, no two alike."""
        called: list[str] = []
        seen: dict[str, int] = {}
        for at in range(self.n_names):
            name, colon, line = str(said.get(at) or f"group {at + 1}, without a name").partition(
                ":"
            )
            key = name.strip().casefold()
            seen[key] = seen.get(key, 0) + 1
            twice = f" ({seen[key]})" if seen[key] > 1 else ""
            called.append(f"{name.strip()}{twice}{colon}{line}")
        return tuple(called)


def draw_round(
    objects: Show,
    labels: Any,
    n_assignments: int = 30,
    *,
    X: Any = None,
    metric: Any = "euclidean",
    random_state: int = 0,
) -> Round:
    """Draw what is asked about a clustering.

    Each cluster is shown by six members (of few, by half of them), three of them central where X
    is given, and has the same number of draws among its other members, within one; a cluster with
    fewer of them is drawn from again. The draws of a round are the first of a longer one.

    Raises
    ------
    InputError
        If fewer than two clusters have two objects, or without an assignment.
    """
    if n_assignments < 1:
        raise InputError(f"n_assignments must be at least 1; got {n_assignments}")
    encoded = apply_noise_policy(encode(labels), "drop")
    codes, names = encoded.codes, encoded.names.tolist()
    sizes = np.bincount(codes[codes != NOISE], minlength=len(names))
    part = np.flatnonzero(sizes >= 2)
    if len(part) < 2:
        raise InputError(
            f"{len(part)} clusters have two objects or more: to name clusters, and to put further "
            "objects into them, there must be two such clusters at least"
        )
    rng = np.random.default_rng([random_state, 0])
    part = rng.permutation(part)
    shown, left = [], []
    for c in part:
        own = rng.permutation(np.flatnonzero(codes == c))
        first = _examples(own, codes, X, metric, min(EXAMPLES, len(own) // 2))
        shown.append(first)
        left.append([int(i) for i in own if int(i) not in first])
    at = np.random.default_rng([random_state, 1])
    others = [_others(shown, c, at) for c in range(len(part))]
    drawn = _draws([len(one) for one in left], n_assignments, random_state)
    order = np.random.default_rng([random_state, 2]).permutation(len(drawn))
    asked = [list(drawn)[i] for i in order]
    return Round(
        clusters=tuple(names[c] for c in part),
        too_small=tuple(names[c] for c in np.flatnonzero(sizes == 1)),
        examples=tuple(map(tuple, shown)),
        others=tuple(map(tuple, others)),
        objects=tuple(left[c][i] for c, i in asked),
        truth=tuple(c for c, _ in asked),
        draws=tuple(drawn[one] for one in asked),
        show=objects,
    )


def _examples(own: NDArray[Any], codes: NDArray[Any], X: Any, metric: Any, most: int) -> list[int]:
    """Central members, then random ones."""
    central: list[int] = []
    if X is not None:
        near = np.sort(own[:_MOST])
        rows = X[near][:, near] if metric in ("precomputed", "graph") else X[near]
        if metric != "graph":
            (first,) = central_objects(rows, codes[near], (most + 1) // 2, metric=metric)
            central = [int(near[i]) for i in first]
    return [*central, *(int(i) for i in own if int(i) not in central)][:most]


def _others(shown: list[list[int]], c: int, rng: np.random.Generator) -> list[int]:
    """Members of other clusters that are shown for comparison, of different ones first."""
    rest = [i for i in rng.permutation(len(shown)) if i != c]
    picked = [(i, j) for j in range(EXAMPLES) for i in rest if j < len(shown[i])]
    return [shown[i][j] for i, j in picked[:OTHERS]]


def _draws(sizes: list[int], n: int, random_state: int) -> dict[tuple[int, int], int]:
    """How often each object of each cluster is drawn, in the order of the draws."""
    rng = np.random.default_rng([random_state, 3])
    found: dict[tuple[int, int], int] = {}
    for turn in range(-(-n // len(sizes))):
        for c in rng.permutation(len(sizes))[: n - turn * len(sizes)]:
            one = int(c), turn % sizes[c]
            found[one] = found.get(one, 0) + 1
    return found


def _side_by_side(members: list[Shown], others: list[Shown]) -> list[tuple[str, str]]:
    """The values of each feature: those of the members, then those of others."""

    def told(name: str, ones: list[Shown]) -> str:
        return " · ".join(dict(one.cells).get(name, "–") for one in ones)

    names = dict.fromkeys(name for one in members for name, _ in one.cells)
    return [(name, f"{told(name, members)}  | others: {told(name, others)}") for name in names]
