"""Pinned parts of measures: every value and reason on small data, records, scores, and families."""

from __future__ import annotations

import inspect
import json
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pinning import Pins
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans, SpectralClustering

import sortal
from sortal.distances import as_distances
from sortal.measures import catalogue, docstrings
from sortal.measures.clarity import _task, assessment, classifiers, sampled
from sortal.measures.external import chance, dendrogram
from sortal.measures.internal import chance as internal_chance
from sortal.measures.internal import gap, gaps, margins
from sortal.measures.measure_map import maps as measure_map
from sortal.measures.passes import centroids, ranks, samples, scatter, tiles
from sortal.measures.passes import pairs as passes_over_pairs
from sortal.measures.passes.over_pairs import OverPairs
from sortal.measures.passes.statistics import Statistics
from sortal.measures.tuning import MeasureSettings
from sortal.runtime.executors import Workers


class Fixed(BaseEstimator, ClusterMixin):
    """A fitted clusterer with labels; with rows it predicts the label of an equal row."""

    def __init__(self, labels: Any, rows: Any = None) -> None:
        self.labels, self.rows, self.labels_ = labels, rows, labels

    def fit(self, X: Any, y: Any = None) -> Any:
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        return self.labels

    def of_rows(self, X: Any) -> Any:
        return self.labels[[int((self.rows == row).all(axis=1).argmax()) for row in X]]


def fixed_labels(labels: Any, rows: Any = None) -> Any:
    one = Fixed(labels, rows)
    if rows is not None:
        one.predict = one.of_rows  # type: ignore[attr-defined]
    return one


