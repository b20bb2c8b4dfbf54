"""Many clusterers on many data sets: a table in which every cell has an entry."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from karat.bench import runs
from karat.bench.collection import ONLY, Entry, as_entry
from karat.bench.diagram import pdf, rank_drawing
from karat.bench.folder import number_of_classes, read_folder
from karat.bench.page import html_page
from karat.bench.paper import WIDTH, latex
from karat.bench.scored import Scored
from karat.runtime.kept_file import KeptValues
from karat.runtime.output import check_output, write_output
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.study.store import Finished

DEFAULT = ("adjusted_rand_index", "normalized_mutual_information", "f_quality")


class Benchmark(Scored):
    """Clusterers, or label files, on many data sets with known classes.

    Parameters
    ----------
    sets : mapping of str to (X, classes), or to Dataset
        The data sets. X is one matrix, or a mapping of several representations of the same
        objects (weightings, embeddings); classes are an array, or a mapping of several references.
    clusterers : sequence of str or estimators, or mapping
        Names in :data:`karat.clusterers.catalogue`, or estimators with ``n_clusters``.
    measures : sequence of str
        External measures.
    k : "classes" or iterable of int
        ``"classes"``: into as many clusters as there are classes. Numbers: into each, and the
        score is the mean over them.
    draw : "classes", optional
        Each try is on objects of its own, the same for all methods and representations: for each k
        the objects of k of the classes (whissell2012 p. 67).
    n_init : int, default 10
        Tries; the same number for all. A clusterer that does not depend on a seed has one, unless
        each try has objects of its own.
    metric : str or callable, default "euclidean"
    storage : path, optional
        SQLite file that keeps each finished fit, so that a killed run resumes.
    random_state : int, default 0

    Attributes
    ----------
    table : DataFrame
        A row for each fit and reference: ``set``, ``representation``, ``method``, ``try``, ``k``,
        ``reference``, the measures, ``seconds`` (of each of several numbers of clusters that are
        cut from one tree an equal share), ``note`` (what to mind of a clustering), and ``reason``
        where there is none (its scores are then missing).

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
        draw: Literal["classes"] | None = None,
        n_init: int = 10,
        metric: Any = "euclidean",
        storage: Any = None,
        random_state: int = 0,
    ) -> None:
        self.measures = _external(measures)
        self.sets = {str(name): as_entry(str(name), given) for name, given in sets.items()}
        self.clusterers = runs.as_methods(clusterers)
        self.rules = runs.Rules(k if k == "classes" else tuple(k), n_init, draw, int(random_state))
        self.rules.check()
        self.metric = metric
        self._rows: list[dict[str, Any]] = []
        self._kept = KeptValues(storage)

    @classmethod
    def from_folder(
        cls, path: Any, measures: Iterable[str] = DEFAULT, *, random_state: int = 0
    ) -> Benchmark:
        """Score the label files of a folder; see :func:`karat.bench.read_folder`."""
        made = cls({}, (), measures, random_state=random_state)
        made.sets = read_folder(path)
        if not any(entry.tries for entry in made.sets.values()):
            raise InputError(f"{path} has references, but no clusterings")
        made._rows = made._from_files()
        return made

    def _from_files(self) -> list[dict[str, Any]]:
        """The rows of clusterings that were made elsewhere; a try that is missing has failed."""
        numbers: dict[str, dict[int, None]] = {}
        for entry in self.sets.values():
            for method, tries in entry.tries.items():
                numbers.setdefault(method, {}).update(dict.fromkeys(sorted(tries)))
        rows = []
        for name, entry in self.sets.items():
            for method, wanted in numbers.items():
                tries = entry.tries.get(method, {})
                for number in wanted:
                    at = {"set": name, "method": method, "try": number}
                    if number not in tries:
                        why = (
                            "no file of labels" if len(wanted) == 1 else f"no file of try {number}"
                        )
                        rows.append(at | {"reason": why})
                        continue
                    rows += [at | row for row in self._given(entry, tries[number])]
        return rows

    def _given(self, entry: Entry, labels: Any) -> list[dict[str, Any]]:
        """The scores of one clustering, or of those into as many clusters as a reference has."""
        if not isinstance(labels, dict):
            return self._scored(entry.references, labels)
        rows = []
        for reference, truth in entry.references.items():
            k = number_of_classes(truth)
            if k in labels:
                rows += self._scored({reference: truth}, labels[k])
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
        """Fit and score every cell that is not kept.

        Parameters
        ----------
        progress : callable, optional
            Called with a line of text after each set and representation.
        workers : int, default 1
            Local processes. The scores do not depend on it.
        executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
            Where to run instead; a string is the address of a Dask scheduler.
        limit : float, optional
            Seconds that one fit may take in a local process; then it is stopped, and the entry
            says so. It is tried again by a run with a larger limit.

        Returns
        -------
        Benchmark
            Itself.
        """
        rows = self._from_files()
        running = {"workers": workers, "executor": executor, "limit": limit}
        known = dict.fromkeys(key for entry in self.sets.values() for key in entry.data)
        for name, entry in self.sets.items():
            for representation in known:
                if representation not in entry.data:
                    at = {"set": name, "representation": representation, "try": 0}
                    why = {"reason": "the set has no such representation"}
                    rows += [at | {"method": method} | why for method in self.clusterers]
                    continue
                for part in runs.parts(entry, self.rules):
                    rows += self._part(name, entry, representation, part, running)
                if progress is not None:
                    on = "" if representation == ONLY else f", {representation}"
                    progress(f"{name}{on}: {', '.join(self.clusterers)}")
        self._rows = rows
        return self

    def _part(
        self, name: str, entry: Entry, representation: str, part: runs.Part, running: Any
    ) -> list[dict[str, Any]]:
        """The rows of all fits to some objects; those that are kept are not fitted again."""
        X, references = entry.data[representation], entry.references
        if part.rows is not None:
            X = X[part.rows]
            references = {key: values[part.rows] for key, values in references.items()}
        keys = self._keys(name, representation, X, references, part)
        found = {cell: self._kept.get(key) for cell, key in keys.items()}
        missing = [
            cell
            for cell, rows in found.items()
            # what was stopped after fewer seconds than there are now is tried again
            if rows is None or rows[0].get("stopped", math.inf) < running["limit"]
        ]
        for cell, outcome in runs.fit(
            X, missing, self.clusterers, self.metric, self.rules, **running
        ):
            found[cell] = self._told(references, outcome)
            self._kept.put(keys[cell], found[cell])
        return [
            {"set": name, "representation": representation, "method": cell.method,
             "try": cell.number, "k": cell.k} | row
            for cell, rows in found.items()
            for row in rows
        ]  # fmt: skip

    def _keys(
        self, name: str, representation: str, X: Any, references: Any, part: runs.Part
    ) -> dict[runs.Cell, str]:
        """What a kept fit must have been asked for."""
        from karat.study.identity import identity

        classes = {key: list(values) for key, values in references.items()}
        seed = self.rules.random_state
        asked = identity([X, classes, seed, self.measures, self.metric])
        made = {
            method: identity(clusterer.make(2, seed))
            for method, clusterer in self.clusterers.items()
        }
        return {
            cell: json.dumps([name, representation, cell.name, made[cell.method], asked])
            for cell in runs.cells(self.clusterers, part)
        }

    def _told(self, references: Mapping[str, Any], outcome: Finished) -> list[dict[str, Any]]:
        """The rows of a fit: one for each reference, or one that says why there is none."""
        row: dict[str, Any] = {"seconds": outcome.seconds}
        if outcome.labels is None:
            if outcome.status == "stopped":
                row["stopped"] = outcome.seconds
            return [row | {"reason": outcome.reason}]
        note = {"note": outcome.reason} if outcome.reason else {}
        return [own | row | note for own in self._scored(references, outcome.labels)]

    def _scored(self, references: Mapping[str, Any], labels: Any) -> list[dict[str, Any]]:
        from karat.measures.evaluation import evaluate

        rows = []
        for reference, truth in references.items():
            scores = evaluate(
                None, {"own": labels}, truth=truth, measures=self.measures, noise="singletons"
            )
            values = {key: float(scores.table[key].iloc[0]) for key in self.measures}
            rows.append({"reference": reference, **values})
        return rows

    def report(self, path: Any, *, overwrite: bool = False, **options: Any) -> None:
        """Write the page that goes into an appendix, or tables and a figure for a paper.

        Parameters
        ----------
        path : str or path
            An HTML file; ``.tex`` for tables (booktabs), the critical-difference diagram (TikZ) and
            how it was made, with all tries beside it in a ``.csv`` file of the same name; ``.pdf``
            for the diagram; ``.csv`` or ``.parquet`` for all tries.
        overwrite : bool, default False
        **options
            As for :meth:`compare`.
        """
        target = Path(path)
        suffix = target.suffix.lower()
        beside = [target.with_suffix(".csv")] if suffix == ".tex" else []
        for file in (target, *beside):
            check_output(file, overwrite=overwrite)
        if suffix == ".csv":
            write_output(target, self.table.to_csv(index=False), overwrite=overwrite)
        elif suffix == ".parquet":
            self.table.to_parquet(target, index=False)
        elif suffix == ".pdf":
            drawing = rank_drawing(self.compare(**options), WIDTH)
            write_output(target, pdf(drawing), overwrite=overwrite)
        else:
            page = latex if suffix == ".tex" else html_page
            made = page(self, self.compare(**options), options)
            write_output(target, made, overwrite=overwrite)
            for file in beside:
                write_output(file, self.table.to_csv(index=False), overwrite=overwrite)


def _external(measures: Iterable[str]) -> list[str]:
    """The keys, once each is known to compare with classes."""
    from karat.measures import catalogue

    keys = list(measures)
    for key in keys:
        if catalogue[key].kind != "external":
            raise InputError(f"{key} does not compare with classes; give external measures")
    if not keys:
        raise InputError("give at least one external measure")
    return keys
