"""The learned judge: what its answer must not depend on, and what it may never say."""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.datasets import load_iris, load_wine, make_blobs, make_moons

import sortal
from sortal import InputError
from sortal.judge import JudgeSettings, columns, gather, load_judge, log_likelihood

CLUSTERERS = ["kmeans", "ward", "average", "genie", "gaussian-mixture", "hdbscan"]


@cache
def candidates():
    """Iris, its species and its distinct candidates."""
    X, y = load_iris(return_X_y=True)
    study = sortal.Study(X)
    study.sweep(CLUSTERERS, k=range(2, 6), n_init=1, workers=1)
    table = study.rank()
    codes = np.stack(list(study.labelings(table.index).values())).astype(np.int32)
    return X, y, codes


@cache
def judged():
    X, _, codes = candidates()
    return load_judge()(gather(X, codes))


def swept(X, **options):
    study = sortal.Study(X, **options)
    study.sweep(CLUSTERERS, k=range(2, 6), n_init=1, workers=1)
    return study


def test_the_order_of_objects_is_no_evidence():
    X, _, codes = candidates()
    order = np.random.default_rng(0).permutation(len(X))
    again = load_judge()(gather(X[order], codes[:, order]))
    # distances in iris are tied, and their order decides in the spanning tree
    np.testing.assert_allclose(again.predicted, judged().predicted, atol=0.08)


@pytest.mark.parametrize("change", ["order", "scaled", "moved"])
def test_without_ties_nothing_changes(change):
    X, y = make_blobs(120, 4, centers=4, cluster_std=2.0, random_state=0)
    codes = np.stack([y, np.minimum(y, 2), (X[:, 0] > 0).astype(int), y % 2]).astype(np.int32)
    order = np.random.default_rng(0).permutation(len(X)) if change == "order" else slice(None)
    Z = {"scaled": 1000 * X, "moved": X + 7}.get(change, X)
    before, after = load_judge()(gather(X, codes)), load_judge()(gather(Z[order], codes[:, order]))
    np.testing.assert_allclose(after.predicted, before.predicted, atol=0.02)
    assert np.argmax(after.score) == np.argmax(before.score) == 0


def test_names_of_clusters_are_no_evidence():
    X, _, codes = candidates()
    k = codes.max(axis=1)[:, None]
    renamed = np.where(codes < 0, -1, k - codes).astype(np.int32)
    again = load_judge()(gather(X, renamed))
    np.testing.assert_allclose(again.score, judged().score, atol=1e-6)


@pytest.mark.parametrize("change", ["scaled", "turned", "moved"])
def test_units_axes_and_origin_are_no_evidence(change):
    X, _, codes = candidates()
    turn = ortho_group.rvs(X.shape[1], random_state=1)
    Z = {"scaled": 1000 * X, "turned": X @ turn, "moved": X + 7}[change]
    again = load_judge()(gather(Z, codes))
    np.testing.assert_allclose(again.predicted, judged().predicted, atol=0.08)