def names() -> dict[str, Any]:
    """Three groups, clusterings from the best to degenerate ones, classes, a graph, weights."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = (6.0 * np.eye(3, 2)[y] + rng.normal(size=(30, 2))).round(3)
    batch = {
        "good": y, "half": y // 2, "odd": np.arange(30) % 4, "one": y * 0,
        "single": np.where(np.arange(30) == 4, 3, y), "each": np.arange(30),
        "rest": (np.arange(30) == 2) * 1,
    }  # fmt: skip
    out = np.where(np.arange(30) % 7 == 3, -1, y)
    pairs = {
        "good": (y, y // 2), "same": (y, y), "chance": (y, np.arange(30) % 4), "one": (y, y * 0),
        "each": (y, np.arange(30)), "none": (y * 0, y), "lone": (np.arange(30), np.arange(30)),
    }  # fmt: skip
    weights = np.where(np.arange(30) % 5 == 0, 2.5, 1.0)
    D = np.abs(X[:, None] - X).sum(axis=2)
    A = sparse.csr_array(np.where((D < 3) & (D > 0), np.exp(-D), 0.0))
    U = rng.dirichlet(np.ones(3) / 3, 30)
    soft, loose = sortal.labelings.SoftPartition(U), sortal.labelings.OverlappingPartition(U > 0.3)
    tree = sortal.Dendrogram(linkage(X, "average"), [2, 3])
    tied = X.round(0)

    def scores(*arguments: Any, **options: Any) -> Any:
        """Everything that scores tell."""
        found = sortal.evaluate(*arguments, **options)
        return (found.table.round(9).T.to_dict("index"), found.reasons, found.coverage.tolist(),
                found.standard_errors.shape, found.exact.all(axis=None), found.hardened.sum().sum(),
                found.sample_size, found._notes())  # fmt: skip

    def external(key: str, **options: Any) -> Any:
        """Values of an external measure, or its errors."""
        function = catalogue[key].function
        values: dict[str, Any] = {}
        for name, pair in pairs.items():
            try:
                values[name] = function(*pair, **options)
            except ValueError as error:
                values[name] = str(error)
        return values

    def predicted_codes(X: Any, labelings: Any, objects: Any, metric: Any) -> Any:
        """Predictions of sampled objects."""
        return sampled.predict(metric, X, labelings, objects)

    def least_sampled(number: int, work: Any) -> Any:
        """What some work gives with another least number of sampled objects of each cluster."""
        with pytest.MonkeyPatch.context() as patch:
            defaults = (MeasureSettings(min_per_cluster=number),)
            patch.setattr(samples.GrowingSample.__init__, "__defaults__", defaults)
            return work()

    def record(key: str) -> Any:
        """What the catalogue says of a measure."""
        one = catalogue[key]
        return (one.title, one.kind, one.family, one.greater_is_better, one.range, one.cost,
                sorted(one.needs), one.compares_k, one.default, one.takes, sorted(one.structures),
                one.symmetric, one.optimum, one.source, one.sign,
                [one.penalty(np.array([0.5, -0.5, np.nan]), np.array([1.0, 0.5, 0.9]))])  # fmt: skip

    def scored(
        *arguments: Any, X: Any = X, y: Any = None, fitted: Any = None, **options: Any
    ) -> Any:
        """The value of a fitted clusterer by a scorer, and its warnings."""
        model = fitted or KMeans(3, n_init=1, random_state=0).fit(X)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = sortal.scorer(*arguments, **options)(model, X, y)
        return value, [str(one.message) for one in caught]

    def printed(*arguments: Any, **options: Any) -> Any:
        """Scores as text, HTML and a long table."""
        found = sortal.evaluate(*arguments, **options)
        frame = found.to_frame().drop(columns="standard_error")
        return str(found), len(found._repr_html_()), frame.round(9).to_dict("list"), len(found)

    def pair_sample(labels: Any, keys: Any = ("c_index",)) -> Any:
        """A sample of pairs of the first objects."""
        labelings = sortal.labelings.as_labelings({"a": labels}, noise="drop")
        distances = as_distances(X[: len(labels)], exact=True)
        measures = [catalogue[key] for key in keys]
        rng = np.random.default_rng(3)
        return samples.PairSample(X[: len(labels)], distances, labelings, measures, rng)

    def pair_estimates(size: int, keys: Any) -> Any:
        """Values and errors of a sample of pairs that has grown."""
        one = pair_sample(y, keys)
        for grown in (size // 2, size):
            one.grow(grown)
        values, errors, reasons = one.estimates()
        return values.round(6), errors.round(5), reasons, one.n_drawn, one.complete

    def silhouette_sample(size: int) -> Any:
        """Values and errors of a sample of objects that has grown."""
        labelings = sortal.labelings.as_labelings({"good": y, "half": y // 2, "out": out},
                                                 noise="drop")  # fmt: skip
        values = np.stack([np.linspace(-0.5, 1, 30), np.linspace(0, 1, 30), np.full(30, 0.5)])
        measures = [catalogue["silhouette"]]
        one = samples.SilhouetteSample(X, labelings, measures, np.random.default_rng(0),
                                       lambda objects: values[:, objects])  # fmt: skip
        one.grow(size)
        return [*one.estimates(), one.n_drawn, one.size]

    def statistics_of(labels: Any, w: Any) -> Any:
        """Statistics without a pass."""
        labelings = sortal.labelings.as_labelings({"a": labels}, noise="drop")
        return Statistics(X[: len(labels)], labelings, (), weights=w and np.array(w))

    def task(codes: Any, folds: Any = None, X: Any = X) -> Any:
        """A prediction task of the first objects."""
        codes = np.array(codes, dtype=np.int32)
        numbers = codes.max(axis=1).astype(np.int64) + 1
        of_fold = folds if folds is None else np.array(folds, dtype=np.int32)
        return _task.PredictionTask(X[: codes.shape[1]], codes, numbers, of_fold)

    def everything(X: Any, labels: Any, **options: Any) -> Any:
        """Everything that an assessment tells."""
        seen = assessment.assess(X, labels, **options)
        tables = [seen.per_cluster(m).astype(str).to_dict() for m in range(len(seen.labelings))]
        more = [(seen.confusion(m).to_numpy(), seen.confused_pairs(m).to_dict("list"))
                for m in seen.labelings.names]  # fmt: skip
        return (str(seen), seen.folds, tables, more, seen.values(), seen.values("permutation"),
                seen.agreement(sortal.rand_index), len(seen._repr_html_()))  # fmt: skip

    def over(Z: Any, metric: Any = "euclidean") -> Any:
        """The passes over the pairs of some rows."""
        return OverPairs(np.asarray(Z, dtype=float), metric, Workers())

    def documented(function: Any, doc: str, module: str = "sortal.x", **options: Any) -> Any:
        """The docstring of a function after it is completed."""
        function.__doc__, function.__module__, function.__name__ = doc, module, "it"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(docstrings, "SHARED", {"X": "X : rows", "k": "k : int", "labels": ""})
            docstrings.complete(function, **options)
        return function.__doc__

    def halves(size: int, **numbers: Any) -> Any:
        """Parts of a sample whose silhouettes are computed on an executor, and the values."""
        sizes: list[int] = []
        part = passes_over_pairs._silhouettes_of
        labelings = sortal.labelings.as_labelings({"good": y, "half": y // 2}, noise="drop")

        def spy(metric: Any, X: Any, labelings: Any, sample: Any) -> Any:
            sizes.append(len(sample))
            return part(metric, X, labelings, sample)

        with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
            patch.setattr(passes_over_pairs, "_silhouettes_of", spy)
            for name, number in numbers.items():
                patch.setattr(passes_over_pairs, name, number)
            sample = np.arange(size)[::-1]
            values = [
                passes_over_pairs.sampled_silhouettes(X, "euclidean", labelings, sample, workers)
                for workers in (Workers(), Workers.of(pool))
            ]
        return sizes, bool(np.array_equal(*values))

    def predicted(size: int, part_size: int) -> Any:
        """Whether an executor predicts the same, and its parts."""
        sizes: list[int] = []
        predict = sampled.predict
        labelings = sortal.labelings.as_labelings({"good": y, "out": out}, noise="drop")

        def spy(metric: Any, X: Any, labelings: Any, objects: Any) -> Any:
            sizes.append(len(objects))
            return predict(metric, X, labelings, objects)

        with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
            patch.setattr(sampled, "predict", spy)
            patch.setattr(sampled, "PART_SIZE", part_size)
            values = [
                sampled._predict(X, labelings, np.arange(size), "euclidean", workers)
                for workers in (Workers(), Workers.of(pool))
            ]
        return sizes, bool(np.array_equal(*values))

    def saved() -> Any:
        """Whether a stored map of measures has everything, one on a line."""
        one = measure_map.load_map()
        with tempfile.TemporaryDirectory() as folder:
            one.save(Path(folder, "map.json"))
            text = Path(folder, "map.json").read_text("utf-8")
        return json.loads(text) == one.contents(), text.count("\n") - len(one.contents())

    def judged(key: str, **attributes: Any) -> Any:
        """A measure of statistics with these attributes."""
        labelings = sortal.labelings.as_labelings({"a": y}, noise="drop")
        stats = Statistics(X, labelings, catalogue[key].needs)
        for name, value in attributes.items():
            setattr(stats, name, value)
        return catalogue[key].judge(stats)

    def defined(decorator: Any, where: str, value: Any) -> Any:
        """What a decorator defines of a formula."""
        told: list[Any] = []

        def define(function: Any, title: str, **record: Any) -> None:
            told.append((function.__name__, title, str(inspect.signature(function)), {
                name: sorted(one) if isinstance(one, set | frozenset) else one
                for name, one in record.items() if not callable(one)
            }))  # fmt: skip

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(f"sortal.measures.{where}.define", define)
            function = decorator(value)
        return told, function

    internal = [key for key, one in catalogue.items() if one.kind == "internal"]
    shared = {
        "samples": samples, "centroids": centroids, "margins": margins, "chance": chance,
        "Workers": Workers, "fixed_labels": fixed_labels, "task": task, "everything": everything,
        "classifiers": classifiers, "assessment": assessment, "tasks": _task, "sampled": sampled,
        "internal_chance": internal_chance, "ranks": ranks, "over": over, "Statistics": Statistics, "gap": gap,
        "gaps": gaps, "dendrogram": dendrogram, "measure_map": measure_map, "tiles": tiles,
        "scatter": scatter, "Some": Some, "ThreadPoolExecutor": ThreadPoolExecutor,
        "SpectralClustering": SpectralClustering, "as_distances": as_distances,
    }  # fmt: skip
    shared |= {"catalogue": catalogue, "sparse": sparse, "pd": pd, "KMeans": KMeans}
    return locals() | shared


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
