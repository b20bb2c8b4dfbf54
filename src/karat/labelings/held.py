"""Clusterings as people hold them: in fitted estimators, topic models, annotated matrices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from karat.runtime.validation import InputError

#: columns of ``obs`` that are clusterings
CLUSTERINGS = re.compile(
    r"leiden|louvain|cluster|k_?means|phenograph|walktrap|infomap", re.IGNORECASE
)


def held_labelings(given: Any, X: Any = None) -> Any:
    """The labels in what holds clusterings; anything else is given back as it is.

    Parameters
    ----------
    given : object
        A fitted estimator (``labels_``, or ``predict`` of the data; of a pipeline, that of its
        last step), a BERTopic model (``topics_``), an annotated matrix as scanpy has it (the
        columns of ``obs`` whose names say that they are clusterings: leiden, louvain, cluster,
        ...), or a list or a mapping in which some are.
    X : array-like, optional
        The data, for estimators that only predict.

    Returns
    -------
    object
        What :func:`karat.labelings.as_labelings` takes.

    Raises
    ------
    InputError
        For an estimator that is not fitted, or an annotated matrix without clusterings.

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN
    >>> from karat.labelings import held_labelings
    >>> fitted = DBSCAN(eps=1, min_samples=1).fit([[0.0], [0.1], [9.0]])
    >>> {name: labels.tolist() for name, labels in held_labelings(fitted).items()}
    {'DBSCAN': [0, 0, 1]}
    """
    if _holds(given):
        return _labels_of(given, _name(given), X)
    if isinstance(given, Mapping):
        if not any(_holds(one) for one in given.values()):
            return given
        out: dict[str, Any] = {}
        for name, one in given.items():
            out |= _labels_of(one, str(name), X) if _holds(one) else {str(name): one}
        return out
    if isinstance(given, (list, tuple)) and any(_holds(one) for one in given):
        out = {}
        for i, one in enumerate(given):
            found = _labels_of(one, _name(one), X) if _holds(one) else {str(i): one}
            for name, labels in found.items():
                out[name if name not in out else f"{name} {i + 1}"] = labels
        return out
    return given


def _holds(one: Any) -> bool:
    if isinstance(one, (type, np.ndarray)):
        return False
    estimator = hasattr(one, "fit") and (hasattr(one, "fit_predict") or hasattr(one, "predict"))
    return estimator or hasattr(one, "topics_") or _is_annotated(one)


def _is_annotated(one: Any) -> bool:
    return all(hasattr(one, part) for part in ("obs", "obsm", "obs_names"))


def _name(one: Any) -> str:
    return type(_last(one)).__name__


def _last(one: Any) -> Any:
    """The last step of a pipeline."""
    steps = getattr(one, "steps", None)
    return steps[-1][1] if steps else one


def _labels_of(one: Any, name: str, X: Any) -> dict[str, Any]:
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
