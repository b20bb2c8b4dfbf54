"""The clusters of a sweep over its numbers of clusters or resolutions, where they nearly nest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from karat import plot
from karat.plot.style import percent
from karat.report._page import Picture, Section, plain

if TYPE_CHECKING:
    from karat.report._facts import Facts

#: clusterings and clusters at most in one picture
MOST_LEVELS, MOST_CLUSTERS = 12, 250
#: share of the objects whose cluster only divides one of the row above, from which it is drawn
NEARLY = 0.9
_NUMBERED = re.compile(r"^(.*?)(\d+(?:\.\d+)?)$")


def levels(facts: Facts) -> Section | None:
    """Where the objects of each cluster go in the next finer clustering."""
    if facts.chosen is None or facts.ranked is None:
        return None
    names, title = _row_of(facts)
    if len(names) < 3:
        return None
    found = {label: facts.study.labels(name) for label, name in names.items()}
    nests = plot.nesting(found)
    if nests.median() < NEARLY:
        return None
    worst = str(nests.idxmin())
    sentences = [
        f"From each row to the next, {percent(float(nests.mean()))} of the objects on average stay "
        "with most of their cluster's objects: the clusterings nearly divide one another. "
        f"They do least at {title} {worst}, where {percent(float(nests.min()))} do."
    ]
    if nests.min() == 1:
        sentences = ["Each row only divides clusters of the row above."]
    picture = Picture(
        "clustree",
        plot.clustree(found, title=title),
        f"Clusters at {len(found)} values of {title}, a row for each, with the objects that go "
        "from one to the next.",
        "Circles are clusters, their area the number of objects. An edge is as strong as its share "
        "of the finer cluster: a cluster with several weak edges is made of parts of others. A "
        "cluster that stays alone over many rows is stable.",
    )
    return plain("levels", "From coarse to fine", sentences, picture)


def _row_of(facts: Facts) -> tuple[dict[str, str], str]:
    """The candidates of the chosen one's kind, from few clusters to many, by their values."""
    assert facts.chosen is not None
    assert facts.ranked is not None
    chosen, table = facts.chosen.answer, facts.scores
    there = table[table["partition"].notna()]
    if chosen.clusterer == "given":
        match = _NUMBERED.match(chosen.name)
        if match is None:
            return {}, ""
        alike = {
            float(other[2]): str(name)
            for name in there.index[there["clusterer"] == "given"]
            if (other := _NUMBERED.match(str(name))) and other[1] == match[1]
        }
        rows = {f"{value:g}": alike[value] for value in sorted(alike)}
        return _few(rows, there), match[1].strip(" _-=.") or "name"
    own = there[(there["clusterer"] == chosen.clusterer) & there["k"].notna()]
    place = {str(p): i for i, p in enumerate(facts.ranked["partition"])}
    order = own["partition"].map(lambda p: place.get(str(p), len(place)))
    best = own.assign(place=order).sort_values(["k", "place"], kind="stable")
    best = best[~best["k"].duplicated()]
    rows = {str(k): str(name) for name, k in best["k"].items()}
    return _few(rows, there), "clusters"


def _few(rows: dict[str, str], table: Any) -> dict[str, str]:
    """As many from the coarse end as can be seen."""
    out: dict[str, str] = {}
    total = 0
    for label, name in rows.items():
        total += int(table.at[name, "n_clusters"])
        if len(out) == MOST_LEVELS or total > MOST_CLUSTERS:
            break
        out[label] = name
    return out
