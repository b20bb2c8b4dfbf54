"""The answer of a study, for a person and for machines."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.table import Table

    from karat.study import Answer, Study

CLUSTERS_SHOWN, TOPIC_WORDS = 12, 8
WIDE = 100  # characters of a terminal with room for every column


def as_json(study: Study, answer: Answer, top: int = 10) -> dict[str, Any]:
    """What machines read: the answer, the best candidates, every score."""
    from karat.study import kept_assessment, kept_differences

    best = answer.to_dict()
    resampled = kept_assessment(study, answer.name)
    if resampled is not None:
        curve, clusters = resampled.curve, resampled.clusters.table.rename_axis("cluster")
        best["stability"] |= {
            "value": resampled.value,
            "curve": None if curve is None else _records(curve.table, double_precision=15),
            "clusters": _records(clusters, double_precision=15),
            "n_resampled": len(resampled.rows),
            "changing": resampled.changing.tolist(),
        }
    compared = kept_differences(study)
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
            "pairs": _records(compared.pairs),
            "features": _records(compared.features),
            "labels": compared.labels.tolist(),
            "premises": compared.premises,
        },
        "findings": best["findings"],
        "best": best,
        "ranking": _records(study.rank().head(top), double_precision=15),
        "scores": _records(study.scores(), double_precision=15),
    }


def _records(table: pd.DataFrame, **options: Any) -> Any:
    return jsonlib.loads(table.reset_index().to_json(orient="records", **options))


def _show_clusters(study: Study, answer: Answer, console: Console) -> None:
    """A line for each cluster: its name, its size, and how it is told from the rest."""
    from rich.table import Table

    from karat.cli._output import printable
    from karat.study.wording import NO_RULE

    found = sorted(study.describe(answer.name), key=lambda one: -one.size)
    of_terms = study.dataset.of_documents
    named = sorted({one.named_by for one in found if one.named_by is not None})
    if not of_terms and not named and all(one.rule is None for one in found):
        console.print(NO_RULE, style="dim")
        return
    title = ", named by ".join(["The clusters", *named])
    table = Table(title=printable(title), box=None, pad_edge=False)
    for column in ("cluster", "words" if of_terms else "rule"):
        table.add_column(column, overflow="fold")
    table.add_column("right", justify="right")
    table.add_column("objects", justify="right")
    for one in found[:CLUSTERS_SHOWN]:
        told = "" if one.rule is None else str(one.rule)
        if of_terms:
            told = ", ".join(term.feature for term in one.telling[:TOPIC_WORDS])
        right = "" if one.accuracy is None else f"{100 * one.accuracy:.0f} %"
        table.add_row(printable(one.name), printable(told), right, f"{one.size:,}")
    console.print(table)
    if len(found) > CLUSTERS_SHOWN:
        console.print(f"... and {len(found) - CLUSTERS_SHOWN} smaller clusters", style="dim")


def _show_differences(study: Study, answer: Answer, console: Console) -> None:
    from rich.table import Table

    from karat.cli._output import printable
    from karat.study import kept_differences
    from karat.study.wording import tested

    found = kept_differences(study)
    if found is None:
        return
    told = tested(found, answer.labels, study.cluster_names(answer.name))
    table = Table(title="Do the clusters differ?", box=None, pad_edge=False)
    for title in ("cluster", "other"):
        table.add_column(title, overflow="fold")
    for title in ("difference (sd)", "p"):
        table.add_column(title, justify="right")
    for row in told.pairs:
        table.add_row(*map(printable, row))
    console.print(table)
    for cluster, features in told.features:
        line = f"Cluster {cluster} differs in {features}."
        console.print(printable(line), markup=False, highlight=False)
    for sentence in told.sentences:
        console.print(sentence, style="dim", markup=False, highlight=False)


def _show_ways(study: Study, n: int, console: Console) -> None:
    """Other honest ways to divide the objects."""
    from rich.table import Table

    from karat.cli._output import printable
    from karat.study.wording import divisions

    found = study.alternatives(n)
    if len(found) > 1:
        table = Table(title=divisions.TITLE, box=None, pad_edge=False)
        for head in divisions.HEADS:
            table.add_column(head, overflow="fold")
        for row in divisions.rows(found):
            table.add_row(*map(printable, row))
        console.print(table)
    for sentence in divisions.sentences(found):
        console.print(printable(sentence), markup=False, highlight=False)


def show(study: Study, answer: Answer, top: int = 8, ways: int | None = None) -> None:
    """The answer for a person: the sentences, the best candidates, what to mind."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    from karat.cli._input import tell_findings
    from karat.cli._output import printable
    from karat.study.wording import footer, remarks

    console = Console()
    tell_findings(answer.findings)
    first, *others = answer.story
    told = Text(first, style="bold").append("\n" + "\n".join(others), style="not bold")
    console.print(Panel(told, title=printable(answer.data), title_align="left"))
    _show_clusters(study, answer, console)
    console.print(_candidates(study, answer, top, console.width))
    for sentence in answer.sentences[len(answer.story) :]:
        console.print(printable(sentence), markup=False, highlight=False)
    if ways is not None:
        _show_ways(study, ways, console)
    _show_differences(study, answer, console)
    more = answer.tried.distinct - top
    if more > 0:
        console.print(f"... and {more} more distinct clusterings", style="dim")
    for remark in remarks(answer):
        console.print(printable(remark), markup=False, highlight=False)
    console.print(footer(answer), style="dim", markup=False, highlight=False)


def _candidates(study: Study, answer: Answer, top: int, width: int) -> Table:
    """The best candidates, with as many measures as there is room for."""
    from rich.table import Table

    from karat.measures import catalogue
    from karat.study.deciders import as_decider
    from karat.study.wording import span

    ranked, measures = study.rank(), study.scores()
    decider = as_decider(answer.decided_by)
    usual = ["silhouette", "informativeness", "adjusted_rand_index"]
    if width < WIDE:
        usual.remove("informativeness")
    shown = [m for m in usual if m in measures and m != answer.decided_by]
    columns: dict[str, list[str]] = {"k": [str(k) for k in ranked["n_clusters"]]}
    # a vote of one says nothing
    if decider.shown in ranked and (decider.shown != "votes" or len(ranked) > 1):
        columns[decider.title] = [decider.text(value) for value in ranked[decider.shown]]
    if "low" in ranked:
        columns["80 % interval"] = list(map(span, ranked["low"], ranked["high"]))
    for m in shown:
        title = catalogue[m].title.partition(" (")[0]
        columns[title] = [f"{value:.3f}" for value in measures.loc[ranked.index, m]]
    columns["times"] = list(map(str, ranked["reached_by"]))
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("candidate", no_wrap=True)
    for title in columns:
        table.add_column(title, justify="right")
    places = [*map(str, ranked["rank"])], [*map(str, ranked.index)]
    for row in [*zip(*places, *columns.values(), strict=True)][:top]:
        table.add_row(*row)
    return table
