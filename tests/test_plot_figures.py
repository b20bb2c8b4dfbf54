"""The figures show what the data says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import f_oneway

import sortal
from sortal import InputError, plot
from sortal.measures import catalogue
from sortal.runtime.numerals import percent

RNG = np.random.default_rng(0)


# -- agreement


def test_measures_that_agree_stand_together() -> None:
    a, b = RNG.normal(size=30), RNG.normal(size=30)
    table = pd.DataFrame(
        {"silhouette": a, "purity": b, "dunn_index": a + 0.01, "adjusted_rand_index": b - 0.01}
    )
    shown = list(plot.agreement(table.corr("kendall")).data[0].x)
    place = {title: i for i, title in enumerate(shown)}
    titles = {key: catalogue[key].title for key in table}
    assert abs(place[titles["silhouette"]] - place[titles["dunn_index"]]) == 1
    assert abs(place[titles["purity"]] - place[titles["adjusted_rand_index"]]) == 1


def test_many_measures_get_low_rows() -> None:
    heights = {}
    for m in (16, 17, 60, 100, 200):
        names = [f"measure {i}" for i in range(m)]
        table = pd.DataFrame(np.eye(m), index=names, columns=names)
        heights[m] = (plot.agreement(table).layout.height - 180) / m
    assert heights == {16: 40, 17: 24, 60: 23, 100: 14, 200: 13}


# -- clusters


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "b"], "row of integers"),
        ([-2, 0], "at least -1"),
        ([[0, 1]], "one non-empty row"),
    ],
)
def test_labels_that_cannot_be_drawn(labels: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plot.silhouette(np.zeros((len(labels), 1)), labels)


def test_names_must_reach() -> None:
    with pytest.raises(InputError, match="cluster 2 occurs"):
        plot.silhouette([[0.1], [0.2], [0.3]], [0, 0, 2], names=["x", "y"])


# -- contingency


def test_contingency_keeps_counts_and_finds_the_diagonal() -> None:
    true = RNG.integers(0, 6, 300)
    table = sortal.ContingencyTable(true, (5 - true) * 10)
    heat = plot.contingency(table).data[0]
    shown = np.array(
        [[int(c.replace(",", "").replace("·", "0")) for c in row] for row in heat.text]
    )
    assert shown.sum() == 300
    assert (shown == np.diag(np.diag(shown))).all()
    np.testing.assert_allclose(np.sum(heat.z, axis=0), 1, atol=1e-3)


def test_contingency_wants_a_table() -> None:
    with pytest.raises(InputError, match="ContingencyTable"):
        plot.contingency([[1, 2], [3, 4]])  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [4, 5])
def test_shares_have_a_scale_from_five_classes_on(k: int) -> None:
    figure = plot.contingency(sortal.ContingencyTable(np.arange(k), np.arange(k)))
    assert figure.data[0].showscale is (k == 5)


# -- features


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_profile_is_that_of_the_table(make) -> None:
    given = RNG.poisson(1.0, size=(90, 5)).astype(float)
    given[:, 4] = 3.0
    labels = np.repeat([0, 1, 2, -1], [40, 25, 5, 20])
    center, scale = given.mean(axis=0), np.array([2.0, 3.0, 0.5, 1.0, 1.0])
    X = make((given - (0 if make is sparse.csr_array else center)) / scale)
    heat = plot.feature_profile(
        X,
        labels,
        feature_names=list("abcde"),
        center=None if make is sparse.csr_array else center,
        scale=scale,
    ).data[0]
    kept = pd.DataFrame(given[labels >= 0], columns=list("abcde"))
    by = labels[labels >= 0]
    expected = (kept.groupby(by).mean() - kept.mean()) / kept.std(ddof=0).replace(0, 1)
    np.testing.assert_allclose(np.array(heat.z).T, expected[list(heat.y)], atol=6e-4)
    means = kept.groupby(by).mean()[list(heat.y)].to_numpy().T
    np.testing.assert_allclose(np.array(heat.text, dtype=float), means, rtol=6e-3)
    f = [f_oneway(*(g.to_numpy() for _, g in kept[c].groupby(by))).statistic for c in "abcd"]
    assert list(heat.y) == [*(c for _, c in sorted(zip(f, "abcd", strict=True))[::-1]), "e"]


def test_profile_needs_a_cluster() -> None:
    with pytest.raises(InputError, match="every object is an outlier"):
        plot.feature_profile([[0.0], [1.0]], [-1, -1])
    with pytest.raises(InputError, match="3 names, but there are 1"):
        plot.feature_profile([[0.0], [1.0]], [0, 1], feature_names="abc")


# -- the plane


def test_plane_of_sparse_data_is_that_of_dense_data() -> None:
    X = RNG.poisson(0.5, size=(60, 12)) * RNG.normal(size=12) * 3
    labels = RNG.integers(0, 3, 60)
    dense, thin = (plot.projection(make(X), labels) for make in (np.asarray, sparse.csr_array))
    np.testing.assert_allclose(dense.layout.meta["explained"], thin.layout.meta["explained"])
    for a, b in zip(dense.data, thin.data, strict=True):
        for axis in "xy":
            np.testing.assert_allclose(np.abs(a[axis]), np.abs(b[axis]), atol=1e-4)


def test_two_features_are_drawn_as_given() -> None:
    X = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    figure = plot.projection(X, [0, 0, 1], feature_names=["age", "height"])
    np.testing.assert_allclose(figure.data[0].x, [-1, 0])
    np.testing.assert_allclose(figure.data[0].y, [0, 1])
    assert figure.layout.xaxis.title.text == "age"
    assert figure.layout.meta["explained"] is None


def test_objects_are_named_where_they_are() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    figure = plot.projection(X, [1, 0, -1], ids=["u", "<v>", "w"])
    assert [t.name for t in figure.data] == ["0", "1", "outliers"]
    assert figure.data[0].text == ("<b>&lt;v&gt;</b><br>cluster 0",)
    assert figure.data[1].text == ("<b>u</b><br>cluster 1",)


# -- style


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.004, "0.4 %"), (0.5, "50 %"), (1, "100 %")]
)
def test_shares_to_read(share: float, text: str) -> None:
    assert percent(share) == text


def test_the_strongest_feature_comes_first() -> None:
    X = np.array([[0, 0, 0.0], [1, 0.1, 5], [9, 9, 2], [9, 9.1, 4]])
    figure = plot.feature_profile(X, [0, 0, 1, 1], feature_names=["b", "a", "weak"])
    assert list(figure.data[0].y) == ["a", "b", "weak"]
