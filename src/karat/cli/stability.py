"""``karat stability``: would these clusters be found again?"""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli._groups import takes_groups
from karat.cli._input import Documents, LabelledReading, read_dataset, tell_findings
from karat.cli._numbers import parse_counts
from karat.cli._options import Json, Quiet

if TYPE_CHECKING:
    from karat.stability import Assessment


@takes_groups
def stability(
    reading: LabelledReading,
    documents: Documents,
    k: Annotated[
        str, typer.Option("-k", help="Numbers of clusters: 2:8 (both ends), 2:20:2 or 3,5,8.")
    ] = "2:8",
    clusterer: Annotated[
        str, typer.Option("--clusterer", "-c", help="Clusterer by name.")
    ] = "kmeans",
    metric: Annotated[
        str | None,
        typer.Option(help="The distance.", show_default="cosine for documents, else euclidean"),
    ] = None,
    resamples: Annotated[
        int, typer.Option(min=2, help="Pairs of subsamples for each number of clusters.")
    ] = 20,
    references: Annotated[
        int,
        typer.Option(help="Null references of each kind to compare with; 0 for none."),
    ] = 5,
    seed: Annotated[int, typer.Option(min=0, help="All seeds follow from it.")] = 0,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say how many clusters would be found again in other samples of the data, and which ones.

    Pairs of subsamples are clustered and compared, for each number of clusters, beside the same
    on null references: what is stable there, too, proves nothing. Then each cluster is
    looked for in resamples.

    karat stability wine --scale standard -k 2:8
    """
    from karat.clusterers import catalogue
    from karat.nulls.references import Null
    from karat.stability import assess
    from karat.stability.assessment import n_steps
    from karat.stability.progress import counted

    dataset = read_dataset(reading, documents)
    tell_findings(dataset.findings, err=True)
    numbers = parse_counts(k)
    told = catalogue[clusterer].parameter == "n_clusters"
    metric = metric or dataset.metric
    n_sets = len(Null(dataset.X, metric).kinds) * references
    steps = n_steps(len(numbers) if told else 0, resamples, n_sets)
    with counted("Resampling", steps, show=False if quiet else None) as executor:
        found = assess(
            dataset.X,
            catalogue[clusterer],
            k=numbers,
            n_resamples=resamples,
            n_references=references,
            metric=metric,
            random_state=seed,
            executor=executor,
        )
    if json:
        typer.echo(jsonlib.dumps(as_json(found), allow_nan=False))
        return
    show(found, dataset.name)
    for note in dataset.notes:
        typer.echo(f"Note: {note}")


def as_json(found: Assessment) -> dict[str, Any]:
    """What machines read of an assessment."""

    def records(table: Any) -> Any:
        return jsonlib.loads(table.reset_index().to_json(orient="records", double_precision=15))

    return {
        "clusterer": found.clusterer,
        "selected": found.selected,
        "advice": found.advice,
        "curve": None if found.curve is None else records(found.curve.table),
        "value": found.value,
        "clusters": records(found.clusters.table.rename_axis("cluster")),
        "n_resampled": len(found.rows),
        "changing": found.changing.tolist(),
    }


def show(found: Assessment, name: str) -> None:
    """The advice, the curve beside the null, and the clusters."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    console = Console()
    console.print(Panel(Text(found.advice), title=name, title_align="left"))
    if found.curve is not None:
        table = Table(title="Share of the worst cluster that another half keeps", box=None)
        heads = ["k", "data"]
        with_null = "null" in found.curve.table
        if with_null:
            heads += ["without clusters", "times as unstable"]
        for head in (*heads, ""):
            table.add_column(head, justify="right")
        for k, row in found.curve.table.iterrows():
            cells = [str(k), f"{row['value']:.3f} ± {row['standard_error']:.3f}"]
            if with_null:
                cells += [
                    f"{row['null']:.3f} ± {row['null_error']:.3f}",
                    f"{row['ratio']:.2f}",
                ]
            table.add_row(*cells, "<" if k == found.selected else "")
        console.print(table)
    told = f"Clusters of {found.clusterer} at {found.value:g}, looked for in resamples"
    table = Table(title=told, box=None)
    for head in ("cluster", "size", "mean Jaccard", "found again", "dissolves"):
        table.add_column(head, justify="right")
    for cluster, row in found.clusters.table.iterrows():
        table.add_row(
            str(cluster),
            f"{row['size']:,.0f}",
            f"{row['jaccard']:.3f} ± {row['standard_error']:.3f}",
            f"{row['recovered']:.0%}",
            f"{row['dissolved']:.0%}",
        )
    console.print(table)
    if len(found.changing):
        console.print(
            f"{len(found.changing):,} of {len(found.rows):,} objects are outside of their cluster "
            "in most resamples",
            markup=False,
        )
