"""Measures of a clustering of the nodes of a graph, ``metric="graph"``."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from karat.labelings.labels import NoisePolicy
from karat.measures.bibliography import Reference
from karat.measures.catalogue import define
from karat.measures.internal.batch import each, one, one_value
from karat.measures.passes.edges import EdgeSums
from karat.measures.passes.statistics import Statistics
from karat.runtime.validation import InputError, check_choice

__all__ = [
    "conductance",
    "connectedness",
    "graph_coverage",
    "graph_minmax_cut",
    "graph_normalized_cut",
    "graph_performance",
    "graph_ratio_cut",
    "map_equation",
    "modularity",
]

NO_EDGE = "no edge joins two of the nodes that are judged"


def modularity(
    graph: Any, labels: Any, *, resolution: float = 1.0, noise: NoisePolicy = "error"
) -> float:
    """Modularity: share of the edges within clusters, less that expected from the degrees.

    Σ_c [w_c/w − γ (v_c/2w)²] with the weight w_c of the edges within cluster c, the sum v_c of
    the degrees of its nodes, and the weight w of all edges. Greater is better; 0 for one cluster
    (γ = 1), and negative where clusters have fewer edges than expected.

    Parameters
    ----------
    graph : array-like or sparse, shape (n, n)
        Symmetric weights of the edges, not negative; loops (the diagonal) are ignored.
    labels : array-like, shape (n,)
    resolution : float, default 1.0
        γ, at least 0; a greater one prefers more clusters.
    noise : {"error", "cluster", "singletons", "drop"}
        With ``"drop"`` the graph of the other nodes is judged.

    Returns
    -------
    float

    Raises
    ------
    InputError
        For a graph that is not symmetric, or has negative weights.
    UndefinedMeasureError
        Where no edge joins two nodes that are judged.

    Notes
    -----
    It has a resolution limit: communities much smaller than √(2w) edges are merged at γ = 1
    (Fortunato & Barthélemy 2007). O(edges) time.

    Examples
    --------
    >>> from karat import modularity
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(modularity(A, [0, 0, 1, 1]), 6)
    0.166667
    """
    if not 0 <= resolution < math.inf:
        raise InputError(f"resolution must be a number of at least 0; got {resolution!r}")

    def compute(edges: EdgeSums) -> float:
        return _modularity(edges, resolution)

    return one_value("Modularity", _of_edges(compute, 1), ["edges"], graph, labels, "graph", noise)


def map_equation(graph: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Map equation: bits that describe a step of a random walk, by a code of two levels.

    q log q − 2 Σ_c q_c log q_c − Σ_i p_i log p_i + Σ_c (q_c + p_c) log (q_c + p_c), where the walk
    visits node i with probability p_i (its share of the degrees), is in cluster c with p_c and
    leaves it with q_c; q is the sum of the q_c, and the logarithms are binary. Lower is better:
    a walk stays long in a good cluster.

    Parameters
    ----------
    graph : array-like or sparse, shape (n, n)
        Symmetric weights of the edges, not negative; loops (the diagonal) are ignored.
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}

    Returns
    -------
    float
        In bits; the entropy of the p_i for one cluster.

    Raises
    ------
    UndefinedMeasureError
        Where no edge joins two nodes that are judged.

    Notes
    -----
    O(edges) time.

    Examples
    --------
    >>> from karat import map_equation
    >>> A = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> map_equation(A, [0, 0, 1, 1]), map_equation(A, [0, 0, 0, 0])
    (1.0, 2.0)
    """
    return _one("map_equation", graph, labels, noise)


