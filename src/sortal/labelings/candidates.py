"""Labels of fitted estimators, topic models, annotated matrices, partitions and dendrograms.

Measures with the right ``Measure.structures`` judge a soft or overlapping clustering itself; all
others judge its hard labels. A dendrogram is judged by its cuts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from sortal.labelings.partitions import OverlappingPartition, SoftPartition
from sortal.labelings.structures import Dendrogram, Memberships
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike

#: columns of ``obs`` that are clusterings
CLUSTERINGS = re.compile(
    r"leiden|louvain|cluster|k_?means|phenograph|walktrap|infomap", re.IGNORECASE
)


def hard_labelings(given: Any, X: ArrayLike | None = None) -> tuple[Any, dict[str, Memberships]]:
    """Labels of whatever holds clusterings, and memberships of soft and overlapping ones.

    Parameters
    ----------
    given : object
        One of these, or a list or mapping of them:

        - a fitted estimator or pipeline (``labels_``, or ``predict`` of the data)
        - a BERTopic model (``topics_``)
        - an annotated matrix of scanpy: columns of ``obs`` with names such as leiden, louvain,
          cluster
        - a :class:`~sortal.labelings.SoftPartition`,
          :class:`~sortal.labelings.OverlappingPartition` or :class:`~sortal.Dendrogram`
    X : array-like, optional
        The data, for estimators that only predict.

    Returns
    -------
    labelings : object
        Input for :func:`sortal.labelings.as_labelings`: hard labels of each candidate, and of each
        cut of a dendrogram. Anything else is returned unchanged.
    memberships : dict

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN
    >>> from sortal.labelings import SoftPartition, hard_labelings
    >>> fitted = DBSCAN(eps=1, min_samples=1).fit([[0.0], [0.1], [9.0]])
    >>> labelings, soft = hard_labelings([fitted, SoftPartition([[0.9, 0.1], [0, 1], [0, 1]])])
    >>> {name: labels.tolist() for name, labels in labelings.items()}, list(soft)
    ({'DBSCAN': [0, 0, 1], '1': [0, 1, 1]}, ['1'])
    """
    entries: Any = given
    if _is_special(given):
        entries = {_name(given) or ("tree" if isinstance(given, Dendrogram) else "0"): given}
    listed = isinstance(entries, (list, tuple))
    pairs = [(_name(entry) or str(i), entry) for i, entry in enumerate(entries)] if listed else []
    if isinstance(entries, Mapping):
        pairs = [(str(name), entry) for name, entry in entries.items()]
    if not any(_is_special(clustering) for _, clustering in pairs):
        return entries, {}
    hard: dict[str, Any] = {}
    memberships: dict[str, Memberships] = {}
    for i, (name, clustering) in enumerate(pairs):
        if isinstance(clustering, (SoftPartition, OverlappingPartition)):
            memberships[name] = clustering
        for key, labels in _labels_of(clustering, name, X).items():
            if key in hard and not listed:
                raise InputError(f"two clusterings are called {key!r}; give each its own name")
            hard[key if key not in hard else f"{key} {i + 1}"] = labels
    return hard, memberships


def _is_special(candidate: object) -> bool:
    """Whether a candidate is a structure, an estimator, a topic model or an annotated matrix."""
    structures = (SoftPartition, OverlappingPartition, Dendrogram)
    return isinstance(candidate, structures) or bool(_name(candidate))


def _name(candidate: object) -> str:
    """Name of an estimator, a topic model or an annotated matrix; empty for anything else."""
    if isinstance(candidate, (type, np.ndarray)):
        return ""
    predicts = hasattr(candidate, "fit_predict") or hasattr(candidate, "predict")
    named = (
        (hasattr(candidate, "fit") and predicts)
        or hasattr(candidate, "topics_")
        or _is_annotated(candidate)
    )
    return type(_last(candidate)).__name__ if named else ""


def _is_annotated(candidate: object) -> bool:
    """Whether the object is an annotated matrix (AnnData)."""
    return all(hasattr(candidate, attribute) for attribute in ("obs", "obsm", "obs_names"))


def _last(estimator: object) -> Any:
    """The last step of a pipeline; any other estimator itself."""
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else estimator


def _labels_of(candidate: Any, name: str, X: ArrayLike | None) -> dict[str, Any]:
    """The hard labels that a candidate holds, by name."""
    if isinstance(candidate, Dendrogram):
        return {f"{name} k={k}": cut for k, cut in candidate.labelings().items()}
    if not _is_special(candidate):
        return {name: candidate}
    if isinstance(candidate, (SoftPartition, OverlappingPartition)):
        return {name: candidate.harden()}
    if _is_annotated(candidate):
        columns = [str(c) for c in candidate.obs.columns if CLUSTERINGS.search(str(c))]
        if not columns:
            raise InputError(
                "no column of obs is named like a clustering (leiden, louvain, cluster, ...). Give "
                "the columns themselves, adata.obs[[...]]. There are "
                f"{list(candidate.obs.columns)}"
            )
        return {column: candidate.obs[column] for column in columns}
    for attribute in ("topics_", "labels_"):
        labels = getattr(_last(candidate), attribute, None)
        if labels is not None:
            return {name: np.asarray(labels)}
    if X is None or not hasattr(candidate, "predict"):
        raise InputError(
            f"{name} has no labels_: fit it first"
            + (", or give the data that it predicts" if hasattr(candidate, "predict") else "")
        )
    from sklearn.exceptions import NotFittedError

    try:
        return {name: np.asarray(candidate.predict(X))}
    except NotFittedError:
        raise InputError(f"{name} is not fitted; fit it first") from None
