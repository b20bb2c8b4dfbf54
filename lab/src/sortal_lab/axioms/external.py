"""Properties of external measures: what a comparison of a clustering with classes should do.

Two pairs (T, C) are alike, and have one value, where a permutation of the objects maps one to the
other and names do not matter; this is the first property. T and C are *trivial* if they are one
cluster or all singletons. The distance form of a measure is d(T, C) = M(T, T) − M(T, C), and
M(T, C) − M(T, T) where lower is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sortal.measures.properties import Case, PropertyForm
from sortal_lab.axioms import definitions, random_cases, random_chance
from sortal_lab.axioms import exhaustive as all_cases
from sortal_lab.axioms.definitions import Facts, Pair, Pairs
from sortal_lab.axioms.random_chance import (
    UNDECIDED,
    asymptotic_chance,
    finite_chance,
    optimal_numbers,
)
from sortal_lab.axioms.search import PROPERTIES, Property, Trial
from sortal_lab.axioms.valuation import Valuation

__all__ = ["UNDECIDED", "asymptotic_chance", "finite_chance", "optimal_numbers"]

#: all pairs of partitions of up to so many objects are judged
EXHAUSTIVE = 7
#: random cases of up to 40 objects
RANDOM = 60

Premise = Callable[[Pairs, Facts], bool]
Broken = Callable[[Sequence[float], Facts, Pairs], bool]


def _pairs(case: Case) -> list[Pair]:
    """Pairs (truth, labels) of a case."""
    return [
        (tuple(each.truth.tolist()), tuple(each.labels.tolist()))
        for each in case.situations
        if each.truth is not None
    ]


def _without_object(case: Case) -> Iterator[Case]:
    """The case without one object of the largest situations, where the others are a reference."""
    n = max(each.n for each in case.situations)
    for i in range(n if n > 2 else 0):
        rest = np.delete(np.arange(n), i)
        taken = tuple(each.take(rest) if each.n == n else each for each in case.situations)
        yield replace(case, situations=taken)


def _nothing(case: Case) -> Iterator[Case]:
    """No simpler cases."""
    return iter(())


def _case_of(pairs: Any, names: tuple[str, ...]) -> Case | None:
    """Case of a list of pairs, or None."""
    if pairs is None or isinstance(pairs, Case):
        return pairs
    return random_chance.as_case(pairs, names if len(names) == len(pairs) else ())


def _external(
    key: str,
    name: str,
    definition: str,
    reference: str,
    premise: Premise,
    broken: Broken,
    exhaustive: Callable[[all_cases.Values], Any],
    draw: random_cases.Draw | None = None,
    *,
    names: tuple[str, ...] = ("first", "second"),
    sizes: Sequence[int] = range(2, EXHAUSTIVE + 1),
    form: PropertyForm = "",
    scope: str = "all pairs of partitions",
    simpler: Callable[[Case], Iterator[Case]] = _without_object,
) -> None:
    """Register a property from its definition, its exhaustive search and its random cases."""
    margin = partial(_margin, broken=broken)
    speaks = partial(_speaks, premise=premise)
    PROPERTIES.add(
        Property(
            key=key,
            name=name,
            kind="external",
            definition=definition,
            reference=reference,
            trials=partial(
                _trials,
                exhaustive=exhaustive,
                draw=draw,
                margin=margin,
                speaks=speaks,
                names=names,
                sizes=tuple(sizes),
            ),
            margin=margin,
            premise=speaks,
            form=form,
            scope=scope,
            simpler=simpler,
        )
    )


def _margin(values: Any, case: Case, sign: int, *, broken: Broken) -> float:
    """Negative if the values break the property."""
    turned = [sign * float(value) for value in values]
    return -1.0 if broken(turned, case.facts, _pairs(case)) else 1.0


def _speaks(case: Case, *, premise: Premise) -> bool:
    """Whether the premise holds for a case."""
    return premise(_pairs(case), case.facts)


def _trials(
    judge: Valuation,
    rng: np.random.Generator,
    *,
    exhaustive: Callable[[all_cases.Values], Any],
    draw: random_cases.Draw | None,
    margin: Callable[[Any, Case, int], float],
    speaks: Callable[[Case], bool],
    names: tuple[str, ...],
    sizes: Sequence[int],
) -> Iterator[Trial]:
    """All cases of each number of objects, then random ones."""
    for n in sizes:
        cases, undefined, counterexample = exhaustive(all_cases.Values(judge, n))
        yield Trial(cases, undefined, n, _case_of(counterexample, names))
    for _ in range(RANDOM if draw is not None else 0):
        assert draw is not None
        case = _case_of(draw(rng, *random_cases.pair(rng)), names)
        if case is None or not speaks(case):
            continue
        values = judge.values(case.situations)
        defined = not np.isnan(values).any()
        bad = defined and margin(values, case, judge.sign) < 0
        yield Trial(int(defined), int(not defined), case=case if bad else None)


THESIS = "whissell2012"
AMIGO = "Amigó et al. 2009"
GOSGENS = "Gösgens, Tikhonov & Prokhorenkova 2021"
MEILA = "Meilă 2007"
BEFORE_AFTER = ("before", "after")

_external(
    "names_and_order",
    "Names and order do not matter",
    "M is the same when the objects are reordered and classes and clusters renamed.",
    "Every search here rests on it",
    definitions.reversed_names,
    definitions.differ,
    all_cases.names_and_order,
    random_cases.names_and_order,
)
_external(
    "fullness",
    "Fullness, strict",
    "For T and C that are not trivial: a change of the cluster of one object, or of its class, "
    "that changes the table by more than the order of rows and columns changes M.",
    f"{THESIS} definition 9, which is unsatisfiable as written: T = 000111 with C = 001222 and "
    "with C = 011222 has the same table, names aside",
    definitions.one_label_changes,
    definitions.equal,
    all_cases.fullness,
    random_cases.fullness,
    names=BEFORE_AFTER,
    form="strict",
)
_external(
    "weak_fullness",
    "Fullness, weak: no cell is ignored",
    "For T and C that are not trivial: when two objects of one cell of the table move one after "
    "the other to the same cluster (or class), and the three tables differ by more than names, "
    "then the three values of M are not all equal.",
    f"{THESIS} section 4.3: every p(c, t) has some impact. A measure that reads a cell may give "
    "the same value by coincidence once; one that ignores it does so along the way",
    definitions.two_labels_change,
    definitions.equal,
    all_cases.weak_fullness,
    random_cases.weak_fullness,
    names=("before", "one moved", "both moved"),
    form="weak",
)
_external(
    "homogeneity",
    "Homogeneity",
    "T is not trivial. C has a cluster of objects of two classes; C' is C with this cluster split "
    "into its two classes. Then C' is better.",
    AMIGO,
    definitions.splits_classes,
    definitions.no_better,
    all_cases.homogeneity,
    random_cases.split_of_two,
    names=BEFORE_AFTER,
)
_external(
    "completeness",
    "Completeness",
    "T is not trivial. C has two clusters of objects of one and the same class; C' is C with the "
    "two merged. Then C' is better.",
    AMIGO,
    definitions.merges_class,
    definitions.no_better,
    all_cases.completeness,
    random_cases.merger,
    names=BEFORE_AFTER,
)
_external(
    "rag_bag",
    "Rag bag",
    "A clean cluster has m > 1 objects of one class, a disordered one m objects each alone in its "
    "class. A further object, alone in its class, does less harm in the disordered one.",
    AMIGO,
    definitions.joins_clean_or_disordered,
    definitions.no_better,
    all_cases.rag_bag,
    names=("in the clean", "in the disordered"),
    sizes=range(5, 15),
    scope="all m, with all that three further objects may look like",
)
_external(
    "size_against_quantity",
    "Size against quantity",
    "T and C have a cluster of m + 1 > 3 objects and m clusters of two. To take one object from "
    "the large one does less harm than to split all the small ones.",
    AMIGO,
    definitions.many_small_or_one_large,
    definitions.no_better,
    all_cases.size_against_quantity,
    names=("small ones split", "one taken from the large"),
    sizes=range(10, 20),
    scope="all m, with all that three further objects may look like",
)
_external(
    "unique_optimum",
    "Only T itself is optimal",
    "M(T, T) is better than M(T, C) for every other C.",
    f"{THESIS} section 4.4 (2)",
    definitions.another_clustering,
    definitions.no_better,
    all_cases.unique_optimum,
    random_cases.unique_optimum,
    names=("C", "T itself"),
)
_external(
    "optimal_number",
    "Optimal number of clusters",
    "M(T, T) is better than M(T, C) for every C of another number of clusters.",
    f"{THESIS} section 4.6",
    definitions.another_number,
    definitions.no_better,
    all_cases.optimal_number,
    random_cases.unique_optimum,
    names=("C", "T itself"),
)
_external(
    "noise_tolerance",
    "Noise tolerance",
    "A change of one label, of C or of T, changes M by at most 2/n of the difference between the "
    "best and the worst value for n objects.",
    f"{THESIS} section 4.5, which says that Rand changes by at most 1/n; it is 2/n",
    definitions.one_label_and_extremes,
    definitions.jumps,
    all_cases.noise_tolerance,
    names=("before", "after", "best of all", "worst of all"),
)
_external(
    "maximal_agreement",
    "Maximal agreement",
    "M(T, T) is the same for all T, and better than every other M(T, C).",
    GOSGENS,
    definitions.against_equal,
    definitions.not_maximal,
    all_cases.maximal_agreement,
    random_cases.maximal_agreement,
    names=("equal", "other"),
)
_external(
    "minimal_agreement",
    "Minimal agreement",
    "M is the same for all pairs that agree on no pair of objects (one cluster against "
    "singletons), and better for every other pair.",
    GOSGENS,
    definitions.against_disjoint,
    definitions.not_minimal,
    all_cases.minimal_agreement,
    random_cases.minimal_agreement,
    names=("no agreement", "other"),
)
_external(
    "symmetry",
    "Symmetry",
    "M(T, C) = M(C, T).",
    GOSGENS,
    definitions.exchanged,
    definitions.differ,
    all_cases.symmetry,
    random_cases.symmetry,
    names=("M(T, C)", "M(C, T)"),
)
_external(
    "triangle_inequality",
    "Triangle inequality",
    "For S = M, or −M where lower is better: S(A, B) + S(B, C) ≤ S(B, B) + S(A, C). Where M(T, T) "
    "is the same for all T, its distance form satisfies d(A, C) ≤ d(A, B) + d(B, C).",
    f"{GOSGENS}, distance",
    definitions.three_partitions,
    definitions.triangle_broken,
    all_cases.triangle,
    random_cases.triangle,
    names=("(A, B)", "(B, C)", "(B, B)", "(A, C)"),
    scope="all triples of partitions",
)
_external(
    "monotonicity",
    "Monotonicity",
    "T is not trivial. C' splits a cluster of C without separating objects of one class, or merges "
    "two clusters of one and the same class. Then C' is better.",
    GOSGENS,
    definitions.improves,
    definitions.no_better,
    all_cases.monotonicity,
    random_cases.improvement,
    names=BEFORE_AFTER,
)
_external(
    "strong_monotonicity",
    "Strong monotonicity",
    "Of two pairs of equally many objects, one has no fewer pairs of objects together in both and "
    "apart in both, and no more of the other two kinds, and the counts differ. Then it is better.",
    GOSGENS,
    definitions.agrees_more,
    definitions.no_better,
    all_cases.strong_monotonicity,
    random_cases.improvement,
    names=("less agreement", "more agreement"),
)
for _key, _name, _text, _premise, _search in (
    (
        "chance_over_clusterings",
        "No chance bias, C varies",
        "For T that is not trivial the mean of M over all labelings with the sizes of C is the "
        "same for all C that are not trivial, of the same objects.",
        definitions.all_labelings_of_one_truth,
        random_chance.over_clusterings,
    ),
    (
        "chance_over_truths",
        "No chance bias, T varies",
        "For C that is not trivial the mean of M over all labelings with the sizes of C is the "
        "same for all T that are not trivial, of the same objects.",
        definitions.all_labelings_of_one_clustering,
        random_chance.over_truths,
    ),
    (
        "constant_baseline",
        "Constant baseline",
        "The mean of M over all labelings with the sizes of C is the same for all T and C that are "
        "not trivial, of any number of objects.",
        definitions.all_labelings,
        random_chance.constant_baseline,
    ),
):
    _external(
        _key,
        _name,
        _text,
        f"{THESIS} section 4.8; {GOSGENS}",
        _premise,
        definitions.means_differ,
        _search,
        sizes=range(3, EXHAUSTIVE + 1),
        scope="all sizes; the means are exact",
        simpler=_nothing,
    )
_external(
    "asymptotic_baseline",
    "Asymptotic baseline",
    "Where p(c, t) = p(c) p(t) for all clusters c and classes t, differences of M between two such "
    "tables shrink as the objects grow in number (by a quarter or more when they double). A "
    "measure with a constant baseline for few objects has it.",
    f"{THESIS} section 4.8; {GOSGENS}",
    definitions.independent,
    definitions.gap_stays,
    random_chance.asymptotic_baseline,
    sizes=(256,),
    scope="independent tables of five lists of shares",
    simpler=_nothing,
)
_external(
    "convex_additivity",
    "Convex additivity",
    "Where no class and no cluster leaves any of several sets of objects, the distance form of M "
    "is the mean of those within the sets, weighted by their sizes.",
    MEILA,
    definitions.with_identities,
    definitions.not_additive,
    all_cases.convex_additivity,
    random_cases.convex_additivity,
)
_external(
    "locality",
    "Locality",
    "The distance form of M does not depend on how the objects of clusters that T and C share are "
    "divided into these clusters.",
    MEILA,
    definitions.shared_clusters_differ,
    definitions.distances_differ,
    all_cases.locality,
    random_cases.locality,
    names=("first", "second", "first, T itself", "second, T itself"),
)
