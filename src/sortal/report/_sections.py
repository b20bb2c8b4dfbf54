"""The sections of the report, in their order; a new one is a function in ``PAGE_FOLDS``."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from sortal.report._candidates import candidates
from sortal.report._cards import cards
from sortal.report._clusters import classes, differences, topics
from sortal.report._facts import Facts
from sortal.report._judges import clarity, guarantee, stability
from sortal.report._parts import Fold, Picture, Section
from sortal.report._pictures import consensus_matrix, dendrogram, elbow
from sortal.report._tables import group_of, table_payload, undefined_values
from sortal.runtime.numerals import percent
from sortal.study import NO_LABELS, kept_assessment, wording
from sortal.study.wording import divisions, first_screen, why

#: the programs of the page, in their order
SCRIPTS = ("script.js", "draw.js", "map.js", "look.js", "ranking.js", "start.js")


def answer(facts: Facts) -> Section:
    """The first screen: three sentences, the map, a card for each cluster."""
    study, chosen = facts.study, facts.chosen
    values: dict[str, Any] = {"no_choice": facts.no_choice, "n": study.X.shape[0]}
    if chosen is not None:
        object_map, answer = chosen.map, chosen.answer
        listed = cards(facts)
        values |= {
            "heading": wording.headline(answer),
            "data": wording.data_line(answer),
            "lines": wording.lines(answer, anyway=True),
            "caption": first_screen.caption(
                chosen.answer.noun,
                share_kept=object_map.layout.kept,
                n_drawn=len(object_map.rows),
                n_objects=study.n_objects,
                has_pale=bool(object_map.edge(chosen.labels).any()),
            ),
            "cards": listed,
            "hidden": len(chosen.clusters) - len(listed),
            "noun": chosen.answer.noun,
            "terms": chosen.terms is not None,
            "answer": answer,
        }
    return Section("answer", "Answer", "answer.html", values)


def look(facts: Facts) -> Section | None:
    """Places of the pictures that follow the opened candidate."""
    dataset = facts.study.dataset
    has_columns = dataset.of_documents or bool(dataset.n_features)
    values = {"has_columns": has_columns, "noun": facts.choice.answer.noun}
    title = "Groups and columns" if has_columns else "Groups"
    return Section("look", title, "look.html", values)


def reasons(facts: Facts) -> Section | None:
    """The reasons behind the answer, and problems of the data."""
    answer = facts.choice.answer
    elsewhere = set(why.guarantee(answer))
    if kept_assessment(facts.study.state, answer.name) is not None:
        elsewhere |= set(why.stability(answer))
    sentences = [
        sentence
        for sentence in answer.reasons
        if sentence not in elsewhere and not sentence.startswith("Note: ")
    ]
    parts = [
        (contribution.kind, f"{contribution.value:+.2f}") for contribution in answer.contributions
    ]
    values = {
        "findings": wording.findings(answer.findings),
        "sentences": sentences,
        "average": answer.average,
        "contributions": parts,
    }
    return Section("reasons", "Reasons", "reasons.html", values)


def alternatives(facts: Facts) -> Section | None:
    """Really different clusterings that are each good, where there are any."""
    ways = facts.study.alternatives()
    if len(ways) < 2:
        return None
    values = {
        "sentences": divisions.sentences(ways),
        "heads": divisions.HEADS,
        "rows": divisions.rows(ways),
    }
    return Section("alternatives", divisions.TITLE, "alternatives.html", values)


def by_k(facts: Facts) -> Section | None:
    """The measures against the number of clusters."""
    if not facts.measures:
        return None
    _, measures = facts.by_k
    first = facts.leading_by_k[0]
    picture = Picture(
        "by-k",
        {"kind": "by-k"},
        f"{first.title} against the number of clusters, a line for each clusterer.",
    )
    groups: dict[str, list[Any]] = {}
    for measure in measures:
        groups.setdefault(group_of(measure), []).append(measure)
    notes = {
        True: "greater is better",
        False: "lower is better: the axis is turned, so that up is better",
    }
    details = {
        m.key: {"title": m.title, "up": m.greater_is_better, "note": notes[m.greater_is_better]}
        for m in measures
    }
    values = {"groups": groups, "first": first, "details": details}
    return Section("by-k", "By number of clusters", "by_k.html", values, (picture,))


def ranking(facts: Facts) -> Section | None:
    """The table of the distinct clusterings."""
    if facts.ranked is None:
        return None
    values = {
        "table": table_payload(facts),
        "first_rows": min(15, len(facts.ranked)),
        "tried": int((~facts.scores["status"].isin(NO_LABELS)).sum()),
        "clusterers": list(dict.fromkeys(map(str, facts.ranked["clusterer"]))),
    }
    return Section("ranking", "Ranking", "ranking.html", values)


def data(facts: Facts) -> Section:
    """The data, and how they were prepared."""
    from scipy import sparse

    dataset, X, chosen = facts.study.dataset, facts.study.X, facts.chosen
    items = [
        ("Objects", f"{X.shape[0]:,}"),
        ("Features", f"{dataset.n_features:,}" if dataset.n_features else "none"),
    ]
    if sparse.issparse(X):
        items.append(("Non-zero values", percent(X.nnz / (X.shape[0] * X.shape[1]), 2)))
    if facts.study.y is not None:
        classes = [value for value in facts.study.y if value is not None]
        title = f"Classes ({dataset.truth_name})" if dataset.truth_name else "Classes"
        items.append((title, f"{len(set(map(str, classes))):,}"))
        items.append(("Objects of known class", f"{len(classes):,}"))
    metric = facts.study.metric
    distance = metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
    items.append(("Distance", distance))
    if dataset.source:
        items.append(("Source", str(dataset.source)))
    notes = dataset.notes if chosen is None else chosen.answer.notes
    return Section("data", "Columns and rows", "data.html", {"items": items, "notes": notes})


def reproduce(facts: Facts) -> Section | None:
    """The command that repeats the study, where one made it."""
    if not facts.study.command:
        return None
    return Section("reproduce", "Reproduce it", "reproduce.html", {"command": facts.study.command})


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
    listed = [
        {"status": status, "reason": reason, "names": names} for (status, reason), names in ordered
    ]
    values = {"groups": listed, "undefined": undefined}
    return Section("failures", "What failed", "failures.html", values)


#: sections that need no choice
WITHOUT_CHOICE = (by_k, data, ranking, failures, reproduce)
Builder: TypeAlias = Callable[[Facts], "Section | None"]
#: folds below the first screen, in their order
PAGE_FOLDS: tuple[tuple[str, str, tuple[Builder, ...]], ...] = (
    ("look-around", "Look around", (look, topics)),
    ("candidates", "All candidates", (ranking, by_k, failures)),
    ("why", "Why this one", (reasons, alternatives, elbow)),
    ("how-sure", "How sure", (guarantee, classes, stability, differences, clarity)),
    ("specialists", "Data and methods", (data, dendrogram, consensus_matrix, reproduce)),
)


def build(facts: Facts) -> dict[str, Any]:
    """All that the page template needs."""
    from sortal.runtime.version import __version__, package_versions

    folds = []
    for id, title, builders in PAGE_FOLDS:
        usable = [b for b in builders if facts.chosen is not None or b in WITHOUT_CHOICE]
        built = (build_section(facts) for build_section in usable)
        present = tuple(section for section in built if section is not None)
        folds += [Fold(id, title, present)] * bool(present)
    sections = {section.id: section for fold in folds for section in fold.sections}
    payload: dict[str, Any] = {
        "figures": {
            picture.id: picture.drawing
            for section in sections.values()
            for picture in section.pictures
        },
        "table": sections["ranking"].values["table"]
        if "ranking" in sections
        else table_payload(facts),
        "measures": sections["by-k"].values["details"] if "by-k" in sections else {},
        "leading": [m.key for m in facts.leading_by_k],
        "decidedBy": facts.decided_by,
        **candidates(facts),
    }
    return {
        "title": facts.study.dataset.name,
        "first": answer(facts),
        "folds": folds,
        "payload": script_json(payload),
        "style": page_file("style.css"),
        "script": "".join(page_file(name) for name in SCRIPTS),
        "version": __version__,
        "versions": package_versions("numpy", "scipy", "scikit-learn", "numba"),
    }


def script_json(value: Any) -> str:
    """JSON that may stand in a script element: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@cache
def page_file(name: str) -> str:
    """Text of a file of the page."""
    return (files("sortal.report") / "page" / name).read_text(encoding="utf-8")