def test_other_candidates_are_no_evidence():
    X, y, codes = candidates()
    rng = np.random.default_rng(0)
    bad = np.stack([rng.integers(3, size=len(X)), rng.permutation(y), np.arange(len(X)) % 2])
    more = load_judge()(gather(X, np.concatenate([codes, bad]).astype(np.int32)))
    M = len(codes)
    for key in ("predicted", "low", "high"):
        np.testing.assert_allclose(getattr(more, key)[:M], getattr(judged(), key), atol=1e-9)
    assert (more.probability[:M] <= judged().probability + 0.02).all()
    for i in (0, M // 2):  # alone as in company
        alone = load_judge()(gather(X, codes[i : i + 1]))
        assert alone.predicted[0] == pytest.approx(judged().predicted[i], abs=1e-9)
        assert alone.probability[0] == pytest.approx(1)
        assert alone.near_best == 1


def test_some_of_the_evidence_is_the_evidence_of_some():
    X, _, codes = candidates()
    whole, chosen = gather(X, codes), np.array([7, 0, 3])
    for key, values in columns(gather(X, codes[chosen])).items():
        np.testing.assert_allclose(values, columns(whole)[key][chosen], atol=1e-9, err_msg=key)
        np.testing.assert_allclose(values, columns(whole.take(chosen))[key], rtol=1e-12)


def test_one_labeling_is_judged_on_an_absolute_scale():
    X, y, _ = candidates()
    rng = np.random.default_rng(1)
    noisy = np.where(rng.random(len(y)) < 0.05, rng.permutation(y), y)
    good = load_judge()(gather(X, np.stack([y, noisy]).astype(np.int32)))
    assert good.predicted.min() > 0.5
    bad = [rng.integers(k, size=len(X)) for k in (2, 3, 3, 5)] + [rng.permutation(y)]
    said = load_judge()(gather(X, np.stack(bad).astype(np.int32)))
    assert said.predicted.max() < 0.15
    assert said.high.max() < good.predicted.min()


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_less_is_expected_of_classes_with_errors(load):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rng = np.random.default_rng(0)
    codes = [y]
    for share in (0.1, 0.1, 0.1, 0.5, 0.5, 0.5):
        wrong, labels = rng.random(len(y)) < share, y.copy()
        labels[wrong] = rng.permutation(y[wrong])
        codes.append(labels)
    said = load_judge()(gather(X, np.stack(codes).astype(np.int32))).predicted
    assert said[0] > said[1:4].max()
    assert said[1:4].min() > said[4:].max()


def test_copies_of_a_candidate_are_no_evidence():
    X, _ = make_blobs(120, 3, centers=4, random_state=5)
    study = swept(X)
    before = study.best(stability=False)
    third = study.rank().index[2]
    study.add({f"copy {i}": study.labels(third) for i in range(5)})
    after = study.best(stability=False)
    assert after.name == before.name
    np.testing.assert_array_equal(after.labels, before.labels)


def test_one_object_against_the_rest_wins_only_alone():
    X = np.random.default_rng(3).normal(size=(80, 3))
    X[0] = 40
    alone = {"lonely": [1] + [0] * 79}
    study = sortal.Study(X)
    study.add(alone)
    assert study.best(stability=False).name == "lonely"
    study.add({"halves": (X[:, 0] > 0).astype(int), "pair": [1, 1] + [0] * 78})
    assert study.best(stability=False).name == "halves"


@pytest.mark.parametrize("load", [load_wine])
def test_shuffled_features_have_no_structure(load):
    X, _ = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert swept(X).best(stability=False).structure.decision != "no"
    rng = np.random.default_rng(0)
    shuffled = np.column_stack([rng.permutation(column) for column in X.T])
    study = swept(shuffled)
    best = study.best(stability=False)
    assert best.structure.decision != "yes"
    assert best.sentences[0].startswith("One cloud")


def test_one_cloud_has_no_structure_and_four_segments_have():
    rng = np.random.default_rng(0)
    for cloud in (rng.normal(size=(250, 3)), rng.uniform(size=(250, 3))):
        best = swept(cloud).best(stability=False)
        assert best.sentences[0].startswith("One cloud")
    X, y = make_blobs(250, 3, centers=4, cluster_std=0.8, random_state=2)
    segments = swept(X)
    best = segments.best(stability=False)
    assert sortal.adjusted_rand_index(y, best.labels, noise="singletons") > 0.95
    table = segments.judged()
    assert table.recovery(best.name) == best.recovery
    assert best.recovery.value > 0.8
    assert best.structure.decision == "yes"


def test_connected_shapes_win_where_they_are():
    X, y = make_moons(300, noise=0.06, random_state=0)
    best = swept(X).best(stability=False)
    assert sortal.adjusted_rand_index(y, best.labels, noise="singletons") > 0.95
    assert best.decided_by == "judge-7"


def test_contributions_add_up():
    X, _, codes = candidates()
    judge = load_judge()
    evidence = gather(X, codes)
    F = judge.table(evidence)
    expected, parts, start = judge.expected.paths(F)
    np.testing.assert_allclose(expected, judge.expected.predict(F), atol=1e-6)
    np.testing.assert_allclose(start + parts.sum(axis=1), expected, atol=1e-5)
    said = judge(evidence)
    total = sum(said.contributions.values())
    np.testing.assert_allclose(said.average + total, expected, atol=1e-5)
    assert (said.low <= said.predicted).all()
    assert (said.predicted <= said.high).all()


def test_trees_survive_storing(tmp_path):
    judge = load_judge()
    judge.save(tmp_path / "judge.npz")
    again = load_judge(tmp_path / "judge.npz")
    F = np.random.default_rng(0).normal(size=(50, len(judge.columns)))
    np.testing.assert_array_equal(again.level.predict(F), judge.level.predict(F))
    assert again.digest == judge.digest


def test_a_file_that_is_no_judge_is_rejected(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, a=1)
    with pytest.raises(InputError, match="is not a judge"):
        load_judge(path)


def test_the_packaged_judge_is_small_and_plain():
    path = Path(sortal.judge.__file__).with_name("judge.npz")
    assert path.stat().st_size <= 1_000_000
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
    judge = load_judge()
    assert judge.name.endswith(f"({judge.digest[:8]})")


def test_with_labels_the_judge_is_the_prior():
    X, y = load_iris(return_X_y=True)
    few = np.full(len(y), None, dtype=object)
    few[::10] = y[::10]
    study = swept(X, y=few)
    best = study.best(stability=False)
    assert best.decided_by == "judge-and-labels"
    assert "the 15 labels favour it" in str(best)
    assert re.fullmatch(r"Decided by judge \S+ and 15 labels\.", best.reasons[-1])
    assert sortal.adjusted_rand_index(y, best.labels, noise="singletons") > 0.6
    wrong = sum(best.guarantee.predicted[i] != y[i] for i in range(len(y)) if few[i] is None)
    assert wrong <= best.guarantee.bound
    ranked = study.rank()
    assert ranked["probability"].sum() == pytest.approx(1)
    by_number = ranked.groupby("n_clusters")["probability"].sum()
    level = ranked["n_clusters"].map(by_number >= by_number.max() / 2)
    assert level.is_monotonic_decreasing
    assert ranked.loc[level, "probability"].is_monotonic_decreasing
    # what the judge thinks likely and the labels think likely comes first
    table = study.judged()
    labelled = np.arange(0, 150, 10)
    codes = np.stack([study.labels(name)[labelled] for name in table.names])
    logs = table.judgement.predicted / JudgeSettings().temperature + log_likelihood(
        codes, y[labelled]
    )
    most = table.names[int(np.argmax(logs))]
    assert sortal.adjusted_rand_index(study.labels(most), best.labels, noise="singletons") > 0.8
    assert table.judgement.prior.sum() == pytest.approx(1)


def test_with_labels_there_is_a_choice_without_the_judge():
    X = np.arange(12.0)[:, None]
    truth = np.array(["a", None, "a", None, None, "a", "b", None, None, "b", None, "b"], object)
    study = sortal.Study(X, y=truth)
    study.add({"halves": [0] * 6 + [1] * 6, "thirds": [0] * 4 + [1] * 4 + [2] * 4})
    study.by = "judge-and-labels"
    best = study.best(stability=False)
    assert best.name == "halves"
    assert any("(50 % without them)" in sentence for sentence in best.reasons)
    assert best.reasons[-1] == "Decided by the labels."


def test_all_bounds_that_are_told_hold_together():
    truth = np.array(["a", None, "a", None, None, "a", "b", None, None, "b", None, "b"], object)
    study = sortal.Study(np.arange(12.0)[:, None], y=truth)
    study.add({"halves": [0] * 6 + [1] * 6, "thirds": [0] * 4 + [1] * 4 + [2] * 4})
    study.by = "judge-and-labels"
    best, tightest = study.best(stability=False), study.guarantee()
    assert (best.name, best.guarantee.sentence) == ("halves", tightest.sentence)
    assert best.guarantee.carrier != "clustering"
    # the clusters by the share of delta that PAC-MDL has beside the guarantee
    assert tightest.mdl["halves"].delta < best.guarantee.delta
    assert best.by_clusters.rate == tightest.mdl["halves"].bound_rate
    assert any("both hold together" in sentence for sentence in best.reasons)


def test_likelihood_of_labels_is_a_chain_of_predictions():
    rng = np.random.default_rng(0)
    codes, classes = rng.integers(-1, 4, size=(5, 30)), rng.integers(0, 3, size=30)
    logs = log_likelihood(codes, classes)
    for code, value in zip(codes, logs, strict=True):
        total, seen = 0.0, {}
        for i, (cluster, label) in enumerate(zip(code, classes, strict=True)):
            # Laplace's rule of succession in each cluster; outliers are clusters of one
            counts = seen.setdefault(cluster if cluster >= 0 else f"alone {i}", np.zeros(3))
            total += np.log((counts[label] + 1) / (counts.sum() + 3))
            counts[label] += 1
        assert value == pytest.approx(total)


@pytest.mark.long
def test_documents_are_told_apart(shared_data):
    """tr45: ten topics, of which some are near; the answer must be far from the worst half."""
    from sortal.datasets import read

    counts = read(shared_data / "terms" / "tr45.npz")
    with gzip.open(shared_data / "terms" / "tr45.labels.txt.gz", "rt") as lines:
        topics = np.array(lines.read().split())
    study = sortal.Study(counts, metric="cosine")
    study.sweep(k=range(2, 13), n_init=2)
    best = study.best(stability=False)
    assert best.decided_by == "judge-7"
    reached = [
        sortal.adjusted_rand_index(topics, labels, noise="singletons")
        for labels in study.labelings(study.rank().index).values()
    ]
    assert best.structure.decision != "no"
    assert reached[0] > np.quantile(reached, 0.7)
