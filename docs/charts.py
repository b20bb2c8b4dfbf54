"""Pictures of the pages on how sortal works: small computations, and results that are stored."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import measured
import numpy as np
import plotly.graph_objects as go
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons

import sortal
from sortal.bench import compare_methods
from sortal.bench.diagram import rank_drawing, svg
from sortal.measures import catalogue
from sortal.measures.properties import definitions, stored_verdicts
from sortal.plot import style
from sortal_lab.reading import clarity_by_reading

DATA = Path(__file__).resolve().parents[1] / "examples" / "data"
COLUMNS = ("benchmark sets", "real tables")
TEMPLATE = style.figure([]).layout.template


def wines() -> sortal.datasets.Dataset:
    """The wines with their cultivars, scaled."""
    return sortal.datasets.load("wine", label_column="cultivar", scale="standard")


def dots(X: Any, labels: Any, **more: Any) -> dict[str, Any]:
    """A scatter plot of two features, coloured by cluster."""
    marker = {"color": [style.color(int(label)) for label in labels], "size": 6}
    return {"type": "scatter", "mode": "markers", "x": X[:, 0], "y": X[:, 1],
            "marker": marker, "showlegend": False, **more}  # fmt: skip


def panels(parts: list[tuple[str, Any, Any]], columns: int) -> go.Figure:
    """Scatter plots side by side, each with a title, without ticks."""
    from plotly.subplots import make_subplots

    rows = -(-len(parts) // columns)
    figure = make_subplots(rows, columns, subplot_titles=[title for title, _, _ in parts])
    for i, (_, X, labels) in enumerate(parts):
        figure.add_trace(dots(X, labels), row=i // columns + 1, col=i % columns + 1)
    figure.update_xaxes(showticklabels=False)
    figure.update_yaxes(showticklabels=False)
    figure.update_layout(template=TEMPLATE, height=240 * rows, margin={"t": 30})
    return figure


def bars(names: list[str], values: list[float], title: str, **more: Any) -> go.Figure:
    """Horizontal bars, the first on top."""
    trace = {"type": "bar", "orientation": "h", "y": names, "x": values,
             "marker": {"color": style.COLORS[0]}, **more}  # fmt: skip
    return style.figure([trace], xaxis={"title": {"text": title}}, yaxis={"autorange": "reversed"},
                        height=120 + 28 * len(names))  # fmt: skip


def quickstart() -> go.Figure:
    """The wines in the plane."""
    wine = wines()
    labels = sortal.Study(wine.X).sweep("ward", k=[3]).labels("ward k=3")
    return sortal.plot.projection(wine.X, labels)


def alternatives() -> go.Figure:
    """One cloud of points, divided in two ways."""
    rng = np.random.default_rng(0)
    income, region = rng.integers(2, size=(2, 300))
    X = np.column_stack([income * 9, region * 7]) + rng.normal(size=(300, 2))
    return panels([("by income", X, income), ("by region", X, region)], 2)


def reading() -> go.Figure:
    """Unseen wines that a reader of one feature assigned."""
    import re
    from statistics import mean

    def proline(text: str) -> list[float]:
        return [float(value) for value in re.findall(r"^proline: ([\d.]+)$", text, re.M)]

    def reader(prompt: str) -> str:
        if "in common" in prompt:
            return f"proline near {mean(proline(prompt.split('Objects of other groups')[0])):.0f}"
        names = re.findall(r"(\d+)\. proline near (\d+)", prompt)
        (value,) = proline(prompt.split("<object>")[-1])
        return min(names, key=lambda name: abs(float(name[1]) - value))[0]

    wine = sortal.datasets.load("wine", scale="standard")
    labels = sortal.Study(wine).sweep("ward", k=[3]).labels("ward k=3")
    table = clarity_by_reading(wine, labels, reader, by="proline alone").per_cluster
    share = (100 * table["recognised"] / table["asked"]).round().tolist()
    return bars(table["name"].tolist(), share, "% of the unseen wines that were recognised")


def pictures() -> go.Figure:
    """The elbow of the wines."""
    return sortal.plot.elbow(wines().X, range(1, 8), n_references=5)


def model() -> go.Figure:
    """New rows beside those that were clustered."""
    X, _ = make_blobs(200, centers=3, cluster_std=1.2, random_state=4)
    answer = sortal.Study(X).sweep("kmeans", k=[3], n_init=2, workers=1).best()
    rng = np.random.default_rng(0)
    new = np.vstack([X[rng.integers(0, 200, 25)] + rng.normal(0, 0.5, (25, 2)),
                     rng.uniform(X.min() - 4, X.max() + 4, (8, 2))])  # fmt: skip
    placed = answer.predict(new)
    colors = [style.NOISE_COLOR if unlike else style.color(int(label))
              for label, unlike in zip(placed.labels, placed.unlike, strict=True)]  # fmt: skip
    marker = {"color": colors, "size": 11, "symbol": "x"}
    old = dots(X, answer.labels, name="clustered", opacity=0.45)
    return style.figure([old, dots(new, placed.labels, marker=marker)], height=420)


def inference() -> go.Figure:
    """False findings of the tests in data without clusters."""
    names = ["naive", "thinning", "thinning, known variance"]
    shares = [float(measured.figure(f"inference-levels: Without clusters, {name}: / 1"))
              for name in names]  # fmt: skip
    figure = bars(names, shares, "share of data sets without clusters in which the test rejects")
    figure.add_vline(x=0.05, line_dash="dash")
    return figure


def large() -> go.Figure:
    """Chance that a sample misses a cluster."""
    share = np.geomspace(1e-5, 1e-2, 100)
    line = {"type": "scatter", "mode": "lines", "x": share, "y": (1 - share) ** 5000}
    return style.figure(
        [line], height=320, xaxis={"type": "log", "title": {"text": "share of the cluster"}},
        yaxis={"title": {"text": "chance that 5,000 rows miss it"}},
    )  # fmt: skip


def bench() -> str:
    """The critical-difference diagram of the race."""
    rows = {}
    for folder in sorted((DATA / "race").iterdir()):
        truth = np.loadtxt(folder / "truth.csv", dtype=int)
        rows[folder.name] = {
            path.stem: sortal.adjusted_rand_index(truth, np.loadtxt(path, dtype=int))
            for path in sorted(folder.glob("*.csv")) if path.stem != "truth"
        }  # fmt: skip
    import pandas as pd

    return svg(rank_drawing(compare_methods(pd.DataFrame(rows).T)), "Average ranks of the methods")


def _ways(name: str, ways: list[str]) -> go.Figure:
    """Mean adjusted Rand index of ways of choosing, with intervals."""
    traces = []
    for i, column in enumerate(COLUMNS):
        cells = [measured.figure(f"{name}: {way} / {column}") for way in ways]
        numbers = np.array([[float(v) for v in measured.NUMBER.findall(c.replace("–", " "))]
                            for c in cells])  # fmt: skip
        mean, low, high = numbers.T
        errors = {"type": "data", "array": high - mean, "arrayminus": mean - low,
                  "symmetric": False, "thickness": 1}  # fmt: skip
        traces.append({"type": "bar", "orientation": "h", "y": ways, "x": mean, "name": column,
                       "marker": {"color": style.COLORS[i]}, "error_x": errors})  # fmt: skip
    return style.figure(traces, barmode="group", height=140 + 40 * len(ways),
                        xaxis={"title": {"text": "adjusted Rand index with known classes"}},
                        yaxis={"autorange": "reversed"})  # fmt: skip


def choice() -> go.Figure:
    """Ways of choosing from the same candidates."""
    return _ways("choice", [
        "best candidate", "judge", "agreement among candidates", "likelihood (BIC, best model)",
        "stability", "standardised sum (fpc)", "majority of k (NbClust)", "silhouette",
        "a candidate at random"])  # fmt: skip


def technical() -> go.Figure:
    """Ways of choosing on whole data sets, those of other systems too."""
    ways = [title for title, _ in measured._rows("challenge/whole")]
    return _ways("challenge/whole", ways)


#: how the notes on real collections begin, and the curve that they are points of
PREDICTED = {
    "predicted": "agreement of the choice",
    "a number of clusters with probability": "number of clusters",
    "a choice within 0.05 of the best with probability": "choice within 0.05 of the best",
}


def reliability() -> go.Figure:
    """What the judge predicts beside what came of it, on real collections."""
    traces: list[dict[str, Any]] = [
        {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0, 1], "name": "as predicted",
         "line": {"dash": "dash", "color": style.NOISE_COLOR}}
    ]  # fmt: skip
    for i, (beginning, title) in enumerate(PREDICTED.items()):
        told = [note.split(",") for note in measured.notes("choice")
                if note.startswith(f"{beginning} 0.")]  # fmt: skip
        cases, x, y = np.array([[float(measured.NUMBER.findall(part)[-1]) for part in parts[-3:]]
                                for parts in told]).T  # fmt: skip
        marker = {"color": style.color(i), "size": 4 + 3 * np.log(cases)}
        traces.append({"type": "scatter", "mode": "lines+markers", "x": x, "y": y, "name": title,
                       "text": [f"{n:.0f} cases" for n in cases], "marker": marker})  # fmt: skip
    return style.figure(traces, height=420, xaxis={"title": {"text": "predicted"}},
                        yaxis={"title": {"text": "came true"}})  # fmt: skip


def stability() -> go.Figure:
    """Stability of the wines beside data without clusters."""
    resampled = sortal.stability.assess(wines().X, "kmeans", k=range(2, 8), n_resamples=10)
    table = resampled.curve.table
    traces = [
        {"type": "scatter", "mode": "lines+markers", "name": name, "x": table.index,
         "y": table[value], "error_y": {"type": "data", "array": 2 * table[error]}}
        for name, value, error in (("data", "value", "standard_error"),
                                   ("without clusters", "null", "null_error"))
    ]  # fmt: skip
    return style.figure(traces, height=360, xaxis={"title": {"text": "number of clusters"}},
                        yaxis={"title": {"text": "stability"}})  # fmt: skip


def internal() -> go.Figure:
    """Four measures over the number of clusters, each in its own units of spread."""
    X = wines().X
    sweep = {str(k): KMeans(k, n_init=5, random_state=0).fit_predict(X) for k in range(2, 11)}
    keys = ["silhouette", "calinski_harabasz_index", "davies_bouldin_index", "dunn_index"]
    scores = sortal.evaluate(X, sweep, measures=keys)
    traces = []
    for key in keys:
        values = catalogue[key].sign * scores[key].to_numpy(dtype=float)
        height = (values - values.mean()) / values.std()
        traces.append({"type": "scatter", "mode": "lines+markers", "name": catalogue[key].title,
                       "x": list(range(2, 11)), "y": height})  # fmt: skip
    return style.figure(traces, height=360, xaxis={"title": {"text": "number of clusters"}},
                        yaxis={"title": {"text": "standardised, up is better"}})  # fmt: skip


def external() -> go.Figure:
    """The table of figure 16.4."""
    classes, clusters = list("xxxxxoxoooo◇xx◇◇◇"), [1] * 6 + [2] * 6 + [3] * 5
    return sortal.plot.contingency(sortal.ContingencyTable(classes, clusters))


def clarity() -> go.Figure:
    """Which of seven clusters of the wines are recognised."""
    X = wines().X
    labels = sortal.Study(X).sweep("ward", k=[7]).labels("ward k=7")
    table = sortal.measures.clarity.assess(X, {"ward": labels}).per_cluster("ward")
    table = table.sort_values("recall", ascending=False)
    names = [f"cluster {cluster}" for cluster in table.index]
    return bars(names, table["recall"].tolist(), "share of the cluster that is recognised")


def _verdicts(kind: str) -> go.Figure:
    """Measures by properties: blue where no counterexample is known."""
    number = {"holds": 1.0, "violated": -1.0}
    asked = {key: item for key, item in definitions().items() if item.kind == kind}
    verdicts = {(v.measure, v.property): v.outcome for v in stored_verdicts()}
    keys = [m.key for m in catalogue.select(kind=kind)
            if any((m.key, key) in verdicts for key in asked)]  # fmt: skip
    z = [[number.get(verdicts.get((key, one), ""), 0.0) for one in asked] for key in keys]
    heat = {"type": "heatmap", "z": z, "x": [item.name for item in asked.values()],
            "y": [catalogue[key].title for key in keys], "zmin": -1, "zmax": 1,
            "colorscale": [list(stop) for stop in style.DIVERGING], "showscale": False,
            "xgap": 1, "ygap": 1}  # fmt: skip
    return style.figure([heat], height=160 + 17 * len(keys), yaxis={"autorange": "reversed"})


def axioms() -> go.Figure:
    """Internal measures by properties."""
    return _verdicts("internal")


def axioms_external() -> go.Figure:
    """External measures by properties."""
    return _verdicts("external")


def columns() -> go.Figure:
    """The columns of the customers and their weights."""
    data = sortal.datasets.read(DATA / "customers.csv")
    X: Any = data.X
    weights = sortal.Study(data).dataset.column_weights
    values = [weights.get(name.partition("=")[0], 1.0) for name in data.feature_names]
    spread = [float(s) for s in np.std(np.asarray(X), axis=0)]
    traces = [
        {"type": "bar", "name": name, "x": list(data.feature_names), "y": heights}
        for name, heights in (("weight", values), ("standard deviation after scaling", spread))
    ]
    return style.figure(traces, barmode="group", height=340)


def study() -> go.Figure:
    """Candidates of the wines by recovery."""
    tried = sortal.Study(wines().X)
    tried.sweep(["kmeans", "ward", "average"], k=range(2, 9), n_init=2, workers=1)
    ranking = tried.rank().reset_index()
    point = {
        "type": "scatter", "mode": "markers", "marker": {"size": 9},
        "text": ranking.iloc[:, 0].astype(str),
        "x": ranking["n_clusters"], "y": ranking["recovery"],
    }  # fmt: skip
    return style.figure([point], height=360, xaxis={"title": {"text": "number of clusters"}},
                        yaxis={"title": {"text": "recovery"}})  # fmt: skip


def measures() -> go.Figure:
    """The data sets of the cards."""
    from cards import SETS

    return panels([(name, X, y) for name, (X, y) in SETS.items()], 3)


def clusterers() -> go.Figure:
    """Four clusterers on moons and on stripes."""
    moons, _ = make_moons(200, noise=0.05, random_state=0)
    blobs, _ = make_blobs(200, centers=3, random_state=8)
    stripes = blobs @ [[0.6, -0.6], [-0.4, 0.8]]
    parts = []
    for title, X, k in (("moons", moons, 2), ("stripes", stripes, 3)):
        for key in ("kmeans", "ward", "gaussian-mixture", "genie"):
            tried = sortal.Study(X).sweep(key, k=[k], n_init=1, workers=1, progress=False)
            parts.append((f"{key}, {title}", X, tried.labels(tried.candidates.index[0])))
    return panels(parts, 4)


def reproduce() -> go.Figure:
    """Published figures by how they came out, for each publication."""
    counts: dict[str, Counter[str]] = {}
    for name, result in measured._results("", "all").items():
        verdicts = Counter(one["verdict"] for one in result["comparisons"])
        counts.setdefault(name.partition("-")[0], Counter()).update(verdicts)
    kept = {name: count for name, count in counts.items() if count}
    shown = {"agrees": "agree", "differs": "differ", "cannot be told from no effect": "no effect"}
    traces = []
    for verdict, name in shown.items():
        traces.append({"type": "bar", "orientation": "h", "name": name, "y": list(kept),
                       "x": [count[verdict] for count in kept.values()]})  # fmt: skip
    hidden = {*shown, *measured.NOT_COUNTED}
    rest = [sum(n for v, n in count.items() if v not in hidden) for count in kept.values()]
    traces.append({"type": "bar", "orientation": "h", "name": "open", "y": list(kept), "x": rest,
                   "marker": {"color": style.NOISE_COLOR}})  # fmt: skip
    return style.figure(traces, barmode="stack", height=300,
                        xaxis={"title": {"text": "published figures"}})  # fmt: skip


def reproduced() -> go.Figure:
    """Ours against the published figure, where they differ."""
    pairs = [
        (one["published"], one["ours"], f"{name}: {one['quantity']}")
        for name, result in measured._results("", "all").items()
        for one in result["comparisons"]
        if one["verdict"] == "differs" and isinstance(one["published"], int | float)
    ]
    x, y, text = zip(*pairs, strict=True)
    point = {"type": "scatter", "mode": "markers", "x": x, "y": y, "text": text}
    return style.figure([point], height=420, xaxis={"title": {"text": "published"}},
                        yaxis={"title": {"text": "ours"}})  # fmt: skip


def questions() -> go.Figure:
    """Silhouettes of two groups, and of a cloud that was cut."""
    from plotly.subplots import make_subplots

    groups, _ = make_blobs(120, centers=[[0, 0], [8, 0]], random_state=0)
    cloud = np.random.default_rng(0).normal(size=(120, 2))
    titles = ["two groups", "one cloud, cut in half", "their silhouettes", "its silhouettes"]
    figure = make_subplots(2, 2, subplot_titles=titles)
    for column, X in enumerate((groups, cloud), 1):
        labels = KMeans(2, n_init=5, random_state=0).fit_predict(X)
        values = sortal.silhouette_samples(X, labels)
        order = np.lexsort((values, labels))
        figure.add_trace(dots(X, labels), row=1, col=column)
        color = [style.color(int(label)) for label in labels[order]]
        marks = {"marker": {"color": color}, "showlegend": False}
        bar = {"type": "bar", "x": np.arange(120), "y": values[order], **marks}
        figure.add_trace(bar, row=2, col=column)
    figure.update_xaxes(showticklabels=False)
    figure.update_yaxes(range=[-0.2, 1], row=2)
    figure.update_layout(template=TEMPLATE, height=460, bargap=0, margin={"t": 30})
    return figure


CHARTS = {
    make.__name__.replace("_", "-"): make
    for make in (quickstart, alternatives, reading, pictures, model, inference, large, bench,
                 choice, technical, reliability, stability, internal, external, clarity, axioms,
                 axioms_external, study, measures, clusterers, reproduce, reproduced, questions)
}  # fmt: skip
CHARTS["input"] = columns
