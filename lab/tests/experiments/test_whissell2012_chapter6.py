"""The experiments on tables 6.1, 6.2 and 6.4: data, clusterings, resumption, tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import ward

import sortal
import sortal_lab
from sortal import InputError
from sortal.labelings import cut_dendrogram
from sortal_lab import EXPERIMENTS
from sortal_lab import whissell2012_chapter6 as chapter6
from sortal_lab import whissell2012_chapter6_samples as samples
from sortal_lab.whissell2012_sets import WHISSELL2012, make_whissell2012


@pytest.mark.parametrize(
    ("name", "sizes", "d"),
    [
        ("2GAUSS", [500] * 2, 2),
        ("6GAUSS", [500] * 6, 2),
        ("ELONGATED", [300] * 3, 2),
        ("CUBE", [200] * 8, 3),
        ("RINGS", [400, 1200], 2),
    ],
)
def test_synthetic_data_are_as_described(name: str, sizes: list[int], d: int) -> None:
    X, labels = make_whissell2012(name, random_state=0)
    assert X.shape == (sum(sizes), d)
    assert np.bincount(labels).tolist() == sizes
    again, _ = make_whissell2012(name, random_state=0)
    np.testing.assert_array_equal(X, again)
    if name == "RINGS":
        radius = np.hypot(*(X - 0.05).T)
        assert abs(radius[:400] - 1).max() < 0.08
        assert abs(radius[400:] - 2).max() < 0.08
    if name == "CUBE":
        assert (np.abs(np.abs(X) - 5) <= 4).all()
    with pytest.raises(InputError, match="no synthetic data set"):
        make_whissell2012(name.lower())


def criterion_value(units: Any, labels: Any, criterion: str) -> float:
    whole, value = units.sum(axis=0), 0.0
    for c in np.unique(labels):
        total, n = units[labels == c].sum(axis=0), (labels == c).sum()
        length = float(np.linalg.norm(total))
        value += {"I1": length**2 / n, "I2": length, "E1": -n * (total @ whole) / length}[criterion]
    return value


@pytest.mark.parametrize("criterion", ["I1", "I2", "E1"])
def test_agglomeration_takes_the_best_merge(criterion: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((14, 3)) + 0.1
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    tree = samples.criterion_tree(units @ units.T, criterion)
    labels = np.arange(14)
    for k in range(13, 0, -1):
        values = []
        for a in np.unique(labels):
            for b in np.unique(labels):
                if a < b:
                    merged = np.where(labels == b, a, labels)
                    values.append((criterion_value(units, merged, criterion), merged))
        labels = max(values, key=lambda pair: pair[0])[1]
        found = cut_dendrogram(tree, n_clusters=k)
        assert sortal.adjusted_rand_index(labels, found) == 1.0


def test_i1_is_ward_on_unit_vectors() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 4))
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    ours, theirs = samples.criterion_tree(units @ units.T, "I1"), ward(units)
    for k in (2, 5, 20):
        pair = (cut_dendrogram(tree, n_clusters=k) for tree in (ours, theirs))
        assert sortal.adjusted_rand_index(*pair) == 1.0


def test_every_clustering_has_its_number_of_clusters() -> None:
    X, _ = make_whissell2012("ELONGATED", random_state=0)
    found = samples.cluster(X[::12], np.random.default_rng(0))
    assert len(found) == 8 * 19
    for name, labels in found.items():
        assert len(np.unique(labels)) == int(name.split()[1])


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Small samples and few clusterings, and which samples were drawn."""
    drawn: list[str] = []

    def sample(name: str, rng: np.random.Generator) -> Any:
        drawn.append(name)
        truth = rng.integers(0, 3, 40)
        return rng.normal(size=(40, 2)) + 4 * truth[:, None], truth

    monkeypatch.setattr(samples, "draw", sample)

    def few(X: Any, rng: np.random.Generator) -> Any:
        return {f"single {k}": cut_dendrogram(ward(X), n_clusters=k) for k in (2, 3)} | {
            "kmeans 12": rng.integers(0, 12, len(X))
        }

    monkeypatch.setattr(samples, "cluster", few)
    return drawn


