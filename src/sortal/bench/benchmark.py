"""Many clusterers on many data sets: a table without empty cells."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sortal.bench import runs
from sortal.bench.collection import ONLY_REPRESENTATION, Entry, as_entry
from sortal.bench.folder import number_of_classes, read_folder
from sortal.bench.page import html_page
from sortal.bench.paper import latex
from sortal.bench.results import BenchmarkResults
from sortal.runtime.kept_file import KeptValues
from sortal.runtime.output import OutputPlan, draft, write_output
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.bench.collection import DataSet, References
    from sortal.study.store import Finished
    from sortal.typing import Labels, Metric, Rows

DEFAULT_MEASURES = ("adjusted_rand_index", "normalized_mutual_information", "f_quality")


class Benchmark(BenchmarkResults):
    """Clusterers, or label files, on many data sets with known classes.

    Parameters
    ----------
    sets : mapping of str to (X, classes), or to Dataset
        The data sets. X is one matrix, or a mapping of several representations of the same
        objects (weightings, embeddings); classes are an array, or a mapping of several references.
    clusterers : sequence of str or estimators, or mapping
        Names in :data:`sortal.clusterers.catalogue`, or estimators with ``n_clusters``.
    measures : sequence of str
        External measures.
    k : "classes" or iterable of int
        ``"classes"``: as many clusters as classes. Numbers: each of them; the score is the mean.
    draw : "classes", optional
        Each try draws its own objects, the same for all methods and representations: for each k
        the objects of k classes (whissell2012 p. 67).
    n_init : int, default 10
        Number of tries, the same for all. A clusterer that does not depend on a seed has one try,
        unless each try draws its own objects.
    metric : str or callable, default "euclidean"
    storage : path, optional
        SQLite file that keeps each finished fit, so that an interrupted run can be resumed.
    random_state : int, default 0

    Attributes
    ----------
    table : DataFrame
        A row for each fit and reference: ``set``, ``representation``, ``method``, ``try``, ``k``,
        ``reference``, the measures, ``seconds``, and ``note`` (a caveat). ``reason`` says why a
        clustering and its scores are missing. Cuts of one tree share its ``seconds`` equally.

    Examples
    --------
    >>> from sklearn.datasets import load_iris, load_wine
    >>> from sortal.bench import Benchmark
    >>> sets = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
    >>> race = Benchmark(sets, ["ward", "average"], n_init=1).run()
    >>> race.scores("adjusted_rand_index").shape
    (2, 2)
    """

    def __init__(
        self,
        sets: Mapping[str, DataSet],
        clusterers: runs.Methods = ("kmeans", "ward", "average", "spectral"),
        measures: Iterable[str] = DEFAULT_MEASURES,
        *,
        k: Literal["classes"] | Iterable[int] = "classes",
        draw: Literal["classes"] | None = None,
        n_init: int = 10,
        metric: Metric = "euclidean",
        storage: str | Path | None = None,
        random_state: int = 0,
    ) -> None:
        self.measures = _external_measures(measures)
        self.sets = {str(name): as_entry(str(name), data_set) for name, data_set in sets.items()}
        self.clusterers = runs.as_methods(clusterers)
        self.rules = runs.Rules(k if k == "classes" else tuple(k), n_init, draw, int(random_state))
        self.rules.check()
        self.metric = metric
        self._rows: list[dict[str, Any]] = []
        self._kept = KeptValues(storage)
        self._folder: str | Path | None = None

    @classmethod
    def from_folder(
        cls,
        path: str | Path,
        measures: Iterable[str] = DEFAULT_MEASURES,
        *,
        id_column: str | None = None,
        random_state: int = 0,
    ) -> Benchmark:
        """Score the label files of a folder; see :func:`sortal.bench.read_folder`."""
        benchmark = cls({}, (), measures, random_state=random_state)
        benchmark.sets, benchmark._folder = read_folder(path, id_column=id_column), path
        if not any(entry.tries for entry in benchmark.sets.values()):
            raise InputError(f"{path} has references, but no clusterings")
        benchmark._rows = benchmark._from_files()
        return benchmark

    def _from_files(self) -> list[dict[str, Any]]:
        """Table rows of clusterings made elsewhere; a missing try is a failed fit."""
        numbers: dict[str, dict[int, None]] = {}
        for entry in self.sets.values():
            for method, tries in entry.tries.items():
                numbers.setdefault(method, {}).update(dict.fromkeys(sorted(tries)))
        rows = []
        for name, entry in self.sets.items():
            for method, wanted in numbers.items():
                tries = entry.tries.get(method, {})
                for number in wanted:
                    cell = {"set": name, "method": method, "try": number}
                    if number not in tries:
                        reason = (
                            "no file of labels" if len(wanted) == 1 else f"no file of try {number}"
                        )
                        rows.append(cell | {"reason": reason})
                        continue
                    rows += [cell | row for row in self._label_rows(entry, tries[number])]
        return rows

    def _label_rows(self, entry: Entry, labels: Labels | dict[int, Labels]) -> list[dict[str, Any]]:
        """Table rows of a clustering, or of clusterings by number of clusters."""
        if not isinstance(labels, dict):
            return self._score_rows(entry.references, labels)
        rows = []
        for reference, truth in entry.references.items():
            k = number_of_classes(truth)
            if k in labels:
                rows += self._score_rows({reference: truth}, labels[k])
            else:
                rows.append({"reference": reference, "reason": f"no result with {k} clusters"})
        return rows

    def run(
        self,
        progress: Callable[[str], None] | None = None,
        *,
        workers: int = 1,
        executor: Any = None,
        limit: float = math.inf,
    ) -> Benchmark:
        """Fit and score every cell that is not stored.

        Parameters
        ----------
        progress : callable, optional
            Called with a line of text after each set and representation.
        workers : int, default 1
            Local processes. The scores do not depend on it.
        executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
            Executor to use instead; a string is the address of a Dask scheduler.
        limit : float, optional
            Seconds that a fit may take in a local process. Then it is stopped, and its row says
            so. A run with a larger limit tries it again.

        Returns
        -------
        Benchmark
            The benchmark itself.
        """
        rows = self._from_files()
        running = {"workers": workers, "executor": executor, "limit": limit}
        representations = dict.fromkeys(key for entry in self.sets.values() for key in entry.data)
        for name, entry in self.sets.items():
            for representation in representations:
                if representation not in entry.data:
                    cell = {"set": name, "representation": representation, "try": 0}
                    reason = {"reason": "the set has no such representation"}
                    rows += [cell | {"method": method} | reason for method in self.clusterers]
                    continue
                for subset in runs.subsets(entry, self.rules):
                    rows += self._subset_rows(name, entry, representation, subset, running)
                if progress is not None:
                    suffix = "" if representation == ONLY_REPRESENTATION else f", {representation}"
                    progress(f"{name}{suffix}: {', '.join(self.clusterers)}")
        self._rows = rows
        return self

    def _subset_rows(
        self,
        name: str,
        entry: Entry,
        representation: str,
        subset: runs.Subset,
        running: dict[str, Any],
    ) -> list[dict[str, Any]]:
        """Table rows of all fits to a subset of objects; stored fits are not repeated."""
        X, references = entry.data[representation], entry.references
        if subset.rows is not None:
            X = X[subset.rows]
            references = {key: values[subset.rows] for key, values in references.items()}
        keys = self._keys(name, representation, X, references, subset)
        by_cell = {cell: self._kept.get(key) for cell, key in keys.items()}
        missing = [
            cell
            for cell, rows in by_cell.items()
            # a fit stopped after fewer seconds than the limit is tried again
            if rows is None or rows[0].get("stopped", math.inf) < running["limit"]
        ]
        for cell, outcome in runs.fit(
            X, missing, self.clusterers, self.metric, self.rules, **running
        ):
            by_cell[cell] = self._fit_rows(references, outcome)
            self._kept.put(keys[cell], by_cell[cell])
        return [
            {"set": name, "representation": representation, "method": cell.method,
             "try": cell.number, "k": cell.k} | row
            for cell, rows in by_cell.items()
            for row in rows
        ]  # fmt: skip

    def _keys(
        self, name: str, representation: str, X: Rows, references: References, subset: runs.Subset
    ) -> dict[runs.Cell, str]:
        """Key of each fit in the storage: everything that its result depends on."""
        from sortal.study.identity import identity

        classes = {key: list(values) for key, values in references.items()}
        seed = self.rules.random_state
        context = identity([X, classes, seed, self.measures, self.metric])
        identities = {
            method: identity(clusterer.make(2, seed))
            for method, clusterer in self.clusterers.items()
        }
        return {
            cell: json.dumps([name, representation, cell.name, identities[cell.method], context])
            for cell in runs.cells(self.clusterers, subset)
        }

    def _fit_rows(self, references: References, outcome: Finished) -> list[dict[str, Any]]:
        """Table rows of a fit: a row for each reference, or a single row with the reason."""
        row: dict[str, Any] = {"seconds": outcome.seconds}
        if outcome.labels is None:
            if outcome.status == "stopped":
                row["stopped"] = outcome.seconds
            return [row | {"reason": outcome.reason}]
        note = {"note": outcome.reason} if outcome.reason else {}
        return [scored | row | note for scored in self._score_rows(references, outcome.labels)]

    def _score_rows(self, references: References, labels: Labels) -> list[dict[str, Any]]:
        """Table rows of the scores of a clustering, a row for each reference."""
        from sortal.measures.evaluation import evaluate

        rows = []
        for reference, truth in references.items():
            scores = evaluate(
                None, {"own": labels}, y=truth, measures=self.measures, noise="singletons"
            )
            values = {key: float(scores.table[key].iloc[0]) for key in self.measures}
            rows.append({"reference": reference, **values})
        return rows

    def report(self, path: str | Path, *, overwrite: bool = False, **options: Any) -> None:
        """Write a page for an appendix, or tables and a figure for a paper.

        Parameters
        ----------
        path : str or path
            ``.html`` for a page, ``.csv`` or ``.parquet`` for all tries. ``.tex`` has tables
            (booktabs), the critical-difference diagram (TikZ) and the method, and writes all tries
            to a ``.csv`` file of the same name.
        overwrite : bool, default False
        **options
            As for :meth:`compare`.
        """
        target, *companions = files_of(path)
        suffix = target.suffix.lower()
        plan = OutputPlan({"the folder of the results": self._folder})
        for file in (target, *companions):
            plan.file(file, overwrite=overwrite)
        if suffix == ".csv":
            write_output(target, self.table.to_csv(index=False), overwrite=overwrite)
        elif suffix == ".parquet":
            with draft(target, overwrite=overwrite) as content:
                self.table.to_parquet(content, index=False)
        else:
            page = latex if suffix == ".tex" else html_page
            text = page(self, self.compare(**options), options)
            write_output(target, text, overwrite=overwrite)
            for companion in companions:
                write_output(companion, self.table.to_csv(index=False), overwrite=overwrite)


def files_of(path: str | Path) -> list[Path]:
    """The files that :meth:`Benchmark.report` writes: the page or tables, and their tries."""
    target = Path(path)
    return [target, *([target.with_suffix(".csv")] if target.suffix.lower() == ".tex" else [])]


def _external_measures(measures: Iterable[str]) -> list[str]:
    """Keys of the measures; raises unless all are external."""
    from sortal.measures import catalogue

    keys = list(measures)
    for key in keys:
        if catalogue[key].kind != "external":
            raise InputError(f"{key} does not compare with classes; give external measures")
    if not keys:
        raise InputError("give at least one external measure")
    return keys
