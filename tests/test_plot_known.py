"""The pictures people know, against direct computation by other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_samples

import sortal
from sortal import InputError, plot

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 1, (40, 3)) for c in (0, 4, 9)])
LABELS = np.repeat([0, 1, 2], 40)


def test_silhouettes_are_scikit_learn_s():
    labels = np.where(np.arange(120) % 17 == 0, -1, LABELS)
    figure = plot.silhouette(X, labels, names=["a", "b", "c"])
    kept = labels >= 0
    values = silhouette_samples(X[kept], labels[kept])
    for c, trace in enumerate(figure.data):
        own = np.sort(values[labels[kept] == c])[::-1]
        np.testing.assert_allclose(trace.x[1:-1:2], own, rtol=1e-6)
    assert [trace.name for trace in figure.data] == ["a", "b", "c"]
    assert float(figure.layout.shapes[0].x0) == pytest.approx(values.mean())
    given = plot.silhouette(squareform(pdist(X)), LABELS, metric="precomputed")
    for trace, expected in zip(given.data, plot.silhouette(X, LABELS).data, strict=True):
        np.testing.assert_allclose(trace.x, expected.x, atol=1e-6)


def test_silhouettes_of_many_objects_are_those_of_a_sample():
    many = np.random.default_rng(1).normal(size=(5_200, 2))
    figure = plot.silhouette(many, (many[:, 0] > 0).astype(int))
    assert (figure.layout.meta["drawn"], figure.layout.meta["n"]) == (5_000, 5_200)
    assert "5,000 of the 5,200 objects" in figure.layout.title.text
    assert max(len(trace.x) for trace in figure.data) < 1_000


@pytest.mark.parametrize("method", ["ward", "average", "single"])
def test_dendrogram_is_scipy_s(method):
    figure = plot.dendrogram(X, 3, method=method, leaves=200)
    Z = hierarchy.linkage(X, method)
    expected = hierarchy.dendrogram(Z, no_plot=True)
    # the same bars, though equal trees may be turned about
    bars = [y for t in figure.data for y in np.array(t.y, dtype=float).reshape(-1, 5)[:, 1]]
    np.testing.assert_allclose(sorted(bars), sorted(y[1] for y in expected["dcoord"]), rtol=1e-9)
    assert sorted(map(int, figure.layout.xaxis.ticktext)) == list(range(120))
    cut = figure.layout.shapes[0].y0
    assert len(np.unique(hierarchy.fcluster(Z, cut, "distance"))) == 3


def test_clusters_below_the_cut_have_their_colours():
    figure = plot.dendrogram(X, 3, leaves=200)
    colours = {trace.line.color: trace for trace in figure.data}
    assert set(colours) == {*plot.style.COLORS[:3], plot.style.INK}
    leaves = list(map(int, figure.layout.xaxis.ticktext))
    labels = hierarchy.cut_tree(hierarchy.linkage(X, "ward"), 3).ravel()
    for colour in plot.style.COLORS[:3]:
        x = np.array(colours[colour].x, dtype=float).reshape(-1, 5)[:, :4]
        y = np.array(colours[colour].y, dtype=float).reshape(-1, 5)[:, :4]
        under = {leaves[int((at - 5) // 10)] for at in x[y == 0]}
        assert len({labels[i] for i in under}) == 1
        assert under == set(np.flatnonzero(labels == labels[next(iter(under))]))


def test_dendrogram_of_a_given_tree_with_few_leaves():
    Z = hierarchy.linkage(X, "average")
    figure = plot.dendrogram(sortal.Dendrogram(Z), leaves=5)
    told = figure.layout.xaxis.ticktext
    assert len(told) == 5
    sizes = [int(text.strip("()")) if "(" in text else 1 for text in told]
    assert sum(sizes) == 120
    assert len(figure.layout.shapes) == 0
    with pytest.raises(InputError, match="between 1 and the 120 objects"):
        plot.dendrogram(sortal.Dendrogram(Z), 121)
    with pytest.raises(InputError, match="leaves must be at least 2"):
        plot.dendrogram(X, leaves=1)


def test_dendrogram_of_many_objects_is_that_of_a_sample():
    figure = plot.dendrogram(np.random.default_rng(0).normal(size=(2_100, 2)), 2)
    assert figure.layout.meta["drawn"] == 2_000
    assert "2,000 of the 2,100 objects" in figure.layout.title.text


def test_elbow_is_the_inertia_of_k_means_and_the_gap():
    figure = plot.elbow(X, range(1, 6), n_references=5)
    for k, within in enumerate(figure.data[0].y, 1):
        inertia = KMeans(k, n_init=10, random_state=0).fit(X).inertia_
        # beyond the clusters that are there, either may end in another optimum
        assert within == pytest.approx(inertia, rel=1e-9 if k <= 3 else 0.02)
    gap = sortal.gap_statistic(X, k=range(1, 6), n_references=5, random_state=0)
    np.testing.assert_allclose(figure.data[2].y, gap.table["gap"])
    assert list(figure.data[3].x) == [gap.first_k] == [3]


def test_consensus_matrix_is_that_of_the_subsamples():
    figure = plot.consensus_matrix(X, 3, n_resamples=12)
    whole = sortal.stability.consensus_matrix(X, "kmeans", k=3, n_resamples=12, random_state=0)
    matrix = whole.matrix(3)
    order = [int(text.split()[1]) for text in figure_names(figure, matrix)]
    expected = np.nan_to_num(matrix[np.ix_(order, order)])
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(figure.data[0].z, expected, atol=1e-3)


def figure_names(figure, matrix):
    """The order of the rows, from those of the matrix that they equal."""
    z = np.asarray(figure.data[0].z, dtype=float)
    blocks = [np.flatnonzero(z[0] > 0.5), np.flatnonzero(z[40] > 0.5), np.flatnonzero(z[80] > 0.5)]
    assert [len(block) for block in blocks] == [40, 40, 40]
    from scipy.cluster.hierarchy import leaves_list, linkage

    full = np.nan_to_num(matrix.astype(float))
    np.fill_diagonal(full, 1)
    return [
        f"object {i}" for i in leaves_list(linkage(squareform(1 - full, checks=False), "average"))
    ]
