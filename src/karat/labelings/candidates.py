"""Clusterings as people have them: fitted estimators, topic models, annotated matrices, structures.

A soft or overlapping clustering is judged as it is by the measures that take it
(``Measure.structures``), and by its hard labels everywhere else; a dendrogram is judged by its
cuts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.labelings.partitions import OverlappingPartition, SoftPartition
from karat.labelings.structures import Dendrogram, Memberships
from karat.runtime.validation import InputError

#: columns of ``obs`` that are clusterings
CLUSTERINGS = re.compile(
    r"leiden|louvain|cluster|k_?means|phenograph|walktrap|infomap", re.IGNORECASE
)


def hard_labelings(given: Any, X: Any = None) -> tuple[Any, dict[str, Memberships]]:
    """The labels in what holds clusterings, and the memberships of soft and overlapping ones.

    Parameters
    ----------
    given : object
        A fitted estimator (``labels_``, or ``predict`` of the data; of a pipeline, that of its
        last step), a BERTopic model (``topics_``), an annotated matrix as scanpy has it (the
        columns of ``obs`` whose names say that they are clusterings: leiden, louvain, cluster,
        ...), a :class:`~karat.labelings.SoftPartition`,
        :class:`~karat.labelings.OverlappingPartition` or :class:`~karat.Dendrogram`, or a list or
        a mapping in which some are.
    X : array-like, optional
        The data, for estimators that only predict.

    Returns
    -------
    labelings : object
        What :func:`karat.labelings.as_labelings` takes: hard labels of each, of a dendrogram
        those of its cuts. What holds nothing of the above is given back as it is.
    memberships : dict

    Raises
    ------
    InputError
        For an estimator that is not fitted, an annotated matrix without clusterings, and two
        clusterings of one name.

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN
    >>> from karat.labelings import SoftPartition, hard_labelings
    >>> fitted = DBSCAN(eps=1, min_samples=1).fit([[0.0], [0.1], [9.0]])
    >>> labelings, soft = hard_labelings([fitted, SoftPartition([[0.9, 0.1], [0, 1], [0, 1]])])
    >>> {name: labels.tolist() for name, labels in labelings.items()}, list(soft)
    ({'DBSCAN': [0, 0, 1], '1': [0, 1, 1]}, ['1'])
    """
    if _is_special(given):
        given = {_name(given) or ("tree" if isinstance(given, Dendrogram) else "0"): given}
    listed = isinstance(given, (list, tuple))
    pairs = [(_name(one) or str(i), one) for i, one in enumerate(given)] if listed else []
    if isinstance(given, Mapping):
        pairs = [(str(name), one) for name, one in given.items()]
    if not any(_is_special(one) for _, one in pairs):
        return given, {}
    hard: dict[str, Any] = {}
    memberships: dict[str, Memberships] = {}
    for i, (name, one) in enumerate(pairs):
        if isinstance(one, (SoftPartition, OverlappingPartition)):
            memberships[name] = one
        for key, labels in _labels_of(one, name, X).items():
            if key in hard and not listed:
                raise InputError(f"two clusterings are called {key!r}; give each its own name")
            hard[key if key not in hard else f"{key} {i + 1}"] = labels
    return hard, memberships


def _is_special(one: Any) -> bool:
    structures = (SoftPartition, OverlappingPartition, Dendrogram)
    return isinstance(one, structures) or bool(_name(one))


def _name(one: Any) -> str:
    """What an estimator, a topic model or an annotated matrix is called; others have no name."""
    if isinstance(one, (type, np.ndarray)):
        return ""
    estimator = hasattr(one, "fit") and (hasattr(one, "fit_predict") or hasattr(one, "predict"))
    known = estimator or hasattr(one, "topics_") or _is_annotated(one)
    return type(_last(one)).__name__ if known else ""


def _is_annotated(one: Any) -> bool:
    return all(hasattr(one, part) for part in ("obs", "obsm", "obs_names"))


def _last(one: Any) -> Any:
    """The last step of a pipeline."""
    steps = getattr(one, "steps", None)
    return steps[-1][1] if steps else one


def _labels_of(one: Any, name: str, X: Any) -> dict[str, Any]:
    if isinstance(one, Dendrogram):
        return {f"{name} k={k}": cut for k, cut in one.labelings().items()}
    if not _is_special(one):
        return {name: one}
    if isinstance(one, (SoftPartition, OverlappingPartition)):
        return {name: one.harden()}
    if _is_annotated(one):
        columns = [str(c) for c in one.obs.columns if CLUSTERINGS.search(str(c))]
        if not columns:
            raise InputError(
                f"no column of obs is called as clusterings are (leiden, louvain, cluster, ...); "
                f"give the columns themselves, adata.obs[[...]]; there are {list(one.obs.columns)}"
            )
        return {column: one.obs[column] for column in columns}
    for attribute in ("topics_", "labels_"):
        labels = getattr(_last(one), attribute, None)
        if labels is not None:
            return {name: np.asarray(labels)}
    if X is None or not hasattr(one, "predict"):
        raise InputError(
            f"{name} has no labels_: fit it first"
            + (", or give the data that it predicts" if hasattr(one, "predict") else "")
        )
    from sklearn.exceptions import NotFittedError

    try:
        return {name: np.asarray(one.predict(X))}
    except NotFittedError:
        raise InputError(f"{name} is not fitted; fit it first") from None
