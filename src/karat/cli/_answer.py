"""The answer of a study, as text for people and as JSON for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.cli._input import print_findings
from karat.cli._output import printable, records, show_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from karat.model import AssignedRows
    from karat.study import Answer, Study

MAX_CLUSTERS, MAX_TOPIC_WORDS = 12, 8
WIDE_TERMINAL = 100  # characters of a terminal with room for every column


def as_json(study: Study, answer: Answer, top: int = 10) -> dict[str, Any]:
    """The answer, the best candidates and every score, as JSON."""
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
        "clusters": [description.to_dict() for description in study.describe(answer.name)],
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
    """Print the answer for a person: sentences, the best candidates, remarks."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    from karat.study.wording import footer, remarks

    console = Console()
    print_findings(answer.findings)
    first, *others = answer.story
    story = Text(first, style="bold").append("\n" + "\n".join(others), style="not bold")
    console.print(Panel(story, title=printable(answer.data), title_align="left"))
    _show_clusters(study, answer, console)
    _show_candidates(study, answer, top, console.width)
    _print_sentences(console, answer.sentences[len(answer.story) :])
    if ways is not None:
        _show_alternatives(study, ways, console)
    _show_differences(study, answer, console)
    n_more = answer.tried.distinct - top
    if n_more > 0:
        console.print(f"... and {n_more} more distinct clusterings", style="dim")
    _print_sentences(console, remarks(answer))
    _print_sentences(console, [footer(answer)], style="dim")


def show_all_rows(study: Study, answer: Answer, assigned: AssignedRows) -> None:
    """Print the clusters of all rows of a table in parts, and what is exact over them."""
    from rich.console import Console

    from karat.study.wording import all_rows

    title = f"All {assigned.n_rows:,} rows"
    show_table(all_rows.HEADS, all_rows.rows(assigned), title=title, numbers=(0, 2, 3, 4))
    error = study.standard_errors().get("silhouette")
    error = None if error is None else error.get(answer.name)
    _print_sentences(Console(), all_rows.sentences(assigned, answer.silhouette, error))


def _print_sentences(console: Console, sentences: Iterable[str], style: str | None = None) -> None:
    """Print each sentence on its own line."""
    for sentence in sentences:
        console.print(printable(sentence), markup=False, highlight=False, style=style)


def _show_clusters(study: Study, answer: Answer, console: Console) -> None:
    """Print a line for each cluster: its name, its size, and its rule or characteristic words."""
    from karat.study.wording import NO_RULE

    clusters = sorted(study.describe(answer.name), key=lambda cluster: -cluster.size)
    of_terms = study.dataset.of_documents
    named = sorted({cluster.named_by for cluster in clusters if cluster.named_by is not None})
    if not of_terms and not named and all(cluster.rule is None for cluster in clusters):
        console.print(NO_RULE, style="dim")
        return
    rows = []
    for cluster in clusters[:MAX_CLUSTERS]:
        rule = "" if cluster.rule is None else str(cluster.rule)
        if of_terms:
            rule = ", ".join(term.feature for term in cluster.telling[:MAX_TOPIC_WORDS])
        right = "" if cluster.accuracy is None else f"{100 * cluster.accuracy:.0f} %"
        rows.append((str(cluster.cluster), cluster.name, rule, right, f"{cluster.size:,}"))
    heads = ("", "cluster", "words" if of_terms else "rule", "right", "objects")
    title = ", named by ".join(["The clusters", *named])
    show_table(heads, rows, title=title, numbers=(0, 3, 4))
    if len(clusters) > MAX_CLUSTERS:
        console.print(f"... and {len(clusters) - MAX_CLUSTERS} smaller clusters", style="dim")


def _show_candidates(study: Study, answer: Answer, top: int, width: int) -> None:
    """Print the best candidates with as many measures as fit."""
    from karat.measures import catalogue
    from karat.study.deciders import as_decider
    from karat.study.wording import span

    ranked, measures = study.rank(), study.scores()
    decider = as_decider(answer.decided_by)
    columns: dict[str, Any] = {
        "": ranked["rank"], "candidate": ranked.index, "k": ranked["n_clusters"],
    }  # fmt: skip
    # the votes of a single candidate say nothing
    if decider.shown in ranked and (decider.shown != "votes" or len(ranked) > 1):
        columns[decider.title] = [decider.text(value) for value in ranked[decider.shown]]
    if "low" in ranked:
        columns["80 % interval"] = list(map(span, ranked["low"], ranked["high"]))
    wide = ("informativeness",) if width >= WIDE_TERMINAL else ()
    for m in ("silhouette", *wide, "adjusted_rand_index"):
        if m in measures and m != answer.decided_by:
            title = catalogue[m].title.partition(" (")[0]
            columns[title] = [f"{value:.3f}" for value in measures.loc[ranked.index, m]]
    columns["times"] = ranked["reached_by"]
    rows = list(zip(*columns.values(), strict=True))[:top]
    show_table(list(columns), rows, whole=2, numbers=range(2, len(columns)))


def _show_alternatives(study: Study, n: int, console: Console) -> None:
    """Print other good ways to divide the objects."""
    from karat.study.wording import divisions

    alternatives = study.alternatives(n)
    if len(alternatives) > 1:
        show_table(divisions.HEADS, divisions.rows(alternatives), title=divisions.TITLE)
    _print_sentences(console, divisions.sentences(alternatives))


def _show_differences(study: Study, answer: Answer, console: Console) -> None:
    """Print the tests of differences between clusters, if they were run."""
    from karat.study import kept_differences
    from karat.study.wording import tested

    differences = kept_differences(study.tried)
    if differences is None:
        return
    tests = tested(differences, answer.labels, study.cluster_names(answer.name))
    heads = ("cluster", "other", "difference (sd)", "p")
    show_table(heads, tests.pairs, title="Do the clusters differ?", numbers=(2, 3))
    _print_sentences(
        console,
        (f"Cluster {cluster} differs in {features}." for cluster, features in tests.features),
    )
    _print_sentences(console, tests.sentences, style="dim")
