"""The figures of banerjee2004 on a small collection: cells by hand, resuming, the listing."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from sortal.bounds import b_max
from sortal_lab import EXPERIMENTS, banerjee2004
from sortal_lab import banerjee2004_collections as collections
from sortal_lab.banerjee2004_collections import Collection


@pytest.fixture
def small(monkeypatch):
    made = []

    def collection(name, rng, how=collections.USUAL):
        made.append(name)
        draw = np.random.default_rng(0)
        truth = np.repeat([0, 1, 2], 20)
        topics = draw.dirichlet(np.full(30, 0.2), size=3)
        X = np.array([draw.multinomial(30, topics[t]) for t in truth], dtype=float)
        rows = sparse.csr_array(X / np.linalg.norm(X, axis=1, keepdims=True))
        return Collection(name, rows, sparse.csr_array(X), truth)

    monkeypatch.setattr(banerjee2004, "collection", collection)
    monkeypatch.setattr(banerjee2004, "COLLECTIONS", ("yahoo",))
    monkeypatch.setitem(banerjee2004.FIGURES, "banerjee2004-figure4", ("yahoo", "cmu-same-100"))
    monkeypatch.setattr(banerjee2004, "SPLITS", (50, 90))
    monkeypatch.setattr(banerjee2004, "DRAWS", 3)
    monkeypatch.setattr(banerjee2004, "STARTS", 4)
    clusterers = {"SPKMeans": ("spherical-kmeans", {}), "KMeans": ("kmeans", {})}
    clusterers["SPKMeans refined"] = ("spherical-kmeans-refined", {})
    clusterers |= banerjee2004.COUNTED
    monkeypatch.setattr(banerjee2004, "CLUSTERERS", clusterers)
    sets = {"": ("SPKMeans", "KMeans"), ", refined": ("SPKMeans refined", "KMeans")}
    monkeypatch.setattr(banerjee2004, "SETS", sets)
    return made


def test_best_bounds_and_resuming(small, tmp_path):
    kept = tmp_path / "kept.sortal"
    first = banerjee2004.run(name="banerjee2004-figure4", samples=3, storage=kept)
    assert first.table["collection"].tolist() == ["yahoo"] * 4 + ["cmu-same-100"] * 4
    halves = first.table["what"].str.startswith("50-50")
    assert (first.table["bound"][halves] < 60).all()
    # once beside the paper's algorithms, which count, and once beside ours
    beside = first.table.dropna(subset="published")
    assert beside["published"].tolist() == [73.84, 73.84, 64.0, 64.0]
    assert beside["repeats"].tolist() == [False, True, False, True]
    fitted = kept.read_bytes()
    again = banerjee2004.run(name="banerjee2004-figure4", samples=3, storage=kept)
    assert kept.read_bytes() == fitted
    assert again.table.equals(first.table)


@pytest.mark.long
def test_the_batch_algorithm_stands_alone_beside_the_best_of_six(small, monkeypatch):
    monkeypatch.setitem(banerjee2004.FIGURES, "banerjee2004-batch", ("yahoo",))
    alone = banerjee2004.run(name="banerjee2004-batch", samples=3).table.iloc[0]
    assert (alone["published"], alone["repeats"]) == (73.84, True)
    monkeypatch.setattr(banerjee2004, "SETS", {"": ("SPKMeans",)})
    best = banerjee2004.run(name="banerjee2004-figure4", samples=3).table.iloc[0]
    assert best["what"] == "50-50"
    assert alone["what"] == "50-50, batch SPKMeans alone"
    assert alone["bound"] == best["bound"]


def test_a_cell_by_hand(small):
    table = banerjee2004.run(name="banerjee2004-figure1", samples=2).table
    data = banerjee2004.collection("any", None)
    bounds = []
    for draw in range(3):
        train = np.random.default_rng([0, 50, draw]).permutation(60)[:30]
        labels = banerjee2004._fit("SPKMeans", data.X, 3, 0)
        wrong = sum(
            np.count_nonzero(own) - np.bincount(data.truth[train][own]).max()
            for own in (labels[train] == c for c in range(3))
            if own.any()
        )
        bounds.append(100 * b_max(30, 30, int(wrong), 0.1 / 3**3) / 30)
    row = table.query("clusterer == 'SPKMeans' and what == 'start 1, k = 3'").iloc[0]
    assert row["bound"] == pytest.approx(np.mean(bounds))


def test_tf_stands_beside_the_weights_that_the_paper_does_not_state(small, monkeypatch):
    table = banerjee2004.run(name="banerjee2004-figure1", samples=3).table
    lowest = table[table["what"].str.startswith("lowest")].set_index("clusterer")
    assert lowest["repeats"].to_dict() == {
        "KMeans": False, "SPKMeans": False, "SPKMeans refined": True,
        "KMeans on tf": True, "SPKMeans on tf": True,
    }  # fmt: skip
    plan = banerjee2004._plan("banerjee2004-figure1", None, 0)
    keys = {plan.key("yahoo", 0, name) for name in banerjee2004.CLUSTERERS}
    assert len(keys) == len(banerjee2004.CLUSTERERS)
    given = {}

    def fit(algorithm, X, k, seed):
        given[algorithm] = X
        return np.zeros(60, dtype=int)

    monkeypatch.setattr(banerjee2004, "_fit", fit)
    data = banerjee2004.collection("any", None)
    for algorithm in ("SPKMeans", "SPKMeans on tf"):
        banerjee2004._count(data, algorithm, [0], plan)
    assert given["SPKMeans"] is data.X
    counts = data.counts.toarray()
    wanted = counts / np.linalg.norm(counts, axis=1, keepdims=True)
    assert np.allclose(given["SPKMeans on tf"].toarray(), wanted)


def test_pruned_words_stand_beside_every_published_bound(small, monkeypatch):
    for figure in banerjee2004.OF_WORDS:
        monkeypatch.setitem(banerjee2004.FIGURES, f"banerjee2004-figure{figure}", ("yahoo",))
    monkeypatch.setitem(banerjee2004.PUBLISHED, ("Init", "yahoo", "KMeans"), 40.0)
    few = {name: banerjee2004.CLUSTERERS[name] for name in ("SPKMeans", "KMeans")}
    monkeypatch.setattr(banerjee2004, "CITED", few)
    sets = {"": ("SPKMeans", "KMeans"), ", without FSKMeans": ("SPKMeans",), ", refined": ("none",)}
    monkeypatch.setattr(banerjee2004, "SETS", sets)
    found = banerjee2004.run(name=banerjee2004.WORDS, samples=3)
    told = found.table[["language", "what", "published"]].to_numpy().tolist()
    assert told == [
        ["Init", "lowest of all k, pruned words", 40.0],
        ["Algo", "best of all, pruned words", 73.84],
    ]
    assert found.table["repeats"].all()
    assert "of the 2 published bounds" in found.notes[-1]


def test_pruned_words_are_kept_apart():
    usual = banerjee2004._plan("banerjee2004-figure3", 5, 0)
    pruned = dataclasses.replace(usual, how=collections.PRUNED)
    assert usual.key("yahoo", 0, "SPKMeans") != pruned.key("yahoo", 0, "SPKMeans")


def test_terms_are_those_of_a_share_of_the_documents():
    having = np.array([1, 2, 149, 151, 500])
    assert collections.PRUNED.within(having, 1000).tolist() == [False, True, True, False, False]
    assert collections.USUAL.within(having, 1000).tolist() == [False, False, True, True, True]


def test_a_message_has_its_subject_where_that_is_asked_for(monkeypatch):
    text = "From: a@b\nSubject: Re: stars\nKeywords: none\n\nThey shine\n\nthere"
    messages = [{"group": group, "text": text} for group in collections.SAME]
    monkeypatch.setattr(collections, "texts", lambda name: messages)
    rng = np.random.default_rng(0)
    for subjects, wanted in ((True, "Re: stars\nThey"), (False, "They")):
        documents, groups = collections._newsgroups("cmu-same-1000", rng, subjects)
        assert documents == [f"{wanted} shine\n\nthere"] * 3
        assert groups == sorted(collections.SAME)


def test_the_lowest_of_one_start_is_not_beside_that_of_ten(small):
    one = banerjee2004.run(name="banerjee2004-figure4", samples=1).table
    assert one["published"].isna().all()


def test_each_draw_has_ten_of_the_starts():
    plan = banerjee2004._plan("banerjee2004-figure1", None, 0)
    starts = np.broadcast_to(np.arange(plan.pool), (5, 20, 1, plan.pool))
    drawn = plan.drawn(starts)
    assert drawn.shape == (5, 20, 1, 10)
    assert (np.diff(drawn, axis=-1) > 0).all()  # each at most once
    assert (drawn == drawn[:1]).all()  # the same at every split
    assert len(np.unique(drawn[0], axis=0)) > 15


def test_six_figures_are_listed():
    assert {f"banerjee2004-figure{i}" for i in range(1, 7)} <= set(EXPERIMENTS)
