"""What the parts of a study give for small chosen inputs, so that nothing changes unseen.

``PYTHONPATH=tests python tests/study/test_study_pinned.py`` writes ``test_study_pinned.json`` anew.
Nothing here depends on where k-means ends, nor on the learned judge.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import karat
from karat.clusterers import as_clusterer, catalogue
from karat.datasets import from_array, from_distances
from karat.study import (
    alternatives,
    constraints,
    deciders,
    decision,
    descriptions,
    differences,
    execution,
    facts,
    fits,
    guarantees,
    identity,
    jobs,
    judgement,
    numbers,
    objects,
    perturbed,
    ranking,
    record,
    representations,
    request,
    samples,
    scores,
    stability,
    store,
    sweep,
    views,
)
from karat.study.number_of_clusters import NumberOfClusters
from pinning import Pins

GROUPS = np.arange(36) % 3


class Odd:
    """A clusterer that does what it is told to."""

    def __init__(self, does: Any, n_clusters: int = 3) -> None:
        self.does, self.n_clusters = does, n_clusters

    def fit_predict(self, X: Any) -> Any:
        if isinstance(self.does, BaseException):
            raise self.does
        return self.does(X) if callable(self.does) else self.does


def ran(does: Any, k: float = 3, parameter: str = "n_clusters", n: int = 6) -> list[Any]:
    """The outcome of a fit, without its seconds."""
    clusterer = replace(as_clusterer("kmeans"), key="odd", parameter=parameter,
                        make=lambda value, seed: Odd(does))  # fmt: skip
    planned = store.Planned("odd", "odd", parameter, k, 0, 1)
    outcomes = jobs.run_job(np.zeros((n, 2)), jobs.Job(clusterer, (planned,)))
    return [(one.name, one.status, one.reason, one.labels) for one in outcomes]


def warned(X: Any) -> Any:
    for category in (ConvergenceWarning, UserWarning, RuntimeWarning, FutureWarning,
                     DeprecationWarning, ImportWarning):  # fmt: skip
        warnings.warn(f"a {category.__name__}\n here", category, stacklevel=1)
    return [0, 0, 1, 1, 2, 2]


@functools.cache
def study(kind: str) -> karat.Study:
    """A small study of three groups."""
    X = np.random.default_rng(0).normal(size=(36, 3)) + 7.0 * np.eye(3)[GROUPS]
    if kind == "few":  # too few objects for the judge
        made = karat.Study(X[:12])
        made.add({"three": GROUPS[:12], "halves": np.arange(12) % 2, "out": GROUPS[:12] - 1,
                  "all": np.full(12, -1), "1": np.arange(12) // 6})  # fmt: skip
        return made
    if kind in ("labels", "asked"):
        y = [f"kind {c}" if i % 2 else None for i, c in enumerate(GROUPS[:12])]
        made = karat.Study(X[:12], y=y, delta=0.2)
        made.add({"three": GROUPS[:12], "halves": np.arange(12) % 2, "out": GROUPS[:12] - 1})
        if kind == "asked":  # questions about the labels are counted
            made.tried.ledger = Path(tempfile.mkdtemp(), "questions")
            atexit.register(shutil.rmtree, made.tried.ledger.parent, ignore_errors=True)
        return made
    if kind == "pairs":
        made = karat.Study(X[:12])
        made.add({"three": GROUPS[:12], "halves": np.arange(12) % 2})
        made.constrain([(0, 3, "must"), (1, 4, "must"), (0, 1, "cannot"), (3, 5, "cannot")])
        return made
    made = karat.Study(X, y=GROUPS if kind == "truth" else None)
    made.sweep(["ward", "average", "single"], k=[2, 3, 4, 40], n_init=2, workers=1)
    made.add(
        {
            "mine": GROUPS,
            "named": np.array(["x", "y", "z"])[GROUPS],
            "finer": GROUPS * 2 + np.arange(36) % 2,
        }
    )
    return made


def tried(kind: str = "numbers") -> Any:
    return study(kind).tried


def bare(value: Any) -> Any:
    """Facts without hashes, seconds and the version."""
    told = facts.plain(value) if not isinstance(value, dict) else value
    return {key: one for key, one in told.items() if key not in ("labels", "judge", "fitted")}


def judged(name: str, agreement: Any, allowed: Any) -> Any:
    """A judgement that is made up."""
    names = list(tried().storage.candidates())
    return Some(
        names=[c["name"] for c in names if c["partition"]][: len(allowed)],
        evidence=Some(agreement=agreement), may_be_first=np.array(allowed), references=(),
        expected=lambda name: facts.Expected(0.5, 0.4, 0.6),
    )  # fmt: skip


def patched(work: Any, **numbers: Any) -> Any:
    """What some work gives while numbers of modules have other values."""
    with pytest.MonkeyPatch.context() as patch:
        for key, value in numbers.items():
            module, _, name = key.partition("__")
            patch.setattr(f"karat.study.{module}.{name}", value)
        return work()


def attempted(function: Any, *arguments: Any, **options: Any) -> Any:
    """What a call gives, or its error."""
    try:
        return function(*arguments, **options)
    except (ValueError, TypeError, LookupError) as error:
        return f"{type(error).__name__}: {error}"


def lived(
    work: Any,
    n: int = 60,
    clusterers: Any = ("ward", "average"),
    k: Any = (2, 3),
    numbers: Any = (),
    **options: Any,
) -> Any:
    """What some work finds of a study of three groups far apart, each of few binary digits."""
    rows = np.arange(n)
    X = (
        np.column_stack([rows * 7 % 11, rows * 5 % 13, rows * 3 % 17]) / 8
        + 32 * np.eye(3)[rows % 3]
    )

    def all_of_it() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            if options.get("storage"):
                options["storage"] = Path(folder) / "s.karat"
            made = karat.Study(X, **options)
            if clusterers:
                made.sweep(list(clusterers), k=list(k), n_init=1, workers=1)
            try:
                return work(made)
            finally:
                made.close()

    return patched(all_of_it, **dict(numbers))


def tabled(study: karat.Study) -> Any:
    """The candidates of a study without seconds and hashes."""
    table = study.candidates
    kept = [c for c in table.columns if c not in ("seconds", "partition", "seed")]
    return [list(kept), table[kept]]


@functools.cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    P = np.column_stack([a, a + 0.3 * rng.normal(size=300), b, b * b, rng.normal(size=300), a > 0])
    four = np.arange(300) % 4
    crossed = np.column_stack(
        [np.arange(300) % 2 * 9.0, np.arange(300) // 2 % 2 * 9.0]
    ) + rng.normal(size=(300, 2))
    values = pd.DataFrame({"silhouette": [0.5, 0.5, np.nan, 0.1], "dunn_index": [1.0, 2.0, 3.0, 4.0],
                           "davies_bouldin_index": [1.0, 2.0, 3.0, 4.0]}, index=list("abcd"))  # fmt: skip
    ahead = np.array([0.5, 0.48, 0.2, -60.0])
    agree = np.array([[1, 0.9, 0.2, 0], [0.9, 1, 0.3, 0], [0.2, 0.3, 1, 0.1], [0, 0, 0.1, 1.0]])
    judgement_ = Some(
        score=ahead, predicted=np.array([0.5, 0.6, 0.3, 0.1]), level=np.array([0.5, 0.6, 0.3, 0.1]),
        low=np.array([0.3, 0.2, -0.05, -0.1]), high=np.array([0.7, 0.8, 0.5, 0.3]),
        probability=np.array([0.4, 0.3, 0.2, 0.1]), ahead=ahead,
    )  # fmt: skip
    return {
        **{module.__name__.rpartition(".")[2]: module for module in (
            alternatives, constraints, deciders, decision, descriptions, differences, execution,
            facts, fits, guarantees, identity, jobs, judgement, numbers, objects, perturbed, ranking, record,
            representations, request, samples, scores, stability, store, sweep, views)},
        "np": np, "pd": pd, "sparse": sparse, "karat": karat, "Some": Some, "replace": replace,
        "catalogue": catalogue, "measures": karat.measures.catalogue, "ran": ran, "warned": warned,
        "patched": patched, "attempted": attempted, "lived": lived, "tabled": tabled,
        "as_clusterer": as_clusterer, "study": study, "tried": tried, "bare": bare,
        "from_array": from_array, "from_distances": from_distances, "functools": functools,
        "P": P, "four": four, "crossed": crossed, "values": values, "ahead": ahead, "agree": agree,
        "J": judgement_, "judged": judged, "NumberOfClusters": NumberOfClusters,
        "h": lambda view: (view.kind, view.features, view.without, view.metric,
                           None if view.axes is None else view.axes @ view.axes.T),
        "c": lambda text: np.array([int(x) if x != "-" else -1 for x in text], dtype=np.int32),
        "planned": lambda n: [store.Planned(f"c{i}", "ward", "n_clusters", i, i % 2, 7) for i in range(n)],
        "alt": lambda codes, evidence=9.0, kind="all", expected=None: alternatives._alternative(
            codes, np.array([int(x) for x in codes]), views.DataView(kind), evidence, expected),
    }  # fmt: skip


EXPRESSIONS = [
    # views of the data
    "views.groups_of(P)", "views.groups_of(P[:, :1])", "views.groups_of(P[:, [0, 2]])",
    "views.groups_of(np.zeros((5, 301)))",
    "views.dependence(P)", "views.dependence(P[:100], .01, 3)", "views.dependence(P[:, [0, 0]], fewest=3)",
    "[views._classes(P[:9, 0], n).astype(int) for n in (1, 2, 3, 6)]",
    "views._classes(np.array([0, 0, 0, 0, 1.0]), 3).astype(int)",
    "[s @ s.T for s in (views.space_between(P, [four]), views.space_between(P[:, :3], [four, four % 2]))]",
    "views.space_between(np.ones((4, 2)), [c('0011')]).shape",
    "[h(views.residual(P[:, :4], m, {'a': four, 'b': four % 2})) for m in ('euclidean', 'cosine')]",
    "views.residual(P[:, :1], 'euclidean', {'a': four})",
    "[(v.kind, v.features, v.without, v.metric, v.axes.shape) for v in views.components(crossed, 'euclidean', 'x', four)]",
    "list(views.components(crossed[:49], 'euclidean', 'x', four[:49]))",
    "list(views.components(crossed, 'euclidean', 'x', four % 2))",
    *(f"[[h(v) for v in found] if isinstance(found, list) else found for found in views.feature_groups({X}, {m!r})]"
      for X in ("P", "np.column_stack([P, four * 9.0])", "np.column_stack([crossed, P[:, 2]])") for m in ("euclidean", "cosine")),
    *(f"[h(v) for v in views.independent_blocks({X}, {m!r})]"
      for X in ("P", "P[:, :2]", "P[:, :1]", "crossed", "np.zeros((3, 301))") for m in ("euclidean", "cosine")),
    "[views._upper(np.array(x)) for x in ([0.0, 1, 9, 10], [3, 3, 3, 4], [1, 1], [0, 5, 6])]",
    "[views.feature_order(X) for X in (P, P[:, ::-1], np.ones((3, 2)), np.array([[0, 3.0, 1], [0, 3, 2], [9, 0, 3]]))]",
    *(f"[f(c({a!r}), c({b!r})) for f in (views.shared_information, views._occurring, views.differ, views._table)]"
      for a, b in (("00112233", "01010101"), ("00112233", "00110011"), ("0011", "0011"), ("0000", "0101"),
                   ("--11", "00--"), ("00-112", "010101"), ("001122001122", "010101010101"))),
    "[views.diverse([c(x) for x in codes], n) for codes, n in ((['0011', '0011', '0101', '0110'], 2),"
    " (['0011', '0101', '0110'], 3), (['0011', '0101'], 5), ([], 2), (['0011', '0012', '0101'], 1))]",
    "[views.is_crossed(four if i else four // 2, four % 2, four // 2 % 2, crossed) for i in (0, 1)]",
    "views.is_crossed(four, four % 2, four % 2, crossed)", "views.is_crossed(four, four % 2, four // 2 % 2, P)",
    "views.is_crossed(four, np.where(four == 3, -1, four % 2), four // 2, crossed)",
    "views._explained(views._members(four), crossed)",
    "[views.DataView('features', (1, 0), (), m).points(P[:4]) for m in ('euclidean', 'cosine')]",
    # votes and scores
    "ranking.consensus(values, [measures[k] for k in ('silhouette', 'dunn_index')], np.array([1, .5, 1, 1.0]))",
    "ranking.consensus(values, [measures[k] for k in ('silhouette', 'davies_bouldin_index')], np.ones(4),"
    " pd.DataFrame({'silhouette': [.1, .2, np.nan, .1]}, index=list('abcd')))",
    "[ranking.points(np.array(x), e) for x, e in (([3.0], None), ([1, 2, 2, np.nan], None), ([1.0, 2], np.zeros(2)),"
    " ([1, 2, 2.1, np.nan], np.array([.1, .1, .1, np.nan])), ([0, 1.96, 5], np.array([1, 0, 0.0])))]",
    "ranking.expected_agreement(ahead, agree)", "ranking.expected_agreement(np.stack([ahead, ahead[::-1]], 1), agree)",
    "ranking._nearness(agree, np.array([True, True, False, True]))", "ranking._nearness(agree, np.zeros(4, bool))",
    "[ranking.level_numbers(np.array([.4, .2, .2, .2]), np.array(k)) for k in ([2, 3, 4, 4], [2, 3, 3, 3], [5, 5, 5, 5])]",
    "ranking.chosen_when_shaken(ahead, agree, np.ones(4, bool), np.array([True, False, True, True]))",
    "ranking.chosen_when_shaken(ahead, agree, np.array([False, True, True, True]), np.ones(4, bool))",
    "[ranking.order(np.array([1, np.nan, 3, 3]), np.array([0, 0, 2, 1])), ranking.ranks(np.array([1, np.nan, 3, 3]))]",
    # how clusterings nest
    *(f"numbers.nesting(c({a!r}), c({b!r}))" for a, b in (
        ("001111", "001122"), ("00111-", "0-1122"), ("00", "--"), ("01", "00"), ("0011", "0102"))),
    "[numbers._shared((c('00011-'), ['a', 'b']), c(x)) for x in ('00011-', '00111-', '111000', '00012-', '------'.replace('-', '0'))]",
    *(f"numbers.numbers_of(tried(), study('numbers').rank(by='silhouette'), {shares}, None)" for shares in (
        "{3: .5, 2: .3, 4: .1, 6: .1}", "{3: .1, 2: .5, 4: .4}")),
    "numbers._best_of_each(pd.DataFrame({'n_clusters': [3, 2, 3, 4], 'expected': [.3, .2, .5, .1]}, index=list('abcd')),"
    " Some(references=((Some(codes=c('0001')), 0), (Some(codes=c('0012')), 0), (Some(codes=c('0101')), 0), (Some(codes=c('01234')), 0))))",
    "numbers._best_of_each(pd.DataFrame({'n_clusters': [3, 2, 3]}, index=list('abc')), None)",
    *(f"numbers.granularities(tried(), [facts.Number(*one) for one in {chain}])" for chain in (
        "[(3, .6, 'ward k=3'), (2, .2, 'ward k=2'), (6, .2, 'finer')]",
        "[(3, .6, 'ward k=3'), (2, .049, 'ward k=2'), (6, .05, 'finer')]",
        "[(3, .6, None), (2, .4, 'ward k=2')]", "[(3, .6, 'ward k=3'), (2, .4, None)]", "[(3, .04, 'ward k=3'), (2, .9, 'ward k=2')]")),
    *(f"numbers.open_above([facts.Number(k, p) for k, p in {n}], {k}, tried())" for n, k in (
        ("[(3, .6), (40, .4)]", 3), ("[(3, .4), (40, .6)]", 3), ("[]", 40), ("[]", 4))),
    "numbers.open_above([], 3, tried('few'))",
    # what decides
    *(f"study({kind!r}).rank(by={by!r})" for kind, by in (
        ("few", "consensus"), ("few", "silhouette"), ("few", "davies_bouldin_index"), ("few", "judge"),
        ("labels", "guarantee"), ("labels", "judge-and-labels"), ("labels", "adjusted_rand_index"),
        ("pairs", "judge-and-pairs"), ("truth", "purity"), ("truth", "silhouette"))),
    "fails(study('few').rank, by='nothing')",
    *(f"bare(decision.current_facts(tried({kind!r})))" for kind in ("few", "labels", "pairs", "truth")),
    *(f"[deciders.default_decider(tried({kind!r})), deciders.decider_of(tried({kind!r}))]" for kind in ("few", "labels", "pairs", "truth")),
    "[deciders.deciders[key].text(v) for key in deciders.deciders for v in (-.1, .12345, .5)]",
    "[(d.key, d.title, d.greater_is_better, d.unit, d.needs, d.shown, d.sign) for d in map(deciders.as_decider,"
    " [*deciders.deciders, 'judge', 'dunn_index', 'davies_bouldin_index'])]",
    "deciders.ranked_candidate(pd.DataFrame({'n_clusters': [2, 3], 'score': [.5, .4]}, index=['a', 'b']), 1)",
    "deciders.ranked_candidate(pd.DataFrame({'n_clusters': [2], 'expected': [.5], 'low': [.4], 'high': [.6]}, index=['a']), 0)",
    "[deciders.absolute_score(pd.Series({k: .5})) for k in ('score', 'probability', 'votes')]",
    "[deciders._judged_share(Some(settings=Some(noise=n)), pd.DataFrame({'noise_share': [0, .25]})) for n in ('drop', 'singletons')]",
    "[judgement.why_not(Some(metric=m, n_objects=n, structure=s)) for m, n, s in (('graph', 99, None), ('x', 19, None), ('x', 20, None),"
    " ('x', 9999, Some(probability=0)), ('x', 9999, Some(probability=.1)), ('x', 14, None), ('x', 15, None))]",
    "judgement._few_of(pd.DataFrame({'n_clusters': [2, 2, 3, 4, 2] * 8, 'reached_by': range(40)}, index=range(40)))",
    # jobs
    "[jobs.derived_seed(0, 'a'), jobs.derived_seed(1, 'a'), jobs.derived_seed(0, 'b')]",
    "[[len(j.candidates) for j in jobs.jobs_for(catalogue[k], planned(n))] for k in ('ward', 'kmeans') for n in (0, 1, 3)]",
    *(f"ran({does})" for does in (
        "[0, 0, 1, 1, 2, 2]", "[0, 0, 1, 1, 1, 1]", "[0, 1, 2]", "[-1] * 6", "[0, 0, 0, 0, 0, 1]", "warned",
        "ValueError('a\\n  b')", "ValueError('x' * 300)", "ValueError('x' * 301)", "karat.InputError('fix it')", "SystemExit(3)",
        "KeyboardInterrupt()", "[0, 1, None, 2, 2, 2]", "[0.5, 1, 2, 2, 2, 2]", "'abc'", "None")),
    "ran([0, 0, 1, 1, 2, 2], k=7)", "ran([0, 1, 2, 3, 4, 5], k=6)", "ran([0, 0, 1, 1, 1, 1], k=.5, parameter='eps')",
    "ran([0] * 10 + [1], n=11, k=2)", "ran([0] * 10 + [1, 2], n=12)", "ran([0] * 9 + [1], n=10, k=2)", "ran([0] * 8 + [1, 1], n=10, k=2)",
    "[jobs.lopsided(c(x), e) for x, e in (('0' * 9 + '1', None), ('0' * 8 + '1', None), ('0' * 18 + '12', None), ('0' * 17 + '12', None), ('0', None),"
    " ('0011', None), ('01--', np.array([9, 1, 5, 5])), ('01', np.array([18, 2])), ('01', np.array([1, 1])))]",
    "[(o.name, o.status, o.labels, o.reason) for o in jobs.run_job(np.arange(12.0)[:, None] ** 2, jobs.Job(catalogue['ward'], tuple(planned(15)[1:])))]",
    "[(o.name, o.status, o.labels, o.reason) for o in jobs.run_job(np.arange(12.0)[:, None] ** 2, jobs.Job(catalogue['ward'], tuple(planned(4)[1:]), np.arange(12) + 1))]",
    "[jobs.is_own(catalogue['ward']), jobs.is_own(as_clusterer('kmeans')), jobs.is_own(replace(catalogue['ward'], make=lambda k, s: 0)),"
    " jobs.is_own(replace(catalogue['ward'], make=functools.partial(print)))]",
    "[jobs._lent(X, replace(catalogue['ward'], make=print)).data.flags.writeable if hasattr(X, 'indptr') else"
    " jobs._lent(X, replace(catalogue['ward'], make=print)).flags.writeable for X in (np.zeros((2, 2)), sparse.csr_array(np.eye(2)))]",
    "[jobs._lent(P, catalogue['ward']) is P, P.flags.writeable]",
    "[jobs.one_line(e) for e in (UserWarning('a b'), ValueError(''), karat.InputError('x\\ny'), 'text')]",
    # execution
    "[execution._why_broken(RuntimeError(text)) for text in ('un-serialize it', 'SIGSEGV(-11)', 'SIGKILL(-9)', 'EXIT(3)', 'SIGABRT(-6), EXIT(1)',"
    " 'SIGTERM(-15)', 'no idea', 'SIGBUS(-7)', 'SIGILL(-4)', 'SIGFPE(-8)', 'SIGKILL(-9), EXIT(-3)')]",
    "[vars(o) for o in execution._stopped(jobs.Job(catalogue['ward'], tuple(planned(2))), 1.6)]",
    "[execution._fits_here(np.zeros(s), jobs.Job(catalogue[k], ())) for s in ((2000, 2), (2001, 2), (1024, 32), (1025, 32)) for k in ('ward', 'kmeans')]",
    "[execution._fits_in_thread(np.zeros(s, dtype=np.int8), jobs.Job(catalogue[k], ())) for s in ((2 ** 24, 1), (2 ** 24 + 1, 1)) for k in ('ward', 'kmeans')]",
    "[execution._fits_in_thread(sparse.csr_array(np.eye(2)), jobs.Job(catalogue['kmeans'], ())), execution._fits_here(sparse.csr_array(np.eye(2)), jobs.Job(catalogue['kmeans'], ()))]",
    "list(execution.run_jobs(np.zeros((3, 1)), [], workers=2))",
    # samples
    "samples.cells_of(P[:7].round(1), samples.ExtendableSample(np.array([1, 4]), np.array([0, 0, 1, 1, 1, 0, 0])))",
    *(f"samples.in_order_of_contents({X}, {m!r})" for X, m in (
        ("P[:6].round(1)", "euclidean"), ("np.tile(P[:10], (3, 1))", "euclidean"), ("np.tile(P[:9], (3, 1))", "euclidean"), ("np.tile(P[:5], (2, 1))", "euclidean"),
        ("sparse.csr_array(np.tile(np.eye(12), (2, 1)))", "cosine"), ("np.abs(np.arange(12)[:, None] % 6 - np.arange(12) % 6) * 1.0", "precomputed"),
        ("sparse.csr_array(np.eye(12) + np.eye(12, k=1))", "graph"))),
    "samples._keys(P[:5].round(2), 'euclidean')", "samples._sums_in_any_order(np.zeros((3, 3)))",
    "[samples.draw_sample(P[:30], 9, random_state=s, among=a) for s, a in ((0, None), (1, np.arange(20)[::-1]))]",
    "[samples.uses_cells(X, catalogue[k], m) for X in (P, sparse.csr_array(P)) for k in ('ward', 'average', 'genie', 'kmeans') for m in ('euclidean', 'cosine')]",
    "[samples.part_of(np.arange(16).reshape(4, 4), np.array([2, 0]), m) for m in ('euclidean', 'precomputed', 'graph')]",
    "[[(j.clusterer.key, j.candidates[0].value) for j in fits.order_of_work([jobs.Job(catalogue[k], (p,)) for p in planned(4)[1:] for k in ('average', 'kmeans', 'ward', 'spectral')])]]",
    *(f"karat.Study({X}{more}).tried.fits.default_clusterers" for X, more in (
        ("P[:30, :5]", ""), ("P[:30]", ""), ("sparse.csr_array(np.eye(20))", ", metric='cosine'"), ("np.eye(20)", ", metric='cosine'"),
        ("np.random.default_rng(0).normal(size=(20, 999))", ""), ("np.random.default_rng(0).normal(size=(20, 1000))", ""), ("P[:30, :2]", ", metric='manhattan'"),
        ("np.abs(P[:20, :1] - P[:20, 0])", ", metric='precomputed'"))),
    "[fits.Fits(Some(n=n, metric=m, is_beyond_memory=b), e).fits_sample(Some(whole_to=w)) for n in (5000, 5001) for m in ('euclidean', 'graph')"
    " for b in (True, False) for e in (True, False) for w in (5000, 5001)]",
    "[tried().fits.under_distance([catalogue[k] for k in ('ward', 'kmeans')])[1], [c.key for c in karat.Study(P[:20], metric='manhattan').tried.fits.under_distance(list(catalogue.values()))[0]]]",
    "karat.Study(P[:20], metric='manhattan').tried.fits.under_distance(list(catalogue.values()))[1]",
    # the store and the record
    "[store.partition_hash(c('0011')), store.partition_hash(c('0-12'))]",
    "[store.unpacked(store.packed(c('01-'))), store._or_null(np.nan), store._or_null(None), store._or_null(.5)]",
    "[{k: v for k, v in c.items() if k not in ('seconds', 'seed')} for c in tried().storage.candidates()]",
    "[{k: v for k, v in c.items() if k not in ('seconds', 'seed')} for c in tried('few').storage.candidates()]",
    "[len(tried().storage.partitions()), tried().storage.planned(), tried().storage.cluster_names('named'), tried().storage.cluster_names('ward k=3'),"
    " tried().storage.memberships('mine'), dict(tried().storage.changes)]",
    "[kind for kind, _ in tried().record], [{k: v for k, v in s.items() if k != 'clusterers'} for s in tried().record.sweeps]",
    "fails(study('few').add, {'three': np.arange(12) % 2})",
    "[record._in_words(tried('truth').storage, k, v) for k, v in (('delta', .1), ('truth', None), ('truth', tried('truth').settings.truth))]",
    *(f"fails(record.check_unchanged, tried().storage, tried().settings, {changes}, update={update})" for changes, update in (
        ("{'delta': .2}", False), ("{'metric': 'cosine'}", True), ("{'random_state': 1}", False), ("{'truth': None, 'noise': 'error'}", False))),
    "[record.check_unchanged(tried().storage, tried().settings, changes, update=u) for changes, u in (({'by': 'x'}, False), ({'delta': .2}, True), ({'delta': .1}, False))]",
    "fails(record.check_identities, ['a', f'the metric, {record.WITHOUT}it is odd (#12)'])",
    "[record.fingerprint_of(np.array(y, dtype=object)) for y in (['a', None], [1, 2.5], [np.int64(1), True], [(1, 2), b'x'])]",
    "[record.kept_classes(tried('truth').storage, tried('truth').settings.truth)[:4], tried('labels').settings.delta]",
    "[identity.identity(x) for x in ('euclidean', [1, 2.5, 'a'], (1, None), {'b': 2, 'a': 1}, {3, 1, 2}, np.arange(3), sparse.csr_array(np.eye(2)), np.float64(2), int, np.add, len,"
    " functools.partial(len, [1]), functools.partial(len), np.array([1, 'a'], dtype=object))]",
    "fails(identity.identity, object())", "fails(identity.identity, (lambda x: lambda: x)(1))",
    "identity.identity({'b': 2, 'a': 1}) == identity.identity({'a': 1, 'b': 2})",
    # requests
    *(f"fails(request.SweepRequest.checked, {arguments})" for arguments in (
        "'ward', [], None, 1", "'ward', 0, None, 1", "'ward', [2, 2.5], None, 1", "'ward', 2, None, 0", "'ward', 2, None, 1.5",
        "['ward', 'ward'], 2, None, 1", "'ward', 2, {'eps': [1]}, 1", "'ward', 2, [1], 1", "'ward', 2, {'eps': []}, 1", "'nothing', 2, None, 1",
        "[__import__('sklearn.cluster').cluster.DBSCAN()], 2, None, 1")),
    *(f"[(p.name, p.parameter, p.value, p.start, p.seed) for one in request.SweepRequest.checked({arguments}).clusterers"
      f" for p in request.SweepRequest.checked({arguments}).candidates_of(one, 3)]" for arguments in (
        "['ward', 'kmeans'], [2, np.int64(3)], None, 2", "'ward', 1, None, 1", "{'mine': 'ward'}, 4, None, 1",
        "__import__('sklearn.cluster').cluster.DBSCAN(), 2, {'eps': [.5, np.float64(1 / 3)]}, 2")),
    "[request._swept_by(e, {'eps': 1, 'min_samples': 1}) for e in (__import__('sklearn.cluster').cluster.DBSCAN(), __import__('sklearn.cluster').cluster.KMeans(),"
    " __import__('sklearn.cluster').cluster.DBSCAN, 'ward')]",
    "[request._short(v) for v in (2, .5, 1 / 3, 1e7)]",
    "[request.catalogue_name(catalogue['ward']), request.catalogue_name(replace(catalogue['ward'], key='x')), request.catalogue_name(replace(catalogue['ward'], growth=9.0))]",
    "[request.checked_grid(None), request.checked_grid({'a': 3, 'b': 'xy', 'c': (1, np.int64(2))})]",
    # scores and tables
    *(f"scores.candidate_table(tried({kind!r})).drop(columns=['seconds'])" for kind in ("numbers", "few")),
    *(f"scores.candidate_scores(tried({kind!r})).iloc[:, 10:]" for kind in ("few", "labels")),
    *(f"scores.reasons(tried({kind!r}))" for kind in ("few", "labels")),
    "[len(t) for t in scores.distinct_candidates(tried())], scores.distinct_candidates(tried())[0]['reached_by'].tolist()",
    "scores.candidate_labelings(tried('few'), ['three', 'all', 'out', 'labels 1']), scores.candidate_labelings(tried(), ['named'])['named'][:4]",
    "[scores.candidate_cluster_names(tried(), n) for n in ('named', 'ward k=2')]",
    "[fails(scores.candidate_labels, tried('few'), n) for n in ('all', 'thre')]",
    "[scores.why_nothing(tried('few')), fails(karat.Study(P[:20]).best)]",
    "fails(karat.Study(P[:20]).add({'a': np.full(20, -1)}).best)",
    # stability and parts
    "[stability.why_not(tried(), n) for n in ('mine', 'ward k=3', 'single k=2')]",
    "[stability.work_of(tried(), tried().storage.candidate(n)) for n in ('ward k=3', 'single k=2')]",
    "[stability.swept_numbers(tried()), stability.swept_numbers(tried('few'))]",
    "[fails(stability.candidate_stability, tried('few'), 'three'), fails(stability.swept_clusterer, tried(), 'odd'), fails(stability.sample_agreement, tried(), 'ward k=3')]",
    "[stability.kept_assessment(tried(), 'ward k=3'), stability.kept_agreement(tried(), 'ward k=3'), perturbed.kept_steadiness(tried(), 'ward k=3')]",
    "[perturbed._question({'a': .5})['chosen'], perturbed._key(tried('few'), 'three')]",
    "[perturbed._fitted_to_part(tried(), 'ward k=3', i, None) for i in (0, 1)]",
    "[perturbed._measured(tried(), 'ward k=3', chosen, 2, None, False) for chosen in ({'ward k=3': 1.0}, {'ward k=3': .5, 'ward k=2': .5}, {'ward k=40': 1.0})]",
    # pairs, classes, representations
    "[constraints.pair_evidence(tried('pairs'), n, .1, .2, .3) for n in ('three', 'halves')], constraints.pair_evidence(tried('few'), 'three')",
    "[constraints.constraints_of(tried('pairs')).pairs, constraints.constraints_of(tried('pairs')).must, constraints.constraints_of(tried('few'))]",
    "[len(guarantees.bound_inputs(tried('labels'))['labelings']), guarantees.bound_inputs(tried('labels'))['origins'], fails(guarantees.bound_inputs, tried('few'))]",
    "[(g.question, g.premises, g.bound, g.delta) for g in [guarantees.tightest_guarantee(tried('asked'))]], guarantees.candidate_bounds(tried('asked')).premises, guarantees.question_asked(tried('labels'))",
    "guarantees._prior(['a', 'b', 'a', 'c', 'd'], {'a': .5, 'b': .3})", "guarantees._prior(['a', 'a'], {'a': .9})",
    "[guarantees._origin({'parameter': None}), guarantees._origin({'parameter': 'k', 'clusterer': 'w', 'value': 3})]",
    "[guarantees._learns(Some(metric=m, n_objects=n)) for m in ('euclidean', 'precomputed', 'graph') for n in (20000, 20001)]",
    "[guarantees.bound_of(tried('labels'), n).bound_rate for n in ('three', 'halves', 'out')]",
    "{k: v for k, v in facts.plain(guarantees.guarantee_facts(tried('labels'), 'halves')).items()}",
    "representations.representations({'a': crossed[:40], 'b': P[:40, :2], 'c': crossed[:40] * [1, 0]}, y=[None, *(four[1:40] % 2)], n_neighbors=[1, 3])",
    "[fails(representations.representations, d, y=y) for d, y in (({}, [1]), ({'a': P[:3], 'b': P[:4]}, [1, 2, 3]), ({'a': np.zeros((3, 2))}, [1, 2, 3]), ({'a': P[:3]}, [1, None, None]))]",
    "representations._judged({'a': np.array([[0, 1.0], [0, 0], [1, 1], [2, 0]])}, 2, 0), representations._judged({'a': np.array([[0, 1.0], [0, 0], [1, 1]])}, None, 0)",
    # descriptions
    "[d.to_dict() for d in descriptions.describe_candidate(tried(), 'named')]",
    "fails(descriptions.name_clusters, tried(), {3: 'x'}, by='me', candidate='mine')",
    "[sorted(descriptions._objects(d, (d.X, 'euclidean'), np.arange(len(d.X)))) for d in (from_array(P[:30]), from_array(np.random.default_rng(0).normal(size=(9, 20))),"
    " from_array(np.random.default_rng(0).normal(size=(9, 21))), from_array(P[:30], feature_names=list('abcdef')))]",
    "descriptions.user_names(tried(), 'mine')",
    # differences
    "[differences._obstacle(t) for t in (tried(), tried('few'), karat.Study(P[:20], metric=lambda a, b: abs(a - b).sum()).tried, karat.Study(np.zeros((3, 3)) + 1 - np.eye(3), metric='precomputed').tried)]",
    "fails(differences.thinned_parts, tried(), 'odd')", "fails(differences.thinned_parts, tried('few'), 'gaussian')",
    # numbers of clusters in words
    "[repr(NumberOfClusters(k, pd.Series(p), None)) for k, p in ((1, {1: .6, 2: .15, 3: .25}), (3, {1: .1, 3: .76, 2: .14}), (2, {2: 1.0}))]",
    # alternatives
    "[(a.name, a.n_clusters, a.sizes, a.evidence) for a in (alt('0011'), alt('0012', 3), alt('0100'))]",
    "[alternatives._order(a) for a in (alt('0011'), alt('0012', 25.0), alt('0100', kind='features'))]",
    "[alternatives._worth(alt('0011', expected=e)) for e in (None, facts.Expected(.5, 0, 1))]",
    "[[a.name for a in alternatives._different([alt(x) for x in xs])] for xs in (['0011', '0101', '0110', '0011'], ['00112233', '00110011', '01010101'])]",
    "[[[a.name for a in kinds] for kinds in alternatives._rounds(alt('00001111'), [alt('00110011')], [alt('01010101', 3.0), alt('00000111', 5.0)])]]",
    "alternatives._spread(P[:, :2], 7)", "alternatives._spread(P[:5, :2], 7)",
    *(f"fails(karat.Study(P[:20]).alternatives, {n})" for n in ("0", "True", "1.5")),
    "[f.name for f in alternatives.crossing(alternatives._alternative('x', four, views.DataView('all'), 0.0), [alternatives._alternative('a', four % 2, views.DataView('all'), 9.0),"
    " alternatives._alternative('b', four // 2, views.DataView('all'), 9.0)], Some(points=crossed, rows=np.arange(300)))]",
    "alternatives.crossing(alt('0011'), [], Some(points=None))",
    # the objects
    "[(o.features_in_order, o.in_order, o.points[1], o.is_partly_labelled, o.is_estimated, o.is_beyond_memory, o.sample_rows, o.structure)"
    " for m in ('euclidean', (lambda a, b: abs(a - b).sum())) for o in [karat.Study(P[:9].round(1), metric=m).tried.objects]]",
    "[o if o is None else [o.index.tolist(), o.shape] for o in (objects.index_of(*one) for one in ((P[:3], from_array(P[:3])), (0, from_array(P[:2], ids=[('a', 1), ('b', 2)])),"
    " (pd.DataFrame(P[:3], index=list('abc')), from_array(P[:3])), (pd.DataFrame(P[:2]), from_array(P[:3]))))]",
    "[objects.Objects.is_estimated.fget(Some(n=n, _settings=Some(exact=e))) for n in (20000, 20001) for e in (True, False)]",
    # a sweep and what was added
    "[(o.name, o.status, o.reason, o.labels, o.cluster_names) for o in (sweep._outcome(n, c(x), np.array(names), None) for n, x, names in"
    " (('7', '0011', ['a', 'b']), ('b', '--', []), ('c', '0' * 9 + '1', ['x', 'y'])))]",
    "[fails(karat.Study, P[:20], **options) for options in ({'noise': 'x'}, {'delta': 0}, {'delta': 1.1}, {'random_state': -1}, {'random_state': 1.5})]",
    "[karat.Study(P[:20], delta=1).tried.settings.delta, karat.Study(P[:20], random_state=0).tried.settings.random_state]",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", PINS.kept)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write([*dict.fromkeys([*EXPRESSIONS, *PINS.kept])])
