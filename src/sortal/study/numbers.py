"""Numbers of clusters: how likely each is, and how clusterings of different numbers nest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sortal.study.facts import HALF, NESTS, POOR, Granularity, LevelCandidate, Number, SplitFacts
from sortal.study.ranking import CHOICE, TIE_WIDTH
from sortal.study.scores import candidate_cluster_names, candidate_labels
from sortal.study.stability import swept_numbers

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.study.judgement import JudgedCandidates
    from sortal.study.splits import Split
    from sortal.study.state import StudyState

#: limit of cost: likely numbers, and level candidates, that are compared with the answer
N_COMPARED = 4
#: derived: error of the difference of two recoveries with that error each
LEVEL = TIE_WIDTH * 2**0.5 * CHOICE.score_error
#: tuned by eye: adjusted Rand index from which on two candidates are one to the reader
NEARLY_THE_SAME = 0.95
#: tuned by eye: least probability of a number in a tree of granularities, and of a doubt that is
#: named
LEAST_LIKELY = 0.1


def nesting(
    coarse: NDArray[np.integer], fine: NDArray[np.integer]
) -> tuple[float, list[list[int]]]:
    """Share of the objects for which the finer partition divides the coarser, and its parts.

    Outliers of either are not counted.

    >>> nesting(np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2]))
    (1.0, [[0], [1, 2]])
    """
    both = (coarse >= 0) & (fine >= 0)
    table = np.zeros((fine.max() + 1, coarse.max() + 1), dtype=np.int64)
    np.add.at(table, (fine[both], coarse[both]), 1)
    home = np.where(table.any(axis=1), table.argmax(axis=1), -1)
    share = table.max(axis=1).sum() / max(both.sum(), 1)
    return float(share), [np.flatnonzero(home == c).tolist() for c in range(table.shape[1])]


def numbers_of(
    state: StudyState, ranked: pd.DataFrame, judgement: JudgedCandidates | None
) -> tuple[Number, ...]:
    """Numbers of groups by the tree of splits, that of the answer first, and how they nest in it.

    None where the user asked for one number, which the answer has, and no references stand beside.
    """
    answer, splits = int(ranked["n_clusters"].iloc[0]), state.splits
    if splits is None:
        return ()
    if set(swept_numbers(state)) == {answer} and not (judgement and judgement.references):
        return ()
    best = _best_of_each(ranked, judgement)
    best[answer] = _BestOfNumber(str(ranked.index[0]))
    shares = {answer: 0.0} | dict.fromkeys(splits.levels, 0.0) | splits.numbers
    first = best[answer].divided(state)
    numbers: list[Number] = []
    for k, share in sorted(shares.items(), key=lambda item: (item[0] != answer, -item[1])):
        of_number = best.get(k)
        number = Number(k, share, None if of_number is None else of_number.name)
        if of_number is not None and 0 < len(numbers) < N_COMPARED:
            nested, united = _relation(first, of_number.divided(state))
            number = replace(number, nested=nested, united=united)
        numbers.append(number)
    return tuple(numbers)


def split_facts(state: StudyState, name: str) -> SplitFacts | None:
    """The tree of splits by the groups of a candidate."""
    splits = state.splits
    if splits is None:
        return None
    labels, names = candidate_labels(state, name), candidate_cluster_names(state, name)
    everywhere = splits.root.objects
    inside = np.zeros(state.n_objects, dtype=bool)

    def facts(node: Split) -> SplitFacts:
        inside[everywhere] = False
        inside[node.objects] = True
        united = _united(labels[everywhere], inside[everywhere])
        return SplitFacts(
            tuple(names[c] for c in united), len(node.objects) / len(everywhere),
            node.probability, node.error, node.kind, tuple(map(facts, node.children)),
        )  # fmt: skip

    return facts(splits.root)


def _united(codes: NDArray[np.int32], inside: NDArray[np.bool_]) -> list[int]:
    """The clusters that make up some objects; none where their union is too different."""
    among = codes >= 0
    sizes = np.bincount(codes[among])
    shares = np.bincount(codes[among], inside[among], len(sizes)) / np.maximum(sizes, 1)
    members = np.flatnonzero(shares > HALF)
    union = np.isin(codes, members)
    both = (union & inside).sum() / max(union.sum(), inside.sum(), 1)
    return members.tolist() if both >= NESTS else []


#: labels of a clustering, and the names of its clusters
_Divided = tuple["NDArray[np.int32]", list[str]]


def _relation(
    first: _Divided, second: _Divided
) -> tuple[float, tuple[tuple[str, tuple[str, ...]], ...]]:
    """How far one divides the other, and the clusters of the finer in each of the coarser."""
    (coarse, wholes), (fine, names) = sorted(
        [first, second], key=lambda divided: int(divided[0].max())
    )
    nested, parts = nesting(coarse, fine)
    united = (
        (name, tuple(names[i] for i in members))
        for name, members in zip(wholes, parts, strict=True)
    )
    return nested, tuple(united)


def level_with(
    state: StudyState, ranked: pd.DataFrame, judgement: JudgedCandidates
) -> tuple[LevelCandidate, ...]:
    """Candidates that are level with the first, no two of them nearly the same.

    Their recovery is within the error of a difference, and their number of clusters at
    least half as probable as the most probable one. Of the user's clusterings all within the
    error are level.
    """
    place = {name: i for i, name in enumerate(judgement.names)}
    agreement, allowed = judgement.evidence.agreement, judgement.may_be_first
    answer = str(ranked.index[0])
    least = float(ranked["recovery"].iloc[0]) - LEVEL
    listed: list[int] = [place[answer]]
    level: list[LevelCandidate] = []
    for row in range(1, len(ranked)):
        name = str(ranked.index[row])
        i = place[name]
        if float(ranked["recovery"].iloc[row]) < least:
            break
        if ranked["clusterer"].iloc[row] != "given" and (
            len(level) >= N_COMPARED
            or not allowed[i]
            or agreement[i, listed].max() >= NEARLY_THE_SAME
        ):
            continue
        listed.append(i)
        first = candidate_labels(state, answer), candidate_cluster_names(state, answer)
        second = candidate_labels(state, name), candidate_cluster_names(state, name)
        level.append(
            LevelCandidate(
                name, int(second[0].max()) + 1, judgement.recovery(name),
                float(agreement[i, listed[0]]), _shared(first, second[0]),
                *_relation(first, second),
            )
        )  # fmt: skip
    return tuple(level)


def _shared(first: _Divided, second: NDArray[np.int32]) -> tuple[str, ...]:
    """Names of the clusters that another clustering has, too, by their Jaccard similarity."""
    labels, names = first
    both = np.zeros((len(names), int(second.max()) + 1))
    inside = (labels >= 0) & (second >= 0)
    np.add.at(both, (labels[inside], second[inside]), 1)
    sizes = np.bincount(labels[labels >= 0], minlength=len(names))
    others = np.bincount(second[second >= 0], minlength=both.shape[1])
    similar = (both / (sizes[:, None] + others - both)).max(axis=1)
    return tuple(name for name, share in zip(names, similar, strict=True) if share >= NESTS)


def granularities(state: StudyState, numbers: Sequence[Number]) -> tuple[Granularity, ...]:
    """The answer and the clusterings that divide it, or that it divides, as the tree of splits."""
    splits = state.splits
    if splits is None or not numbers:
        return ()
    depths = {numbers[0].k, *splits.levels}
    named = [
        number
        for number in numbers
        if number.name is not None and (number.k in depths or number.probability >= LEAST_LIKELY)
    ]
    labels = {n.k: candidate_labels(state, str(n.name)) for n in named}
    chain = [named[0]]
    for number in sorted(named[1:], key=lambda n: n.k):
        if number.k > chain[-1].k and _nests(labels[chain[-1].k], labels[number.k]):
            chain.append(number)
    for number in sorted(named[1:], key=lambda n: -n.k):
        if number.k < chain[0].k and _nests(labels[number.k], labels[chain[0].k]):
            chain.insert(0, number)
    if len(chain) < 2:
        return ()
    out: list[Granularity] = []
    coarse: Number | None = None
    for fine in chain:
        parents: tuple[str, ...] = ()
        if coarse is not None:
            names = candidate_cluster_names(state, str(coarse.name))
            _, parts = nesting(labels[coarse.k], labels[fine.k])
            home = {child: names[parent] for parent, of in enumerate(parts) for child in of}
            parents = tuple(home.get(child, "") for child in range(int(labels[fine.k].max()) + 1))
        as_many = sum(share for k, share in splits.numbers.items() if k >= fine.k)
        out.append(Granularity(fine.k, str(fine.name), min(as_many, 1.0), parents))
        coarse = fine
    return tuple(out)


def _nests(coarse: NDArray[np.int32], fine: NDArray[np.int32]) -> bool:
    """Whether the finer clustering divides the coarser, but for a tenth of the objects."""
    return nesting(coarse, fine)[0] >= NESTS


def open_above(state: StudyState) -> int | None:
    """The largest number of clusters tried, where the tree of splits has more groups.

    A sweep of a single number asks for that one, so it leaves nothing open.
    """
    swept, splits = set(swept_numbers(state)), state.splits
    if len(swept) < 2 or splits is None:
        return None
    return max(swept) if splits.k > max(swept) else None


class _BestOfNumber(NamedTuple):
    """The best clustering with a number of clusters: a candidate by name, or a reference."""

    name: str | None
    codes: NDArray[np.int32] | None = None

    def divided(self, state: StudyState) -> tuple[NDArray[np.int32], list[str]]:
        """Its labels, and the names of its clusters."""
        if self.name is not None:
            return candidate_labels(state, self.name), candidate_cluster_names(state, self.name)
        assert self.codes is not None
        return self.codes, [str(i) for i in range(int(self.codes.max()) + 1)]


def _best_of_each(
    ranked: pd.DataFrame, judgement: JudgedCandidates | None
) -> dict[int, _BestOfNumber]:
    """The first candidate with each number, unless it is poor and there is a reference."""
    best: dict[int, _BestOfNumber] = {}
    for reference, _ in () if judgement is None else judgement.references:
        k = int(reference.codes.max()) + 1
        best.setdefault(k, _BestOfNumber(None, reference.codes))
    poor: set[Any] = set()
    if "recovery" in ranked:
        poor = set(ranked.index[(ranked["recovery"] < POOR).to_numpy(dtype=bool)])
    for name, k in reversed([*zip(ranked.index, map(int, ranked["n_clusters"]), strict=True)]):
        if name not in poor or k not in best or best[k].name is not None:
            best[k] = _BestOfNumber(str(name))
    return best
