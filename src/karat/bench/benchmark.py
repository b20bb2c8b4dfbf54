"""Many clusterers on many data sets: a table in which every cell has an entry."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat._kept import KeptLines
from karat.bench.folder import Entry, read_folder
from karat.bench.statistics import Comparison, compare_methods, expected_best
from karat.validation import InputError, check_choice, unknown_name

if TYPE_CHECKING:
    import pandas as pd

DEFAULT = ("adjusted_rand_index", "normalized_mutual_information", "f_quality")


class Benchmark:
    """Clusterers, or label files, on many data sets with known classes.

    Parameters
    ----------
    sets : mapping of str to (X, classes), or to Dataset
        The data sets; classes are an array, or a mapping of several references.
    clusterers : sequence of str or estimators, or mapping
        Names in :data:`karat.clusterers.catalogue`, or estimators with ``n_clusters``.
    measures : sequence of str
        External measures.
    k : "classes" or iterable of int
        ``"classes"``: into as many clusters as there are classes. Numbers: into each, and the
        score is the mean over them. With ``sample_classes`` so many classes are drawn instead.
    sample_classes : bool, default False
        For each k, draw k of the classes and cluster their objects into k (whissell2012 p. 67).
    n_init : int, default 10
        Tries of a clusterer that depends on a seed; the same number for all.
    metric : str or callable, default "euclidean"
    storage : path, optional
        Text file that keeps each finished cell, so that a killed run resumes.
    random_state : int, default 0

    Attributes
    ----------
    table : DataFrame
        A row for each try: ``set``, ``method``, ``try``, ``k``, ``reference``, the measures,
        ``seconds``, and ``reason`` where it failed (its scores are then missing).

    Examples
    --------
    >>> from sklearn.datasets import load_iris, load_wine
    >>> from karat.bench import Benchmark
    >>> sets = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
    >>> race = Benchmark(sets, ["ward", "average"], n_init=1).run()
    >>> race.scores("adjusted_rand_index").shape
    (2, 2)
    """

    def __init__(
        self,
        sets: Mapping[str, Any],
        clusterers: Any = ("kmeans", "ward", "average", "spectral"),
        measures: Iterable[str] = DEFAULT,
        *,
        k: Any = "classes",
        sample_classes: bool = False,
        n_init: int = 10,
        metric: Any = "euclidean",
        storage: Any = None,
        random_state: int = 0,
    ) -> None:
        self.measures = _external(measures)
        self.sets = {str(name): _set(name, given) for name, given in sets.items()}
        self.clusterers = _clusterers(clusterers)
        if k != "classes" and not all(int(value) == value and value >= 1 for value in k):
            raise InputError(f'k must be "classes" or whole numbers from 1; got {k!r}')
        if sample_classes and k == "classes":
            raise InputError("sample_classes needs the numbers of classes to draw: k=range(2, 11)")
        if n_init < 1:
            raise InputError(f"n_init must be at least 1; got {n_init}")
        self.k = k if k == "classes" else tuple(int(value) for value in k)
        self.sample_classes, self.n_init, self.metric = sample_classes, n_init, metric
        self.random_state = int(random_state)
        self._rows: list[dict[str, Any]] = []
        self._kept = KeptLines(storage)

    @classmethod
    def from_folder(cls, path: Any, measures: Iterable[str] = DEFAULT) -> Benchmark:
        """Score the label files of a folder; see :func:`karat.bench.read_folder`.

        Parameters
        ----------
        path : str or path
        measures : sequence of str
            External measures.

        Returns
        -------
        Benchmark
            With its table; there is nothing to run.
        """
        made = cls({}, {}, measures)
        entries = read_folder(path)
        methods = list(dict.fromkeys(m for entry in entries.values() for m in entry.tries))
        if not methods:
            raise InputError(f"{path} has references, but no clusterings")
        for name, entry in entries.items():
            for method in methods:
                tries = entry.tries.get(method, [])
                for number, labels in enumerate(tries):
                    made._rows += made._scored(name, method, number, entry.references, labels)
                if not tries:
                    made._rows.append(_failed(name, method, "no file of labels"))
        return made

    def run(self, progress: Callable[[str], None] | None = None) -> Benchmark:
        """Fit and score every cell that is not kept.

        Parameters
        ----------
        progress : callable, optional
            Called with a line of text after each.

        Returns
        -------
        Benchmark
            Itself.
        """
        self._rows = []
        for name, (X, entry) in self.sets.items():
            asked = self._asked(X, entry)
            for method, clusterer in self.clusterers.items():
                tries = self.n_init if clusterer.depends_on_seed else 1
                for number in range(tries):
                    key = json.dumps([name, method, number, asked])
                    rows = self._kept.get(key)
                    if rows is None:
                        rows = self._fit(name, X, entry, method, clusterer, number)
                        self._kept.put(key, rows)
                    self._rows += rows
                if progress is not None:
                    progress(f"{name}: {method}")
        return self

    def _asked(self, X: Any, entry: Entry) -> str:
        """What a kept cell must have been asked for."""
        from karat.study.identity import identity

        references = {key: list(values) for key, values in entry.references.items()}
        settings = [self.k, self.sample_classes, self.random_state, self.measures]
        return identity([X, references, settings, self.metric])

    def _fit(
        self, name: str, X: Any, entry: Entry, method: str, clusterer: Any, number: int
    ) -> list[dict[str, Any]]:
        """The rows of one try: one for each k and reference."""
        from karat.clusterers import under

        rows: list[dict[str, Any]] = []
        for k, kept in self._parts(entry, number):
            part = X if kept is None else X[kept]
            references = {
                key: values if kept is None else values[kept]
                for key, values in entry.references.items()
            }
            begun = time.perf_counter()
            try:
                estimator = under(clusterer, self.metric).make(k, self.random_state + number)
                labels = np.asarray(estimator.fit_predict(part))
            except Exception as error:  # any clusterer may fail in any way: that is its result
                rows.append(_failed(name, method, f"{type(error).__name__}: {error}", number, k))
                continue
            seconds = time.perf_counter() - begun
            for row in self._scored(name, method, number, references, labels):
                rows.append(row | {"k": k, "seconds": seconds})
        return rows

    def _parts(self, entry: Entry, number: int) -> Iterable[tuple[int, Any]]:
        first = next(iter(entry.references.values()))
        classes = sorted({value for value in first if value is not None}, key=str)
        if self.k == "classes":
            yield len(classes), None
            return
        for k in self.k:
            if not self.sample_classes:
                yield k, None
            elif k <= len(classes):
                rng = np.random.default_rng([self.random_state, number, k])
                drawn = {classes[i] for i in rng.choice(len(classes), k, replace=False)}
                yield k, np.flatnonzero([value in drawn for value in first])

    def _scored(
        self, name: str, method: str, number: int, references: Mapping[str, Any], labels: Any
    ) -> list[dict[str, Any]]:
        from karat.evaluation import evaluate

        rows = []
        for reference, truth in references.items():
            scores = evaluate(
                None, {"own": labels}, truth=truth, measures=self.measures, noise="singletons"
            )
            values = {key: float(scores.table[key].iloc[0]) for key in self.measures}
            rows.append(
                {"set": name, "method": method, "try": number, "reference": reference, **values}
            )
        return rows

    @property
    def table(self) -> pd.DataFrame:
        """All tries; see the class."""
        import pandas as pd

        if not self._rows:
            raise InputError("nothing was scored yet; call run()")
        columns = ["set", "method", "try", "k", "reference", *self.measures, "seconds", "reason"]
        return pd.DataFrame(self._rows).reindex(columns=columns)

    def scores(
        self,
        measure: str | None = None,
        *,
        references: Literal["best", "mean"] = "best",
        best_of: int | None = None,
    ) -> pd.DataFrame:
        """One score for each data set and method.

        Parameters
        ----------
        measure : str, optional
            The first of ``measures`` by default.
        references : {"best", "mean"}
            Of several references of a set, the one that each try agrees with most, or all.
        best_of : int, optional
            The expected best of so many tries, the same number for every method; by default the
            mean over the tries. The number of tries is then of no advantage.

        Returns
        -------
        DataFrame
            Greater is better; missing where a method failed in every try.

        Raises
        ------
        InputError
            If a method has fewer tries than ``best_of``.
        """
        from karat.measures import catalogue

        check_choice(references, ("best", "mean"), "references")
        key = measure or self.measures[0]
        if key not in self.measures:
            raise unknown_name(key, self.measures, "measure")
        table = self.table.assign(value=lambda t: t[key] * catalogue[key].sign)
        table = table[table["reason"].isna()] if "reason" in table else table
        by = ["set", "method", "try", "k"]
        own = table.groupby(by, dropna=False, sort=False)["value"]
        each = own.max() if references == "best" else own.mean()
        tries = each.groupby(["set", "method", "try"], sort=False).mean()
        cells = tries.groupby(["set", "method"], sort=False)
        if best_of is None:
            found = cells.mean()
        else:
            # a clusterer without a seed gives the same whatever it tries
            found = cells.agg(
                lambda v: v.iloc[0] if len(v) == 1 else expected_best(v.to_numpy(), best_of)
            )
        wide = found.unstack("method")
        order = list(dict.fromkeys(self.table["method"]))
        return wide.reindex(index=list(dict.fromkeys(self.table["set"])), columns=order)

    def compare(
        self,
        measure: str | None = None,
        *,
        alpha: float = 0.05,
        rope: float = 0.01,
        references: Literal["best", "mean"] = "best",
        best_of: int | None = None,
        failed: float | None = None,
    ) -> Comparison:
        """Compare the methods over the data sets; see :func:`karat.bench.compare_methods`.

        Parameters
        ----------
        measure, references, best_of
            As for :meth:`scores`.
        alpha, rope
            As for :func:`karat.bench.compare_methods`.
        failed : float, optional
            Score of a method that failed on a data set; by default that is an error.

        Returns
        -------
        Comparison
        """
        wide = self.scores(measure, references=references, best_of=best_of)
        if failed is not None:
            wide = wide.fillna(failed)
        return compare_methods(wide, alpha=alpha, rope=rope, random_state=self.random_state)

    def report(self, path: Any, *, overwrite: bool = False, **options: Any) -> None:
        """Write the page that goes into an appendix: words, ranks, tests, and the table.

        Parameters
        ----------
        path : str or path
            An HTML file; ``.tex`` for a LaTeX table (booktabs), ``.parquet`` for all tries.
        overwrite : bool, default False
        **options
            As for :meth:`compare`.
        """
        from karat.bench.page import html_page, latex_table

        target = Path(path)
        if target.exists() and not overwrite:
            raise InputError(f"{target} exists already; pass overwrite=True or another name")
        suffix = target.suffix.lower()
        if suffix == ".parquet":
            self.table.to_parquet(target, index=False)
            return
        found = self.compare(**options)
        made = latex_table if suffix == ".tex" else html_page
        target.write_text(made(self, found, options.get("measure")), encoding="utf-8")


def _failed(
    name: str, method: str, reason: str, number: int = 0, k: int | None = None
) -> dict[str, Any]:
    return {"set": name, "method": method, "try": number, "k": k, "reason": reason}


def _external(measures: Iterable[str]) -> list[str]:
    from karat.measures import catalogue

    keys = list(measures)
    for key in keys:
        if catalogue[key].kind != "external":
            raise InputError(f"{key} does not compare with classes; give external measures")
    if not keys:
        raise InputError("give at least one external measure")
    return keys


def _set(name: Any, given: Any) -> tuple[Any, Entry]:
    if hasattr(given, "truth") and hasattr(given, "X"):
        X, truth = given.X, given.truth
        if truth is None:
            raise InputError(f"the data set {name!r} has no classes")
    else:
        X, truth = given
    references = truth if isinstance(truth, Mapping) else {"truth": truth}
    entry = Entry()
    for key, labels in references.items():
        values = np.empty(len(labels), dtype=object)
        values[:] = np.asarray(labels).tolist()
        entry.references[str(key)] = values
        if len(values) != X.shape[0]:
            raise InputError(f"{name!r} has {X.shape[0]} objects and {len(values)} classes")
    return X, entry


def _clusterers(given: Any) -> dict[str, Any]:
    from karat.clusterers import as_clusterer

    if isinstance(given, Mapping):
        return {str(name): as_clusterer(one) for name, one in given.items()}
    records = [as_clusterer(one) for one in given]
    return {record.key: record for record in records}
