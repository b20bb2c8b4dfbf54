"""Estimates of a linkage from a sample of entities."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from karat.bounds import entity_estimates, entity_estimates_from_parquet
from karat.runtime.validation import InputError


def linkage(seed=0, n_entities=300):
    """Entities of 1 to 5 records; some are split, some are joined with the next."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_entities), rng.integers(1, 6, n_entities))
    clusters = truth * 10
    split = rng.random(len(truth)) < 0.1
    clusters[split] += 1
    joined = rng.random(n_entities) < 0.1
    clusters[joined[truth]] += 10
    return truth, clusters


def by_definition(truth, clusters):
    """All measures of the whole linkage, from sets."""
    real = [frozenset(np.flatnonzero(truth == e)) for e in np.unique(truth)]
    made = [frozenset(np.flatnonzero(clusters == k)) for k in np.unique(clusters)]

    def pairs(groups):
        return {pair for group in groups for pair in itertools.combinations(sorted(group), 2)}

    both = len(pairs(real) & pairs(made))
    home = {i: group for group in made for i in group}
    own = {i: group for group in real for i in group}
    n = len(truth)
    out = {
        "pair_precision": both / len(pairs(made)),
        "pair_recall": both / len(pairs(real)),
        "b_cubed_precision": sum(len(own[i] & home[i]) / len(home[i]) for i in range(n)) / n,
        "b_cubed_recall": sum(len(own[i] & home[i]) / len(own[i]) for i in range(n)) / n,
        "cluster_precision": len(set(real) & set(made)) / len(made),
        "cluster_recall": len(set(real) & set(made)) / len(real),
    }
    for kind in ("pair", "b_cubed", "cluster"):
        p, r = out[f"{kind}_precision"], out[f"{kind}_recall"]
        out[f"{kind}_f1"] = 2 * p * r / (p + r)
    return out


def test_all_entities_give_the_measures_themselves():
    truth, clusters = linkage(1, 40)
    table = entity_estimates(truth, clusters).table
    expected = by_definition(truth, clusters)
    assert set(table.index) == set(expected)
    for name, value in expected.items():
        assert table.loc[name, "estimate"] == pytest.approx(value)


@pytest.mark.parametrize("drawn", ["entities", "records"])
def test_samples_are_nearly_unbiased_and_know_their_error(drawn):
    truth, clusters = linkage(2)
    expected = by_definition(truth, clusters)
    sizes = np.bincount(truth)
    names = np.arange(len(sizes))
    estimates, errors, inside = [], [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        chance = None if drawn == "entities" else sizes / sizes.sum()
        some = rng.choice(names, 40, replace=False, p=chance)
        entities = np.where(np.isin(truth, some), truth, None)
        table = entity_estimates(entities, clusters, drawn=drawn, delta=0.1).table
        estimates.append(table["estimate"])
        errors.append(table["standard_error"])
        right = pd.Series(expected)[table.index]
        inside.append((table["low"] <= right) & (right <= table["high"]))
    mean, spread = pd.DataFrame(estimates).mean(), pd.DataFrame(estimates).std()
    for name, value in expected.items():
        assert abs(mean[name] - value) < 0.25 * spread[name] + 0.005
    assert pd.DataFrame(errors).mean().div(spread).between(0.85, 1.3).all()
    assert pd.DataFrame(inside).mean().between(0.82, 0.99).all()


def test_parquet_gives_the_same(tmp_path):
    truth, clusters = linkage(3)
    entities = pd.Series([f"e{e}" if e % 7 == 0 else None for e in truth])
    frame = pd.DataFrame({"who": entities, "made": clusters})
    half = len(frame) // 2
    frame[:half].to_parquet(tmp_path / "part-0.parquet")
    frame[half:].to_parquet(tmp_path / "part-1.parquet")
    for drawn in ("entities", "records"):
        one = entity_estimates(entities, clusters, drawn=drawn)
        two = entity_estimates_from_parquet(
            tmp_path / "part-*.parquet", "who", "made", drawn=drawn, memory_limit="200MB"
        )
        pd.testing.assert_frame_equal(one.table, two.table)
        assert (one.n_records, one.n_clusters, one.n_resolved) == (
            two.n_records,
            two.n_clusters,
            two.n_resolved,
        )
    assert "pair recall" in str(two)


def test_measures_without_a_value_are_not_there():
    table = entity_estimates(["a", "b", None], [0, 1, 2]).table
    assert "pair_precision" not in table.index
    assert table.loc["cluster_precision", "estimate"] == 1


def test_what_is_wrong_is_said(tmp_path):
    with pytest.raises(InputError, match="at least two"):
        entity_estimates(["a", "a"], [0, 0])
    with pytest.raises(InputError, match="no cluster"):
        entity_estimates(["a", "b"], [0, -1])
    with pytest.raises(InputError, match="drawn"):
        entity_estimates(["a", "b"], [0, 1], drawn="pairs")
    path = tmp_path / "x.parquet"
    pd.DataFrame({"entity": ["a", "b"], "cluster": [0, None]}).to_parquet(path)
    with pytest.raises(InputError, match="1 records are in no cluster"):
        entity_estimates_from_parquet(path)
    with pytest.raises(InputError, match="entities"):
        entity_estimates_from_parquet(path, "entities")
