"""Measures of graphs: against networkx and the definitions, node by node."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

import sortal
from sortal import InputError, UndefinedMeasureError
from sortal.measures import catalogue

KEYS = [m.key for m in catalogue.values() if m.takes == "graph"]


def random_graph(seed=0, n=24, density=0.3, weighted=True):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) < density, 1).astype(float)
    if weighted:
        A *= rng.integers(1, 6, (n, n))
    return A + A.T


def naive(A, labels):
    """Each measure by its definition, from pairs of nodes."""
    n, names = len(A), sorted(set(labels))
    members = {c: [i for i in range(n) if labels[i] == c] for c in names}
    degree = [sum(A[i]) for i in range(n)]
    total = sum(degree)
    cut = {c: sum(A[i, j] for i in members[c] for j in range(n) if labels[j] != c) for c in names}
    within = {c: sum(A[i, j] for i in members[c] for j in members[c]) for c in names}
    volume = {c: sum(degree[i] for i in members[c]) for c in names}

    def over(a, b):
        return 0.0 if a == 0 else a / b if b else math.inf

    def plogp(values):
        return sum(v * math.log2(v) for v in values if v > 0)

    leave = [cut[c] / total for c in names]
    visit = [volume[c] / total for c in names]
    return {
        "modularity": sum(
            A[i, j] - degree[i] * degree[j] / total
            for i in range(n)
            for j in range(n)
            if labels[i] == labels[j]
        )
        / total,
        "map_equation": plogp([sum(leave)])
        - 2 * plogp(leave)
        - plogp(d / total for d in degree)
        + plogp(a + b for a, b in zip(leave, visit, strict=True)),
        "conductance": np.mean([over(cut[c], min(volume[c], total - volume[c])) for c in names]),
        "graph_ratio_cut": sum(cut[c] / len(members[c]) for c in names),
        "graph_normalized_cut": sum(over(cut[c], volume[c]) for c in names),
        "graph_minmax_cut": sum(over(cut[c], within[c]) for c in names),
    }


@pytest.mark.parametrize("seed", range(4))
def test_every_measure_equals_its_definition(seed):
    A = random_graph(seed, density=0.1 + 0.1 * seed)
    labels = np.random.default_rng(seed).integers(0, 4, len(A))
    expected = naive(A, labels.tolist())
    assert set(expected) == set(KEYS)
    for given in (A, sparse.csr_array(A), sparse.coo_matrix(A), A.tolist()):
        scores = sortal.evaluate(given, labels, metric="graph")
        assert set(scores) == set(KEYS)
        for key in KEYS:
            assert float(scores[key].iloc[0]) == pytest.approx(expected[key], rel=1e-12), key
            assert catalogue[key].function(given, labels) == float(scores[key].iloc[0])


@pytest.mark.parametrize("weighted", [False, True])
def test_networkx_agrees(weighted):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    A = random_graph(5, weighted=weighted)
    labels = np.random.default_rng(5).integers(0, 3, len(A))
    graph = networkx.from_numpy_array(A)
    parts = [set(np.flatnonzero(labels == c).tolist()) for c in range(3)]
    community = networkx.algorithms.community
    for resolution in (1.0, 0.3, 2.5):
        expected = community.modularity(graph, parts, resolution=resolution)
        assert sortal.modularity(A, labels, resolution=resolution) == pytest.approx(expected)
    each = [networkx.conductance(graph, part, weight="weight") for part in parts]
    assert sortal.conductance(A, labels) == pytest.approx(np.mean(each))
    cuts = [networkx.normalized_cut_size(graph, p, weight="weight") for p in parts]
    # networkx adds the cut over the volume of all other nodes
    volumes = [A[sorted(p)].sum() for p in parts]
    own = [c * (A.sum() - v) / A.sum() for c, v in zip(cuts, volumes, strict=True)]
    assert sortal.graph_normalized_cut(A, labels) == pytest.approx(sum(own))


def test_the_conductance_of_the_larger_part_is_by_the_smaller_volume():
    star = np.zeros((6, 6))
    star[0, 1:] = star[1:, 0] = 1
    star[1, 2] = star[2, 1] = 1
    # volumes 11 and 1, a cut of 1
    assert sortal.conductance(star, [0, 0, 0, 0, 0, 1]) == 1.0
    # volumes 9 and 3, a cut of 3
    assert sortal.conductance(star, [0, 0, 0, 1, 1, 1]) == 1.0
    # volumes 8 and 4, a cut of 2
    assert sortal.conductance(star, [0, 1, 1, 0, 0, 0]) == 0.5


def test_zachary_s_club():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    club = networkx.karate_club_graph()
    A = networkx.to_scipy_sparse_array(club, weight=None)
    sides = [club.nodes[i]["club"] for i in club]
    # Newman & Girvan's division into the two sides that the club fell into
    assert sortal.modularity(A, sides) == pytest.approx(0.3582, abs=1e-4)
    assert sortal.modularity(A, [0] * 34) == 0
    assert sortal.map_equation(A, sides) < sortal.map_equation(A, [0] * 34)


def test_loops_are_ignored():
    A = random_graph(2)
    labels = np.arange(len(A)) % 3
    with_loops = A + np.diag(np.arange(len(A)))
    for key in KEYS:
        assert catalogue[key].function(with_loops, labels) == catalogue[key].function(A, labels)


def test_a_graph_in_parts():
    # two triangles and a node without edges
    A = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    A = np.pad(A, (0, 1))
    parts = [0, 0, 0, 1, 1, 1, 2]
    scores = sortal.evaluate(A, {"parts": parts, "alone": range(7), "one": [0] * 7}, metric="graph")
    right = {
        "modularity": 0.5,
        "map_equation": math.log2(3),
        "conductance": 0,
        "graph_ratio_cut": 0,
        "graph_normalized_cut": 0,
        "graph_minmax_cut": 0,
    }
    for key, value in right.items():
        assert scores[key]["parts"] == pytest.approx(value), key
    assert scores["graph_minmax_cut"]["alone"] == math.inf
    assert scores["conductance"]["alone"] == pytest.approx(6 / 7)
    assert scores["map_equation"]["one"] == pytest.approx(math.log2(6))
    assert "needs at least 2" in scores.reasons["one"]["conductance"]


def test_excluded_nodes_take_their_edges_with_them():
    A = random_graph(3)
    labels = np.arange(len(A)) % 3
    labels[:6] = -1
    kept = A[6:, 6:]
    for key in KEYS:
        dropped = catalogue[key].function(A, labels, noise="drop")
        assert dropped == pytest.approx(catalogue[key].function(kept, labels[6:])), key
    star = np.zeros((4, 4))
    star[0, 1:] = star[1:, 0] = 1
    with pytest.raises(UndefinedMeasureError, match="no edge joins"):
        sortal.modularity(star, [-1, 0, 0, 1], noise="drop")
    with pytest.raises(InputError, match="marks 6 of 24 objects as outliers"):
        sortal.modularity(A, labels)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda A: -A, "must not be negative"),
        (lambda A: np.triu(A), "the same in both directions; of a directed graph"),
        (lambda A: A[:5], "square matrix of affinities"),
        (lambda A: 0 * A, "has no edge"),
        (lambda A: np.where(A > 0, np.nan, 0), "missing or infinite"),
        (lambda A: np.where(A > 0, np.inf, 0), "missing or infinite"),
    ],
)
def test_what_is_no_graph_is_rejected(change, said):
    A = change(random_graph())
    for call in (
        lambda: sortal.modularity(A, np.arange(24) % 2),
        lambda: sortal.evaluate(A, np.arange(24) % 2, metric="graph"),
        lambda: sortal.Study(A, metric="graph"),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_wrong_lengths_and_parameters():
    A = random_graph()
    with pytest.raises(InputError, match="23 labels"):
        sortal.modularity(A, np.arange(23) % 2)
    with pytest.raises(InputError, match="resolution must be"):
        sortal.modularity(A, np.arange(24) % 2, resolution=-1)


def test_a_graph_has_no_distances_and_distances_no_edges():
    A = random_graph()
    labels = np.arange(24) % 2
    with pytest.raises(InputError, match=r"silhouette .* a graph has edges alone"):
        sortal.evaluate(A, labels, measures=["silhouette"], metric="graph")
    with pytest.raises(InputError, match=r"modularity .* the edges of a graph"):
        sortal.evaluate(A, labels, measures=["modularity"])
    assert not set(sortal.evaluate(A, labels)) & set(KEYS)


def test_the_graph_that_was_given_is_not_changed():
    A = sparse.csr_array(random_graph() + np.eye(24))
    before = A.toarray()
    sortal.evaluate(A, np.arange(24) % 2, metric="graph")
    sortal.Study(A, metric="graph")
    np.testing.assert_array_equal(A.toarray(), before)