def test_tables_and_resumption(small: list[str], tmp_path: Path) -> None:
    file, told = tmp_path / "kept.sqlite", []
    run = sortal_lab.run
    first = run("whissell2012-table6.1", samples=1, storage=file, progress=told.append)
    assert small == list(WHISSELL2012)
    assert told[0] == "2GAUSS: sample 1 of 1"
    assert first.table.loc["Informativeness", ("average", "published")] == 0.406
    assert first.table.loc["inf-ARI", ("CUBE", "published")] == 0.318
    ours = first.table.xs("sortal", axis=1, level=1)
    assert ours.abs().max().max() <= 1
    assert first.table.xs("error", axis=1, level=1).isna().all().all()
    second = run("whissell2012-table6.2", samples=2, storage=file)
    assert len(small) == 10, "the first samples are kept"
    assert (second.table.xs("sortal", level=2).sum(axis=1) == 2).all()
    counts, errors = (second.table.xs(part, level=2).to_numpy() for part in ("sortal", "error"))
    np.testing.assert_allclose(errors[counts == 1], np.sqrt(0.5))
    assert (errors[counts != 1] == 0).all()
    published = second.table.xs("published", level=2).sum(axis=1)
    # one printed row does not add up
    assert published[published != 50].to_dict() == {("RINGS", "Davies–Bouldin"): 54}
    whole = run("whissell2012-table6.1", samples=2)
    resumed = run("whissell2012-table6.1", samples=2, storage=file)
    pd.testing.assert_frame_equal(whole.table, resumed.table)


@pytest.mark.long
def test_real_sets_have_errors(small: list[str]) -> None:
    real = sortal_lab.run("whissell2012-table6.4", samples=2, random_state=1)
    assert real.table.loc["C-Index", ("average", "published")] == 0.309
    assert real.table["average", "error"].notna().all()
    assert "IMAGE" in str(real)


def test_published_averages_are_those_of_the_rows() -> None:
    for published in (chapter6.TAUS_SYNTHETIC, chapter6.TAUS_REAL):
        assert set(published) == set(chapter6.TITLES)
        for key, row in published.items():
            # the printed average of B/W is -0.170, that of its row -0.165
            assert np.mean(row[:-1]) == pytest.approx(row[-1], abs=0.0055), key


def test_names_are_registered() -> None:
    for table in ("6.1", "6.2", "6.4"):
        assert EXPERIMENTS[f"whissell2012-table{table}"].module == chapter6.__name__


def test_real_data(real_data: None) -> None:
    for name, shape in (("IRIS", (75, 4)), ("WINE", (89, 13)), ("IMAGE", (1050, 19))):
        X, truth = samples.draw(name, np.random.default_rng(0))
        assert X.shape == shape
        assert len(truth) == len(X)


def test_similarities_fall_with_distance() -> None:
    S = samples.similarities(np.array([[0.0], [1.0], [4.0]]))
    np.testing.assert_allclose(S, [[1, 0.75, 0], [0.75, 1, 0.25], [0, 0.25, 1]])


def test_kept_clusterings_and_predictions_serve_other_measures(small: list[str]) -> None:
    with samples.keeping(None, 0) as kept:
        first = chapter6.scores_of("RINGS", 0, kept)
        with kept.db:
            kept.db.execute("DELETE FROM chapter6_parts WHERE part='scores'")
        assert kept.get("RINGS", 0, "predictions")["codes"].shape == (4, 3, 40)
        again = chapter6.scores_of("RINGS", 0, kept)
    pd.testing.assert_frame_equal(first, again)


def test_a_singleton_is_infinitely_far_from_its_own(small: list[str]) -> None:
    with samples.keeping(None, 0) as kept:
        made = samples.sample_of("IRIS", 0, kept)
        alone = (np.arange(40) == 0).astype(np.int32)
        labels = {"alone 2": alone, **made.labels}
        table = chapter6.judge(
            samples.ClusteredSample(made.X, made.truth, labels, 0),
            sortal.measures.clarity.assess(made.X, labels),
        )
    assert table.loc["alone 2", "point_wise_margin"] == np.inf
    assert np.isfinite(table.loc["single 3", "point_wise_margin"])


@pytest.mark.parametrize("sets", [3, 5])
def test_an_average_is_that_of_all_data_sets(sets: int) -> None:
    rows = pd.MultiIndex.from_product([[0], range(9)], names=["sample", "clustering"])
    columns = ["normalized_mutual_information", *chapter6.TITLES]
    rng = np.random.default_rng(0)
    tables = {
        f"set {i}": pd.DataFrame(rng.random((9, len(columns))), rows, columns) for i in range(sets)
    }
    found = chapter6.correlation_table(tables, chapter6.TAUS_REAL)
    assert ("average", "published") in found.columns or sets < 5
    assert len(found.columns) == 4 * (sets + (sets == 5))


def test_real_sets_are_as_published(real_data: None) -> None:
    X, classes = samples.draw("IMAGE", np.random.default_rng(0))
    # columns and rows of the picture, in pixels
    assert len(set(classes)) == 7
    assert (X[:, :2] == X[:, :2].round()).all()
    assert X[:, 0].max() > 200
    X, _ = samples.draw("ISOLET", np.random.default_rng(0))
    assert np.abs(X).max() == 1
