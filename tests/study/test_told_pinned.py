"""Every sentence about an answer, of facts that are made up, so that none changes unseen.

``PYTHONPATH=tests python tests/study/test_told_pinned.py`` writes ``test_told_pinned.json`` anew.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.bounds import BoundForecast
from karat.labelings.structures import Hardened
from karat.study import facts, wording
from karat.study.divisions import Alternative
from karat.study.views import DataView
from karat.study.wording import (
    all_rows,
    assumed,
    divisions,
    first_screen,
    page,
    phrases,
    screen,
)
from pinning import Pins

BASE = karat.Answer(
    name="ward k=3", clusterer="ward", k=3, n_clusters=3, labels=np.zeros(1200, dtype=np.int32),
    sizes=(700, 300, 200), outliers=0, reached_by=1, decided_by="judge-1", score=None,
    tried=facts.CandidateCounts(9, 7, 0), data="wine",
)  # fmt: skip


def read(answer: karat.Answer) -> list[str]:
    """Everything that an answer says."""
    return [*str(answer).splitlines(), "why:", *answer.reasons, "one:", screen.one_line(answer)]


def told(**changes: Any) -> dict[str, list[str]]:
    """What an answer says more, and what it no longer says, where some facts are others."""
    before, after = read(BASE), read(replace(BASE, **changes))
    return {"more": [line for line in after if line not in before],
            "less": [line for line in before if line not in after]}  # fmt: skip


def finding(key: str, *columns: str, severity: str = "notable") -> Any:
    return Some(key=key, columns=columns, severity=severity,
                to_dict=lambda: {"sentence": f"About {key}."})  # fmt: skip


@cache
def guaranteed() -> Any:
    """Guarantees: an easy one, one without unlabelled objects, one that is refused."""
    y = np.arange(120) % 3
    few = [f"kind {c}" if i % 3 == i // 3 % 3 else None for i, c in enumerate(y)]
    good = karat.guarantee({"halves": y > 0, "three": y}, few)
    return Some(good=good, poor=replace(good, bound=good.n), all=replace(good, n=0),
                refused=good.refusing("the rows are sorted"))  # fmt: skip


def alternatives(*alternatives: Any, **facts_: Any) -> Any:
    from karat.study.alternatives import Alternatives

    return Alternatives(alternatives, **facts_)


def alternative(name: str, *, expected: Any = None, kind: str = "all", **options: Any) -> Any:
    return Alternative(name, 2, np.zeros(4), (3, 1), expected, DataView(kind), 9.0, **options)


def described(cluster: int, size: int, **options: Any) -> Any:
    made = {"rule": None, "accuracy": None, "name": str(cluster), "named_by": None, "telling": ()}
    return Some(cluster=cluster, size=size, **(made | options))


@cache
def names() -> dict[str, Any]:
    three = (("0", ("setosa",)), ("1", ("versicolor", "virginica")))
    split = (("0", ("a", "b")), ("1", ("c", "d")), ("2", ("e",)))
    table = {"p_holm": [0.04, 0.0005, 0.05, 0.2, 0.01, np.nan], "cluster": [0, 0, 1, 1, 2, 2]}
    pairs = pd.DataFrame(
        table | {"other": [1, 2, 2, 2, 0, 1], "difference": [1, 2, 3, -1, 0, np.nan]}
    )
    features = pd.DataFrame({
        "cluster": [0] * 8 + [1, 1], "feature": list("abcdefghij"),
        "p_holm": [0.04, 0.001, 0.0009, 0.05, 0.2, 0.01, 0.02, 0.03, 0.05, np.nan],
    })  # fmt: skip
    rows = {
        "n_rows": 12345, "names": ("a", "b", "c"), "sizes": (2345, 9000, 1000), "left": 0,
        "unlike": (10, 0, 3), "within_sum_of_squares": 123456.789, "calinski_harabasz": None,
        "davies_bouldin": 0.123456, "davies_bouldin_error": 0.00123, "filled": 0, "notes": ("n",),
        "rare": (Some(rows=1234, center=dict(zip("abcde", range(5), strict=True)), examples=[7, 8, 9, 10]),),
    }  # fmt: skip
    return {
        **{name: one for name, one in vars(facts).items() if isinstance(one, type)},
        "told": told, "BASE": BASE, "replace": replace, "np": np, "pd": pd, "finding": finding,
        "G": guaranteed(), "Hardened": Hardened, "BoundForecast": BoundForecast, "three": three,
        "split": split, "Some": Some, "all_rows": all_rows, "assumed": assumed, "page": page,
        "divisions": divisions, "first": first_screen, "screen": screen, "tested": import_module("karat.study.wording.tested"),
        "phrases": phrases, "wording": wording, "alternatives": alternatives,
        "alternative": alternative, "described": described, "DataView": DataView,
        "E": facts.Expected, "rows": lambda **changes: Some(**(rows | changes)),
        "differences": lambda labels, **more: Some(
            pairs=pairs, features=features, labels=np.array(labels), premises=("premise",), **more
        ),
        "level": lambda **options: facts.LevelCandidate(**({
            "name": "average k=5", "n_clusters": 5, "expected": facts.Expected(0.5, 0.4, 0.6),
            "agreement": 0.81, "shared": ("1", "2"), "nested": 0.9, "united": split,
        } | options)),
        "own": lambda n, level=(): tuple(
            facts.OwnClustering(f"own {i}", 2 + i, facts.Expected(0.3, 0.2, 0.4) if i else None,
                                1 - i / 10, i in level) for i in range(n)),
        "resampled": lambda **options: facts.StabilityFacts(**({
            "clusterer": "ward", "numbers": (2, 6), "selected": 3, "kept": 0.987, "null": 0.812,
            "found": (), "found_in_null": (), "n_stable": 3, "worst": "1", "dissolved": 0.43,
            "n_judged": 1200,
        } | options)),
        "votes": lambda *firsts: tuple(
            facts.Family(f"family {i}", ("a", "b")[: 1 + i % 2], f"other {i}", first)
            for i, first in enumerate(firsts)),
        "measured": lambda **options: {"measured": facts.Measured(**({
            "title": "Dunn index", "value": 0.123456, "greater_is_better": True, "n_known": 0,
            "inside_error": (),
        } | options)), "expected": None},
    }  # fmt: skip


EXPRESSIONS = [
    "[*str(BASE).splitlines(), *BASE.reasons]",
    # the data
    "told(n_features=1)", "told(n_features=2)", "told(n_features=3, noun='texts')",
    "told(n_rows=123456)", "told(tried=CandidateCounts(1, 1, 0))",
    "[screen.data_line(BASE, s) for s in (0.4, 119.4, 120, 3600)]",
    # whether there are groups
    *(f"told(structure=Structure({p}, {d!r}, 3.0, 1, 1200), expected=E({e}, .1, .4))"
      for d, p, e in (
          ("yes", 0.9, 0.45), ("yes", 0.99, 0.449), ("yes", 0.991, 0.25), ("no", 0.19, 0.249),
          ("no", 0.01, 0.1), ("no", 0.009, 0.09), ("unclear", 0.6, 0.5), ("unclear", 0.599, -0.1))),
    "told(structure=Structure(.1, 'no', .3, 1, 1200), findings=(finding('label', 'a', severity='harmful'),))",
    "told(structure=Structure(.1, 'no', .3, 1, 1200), guarantee=G.good)",
    "[screen.lines(replace(BASE, structure=Structure(.1, 'no', .3, 1, 1200),"
    " findings=(finding('label', 'a', severity=s),)), anyway=a)"
    " for s in ('harmful', 'notable') for a in (True, False)]",
    # the user's clusterings
    *(f"told(tried=CandidateCounts({n}, {n}, {n}), own=own({n}, {level}), expected=E({e}, .2, .3),"
      f" structure=Structure({p}, {d!r}, 3.0, 1, 1200))"
      for n, level, e, p, d in (
          (1, (), 0.05, 0.95, "yes"), (3, (), 0.05, 0.5, "unclear"), (1, (), 0.5, 0.1, "no"),
          (4, (0, 1), 0.5, 0.7, "unclear"), (5, (1, 2, 3), 0.1, 0.95, "yes"),
          (6, (1, 2, 3, 4), 0.099, 0.95, "yes"), (13, (1, 2, 3, 4, 5), 0.3, 0.95, "yes"))),
    "told(tried=CandidateCounts(2, 2, 2), own=own(2), **measured(inside_error=('x', 'y', 'z')))",
    "told(tried=CandidateCounts(2, 2, 2), own=own(2), reference_skipped='asked')",
    "told(tried=CandidateCounts(2, 2, 2), own=own(2), runner_up=Candidate('b', 4))",
    "told(tried=CandidateCounts(2, 2, 2), runner_up=Candidate('b', 4))",
    "screen.own_lines(own(4, (0, 2)))",
    # numbers of clusters
    *(f"told(numbers=({numbers}))" for numbers in (
        "Number(3, 1.0, 'a'),", "Number(3, .8, 'a'), Number(2, .2, 'b', 1.0, three)",
        "Number(3, .79, 'a'), Number(2, .21, 'b', .9, three)",
        "Number(3, .79, 'a'), Number(2, .04, 'b', .9, three)",
        "Number(3, .79, 'a'), Number(2, .05, 'b', .899, three)",
        "Number(3, .5, None), Number(2, .3, 'b', 1.0, three)",
        "Number(2, .5, 'a'), Number(6, .2, 'b', 1.0, split), Number(1, .15, None), Number(3, .15, 'd')",
        "Number(2, .25, 'a'), Number(3, .25, 'b', 1.0, split), Number(4, .25, None), Number(5, .25, 'd')",
    )),
    "told(numbers=(Number(3, .9, 'a'),), open_above=3)",
    *(f"screen.changes({united}, {finer})" for finer in (True, False) for united in (
        "[]", "split", "three", "[(str(i), ('a', str(i))) for i in range(5)]",
        "[('a', list('abcd'))]", "[('low age', ['1', '2']), ('b', ['x', 'y'])]")),
    "[screen.named_groups(list(names)) for names in ('1', '12', '123', '1234', 'ab', 'a1')]",
    *(f"told(level=({level}), n_clusters=4)" for level in (
        "level(),", "level(n_clusters=4),", "level(n_clusters=3), level(name='x')",
        "level(nested=.89),", "level(nested=.89, shared=()), level(), level()", "level(united=()),")),
    "told(tied=('a',))", "told(tied=tuple('abcde'))", "told(tied=('a',), votes=votes(True, False))",
    "told(tied=('a',), votes=votes(True, False), tried=CandidateCounts(2, 2, 0))",
    "told(granularities=(Granularity(2, 'a', .3),))",
    "told(granularities=(Granularity(2, 'a', .3), Granularity(3, 'b', .6, ('0', '0', '1'))))",
    # how it was made
    "told(reached_by=2)", "told(reached_by=1234, tried=CandidateCounts(4321, 9, 0))",
    "told(near_best=.731, expected=E(.5, -.1, .6), judge=JudgedBy('1', 'abc', 1234))",
    "told(judge=JudgedBy('1', 'abc'), tried=CandidateCounts(1, 1, 0))",
    "told(steadiness=Steadiness(.876, .9, 3))",
    *(f"told({decided}, labelled=LabelEvidence(1234, {b}, {a}, {c}))" for decided, b, a, c in (
        ("score=.5", 0.2, 0.4, 0.4), ("judge=JudgedBy('1', 'abc')", 0.4, 0.2, 0.3),
        ("runner_up=Candidate('b', 4, .25)", 0.3, 0.3, 0.301),
        ("runner_up=Candidate('b', 4)", 0.3, 0.304, 0.304))),
    "told(pairs=PairEvidence(2000, 10, 1500, 9, .2, .4, .5), decided_by='judge-and-pairs')",
    "told(pairs=PairEvidence(2000, 10, 1500, 9, .4, .2, .2), judge=JudgedBy('1', 'abc'))",
    "told(pairs=PairEvidence(2, 1, 1, 0, np.nan, np.nan, np.nan))",
    "told(pairs=PairEvidence(2, 1, 1, 0, .1, .2, .3), judge=JudgedBy('1', 'abc'), decided_by='judge-and-pairs')",
    *(f"told(**measured({options}), runner_up=Candidate('b', 4, .1))" for options in (
        "", "greater_is_better=False", "n_known=1234", "inside_error=('b',)",
        "inside_error=tuple('bcdef')")),
    "told(**measured(), tried=CandidateCounts(1, 1, 0))",
    "told(**measured(inside_error=('a', 'b')), tied=('a',))",
    "told(votes=votes(True))", "told(votes=votes(True, True, True), silhouette=.5)",
    "told(votes=votes(True, False, False), tried=CandidateCounts(9, 3, 0), silhouette=0.0)",
    "told(votes=votes(True, True, False, False, False, False), tried=CandidateCounts(9, 4, 0), silhouette=.5)",
    "told(votes=votes(False, False, False, False), tried=CandidateCounts(9, 3, 0), silhouette=-.01)",
    *(f"told(judge_skipped={why!r}, votes={votes}, tried=CandidateCounts(3, 3, 0), silhouette=.25)"
      for why, votes in (("graph", "()"), ("objects", "votes(True)"), ("equal", "()"),
                         ("candidates", "()"))),
    # beside
    *(f"told(reference=ReferenceClustering('own k=5', 5, E({e}, .2, .9), {a}, 44, {n}),"
      f" expected=E(.4, .3, .5), tried=CandidateCounts(9, 7, {own}))"
      for e, a, n, own in ((0.9, 1, None, 0), (0.9, 0.8, 2000, 7), (0.45, 0.79, None, 7),
                           (0.449, 0.79, None, 0), (0.451, 0.1, None, 0))),
    "screen.is_better(ReferenceClustering('r', 2, E(.1, 0, 1), .5, 3), None)",
    "told(runner_up=Candidate('second', 1, .25, E(.2, .1, .3)))",
    "told(runner_up=Candidate('second', 2, .25), decided_by='guarantee')",
    "told(runner_up=Candidate('second', 2, .25))",
    # labels
    *(f"told(guarantee=G.{which}, by_clusters={rate})" for which in ("good", "poor", "all", "refused")
      for rate in ("None", "Rate('sharp', .01234)")),
    "told(guarantee=replace(G.good, labels_read=''))",
    "told(guarantee=G.good, expected=E(.4, .3, .5))",
    *(f"told(guarantee=G.{which}, more_labels=MoreLabels(25, {outlook}, {rows}, (7,)))"
      for which in ("good", "refused")
      for outlook, rows in (("(BoundForecast(1051, .0712, .0634, .0991),)", "tuple(range(5))"),
                            ("()", "(1007,)"), ("()", "tuple(range(6))"), ("()", "()"))),
    "told(more_labels=MoreLabels(25, (), (1,), (7,)))",
    # samples, resamples, the rest
    *(f"told(sample=Sample(123, {cells}, {a}, {why!r}))" for cells, a, why in (
        (True, 0.95, None), (False, 0.949, None), (False, 0.75, None), (False, 0.749, None),
        (False, None, "it failed"))),
    "told(memberships=Hardened(1200, .87654, 123))",
    "told(memberships=Hardened(1200, None, 0, 1100, 12))",
    *(f"told(stability=resampled({options}))" for options in (
        "", "n_stable=2, n_judged=1199", "selected=None", "selected=1", "selected=2",
        "numbers=(), found=(3, 3, 4), found_in_null=(1, 1)",
        "numbers=(), found=(4, 4, 4), found_in_null=(4, 4, 2)")),
    "told(stability_skipped='no time')", "told(score=.5, decided_by='mine')",
    *(f"told(tried=CandidateCounts(9, 7, 0, {left}, {troubles}, {unjudged}), structure={structure})"
      for left, troubles, unjudged, structure in (
          (1234, "()", None, "None"), (0, "()", 1000, "None"),
          (3, "()", 0, "Structure(.95, 'yes', 9.0, 3, 1200)"),
          (0, "(Trouble('excluded', 3, 'x', 'dust'), Trouble('failed', 1, 'y', 'rust'))", None, "None"))),
    *(f"told(sizes={sizes})" for sizes in ((1,), (9, 1), (1,) * 1234)),
    "told(outliers=7, notes=('The classes (a, b) are known.', 'salted.', 'x'))",
    "told(notes=('salted.',))",
    "[assumed.assumptions(replace(BASE, findings=tuple(finding(key, *columns) for key in keys)))"
    " for keys, columns in ((('header',), ()), (('other',), ()), (('outcome',), 'abc'), (('outcome',), 'abcde'),"
    " (list(assumed.PHRASES), ['age']), (list(assumed.PHRASES)[:3], ['age']), (list(assumed.PHRASES)[:4], ['a' * 20]))]",
    "[screen.lines(replace(BASE, structure=Structure(.1, 'no', 3.0, 1, 1200), findings=tuple(finding(key, 'age', severity='harmful')"
    " for key in keys)), anyway=anyway) for keys in (('reproduced',), ('reproduced', 'outcome')) for anyway in (False, True)]",
    "[assumed.assumptions(replace(BASE, findings=(finding('outcome', 'a' * n), finding('label', 'b'))))"
    " for n in range(80, 110)]",
    "wording.findings([finding('a'), finding('b')])",
    "BASE._repr_html_()", "replace(BASE, notes=('<b>',), name='<i>', data='<a>')._repr_html_()",
    "BASE.to_dict()",
    "replace(BASE, guarantee=G.good, structure=Structure(.5, 'unclear', 1, 1, 9)).to_dict()",
    "[fails(getattr, BASE, name) for name in ('model', 'assignment', 'classes')]",
    "fails(getattr, replace(BASE, guarantee=G.refused), 'classes')",
    "replace(BASE, guarantee=G.good, more_labels=MoreLabels(3, (), (9, 8), (9, 8))).classes.astype(str).to_numpy().tolist()[:12]",
    # the groups
    *(f"screen.group_lines(replace(BASE, noun='texts', outliers={n}), [described(c, 1234 - 137 * c, {options})"
      f" for c in range({k})], {terms})"
      for n, k, options, terms in (
          (0, 3, "rule=Some(brief='a > 3'), accuracy=.987, name='old'", False),
          (2, 5, "rule=Some(brief='a > 3'), accuracy=.987, name='old'", False),
          (0, 4, "rule=Some(brief='a > 3'), name='old', named_by='me'", True),
          (0, 5, "rule=Some(brief='a > 3'), name='old', named_by='me'", True),
          (0, 9, "telling=[Some(feature=f'word {i}') for i in range(9)]", True),
          (0, 8, "", False), (0, 10, "", False))),
    "screen.group_lines(BASE, [described(0, 1), described(1, 2)], False)",
    # phrases
    "[phrases.listed(list(names)) for names in ('a', 'ab', 'abc')]",
    "[(phrases.clusters(k), phrases.groups(k), phrases.counted(k)) for k in (0, 1, 2, 12, 13)]",
    "[phrases.certain_percent(v) for v in (0, .0099, .01, .5, .99, .9901, 1)]",
    "[(phrases.share(v), phrases.percent(v), phrases.percent(v, 2)) for v in (0, .05, .0994, .0995, .5, 1)]",
    "[(phrases.agreement(E(v, v, v)), phrases.span(v, v + .1)) for v in (-.2, 0, .123)]",
    "[E(v, 0, 1).grade for v in (.45, .4499, .25, .2499, .1, .0999, -1)]",
    # alternatives
    *(f"[divisions.sentences({ways}), divisions.rows({ways}), str({ways}), ({ways}).to_dict()]" for ways in (
        "alternatives()", "alternatives(reason='structure')", "alternatives(alternative('a'))",
        "alternatives(alternative('a'), searched=3)",
        "alternatives(alternative('a', expected=E(.5, -.1, .6), carried_by=(('age', .876), ('b', .1)), agreement=.123),"
        " alternative('b', agreement=.2), crossed='c', searched=13)")),
    "[divisions._letter(i) for i in (0, 25, 26)]",
    "[divisions.name_of(3, DataView(*view), list('abcdef')) for view in (('all',), ('directions',),"
    " ('features', (0, 1, 2)), ('features', (0, 1, 2, 3)), ('features', (5,)),"
    " ('components', (), ('x', 'y')), ('residual', (), ('x',)))]",
    # all rows of a table
    *(f"[*all_rows.sentences(rows({changes}), {more}), all_rows.of_rows(rows({changes})),"
      f" *all_rows.rows(rows({changes}))]"
      for changes, more in (
          ("", ""), ("left=5, filled=1234, calinski_harabasz=5.5", "silhouette=.5"),
          ("unlike=(0, 0, 0), rare=(), notes=(), davies_bouldin=None", "silhouette=.5, error=.01"),
          ("within_sum_of_squares=None, sizes=(9000, 2345, 1000)", ""))),
    # the report
    *(f"first.certainty({edge}, 'rows', {again})" for edge, again in (
        (None, None), (0, None), (0.004, None), (0.005, 0.5), (0.05, 0.499), (0.051, 0.9),
        (0.2, None), (0.21, 1.0), (0, 0.2))),
    *(f"first.caption('rows', kept={kept}, drawn={drawn}, of=1234, pale={pale})"
      for kept, drawn, pale in ((None, 1234, True), (0.456, 1233, False), (0.001, 1234, False))),
    "page.bound_figure(replace(BASE, guarantee=G.good), 1234)",
    *(f"page.stability_figure(replace(BASE, stability=resampled()), {n}, {some})"
      for n, some in ((0, True), (5, False), (5, True))),
    "page.consensus(1000, 2000)", "page.changing(1000, 2000)",
    *(f"page.elbow(pd.Series([1234.5, 99.5, 3.25]), {first}, {chosen}, {n}, 3000)"
      for first, chosen, n in ((3, 3, 3000), (1, 2, 2000), (1234, 1, 3000))),
    *(f"page.dendrogram('ward', {k}, {span}, chosen={chosen})" for k, span, chosen in (
        (1, "(1.23456, 2.5)", True), (3, "(1.0, np.inf)", False))),
    *(f"page.clarity(pd.Series({{'accuracy': .987, 'informativeness': .87654, 'standard_error': .0123}}),"
      f" pd.DataFrame({{'a': {a!r}, 'b': {b!r}, 'confusion': {c}}}))"
      for a, b, c in ((list("ab"), list("bc"), [0.123, 0.05]), ([], [], []))),
    # tests of differences
    "tested.tested(differences([0, 0, 0, 1, 1, 2, 2, -1]), np.array([0, 0, 1, 1, 1, 1, -1, 0]), ['a', 'b'])",
    "tested.tested(Some(pairs=pd.DataFrame({'p_holm': [.5] * 42, 'cluster': 0, 'other': 0, 'difference': .1}),"
    " features=pd.DataFrame({'cluster': [], 'p_holm': [], 'feature': []}), labels=np.zeros(3, int), premises=()),"
    " np.zeros(3, int), ['a'])",
    "[(tested.stars(p), tested._p(p)) for p in (0, .0009, .001, .0099, .01, .049, .05, .5, np.nan)]",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", PINS.kept)
def test_it_is_told_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write([*dict.fromkeys([*EXPRESSIONS, *PINS.kept])])
