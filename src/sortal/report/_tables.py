"""Tables of the report: the ranking, and undefined values."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.study.deciders import Decider

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.measures import Measure
    from sortal.report._facts import Facts


# columns that a ranking by the judge has beside it
LIMITS = {
    "low": "Lower limit (80 %)",
    "high": "Upper limit (80 %)",
}


def table_payload(facts: Facts) -> dict[str, Any]:
    """Every candidate with every measure, column by column, and the order of the ranking."""
    scores, ranked = facts.scores, facts.ranked
    position = {name: i for i, name in enumerate(scores.index)}
    payload: dict[str, Any] = {
        "name": [str(name) for name in scores.index],
        "clusterer": [str(c) for c in scores["clusterer"]],
        "swept": scores["k"].notna().tolist(),
        "n_clusters": _whole(scores["n_clusters"]),
        "noise_share": _rounded(scores["noise_share"]),
        "seconds": _rounded(scores["seconds"]),
        "values": {m.key: _rounded(facts.by_k[0][m.key]) for m in facts.by_k[1]},
        "rows": [],
        "columns": [],
    }
    if ranked is None:
        return payload
    payload["rows"] = [position[name] for name in ranked.index]
    payload["rank"] = [int(r) for r in ranked["rank"]]
    column = "score" if facts.decider is None else facts.decider.shown
    payload["score"] = _rounded(ranked[column])
    if facts.decider is not None and facts.decider.unit == "guarantee":
        payload["score"] = [float(score) for score in ranked["score"]]
    payload["reached_by"] = [int(r) for r in ranked["reached_by"]]
    payload["parts"] = {key: _rounded(ranked[key]) for key in LIMITS if key in ranked}
    payload["votes"] = {family: _rounded(ranked[family]) for family in facts.families}
    payload["columns"] = _columns(facts)
    return payload


def _columns(facts: Facts) -> list[dict[str, Any]]:
    """The columns of the ranking, in their order."""
    columns = [
        _column("rank", "Rank", "whole", up=False),
        _column("name", "Clustering", "text"),
        _column("n_clusters", "Clusters", "whole", up=False),
    ]
    if (facts.distinct["noise_share"].fillna(0) > 0).any():
        columns.append(_column("noise_share", "Outliers", "percent", up=False))
    decider = facts.decider
    # the place of an only candidate among the candidates says nothing
    if decider is not None and not (facts.families and len(facts.distinct) == 1):
        unit = {"number": "number", "share": "vote", "guarantee": "guarantee"}[decider.unit]
        columns.append(
            _column("score", decider.title, unit, up=decider.greater_is_better, decimals=2)
        )
    columns += [
        _column(f"parts.{key}", title, "number", up=False, decimals=2)
        for key, title in LIMITS.items()
        if facts.ranked is not None and key in facts.ranked
    ]
    columns.append(_column("reached_by", "Reached by", "whole"))
    decimals = _decimals(facts.scores["seconds"])
    columns.append(
        _column("seconds", "Seconds", "number", up=False, shown=False, decimals=decimals)
    )
    columns += [
        _column(f"votes.{family}", f"{family[:1].upper()}{family[1:]}", "vote", group="Votes")
        for family in facts.families
    ]
    usual = {facts.decided_by, "silhouette", "adjusted_rand_index"}
    open_measures = [] if facts.families else [m.key for m in facts.measures if m.key in usual]
    leading = [m for m in facts.leading if m.key in open_measures]
    closed = [m for m in facts.measures if m.key not in open_measures]
    for measure in (*leading, *closed):
        columns.append(
            _column(
                f"values.{measure.key}",
                measure.title,
                "number",
                up=measure.greater_is_better,
                shown=measure.key in open_measures,
                group=group_of(measure),
                decimals=_decimals(facts.scores[measure.key]),
            )
        )
    return columns


def group_of(measure: Measure | Decider) -> str:
    """Heading of a measure in a list of measures."""
    if isinstance(measure, Decider):
        return "What decided"
    origin = "Against the classes" if measure.kind == "external" else "From the data alone"
    return f"{origin}: {measure.family}"


def _column(key: str, title: str, unit: str, **more: object) -> dict[str, Any]:
    """One column with its defaults."""
    usual = {"up": True, "shown": True, "group": "General", "decimals": None}
    return {"key": key, "title": title, "kind": unit, **usual, **more}


def _decimals(values: pd.Series[Any]) -> int | None:
    """Decimals that suit most of a column, so that its points stand below one another."""
    sizes = np.abs(_floats(values))
    sizes = sizes[np.isfinite(sizes)]
    usual = float(np.quantile(sizes, 0.9)) if len(sizes) else 0.0
    if not 0.05 <= usual < 1e6:
        return None
    return max(0, 3 - max(0, int(np.floor(np.log10(usual)))))


def _rounded(values: pd.Series[Any]) -> list[float | str | None]:
    """Five significant digits; None where undefined, text for infinity."""
    infinities = {np.inf: "Infinity", -np.inf: "-Infinity"}
    return [
        None if np.isnan(v) else infinities.get(v, float(f"{v:.5g}"))
        for v in _floats(values).tolist()
    ]


def _floats(values: pd.Series[Any]) -> NDArray[np.float64]:
    """A column as floats, NaN where it has no value."""
    return np.asarray(values.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan))


def _whole(values: pd.Series[Any]) -> list[int | None]:
    """A column of counts; None where it has no value."""
    return [int(v) if np.isfinite(v) else None for v in _floats(values)]


def undefined_values(facts: Facts) -> list[dict[str, Any]]:
    """Measures that are undefined for some candidates, grouped by the reason."""
    titles = {m.key: m.title for m in facts.measures}
    groups = Counter(
        (str(reason), titles.get(key, key))
        for reasons in facts.reasons.values()
        for key, reason in reasons.items()
    )
    alike: dict[tuple[str, int], list[str]] = {}
    for (reason, title), count in groups.most_common():
        alike.setdefault((reason, count), []).append(title)
    return [
        {"reason": reason, "count": count, "measures": measures}
        for (reason, count), measures in alike.items()
    ]
