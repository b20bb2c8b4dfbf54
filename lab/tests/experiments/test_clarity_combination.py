"""The choice of a clarity-based combination: what it sees, what it finds, what it costs in luck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import karat
import karat_lab
from karat.datasets.synthetic import WHISSELL2012
from karat.labelings.partitions import cut_dendrogram
from karat.measures.clarity import KNearestNeighbors
from karat_lab import EXPERIMENTS
from karat_lab import clarity_combination as combination
from karat_lab import whissell2012_chapter6_samples as samples
from karat_lab.clarity_candidates import TRUTH, Candidate, base_values, family
from karat_lab.whissell2012_chapter6_samples import FRESH, MIXTURE, REAL, Sample

PARTS = sorted({part for one in family() for part in one.parts})
PLANTED = Candidate(("inf-ARI (10-NN)", "silhouette"))


def made_up(rng: np.random.Generator, planted: bool = True, size: int = 30) -> pd.DataFrame:
    """Scores of no clusterings: noise, but the sum of the planted pair's ranks follows NMI."""
    columns = {part: rng.normal(size=size) for part in PARTS}
    truth = rng.normal(size=size)
    if planted:
        swing = rng.normal(size=size)
        columns[PLANTED.parts[0]] = truth + swing
        columns[PLANTED.parts[1]] = truth - swing
    names = [f"kmeans {2 + i % 19}" for i in range(size)]
    return pd.DataFrame({TRUTH: truth, **columns}, index=names)


@given(st.integers(0, 2**31), st.integers(1, 4))
def test_concordance_is_kendalls_tau_of_repeated_samples(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    tables = []
    for _ in range(count):
        x, y = rng.integers(0, 6, (2, 15)).astype(float)
        x[rng.random(15) < 0.15] = np.nan
        x[rng.random(15) < 0.05] = np.inf
        tables.append(pd.DataFrame({TRUTH: y, "x": x}))
    found = combination.concordances(tables, [Candidate(("x",))])
    weights = rng.integers(0, 3, count)
    drawn = [table for table, n in zip(tables, weights, strict=True) for _ in range(n)]
    if not drawn:
        return
    whole = pd.concat(drawn).dropna()
    expected = kendalltau(whole["x"], whole[TRUTH]).statistic
    assert found.tau(weights[None].astype(float))[0, 0] == pytest.approx(expected, nan_ok=True)


def test_a_combination_is_the_mean_of_ranks_within_a_sample() -> None:
    rng = np.random.default_rng(0)
    tables = [pd.DataFrame(rng.normal(size=(20, 3)), columns=[TRUTH, "a", "b"]) for _ in range(3)]
    tables[1].loc[4, "b"] = np.nan
    tables[2].loc[:9, "b"] = -np.inf
    found = combination.concordances(tables, [Candidate(("a", "b"))])
    mean = [t["a"].rank(pct=True) + t["b"].rank(pct=True) for t in tables]
    both = pd.concat([pd.concat(mean), pd.concat([t[TRUTH] for t in tables])], axis=1).dropna()
    expected = kendalltau(both[0].round(9), both[TRUTH]).statistic
    assert found.tau(np.ones((1, 3)))[0, 0] == pytest.approx(expected)


def test_rules() -> None:
    # three candidates on two data sets: high on one, even, low
    tau = np.array([[[0.9, 0.5, 0.1]], [[0.0, 0.4, 0.1]]])
    chosen = {name: combination.choose(tau, rule) for name, (rule, _) in combination.RULES.items()}
    assert chosen["mean"] == 0 or tau[:, 0, 0].mean() == tau[:, 0, 1].mean()
    assert chosen["worst"] == chosen["mean rank"] == 1
    assert combination.choose(tau, combination.by_mean, np.array([False, False, True])) == 2
    undefined = np.array([[[np.nan, -0.5]]])
    assert combination.choose(undefined, combination.by_mean) == 1


def test_left_out_is_judged_by_the_set_that_did_not_choose() -> None:
    tau = np.array([[[0.9, 0.1]], [[0.2, 0.6]], [[0.3, 0.5]]])
    # without the first, the second candidate wins; without either other one, the first
    expected = (0.1 + 0.2 + 0.3) / 3
    assert combination.left_out(tau, combination.by_mean, None) == pytest.approx(expected)


@pytest.mark.parametrize(("classes", "largest"), [(2, 3), (3, 4), (6, 10), (8, 14)])
def test_balanced_clusterings(classes: int, largest: int) -> None:
    kept = combination.balanced([f"single {k}" for k in range(2, 21)], classes)
    assert (np.flatnonzero(kept) + 2).tolist() == list(range(2, largest + 1))


def test_mixtures_are_as_described() -> None:
    seen = []
    for seed in range(60):
        X, truth = samples.mixture(np.random.default_rng(seed))
        sizes = np.bincount(truth)
        assert len(X) == len(truth) == 500
        assert sizes.min() >= 10
        assert 2 <= X.shape[1] <= 32
        seen.append(len(sizes))
    assert min(seen) == 2
    assert max(seen) == 20


def test_each_mixture_counts_as_one_data_set(scores: dict[tuple[str, int], pd.DataFrame]) -> None:
    tables = {name: [scores[name, s] for s in range(9)] for name in (*WHISSELL2012, MIXTURE)}
    found = combination.synthetic_tau(tables, family(), 0)
    place = family().index(combination.BASELINE)
    each = [kendalltau(t["I (5-NN)"], t[TRUTH]).statistic for t in tables[MIXTURE]]
    assert found["mixtures"][0, 0, place] == pytest.approx(np.mean(each))
    classes = np.array([len(np.unique(samples.drawn(MIXTURE, i, 0)[1])) for i in range(9)])
    few = np.array(each)[classes <= 8]
    assert 0 < len(few) < 9
    assert found["mixtures to 8"][0, 0, place] == pytest.approx(few.mean())
    both = found["five and mixtures"][:, 0, place]
    assert both == pytest.approx([found["five"][:, 0, place].mean(), np.mean(each)])


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, int], pd.DataFrame]:
    """Made-up scores in place of samples, with the pair planted on the synthetic data sets."""
    tables = {}
    for place, name in enumerate((*WHISSELL2012, *REAL, MIXTURE, *FRESH)):
        for s in range(3 * combination.MIXTURES):
            rng = np.random.default_rng([place, s])
            tables[name, s] = made_up(rng, planted=name not in (*REAL, *FRESH))
    monkeypatch.setattr(combination, "values_of", lambda name, s, kept: tables[name, s])
    monkeypatch.setattr(combination, "BOOTSTRAPS", 20)
    return tables


