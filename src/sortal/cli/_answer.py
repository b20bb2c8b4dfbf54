"""The answer of a study, as text for people and as JSON for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortal.cli._input import print_findings
from sortal.cli._output import LAYOUT, print_wrapped, printable, records, show_table
from sortal.cli._run_options import OutputOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from sortal.model import AssignedRows
    from sortal.study import Answer, Study


def as_json(study: Study, answer: Answer, top: int = 10) -> dict[str, Any]:
    """The answer, the best candidates and every score, as JSON."""
    from sortal.study import kept_assessment, kept_differences

    best = answer.to_dict()
    resampled = kept_assessment(study.state, answer.name)
    if resampled is not None:
        curve, clusters = resampled.curve, resampled.clusters.table.rename_axis("cluster")
        best["stability"] |= {
            "value": resampled.value,
            "curve": None if curve is None else records(curve.table),
            "clusters": records(clusters),
            "n_resampled": len(resampled.rows),
            "changing": resampled.changing.tolist(),
        }
    compared = kept_differences(study.state)
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


def show(
    study: Study,
    answer: Answer,
    output: OutputOptions | None = None,
    *,
    seconds: float | None = None,
    ways: int | None = None,
    files: Sequence[tuple[str, str]] = (),
) -> None:
    """Print the answer on one screen, with its files, then what else is wanted."""
    from rich.console import Console

    from sortal.study.wording import screen

    console, output = Console(), output or OutputOptions()
    none = screen.is_none(answer) and not output.anyway
    print_wrapped(console, screen.data_line(answer, seconds))
    print_wrapped(console, screen.headline(answer, anyway=output.anyway), style="bold")
    if answer.own:
        console.print()
        show_table(screen.OWN_HEADS, screen.own_lines(answer.own), numbers=range(2, 5))
    elif not none:
        _show_groups(study, answer, console)
    if not none:
        console.print()
    classes = ", --labels FILE (the class of every row)" * (answer.guarantee is not None)
    more = ("More", f"--why (reasons), --all (every clustering tried){classes}")
    for head, text in (*screen.lines(answer, anyway=output.anyway), *files, more):
        print_wrapped(console, text, head=head)
    if output.why:
        console.print()
        print_findings(answer.findings)
        _print_sentences(console, answer.reasons)
    if output.all:
        console.print()
        _show_candidates(study, answer, console.width)
    if ways is not None:
        _show_alternatives(study, ways, console)
    _show_differences(study, answer, console)


def show_all_rows(study: Study, answer: Answer, assigned: AssignedRows) -> None:
    """Print the clusters of all rows of a table in parts, and what is exact over them."""
    from rich.console import Console

    from sortal.study.scores import silhouette_of
    from sortal.study.wording import all_rows

    title = all_rows.of_rows(assigned)
    title = title[0].upper() + title[1:]
    show_table(all_rows.HEADS, all_rows.rows(assigned), title=title, numbers=(0, 2, 3, 4))
    _, error = silhouette_of(study.state, answer.name)
    _print_sentences(Console(), all_rows.sentences(assigned, answer.silhouette, error))


def _print_sentences(console: Console, sentences: Iterable[str], style: str | None = None) -> None:
    """Print each sentence on its own line."""
    for sentence in sentences:
        console.print(printable(sentence), markup=False, highlight=False, style=style)


def _show_groups(study: Study, answer: Answer, console: Console) -> None:
    """Print each group: its number, size and name, and the rule below."""
    from sortal.study.wording import screen

    of_terms = study.dataset.of_documents
    groups = screen.group_lines(answer, study.describe(answer.name), of_terms)
    number, size = (max(len(cell) for cell in parts) for parts in zip(
        *((group.number, group.size) for group in groups), strict=True
    ))  # fmt: skip
    for group in groups:
        head = f"{group.number:>{number + 2}}  {group.size:>{size}}"
        rule = f"{group.rule} ({group.right})" if group.rule else ""
        first, *others = filter(None, (group.name, rule)) if group.name or rule else ("",)
        print_wrapped(console, first, head=head, width=len(head) + 2)
        for text in others:
            print_wrapped(console, text, head=" ", width=len(head) + 2)


def _show_candidates(study: Study, answer: Answer, width: int) -> None:
    """Print every distinct candidate with as many measures as fit."""
    from sortal.measures import catalogue
    from sortal.study.deciders import as_decider
    from sortal.study.wording import span

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
    wide = ("informativeness",) if width >= LAYOUT.wide else ()
    for m in ("silhouette", *wide, "adjusted_rand_index"):
        if m in measures and m != answer.decided_by:
            title = catalogue[m].title.partition(" (")[0]
            columns[title] = [f"{value:.3f}" for value in measures.loc[ranked.index, m]]
    columns["times"] = ranked["reached_by"]
    rows = list(zip(*columns.values(), strict=True))
    show_table(list(columns), rows, numbers=range(2, len(columns)))


def _show_alternatives(study: Study, n: int, console: Console) -> None:
    """Print other good ways to divide the objects."""
    from sortal.study.wording import divisions

    alternatives = study.alternatives(n)
    if len(alternatives) > 1:
        show_table(divisions.HEADS, divisions.rows(alternatives), title=divisions.TITLE)
    _print_sentences(console, divisions.sentences(alternatives))


def _show_differences(study: Study, answer: Answer, console: Console) -> None:
    """Print the tests of differences between clusters, if they were run."""
    from sortal.study import kept_differences
    from sortal.study.wording import tested

    differences = kept_differences(study.state)
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
