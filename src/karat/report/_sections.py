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
from karat.labelings.labels import NOISE
from karat.measures.families import effective_number
from karat.measures.measure_map import grouped
from karat.plot.style import number
from karat.report._clusters import classes, clusters, features, fit
from karat.report._facts import Facts
from karat.report._judges import clarity, guarantee, judgement, stability
from karat.report._levels import levels
from karat.report._page import Picture, Section
from karat.report._tables import group_of, scorecard, sparklines, undefined_values
from karat.report._topics import representation, topics
from karat.study import NO_LABELS

if TYPE_CHECKING:
    pass


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
        "d": study.dataset.n_features,
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
        groups.setdefault(group_of(measure), []).append(measure)
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
            "fitted_on": facts.fitted_on,
            "decided_by": facts.decided_by,
            "families": facts.families,
            "votes": _votes(facts),
            "tried": int((~facts.scores["status"].isin(NO_LABELS)).sum()),
            "clusterers": list(dict.fromkeys(map(str, facts.ranked["clusterer"]))),
        },
    )


def _votes(facts: Facts) -> list[dict[str, Any]]:
    """For each family: what it prefers, and its points for the choice and the runner-up."""
    ranked = facts.ranked
    if ranked is None:
        return []
    members = grouped({m.key: m.family for m in facts.voters})
    title = {m.key: m.title for m in facts.voters}
    return [
        {
            "family": family,
            "measures": ", ".join(title[key] for key in members.get(family, [])),
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
        {"spoken": _spoken(shown, facts) + _opinions(facts), "few": len(shown), "all": len(tau)},
        tuple(pictures),
    )


def _width(tau: Any) -> int:
    return min(1600, 360 + (44 if len(tau) <= 16 else 15) * len(tau))


def _opinions(facts: Facts) -> str:
    """How many independent opinions the internal measures are worth here."""
    voters = facts.voters
    if len(voters) < 2:
        return ""
    values = facts.distinct[[m.key for m in voters]].to_numpy(dtype=np.float64)
    found = effective_number(values * [m.sign for m in voters])
    return (
        f" The {len(voters)} internal measures that may vote are worth {found:.1f} really "
        "different opinions on these clusterings (the effective number of independent votes, by "
        "their rank correlations)."
    )


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
        ("Features", f"{dataset.n_features:,}" if dataset.n_features else "none"),
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

    from karat.runtime.version import __version__

    versions = [("karat", __version__), ("Python", platform.python_version())]
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
    ordered = sorted(groups.items(), key=lambda item: (item[0][0] not in NO_LABELS, -len(item[1])))
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
    judgement,
    guarantee,
    topics,
    clusters,
    features,
    classes,
    fit,
    representation,
    clarity,
    stability,
    by_k,
    levels,
    ranking,
    agreement,
    scores_of_choice,
    data,
    reproduce,
    failures,
)


def build(facts: Facts) -> dict[str, Any]:
    """All that the page template needs."""
    from karat.runtime.version import __version__

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
        "version": __version__,
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
