"""Soft and overlapping clusterings and dendrograms beside hard ones: which measure takes what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage

import sortal
from sortal import Dendrogram, InputError
from sortal.labelings import (
    OverlappingPartition,
    SoftPartition,
    canonical_codes,
    cut_dendrogram,
    hard_labelings,
)
from sortal.measures import catalogue

N = 40
RNG = np.random.default_rng(0)
TRUTH = np.arange(N) % 3
X = 4 * np.eye(3)[TRUTH] + RNG.normal(size=(N, 3))
U = RNG.dirichlet(np.ones(3), N) + 3 * np.eye(3)[TRUTH]
SOFT = SoftPartition(U / U.sum(axis=1, keepdims=True))
OVERLAPPING = OverlappingPartition(
    np.maximum(np.eye(3, dtype=bool)[TRUTH], RNG.random((N, 3)) > 0.8)
)
TREE = Dendrogram(linkage(X, "average"))
STRUCTURES = {"soft": SOFT, "overlapping": OVERLAPPING, "dendrogram": TREE}
GRAPH = np.exp(-np.linalg.norm(X[:, None] - X, axis=2)) - np.eye(N)

#: what takes more than hard labels, besides those that take expected contingency tables
TAKES = {
    "overlapping": {
        "bcubed_precision", "bcubed_recall", "bcubed_f_measure", "element_centric_similarity",
    },
    "dendrogram": {"f_quality", "matching_accuracy", "hamming_distance", "purity"},
}  # fmt: skip


def function_of(measure):
    if measure.kind == "external":
        return lambda given: measure.function(TRUTH, given)
    return lambda given: measure.function(GRAPH if measure.takes == "graph" else X, given)


def test_the_table_of_structures_is_known():
    for kind, keys in TAKES.items():
        assert {m.key for m in catalogue.values() if kind in m.structures} == keys
    soft = {m.key for m in catalogue.values() if "soft" in m.structures}
    counted = {"adjusted_mutual_information", "standardized_mutual_information", "dom_q0"}
    assert not soft & counted
    assert {"xie_beni_index", "pbm_index", "adjusted_rand_index"} <= soft


@pytest.mark.parametrize("kind", STRUCTURES)
@pytest.mark.parametrize("key", list(catalogue))
def test_each_measure_takes_what_its_record_says(key, kind):
    measure, given = catalogue[key], STRUCTURES[kind]
    call = function_of(measure)
    if kind in measure.structures:
        assert np.isfinite(call(given))
    else:
        with pytest.raises(InputError):
            call(given)


@pytest.mark.parametrize("kind", ["soft", "overlapping"])
@pytest.mark.parametrize("graph", [False, True])
def test_every_cell_is_as_it_is_or_hardened_and_says_so(kind, graph):
    given = STRUCTURES[kind]
    hard = given.harden()
    names = {"hard": TRUTH, "given": given, "its labels": hard}
    keys = [m.key for m in catalogue.values() if m.kind == "external" and not graph]
    keys += [m.key for m in catalogue.select(kind="internal") if (m.takes == "graph") == graph]
    data, metric = (GRAPH, "graph") if graph else (X, "euclidean")
    scores = sortal.evaluate(data, names, y=TRUTH, measures=keys, metric=metric)
    assert list(scores.table.index) == list(names)
    assert not scores.hardened.loc[["hard", "its labels"]].to_numpy().any()
    for key in keys:
        value = scores[key]["given"]
        if kind in catalogue[key].structures:
            assert not scores.hardened.loc["given", key]
            assert value == pytest.approx(function_of(catalogue[key])(given), rel=1e-12)
        else:
            assert scores.hardened.loc["given", key]
            np.testing.assert_equal(value, scores[key]["its labels"])
    assert "its hard labels" in str(scores)
    assert scores.to_frame().query("clustering == 'given'")["hardened"].any()


def test_objects_of_unknown_class_are_excluded_from_the_truth_of_a_soft_clustering():
    partly = np.where(np.arange(N) < 25, TRUTH, -1)
    scores = sortal.evaluate(X, SOFT, y=partly, measures=["adjusted_rand_index", "pbm_index"])
    few = SoftPartition(SOFT.memberships[:25])
    expected = sortal.adjusted_rand_index(TRUTH[:25], few)
    assert scores["adjusted_rand_index"]["0"] == pytest.approx(expected)
    assert scores["pbm_index"]["0"] == pytest.approx(sortal.pbm_index(X, SOFT, fuzzifier=1.5))


def test_memberships_have_no_weights_so_their_hard_labels_are_weighed():
    weights = RNG.integers(1, 4, N)
    scores = sortal.evaluate(X, {"a": SOFT}, y=TRUTH, sample_weight=weights)
    hard = sortal.evaluate(X, {"a": SOFT.harden()}, y=TRUTH, sample_weight=weights)
    assert scores.hardened.to_numpy().all()
    np.testing.assert_array_equal(scores.table, hard.table)


def test_a_soft_clustering_is_judged_on_the_rows_that_fit_the_distance():
    scores = sortal.evaluate(X, SOFT, measures=["xie_beni_index"], metric="cosine")
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert scores["xie_beni_index"]["0"] == pytest.approx(sortal.xie_beni_index(rows, SOFT))


def test_a_dendrogram_is_its_cuts():
    Z = TREE.linkage
    hard, memberships = hard_labelings({"tree": TREE, "mine": TRUTH})
    assert not memberships
    assert list(hard) == [*(f"tree k={k}" for k in range(2, 11)), "mine"]
    for k in (2, 5, 10):
        expected = canonical_codes(fcluster(Z, k, "maxclust"))
        np.testing.assert_array_equal(hard[f"tree k={k}"], expected)
    assert next(iter(hard_labelings(TREE)[0])) == "tree k=2"
    assert list(sortal.evaluate(X, TREE, measures=["silhouette"]).table.index)[-1] == "tree k=10"
    assert Dendrogram(Z, cuts=[4, 4, 7]).cuts == (4, 7)
    assert Dendrogram(Z, cuts=1).cuts == (1,)


def test_what_structures_cannot_be():
    Z = TREE.linkage
    for cuts, said in (
        ("gap", "no cut into 'g'"),
        ([0], "no cut into 0"),
        ([N + 1], "no cut into 41"),
        ([], "no number of clusters"),
        ([2.5], "no cut into 2.5"),
    ):
        with pytest.raises(InputError, match=said):
            Dendrogram(Z, cuts=cuts)
    with pytest.raises(InputError, match="its own name"):
        hard_labelings({"t": TREE, "t k=3": TRUTH})
    with pytest.raises(InputError, match=r"labels.harden\(\)"):
        sortal.labelings.encode(SOFT)
    with pytest.raises(InputError, match="39 labels, but there are 40"):
        sortal.evaluate(X, {"a": TRUTH, "b": SoftPartition(SOFT.memberships[1:])})
    assert hard_labelings([TRUTH, SOFT])[0]["1"] is not None
    assert hard_labelings([TRUTH, TRUTH])[1] == {}


# -- in a study ------------------------------------------------------------------------------


def test_structures_are_candidates_of_a_study(tmp_path):
    path = tmp_path / "s.sortal"
    given = {"soft": SOFT, "over": OVERLAPPING, "tree": Dendrogram(TREE.linkage, cuts=[2, 3])}
    with sortal.Study(X, y=TRUTH, storage=path) as study:
        study.add(given)
        study.add(SOFT)
        study.add(given)  # again: nothing new
        assert list(study.candidates.index) == ["soft", "over", "tree k=2", "tree k=3", "labels 0"]
        with pytest.raises(InputError, match="another clustering called 'soft'"):
            study.add({"soft": SoftPartition(np.eye(3)[SOFT.harden()])})
    with sortal.Study(X, storage=path) as study:
        for name, one in (("soft", SOFT), ("labels 0", SOFT), ("over", OVERLAPPING)):
            kept = study.memberships(name).memberships
            assert type(study.memberships(name)) is type(one)
            # columns as the labels number the clusters
            np.testing.assert_array_equal(study.memberships(name).harden(), study.labels(name))
            np.testing.assert_allclose(np.sort(kept), np.sort(one.memberships), atol=1e-6)
        np.testing.assert_array_equal(study.labels("soft"), canonical_codes(SOFT.harden()))
        assert study.memberships("tree k=2") is None
        hard = sortal.evaluate(X, SOFT.harden(), measures=["silhouette"])
        assert study.scores().loc["soft", "silhouette"] == pytest.approx(hard["silhouette"]["0"])


def test_a_chosen_soft_clustering_says_what_was_hardened():
    study = sortal.Study(X, by="silhouette")
    study.add({"soft": SOFT, "one against all": TRUTH == 0})
    best = study.best()
    assert best.name == "soft"
    assert any("It is soft; measures of hard clusterings take" in text for text in best.reasons)


@pytest.mark.parametrize("workers", [1, 2])
def test_mixtures_bring_their_memberships(workers):
    from sklearn.mixture import GaussianMixture

    study = sortal.Study(X, metric="cosine")
    names = ["gaussian-mixture", "kmeans", "soft-movmf", "hard-movmf"]
    study.sweep(names, k=[2, 3], n_init=1, workers=workers)
    done = study.candidates.index
    soft = {name.split(" k=")[0] for name in done if study.memberships(name) is not None}
    on_rows = " on unit rows"
    assert soft == {"gaussian-mixture" + on_rows, "soft-movmf"}
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    candidate = f"gaussian-mixture{on_rows} k=3 start=0"
    seed = next(c["seed"] for c in study.state.storage.candidates() if c["name"] == candidate)
    expected = GaussianMixture(3, random_state=seed).fit(rows).predict_proba(rows)
    kept = study.memberships(candidate)
    np.testing.assert_array_equal(kept.harden(), study.labels(candidate))
    np.testing.assert_allclose(
        np.sort(kept.memberships, axis=None), np.sort(expected, axis=None), atol=1e-5
    )


def test_what_is_of_something_else_is_no_membership():
    from sortal.clusterers import memberships_of

    class Odd:
        def predict_proba(self, X):
            return np.tile([0.9, 0.1], (len(X), 1))

    assert memberships_of(Odd(), X, np.zeros(N, int)) is not None
    assert memberships_of(Odd(), X, np.ones(N, int)) is None
    assert memberships_of(Odd(), X[1:], np.zeros(N, int)) is None
    assert memberships_of(object(), X, np.zeros(N, int)) is None


# -- in files --------------------------------------------------------------------------------


def test_a_file_has_labels_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("mine.npz", hard=TRUTH, soft=SOFT.memberships)
    with pytest.raises(InputError, match=r"'soft' has shape .* are taken by Study.add"):
        sortal.datasets.read_labelings("mine.npz")


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 5, 1, 2]],  # no such object
        [[0, 0, 1, 2]],  # one object twice
        [[0, 1, np.nan, 2]],
        [[0, 1, -1, 2]],
        [[0, 1.5, 1, 2]],
        [[-1, 0, 1, 2]],
        [[0, 4, 1, 2], [1, 2, 1, 2]],  # before it was made
        [[0, 3, 1, 2], [1, 2, 1, 3]],
        [],
    ],
)
def test_a_forged_linkage_is_refused_wherever_it_is_given(rows):
    Z = np.array(rows, dtype=float).reshape(-1, 4)
    for use in (
        lambda: cut_dendrogram(Z, n_clusters=1),
        lambda: Dendrogram(Z),
    ):
        with pytest.raises(InputError, match="is not a linkage matrix in SciPy's form"):
            use()


@given(st.integers(0, 2**32 - 1), st.sampled_from(["single", "average", "ward", "centroid"]))
def test_every_linkage_of_scipy_is_one(seed, method):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(rng.integers(2, 12), 2)).astype(float)
    Z = linkage(X, method)
    assert cut_dendrogram(Z, n_clusters=1).tolist() == [0] * len(X)
