"""The answer of a study, for a person and for machines."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from karat.study import Choice, Study

TOPICS_SHOWN, TOPIC_WORDS = 12, 8
WIDE = 100  # characters of a terminal with room for every column


def as_json(
    study: Study, choice: Choice, top: int = 10, *, skipped: str | None = None
) -> dict[str, Any]:
    """What machines read: the choice, the best candidates, what failed."""
    from karat.cli.stability import as_json as stability_as_json
    from karat.study.deciders import JUDGE
    from karat.study.judging import details_of

    ranked = study.rank()
    scores = study.scores()
    found = study.judged() if choice.decided_by == JUDGE else None
    agreements = study.candidates["sample_agreement"].dropna().to_dict()
    judge = None if found is None else details_of(found)
    for one in [] if judge is None else judge["shortlist"]:
        one["sample_agreement"] = agreements.get(one["name"])
    resampled = study.kept_stability(choice.name)
    represented = study.kept_representations()
    return {
        "data": {
            "name": study.dataset.name,
            "n_objects": study.n_objects,
            "n_features": study.dataset.n_features,
            "notes": list(study.dataset.notes),
        },
        "representations": None
        if represented is None
        else jsonlib.loads(represented.reset_index().to_json(orient="records")),
        "best": {
            "name": choice.name,
            "clusterer": choice.clusterer,
            "n_clusters": choice.n_clusters,
            "decided_by": choice.decided_by,
            "runner_up": choice.runner_up,
            "reasons": list(choice.reasons),
            "bound": None if choice.bound is None else choice.bound.bound_rate,
            "bounded_by": None if choice.bound is None else choice.bound.method,
            "judge": judge,
            "stability": None if resampled is None else stability_as_json(resampled),
            "stability_skipped": skipped,
        },
        "ranking": jsonlib.loads(
            ranked.head(top).reset_index().to_json(orient="records", double_precision=15)
        ),
        "scores": jsonlib.loads(
            scores.reset_index().to_json(orient="records", double_precision=15)
        ),
    }


def _expected(row: dict[str, Any]) -> str:
    return f"{row['predicted']:.2f} ({max(row['low'], 0):.2f}–{row['high']:.2f})"


def _agreements(candidates: pd.DataFrame) -> tuple[list[str], dict[str, list[str]]]:
    """Heading and cells of what samples lose; none where nothing was fitted to a sample."""
    names = [str(name) for name in candidates.index]
    if candidates["fitted_on"].isna().all():
        return [], {name: [] for name in names}
    values = candidates["sample_agreement"].dropna().to_dict()
    told = {name: [f"{values[name]:.2f}" if name in values else "–"] for name in names}
    return ["sample agreement"], told


def _show_shortlist(study: Study, console: Console) -> None:
    from rich.table import Table

    found = study.judged()
    if found is None or len(found.shortlist) < 2:
        return
    table = Table(title="Really different and nearly as good", box=None, pad_edge=False)
    names = [name for name, _ in found.shortlist]
    heading, agreements = _agreements(study.candidates.loc[names])
    for title in ("candidate", "expected ARI", *heading, "good for"):
        table.add_column(title)
    for name, use in found.shortlist:
        table.add_row(name, _expected(found.expected(name)), *agreements[name], use)
    console.print(table)


def _show_topics(study: Study, choice: Choice, console: Console) -> None:
    from rich.table import Table

    from karat.text import telling_terms

    data = study.dataset.without_embeddings()
    if not data.of_documents or data.feature_names[:1] == ("x1",):
        return  # what has no words
    terms = telling_terms(data.X, choice.labels, data.feature_names, count=TOPIC_WORDS)
    sizes = np.bincount(choice.labels[choice.labels >= 0])
    table = Table(title="What the clusters are about", box=None, pad_edge=False)
    table.add_column("documents", justify="right")
    table.add_column("words")
    for cluster in np.argsort(-sizes, kind="stable")[:TOPICS_SHOWN]:
        words = terms.loc[terms["cluster"] == cluster, "term"]
        table.add_row(f"{sizes[cluster]:,}", ", ".join(map(str, words)))
    console.print(table)


def _show_representations(study: Study, console: Console) -> None:
    from rich.table import Table

    found = study.kept_representations()
    if found is None:
        return
    shares = [c for c in found if str(c).startswith("r=") and not str(c).endswith("error")]
    columns = [*shares, *(c for c in ("informativeness", "stability") if c in found)]
    title = "Which representation?"
    if shares:
        title += "\nr=5: share of the 5 nearest documents with the same class"
    table = Table(title=title, box=None, pad_edge=False)
    table.add_column("representation", no_wrap=True)
    for column in columns:
        table.add_column(str(column), justify="right")
    for name, row in zip(found.index, found.to_dict("records"), strict=True):
        table.add_row(str(name), *(f"{row[column]:.3f}" for column in columns))
    console.print(table)


def show(study: Study, choice: Choice, top: int = 8) -> None:
    """The answer for a person: the choice, the best candidates, what to mind."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    from karat.measures import catalogue
    from karat.study.deciders import against_classifier, as_decider

    console = Console()
    first, *others = choice.reasons
    told = Text(first, style="bold").append("\n" + "\n".join(others), style="not bold")
    console.print(Panel(told, title=study.dataset.name, title_align="left"))
    ranked = study.rank()
    measures = study.scores()
    decider = as_decider(choice.decided_by)
    judged = "predicted" in ranked
    usual = ["silhouette", "informativeness", "adjusted_rand_index"]
    if console.width < WIDE:
        usual.remove("informativeness")
    shown = [m for m in usual if m in measures and m != choice.decided_by]
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("candidate", no_wrap=True)
    titles = [catalogue[m].title.partition(" (")[0] for m in shown]
    heading, agreements = _agreements(ranked)
    score = "expected ARI" if judged else decider.title
    for title in ("k", score, *heading, *titles, "times"):
        table.add_column(title, justify="right")
    values: dict[str, dict[str, float]] = measures[shown].to_dict("index")  # type: ignore[assignment]
    rows: list[dict[str, Any]] = ranked.to_dict("records")  # type: ignore[assignment]
    for name, row in zip(map(str, ranked.index[:top]), rows, strict=False):
        table.add_row(
            str(row["rank"]),
            name,
            str(row["n_clusters"]),
            f"{row['predicted']:.2f}" if judged else decider.text(row["score"]),
            *agreements[name],
            *(f"{values[name][m]:.3f}" for m in shown),
            str(row["reached_by"]),
        )
    console.print(table)
    if judged:
        _show_shortlist(study, console)
    _show_representations(study, console)
    _show_topics(study, choice, console)
    more = len(ranked) - top
    if more > 0:
        console.print(f"... and {more} more distinct clusterings", style="dim")
    if study.n_unfinished:
        console.print(
            f"{study.n_unfinished} candidates were not finished within the budget; the same "
            "command with --storage FILE, or a larger --budget, fits them too",
            markup=False,
        )
    if choice.bound is not None and (yardstick := against_classifier(study, choice.bound)):
        console.print(yardstick, markup=False)
    counts = study.candidates["status"].value_counts()
    for status in ("stopped", "excluded", "failed", "flagged"):
        if counts.get(status, 0):
            these = study.candidates.query(f"status == '{status}'")
            reason = str(these["reason"].iloc[0])
            console.print(
                f"{counts[status]} {status}, e.g. {these.index[0]!s}: {reason}", markup=False
            )
    if choice.bound is not None:
        console.print(choice.bound.conditions, markup=False, highlight=False)
        for doubt in choice.bound.warnings:
            console.print(f"Warning: {doubt}.", markup=False)
    for note in study.dataset.notes:
        console.print(f"Note: {note}", markup=False)
