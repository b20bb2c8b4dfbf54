"""What the parts of a study give for small chosen inputs, so that nothing changes unseen.
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
from pinning import Pins
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import sortal
from sortal.clusterers import as_clusterer, catalogue
from sortal.datasets import from_array, from_distances
from sortal.study import (
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
    request,
    samples,
    scores,
    stability,
    store,
    sweep,
    views,
)
from sortal.study.number_of_clusters import NumberOfClusters

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
def study(kind: str) -> sortal.Study:
    """A small study of three groups."""
    X = np.random.default_rng(0).normal(size=(36, 3)) + 7.0 * np.eye(3)[GROUPS]
    if kind == "few":  # too few objects for the judge
        made = sortal.Study(X[:12])
        made.add({"three": GROUPS[:12], "halves": np.arange(12) % 2, "out": GROUPS[:12] - 1,
                  "all": np.full(12, -1), "1": np.arange(12) // 6})  # fmt: skip
        return made
    if kind in ("labels", "asked"):
        y = [f"kind {c}" if i % 2 else None for i, c in enumerate(GROUPS[:12])]
        made = sortal.Study(X[:12], y=y, delta=0.2)
        made.add({"three": GROUPS[:12], "halves": np.arange(12) % 2, "out": GROUPS[:12] - 1})
        if kind == "asked":  # questions about the labels are counted
            made.state.ledger = Path(tempfile.mkdtemp(), "questions")
            atexit.register(shutil.rmtree, made.state.ledger.parent, ignore_errors=True)
        return made
    if kind == "pairs":
        made = sortal.Study(X[:12])
        made.add({"three": GROUPS[:12], "halves": np.arange(12) % 2})
        made.constrain([(0, 3, "must"), (1, 4, "must"), (0, 1, "cannot"), (3, 5, "cannot")])
        return made
    made = sortal.Study(X, y=GROUPS if kind == "truth" else None)
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
    return study(kind).state


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
        recovery=lambda name: facts.Recovery(0.5, 0.4, 0.6),
    )  # fmt: skip


def patched(work: Any, **numbers: Any) -> Any:
    """What some work gives while numbers of modules have other values."""
    with pytest.MonkeyPatch.context() as patch:
        for key, value in numbers.items():
            module, _, name = key.partition("__")
            patch.setattr(f"sortal.study.{module}.{name}", value)
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
                options["storage"] = Path(folder) / "s.sortal"
            made = sortal.Study(X, **options)
            if clusterers:
                made.sweep(list(clusterers), k=list(k), n_init=1, workers=1)
            try:
                return work(made)
            finally:
                made.close()

    return patched(all_of_it, **dict(numbers))


def tabled(study: sortal.Study) -> Any:
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
            request, samples, scores, stability, store, sweep, views)},
        "np": np, "pd": pd, "sparse": sparse, "sortal": sortal, "Some": Some, "replace": replace,
        "catalogue": catalogue, "measures": sortal.measures.catalogue, "ran": ran, "warned": warned,
        "patched": patched, "attempted": attempted, "lived": lived, "tabled": tabled,
        "as_clusterer": as_clusterer, "study": study, "tried": tried, "bare": bare,
        "from_array": from_array, "from_distances": from_distances, "functools": functools,
        "P": P, "four": four, "crossed": crossed, "values": values, "ahead": ahead, "agree": agree,
        "J": judgement_, "judged": judged, "NumberOfClusters": NumberOfClusters,
        "h": lambda view: (view.kind, view.features, view.without, view.metric,
                           None if view.axes is None else view.axes @ view.axes.T),
        "c": lambda text: np.array([int(x) if x != "-" else -1 for x in text], dtype=np.int32),
        "planned": lambda n: [store.Planned(f"c{i}", "ward", "n_clusters", i, i % 2, 7) for i in range(n)],
        "alt": lambda codes, evidence=9.0, kind="all", recovery=None: alternatives._alternative(
            codes, np.array([int(x) for x in codes]), views.DataView(kind), evidence, recovery),
    }  # fmt: skip


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
