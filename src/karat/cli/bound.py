"""``karat bound``: what a few labels guarantee about clusterings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd


def bound(
    labels: Annotated[
        Path,
        typer.Argument(help="CSV, Parquet or NumPy: one object a row, one clustering a column."),
    ],
    few: Annotated[
        Path,
        typer.Argument(
            help="Known classes: columns 'row' (from 0) and 'label', or a 'label' for each "
            "object, empty where it is not known."
        ),
    ],
    delta: Annotated[
        float, typer.Option("--delta", help="Allowed probability that the guarantee fails.")
    ] = 0.1,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", "-c", help="Clusterings to compare; all columns by default."),
    ] = None,
    noise: Annotated[
        str,
        typer.Option(
            "--noise", help="How outliers (-1) are treated: error, cluster, singletons, drop."
        ),
    ] = "error",
    target: Annotated[
        float | None,
        typer.Option("--target", help="Forecast how many more labels lower the bound to this."),
    ] = None,
    predict: Annotated[
        Path | None,
        typer.Option("--predict", help="Write the class of every object to this CSV file."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Guarantee how many unlabelled objects a clustering can mislabel, from a few labels.

    The labelled objects must have been drawn at random, as `karat sample` does, and the
    clusterings made without looking at the labels. Choosing the best of several is paid for.
    """
    import json as jsonlib

    from karat.bounds import PacMdlBounds, forecast_labels, pac_mdl_bound
    from karat.datasets import read_labelings
    from karat.validation import InputError, check_choice

    check_choice(noise, ("error", "cluster", "singletons", "drop"), "--noise")
    clusterings = read_labelings(labels)
    for name in column or ():
        if name not in clusterings:
            raise InputError(f"{labels} has no column {name!r}; it has {', '.join(clusterings)}")
    n = len(next(iter(clusterings.values())))
    clusterings = {name: clusterings[name] for name in column or clusterings}
    policy: Any = noise
    found = pac_mdl_bound(clusterings, read_labels(few, n), delta, noise=policy)
    assert isinstance(found, PacMdlBounds)
    best = found.best
    forecast = None if target is None else forecast_labels(best, target)
    if predict is not None:
        import pandas as pd

        pd.DataFrame({"label": best.predicted}).to_csv(predict, index_label="row")
    if json:
        records = found.table.rename_axis("clustering").reset_index()
        answer: dict[str, Any] = {
            "best": best.name,
            "delta": delta,
            "bound": best.bound,
            "bound_rate": best.bound_rate,
            "sentence": best.sentence,
            "reason": best.reason,
            "warnings": list(best.warnings),
            "cluster_labels": {str(k): str(v) for k, v in best.cluster_labels.items()},
            "table": jsonlib.loads(records.to_json(orient="records", double_precision=15)),
        }
        if forecast is not None:
            answer["forecast"] = {
                "target": forecast.target,
                "more": forecast.more,
                "low": forecast.low,
                "high": forecast.high,
            }
        typer.echo(jsonlib.dumps(answer))
        return
    if len(found) > 1:
        _print_table(found.table)
    typer.echo(str(best))
    if forecast is not None:
        typer.echo(str(forecast))


def _print_table(table: pd.DataFrame) -> None:
    from rich.console import Console
    from rich.table import Table

    from karat.bounds._bound import percent_up

    shown = Table("clustering", "clusters", "errors", "bits", "bound", "at most")
    for name, row in table.sort_values(["bound_rate", "errors", "bits"]).head(30).iterrows():
        shown.add_row(
            str(name),
            f"{int(row['n_clusters'])}",
            f"{int(row['errors'])} of {int(row['labelled'])}",
            f"{row['bits']:.1f}",
            f"{int(row['bound']):,}",
            percent_up(row["bound_rate"]),
        )
    Console().print(shown)


def read_table(path: Path) -> pd.DataFrame:
    """A CSV or Parquet file as a table, or a plain error."""
    import pandas as pd

    from karat.validation import InputError

    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return pd.read_parquet(path)
        return pd.read_csv(path)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (ValueError, OSError) as error:
        raise InputError(f"{path} cannot be read as a table: {error}") from None


def read_labels(path: Path, n_objects: int) -> Any:
    """The known classes as one value an object, None where unknown."""
    import numpy as np
    import pandas as pd

    from karat.validation import InputError

    table = read_table(path)
    if "label" not in table.columns:
        if len(table.columns) > 1:
            raise InputError(
                f"{path} has no column 'label'; it has {', '.join(map(str, table.columns))}"
            )
        table.columns = pd.Index(["label"])
    given = table["label"].astype(object).where(table["label"].notna(), None)
    if "row" not in table.columns:
        if len(table) != n_objects:
            raise InputError(
                f"{path} has {len(table)} labels for {n_objects} objects; add a column 'row' with "
                "the number of each labelled object, counted from 0"
            )
        return given.to_numpy()
    rows = pd.to_numeric(table["row"], errors="coerce")
    bad = rows.isna() | (rows != rows.round()) | (rows < 0) | (rows >= n_objects)
    if bad.any():
        value = table["row"][bad].iloc[0]
        raise InputError(f"{path}: row {value} is none of the objects 0 to {n_objects - 1}")
    if rows.duplicated().any():
        raise InputError(f"{path} labels row {int(rows[rows.duplicated()].iloc[0])} twice")
    truth = np.full(n_objects, None, dtype=object)
    truth[rows.astype(int).to_numpy()] = given.to_numpy()
    return truth
