"""Stability in a study: judged once for a clustering, kept in its file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.clusterers import Clusterer, catalogue
from karat.nulls.references import Null
from karat.runtime.validation import InputError
from karat.runtime.version import __version__
from karat.stability import Assessment, ClusterStability, StabilityCurve, assess
from karat.stability._batches import from_text, to_text
from karat.stability._engine import prepare
from karat.stability.assessment import MOST_OBJECTS, n_steps
from karat.stability.calibrated import n_null_resamples
from karat.stability.progress import counted
from karat.study.store import UNFINISHED
from karat.study.sweeping import swept

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
    of_rows = "features" in clusterer.distances
    data, metric = (study.X, study.metric) if of_rows else study._points
    n_sets = len(Null(data, metric).kinds) * n_references
    one = 1 / QUICK_FITS if prepare(data, clusterer, metric=metric).quick is not None else 1.0
    if clusterer.parameter == "n_clusters":
        numbers = 1 if clusterer.every_k else len(set(swept_numbers(study)) or DEFAULT_NUMBERS)
        pairs = n_resamples + n_sets * n_null_resamples(n_resamples)
        curve = 0.5 * 2 * pairs * numbers
    else:
        curve = float(n_sets)
    # bootstrap samples have 1 − 1/e of the objects, those of the consensus 0.8
    clusters = 2 * n_resamples * (1 - math.exp(-1) + 0.8)
    fitted = [
        c
        for c in study._store.candidates()
        if c["parameter"] is not None and c["status"] not in UNFINISHED
    ]
    swept_fits = sum((c["fitted_on"] or n) / n for c in fitted)
    return Work(share * one * (curve + clusters), swept_fits)


def why_not(study: Study, name: str) -> str | None:
    """Why the stability of a candidate is not judged unless it is asked for; None where it is."""
    candidate = next(c for c in study._store.candidates() if c["name"] == name)
    if candidate["parameter"] is None:
        return f"{name} was made elsewhere"
    if kept_assessment(study, candidate["partition"]) is not None:
        return None
    work = work_of(study, candidate)
    return None if work.pays else f"{work}; --stability judges it"


def swept_numbers(study: Study) -> list[int]:
    """Numbers of clusters that the study was told to try."""
    return [k for kind, content in study.record if kind == "sweep" for k in content["k"]]


def assessed(
    study: Study,
    candidate: dict[str, Any],
    clusterer: Clusterer,
    numbers: Iterable[int],
    *,
    n_resamples: int,
    n_references: int,
    executor: Any,
    progress: bool | None,
) -> Assessment:
    """The stability of a candidate: as it was kept, or judged now and kept."""
    most = None if study.settings.exact else MOST_OBJECTS
    largest = min(study.n_objects, most or study.n_objects) // 2
    question = {
        "version": __version__,
        "clusterer": clusterer.key,
        "value": candidate["value"],
        "metric": study.settings.metric,
        "k": [k for k in dict.fromkeys(map(int, numbers)) if 2 <= k <= largest],
        "n_resamples": n_resamples,
        "n_references": n_references,
        "max_objects": most,
        "everywhere": most is None or study.n_objects <= most,
        "random_state": study.random_state,
    }
    key = _key(candidate["partition"])
    kept = study._store.meta.get(key)
    if kept is not None and kept["question"] == question:
        return _unpack(kept["answer"])
    told = clusterer.parameter == "n_clusters"
    # a function of two rows is not called again, unless the clusterer needs the rows
    of_rows = "features" in clusterer.distances
    data, metric = (study.X, study.metric) if of_rows else study._points
    n_sets = len(Null(data, metric).kinds) * n_references
    steps = n_steps(len(question["k"]) if told else 0, n_resamples, n_sets)
    parts = _Parts(study, candidate["partition"], question)
    with counted("Resampling", steps, show=progress) as threads:
        found = assess(
            data,
            clusterer,
            k=question["k"],
            labels=study.labels(candidate["name"]),
            value=candidate["value"],
            n_resamples=n_resamples,
            n_references=n_references,
            max_objects=most,
            everywhere=question["everywhere"],
            metric=metric,
            random_state=study.random_state,
            executor=threads if executor is None else study._workers_of(executor),
            kept=parts,
        )
    study._store.set_meta({key: {"question": question, "answer": _pack(found)}, parts.key: None})
    return found


class _Parts(dict[str, Any]):
    """What is finished of a call, in the study's file: a call that was killed goes on from it."""

    def __init__(self, study: Study, partition: str, question: dict[str, Any]) -> None:
        self.key = f"assessment in parts {partition}"
        self._store, self._question = study._store, question
        kept = self._store.meta.get(self.key)
        same = kept is not None and kept["question"] == question
        super().__init__(kept["parts"] if kept is not None and same else {})

    def __setitem__(self, name: str, values: Any) -> None:
        super().__setitem__(name, values)
        self._store.set_meta({self.key: {"question": self._question, "parts": dict(self)}})


