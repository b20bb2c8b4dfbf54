"""The answer of a study, for a person and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.cli._input import tell_findings
from karat.cli._output import printable, records, show_table

if TYPE_CHECKING:
    from rich.console import Console

    from karat.study import Answer, Study

CLUSTERS_SHOWN, TOPIC_WORDS = 12, 8
WIDE = 100  # characters of a terminal with room for every column


def as_json(study: Study, answer: Answer, top: int = 10) -> dict[str, Any]:
    """What machines read: the answer, the best candidates, every score."""
    from karat.study import kept_assessment, kept_differences

    best = answer.to_dict()
    resampled = kept_assessment(study.tried, answer.name)
    if resampled is not None:
        curve, clusters = resampled.curve, resampled.clusters.table.rename_axis("cluster")
        best["stability"] |= {
            "value": resampled.value,
            "curve": None if curve is None else records(curve.table),
            "clusters": records(clusters),
            "n_resampled": len(resampled.rows),
            "changing": resampled.changing.tolist(),
        }
    compared = kept_differences(study.tried)
    return {
        "data": {
            "name": answer.data,
            "n_objects": answer.n_objects,
            "n_features": study.dataset.n_features,
        },
        "clusters": [one.to_dict() for one in study.describe(answer.name)],
        "differences": None
        if compared is None
        else {
            "pairs": records(compared.pairs),
            "features": records(compared.features),
            "labels": compared.labels.tolist(),
            "premises": compared.premises,
        },
        "findings": best["findings"],
        "best": best,
        "ranking": records(study.rank().head(top)),
        "scores": records(study.scores()),
    }


def show(study: Study, answer: Answer, top: int = 8, ways: int | None = None) -> None:
    """The answer for a person: the sentences, the best candidates, what to mind."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    from karat.study.wording import footer, remarks

    console = Console()
    tell_findings(answer.findings)
    first, *others = answer.story
    told = Text(first, style="bold").append("\n" + "\n".join(others), style="not bold")
    console.print(Panel(told, title=printable(answer.data), title_align="left"))
    _show_clusters(study, answer, console)
    _show_candidates(study, answer, top, console.width)
    _say(console, answer.sentences[len(answer.story) :])
    if ways is not None:
        _show_ways(study, ways, console)
    _show_differences(study, answer, console)
    more = answer.tried.distinct - top
    if more > 0:
        console.print(f"... and {more} more distinct clusterings", style="dim")
    _say(console, remarks(answer))
    _say(console, [footer(answer)], style="dim")


def _say(console: Console, sentences: Any, **style: Any) -> None:
    for sentence in sentences:
        console.print(printable(sentence), markup=False, highlight=False, **style)


def _show_clusters(study: Study, answer: Answer, console: Console) -> None:
    """A line for each cluster: its name, its size, and how it is told from the rest."""
    from karat.study.wording import NO_RULE

    found = sorted(study.describe(answer.name), key=lambda one: -one.size)
    of_terms = study.dataset.of_documents
    named = sorted({one.named_by for one in found if one.named_by is not None})
    if not of_terms and not named and all(one.rule is None for one in found):
        console.print(NO_RULE, style="dim")
        return
    rows = []
    for one in found[:CLUSTERS_SHOWN]:
        told = "" if one.rule is None else str(one.rule)
        if of_terms:
            told = ", ".join(term.feature for term in one.telling[:TOPIC_WORDS])
        right = "" if one.accuracy is None else f"{100 * one.accuracy:.0f} %"
        rows.append((str(one.cluster), one.name, told, right, f"{one.size:,}"))
    heads = ("", "cluster", "words" if of_terms else "rule", "right", "objects")
    title = ", named by ".join(["The clusters", *named])
    show_table(heads, rows, title=title, numbers=(0, 3, 4))
    if len(found) > CLUSTERS_SHOWN:
        console.print(f"... and {len(found) - CLUSTERS_SHOWN} smaller clusters", style="dim")


def _show_candidates(study: Study, answer: Answer, top: int, width: int) -> None:
    """The best candidates, with as many measures as there is room for."""
    from karat.measures import catalogue
    from karat.study.deciders import as_decider
    from karat.study.wording import span

    ranked, measures = study.rank(), study.scores()
    decider = as_decider(answer.decided_by)
    columns: dict[str, Any] = {
        "": ranked["rank"], "candidate": ranked.index, "k": ranked["n_clusters"],
    }  # fmt: skip
    # a vote of one says nothing
    if decider.shown in ranked and (decider.shown != "votes" or len(ranked) > 1):
        columns[decider.title] = [decider.text(value) for value in ranked[decider.shown]]
    if "low" in ranked:
        columns["80 % interval"] = list(map(span, ranked["low"], ranked["high"]))
    wide = ("informativeness",) if width >= WIDE else ()
    for m in ("silhouette", *wide, "adjusted_rand_index"):
        if m in measures and m != answer.decided_by:
            title = catalogue[m].title.partition(" (")[0]
            columns[title] = [f"{value:.3f}" for value in measures.loc[ranked.index, m]]
    columns["times"] = ranked["reached_by"]
    rows = list(zip(*columns.values(), strict=True))[:top]
    show_table(list(columns), rows, whole=2, numbers=range(2, len(columns)))


def _show_ways(study: Study, n: int, console: Console) -> None:
    """Other honest ways to divide the objects."""
    from karat.study.wording import divisions

    found = study.alternatives(n)
    if len(found) > 1:
        show_table(divisions.HEADS, divisions.rows(found), title=divisions.TITLE)
    _say(console, divisions.sentences(found))


def _show_differences(study: Study, answer: Answer, console: Console) -> None:
    from karat.study import kept_differences
    from karat.study.wording import tested

    found = kept_differences(study.tried)
    if found is None:
        return
    told = tested(found, answer.labels, study.cluster_names(answer.name))
    heads = ("cluster", "other", "difference (sd)", "p")
    show_table(heads, told.pairs, title="Do the clusters differ?", numbers=(2, 3))
    _say(console, (f"Cluster {one} differs in {features}." for one, features in told.features))
    _say(console, told.sentences, style="dim")
