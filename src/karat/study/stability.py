"""Stability in a study: judged once for a clustering, kept in its file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import Clusterer, catalogue
from karat.nulls.references import Null
from karat.runtime.validation import InputError
from karat.runtime.version import __version__
from karat.stability import Assessment, ClusterStability, StabilityCurve, assess
from karat.stability.assessment import MOST_OBJECTS, n_steps
from karat.stability.batches import from_text, to_text
from karat.stability.calibrated import kinds_beside, n_null_resamples, share_drawn
from karat.stability.engine import prepare
from karat.stability.progress import counted
from karat.study.store import UNFINISHED

if TYPE_CHECKING:
    import pandas as pd

    from karat.study.study import Study

#: numbers of clusters where the study was not told any
DEFAULT_NUMBERS = range(2, 9)
#: fits of k-means by the engine that take at most as long as one candidate of a sweep, judging
#: included (``python -m benchmarks.stability by-default``)
QUICK_FITS = 10


@dataclass(frozen=True)
class Work:
    """What the stability of a candidate takes beside the sweep, in fits of all objects.

    Attributes
    ----------
    resampled : float
        Fits to resamples, each with the share of the objects that it is given. A hierarchy is one
        fit for all numbers of clusters; ten fits of k-means by name are as one.
    swept : float
        Candidates of the sweep, each with the share of the objects that it was fitted to.
    """

    resampled: float
    swept: float

    @property
    def pays(self) -> bool:
        """Whether the stability takes at most as much as the sweep took."""
        return self.resampled <= self.swept

    def __str__(self) -> str:
        return (
            f"it takes about {math.ceil(self.resampled):,} fits of all objects, and the sweep took "
            f"{math.floor(self.swept):,}"
        )


def work_of(
    study: Study, candidate: dict[str, Any], n_resamples: int = 20, n_references: int = 5
) -> Work:
    """Predict the work of :meth:`Study.stability` from numbers of fits and objects alone.

    The same on every machine, so that what is judged by default is, too.
    """
    clusterer = clusterer_of(study, candidate)
    n, most = study.n_objects, None if study.settings.exact else MOST_OBJECTS
    share = min(n, most or n) / n
    data, metric = _given(study, clusterer)
    n_sets = _n_sets(study, clusterer, n_references)
    one = 1 / QUICK_FITS if prepare(data, clusterer, metric=metric).quick is not None else 1.0
    if clusterer.parameter == "n_clusters":
        numbers = set(swept_numbers(study)) or set(DEFAULT_NUMBERS)
        pairs = n_resamples + n_sets * n_null_resamples(n_resamples)
        drawn = share_drawn(min(n, most or n), max(numbers))
        curve = 2 * pairs * drawn * (1 if clusterer.every_k else len(numbers))
    else:
        curve = float(n_sets)
    # bootstrap samples have 1 − 1/e of the objects, those of the consensus 0.8
    clusters = 2 * n_resamples * (1 - math.exp(-1) + 0.8)
    fitted = [
        c
        for c in study.storage.candidates()
        if c["parameter"] is not None and c["status"] not in UNFINISHED
    ]
    swept_fits = sum((c["fitted_on"] or n) / n for c in fitted)
    return Work(share * one * (curve + clusters), swept_fits)


def why_not(study: Study, name: str) -> str | None:
    """Why the stability of a candidate is not judged unless it is asked for; None where it is."""
    candidate = study.storage.candidate(name)
    if candidate["parameter"] is None:
        return f"{name} was made elsewhere"
    work = work_of(study, candidate)
    return None if work.pays else f"{work}; --stability judges it"


def swept_numbers(study: Study) -> list[int]:
    """Numbers of clusters that the study was told to try."""
    return [k for sweep in study.record.sweeps for k in sweep["k"]]


def stability(
    study: Study,
    name: str | None = None,
    *,
    k: int | Iterable[int] | None = None,
    n_resamples: int = 20,
    n_references: int = 5,
    executor: Any = None,
    progress: bool | None = None,
) -> Assessment:
    """Judge whether the clusters of a candidate, and their number, would be found again.

    Parameters
    ----------
    name : str, optional
        The candidate; by default the choice. Its clusterer is fitted to resamples.
    k : int or iterable of int, optional
        Numbers of clusters for the curve; by default those that were swept.
    n_resamples, n_references : int
        As for :func:`karat.stability.assess`.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        As for :meth:`sweep`; by default threads of this process.
    progress : bool, optional
        Show a bar; by default on a terminal.

    Returns
    -------
    Assessment
        It is kept in the study: asked the same again it is read, and the reasons of
        :meth:`best` and the report have it.

    Raises
    ------
    InputError
        For a clustering that was made elsewhere, or of a clusterer that cannot be fitted to
        parts of the data.

    Examples
    --------
    >>> import karat
    >>> X = [[0.0], [0.1], [0.3], [5.0], [5.1], [5.3], [9.0], [9.2], [9.3]]
    >>> study = karat.Study(X)
    >>> study.sweep(["average"], k=range(2, 4))
    >>> found = study.stability("average k=3", n_resamples=5, n_references=2)
    >>> len(found.clusters.table)
    3
    """
    name = str(study.rank().index[0]) if name is None else name
    study.labels(name)  # says what is wrong with the name
    candidate = study.storage.candidate(name)
    clusterer = clusterer_of(study, candidate)
    numbers = (swept_numbers(study) or DEFAULT_NUMBERS) if k is None else k
    numbers = sorted(numbers) if isinstance(numbers, Iterable) else [numbers]
    most = None if study.settings.exact else MOST_OBJECTS
    largest = min(study.n_objects, most or study.n_objects) // 2
    question = {
        "version": __version__,
        "clusterer": clusterer.key,
        "value": candidate["value"],
        "metric": study.settings.metric,
        "k": [number for number in dict.fromkeys(map(int, numbers)) if 2 <= number <= largest],
        "n_resamples": n_resamples,
        "n_references": n_references,
        "max_objects": most,
        "everywhere": most is None or study.n_objects <= most,
        "random_state": study.settings.random_state,
    }
    key = _key(candidate["partition"])
    kept = study.storage.meta.get(key)
    if kept is not None and kept["question"] == question:
        return _unpack(kept["answer"])
    told = clusterer.parameter == "n_clusters"
    data, metric = _given(study, clusterer)
    n_sets = _n_sets(study, clusterer, n_references)
    steps = n_steps(len(question["k"]) if told else 0, n_resamples, n_sets)
    with counted("Resampling", steps, show=progress) as threads:
        found = assess(
            data,
            clusterer,
            labels=study.labels(name),
            metric=metric,
            executor=threads if executor is None else study.fits.workers_of(executor),
            **{one: value for one, value in question.items() if one in _ASKED},
        )
    study.storage.set_meta({key: {"question": question, "answer": _pack(found)}})
    return found


#: what a question has in common with the arguments of :func:`karat.stability.assess`
_ASKED = (
    "k", "value", "n_resamples", "n_references", "max_objects", "everywhere", "random_state",
)  # fmt: skip


def _given(study: Study, clusterer: Clusterer) -> tuple[Any, Any]:
    """The data and their distance as a clusterer gets them."""
    # a function of two rows is not called again, unless the clusterer needs the rows
    if "features" in clusterer.distances:
        return study.X, study.metric
    return study.objects.points


def _n_sets(study: Study, clusterer: Clusterer, n_references: int) -> int:
    """How many reference data sets there are to cluster."""
    kinds = Null(*_given(study, clusterer)).kinds
    if clusterer.parameter == "n_clusters":
        kinds = kinds_beside(kinds, study.objects.structure)
    return len(kinds) * n_references


def kept_assessment(study: Study, name: str) -> Assessment | None:
    """What :meth:`Study.stability` said of a candidate before, None where it was not asked."""
    kept = study.storage.meta.get(_key(str(study.candidates["partition"].get(name))))
    return None if kept is None else _unpack(kept["answer"])


def clusterer_of(study: Study, candidate: dict[str, Any]) -> Clusterer:
    """What made a candidate, to be fitted again."""
    key = candidate["clusterer"]
    if key in study.fits.known:
        return study.fits.known[key]
    if candidate["parameter"] is None:
        raise InputError(
            f"{candidate['name']} was made elsewhere, and its stability needs the clusterer that "
            "made it, to be fitted to resamples; karat.stability.assess(X, clusterer, "
            "labels=..., value=k) takes both"
        )
    own = key.partition(" of ")[0].partition(" on ")[0]
    if own != key and (own in study.fits.known or own in catalogue):
        one = study.fits.known.get(own) or catalogue[own]
        found = [c for c in study.fits.under_distance([one], {})[0] if c.key == key]
        if found:  # it is under the study's distance already
            return replace(found[0], distances=("features",))
    if key not in catalogue:
        raise InputError(
            f"the clusterer {key} is not in the catalogue, and a study file cannot keep it; call "
            "sweep with it again first"
        )
    return catalogue[key]


def _key(partition: str) -> str:
    return f"assessment {partition}"


_KINDS = {kind.__name__: kind for kind in (Assessment, ClusterStability, StabilityCurve)}


def _pack(thing: Any) -> Any:
    """An assessment as JSON takes it: what is not plain as its kind and its content."""
    kind, content = type(thing).__name__, thing
    if kind in _KINDS:
        names = [one.name for one in fields(thing) if one.name != "details"]
        content = {name: _pack(getattr(thing, name)) for name in names}
    elif isinstance(thing, np.ndarray):
        content = to_text(thing)
    elif kind == "DataFrame":
        content = to_columns(thing)
    elif isinstance(thing, dict):
        content = [[key, _pack(value)] for key, value in thing.items()]
    elif not isinstance(thing, tuple):
        return thing
    return [kind, content]


def _unpack(kept: Any) -> Any:
    """What :func:`_pack` took apart."""
    if not isinstance(kept, list):
        return kept
    kind, content = kept
    if kind in _KINDS:
        return _KINDS[kind](**{name: _unpack(part) for name, part in content.items()})
    if kind == "dict":
        return {key: _unpack(value) for key, value in content}
    if kind == "ndarray":
        return from_text(content)
    return from_columns(content) if kind == "DataFrame" else tuple(content)


def to_columns(table: pd.DataFrame) -> dict[str, Any]:
    """A table as JSON takes it."""
    return {
        "index": [table.index.name, table.index.tolist()],
        "columns": {str(name): table[name].tolist() for name in table},
    }


def from_columns(kept: dict[str, Any]) -> pd.DataFrame:
    """The table that :func:`to_columns` took apart."""
    import pandas as pd

    name, index = kept["index"]
    return pd.DataFrame(kept["columns"], index=pd.Index(index, name=name))
