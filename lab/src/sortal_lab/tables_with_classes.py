"""What is said of tables with a class that somebody recorded, beside how far the groups follow it.

Any table of the folder ``tables`` among the data takes part: a CSV with the class in its last
column. The class can be a species, credit given, survival. Nothing was tuned on these tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import Study
from sortal.datasets import from_table, weighted
from sortal.measures import adjusted_rand_index
from sortal_lab import ExperimentResult
from sortal_lab.data import data_folder
from sortal_lab.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

#: rows of a table at most
MOST = 400
#: agreement with the classes from which on the groups are said to follow them
FOLLOWS = 0.5


def run(
    *,
    name: str = "tables-with-classes",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Cluster each table by the default sweep, without its class, and compare.

    ``samples``: how many of the tables; all by default.

    Returns a row for each table: the answer on groups, their number, the recovery as stated with
    its interval, and the adjusted Rand index of the groups, and of the best candidate, with the
    classes.
    """
    import pandas as pd

    journal = Journal(storage, f"random_state {random_state!r}, {MOST} rows")
    rows: list[dict[str, Any]] = []
    for path in sorted(data_folder().glob("tables/*.csv.gz"))[:samples]:
        title = path.name.partition(".")[0]
        row: Any = journal.get((title, ""))
        if row is None:
            row = _judged(path, random_state)
            journal.put((title, ""), row)
        rows.append({"table": title, **row})
        if progress is not None:
            progress(title)
    columns = ["table", "rows", "classes", "answer", "groups", "recovery", "low", "high",
               "with classes", "best candidate"]  # fmt: skip
    table = pd.DataFrame(rows, columns=columns)
    table = table.sort_values("with classes", ascending=False, ignore_index=True)
    return ExperimentResult(name, table, _notes(table) if rows else (
        f"No table is in {data_folder() / 'tables'}.",
    ))  # fmt: skip


def _judged(path: Path, seed: int) -> dict[str, Any]:
    """The answer for a table without its class, and the agreement with this."""
    import pandas as pd

    cells = pd.read_csv(path, keep_default_na=False, na_values=[""])
    cells = cells[cells.iloc[:, -1].notna()].reset_index(drop=True)
    drawn = np.random.default_rng(seed).permutation(len(cells))[:MOST]
    cells = cells.iloc[np.sort(drawn)].reset_index(drop=True)
    data = weighted(from_table(cells.iloc[:, :-1]))
    kept = np.arange(len(cells)) if data.rows is None else np.asarray(data.rows)
    classes = cells.iloc[kept, -1].astype(str).to_numpy()
    study = Study(data)
    study.sweep(workers=1)
    answer = study.best()
    ranked = study.rank().index
    agreements = [float(adjusted_rand_index(classes, study.labels(one), noise="cluster"))
                  for one in ranked]  # fmt: skip
    recovery, structure = answer.recovery, answer.structure
    return {
        "rows": len(classes),
        "classes": len(set(classes)),
        "answer": "not judged" if structure is None else structure.answer,
        "groups": answer.n_clusters,
        "recovery": np.nan if recovery is None else recovery.value,
        "low": np.nan if recovery is None else recovery.low,
        "high": np.nan if recovery is None else recovery.high,
        "with classes": agreements[list(ranked).index(answer.name)],
        "best candidate": max(agreements),
    }


def _notes(table: Any) -> tuple[str, ...]:
    """How many tables have classes that follow the groups, and what was stated on average."""
    follows = table["with classes"] >= FOLLOWS
    findable = table["best candidate"] >= FOLLOWS
    inside = table["with classes"].between(table["low"], table["high"])
    order = table[["recovery", "with classes"]].corr(method="spearman").iloc[0, 1]
    return (
        f"At most {MOST} rows of a table; the default sweep, without the class.",
        f"The groups follow the classes (ARI of {FOLLOWS} or more) on {follows.sum()} of "
        f"{len(table)} tables; some candidate does on {findable.sum()}.",
        f"Recovery as stated {table['recovery'].mean():.2f}, agreement with the classes "
        f"{table['with classes'].mean():.2f}; rank correlation {order:.2f}; {inside.sum()} of the "
        "classes are in the 80 % interval. Recovery is about groups that made the data, and a "
        "person's classes often did not.",
        "One cloud although the groups follow the classes: "
        + (", ".join(table["table"][follows & (table["answer"] == "one cloud")]) or "none")
        + ".",
    )
