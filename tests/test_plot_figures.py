"""The figures show what the data says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import f_oneway

import karat
from karat import plot
from karat.measures import catalogue
from karat.plot import style
from karat.runtime.numerals import percent
from karat.runtime.validation import InputError

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


# -- by number of clusters


def scores() -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "clusterer": ["kmeans"] * 4 + ["hdbscan"] * 2,
            "k": pd.array([2, 2, 3, 3, None, None], dtype="Int64"),
            "n_clusters": pd.array([2, 2, 3, 3, 4, None], dtype="Int64"),
            "silhouette": [0.5, 0.6, 0.3, np.nan, 0.2, np.nan],
            "davies_bouldin_index": [1.0, 2.0, 4.0, 3.0, 5.0, np.nan],
        },
        index=["a", "b", "c", "d", "e", "f"],
    )
    table.index.name = "name"
    return table


@pytest.mark.parametrize(
    ("key", "best", "turned"),
    [("silhouette", [0.6, 0.3], False), ("davies_bouldin_index", [1.0, 3.0], True)],
)
def test_lines_join_the_best_starts_and_up_is_better(
    key: str, best: list[float], turned: bool
) -> None:
    figure = plot.measures_by_k(scores(), key, chosen="a")
    lines = [t for t in figure.data if t.meta["role"] == "line"]
    assert [t.name for t in lines] == ["kmeans"]
    assert list(lines[0].x) == [2, 3]
    assert list(lines[0].y) == best
    assert (figure.layout.yaxis.autorange == "reversed") == turned
    dots = {t.name: len(t.x) for t in figure.data if t.meta["role"] == "dots"}
    assert dots["hdbscan"] == 1
    chosen = figure.data[-1]
    assert list(chosen.y) == [scores().at["a", key]]


def test_measures_that_are_not_there() -> None:
    with pytest.raises(InputError, match=r"did you mean .silhouette"):
        plot.measures_by_k(scores(), "simplified_silhouette")


# -- clusters


def area(x: np.ndarray, y: np.ndarray) -> float:
    return abs(float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))) / 2


def test_silhouette_areas_are_sums() -> None:
    labels = np.repeat([0, 1, 2, -1], [40, 7, 1, 5])
    values = RNG.uniform(0.01, 1, size=len(labels))
    values[labels == -1] = np.nan
    figure = plot.silhouette_profile(values, labels)
    assert [t.name for t in figure.data] == ["0", "1", "2"]
    for cluster, trace in enumerate(figure.data):
        expected = values[labels == cluster].sum()
        assert area(np.array(trace.x, float), np.array(trace.y, float)) == pytest.approx(
            expected, rel=1e-4
        )
    assert float(figure.layout.shapes[0].x0) == pytest.approx(np.nanmean(values))


def test_long_silhouette_profiles_are_thinned() -> None:
    values = RNG.uniform(-0.5, 1, size=20_000)
    trace = plot.silhouette_profile(values, np.zeros(20_000, dtype=int)).data[0]
    assert len(trace.x) < 1000
    assert float(np.max(trace.x)) == pytest.approx(values.max(), rel=1e-5)
    assert float(np.min(trace.x)) == pytest.approx(values.min(), rel=1e-5)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "b"], "row of integers"),
        ([], "non-empty"),
        ([-2, 0], "at least -1"),
        ([[0, 1]], "one non-empty row"),
    ],
)
def test_labels_that_cannot_be_drawn(labels: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plot.silhouette_profile(np.zeros(len(labels)), labels)


def test_names_must_reach() -> None:
    with pytest.raises(InputError, match="cluster 2 occurs"):
        plot.silhouette_profile([0.1, 0.2], [0, 2], names=["x", "y"])


# -- contingency


def test_contingency_keeps_counts_and_finds_the_diagonal() -> None:
    true = RNG.integers(0, 6, 300)
    table = karat.ContingencyTable(true, (5 - true) * 10)
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


# -- features


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_profile_is_that_of_the_table(make) -> None:
    given = RNG.poisson(1.0, size=(90, 5)).astype(float)
    given[:, 4] = 3.0
    labels = np.repeat([0, 1, 2, -1], [40, 25, 5, 20])
    center, scale = given.mean(axis=0), np.array([2.0, 3.0, 0.5, 1.0, 1.0])
    X = make((given - (0 if make is sparse.csr_array else center)) / scale)
    profile = plot.profile_features(
        X,
        labels,
        feature_names=list("abcde"),
        center=None if make is sparse.csr_array else center,
        scale=scale,
    )
    kept = pd.DataFrame(given[labels >= 0], columns=list("abcde"))
    by = labels[labels >= 0]
    np.testing.assert_allclose(profile.means, kept.groupby(by).mean(), rtol=1e-10)
    np.testing.assert_allclose(profile.overall, kept.mean(), rtol=1e-10)
    expected = (kept.groupby(by).mean() - kept.mean()) / kept.std(ddof=0).replace(0, 1)
    np.testing.assert_allclose(profile.deviation, expected, atol=1e-6)
    for j, column in enumerate("abcd"):
        parts = [group.to_numpy() for _, group in kept[column].groupby(by)]
        f = f_oneway(*parts).statistic
        eta = f * 2 / (f * 2 + len(by) - 3)
        assert profile.explained[j] == pytest.approx(eta)
    assert profile.explained[4] == 0


def test_profile_needs_a_cluster() -> None:
    with pytest.raises(InputError, match="every object is an outlier"):
        plot.profile_features([[0.0], [1.0]], [-1, -1])
    with pytest.raises(InputError, match="3 names, but there are 1"):
        plot.profile_features([[0.0], [1.0]], [0, 1], feature_names="abc")


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


def test_sample_keeps_shares_and_small_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.plot._projection.MOST_POINTS", 200)
    labels = np.repeat([0, 1, 2], [900, 100, 15])
    X = RNG.normal(size=(len(labels), 3))
    figure = plot.projection(X, labels)
    drawn = [len(t.x) for t in figure.data]
    assert drawn == [round(200 * 900 / 1015), 20, 15]
    assert figure.layout.meta["drawn"] == sum(drawn)
    again = plot.projection(X, labels)
    assert figure.data[0].text == again.data[0].text


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


def test_one_clustering_with_many_clusters_does_not_squeeze_the_axis() -> None:
    from karat.plot import measures_by_k

    scores = pd.DataFrame(
        {
            "clusterer": ["kmeans", "kmeans", "hdbscan"],
            "k": [2, 6, None],
            "n_clusters": [2, 6, 72],
            "silhouette": [0.1, 0.2, 0.3],
        },
        index=["a", "b", "c"],
    )
    axis = measures_by_k(scores, "silhouette").layout.xaxis
    assert 6 < axis.range[1] < 8
    assert axis.title.text == "Number of clusters (1 more, with up to 72, are not shown)"
    assert axis.dtick == 1
    chosen = measures_by_k(scores, "silhouette", chosen="c").layout.xaxis
    assert chosen.range is None
    assert chosen.dtick is None


def test_the_strongest_feature_comes_first() -> None:
    from karat.plot import feature_profile, profile_features

    X = np.array([[0, 0, 0.0], [1, 0.1, 5], [9, 9, 2], [9, 9.1, 4]])
    profile = profile_features(X, [0, 0, 1, 1], feature_names=["b", "a", "weak"])
    assert list(feature_profile(profile).data[0].y) == ["a", "b", "weak"]