def test_the_planted_winner_is_found_and_real_sets_take_no_part(
    scores: dict[tuple[str, int], pd.DataFrame],
) -> None:
    first = combination.run(samples=3)
    row = first.table.loc[("mean", "all")]
    assert row["chosen"] == PLANTED.name
    assert row["five"] > 0.75
    assert row["wins"] == 1.0
    assert first.table.loc[("mixtures", "all"), "chosen"] == PLANTED.name
    assert row["left out"] > 0.75
    assert abs(row["real"]) < 0.3
    assert "+" not in first.table.loc[("mean", "clarity alone"), "chosen"]
    # whatever the real sets say, the choice stays
    for name in (*REAL, *FRESH):
        for s in range(3):
            table = scores[name, s]
            rng = np.random.default_rng(s)
            order = rng.permutation(table.shape[1] - 1)
            table.iloc[:, 1:] = table.iloc[:, 1:].to_numpy()[:, order]
            table[TRUTH] = rng.permutation(table[TRUTH].to_numpy())
    second = combination.run(samples=3)
    blind = ["chosen", "five", "mixtures", "left out", "wins"]
    pd.testing.assert_frame_equal(first.table[blind], second.table[blind])
    assert not np.allclose(first.table["real"], second.table["real"])


def test_intervals_are_of_the_chosen_measure(scores: dict[tuple[str, int], pd.DataFrame]) -> None:
    result = combination.run(samples=3)
    table = result.table
    assert (table["low"] <= table["high"]).all()
    assert (table["error"] > 0).all()
    ours = table.loc[("informativeness", "")]
    assert ours["> ours"] == 0.0
    each = []
    for name in REAL:
        whole = pd.concat([scores[name, s] for s in range(3)])
        each.append(kendalltau(whole["I (5-NN)"], whole[TRUTH]).statistic)
    assert ours[list(REAL)].tolist() == pytest.approx(each)
    assert ours["real"] == pytest.approx(np.mean(each))
    assert "Drawn at random" in result.notes[0]
    alone = [kendalltau(scores[n, 0]["I (5-NN)"], scores[n, 0][TRUTH]).statistic for n in FRESH]
    assert ours["fresh"] == pytest.approx(np.mean(alone))
    assert ours["fresh gain"] == ours["better on"] == 0
    planted = table.loc[("mean", "all")]
    assert planted["fresh gain"] == pytest.approx(planted["fresh"] - ours["fresh"])


