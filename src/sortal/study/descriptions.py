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
    from sortal.study.state import StudyState
    from sortal.typing import Ints

#: limit of cost: objects that descriptions are computed from
MAX_DESCRIBED = 200_000
#: key of the note that has user-supplied names of clusters
NAMES = "cluster names"
#: tuned by eye: unnamed columns up to which they are features, not coordinates
MAX_UNNAMED = 20


def describe_candidate(state: StudyState, name: str) -> tuple[ClusterDescription, ...]:
    """Descriptions of a candidate's clusters, with the names that users gave them."""
    descriptions = described(state, name).clusters
    naming = _naming(state, name)
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


def described(state: StudyState, name: str) -> Described:
    """The clusters of a candidate, shared by descriptions, report and model."""
    key = f"described {name} {_partition(state, name)}"
    if key not in state.results:
        labels, names = candidate_labels(state, name), candidate_cluster_names(state, name)
        seed = state.settings.random_state
        state.results[key] = (
            Described(state.dataset, state.objects.points, labels, tuple(names), seed),
        )
    clusters: Described = state.results[key][0]
    return clusters


def name_clusters(
    state: StudyState,
    names: Mapping[Any, str],
    *,
    by: str,
    notes: Mapping[Any, str] | None = None,
    candidate: str,
) -> None:
    """Store names for clusters, see :meth:`sortal.Study.name_clusters`."""
    clusters = set(range(int(candidate_labels(state, candidate).max()) + 1))
    if not set(names) <= clusters:
        raise InputError(
            f"{candidate} has the clusters 0 to {len(clusters) - 1}; there are names for "
            f"{', '.join(map(repr, names))}"
        )
    named = dict(state.storage.meta.get(NAMES) or {})
    named[_partition(state, candidate)] = {
        "names": {str(int(cluster)): str(name) for cluster, name in names.items()},
        "notes": {str(int(cluster)): str(note) for cluster, note in (notes or {}).items()},
        "by": str(by),
    }
    state.storage.set_meta({NAMES: named})


def user_names(state: StudyState, name: str) -> dict[str, str]:
    """User-supplied names of a candidate's clusters, by the numbers of the clusters."""
    names: dict[str, str] = (_naming(state, name) or {"names": {}})["names"]
    return names


def _naming(state: StudyState, name: str) -> dict[str, Any] | None:
    """The stored names of a candidate's clusters, with their author and notes."""
    naming: dict[str, Any] | None
    naming = (state.storage.meta.get(NAMES) or {}).get(_partition(state, name))
    return naming


def _partition(state: StudyState, name: str) -> str:
    """The hash of a candidate's partition."""
    return str(candidate_table(state).loc[name, "partition"])


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
    clusters = np.unique(labels[rows][labels[rows] >= 0])
    if len(clusters) == 0:
        return tuple(descriptions)
    for description in describe_clusters(
        labels=labels[rows], names=[names[c] for c in clusters] if named else None,
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
        feature_kind = "terms" if of_words else "objects"
        return arguments | {"kind": feature_kind, "feature_names": data.feature_names}
    if data.variables is not None:
        original = data.variables.iloc[rows].reset_index(drop=True)
        return arguments | {"feature_names": data.feature_names, "original": original}
    if data.n_features == 0 or (not of_words and data.n_features > MAX_UNNAMED):
        return arguments | {"kind": "objects"}
    names = None if isinstance(metric, str) and metric in RELATIONS else data.feature_names
    return arguments | {"feature_names": names, "original": original_units(data, rows)}


def features_of(state: StudyState, rows: Ints) -> Table | None:
    """Features that distinguish clusters of some objects; None where only distances are known."""
    arguments = _objects(state.dataset, state.objects.points, rows)
    feature_kind, names = arguments.get("kind", "features"), arguments.get("feature_names")
    if feature_kind == "terms":
        return as_table(sparse.csr_array(arguments["X"] != 0, dtype=np.float64), names, None)
    if feature_kind == "objects":
        return None
    original = arguments["original"]
    return as_table(original if names is None else arguments["X"], names, original)
