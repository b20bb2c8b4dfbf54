"""Columns that a judge reads, made from the evidence about one data set's candidates."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sortal.judge.evidence import (
    ANCHOR_METHODS,
    COLUMN_NAMES,
    DATA_NAMES,
    MAX_SEEN_OBJECTS,
    NULL_NAMES,
    OWN_NAMES,
    SIZE_NAMES,
    STABILITY_NAMES,
    View,
    anchors,
    as_points,
    column_evidence,
    column_intervals,
    data_evidence,
    look_at,
    null_evidence,
    own_evidence,
    side_by_side,
    size_evidence,
    stability_evidence,
)
from sortal.judge.likelihood import LIKELIHOOD_NAMES, likelihood_evidence
from sortal.judge.settings import EVIDENCE, EvidenceSettings
from sortal.labelings.labels import encode
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

from sortal.typing import Bools, Floats, Ints, Metric, Rows

#: columns whose best and median over all anchors describe the data
ANCHOR_SUMMARIES = (
    "own neighbour modularity", "own tree validity", "own valley", "own gap", "stab stability",
    "null neighbour purity", "null tree validity", "null valley", "null gap", "agree top20",
    "likely full", "likely best model", "null best model", "own label information",
    "own thin border", "column likelihood",
)  # fmt: skip
#: derived: from the generated tasks, which have more; fewest objects whose candidates are judged
FEWEST_OBJECTS = 20


@dataclass(frozen=True)
class Traits:
    """Evidence about each of M partitions of one data set by itself."""

    #: see :mod:`sortal.judge.evidence`
    own: Floats
    sizes: Floats
    stability: Floats
    against_null: Floats
    likely: Floats
    columns: Floats

    def __len__(self) -> int:
        return len(self.own)

    def take(self, rows: npt.ArrayLike | slice) -> Traits:
        """Traits of the partitions in these rows."""
        return Traits(**{name: values[rows] for name, values in vars(self).items()})


@dataclass(frozen=True)
class Evidence:
    """Evidence about M partitions of one data set and about R anchor partitions."""

    #: traits of the candidates
    traits: Traits
    #: traits of :func:`sortal.judge.evidence.anchors`
    anchors: Traits
    data: Floats
    #: adjusted Rand index of all pairs of candidates
    agreement: Floats
    #: adjusted Rand index of candidates with the anchors
    to_anchors: Floats
    among_anchors: Floats
    #: methods that made each anchor
    found_by: Bools

    def __len__(self) -> int:
        return len(self.traits)

    def take(self, rows: npt.ArrayLike) -> Evidence:
        """Evidence about the candidates in these rows."""
        rows = np.asarray(rows)
        return replace(
            self,
            traits=self.traits.take(rows),
            agreement=self.agreement[np.ix_(rows, rows)],
            to_anchors=self.to_anchors[rows],
        )


def gather(
    X: Rows,
    codes: Ints,
    *,
    metric: Metric = "euclidean",
    settings: EvidenceSettings = EVIDENCE,
) -> Evidence:
    """Gather the evidence about distinct partitions.

    Parameters
    ----------
    X : ndarray or csr, shape (n, d)
    codes : ndarray of int32, shape (M, n)
        Clusters from 0, ``-1`` for outliers; every partition has two clusters or more.
    metric : str or callable
    settings : EvidenceSettings
        Constants that were tuned on generated data; the packaged judge reads the default ones.

    Raises
    ------
    InputError
        If all objects are equal.

    Notes
    -----
    O(n² d) for neighbours and tree, O(n d²) for each partition and O(n) for each pair of them.
    More than 10,000 objects are sampled. The evidence about a partition does not depend on the
    others.
    """
    from sklearn.exceptions import ConvergenceWarning

    from sortal._kernels.evidence import pair_agreement

    points = as_points(X, metric)
    if not np.ptp(points, axis=0).any():
        raise InputError("all objects are equal, so there is no evidence about their partitions")
    n = codes.shape[1]
    if n > MAX_SEEN_OBJECTS:
        rows = np.sort(np.random.default_rng(0).permutation(n)[:MAX_SEEN_OBJECTS])
        points = points[rows]
        codes = np.stack([encode(code[rows]).codes for code in codes])
    view = look_at(points, settings=settings)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # of all threads
        fixed, found_by = anchors(view.Z)
        partitions = np.concatenate([codes, fixed])
        M = len(codes)
        traits = _traits(view, column_intervals(points, settings), partitions)
    table = pair_agreement(partitions, partitions.max(axis=1).astype(np.int64) + 1)
    return Evidence(
        traits.take(slice(0, M)),
        traits.take(slice(M, None)),
        data_evidence(points, view),
        table[:M, :M],
        table[:M, M:],
        table[M:, M:],
        found_by,
    )


def _traits(view: View, column_values: Ints, codes: Ints) -> Traits:
    """Traits of partitions of the data in a view."""
    n_clusters = codes.max(axis=1).astype(np.int64) + 1
    own_values = own_evidence(view, codes)
    likelihoods = likelihood_evidence(view.axes, codes, view.settings)
    tasks = (
        partial(null_evidence, view, n_clusters, own_values, likelihoods),
        partial(stability_evidence, view, codes, n_clusters),
    )
    against_null, stability = side_by_side(partial.__call__, tasks, codes.shape[1])
    return Traits(
        own_values,
        size_evidence(codes),
        stability,
        against_null,
        likelihoods,
        column_evidence(column_values, codes, view.settings),
    )


def columns(evidence: Evidence) -> dict[str, Floats]:
    """Columns that a judge reads of each partition, by name.

    Places are ranks among the anchors, from 0 to 1. So no column depends on the other candidates,
    the order of the objects, the names of clusters, or the scale of the data.

    Parameters
    ----------
    evidence : Evidence

    Returns
    -------
    dict of str to ndarray of float64, shape (M,)
    """
    out = _of_each(evidence.traits, evidence, evidence.to_anchors)
    M = len(evidence)
    out |= {f"data {n}": np.full(M, v) for n, v in zip(DATA_NAMES, evidence.data, strict=True)}
    anchor_columns = _of_each(evidence.anchors, evidence, evidence.among_anchors)
    for name in ANCHOR_SUMMARIES:
        out["best " + name] = np.full(M, anchor_columns[name].max())
        out["median " + name] = np.full(M, np.median(anchor_columns[name]))
    return out


def _of_each(traits: Traits, evidence: Evidence, to_anchors: Floats) -> dict[str, Floats]:
    """Columns that differ between partitions of a data set."""
    out: dict[str, Floats] = {}
    fixed = evidence.anchors
    for names, table, anchor_table, prefix in (
        (OWN_NAMES, traits.own, fixed.own, "own "),
        (STABILITY_NAMES, traits.stability, fixed.stability, "stab "),
        (NULL_NAMES, traits.against_null, fixed.against_null, "null "),
        (LIKELIHOOD_NAMES, traits.likely, fixed.likely, "likely "),
        (COLUMN_NAMES, traits.columns, fixed.columns, ""),
    ):
        for j, name in enumerate(names):
            out[prefix + name] = table[:, j]
            if not name.endswith((" of k", "methods")):
                out[prefix + name + " place"] = place(table[:, j], anchor_table[:, j])
    for j, name in enumerate(LIKELIHOOD_NAMES):
        out[f"likely {name} behind"] = traits.likely[:, j] - fixed.likely[:, j].max()
    out["column likelihood behind"] = traits.columns[:, -1] - fixed.columns[:, -1].max()
    out |= {f"size {n}": v for n, v in zip(SIZE_NAMES, traits.sizes.T, strict=True)}
    out |= agreement_with(to_anchors, evidence, traits.sizes[:, 0])
    out["agree k beyond chance"] = out["agree k"] - out["null methods"]
    return out


def place(values: Floats, among: Floats) -> Floats:
    """Share of the reference values that are less, ties counted half."""
    # values that differ by rounding only are tied
    values, among = values.round(9), np.sort(among.round(9))
    less, most = (np.searchsorted(among, values, side) for side in ("left", "right"))
    places: Floats = (less + most) / (2 * len(among))
    return places


def agreement_with(A: Floats, evidence: Evidence, n_clusters: Floats) -> dict[str, Floats]:
    """Columns on the agreement of partitions with the anchors (M, R), equal ones excepted."""
    others = np.where(A < 1 - 1e-12, A, np.nan)
    nearest = -np.sort(-np.nan_to_num(others, nan=-1.0), axis=1)
    k = evidence.anchors.sizes[:, 0]
    similar_k = (np.abs(n_clusters[:, None] - k[None]) <= 1) & ~np.isnan(others)
    best = np.column_stack([
        A[:, evidence.found_by[:, f]].max(axis=1) for f in range(len(ANCHOR_METHODS))
    ])  # fmt: skip
    R = max(1, A.shape[1] - 1)

    def top(m: int) -> Floats:
        return np.asarray(np.maximum(nearest[:, : min(m, R)], 0).mean(axis=1))

    return {
        "agree mean": np.nan_to_num(others).mean(axis=1),
        "agree top5": top(5),
        "agree top20": top(20),
        "agree near": (nearest > 0.7).mean(axis=1),
        "agree k": np.where(similar_k, np.nan_to_num(others), 0).sum(axis=1)
        / np.maximum(similar_k.sum(axis=1), 1),
        **{f"agree {name}": best[:, j] for j, name in enumerate(ANCHOR_METHODS)},
    }