def graph_coverage(graph: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Coverage of a graph: the weight of the edges within clusters over that of all edges.

    Greater is better, and one cluster has 1, so that it compares clusterings of one k alone.

    Parameters
    ----------
    graph : array-like or sparse, shape (n, n)
        Symmetric weights of the edges, not negative; loops (the diagonal) are ignored.
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        Where no edge joins two nodes that are judged.

    Notes
    -----
    O(edges) time.

    Examples
    --------
    >>> from karat import graph_coverage
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(graph_coverage(A, [0, 0, 1, 1]), 6)
    0.666667
    """
    return _one("graph_coverage", graph, labels, noise)


def graph_performance(graph: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Performance of a graph: share of the pairs of nodes that the clustering gets right.

    Right are joined pairs in one cluster and pairs without an edge in two. Weights do not count.
    Greater is better. Where less than half of the pairs of a cluster are joined, taking it apart
    is an improvement, so that it compares clusterings of one k alone.

    Parameters
    ----------
    graph : array-like or sparse, shape (n, n)
        Symmetric weights of the edges, not negative; loops (the diagonal) are ignored.
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        Where no edge joins two nodes that are judged.

    Notes
    -----
    O(edges) time.

    Examples
    --------
    >>> from karat import graph_performance
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(graph_performance(A, [0, 0, 1, 1]), 6)
    0.833333
    """
    return _one("graph_performance", graph, labels, noise)


def conductance(
    graph: Any,
    labels: Any,
    *,
    average: Literal["mean", "max"] = "mean",
    noise: NoisePolicy = "error",
) -> float:
    """Conductance: of each cluster the weight that leaves it over its volume, averaged.

    The volume is the sum of the degrees of the cluster's nodes, or of all others' where that is
    less. Lower is better: 0 where no edge leaves a cluster, 1 where none is within.

    Parameters
    ----------
    graph : array-like or sparse, shape (n, n)
        Symmetric weights of the edges, not negative; loops (the diagonal) are ignored.
    labels : array-like, shape (n,)
    average : {"mean", "max"}
        Over the clusters: the mean, or the worst one.
    noise : {"error", "cluster", "singletons", "drop"}

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where no edge joins two nodes that are judged.

    Notes
    -----
    A cluster without edges has 0. O(edges) time.

    Examples
    --------
    >>> from karat import conductance
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(conductance(A, [0, 0, 1, 1]), 6)
    0.333333
    """
    check_choice(average, ("mean", "max"), "average")

    def compute(edges: EdgeSums) -> float:
        values = _conductances(edges)
        return float(values.mean() if average == "mean" else values.max())

    return one_value("Conductance", _of_edges(compute, 2), ["edges"], graph, labels, "graph", noise)


def graph_ratio_cut(graph: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Ratio cut of a graph: Σ_c cut(c)/∣c∣, the weight that leaves a cluster over its size.

    Not negative, lower is better; it grows with the number of clusters.

    Parameters
    ----------
    graph : array-like or sparse, shape (n, n)
        Symmetric weights of the edges, not negative; loops (the diagonal) are ignored.
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where no edge joins two nodes that are judged.

    Notes
    -----
    O(edges) time.

    Examples
    --------
    >>> from karat import graph_ratio_cut
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> graph_ratio_cut(A, [0, 0, 1, 1])
    1.0
    """
    return _one("graph_ratio_cut", graph, labels, noise)


def graph_normalized_cut(graph: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """N-cut of a graph: Σ_c cut(c)/vol(c), the weight that leaves a cluster over its degrees.

    Between 0 and k, lower is better; it grows with the number of clusters.

    Parameters
    ----------
    graph : array-like or sparse, shape (n, n)
        Symmetric weights of the edges, not negative; loops (the diagonal) are ignored.
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where no edge joins two nodes that are judged.

    Notes
    -----
    O(edges) time.

    Examples
    --------
    >>> from karat import graph_normalized_cut
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(graph_normalized_cut(A, [0, 0, 1, 1]), 6)
    0.666667
    """
    return _one("graph_normalized_cut", graph, labels, noise)


def graph_minmax_cut(graph: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Min-max cut of a graph: Σ_c cut(c)/within(c), the weight that leaves over that within.

    Not negative, lower is better; infinite where a cluster has edges to others and none within,
    as a single node has. Both directions of an edge within count.

    Parameters
    ----------
    graph : array-like or sparse, shape (n, n)
        Symmetric weights of the edges, not negative; loops (the diagonal) are ignored.
    labels : array-like, shape (n,)
    noise : {"error", "cluster", "singletons", "drop"}

    Returns
    -------
    float

    Raises
    ------
    UndefinedMeasureError
        For fewer than two clusters, or where no edge joins two nodes that are judged.

    Notes
    -----
    O(edges) time.

    Examples
    --------
    >>> from karat import graph_minmax_cut
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> graph_minmax_cut(A, [0, 0, 1, 1])
    1.0
    """
    return _one("graph_minmax_cut", graph, labels, noise)


def connectedness(graph: Any, labels: Any, *, noise: NoisePolicy = "error") -> float:
    """Connectedness: share of the nodes that are in the largest connected piece of their cluster.

    Greater is better: 1 where each cluster hangs together by edges within it, as it should before
    anything else is asked of it.

    Notes
    -----
    Traag et al. 2019 found that communities may fall apart where modularity is optimised. It is 1
    for single nodes and for the connected parts of the graph, so that it excludes bad clusterings
    and chooses none. O(edges) time.

    Examples
    --------
    >>> from karat import connectedness
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> connectedness(A, [0, 0, 1, 1]), connectedness(A, [0, 1, 0, 1])
    (1.0, 0.5)
    """
    return _one("connectedness", graph, labels, noise)


def _one(key: str, graph: Any, labels: Any, noise: NoisePolicy) -> float:
    return one(key, graph, labels, "graph", noise)


def _of_edges(value: Any, least_k: int) -> Any:
    """The batch form of a function of :class:`EdgeSums`."""

    def of_one(stats: Statistics, m: int) -> float | str:
        edges: EdgeSums = stats.edge_sums[m]
        return float(value(edges)) if edges.n_edges else NO_EDGE

    return each(of_one, least_k=least_k)


def _modularity(edges: EdgeSums, resolution: float = 1.0) -> float:
    shares = edges.volumes / edges.volumes.sum()
    return float(edges.within.sum() / edges.volumes.sum() - resolution * (shares**2).sum())


def _map_equation(edges: EdgeSums) -> float:
    total = edges.volumes.sum()
    leave, visit = edges.cut / total, edges.volumes / total
    codebook = _plogp(leave.sum()) - 2 * _plogp(leave) + _plogp(leave + visit)
    return max(codebook + edges.entropy, 0.0)


def _plogp(p: Any) -> float:
    values = np.asarray(p, dtype=np.float64)
    return float((values * np.log2(np.where(values > 0, values, 1.0))).sum())


def _performance(edges: EdgeSums) -> float:
    n = int(edges.sizes.sum())
    pairs, within = n * (n - 1) // 2, int((edges.sizes * (edges.sizes - 1) // 2).sum())
    joined = int(edges.counts.sum())
    apart = pairs - within - (edges.n_edges - joined)
    return (joined + apart) / pairs


def _conductances(edges: EdgeSums) -> Any:
    return _over(edges.cut, np.minimum(edges.volumes, edges.volumes.sum() - edges.volumes))


def _over(cut: Any, size: Any) -> Any:
    """Nothing that is cut is 0, whatever it is cut from."""
    with np.errstate(divide="ignore"):
        return np.where(cut > 0, cut / np.where(cut > 0, size, 1), 0.0)


def _connectedness(stats: Statistics, m: int) -> float:
    return float(stats.largest_pieces[m].sum() / stats.sizes[m].sum())


for _function, _title, _family, _references, _value, _more in (
    (
        modularity,
        "Modularity",
        "modularity",
        [Reference("newman2004"), Reference("reichardt2006")],
        _modularity,
        {"range": (-1.0, 1.0)},
    ),
    (
        map_equation,
        "Map equation",
        "random walk",
        [Reference("rosvall2008")],
        _map_equation,
        {"greater_is_better": False, "range": (0.0, math.inf)},
    ),
    (
        graph_coverage,
        "Coverage of a graph",
        "edges within",
        [Reference("brandes2003")],
        lambda edges: min(edges.within.sum() / edges.volumes.sum(), 1.0),
        {"compares_k": False},
    ),
    (
        graph_performance,
        "Performance of a graph",
        "edges within",
        [Reference("vandongen2000"), Reference("brandes2003")],
        _performance,
        {"compares_k": False},
    ),
    (
        conductance,
        "Conductance",
        "cuts of a graph",
        [Reference("kannan2004"), Reference("emmons2016")],
        lambda edges: _conductances(edges).mean(),
        {"greater_is_better": False, "compares_k": False},
    ),
    (
        graph_ratio_cut,
        "Ratio cut of a graph",
        "cuts of a graph",
        [Reference("whissell2012", "2.24"), Reference("hagen1992")],
        lambda edges: _over(edges.cut, edges.sizes).sum(),
        {"greater_is_better": False, "range": (0.0, math.inf), "compares_k": False},
    ),
    (
        graph_normalized_cut,
        "N-cut of a graph",
        "cuts of a graph",
        [Reference("whissell2012", "2.25"), Reference("shi2000")],
        lambda edges: _over(edges.cut, edges.volumes).sum(),
        {"greater_is_better": False, "range": (0.0, math.inf), "compares_k": False},
    ),
    (
        graph_minmax_cut,
        "Min-max cut of a graph",
        "cuts of a graph",
        [Reference("whissell2012", "2.26"), Reference("ding2001")],
        lambda edges: _over(edges.cut, edges.within).sum(),
        {"greater_is_better": False, "range": (0.0, math.inf), "compares_k": False},
    ),
):
    define(
        _function,
        _title,
        family=_family,
        references=_references,
        compute=_of_edges(_value, 2 if _family == "cuts of a graph" else 1),
        needs=["edges"],
        takes="graph",
        cost="O(edges)",
        **_more,
    )
define(
    connectedness,
    "Connectedness",
    family="edges within",
    references=[Reference("traag2019")],
    compute=each(_connectedness, least_k=1),
    needs=["pieces"],
    takes="graph",
    cost="O(edges)",
    compares_k=False,
)
