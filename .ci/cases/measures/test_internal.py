"""Internal measures against naive oracles, check values, laws and peers."""

from __future__ import annotations

import numpy as np
import pytest

import naive_internal as naive
import sortal
from sortal import InputError
from sortal.measures import catalogue
from sortal.measures.passes import STATISTICS
from sortal.measures.passes.tiles import rounds

OF_DISTANCES = sorted(naive.of_distances(naive.matrix([[0], [1], [5], [9]]), [0, 0, 1, 1]))


OF_CENTROIDS = sorted(naive.of_centroids([[0.0], [1], [5], [9]], [0, 0, 1, 1]))


def test_rounds_hold_every_pair_once_and_nothing_twice():
    for count in range(1, 12):
        seen = [pair for pairs in rounds(count) for pair in pairs]
        assert sorted(seen) == [(i, j) for i in range(count) for j in range(i)]
        for pairs in rounds(count):
            busy = [block for pair in pairs for block in pair]
            assert len(busy) == len(set(busy))


@pytest.mark.parametrize("mirrored", [True, False])
def test_number_of_threads_changes_nothing(mirrored, monkeypatch):
    monkeypatch.setattr("sortal.measures.passes.pairs.pays_mirrored", lambda *asked: mirrored)
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(1500, 3)), rng.integers(0, 9, (2, 1500))
    keys = [*OF_DISTANCES, *OF_CENTROIDS]
    tables = []
    for cores in (1, 2, 5):
        for module in ("runtime.threads", "measures.passes.ranks"):
            monkeypatch.setattr(f"sortal.{module}.available_cores", lambda c=cores: c)
        tables.append(sortal.evaluate(X, labels, measures=keys).table.to_numpy())
    assert (tables[0] == tables[1]).all()
    assert (tables[0] == tables[2]).all()


@pytest.mark.parametrize("n", [257, 700, pytest.param(2200, marks=pytest.mark.long)])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "kl", "precomputed"])
@pytest.mark.parametrize("d", [3, 70])
def test_mirrored_tiles_give_what_whole_strips_give(n, metric, d, monkeypatch):
    rng = np.random.default_rng(n + d)
    X = rng.random((n, d))
    if metric == "precomputed":
        X = sortal.distances.as_distances(X).block(slice(0, n), slice(0, n))
    labels = rng.integers(-1, 5, (3, n))
    keys = [
        key
        for key in OF_DISTANCES
        if catalogue[key].needs <= {name for name, (by, _) in STATISTICS.items() if by == "pairs"}
    ]
    tables = []
    for mirrored in (True, False):
        monkeypatch.setattr(
            "sortal.measures.passes.pairs.pays_mirrored",
            lambda distances, known, mirrored=mirrored: distances.symmetric and mirrored,
        )
        tables.append(sortal.evaluate(X, labels, measures=keys, metric=metric, noise="drop").table)
    np.testing.assert_allclose(tables[0], tables[1], rtol=1e-12)


def test_tiles_narrower_than_blocks_are_mirrored(monkeypatch):
    rng = np.random.default_rng(4)
    X, labels = rng.random((300, 3)), rng.integers(0, 5, (3, 300))
    measures = ["silhouette", "dunn_index", "between_within_ratio"]
    monkeypatch.setattr("sortal.measures.passes.tiles.block_size", lambda n: 64)
    tables = []
    for width in (64, 8):
        monkeypatch.setattr("sortal.measures.passes.tiles.TILE_WIDTH", width)
        monkeypatch.setattr("sortal.measures.passes.pairs.pays_mirrored", lambda *asked: True)
        tables.append(sortal.evaluate(X, labels, measures=measures).table)
    np.testing.assert_allclose(tables[0], tables[1], rtol=1e-12)


def test_the_reason_of_two_failed_statistics_is_that_of_the_first_by_name(monkeypatch):
    from sortal.measures.passes.statistics import Statistics

    def fail(self, wanted):
        raise InputError(f"no {sorted(wanted)[0]}")

    for name in ("_pass_squares", "_pass_pairs"):
        monkeypatch.setattr(Statistics, name, fail)
    X = np.random.default_rng(0).normal(size=(20, 2))
    scores = sortal.evaluate(X, {"two": [0, 1] * 10}, measures=["point_biserial_index"])
    assert scores.reasons["two"]["point_biserial_index"] == "no distance_squares"


@pytest.mark.parametrize(
    "kind", ["normal", "few values", "spread over orders", "one value", "jump"]
)
@pytest.mark.parametrize("size", [1, 30, 5000])
def test_pairs_are_sorted_by_distance(kind, size):
    from sortal.measures.passes.ranks import sort_pairs

    rng = np.random.default_rng(8)
    values = {
        "normal": rng.normal(size=size),
        "few values": rng.integers(0, 5, size).astype(float),
        "spread over orders": 10.0 ** rng.uniform(-300, 300, size),
        "one value": np.ones(size),
        "jump": np.where(rng.random(size) < 0.5, 0, 1e17) + rng.random(size) * 1e-9,
    }[kind]
    sorted_values, pairs = sort_pairs(values, np.arange(size))
    assert (sorted_values == np.sort(values)).all()
    assert (values[pairs] == sorted_values).all()
    assert (np.sort(pairs) == np.arange(size)).all()


@pytest.mark.parametrize("digits", [1, 9])
def test_ranks_of_one_clustering_are_those_beside_another(digits, monkeypatch):
    monkeypatch.setattr("sortal.measures.passes.ranks.MAX_PAIRS_IN_MEMORY", 2**14)
    rng = np.random.default_rng(digits)
    X, labels = rng.normal(size=(700, 3)).round(digits), rng.integers(0, 4, 700)
    labels[:9] = -1
    both = {"alone": labels, "beside": np.where(labels < 0, -1, rng.integers(0, 4, 700))}
    keys = ["baker_hubert_gamma", "aucc", "g_plus_index", "kendall_tau_index"]
    together = sortal.evaluate(X, both, measures=keys, noise="drop").table
    for name, row in both.items():
        alone = sortal.evaluate(X, {name: row}, measures=keys, noise="drop").table
        assert (alone.loc[name] == together.loc[name]).all()
