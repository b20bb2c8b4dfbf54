"""What the clusters of a study mean, from its data in original units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from karat.datasets import original_units
from karat.distances import RELATIONS
from karat.meaning import ClusterDescription, describe_clusters
from karat.meaning.features import Table, as_table
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.datasets import Dataset
    from karat.study.study import Study

#: objects that are looked at; of more, a random sample
AT_MOST = 200_000
#: where a study keeps names that somebody gave to clusters
NAMES = "cluster names"
#: columns without names up to which they are features to speak of, and not coordinates
NAMELESS = 20


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

    Examples
    --------
    >>> import karat
    >>> study = karat.Study(karat.datasets.load("wine", scale="standard"))
    >>> study.sweep("ward", k=[3])
    >>> [one.size for one in study.describe("ward k=3")]
    [64, 58, 56]
    """
    found: tuple[ClusterDescription, ...]
    name = study.best().name if name is None else name
    labels = study.labels(name)
    key = f"describe {name} {_partition(study, name)}"
    if key not in study.results:
        called, seed = study.cluster_names(name), study.settings.random_state
        found = described(study.dataset, study.objects.points, labels, called, seed)
        study.results[key] = (found,)
    found = study.results[key][0]
    given = _given(study, name)
    if given is None:
        return found
    names, notes = given["names"], given["notes"]
    return tuple(
        replace(one, name=names[key], named_by=given["by"], note=notes.get(key))
        if (key := str(one.cluster)) in names
        else one
        for one in found
    )


def name_clusters(
    study: Study,
    names: Mapping[Any, str],
    *,
    by: str,
    notes: Mapping[Any, str] | None = None,
    candidate: str | None = None,
) -> None:
    """Give clusters the names that somebody found for them; descriptions and the report have them.

    Parameters
    ----------
    names : mapping of int to str
        By the number of the cluster in :meth:`labels`; clusters without one keep their own.
    by : str
        Who named them, which is told with the names.
    notes : mapping of int to str, optional
        By what its members are recognised, and how often they were.
    candidate : str, optional
        By default the answer. Candidates that are the same clustering have the same names.

    Raises
    ------
    InputError
        For a cluster that is not there.

    Examples
    --------
    >>> import karat
    >>> study = karat.Study(karat.datasets.load("wine", scale="standard"))
    >>> study.sweep("ward", k=[3])
    >>> study.name_clusters({0: "light"}, by="Ann", candidate="ward k=3")
    >>> [(one.name, one.named_by) for one in study.describe("ward k=3")][0]
    ('light', 'Ann')
    """
    candidate = study.best().name if candidate is None else candidate
    there = set(range(int(study.labels(candidate).max()) + 1))
    if not set(names) <= there:
        raise InputError(
            f"{candidate} has the clusters 0 to {len(there) - 1}; there are names for "
            f"{', '.join(map(repr, names))}"
        )
    named = dict(study.storage.meta.get(NAMES) or {})
    named[_partition(study, candidate)] = {
        "names": {str(int(cluster)): str(name) for cluster, name in names.items()},
        "notes": {str(int(cluster)): str(note) for cluster, note in (notes or {}).items()},
        "by": str(by),
    }
    study.storage.set_meta({NAMES: named})


def given_names(study: Study, name: str) -> dict[str, str]:
    """What somebody named the clusters of a candidate, by their numbers."""
    found: dict[str, str] = (_given(study, name) or {"names": {}})["names"]
    return found


def _given(study: Study, name: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None
    found = (study.storage.meta.get(NAMES) or {}).get(_partition(study, name))
    return found


def _partition(study: Study, name: str) -> str:
    return str(study.candidates.loc[name, "partition"])


def described(
    data: Dataset, points: tuple[Any, Any], labels: Any, called: Sequence[str], seed: int
) -> tuple[ClusterDescription, ...]:
    """The same of any labels of a data set; ``points`` are what was clustered, and its distance."""
    n = len(labels)
    rows = np.sort(np.random.default_rng(seed).permutation(n)[:AT_MOST])
    named = not all(one.isdecimal() for one in called)
    sizes = np.bincount(labels[labels >= 0]).tolist()
    out = [
        ClusterDescription(c, called[c] if named else str(c), size, size / n)
        for c, size in enumerate(sizes)
    ]
    there = np.unique(labels[rows][labels[rows] >= 0])
    if len(there) == 0:
        return tuple(out)
    for one in describe_clusters(
        labels=labels[rows], names=[called[c] for c in there] if named else None,
        random_state=seed, **_objects(data, points, rows),
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


def _objects(data: Dataset, points: tuple[Any, Any], rows: Any) -> dict[str, Any]:
    """What the objects are described by."""
    X, metric = points
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
    return told | {"feature_names": names, "original": original_units(data, rows)}


def features_of(study: Study, rows: Any) -> Table | None:
    """By what clusters of some of the objects can be told apart; of documents, by their terms."""
    told = _objects(study.dataset, study.objects.points, rows)
    kind, names = told.get("kind", "features"), told.get("feature_names")
    if kind == "terms":
        return as_table(sparse.csr_array(told["X"] != 0, dtype=np.float64), names, None)
    if kind == "objects":
        return None
    original = told["original"]
    return as_table(original if names is None else told["X"], names, original)
