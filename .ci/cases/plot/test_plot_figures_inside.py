"""The figures show what the data says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from sortal import plot
from sortal.distances.neighbors import neighbor_lists
from sortal.plot import layout, style
from sortal.plot.results import draw_points

RNG = np.random.default_rng(0)


def test_sample_keeps_shares_and_small_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sortal.plot._projection.MOST_OBJECTS", 200)
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