def kept_assessment(study: Study, partition: str) -> Assessment | None:
    """What was judged of a partition before, where it was."""
    kept = study._store.meta.get(_key(partition))
    return None if kept is None else _unpack(kept["answer"])


def clusterer_of(study: Study, candidate: dict[str, Any]) -> Clusterer:
    """What made a candidate, to be fitted again."""
    key = candidate["clusterer"]
    if key in study._swept:
        return study._swept[key]
    if candidate["parameter"] is None:
        raise InputError(
            f"{candidate['name']} was made elsewhere, and its stability needs the clusterer that "
            "made it, to be fitted to resamples; karat.stability.assess(X, clusterer, "
            "labels=..., value=k) takes both"
        )
    own = key.partition(" of ")[0].partition(" on ")[0]
    if own != key and (own in study._swept or own in catalogue):
        one = study._swept.get(own) or catalogue[own]
        found = [c for c in study.fitting(swept(one), {})[0] if c.key == key]
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


def _pack(found: Assessment) -> dict[str, Any]:
    curve, clusters = found.curve, found.clusters
    return {
        "clusterer": found.clusterer,
        "value": found.value,
        "n_references": found.n_references,
        "rows": to_text(found.rows),
        "shown": to_text(found.shown),
        "consensus": to_text(found.consensus),
        "labels": to_text(clusters.labels),
        "objects": to_text(clusters.objects),
        "found": clusters.found.tolist(),
        "found_in_null": list(found.found_in_null),
        "n_resamples": clusters.n_resamples,
        "clusters": to_columns(clusters.table),
        "curve": None
        if curve is None
        else {
            "name": curve.name,
            "table": to_columns(curve.table),
            "samples": {str(k): values.tolist() for k, values in curve.samples.items()},
            "greater_is_better": curve.greater_is_better,
            "selected": curve.selected,
            "rule": curve.rule,
            "n_objects": curve.n_objects,
        },
    }


def _unpack(kept: dict[str, Any]) -> Assessment:
    curve = kept["curve"]
    if curve is not None:
        curve = StabilityCurve(
            **{
                **curve,
                "table": from_columns(curve["table"]),
                "samples": {int(k): np.array(values) for k, values in curve["samples"].items()},
            }
        )
    shown = from_text(kept["shown"])
    clusters = ClusterStability(
        from_columns(kept["clusters"]),
        from_text(kept["labels"]),
        from_text(kept["objects"]),
        kept["n_resamples"],
        np.array(kept["found"]),
    )
    return Assessment(
        kept["clusterer"],
        curve,
        clusters,
        kept["value"],
        from_text(kept["rows"]),
        shown,
        from_text(kept["consensus"]).reshape(len(shown), len(shown)),
        kept["n_references"],
        tuple(kept["found_in_null"]),
    )


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
