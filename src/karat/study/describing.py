"""What the clusters of a study mean, from its data in original units."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat.distances import RELATIONS
from karat.meaning import ClusterDescription, describe_clusters
from karat.meaning.features import Table, as_table

if TYPE_CHECKING:
    from karat.datasets import Dataset
    from karat.study.study import Study

#: objects that are looked at; of more, a random sample
AT_MOST = 200_000
#: columns without names up to which they are features to speak of, and not coordinates
NAMELESS = 20
#: significant digits that undoing a scaling keeps
DIGITS = 12


def describe(study: Study, name: str | None = None) -> tuple[ClusterDescription, ...]:
    """Say what each cluster is: a rule, a name, telling features, central and doubtful objects.

    Parameters
    ----------
    name : str, optional
        A candidate; by default the answer.

    Returns
    -------
    tuple of ClusterDescription
        ``cluster`` is the number in :meth:`labels`. Of more than 200,000 objects, rules, effects
        and positions are those of a random sample.

    See Also
    --------
    karat.meaning.describe_clusters

    Examples
    --------
    >>> import karat
    >>> study = karat.Study(karat.datasets.load("wine", scale="standard"))
    >>> study.sweep("ward", k=[3])
    >>> [one.size for one in study.describe("ward k=3")]
    [64, 58, 56]
    """
    name = study.best().name if name is None else name
    labels = study.labels(name)
    key = f"describe {name} {study.candidates.loc[name, 'partition']!s}"
    if key not in study.results:
        study.results[key] = (_described(study, name, labels),)
    found: tuple[ClusterDescription, ...] = study.results[key][0]
    return found


def _described(study: Study, name: str, labels: Any) -> tuple[ClusterDescription, ...]:
    n = len(labels)
    rows = np.arange(n)
    if n > AT_MOST:
        seed = study.settings.random_state
        rows = np.sort(np.random.default_rng(seed).permutation(n)[:AT_MOST])
    called: list[str] | None = study.cluster_names(name)
    if called is not None and all(one.isdecimal() for one in called):
        called = None
    sizes = np.bincount(labels[labels >= 0]).tolist()
    out = [
        ClusterDescription(c, str(c) if called is None else called[c], size, size / n)
        for c, size in enumerate(sizes)
    ]
    there = np.unique(labels[rows][labels[rows] >= 0])
    if len(there) == 0:
        return tuple(out)
    if called is not None:
        called = [called[c] for c in there]
    for one in describe_clusters(
        labels=labels[rows], names=called, random_state=study.settings.random_state,
        **_objects(study, rows),
    ):  # fmt: skip
        c = int(one.cluster)
        out[c] = replace(
            one,
            size=sizes[c],
            share=sizes[c] / n,
            central=tuple(int(rows[i]) for i in one.central),
            edge=tuple((int(rows[i]), other) for i, other in one.edge),
        )
    return tuple(out)


def _objects(study: Study, rows: Any) -> dict[str, Any]:
    """What the objects are described by."""
    data = study.dataset.without_embeddings()
    X, metric = study.objects.points
    if data is not study.dataset:
        X = data.X
    all_of_them = len(rows) == data.n_objects
    if not all_of_them:
        X = X[rows][:, rows] if metric in RELATIONS else X[rows]
    told: dict[str, Any] = {"X": X, "metric": metric}
    of_words = data.feature_names[:1] != ("x1",)
    if data.of_documents:
        kind = "terms" if of_words else "objects"
        return told | {"kind": kind, "feature_names": data.feature_names}
    if data.n_features == 0 or (not of_words and data.n_features > NAMELESS):
        return told | {"kind": "objects"}
    names = None if isinstance(metric, str) and metric in RELATIONS else data.feature_names
    return told | {"feature_names": names, "original": _original(data, rows)}


def features_of(study: Study, rows: Any) -> Table | None:
    """By what clusters of some of the objects can be told apart; of documents, by their terms."""
    told = _objects(study, rows)
    kind, names = told.get("kind", "features"), told.get("feature_names")
    if kind == "terms":
        return as_table(sparse.csr_array(told["X"] != 0, dtype=np.float64), names, None)
    if kind == "objects":
        return None
    original = told["original"]
    return as_table(original if names is None else told["X"], names, original)


def _original(data: Dataset, rows: Any) -> Any:
    """The features in original units; dates as dates."""
    import pandas as pd

    X: Any = data.X if len(rows) == data.n_objects else data.X[rows]
    if not isinstance(X, np.ndarray):
        return X if data.scale is None else sparse.csr_array(X @ sparse.diags_array(data.scale))
    X = X.astype(np.float64)
    if data.scale is not None and data.center is not None:
        X = X * data.scale + data.center
        largest = np.maximum(np.abs(X).max(axis=0), np.finfo(np.float64).tiny)
        for j, places in enumerate(DIGITS - np.ceil(np.log10(largest)).astype(int)):
            X[:, j] = np.round(X[:, j], min(int(places), 300))
    table = pd.DataFrame(X, columns=list(data.feature_names))
    for one in () if data.plan is None else data.plan.columns:
        if one.kind == "date" and one.use == "feature":
            table[one.name] = pd.to_datetime(table[one.name], unit="D")
    return table
