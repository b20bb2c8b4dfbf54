"""Descriptions of the clusters of a study, in the original units of its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from sortal.datasets import original_units
from sortal.distances import RELATIONS
from sortal.meaning import ClusterDescription, describe_clusters
from sortal.meaning.features import Table, as_table
from sortal.runtime.draws import draw_rows
from sortal.runtime.validation import InputError
from sortal.study.scores import candidate_cluster_names, candidate_labels, candidate_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.datasets import Dataset
    from sortal.runtime.types import Ints
    from sortal.study.tried import Tried

#: maximum number of objects that descriptions are computed from
MAX_DESCRIBED = 200_000
#: key of the note that has user-supplied names of clusters
NAMES = "cluster names"
#: maximum number of unnamed columns that are described as features, not as coordinates
MAX_UNNAMED = 20


def describe_candidate(tried: Tried, name: str) -> tuple[ClusterDescription, ...]:
    """Descriptions of a candidate's clusters, with the names that users gave them."""
    descriptions = described(tried, name).clusters
    naming = _naming(tried, name)
    if naming is None:
        return descriptions
    names, notes = naming["names"], naming["notes"]
    return tuple(
        replace(description, name=names[key], named_by=naming["by"], note=notes.get(key))
        if (key := str(description.cluster)) in names
        else description
        for description in descriptions
    )


@dataclass(eq=False)
class Described:
    """The clusters of a labeling, with their descriptions, which are computed once."""

    dataset: Dataset
    #: the clustered data and their distance
    points: tuple[Any, Any]
    labels: NDArray[np.int32]
    #: names of the clusters in the study, which may be their numbers
    names: tuple[str, ...]
    seed: int

    @cached_property
    def clusters(self) -> tuple[ClusterDescription, ...]:
        """A description of each cluster by the data alone."""
        return _described(self.dataset, self.points, self.labels, self.names, self.seed)


def described(tried: Tried, name: str) -> Described:
    """The clusters of a candidate, shared by descriptions, report and model."""
    key = f"described {name} {_partition(tried, name)}"
    if key not in tried.results:
        labels, names = candidate_labels(tried, name), candidate_cluster_names(tried, name)
        seed = tried.settings.random_state
        tried.results[key] = (
            Described(tried.dataset, tried.objects.points, labels, tuple(names), seed),
        )
    clusters: Described = tried.results[key][0]
    return clusters


def name_clusters(
    tried: Tried,
    names: Mapping[Any, str],
    *,
    by: str,
    notes: Mapping[Any, str] | None = None,
    candidate: str,
) -> None:
    """Store names for clusters, see :meth:`sortal.Study.name_clusters`."""
    clusters = set(range(int(candidate_labels(tried, candidate).max()) + 1))
    if not set(names) <= clusters:
        raise InputError(
            f"{candidate} has the clusters 0 to {len(clusters) - 1}; there are names for "
            f"{', '.join(map(repr, names))}"
        )
    named = dict(tried.storage.meta.get(NAMES) or {})
    named[_partition(tried, candidate)] = {
        "names": {str(int(cluster)): str(name) for cluster, name in names.items()},
        "notes": {str(int(cluster)): str(note) for cluster, note in (notes or {}).items()},
        "by": str(by),
    }
    tried.storage.set_meta({NAMES: named})


def user_names(tried: Tried, name: str) -> dict[str, str]:
    """User-supplied names of a candidate's clusters, by the numbers of the clusters."""
    names: dict[str, str] = (_naming(tried, name) or {"names": {}})["names"]
    return names


def _naming(tried: Tried, name: str) -> dict[str, Any] | None:
    """The stored names of a candidate's clusters, with their author and notes."""
    naming: dict[str, Any] | None
    naming = (tried.storage.meta.get(NAMES) or {}).get(_partition(tried, name))
    return naming


def _partition(tried: Tried, name: str) -> str:
    """The hash of a candidate's partition."""
    return str(candidate_table(tried).loc[name, "partition"])


def _described(
    data: Dataset,
    points: tuple[Any, Any],
    labels: NDArray[np.int32],
    names: Sequence[str],
    seed: int,
) -> tuple[ClusterDescription, ...]:
    """Descriptions of any clusters; ``points`` are the clustered data and their distance."""
    n = len(labels)
    rows = draw_rows(n, MAX_DESCRIBED, seed)
    named = not all(name.isdecimal() for name in names)
    sizes = np.bincount(labels[labels >= 0]).tolist()
    descriptions = [
        ClusterDescription(c, names[c] if named else str(c), size, size / n)
        for c, size in enumerate(sizes)
    ]
    drawn = np.unique(labels[rows][labels[rows] >= 0])
    if len(drawn) == 0:
        return tuple(descriptions)
    for description in describe_clusters(
        labels=labels[rows], names=[names[c] for c in drawn] if named else None,
        random_state=seed, **_objects(data, points, rows),
    ):  # fmt: skip
        c = int(description.cluster)
        descriptions[c] = replace(
            description,
            size=sizes[c],
            share=sizes[c] / n,
            central=tuple(int(rows[i]) for i in description.central),
            edge=tuple((int(rows[i]), nearest) for i, nearest in description.edge),
        )
    return tuple(descriptions)


def _objects(data: Dataset, points: tuple[Any, Any], rows: Ints) -> dict[str, Any]:
    """Arguments of :func:`sortal.meaning.describe_clusters` for some objects."""
    X, metric = points
    if len(rows) < data.n_objects:
        X = X[rows][:, rows] if metric in RELATIONS else X[rows]
    arguments: dict[str, Any] = {"X": X, "metric": metric}
    of_words = data.feature_names[:1] != ("x1",)
    if data.of_documents:
        kind = "terms" if of_words else "objects"
        return arguments | {"kind": kind, "feature_names": data.feature_names}
    if data.variables is not None:
        original = data.variables.iloc[rows].reset_index(drop=True)
        return arguments | {"feature_names": data.feature_names, "original": original}
    if data.n_features == 0 or (not of_words and data.n_features > MAX_UNNAMED):
        return arguments | {"kind": "objects"}
    names = None if isinstance(metric, str) and metric in RELATIONS else data.feature_names
    return arguments | {"feature_names": names, "original": original_units(data, rows)}


def features_of(tried: Tried, rows: Ints) -> Table | None:
    """Features that distinguish clusters of some objects; None where only distances are known."""
    arguments = _objects(tried.dataset, tried.objects.points, rows)
    kind, names = arguments.get("kind", "features"), arguments.get("feature_names")
    if kind == "terms":
        return as_table(sparse.csr_array(arguments["X"] != 0, dtype=np.float64), names, None)
    if kind == "objects":
        return None
    original = arguments["original"]
    return as_table(original if names is None else arguments["X"], names, original)
