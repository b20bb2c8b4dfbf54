"""Measures for clusterings of a graph's nodes, ``metric="graph"``."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from sortal.labelings.labels import NoisePolicy
from sortal.measures.catalogue import define
from sortal.measures.internal.batch import OfGraph, Value, batch_form, compute_one, of_graph
from sortal.measures.passes.edges import EdgeSums
from sortal.measures.passes.statistics import Statistics
from sortal.runtime.validation import InputError
from sortal.typing import ArrayLike, Floats, Ints, Labels

__all__ = [
    "conductance",
    "graph_minmax_cut",
    "graph_normalized_cut",
    "graph_ratio_cut",
    "map_equation",
    "modularity",
]

NO_EDGE = "no edge joins two of the nodes that are judged"
CUTS = "cuts of a graph"


def _of_edges(title: str, **record: Any) -> Callable[[Callable[[EdgeSums], float]], OfGraph]:
    """A decorator that turns a formula of :class:`EdgeSums` into a measure."""
    undefined = "If no edge joins two judged nodes."
    if record.get("least_k", 2) > 1:
        undefined = f"For fewer than two clusters. {undefined}"

    def add(value: Callable[[EdgeSums], float]) -> OfGraph:
        return of_graph(title, undefined=undefined, **record)(_batched(value))

    return add


def _batched(value: Callable[[EdgeSums], float]) -> Value:
    """The formula as a value of statistics, or a reason without edges."""

    @wraps(value)
    def of_one(stats: Statistics, m: int) -> float | str:
        edges: EdgeSums = stats.edge_sums[m]
        return float(value(edges)) if edges.n_edges else NO_EDGE

    return of_one


def modularity(
    graph: ArrayLike, labels: Labels, *, resolution: float = 1.0, noise: NoisePolicy = "error"
) -> float:
    """Modularity: share of the edges within clusters, less that expected from the degrees.

    Σ_c [w_c/w − γ (v_c/2w)²]: w_c is the weight of the edges within cluster c, v_c the sum of its
    nodes' degrees, and w the weight of all edges. 0 for one cluster (γ = 1), and negative if
    clusters have fewer edges than expected.

    Parameters
    ----------
    resolution : float, default 1.0
        γ, at least 0; greater values prefer more clusters.

    Notes
    -----
    It has a resolution limit: communities much smaller than √(2w) edges are merged at γ = 1
    (Fortunato & Barthélemy 2007). O(edges) time.

    Examples
    --------
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(modularity(A, [0, 0, 1, 1]), 6)
    0.166667
    """
    if not 0 <= resolution < math.inf:
        raise InputError(f"resolution must be a number of at least 0; got {resolution!r}")
    compute = batch_form(_batched(partial(_modularity, resolution=resolution)), least_k=1)
    return compute_one("Modularity", compute, ["edges"], graph, labels, metric="graph", noise=noise)


def _modularity(edges: EdgeSums, resolution: float = 1.0) -> float:
    """Modularity of one clustering."""
    shares = edges.volumes / edges.volumes.sum()
    return float(edges.within.sum() / edges.volumes.sum() - resolution * (shares**2).sum())


define(
    modularity,
    "Modularity",
    family="modularity",
    references=["newman2004", "reichardt2006"],
    compute=batch_form(_batched(_modularity), least_k=1),
    needs=["edges"],
    takes="graph",
    range=(-1.0, 1.0),
    cost="O(edges)",
)


@_of_edges(
    "Map equation",
    least_k=1,
    family="random walk",
    references=["rosvall2008"],
    greater_is_better=False,
    range=(0.0, math.inf),
)
def map_equation(edges: EdgeSums) -> float:
    """Map equation: bits per step of a random walk in a two-level code.

    q log q − 2 Σ_c q_c log q_c − Σ_i p_i log p_i + Σ_c (q_c + p_c) log (q_c + p_c). The walk visits
    node i with probability p_i, its share of the degrees. It is in cluster c with p_c, and leaves
    it with q_c. q is the sum of the q_c, and the logarithms are binary. A walk stays long in a good
    cluster; one cluster has the entropy of the p_i.

    Examples
    --------
    >>> A = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> map_equation(A, [0, 0, 1, 1]), map_equation(A, [0, 0, 0, 0])
    (1.0, 2.0)
    """
    total = edges.volumes.sum()
    leave, visit = edges.cut / total, edges.volumes / total
    codebook = _plogp(leave.sum()) - 2 * _plogp(leave) + _plogp(leave + visit)
    return max(codebook + edges.entropy, 0.0)


def _plogp(p: float | Floats) -> float:
    """Sum of p log2 p."""
    values = np.asarray(p, dtype=np.float64)
    return float((values * np.log2(np.where(values > 0, values, 1.0))).sum())


def _over(cut: Floats, size: Floats | Ints) -> Floats:
    """``cut / size``; 0 without a cut, also for size 0."""
    with np.errstate(divide="ignore"):
        return np.where(cut > 0, cut / np.where(cut > 0, size, 1), 0.0)


@_of_edges(
    "Conductance",
    family=CUTS,
    references=["kannan2004", "emmons2016"],
    greater_is_better=False,
    compares_k=False,
)
def conductance(edges: EdgeSums) -> float:
    """Conductance: mean over the clusters of the outgoing weight divided by the volume.

    The volume is the sum of the degrees of the cluster's nodes, or of all other nodes if that is
    less. A cluster without edges counts 0. 1 if no edge is within a cluster.

    Examples
    --------
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(conductance(A, [0, 0, 1, 1]), 6)
    0.333333
    """
    others = edges.volumes.sum() - edges.volumes
    return _over(edges.cut, np.minimum(edges.volumes, others)).mean()


_of_graph_cuts = partial(
    _of_edges, family=CUTS, greater_is_better=False, range=(0.0, math.inf), compares_k=False
)


@_of_graph_cuts("Ratio cut of a graph", references=["whissell2012 2.24", "hagen1992"])
def graph_ratio_cut(edges: EdgeSums) -> float:
    """Ratio cut of a graph: Σ_c cut(c)/∣c∣, each cluster's outgoing weight divided by its size.

    It grows with the number of clusters.

    Examples
    --------
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> graph_ratio_cut(A, [0, 0, 1, 1])
    1.0
    """
    return _over(edges.cut, edges.sizes).sum()


@_of_graph_cuts("N-cut of a graph", references=["whissell2012 2.25", "shi2000"])
def graph_normalized_cut(edges: EdgeSums) -> float:
    """N-cut of a graph: Σ_c cut(c)/vol(c), each cluster's outgoing weight divided by its volume.

    At most k; it grows with the number of clusters.

    Examples
    --------
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(graph_normalized_cut(A, [0, 0, 1, 1]), 6)
    0.666667
    """
    return _over(edges.cut, edges.volumes).sum()


@_of_graph_cuts("Min-max cut of a graph", references=["whissell2012 2.26", "ding2001"])
def graph_minmax_cut(edges: EdgeSums) -> float:
    """Min-max cut of a graph: Σ_c cut(c)/within(c), outgoing weight divided by weight within.

    Infinite if a cluster, such as a single node, has edges to others and none within. Both
    directions of an edge within count.

    Examples
    --------
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> graph_minmax_cut(A, [0, 0, 1, 1])
    1.0
    """
    return _over(edges.cut, edges.within).sum()
