"""The figures show what the data says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import f_oneway

import sortal
from sortal import InputError, plot
from sortal.distances.neighbors import neighbor_lists
from sortal.measures import catalogue
from sortal.plot import layout, style
from sortal.plot._sampled import draw_points
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


def test_principal_components_that_keep_just_enough_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = RNG.normal(size=(40, 8))
    kept = layout.share_kept(neighbor_lists(X, 10).indices, layout.principal_plane(X)[0])
    monkeypatch.setattr(layout, "ENOUGH_KEPT", kept)
    title = plot.projection(X, np.zeros(40, dtype=int)).layout.xaxis.title.text
    assert title.startswith("Principal component 1")


def test_sample_keeps_shares_and_small_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sortal.plot._projection.MOST_POINTS", 200)
    labels = np.repeat([0, 1, 2], [900, 100, 15])
    X = RNG.normal(size=(len(labels), 3))
    figure = plot.projection(X, labels)
    drawn = [len(t.x) for t in figure.data]
    assert drawn == [round(200 * 900 / 1015), 20, 15]
    assert figure.layout.meta["drawn"] == sum(drawn)
    assert len({text for trace in figure.data for text in trace.text}) == sum(drawn)
    again = plot.projection(X, labels)
    assert figure.data[0].text == again.data[0].text


def test_a_plane_that_keeps_no_more_than_principal_components_is_not_drawn() -> None:
    X = np.random.default_rng(0).normal(size=(60, 30))
    lists = neighbor_lists(X, 2)  # too short to lay out
    plane = layout.lay_out(X, lists)
    assert plane.kept == layout.share_kept(lists.indices, layout.principal_plane(X)[0]) < 0.5
    assert plane.explained is not None
    assert plane.axes[0].startswith("Principal component 1")


def test_every_object_of_the_sample_is_a_neighbour_there(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = []

    class Recorder:
        def __init__(self, **_: object) -> None: ...

        def fit_transform(self, graph: sparse.csr_matrix) -> np.ndarray:
            graphs.append(graph)
            return np.zeros((graph.shape[0], 2))

    monkeypatch.setattr("sklearn.manifold.TSNE", Recorder)
    X = np.random.default_rng(0).normal(size=(12, 3))
    lists = neighbor_lists(X, 3)
    layout._neighbor_layout(X[:, :2], lists, 0)
    columns = graphs[0].indices.reshape(12, 4)
    np.testing.assert_array_equal(columns[:, 0], np.arange(12))
    np.testing.assert_array_equal(columns[:, 1:], lists.indices)


def test_a_sample_of_points_has_as_many_as_asked_for() -> None:
    points = np.arange(12.0).reshape(6, 2)
    drawn, rows = draw_points(points, 2, "euclidean", 0)
    np.testing.assert_array_equal(drawn, points[rows])
    assert len(rows) == 2


# -- style


def test_colours_differ_for_colour_blind_readers() -> None:
    # Viénot, Brettel & Mollon 1999: what protanopes and deuteranopes see, in linear RGB
    blind = {
        "protan": [[0.11238, 0.88762, 0], [0.11238, 0.88762, -0.0], [0.00401, -0.00401, 1]],
        "deutan": [[0.29275, 0.70725, 0], [0.29275, 0.70725, -0.0], [-0.02234, 0.02234, 1]],
    }
    rgb = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in style.COLORS]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )

    def lab(colors: np.ndarray) -> np.ndarray:
        xyz = colors @ to_xyz.T / np.array([0.9505, 1, 1.089])
        f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
        return np.column_stack(
            [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])]
        )

    for matrix in (np.eye(3), *map(np.array, blind.values())):
        seen = lab(np.clip(linear @ matrix.T, 0, 1))
        apart = np.sqrt(((seen[:, None] - seen[None]) ** 2).sum(axis=2))
        assert apart[~np.eye(len(seen), dtype=bool)].min() > 10


def test_marks_do_not_repeat_before_48_clusters() -> None:
    marks = {(style.color(i), style.symbol(i)) for i in range(48)}
    assert len(marks) == 48


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (3.0, "3"), (-2.5, "−2.5"), (1234567.0, "1,234,567"), (0.123456, "0.1235"),
        (12345.678, "12,346"), (1.5e-7, "1.5e−7"), (float("nan"), "–"), (float("inf"), "∞"),
    ],
)  # fmt: skip
def test_numbers_to_read(value: float, text: str) -> None:
    assert style.number(value) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.004, "0.4 %"), (0.5, "50 %"), (1, "100 %")]
)
def test_shares_to_read(share: float, text: str) -> None:
    assert percent(share) == text


def test_the_strongest_feature_comes_first() -> None:
    X = np.array([[0, 0, 0.0], [1, 0.1, 5], [9, 9, 2], [9, 9.1, 4]])
    figure = plot.feature_profile(X, [0, 0, 1, 1], feature_names=["b", "a", "weak"])
    assert list(figure.data[0].y) == ["a", "b", "weak"]