def small_sample(n: int = 60) -> Sample:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 2)) + 3 * truth[:, None]
    tree = samples.criterion_tree(samples.similarities(X), "I2")
    labels = {f"I2 {k}": cut_dendrogram(tree, n_clusters=k) for k in (2, 3, 6)}
    labels["single 2"] = (np.arange(n) == 0).astype(np.int32)
    return Sample(X, truth, labels, 0)


def test_values_are_those_of_the_public_functions() -> None:
    made = small_sample()
    table = base_values(made)
    assert set(PARTS) <= set(table.columns)
    rows = np.stack(list(made.labels.values()))
    ten = [KNearestNeighbors(10)]
    np.testing.assert_allclose(
        table["I (10-NN)"], karat.informativeness(made.X, rows, classifiers=ten)
    )
    root = [KNearestNeighbors(round(60**0.5))]
    np.testing.assert_allclose(
        table["corrected I (√n-NN)"],
        karat.informativeness(made.X, rows, classifiers=root, baseline="permutation"),
    )
    for name, measure in (("inf-ARI", "adjusted_rand_index"), ("inf-EQ", "entropy_quality")):
        np.testing.assert_allclose(
            table[f"{name} (centroid)"],
            karat.generalized_informativeness(
                made.X, rows, classifiers="centroid", measure=measure
            ),
        )
    shares = [np.bincount(row) / len(row) for row in rows]
    H = np.array([-(p * np.log2(p)).sum() for p in shares])
    k = np.array([len(p) for p in shares])
    AI = table["AI (5-NN)"]
    np.testing.assert_allclose(table["I (5-NN)"], (AI - H / k) / (H * (1 - 1 / k)))
    np.testing.assert_allclose(table["AI − 0.9 H (5-NN)"], AI - 0.9 * H)
    np.testing.assert_allclose(table["I · H^0.5 (5-NN)"], table["I (5-NN)"] * np.sqrt(H))
    np.testing.assert_allclose(
        table["C-Index"], [-karat.c_index(made.X, row) for row in rows], atol=1e-12
    )
    assert table["point-wise margin"].tolist()[-1] == -np.inf
    assert table["worst cluster (1-NN)"].tolist()[-1] == 0.0


def test_it_runs_by_name_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clustered: list[int] = []

    def draw(name: str, rng: np.random.Generator) -> Any:
        truth = rng.integers(0, 3, 50)
        return rng.normal(size=(50, 2)) + 3 * truth[:, None], truth

    def few(X: Any, rng: np.random.Generator) -> Any:
        clustered.append(len(X))
        tree = samples.criterion_tree(samples.similarities(X), "I1")
        return {f"I1 {k}": cut_dendrogram(tree, n_clusters=k) for k in (2, 3, 7)}

    monkeypatch.setattr(samples, "draw", draw)
    monkeypatch.setattr(samples, "cluster", few)
    monkeypatch.setattr(combination, "BOOTSTRAPS", 10)
    monkeypatch.setattr(combination, "MIXTURES", 2)
    told: list[str] = []
    file = tmp_path / "kept.sqlite"
    run = karat_lab.run
    first = run("clarity-combination", samples=1, storage=file, progress=told.append)
    assert [line.split(":")[0] for line in told] == [
        *WHISSELL2012, *REAL, MIXTURE, MIXTURE, *FRESH,
    ]  # fmt: skip
    assert told[0] == "2GAUSS: sample 1 of 1"
    again = run("clarity-combination", samples=1, storage=file)
    assert len(clustered) == 12 + len(FRESH), "finished samples are kept"
    pd.testing.assert_frame_equal(first.table, again.table)
    assert EXPERIMENTS["clarity-combination"].source == "karat"
