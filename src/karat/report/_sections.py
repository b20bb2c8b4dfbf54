"""The sections of the report, in their order; a new one is a function in ``SECTIONS``."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat import plot
from karat.contingency import ContingencyTable
from karat.partition import NOISE
from karat.plot._style import color, number, percent, symbol
from karat.report._facts import Chosen, Facts
from karat.report._judges import clarity, guarantee
from karat.report._parts import Picture, Section, plain
from karat.report._tables import scorecard, sparklines, undefined_values
from karat.validation import InputError

if TYPE_CHECKING:
    pass

MOST_CLUSTERS_LISTED = 100


def answer(facts: Facts) -> Section:
    """What to use, and why."""
    study, chosen = facts.study, facts.chosen
    status = facts.scores["status"]
    values: dict[str, Any] = {
        "no_choice": facts.no_choice,
        "tried": len(status),
        "failed": int((status == "failed").sum()),
        "distinct": len(facts.distinct),
        "n": study.X.shape[0],
        "d": study.X.shape[1],
    }
    if chosen is not None:
        choice = chosen.choice
        values |= {
            "lead": choice.reasons[0],
            "reasons": choice.reasons[1:],
            "choice": choice,
            "outliers": int((chosen.labels == NOISE).sum()),
        }
    return Section("answer", "Answer", "Answer", "answer.html", values)


def clusters(facts: Facts) -> Section | None:
    """The clusters of the choice: sizes, typical objects, what sets them apart, the plane."""
    if facts.chosen is None:
        return None
    chosen, data = facts.chosen, facts.study.dataset
    drawing = plot.projection(
        data.X,
        chosen.labels,
        ids=data.ids,
        truth=facts.study.truth,
        names=chosen.names,
        feature_names=chosen.feature_names,
        center=data.center,
        scale=data.scale,
    )
    meta = drawing.layout.meta
    caption = "Each mark is one object; its name is shown where you point."
    if meta["explained"] is not None:
        kept = sum(meta["explained"])
        caption += (
            f" The plane of the first two principal components keeps {percent(kept)} of the "
            "variance, so clusters that lie on one another here may be apart in the data."
        )
    if meta["drawn"] < meta["n"]:
        caption += f" A random sample of {meta['drawn']:,} of the {meta['n']:,} objects is drawn."
    where = Picture(
        "map",
        drawing,
        f"Scatter plot of {meta['drawn']:,} objects in two dimensions, coloured and marked by "
        f"their cluster, {len(chosen.clusters)} clusters in all; the table that follows has "
        "their sizes and features.",
        caption,
    )
    return Section(
        "clusters",
        "The clusters",
        "Clusters",
        "clusters.html",
        {
            "rows": _cluster_rows(facts, chosen)[:MOST_CLUSTERS_LISTED],
            "hidden": max(0, len(chosen.clusters) - MOST_CLUSTERS_LISTED),
            "truth": facts.study.truth is not None,
            "has_silhouettes": chosen.silhouettes[0] is not None,
        },
        (where,),
    )


def _cluster_rows(facts: Facts, chosen: Chosen) -> list[dict[str, Any]]:
    data, n = facts.study.dataset, len(chosen.labels)
    truth = facts.study.truth
    silhouettes, _ = chosen.silhouettes
    own_labels = chosen.labels[chosen.sampled]
    largest = max((int((chosen.labels == c).sum()) for c in chosen.clusters), default=1)
    rows = []
    for cluster in [*chosen.clusters, *([NOISE] if (chosen.labels == NOISE).any() else [])]:
        own = np.flatnonzero(chosen.labels == cluster)
        row: dict[str, Any] = {
            "name": "outliers" if cluster == NOISE else chosen.names[cluster],
            "color": color(cluster),
            "symbol": symbol(cluster),
            "size": len(own),
            "share": len(own) / n,
            "bar": min(1.0, len(own) / largest),
            "silhouette": None,
            "typical": None,
            "features": [],
            "classes": [],
        }
        if cluster != NOISE:
            row["typical"] = str(data.ids[chosen.typical[cluster]])
            row["features"] = _telling(chosen, cluster)
            if silhouettes is not None and (own_labels == cluster).any():
                values = silhouettes[own_labels == cluster]
                row["silhouette"] = float(np.mean(values))
                row["misfits"] = float(np.mean(values < 0))
        if truth is not None:
            row["classes"] = _classes(truth[own])
        rows.append(row)
    return rows


def _telling(chosen: Chosen, cluster: int, count: int = 3) -> list[dict[str, Any]]:
    profile = chosen.profile
    c = profile.clusters.index(cluster)
    return [
        {
            "name": profile.names[j],
            "up": bool(profile.deviation[c, j] > 0),
            "mean": float(profile.means[c, j]),
            "overall": float(profile.overall[j]),
        }
        for j in profile.most_telling(cluster, count)
    ]


def _classes(values: Any, most: int = 3) -> list[tuple[str, float]]:
    known = [v for v in values if v is not None]
    if not known:
        return []
    names, counts = np.unique(np.array([str(v) for v in known], dtype=object), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    return [(str(names[i]), float(counts[i] / len(known))) for i in order]


def fit(facts: Facts) -> Section | None:
    """How well the objects fit their clusters."""
    if facts.chosen is None:
        return None
    chosen, data = facts.chosen, facts.study.dataset
    values, why = chosen.silhouettes
    if values is None:
        return plain(
            "fit", "How well objects fit", "Fit", [f"There is no silhouette profile: {why}."]
        )
    own = chosen.labels[chosen.sampled]
    below = float(np.nanmean(values < 0))
    note = ""
    if len(chosen.sampled) < len(chosen.labels):
        note = (
            f" Taken within a random sample of {len(chosen.sampled):,} of the "
            f"{len(chosen.labels):,} objects."
        )
    figure = plot.silhouette_profile(values, own, names=chosen.names)
    worst = np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")[:12]
    misfits = [
        {
            "id": str(data.ids[chosen.sampled[i]]),
            "cluster": chosen.names[own[i]],
            "value": float(values[i]),
        }
        for i in worst
        if values[i] < 0
    ]
    picture = Picture(
        "silhouettes",
        figure,
        f"Silhouette profile: mean {np.nanmean(values):.3f}, {percent(below)} of the objects "
        "below 0; the table of clusters has the mean of each.",
        "1: far from every other cluster; 0: between two; below 0: nearer to another cluster than "
        "to its own. The broken line is the mean of all objects." + note,
    )
    return Section(
        "fit",
        "How well objects fit",
        "Fit",
        "fit.html",
        {"below": below, "mean": float(np.nanmean(values)), "misfits": misfits},
        (picture,),
    )


def features(facts: Facts) -> Section | None:
    """What the clusters are made of."""
    if facts.chosen is None:
        return None
    chosen = facts.chosen
    profile = chosen.profile
    if not (profile.explained > 0).any():
        return None
    shown = min(20, int((profile.explained > 0).sum()))
    total = facts.study.X.shape[1]
    which = f"The {shown} of {total:,} features that differ most between the clusters"
    if shown == total:
        which = "All features"
    strongest = int(np.argmax(profile.explained))
    names = {c: chosen.names[c] for c in chosen.clusters}
    picture = Picture(
        "features",
        plot.feature_profile(profile, n_features=shown, names=chosen.names),
        f"Heat map of the means of {shown} features in {len(names)} clusters; the feature that "
        f"tells them apart best is {profile.names[strongest]}. A table of the values follows.",
        f"{which}, by the share of their variance that lies between clusters (η²), grouped by the "
        "cluster in which they are highest. Numbers are means in original units; blue is above, "
        "orange below the mean of all objects.",
        min_width=min(900, 260 + 64 * len(names)) if len(names) > 3 else 0,
    )
    order = np.argsort(-profile.explained, kind="stable")[:shown]
    rows = [
        {
            "name": profile.names[j],
            "explained": float(profile.explained[j]),
            "overall": float(profile.overall[j]),
            "means": [float(v) for v in profile.means[:, j]],
        }
        for j in order
    ]
    few = len(names) <= 12
    return Section(
        "features",
        "What sets them apart",
        "Features",
        "features.html",
        {"rows": rows if few else [], "clusters": list(names.values())},
        (picture,),
    )


def classes(facts: Facts) -> Section | None:
    """The clusters against the known classes."""
    truth = facts.study.truth
    if facts.chosen is None or truth is None:
        return None
    chosen, data = facts.chosen, facts.study.dataset
    known = np.array([value is not None for value in truth])
    kept = known & (chosen.labels != NOISE)
    if not kept.any():
        return plain(
            "classes",
            "Against the known classes",
            "Classes",
            ["No object with a known class is in a cluster."],
        )
    names = np.array(chosen.names, dtype=object)
    table = ContingencyTable(truth[kept], names[chosen.labels[kept]], noise="cluster")
    sentences = [f"Of {len(truth):,} objects the class of {int(known.sum()):,} is known."]
    if kept.sum() < known.sum():
        sentences[0] += f" {int((known & ~kept).sum()):,} of these are outliers and not counted."
    class_title = "Class" if data.truth_name is None else data.truth_name
    try:
        figure = plot.contingency(table, row_title=class_title)
    except InputError as error:
        return plain(
            "classes", "Against the known classes", "Classes", [*sentences, f"No picture: {error}."]
        )
    picture = Picture(
        "contingency",
        figure,
        f"Heat map of counts: {table.shape[0]} classes by {table.shape[1]} clusters.",
        "Objects of each class in each cluster; shading is the share of the cluster. Clusters are "
        "ordered to put the best match of each class on the diagonal.",
        min_width=min(1100, 160 + 44 * table.shape[1]) if table.shape[1] > 6 else 0,
    )
    rows = None
    if table.to_array().size <= 600:
        rows = [
            (str(name), line)
            for name, line in zip(table.row_names, table.to_array().tolist(), strict=True)
        ]
    return Section(
        "classes",
        "Against the known classes",
        "Classes",
        "classes.html",
        {"sentences": sentences, "rows": rows, "columns": [str(c) for c in table.column_names]},
        (picture,),
    )


def by_k(facts: Facts) -> Section | None:
    """The measures against the number of clusters."""
    if not facts.measures:
        return None
    chosen = None if facts.chosen is None else facts.chosen.choice.name
    scores, measures = facts.by_k
    first = facts.leading_by_k[0]
    picture = Picture(
        "by-k",
        plot.measures_by_k(scores, first, chosen=chosen),
        f"{first.title} against the number of clusters, a line for each clusterer. "
        "The ranking below has every value.",
        "",
    )
    groups: dict[str, list[Any]] = {}
    for measure in measures:
        kind = "Against the classes" if measure.kind == "external" else "From the data alone"
        groups.setdefault(f"{kind}: {measure.family}", []).append(measure)
    return Section(
        "by-k",
        "By number of clusters",
        "By k",
        "by_k.html",
        {
            "sparklines": sparklines(facts),
            "groups": groups,
            "first": first,
            "details": {
                m.key: {
                    "title": m.title,
                    "up": m.greater_is_better,
                    "note": "greater is better"
                    if m.greater_is_better
                    else "lower is better, so the axis is turned: up is better",
                }
                for m in measures
            },
        },
        (picture,),
    )


def ranking(facts: Facts) -> Section | None:
    """The table of the distinct clusterings."""
    if facts.ranked is None:
        return None
    return Section(
        "ranking",
        "Ranking",
        "Ranking",
        "ranking.html",
        {
            "table": facts.table,
            "first_rows": min(15, len(facts.ranked)),
            "decided_by": facts.decided_by,
            "families": facts.families,
            "votes": _votes(facts),
            "tried": int((facts.scores["status"] != "failed").sum()),
            "clusterers": list(dict.fromkeys(map(str, facts.ranked["clusterer"]))),
        },
    )


def _votes(facts: Facts) -> list[dict[str, Any]]:
    """For each family: what it prefers, and its points for the choice and the runner-up."""
    ranked = facts.ranked
    if ranked is None:
        return []
    return [
        {
            "family": family,
            "prefers": str(ranked[family].idxmax()),
            "points": float(ranked[family].iloc[0]),
            "runner_up": float(ranked[family].iloc[1]) if len(ranked) > 1 else None,
        }
        for family in facts.families
    ]


def agreement(facts: Facts) -> Section | None:
    """How far the measures agree."""
    if len(facts.measures) < 2 or len(facts.distinct) < 3:
        return None
    table = facts.distinct[[m.key for m in facts.measures]]
    tau = plot.kendall_tau(table)
    few = [m.key for m in facts.leading]
    shown = tau.loc[few, few] if len(few) > 1 else tau
    caption = (
        f"Kendall's τ-b over {len(table):,} distinct clusterings, every measure turned so that up "
        "is better: 1 the same order, 0 unrelated, −1 the opposite order. Measures that agree "
        "stand together."
    )
    pictures = [
        Picture("agreement", plot.agreement(shown), _spoken(shown, facts), caption, _width(shown))
    ]
    if len(tau) > len(shown):
        pictures.append(
            Picture("agreement-all", plot.agreement(tau), _spoken(tau, facts), caption, _width(tau))
        )
    return Section(
        "agreement",
        "Do the measures agree?",
        "Agreement",
        "agreement.html",
        {"spoken": _spoken(shown, facts), "few": len(shown), "all": len(tau)},
        tuple(pictures),
    )


def _width(tau: Any) -> int:
    return min(1600, 240 + (44 if len(tau) <= 16 else 15) * len(tau))


def _spoken(tau: Any, facts: Facts) -> str:
    """The strongest agreement and disagreement in a sentence."""
    titles = {m.key: m.title for m in facts.measures}
    values = tau.to_numpy(dtype=float)
    upper = [
        (values[i, j], i, j)
        for i in range(len(values))
        for j in range(i + 1, len(values))
        if not np.isnan(values[i, j])
    ]
    if not upper:
        return "No two of these measures tell enough clusterings apart to be compared."
    (low, a, b), (high, c, d) = min(upper), max(upper)
    name = [titles[key] for key in tau.index]
    middle = float(np.median([value for value, _, _ in upper]))
    text = f"The median τ of two measures is {number(middle, 2)}. "
    text += f"Most alike are {name[c]} and {name[d]} (τ = {number(high, 2)})"
    if (a, b) != (c, d):
        text += f"; least alike are {name[a]} and {name[b]} (τ = {number(low, 2)})"
    return text + "."


def scores_of_choice(facts: Facts) -> Section | None:
    """Every measure of the choice, beside the best value that any candidate reached."""
    if facts.chosen is None or not facts.measures:
        return None
    first, rest = scorecard(facts)
    return Section(
        "scorecard", "Scorecard", "Scorecard", "scorecard.html", {"first": first, "rest": rest}
    )


def data(facts: Facts) -> Section:
    """What the data is, and what was done to it."""
    from scipy import sparse

    dataset, X = facts.study.dataset, facts.study.X
    items = [
        ("Objects", f"{X.shape[0]:,}"),
        ("Features", f"{X.shape[1]:,}"),
    ]
    if sparse.issparse(X):
        items.append(("Non-zero values", f"{100 * X.nnz / (X.shape[0] * X.shape[1]):.2f} %"))
    if facts.study.truth is not None:
        known = [value for value in facts.study.truth if value is not None]
        title = f"Classes ({dataset.truth_name})" if dataset.truth_name else "Classes"
        items.append((title, f"{len(set(map(str, known))):,}"))
        items.append(("Objects of known class", f"{len(known):,}"))
    metric = facts.study.metric
    items.append(
        (
            "Distance",
            metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric)),
        )
    )
    if dataset.source:
        items.append(("Source", str(dataset.source)))
    return Section(
        "data",
        "The data",
        "Data",
        "data.html",
        {"items": items, "notes": [str(note) for note in dataset.notes]},
    )


def reproduce(facts: Facts) -> Section:
    """What to type to get this again."""
    import platform
    from importlib.metadata import version

    import karat

    versions = [("karat", karat.__version__), ("Python", platform.python_version())]
    versions += [(p, version(p)) for p in ("numpy", "scipy", "scikit-learn", "numba")]
    return Section(
        "reproduce",
        "Reproduce it",
        "Reproduce",
        "reproduce.html",
        {"command": facts.study.command, "code": facts.study.code, "versions": versions},
    )


def failures(facts: Facts) -> Section | None:
    """Candidates that failed or were flagged, and values that are undefined."""
    groups: dict[tuple[str, str], list[str]] = {}
    bad = facts.scores[facts.scores["status"] != "ok"]
    for name, status, reason in zip(bad.index, bad["status"], bad["reason"], strict=True):
        groups.setdefault((str(status), str(reason)), []).append(str(name))
    undefined = undefined_values(facts)
    if not groups and not undefined:
        return None
    ordered = sorted(groups.items(), key=lambda item: (item[0][0] != "failed", -len(item[1])))
    return Section(
        "failures",
        "What failed",
        "Failed",
        "failures.html",
        {
            "groups": [
                {"status": status, "reason": reason, "names": names}
                for (status, reason), names in ordered
            ],
            "undefined": undefined,
        },
    )


Builder: TypeAlias = Callable[[Facts], "Section | None"]
SECTIONS: tuple[Builder, ...] = (
    answer,
    guarantee,
    clusters,
    features,
    classes,
    fit,
    clarity,
    by_k,
    ranking,
    agreement,
    scores_of_choice,
    data,
    reproduce,
    failures,
)


def build(facts: Facts) -> dict[str, Any]:
    """All that the page template needs."""
    import karat

    sections = [section for builder in SECTIONS if (section := builder(facts)) is not None]
    payload: dict[str, Any] = {
        "figures": {
            picture.id: json.loads(picture.figure.to_json())
            for section in sections
            for picture in section.pictures
        },
        "table": facts.table,
        "measures": next((s.values["details"] for s in sections if s.id == "by-k"), {}),
        "decidedBy": facts.decided_by,
    }
    return {
        "title": facts.study.dataset.name,
        "sections": sections,
        "payload": script_json(payload),
        "plotly": _plotly(),
        "style": _file("style.css"),
        "script": _file("script.js"),
        "version": karat.__version__,
    }


def script_json(value: Any) -> str:
    """JSON that may stand in a script element: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@cache
def _plotly() -> str:
    """plotly.js as the plotly package ships it, gzip in base64: 2 MB instead of 4.8."""
    from plotly.offline import get_plotlyjs

    return base64.b64encode(gzip.compress(get_plotlyjs().encode(), 9, mtime=0)).decode()


@cache
def _file(name: str) -> str:
    return (files("karat.report") / "page" / name).read_text(encoding="utf-8")
