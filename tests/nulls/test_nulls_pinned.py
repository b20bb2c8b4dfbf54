"""What null references and the search for valleys give for small inputs, so that none changes unseen.

``PYTHONPATH=tests python tests/nulls/test_nulls_pinned.py`` writes ``test_nulls_pinned.json`` anew.
Clusters are given, or so far apart that k-means ends in the same ones on every processor.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import karat
from karat.nulls import coordinates, references, structure, valleys
from karat.nulls.structure import Structure
from pinning import Pins


class Drawn:
    """Random numbers that are none: the middle of each range."""

    def uniform(self, low: Any, high: Any, size: Any = None) -> Any:
        return np.broadcast_to(
            (np.asarray(low) + 0.75 * (high - np.asarray(low))), size or np.shape(high)
        )

    def integers(self, high: int, size: Any = None) -> Any:
        return np.zeros(size, dtype=int) if size else 0


@cache
def names() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    far = rng.normal(size=(240, 2)) + 30.0 * np.eye(3)[y][:, :2]
    turn = np.linspace(0, 3, 120)
    arc = np.column_stack([9 * np.cos(turn), 9 * np.sin(turn)]) + rng.normal(size=(120, 2)) / 4
    return {
        "np": np, "sparse": sparse, "karat": karat, "valleys": valleys, "co": coordinates,
        "references": references, "structure": structure, "Structure": Structure, "rng": np.random.default_rng,
        "far": far, "y": y, "near": far / 9, "line": np.sort(rng.normal(size=(90, 1)), axis=0), "arc": arc, "half": (np.arange(120) > 59),
        "cloud": rng.normal(size=(240, 4)), "Drawn": Drawn, "counts": sparse.csr_array(rng.poisson(0.5, size=(20, 9)).astype(float)),
        "many": rng.normal(size=(320, 310)) + 3 * rng.normal(size=(320, 1)) * rng.normal(size=310), "grid": rng.integers(0, 4, size=(60, 2)).astype(float),
    }  # fmt: skip


EXPRESSIONS = [
    # valleys between clusters that are given
    "[valleys.gap_factor(n) for n in (1, 400, 401, 1600)]",
    *(f"valleys.valley_evidence({Z}, {y}, rng(1))" for Z, y in (
        ("far", "y"), ("near", "y"), ("near", "y // 2"), ("cloud", "y % 2"), ("cloud[:, :1]", "y // 2"), ("arc", "half.astype(int)"),
        ("near", "np.zeros(240, int)"), ("near[:, :0]", "y"), ("near[:20]", "y[:20]"), ("near", "np.minimum(np.arange(240), 7) // 7"),
        ("near", "np.arange(240) % 5"), ("near[:30]", "y[:30]"), ("np.concatenate([near, cloud[:60, :2] + 50])", "np.r_[y, np.full(60, 3)]"))),
    *(f"valleys._links_between({Z}, {y}, {k}, rng({seed}))" for Z, y, k, seed in (
        ("far", "y", 3, 0), ("near", "y", 3, 1), ("near", "np.arange(240) % 4", 4, 0), ("near", "y", 4, 0), ("cloud", "y", 3, 0), ("arc", "half.astype(int)", 2, 0),
        ("np.concatenate([near, near + 20])", "np.r_[y, y + 3]", 6, 0))),
    *(f"valleys.find_valleys({Z}, rng(0), {numbers})" for Z, numbers in (("far", "[3]"), ("far[:48]", "[3]"), ("far[:47]", "[3]"), ("far[:, :0]", "[3]"), ("far", "[]"))),
    *(f"valleys.separated({Z}, rng(0), {least})" for Z, least in (("far[:40]", 3.0), ("far[:, :0]", 1.0), ("far[:31]", 1.0))),
    "valleys.separated(far, rng(0), 3.0)[0]", "valleys.separated(far, rng(0), 1e9)",
    "np.unique(valleys._kmeans(far, 3, rng(0)), return_counts=True)[1]",
    # their parts
    *(f"vars(valleys._held_out({Z}, {y}, {k}, np.arange(len({Z})) % 4))" for Z, y, k in (
        ("near[:24]", "y[:24]", 3), ("near[:24]", "y[:24]", 4), ("line[:12]", "np.arange(12) // 6", 2))),
    "[valleys._held_out(near[:24], y[:24], 3, np.arange(24) % 4).between(a, b) for a, b in ((0, 1), (2, 0))]",
    "valleys._nearest(near[:9], near[:3], np.array([1.0, 0, 2]))",
    *(f"valleys._valley_along({Z}, {side}, fitted={fitted})" for Z, side, fitted in (
        ("near[y < 2]", "y[y < 2] == 0", False), ("arc", "half", True), ("arc", "half", False), ("far", "y == 0", False),
        ("near[:9]", "y[:9] == 0", False), ("near[:8]", "y[:8] == 0", False), ("near", "y < 9", True), ("near", "y > 9", True), ("np.ones((20, 2))", "np.arange(20) < 9", True),
        ("np.r_[near[:30], near[:30] + 1e6]", "np.arange(60) < 30", True))),
    *(f"valleys._thin_border({Z}, {rows}, {t})" for Z, rows, t in (
        ("near", "np.arange(240)", "near[:, 0]"), ("cloud", "np.arange(200)", "cloud[:200, 0]"), ("cloud[:, :1]", "np.arange(240)", "cloud[:, 0]"), ("arc", "np.arange(120)", "np.linspace(-1.4, 1.4, 120)"),
        ("cloud", "np.arange(200)", "np.linspace(-1.6, 1.6, 200)"), ("cloud", "np.arange(9)", "np.r_[np.zeros(4), np.ones(5)]"), ("cloud", "np.arange(14)", "np.r_[np.zeros(5), np.ones(5), -np.ones(4)]"),
        ("cloud", "np.arange(15)", "np.r_[np.zeros(5), np.ones(5), -np.ones(5)]"), ("np.ones((20, 2))", "np.arange(20)", "np.r_[np.zeros(6), np.ones(7), -np.ones(7)]"),
        ("cloud", "np.arange(18)", "np.r_[np.zeros(5), [.25, .5, 1.5, -.25, -.5, -1.5], np.ones(4), -np.ones(3)]"),
        ("cloud", "np.arange(21)", "np.r_[np.zeros(5), [.25, .5, 1.5, -.25, -.5, -1.5], np.ones(5), -np.ones(5)]"), ("far * [1, .1]", "np.arange(240)", "np.linspace(-2, 2, 240)"))),
    "[valleys._bend(arc[:40, 1:], arc[40:, 1:]), valleys._bend(cloud[:20], cloud[20:60]), valleys._bend(cloud[:9] * 5, cloud[20:60]), valleys._bend(np.zeros((3, 1)), np.zeros((4, 1)))]",
    "[np.abs(valleys._across(Z, side)).sum(axis=0) for Z, side in ((near, y == 0), (cloud, y == 0), (line, line[:, 0] > 0), (np.ones((4, 2)), np.arange(4) > 1))]",
    "[valleys._across(cloud, y == 0).shape, valleys._across(cloud[:, :2], y == 0).shape, valleys._across(cloud[:, :2], y == 0)[:, 0]]",
    "[valleys._spanning_edges(np.array(E, dtype=float)) for E in ([], [[0]], [[0, 3], [3, 0]], [[0, 3, 1], [3, 0, 2], [1, 2, 0]], [[0, 5, 4, 9], [5, 0, 1, 8], [4, 1, 0, 7], [9, 8, 7, 0]])]",
    # coordinates
    *(f"[(np.abs(Z), at) for Z, at in [co.placed({X}, {m!r}, rng(0))]]" for X, m in (
        ("near[:12]", "euclidean"), ("np.r_[near[:6], near[:6]]", "euclidean"), ("grid[:20]", "euclidean"), ("near[:12] + 9", "cosine"), ("near[:12]", "manhattan"), ("near[:12]", "chebyshev"),
        ("np.abs(line[:12] - line[:12].T)", "precomputed"), ("np.abs(grid[:9, :1] - grid[:9, 0])", "precomputed"), ("sparse.csr_array(grid[:12] + np.eye(12)[:, :2])", "cosine"), ("np.ones((5, 2))", "euclidean"),
        ("counts", "cosine"), ("near[:1]", "euclidean"))),
    "[co.depend_on_draws(X, m) for X, m in ((near, 'euclidean'), (near, 'chebyshev'), (np.zeros((2001, 101)), 'euclidean'), (np.zeros((2000, 101)), 'euclidean'), (np.zeros((9, 100)), 'cosine'),"
    " (np.zeros((9, 101)), 'cosine'), (counts, 'cosine'), (near, 'precomputed'))]",
    "[len(co.placed(np.random.default_rng(0).normal(size=(n, 2)), m, rng(0))[0]) for n, m in ((2001, 'euclidean'), (1001, 'chebyshev'))]",
    "co.placed(np.random.default_rng(0).normal(size=(2001, 1)), 'euclidean', rng(0))[1][:9]",
    "co._without_copies(np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0.0]]))",
    *(f"co.spread_ties(np.array({X}, dtype=float), Drawn())" for X in (
        "[[0, 1], [1, 1], [2, 1], [9, 1], [9, 1]]", "[[0, 0], [0, 1], [1, 0], [1, 1], [5, 0], [5, 1]]", "[[0], [0], [1], [1], [2], [9]]", "[[3, 3]]", "[[0, 5], [1, 6], [2, 7], [3, 7], [4, 9]]",
        "[[0, 5], [1, 6], [2, 7], [3, 8], [4, 8]]", "[[0, 0], [0, 0], [1, 1], [1, 1], [2, 2], [2, 2], [4, 4]]")),
    "co.spread_ties(np.zeros((3, 2)), Drawn())",
    "[co.spread_ties(np.tile([[0.0], [1], [1]], (1, d)), Drawn())[0].shape for d in (100, 101)]",
    "[co._without_jitter(np.array(x)) for x in ([0, 1e-6, 1, 0.5], [0, 1e-5, 1.0], [0, 1.1e-5, 1.0], [3.0, 3.0], [2.0, 0, 1])]",
    "co._without_jitter(np.r_[0, 9e-6, np.linspace(.1, 1, 3998)])[:3]",
    *(f"np.abs(co._first_components({X}, rng(0)))[:4]" for X in ("near", "cloud[:9]", "cloud[:12]", "many[:40, :31]", "many[:12]", "cloud[:1]", "cloud[:, :0]", "np.ones((4, 2))")),
    "[co._first_components(X, rng(0)).shape for X in (many, many[:, :30], many[:, :31], many[:40], cloud[:5], cloud[:10])]",
    "np.abs(co._first_components(many, rng(0)))[:4, 0]",
    "[co._beyond_noise(np.array(sizes, dtype=float), total, n, d) for sizes, total, n, d in (([9, 1, 1, 1], 84, 50, 4), ([9, 8, 1, 1], 147, 50, 4), ([9, 8, 7, 6], 230, 4, 50), ([1, 1, 1], 3, 50, 3),"
    " ([30, 9, 8, 1, 1, 1, 1, 1], 1051, 99, 8), ([5, 4], 41, 9, 2), ([5, 4, 3], 60, 3, 99))]",
    # references
    "[references.Null(X, m).kinds for X, m in ((near, 'euclidean'), (near, 'graph'), (counts, 'cosine'), (near, 'precomputed'))]",
    *(f"references.Null({X}, {m!r}).draw({kind!r}, rng(3), {labels})[:3]" for X, m, kind, labels in (
        ("near", "euclidean", "box", None), ("near", "euclidean", "within", "y - 1"), ("cloud", "euclidean", "gaussian", None), ("cloud", "euclidean", "uniform", None))),
    "np.sort(references.Null(np.abs(line[:9] - line[:9].T), 'precomputed').draw('uniform', rng(0)).sum(axis=0))",
    *(f"fails(references.draw_reference, {X}, {kind!r}, metric={m!r})" for X, kind, m in (
        ("near", "shuffled", "euclidean"), ("counts", "gaussian", "cosine"), ("sparse.csr_array(np.eye(3))", "uniform", "graph"), ("near", "odd", "euclidean"))),
    "(lambda W: W.T @ W)(references._within(near, y - 1))", "(lambda W: W.T @ W)(references._within(near[:2], y[:2]))",
    "[(lambda C: C @ C.T)(references.principal_coordinates(D)) for D in (np.abs(line[:6] - line[:6].T), np.abs(grid[:6, None] - grid[:6]).sum(axis=2), np.zeros((3, 3)), np.array([[0, 1, 9.0], [1, 0, 1], [9, 1, 0]]))]",
    "[references.principal_coordinates(np.abs(cloud[:n, None] - cloud[:n]).sum(axis=2)).shape for n in (9, 120)]",
    "[references._shuffled(counts, rng(s)).toarray() for s in (0, 1)]", "references._shuffled(sparse.csr_array(np.eye(6) + np.eye(6, k=1)), rng(0)).toarray()",
    *(f"(rows := np.array({rows}), references._fill_empty(rows, np.array({lengths}, dtype=float), rng(0)), rows)[2]" for rows, lengths in (
        ([0, 0, 0, 1], [1, 1, 1, 0]), ([0, 0, 1, 1], [1, 1, 1, 1]), ([0, 1], [1, 1, 1]), ([2, 2], [0, 0, 1]))),
    # whether there are clusters
    *(f"[(str(s), s._repr_html_(), s.smallest, s.is_settled) for s in [Structure({arguments})]]" for arguments in (
        ".95, 'yes', 9.876, 3, 400", ".1, 'no', .3, 1, 100, .05", ".19, 'no', .3, 1, 300, .005", ".5, 'unclear', 3, 1, 161, .15, .2", ".9, 'yes', 3, 1, 160, 0.0", ".8, 'unclear', 3, 1, 401, .05, .9")),
    "[structure.needed(), *[structure.needed(x) for x in (0, .35, .36, 1)]]",
    "[structure.predictors(e, n, l) for e in (0, 2, 4, 9) for n in (5, 20, 21, 400, 2000) for l in (.2, .35, .7)]",
    "[structure.probability_of(e, n, l, s) for e in (0, 1.5, 3, 9) for n in (15, 100, 400, 2000) for l, s in ((.5, 0), (.3, .5), (.9, 1.5))]",
    "[structure._decided(e, s, m, n, l) for e, s, m, n, l in ((9, .1, 3, 300, .5), (3.2, .1, 3, 300, .5), (.5, .1, 3, 300, .5), (9, .1, 4, 3000, .5), (3.9, 0, 2, 400, .5), (2.5, 0, 2, 400, .5))]",
    "[structure.linearity(Z) for Z in (near, arc, line, cloud[:12], cloud[:13], cloud[:59], cloud[:61], np.ones((14, 2)), cloud[:70])]",
    "structure._most_groups([(0, np.array([1, 2, 5])), (0, np.array([1, 3, 1])), (0, np.array([2, 3, 1]))])",
    "[karat.assess_structure(X) for X in (np.ones((30, 2)), line[:31], line[:32])]", "fails(karat.assess_structure, sparse.csr_array(np.eye(3)), metric='graph')",
    "karat.assess_structure(np.r_[line, line + 9, line + 18])", "karat.assess_structure(np.r_[line[:20], line[:20] + 9])",
]  # fmt: skip

PINS = Pins(__file__, names)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_it_is_as_pinned(expression: str) -> None:
    PINS.check(expression)


if __name__ == "__main__":
    PINS.write(EXPRESSIONS)
