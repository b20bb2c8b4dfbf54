"""The study: what is tried, kept, judged, ranked and explained."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score, silhouette_score

import sortal
from failing_clusterers import Dies, Fails
from sortal import InputError, StorageError
from sortal.study import NothingToRankError

THREE = np.repeat([0.0, 5.0, 10.0], 20)[:, None] + np.random.default_rng(0).normal(
    scale=0.3, size=(60, 2)
)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def test_end_to_end_without_labels():
    study = sortal.Study(THREE)
    study.sweep(["kmeans", "average", "ward"], k=range(2, 6), n_init=2, workers=1)
    choice = study.best()
    assert choice.n_clusters == 3
    assert choice.runner_up is not None
    assert choice.decided_by == "judge-7"
    assert sortal.adjusted_rand_index(np.repeat([0, 1, 2], 20), choice.labels) == 1.0
    text = str(choice)
    assert "\n3 separate groups; " in text
    assert f"Made by: {choice.name}" in text
    assert any(choice.runner_up.name in sentence for sentence in choice.reasons)


def test_scores_are_those_of_the_measures(wine):
    X, y = wine
    study = sortal.Study(X, y=y)
    study.sweep(["kmeans", "single"], k=[3, 5], n_init=2, workers=1)
    scores = study.scores()
    assert list(scores.index) == [
        "kmeans k=3 start=0", "kmeans k=3 start=1", "kmeans k=5 start=0", "kmeans k=5 start=1",
        "single k=3", "single k=5",
    ]  # fmt: skip
    for name in scores.index:
        labels = study.labels(name)
        assert scores.at[name, "silhouette"] == pytest.approx(silhouette_score(X, labels))
        expected = adjusted_rand_score(y, labels)
        assert scores.at[name, "adjusted_rand_index"] == pytest.approx(expected)
    best = study.best()
    assert best.decided_by == "adjusted_rand_index"
    assert scores["adjusted_rand_index"].max() == scores.at[best.name, "adjusted_rand_index"]
    assert "best Adjusted Rand index with the known classes (" in str(best)
    assert any("178 known labels" in sentence for sentence in best.reasons)


def test_same_seed_same_scores_for_any_number_of_workers(wine):
    tables = []
    for workers in (1, 2):
        study = sortal.Study(wine[0])
        study.sweep(["kmeans", "gaussian-mixture", "ward"], k=[2, 4], n_init=3, workers=workers)
        tables.append(study.scores().drop(columns="seconds"))
    pd.testing.assert_frame_equal(*tables, check_exact=True)


def test_any_executor_will_do(wine):
    here, there = sortal.Study(wine[0]), sortal.Study(wine[0])
    here.sweep("kmeans", k=[2, 3], n_init=2, workers=1)
    with ThreadPoolExecutor(2) as pool:
        there.sweep("kmeans", k=[2, 3], n_init=2, executor=pool)
    pd.testing.assert_frame_equal(
        here.scores().drop(columns="seconds"), there.scores().drop(columns="seconds")
    )


def test_other_settings_under_the_same_name_are_rejected(tmp_path, wine):
    with sortal.Study(wine[0], storage=tmp_path / "w.sortal") as study:
        study.sweep({"mine": KMeans(n_init=1)}, k=2, n_init=1, workers=1)
        with pytest.raises(StorageError, match="started with clusterer mine"):
            study.sweep({"mine": KMeans(n_init=7)}, k=2, n_init=1, workers=1)
    with pytest.raises(StorageError, match="random_state = 0, not 5"):
        sortal.Study(wine[0], storage=tmp_path / "w.sortal", random_state=5)


FAILURES = {
    "raise": "RuntimeError: no luck with 2", "noise": "every object is an outlier",
    "nan": "missing label", "exit": "SystemExit: 3", "interrupt": "KeyboardInterrupt",
    "short": "it gave 59 labels for 60 objects", "write": "read-only",
}  # fmt: skip


@pytest.mark.parametrize("workers", [1, 2])
def test_failing_candidates_are_kept_with_their_reasons_and_stop_nothing(workers):
    study = sortal.Study(THREE)
    failing = {how: Fails(how=how) for how in FAILURES}
    study.sweep({**failing, "ward": "ward"}, k=[2, 3], workers=workers)
    table = study.scores()
    for how, reason in FAILURES.items():
        bad = table[table["clusterer"] == how]
        assert list(bad["status"]) == ["failed", "failed"]
        assert reason in bad["reason"].iloc[0]
        with pytest.raises(InputError, match="has no labels"):
            study.labels(bad.index[0])
    assert list(table[table["clusterer"] == "ward"]["status"]) == ["ok", "ok"]
    assert study.best().clusterer == "ward"


def test_fewer_clusters_than_asked_is_flagged():
    study = sortal.Study(THREE)
    study.sweep({"one": Fails(how="one"), "average": "average"}, k=[2], workers=1)
    row = study.scores().loc["one k=2"]
    assert row["status"] == "flagged"
    assert row["reason"] == "1 clusters where 2 were asked for"
    assert study.reasons()["one k=2"]["silhouette"]


def test_no_convergence_is_flagged(wine):
    from sklearn.mixture import GaussianMixture

    study = sortal.Study(wine[0])
    study.sweep({"gm": GaussianMixture(max_iter=1)}, k=3, n_init=1, workers=1)
    row = study.scores().iloc[0]
    assert row["status"] == "flagged"
    assert "converge" in row["reason"]


def test_a_worker_that_dies_fails_its_candidate_alone():
    study = sortal.Study(THREE)
    study.sweep({"dies": Dies()}, k=[2, 3, 4, 5], workers=2)
    table = study.scores()
    assert list(table["status"]) == ["ok", "failed", "ok", "ok"]
    assert "worker process died" in table["reason"].iloc[1]


def test_k_of_1_n_and_more():
    X = np.arange(5.0)[:, None]
    study = sortal.Study(X)
    study.sweep(["ward", "kmeans"], k=[1, 2, 5, 6], n_init=1, workers=1)
    table = study.scores()
    assert table.loc["ward k=6", "reason"] == "6 clusters of 5 objects"
    assert table.loc["kmeans k=6 start=0", "status"] == "failed"
    assert table.loc["ward k=1", "status"] == "ok"
    assert "at least 2" in study.reasons()["ward k=1"]["silhouette"]
    assert study.best().n_clusters == 2


def test_nothing_to_choose_from_says_why():
    study = sortal.Study(THREE)
    with pytest.raises(NothingToRankError, match="nothing was tried"):
        study.best()
    study.sweep({"bad": Fails()}, k=2, workers=1)
    with pytest.raises(NothingToRankError, match="no luck with 2"):
        study.best()
    with pytest.raises(InputError, match="at least two"):
        sortal.Study([[1.0, 2.0]])
    ones = sortal.Study(THREE)
    ones.sweep(["ward", "kmeans"], k=1, n_init=1, workers=1)
    with pytest.raises(NothingToRankError, match="at least 2"):
        ones.best()


def test_few_distinct_objects_are_judged_without_warnings(recwarn):
    study = sortal.Study(np.repeat(np.eye(3), 10, axis=0))
    study.sweep(["kmeans", "ward"], k=[2, 3], n_init=1, workers=1)
    answer = study.best(stability=False)
    assert (answer.n_clusters, answer.structure.decision) == (3, "unclear")
    assert not recwarn.list


def test_constant_data_has_an_answer_or_a_reason():
    study = sortal.Study(np.ones((30, 3)))
    study.sweep(["kmeans", "ward", "hdbscan"], k=[2, 3], n_init=1, workers=1)
    table = study.scores()
    answer = study.best(stability=False)
    assert (answer.structure.decision, answer.recovery) == ("no", None)
    assert study.alternatives().reason == "equal"
    assert table.loc["kmeans k=2 start=0", "status"] == "flagged"
    for name, row in table.iterrows():
        for measure in sortal.measures.catalogue:
            if measure in row and np.isnan(row[measure]) and row["status"] != "failed":
                assert study.reasons()[name][measure]


def test_users_labelings_stand_beside_the_swept(wine):
    X, y = wine
    study = sortal.Study(X)
    names = np.array(["Barolo", "Grignolino", "Barbera"])[y]
    study.add(pd.DataFrame({"cultivar": names, "half": np.arange(len(y)) % 2}))
    study.add(y)
    study.sweep("ward", k=3, workers=1)
    table = study.scores()
    assert list(table.index) == ["cultivar", "half", "labels 0", "ward k=3"]
    assert set(study.cluster_names("cultivar")) == {"Barolo", "Grignolino", "Barbera"}
    codes = study.labels("cultivar")
    assert study.cluster_names("cultivar")[codes[0]] == names[0]
    ranked = study.rank()
    assert ranked.loc["cultivar", "reached_by"] == 2
    assert "labels 0" not in ranked.index
    study.add({"half": np.arange(len(y)) % 2})
    with pytest.raises(InputError, match="another clustering called 'half'"):
        study.add({"half": y})


def test_outliers_count_against_a_clustering():
    study = sortal.Study(THREE)
    most = np.where(np.arange(60) < 30, np.arange(60) // 10, -1)
    study.add({"all": np.repeat([0, 1, 2], 20), "half": most})
    ranked = study.rank()
    assert ranked.loc["half", "noise_share"] == 0.5
    expected = ranked["recovery"]
    assert expected["half"] < expected["all"]
    assert study.rank(by="consensus").loc["half", "votes"] <= 0.5
    raw = study.scores().at["half", "davies_bouldin_index"]
    by = study.rank(by="davies_bouldin_index")
    assert by.loc["half", "score"] == pytest.approx(2 * raw)
    whole = sortal.Study(THREE, noise="cluster")
    whole.add({"half": most})
    by = whole.rank(by="davies_bouldin_index")  # nothing was excluded, so nothing is subtracted
    assert by.loc["half", "score"] == whole.scores().at["half", "davies_bouldin_index"]


@pytest.mark.parametrize("noise", ["drop", "cluster"])
def test_outliers_are_singletons_to_external_measures(noise):
    truth = np.repeat([0, 1, 2], 20)
    study = sortal.Study(THREE, y=truth, noise=noise)
    half = np.where(np.arange(60) % 2, truth, -1)
    study.add({"all": np.where(np.arange(60) % 10, truth, 1), "half": half})
    alone = np.where(half < 0, 100 + np.arange(60), half)
    expected = adjusted_rand_score(truth, alone)
    assert study.scores().at["half", "adjusted_rand_index"] == pytest.approx(expected)
    assert study.rank().loc["half", "score"] == pytest.approx(expected)
    assert study.best().name == "all"


def test_rank_by_a_measure_and_ties():
    study = sortal.Study(THREE)
    study.add({"a": np.repeat([0, 1, 2], 20), "b": np.repeat([0, 1], 30), "c": np.arange(60) % 2})
    by = study.rank(by="davies_bouldin_index")
    assert by.index[0] == "a"
    assert by["score"].is_monotonic_increasing
    with pytest.raises(InputError, match="did you mean 'silhouette'"):
        study.rank(by="silhouete")


def test_partial_truth_is_used_where_it_is(wine):
    X, y = wine
    few = np.full(len(y), None, dtype=object)
    few[::10] = y[::10]
    study = sortal.Study(X, y=few)
    study.sweep("kmeans", k=[2, 3], n_init=1, workers=1)
    labels = study.labels("kmeans k=3 start=0")
    expected = adjusted_rand_score(y[::10], labels[::10])
    got = study.scores().at["kmeans k=3 start=0", "adjusted_rand_index"]
    assert got == pytest.approx(expected)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"k": []}, "k is empty"),
        ({"k": 0}, "at least 1; got 0"),
        ({"k": 2.5}, "k"),
        ({"n_init": 0}, "n_init"),
        ({"workers": 0}, "workers"),
        ({"clusterers": "kmean"}, "did you mean 'kmeans'"),
        ({"clusterers": [KMeans(), KMeans()]}, "two clusterers are called 'KMeans'"),
    ],
)
def test_bad_arguments(kwargs, message):
    with pytest.raises((InputError, TypeError), match=message):
        sortal.Study(THREE).sweep(**({"clusterers": "ward", "workers": 1} | kwargs))


def test_a_measure_that_raises_stops_nothing(monkeypatch):
    from dataclasses import replace

    def broken(X, labels, **kwargs):
        raise ZeroDivisionError("oh no")

    extra = replace(
        sortal.measures.catalogue["silhouette"], key="broken", function=broken, compute=None
    )
    monkeypatch.setitem(sortal.measures.catalogue._records, "broken", extra)
    study = sortal.Study(THREE)
    study.sweep("ward", k=[2, 3], workers=1)
    table = study.scores()
    assert table["broken"].isna().all()
    assert "ZeroDivisionError: oh no" in study.reasons()["ward k=2"]["broken"]
    assert table["silhouette"].notna().all()


def test_save_and_go_on(tmp_path, wine):
    study = sortal.Study(wine[0])
    study.sweep("kmeans", k=2, n_init=2, workers=1)
    scores = study.scores()
    study.save(tmp_path / "kept.sortal")
    with sortal.Study(wine[0], storage=tmp_path / "kept.sortal") as again:
        pd.testing.assert_frame_equal(scores, again.scores(), check_exact=True)
    with pytest.raises(StorageError, match="already exists"):
        study.save(tmp_path / "kept.sortal")


def test_a_few_labels_give_a_guarantee(wine):
    X, y = wine
    few = np.full(len(y), None, dtype=object)
    drawn = sortal.bounds.sample(len(y), 60, random_state=4)
    few[drawn] = y[drawn]
    study = sortal.Study(X, y=few, delta=0.05)
    study.sweep(["kmeans", "single", "hdbscan"], k=range(2, 6), n_init=3, workers=1)
    choice = study.best()
    assert choice.decided_by == "judge-and-labels"
    assert choice.n_clusters == 3
    study.by = "guarantee"
    choice = study.best()
    assert choice.guarantee is not None
    assert choice.n_clusters == 3
    wrong = sum(choice.guarantee.predicted[i] != y[i] for i in range(len(y)) if few[i] is None)
    assert (
        wrong <= choice.guarantee.bound < choice.guarantee.n * choice.guarantee.constant_error_rate
    )
    ranked = study.rank()
    assert ranked["score"].is_monotonic_increasing
    assert ranked["score"].iloc[0] == choice.guarantee.bound_rate
    assert re.search(r"95 % sure of this if your \d+ labels of 3 classes are a random", str(choice))
    assert "Of twenty random draws like yours, at most one" in choice.guarantee.sentence
    # everything that was planned is paid for, what failed too
    table = study.bounds().table
    assert (2.0 ** -table["choice_bits"].drop_duplicates()).max() < 1
    study.by = "consensus"
    by_consensus = study.best()
    assert by_consensus.guarantee is not None


def test_choosing_among_more_costs_more(wine):
    X, y = wine
    few = np.where(np.arange(len(y)) % 3 == 0, y, -1)
    bits = []
    for clusterers in (["kmeans"], ["kmeans", "ward", "average"]):
        study = sortal.Study(X, y=few)
        study.sweep(clusterers, k=range(2, 6), n_init=2, workers=1)
        bits.append(study.bounds()["kmeans k=3 start=0"].choice_bits)
    assert bits[1] - bits[0] == pytest.approx(np.log2(3))


def test_sizes_and_single_objects_are_named():
    study = sortal.Study(THREE)
    alone = np.where(np.arange(60) == 7, 1, 0)
    study.add({"alone": alone, "three": np.repeat([0, 1, 2], 20)})
    assert study.candidates.at["three", "status"] == "ok"
    assert study.candidates.at["alone", "status"] == "flagged"
    assert study.candidates.at["alone", "reason"] == "it only sets 1 object apart from 59 others"
    assert "The best of your two clusterings is three, with 3 groups" in str(study.best())
    only = sortal.Study(THREE)
    only.add({"alone": alone})
    text = str(only.best())
    assert "one group is a single row: an outlier rather than a group" in text
    study.sweep("single", k=[2], workers=1)
    assert "in 1,000 resamplings" not in str(study.best())


def test_a_crash_in_compiled_code_is_called_one():
    study = sortal.Study(THREE)
    study.sweep({"crash": Fails(how="crash"), "ward": "ward"}, k=[2], workers=2)
    reason = study.candidates.at["crash k=2", "reason"]
    assert reason == "the worker process died of SIGSEGV: a crash in compiled code"


def test_users_estimators_cannot_write_to_sparse_data():
    from scipy import sparse

    class Writes(Fails):
        def fit_predict(self, X, y=None):
            X.data[:] = 0
            return np.arange(X.shape[0]) % 2

    X = sparse.csr_array(THREE)
    study = sortal.Study(X)
    study.sweep({"writes": Writes()}, k=[2], workers=1)
    assert "read-only" in study.candidates["reason"].iloc[0]
    assert (study.X.data == X.data).all()


def test_chunks_of_the_judged_leave_none_out(monkeypatch, wine):
    monkeypatch.setattr(sortal.study.scores, "CHUNK", 3)
    study = sortal.Study(wine[0])
    study.sweep(["ward"], k=range(2, 10), workers=1)
    study.evaluate(["silhouette"])
    table = study.scores()
    assert len(table) == 8
    for name in table.index:
        alone = sortal.silhouette(wine[0], study.labels(name))
        assert table.at[name, "silhouette"] == pytest.approx(alone, rel=1e-12)
