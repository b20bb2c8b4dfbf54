"""Stability in a study: judged once for a clustering, kept in its file."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat import __version__
from karat.clusterers import Clusterer, catalogue
from karat.stability import Assessment, ClusterStability, StabilityCurve, assess
from karat.stability.assessment import MOST_OBJECTS, n_steps
from karat.stability.progress import counted
from karat.study.sweeping import swept
from karat.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from karat.study.study import Study

#: numbers of clusters where the study was not told any
DEFAULT_NUMBERS = range(2, 9)


def assessed(
    study: Study,
    candidate: dict[str, Any],
    clusterer: Clusterer,
    numbers: Iterable[int],
    *,
    n_resamples: int,
    n_references: int,
    executor: Executor | None,
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
        "random_state": study.random_state,
    }
    key = _key(candidate["partition"])
    kept = study._store.meta.get(key)
    if kept is not None and kept["question"] == question:
        return _unpack(kept["answer"])
    told = clusterer.parameter == "n_clusters"
    steps = n_steps(len(question["k"]) if told else 0, n_resamples, n_references)
    # a function of two rows is not called again, unless the clusterer needs the rows
    of_rows = "features" in clusterer.distances
    data, metric = (study.X, study.metric) if of_rows else study._points
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
            metric=metric,
            random_state=study.random_state,
            executor=executor or threads,
            kept=parts,
        )
    study._store.set_meta({key: {"question": question, "answer": _pack(found)}, parts.key: None})
    return found


class _Parts(dict[str, Any]):
    """What is finished of a call, in the study's file: a call that was killed goes on from it."""

    def __init__(self, study: Study, partition: str, question: dict[str, Any]) -> None:
        self.key = f"stability in parts {partition}"
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
    return f"stability {partition}"


def _pack(found: Assessment) -> dict[str, Any]:
    curve, clusters = found.curve, found.clusters
    return {
        "clusterer": found.clusterer,
        "value": found.value,
        "n_references": found.n_references,
        "rows": _to_text(found.rows),
        "shown": _to_text(found.shown),
        "consensus": _to_text(found.consensus),
        "labels": _to_text(clusters.labels),
        "objects": _to_text(clusters.objects),
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
    shown = _from_text(kept["shown"], np.int64)
    clusters = ClusterStability(
        from_columns(kept["clusters"]),
        _from_text(kept["labels"], np.int32),
        _from_text(kept["objects"], np.float64),
        kept["n_resamples"],
        np.array(kept["found"]),
    )
    return Assessment(
        kept["clusterer"],
        curve,
        clusters,
        kept["value"],
        _from_text(kept["rows"], np.int64),
        shown,
        _from_text(kept["consensus"], np.float32).reshape(len(shown), len(shown)),
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


def _to_text(array: Any) -> str:
    little = array.astype(array.dtype.newbyteorder("<"))
    return base64.b64encode(zlib.compress(little.tobytes())).decode()


def _from_text(text: str, dtype: Any) -> Any:
    little = np.dtype(dtype).newbyteorder("<")
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=little).astype(dtype)
