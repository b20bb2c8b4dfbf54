"""The pictures of the pages for what a person holds, computed when the documentation is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio
from charts import CHARTS

import sortal
from sortal.meaning import ClusterDescription
from sortal.plot import style

HERE = Path(__file__).parent
DATA = HERE.parent / "examples" / "data"


def fast(study: sortal.Study, *clusterers: str, k: Any = range(2, 7)) -> sortal.Answer:
    """The answer of a small sweep."""
    study.sweep(list(clusterers), k=k, n_init=2, workers=1, progress=False)
    return study.best()


def table() -> tuple[go.Figure, str]:
    """Customers: numbers and categories."""
    study = sortal.Study(sortal.datasets.read(DATA / "customers.csv"))
    answer = fast(study, "kmeans", "ward", "gaussian-mixture")
    data = study.dataset
    X: Any = data.X
    figure = sortal.plot.feature_profile(
        X * data.scale + data.center,
        answer.labels,
        feature_names=data.feature_names,
        n_features=8,
        names=[one.name for one in study.describe()],
    )
    return figure, listed(study.describe())


def texts() -> tuple[go.Figure, str]:
    """Mails to a shop by their characteristic words."""
    study = sortal.Study(sortal.datasets.read(DATA / "mails.jsonl", text_column="text"))
    answer = fast(study, "spherical-kmeans", k=range(2, 7))
    clusters = sorted(study.describe(answer.name), key=lambda one: -one.size)
    traces = []
    for i, one in enumerate(clusters):
        terms = one.telling[:5]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "y": [f"{term.feature} ({i + 1})" for term in terms],
                "x": [100 * term.within for term in terms],
                "marker": {"color": style.color(i)},
                "name": f"{i + 1}: {one.size} mails",
            }
        )
    figure = style.figure(
        traces,
        xaxis={"title": {"text": "% of the cluster's mails that have the word"}},
        yaxis={"autorange": "reversed"},
        height=520,
    )
    return figure, listed(clusters, words=True)


def meaning() -> tuple[go.Figure, str]:
    """Customers: the means of each cluster."""
    study = sortal.Study(sortal.datasets.read(DATA / "customers.csv"))
    answer = fast(study, "kmeans")
    data = study.dataset
    names = [cluster.name for cluster in study.describe()]
    figure = sortal.plot.feature_profile(
        data.X, answer.labels, feature_names=data.feature_names, names=names
    )
    return figure, ""


def embeddings() -> tuple[go.Figure, str]:
    """Handwritten digits, 64 numbers each."""
    digits = np.loadtxt(DATA / "vectors-digits.csv", skiprows=1, dtype=int)
    study = sortal.Study(np.load(DATA / "vectors.npy"), metric="cosine")
    answer = fast(study, "spherical-kmeans", "average", k=range(6, 13))
    agreed = sortal.adjusted_rand_index(digits, answer.labels)
    figure = sortal.plot.contingency(
        sortal.ContingencyTable(digits, answer.labels), row_title="Digit"
    )
    told = (
        f"{answer.n_clusters} clusters of 300 images; there are 10 digits, and the adjusted Rand "
        f"index with them is {agreed:.2f}.\n"
    )
    return figure, told


def own() -> tuple[go.Figure, str]:
    """Two clusterings of the wines by their silhouettes."""
    wine = sortal.datasets.load("wine", label_column="cultivar", scale="standard")
    study = sortal.Study(wine.X)
    study.sweep("ward", k=[3, 4], workers=1, progress=False)
    labels = {f"ward, {k} clusters": study.labels(f"ward k={k}") for k in (3, 4)}
    scores = sortal.evaluate(
        wine.X, labels, y=wine.y, measures=["silhouette", "adjusted_rand_index"]
    )
    rows = [
        f"   * - {name}\n     - {scores['silhouette'][name]:.3f}\n"
        f"     - {scores['adjusted_rand_index'][name]:.3f}"
        for name in labels
    ]
    head = ".. list-table::\n   :header-rows: 1\n\n   * - Clustering\n     - Silhouette\n"
    figure = sortal.plot.silhouette(wine.X, labels["ward, 3 clusters"])
    return figure, head + "     - Adjusted Rand index with the cultivars\n" + "\n".join(rows) + "\n"


def distances() -> tuple[go.Figure, str]:
    """Spellings of names by how little they have in common."""
    names = np.array((DATA / "names.txt").read_text(encoding="utf8").split())
    D = np.load(DATA / "names-distances.npy")
    return sortal.plot.dendrogram(D, 4, method="average", metric="precomputed", ids=names), ""


def listed(found: Any, *, words: bool = False) -> str:
    """Clusters as a table of reStructuredText."""
    head = ["Cluster", "Objects", "Characteristic terms" if words else "Rule"]
    head += [] if words else ["Right"]
    rows = [head]
    for one in sorted(found, key=lambda one: -one.size):
        rows.append(_row(one, words))
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'*' if i == 0 else ' '} - {cell}" for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def _row(one: ClusterDescription, words: bool) -> list[str]:
    if words:
        return [one.name, str(one.size), ", ".join(t.feature for t in one.telling[:8])]
    told = "" if one.rule is None else str(one.rule)
    right = "" if one.accuracy is None else f"{100 * one.accuracy:.0f} % of held-out objects"
    return [one.name, str(one.size), told.replace("_", r"\_"), right]


PICTURES: dict[str, Callable[[], tuple[go.Figure, str]]] = {
    "table": table,
    "texts": texts,
    "embeddings": embeddings,
    "own": own,
    "distances": distances,
    "meaning": meaning,
}


def write(folder: Path) -> None:
    """A figure and what is said of it, for each page."""
    for name, make in PICTURES.items():
        figure, text = make()
        put(folder, name, figure)
        (folder / f"picture-{name}.inc").write_text(text, encoding="utf8")
    for name, chart in CHARTS.items():
        put(folder, name, chart())


def put(folder: Path, name: str, figure: go.Figure | str) -> None:
    """A figure as a part of a page."""
    html = figure if isinstance(figure, str) else pio.to_html(
        figure, full_html=False, include_plotlyjs="_static/plotly.min.js", validate=False,
        config={"displayModeBar": False},
    )  # fmt: skip
    (folder / f"picture-{name}.html").write_text(html, encoding="utf8")
